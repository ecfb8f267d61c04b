/* Definition: two servers get definitions with one keypad, and one of them is sent again until its outcome is known.
 * Steps of migrations/functions/define_pin.sql and spend_definition_transaction.sql. */
#define PINS 3   /* 0 is the PIN before; 1 and 2 are chosen */

byte pin[3];
bool keypad[3];              /* spent_proof, kind 'keypad' */
byte reported[3];            /* event 'pin.defined' and defined_pin: 0 none, else which PIN */
byte definitions[3];         /* how many definitions have taken effect */
bool token_spent[9];         /* spent_proof, kind 'definition': three copies for each of the two tokens */

byte acknowledged = 0;       /* which PIN was answered 0 */
byte answers = 0;            /* how many definitions were answered 0 */

#define TOKEN(copy, who) token_spent[(copy) * 3 + (who)]
#define row_copy(to, from) \
    pin[to] = pin[from]; keypad[to] = keypad[from]; reported[to] = reported[from]; definitions[to] = definitions[from]; \
    TOKEN(to, 1) = TOKEN(from, 1); TOKEN(to, 2) = TOKEN(from, 2)
#define row_store(to) \
    pin[to] = n_pin; keypad[to] = n_keypad; reported[to] = n_reported; definitions[to] = n_definitions; \
    TOKEN(to, who) = true
#include "database.pml"

inline read_row() {
    if
    :: atomic { ALIVE ->
        n_pin = pin[VISIBLE]; n_keypad = keypad[VISIBLE]; n_reported = reported[VISIBLE];
        n_definitions = definitions[VISIBLE]; n_token = TOKEN(VISIBLE, who) }
    :: atomic { !ALIVE -> goto lost }
    fi
}

init {
    run Define(1);
    run Define(2)
}

/* A cardholder's app defines PIN `who` with token `who`. Both have the same keypad. */
proctype Define(byte who) {
    byte mine, n_pin, n_reported, n_definitions, attempts = 0;
    bool n_keypad, n_token;
again:
    attempts++;
    lock_row();
    read_row();
    /* spend_definition_transaction: 'transaction-spent'. An attempt before was served, or refused. */
    if
    :: n_token -> atomic { unlock_row(); goto done }
    :: else
    fi;
    /* EXISTS (SELECT FROM spent_proof ... kind = 'keypad'): 'no-keypad'. The token is spent all the same. */
    if
    :: n_keypad -> may_roll_back(); commit(); goto done
    :: else
    fi;
    n_keypad = true;
    n_pin = who;
    n_definitions = n_definitions + 1;
#ifndef MUTATE_NO_EVENT
    n_reported = who;
#endif
    may_roll_back();
    commit();
    atomic { acknowledged = who; answers++ };
    goto done;
lost:
    if
    :: attempts < 3 -> goto again
    :: else
    fi;
done:
    skip
}

/* One keypad serves one definition. */
ltl one_keypad { [] (definitions[VISIBLE] <= 1 && answers <= 1) }
/* An acknowledged definition stays, and the bank is told of it. */
ltl kept { [] (acknowledged > 0 -> [] (pin[VISIBLE] == acknowledged && reported[VISIBLE] == acknowledged)) }
/* The bank is told of what the card has: the event and the PIN are one transaction. */
ltl together { [] (reported[VISIBLE] == pin[VISIBLE]) }

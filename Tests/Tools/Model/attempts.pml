/* Wrong authentication codes: of any number of simultaneous guesses at two servers, at most the limit are judged.
 * Steps of migrations/functions/fetch_pin.sql. */
#define LIMIT 2

byte failures[3];
byte judged = 0;          /* answers 203: the attacker has learnt that the code is wrong */
bool was_locked = false;  /* somebody was answered 307 */
bool served_late = false; /* the right code was served after that */

#define row_copy(to, from) failures[to] = failures[from]
#define row_store(to)      failures[to] = count
#include "database.pml"

/* An attacker, who guesses twice. */
active [2] proctype Attacker() {
    byte mine, count, guesses = 0;

again:
    lock_row();
    if
    :: atomic { !ALIVE -> goto lost }
    /* 'limit-reached' */
    :: atomic { ALIVE && failures[VISIBLE] >= LIMIT -> was_locked = true; unlock_row(); goto next }
    :: ALIVE && failures[VISIBLE] < LIMIT -> count = failures[VISIBLE] + 1
    fi;
#ifdef MUTATE_JUDGE_FIRST
    judged++;
#endif
    may_roll_back();
    /* UPDATE cardholder SET authentication_failures = authentication_failures + 1 */
    commit();
#ifndef MUTATE_JUDGE_FIRST
    judged++;
#endif
    goto next;

lost:
    skip;
next:
    guesses++;
    if
    :: guesses < 2 -> goto again
    :: else
    fi
}

/* The cardholder, with the right code. (That it returns the count to zero is left out: then more guesses are allowed.) */
active proctype Owner() {
    byte mine;
    bool is_late;

    is_late = judged == LIMIT;   /* all guesses of a lock were answered before this request began */
    lock_row();
    if
    :: atomic { !ALIVE -> goto lost }
    :: atomic { ALIVE && failures[VISIBLE] >= LIMIT -> unlock_row(); goto lost }
    :: atomic { ALIVE && failures[VISIBLE] < LIMIT -> unlock_row() }
    fi;
    served_late = is_late;
lost:
    skip
}

/* Each guess that was judged is counted: no more than the limit are. */
ltl bounded { [] (judged <= LIMIT) }
/* An answered guess is not forgotten: whoever comes after it finds it counted. */
ltl counted { [] !served_late }

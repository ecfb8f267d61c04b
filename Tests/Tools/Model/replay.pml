/* Replay: one IdTransaction, sent several times to two servers at once, is served once.
 * Steps of migrations/functions/fetch_pin.sql and take_back_fetch.sql, and of DistributionService. */
bool spent[3];
byte served = 0;    /* answers with a PIN */
bool refused = false;

#define row_copy(to, from) spent[to] = spent[from]
#define row_store(to)      spent[to] = value
#include "database.pml"

/* One request. The lock stands for the index entry of spent_transaction: a second INSERT of the same key waits until the
 * first one's transaction has ended. */
active [3] proctype Request() {
    byte mine;
    bool value;

    lock_row();
    /* fetch_pin.sql: INSERT INTO spent_transaction ... ON CONFLICT DO NOTHING; IF NOT FOUND: 'transaction-spent' */
    if
    :: atomic { !ALIVE -> goto lost }
    :: atomic { ALIVE && spent[VISIBLE] -> unlock_row(); refused = true; goto done }
    :: ALIVE && !spent[VISIBLE] -> value = true
    fi;
    may_roll_back();
    commit();

#ifdef MUTATE_ANSWER_FIRST
    served++;
#endif
    /* DistributionService draws the PIN. If that fails, take_back_fetch.sql makes the id usable again, and nothing is served. */
    if
    :: true
    :: true ->
        lock_row();
        value = false;
        commit();
        goto done
    fi;
#ifndef MUTATE_ANSWER_FIRST
    served++;
#endif
    goto done;

lost:
    skip;
done:
    assert(served <= 1)
}

ltl once { [] (served <= 1) }
/* Once it was served, it stays spent, whatever dies. */
ltl kept { [] (served == 1 -> [] spent[VISIBLE]) }

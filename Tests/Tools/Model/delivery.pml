/* Delivery: fetch, session, notify with retries, while the bank sets another PIN. The bank's retention is 'erase'.
 * Steps of migrations/functions/fetch_pin.sql, notify_delivery.sql and write_cardholder.sql. */
#define NONE 0

byte pin[3];        /* the PIN's serial; NONE: erased */
byte serial[3];     /* cardholder.pin_serial: of the PIN that was set last */
byte session[3];    /* delivery_session.pin_serial; NONE: no session */
bool notified[3];   /* delivery_session.notified_status = 0 */
byte events[3];     /* pin.delivered of this session */

bool confirmed = false;    /* the app was answered 'confirmed' */
bool put = false;          /* the bank was answered that PIN 2 is taken */
bool erased_served = false;

#define row_copy(to, from) \
    pin[to] = pin[from]; serial[to] = serial[from]; session[to] = session[from]; \
    notified[to] = notified[from]; events[to] = events[from]
#define row_store(to) \
    pin[to] = n_pin; serial[to] = n_serial; session[to] = n_session; notified[to] = n_notified; events[to] = n_events
#include "database.pml"

#define LOCALS byte mine, n_pin, n_serial, n_session, n_events; bool n_notified

/* What the transaction sees, and writes back with its changes. */
inline read_row() {
    if
    :: atomic { ALIVE ->
        n_pin = pin[VISIBLE]; n_serial = serial[VISIBLE]; n_session = session[VISIBLE];
        n_notified = notified[VISIBLE]; n_events = events[VISIBLE] }
    :: atomic { !ALIVE -> goto lost }
    fi
}

init {
    atomic { pin[VISIBLE] = 1; serial[VISIBLE] = 1; row_copy(DISK, VISIBLE); row_copy(STANDBY, VISIBLE) }
    run Fetch();
    run Notify();
    run Notify();
    run Put();
    run SecondFetch()
}

/* The app fetches PIN 1. It opens the session that is confirmed. */
proctype Fetch() {
    LOCALS;
    lock_row();
    read_row();
    if
    :: n_pin == NONE -> atomic { unlock_row(); goto lost }
    :: else
    fi;
    n_session = n_pin;
    may_roll_back();
    commit();
lost:
    skip
}

/* The app confirms. Two at once: a retry reaches the other server while the first attempt is still under way. */
proctype Notify() {
    LOCALS;
    session[VISIBLE] != NONE || timeout;
again:
    /* notify_delivery.sql: the session and the hash are looked at before any lock. */
    mine = epoch;
    read_row();
    if
    :: n_session == NONE -> goto done
    :: else
    fi;
    lock_row();
#ifndef MUTATE_NO_SECOND_LOOK
    /* The session again: another notify may have decided it since it was read. */
    read_row();
#else
    if
    :: atomic { ALIVE -> n_pin = pin[VISIBLE]; n_serial = serial[VISIBLE]; n_events = events[VISIBLE] }
    :: atomic { !ALIVE -> goto lost }
    fi;
#endif
    if
    :: n_notified -> atomic { unlock_row(); confirmed = true; goto done }
    :: else
    fi;
    n_notified = true;
    n_events = n_events + 1;
    /* UPDATE cardholder SET sealed_pin = NULL ... WHERE ... AND pin_serial = opened.pin_serial */
#ifdef MUTATE_ERASE_ANY
    n_pin = NONE;
#else
#ifndef MUTATE_NO_ERASURE
    if
    :: n_serial == n_session -> n_pin = NONE
    :: else
    fi;
#endif
#endif
    may_roll_back();
    commit();
    confirmed = true;
    goto done;
lost:
    goto again;
done:
    skip
}

/* The bank sets PIN 2. */
proctype Put() {
    LOCALS;
    lock_row();
    read_row();
    n_pin = 2;
    n_serial = 2;
    may_roll_back();
    commit();
    put = true;
lost:
    skip
}

/* Another fetch, after PIN 1 was confirmed: it may not get PIN 1. */
proctype SecondFetch() {
    LOCALS;
    byte first;
    confirmed || timeout;
    if
    :: !confirmed -> goto lost
    :: else
    fi;
    first = session[VISIBLE];
    lock_row();
    read_row();
    erased_served = n_pin != NONE && n_pin == first;
    atomic { unlock_row() };
lost:
    skip
}

/* An acknowledged confirmation is an event, whatever dies. */
ltl reported { [] (confirmed -> [] (events[VISIBLE] > 0)) }
/* A session is confirmed once. */
ltl single { [] (events[VISIBLE] <= 1) }
/* No PIN is delivered after its erasure. */
ltl erased { [] !erased_served }
/* A confirmation touches only the PIN that was delivered: an acknowledged PIN 2 stays, unless it was the delivered one. */
ltl untouched { [] ((put && session[VISIBLE] == 1) -> (pin[VISIBLE] == 2)) }

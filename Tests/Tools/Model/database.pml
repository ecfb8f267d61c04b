/* What the models share: a database that commits to its disk and to a synchronous standby, and dies.
 *
 * Each value is there three times. VISIBLE is what statements see, DISK what the primary finds after a crash, STANDBY what the
 * new primary has after a failover. A model defines row_copy(to, from), which copies its values, and row_store(to), which
 * writes a transaction's own. The row's lock is SELECT ... FOR UPDATE on the cardholder.
 *
 * PostgreSQL commits in this order (RecordTransactionCommit): flush, wait for the standby, become visible, release locks. A
 * server answers after that. A transaction that has not come so far when the database dies is lost; its client does not know
 * whether it has taken effect.
 */
#define VISIBLE 0
#define DISK    1
#define STANDBY 2

#ifndef FAULTS
#define FAULTS 1
#endif

byte lock = 0;    /* who holds the row's lock: a process id; 0: nobody */
byte epoch = 0;   /* how often the database has died */
byte faults = FAULTS;

#define ALIVE (epoch == mine)

/* BEGIN, and SELECT ... FOR UPDATE. */
inline lock_row() {
    mine = epoch;
#ifndef MUTATE_NO_LOCK
    if
    :: atomic { ALIVE && lock == 0 -> lock = _pid }
    :: atomic { !ALIVE -> goto lost }
    fi;
#endif
}

inline unlock_row() {
    if
    :: lock == _pid -> lock = 0
    :: else
    fi
}

/* The server dies before the statement is sent whole, or the database refuses: nothing has happened. */
inline may_roll_back() {
    if
    :: true
    :: atomic { unlock_row(); goto lost }
    fi
}

/* Ends with the locks released. If it goes to 'lost', the transaction may have taken effect, or not. */
inline commit() {
    if
    :: atomic { ALIVE -> row_store(DISK) }
    :: atomic { !ALIVE -> goto lost }
    fi;
#ifndef MUTATE_ASYNC
    if
    :: atomic { ALIVE -> row_store(STANDBY) }
    :: atomic { !ALIVE -> goto lost }
#ifdef MUTATE_CANCEL
    /* Somebody cancels the wait: PostgreSQL only warns, and answers as after any commit. */
    :: ALIVE
#endif
    fi;
#endif
    atomic {
        if
        :: ALIVE -> row_store(VISIBLE); unlock_row()
        :: else -> goto lost
        fi
    }
}

/* The database dies: it starts again from its disk, or the standby takes over. The standby of the new primary has
 * everything before that happens (in strict mode it acknowledges nothing otherwise). */
active proctype Faults() {
    do
    :: atomic { faults > 0 -> faults--; epoch++; lock = 0; row_copy(VISIBLE, DISK) }
    :: atomic { faults > 0 -> faults--; epoch++; lock = 0; row_copy(DISK, STANDBY); row_copy(VISIBLE, STANDBY) }
    :: break
    od
}

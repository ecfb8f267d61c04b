/* The inventory: what servers rely on, in versions with a MAC, in the manner of TUF's snapshot. Whoever owns the database can put
 * back any inventory that was ever made, and any row. Rows are not in the model: they can always be there. So what a server's
 * inventory lists counts there, and a proposal can be decided as long as the inventory does not say that it was.
 *
 * The number of an inventory in the model stands for its hash. One that was made, but not committed, has a good MAC too.
 *
 * The bounds keep the check short. All properties hold with more, too: 'safe' with -DROLLBACKS=2 -DFIRST=2 -DMADE=5.
 */
#ifndef ROLLBACKS
#define ROLLBACKS 1
#endif
#ifndef CRASHES
#define CRASHES 1         /* of commands */
#endif
#ifndef RESTARTS
#define RESTARTS 1        /* of the first server */
#endif
#ifndef FIRST
#define FIRST 1           /* commands that the first host runs, one after the other */
#endif
#ifndef MADE
#define MADE 4            /* inventories that can be made, with the one at the beginning */
#endif

/* What an inventory says. */
#define KEY  1            /* it lists the key that one command withdraws */
#define USED 2            /* the proposal was decided: approved or rejected, which makes no difference here */
/* What has happened up to an inventory. Nothing is decided by it: the properties need it. */
#define WITHDRAWN     1
#define DECIDED       2
#define DECIDED_TWICE 4

byte version[MADE + 1];
byte past[MADE + 1];      /* what it continues: a bit for itself, for each before it, and for the one that it names as lost */
byte says[MADE + 1];
byte era[MADE + 1];       /* how often operators have accepted an older one, up to it */
byte history[MADE + 1];
byte made = 1;

byte head = 1;            /* the newest inventory that the database has */
#ifdef OWN_MARKS
byte mark[2] = 1;         /* each host has a vault of its own, in a file */
#define MARK(host) mark[host]
#else
byte mark[1] = 1;
#define MARK(host) mark[0]
#endif

bool up[2] = true;
byte held[2] = 1;         /* what a server holds; if it is not up: what it held last */
bool alarm[2];            /* of a server, since it last took an inventory */

byte rollbacks = ROLLBACKS;
byte crashes = CRASHES;
byte answered = 0;        /* what commands have answered as done; operators who accept an older inventory give it up */
bool disturbed = false;   /* the database was rolled back, and no operators have accepted that */
bool refused = false;     /* a command has found the database wrong */
bool returned = false;    /* a server has taken an inventory that lists what was withdrawn */
bool went_back = false;   /* a server has taken an older inventory, or another one of the same version */
bool mark_fell = false;

#define CONTINUES(new, old) ((past[new] >> (old)) & 1)
/* It lists what was withdrawn up to `old`, and operators have not accepted that. */
#define BRINGS_BACK(new, old) ((says[new] & KEY) && (history[old] & WITHDRAWN) && era[new] <= era[old])

#ifdef MUTATE_MARK_RACE
#define SEEN seen
#define LOCALS byte found, x, change, seen; bool good
#else
#define SEEN MARK(host)
#define LOCALS byte found, x, change; bool good
#endif

init {
    atomic {
        past[0] = 1;
        version[1] = 1; past[1] = 3; says[1] = KEY;
        run Command(0, FIRST);
        run Command(1, 1);
        run Accept();
        run Owner();
        run Server(0, RESTARTS);
        run Server(1, 0)
    }
}

/* Raises the mark of the host's vault, in one step: that takes a lock. It moves only to what continues it. Then `good` says
 * whether x is the mark, or something before it. */
inline raise_mark(host, x) {
#ifdef MUTATE_MARK_BY_VERSION
    if
    :: version[x] > version[SEEN] -> put_mark(host, x)
    :: else
    fi;
    good = true
#else
    if
    :: CONTINUES(x, SEEN) -> put_mark(host, x); good = true
    :: else -> good = CONTINUES(SEEN, x)
    fi
#endif
}

inline put_mark(host, x) {
    mark_fell = mark_fell || !CONTINUES(x, MARK(host));
    if
    :: era[x] > era[MARK(host)] -> answered = 0
    :: else
    fi;
    MARK(host) = x
}

/* A new inventory after `found`. */
inline make(new_says, event) {
    made++;
    x = made;
    version[x] = version[found] + 1;
    past[x] = past[found] | (1 << x);
    era[x] = era[found];
    says[x] = new_says;
    history[x] = history[found] | event
}

#ifdef MUTATE_NO_USED
#define SAYS_DECIDED says[found]
#else
#define SAYS_DECIDED (says[found] | USED)
#endif
#ifdef MUTATE_ROW_ONLY
#define SAYS_WITHDRAWN says[found]
#else
#define SAYS_WITHDRAWN (says[found] & ~KEY)
#endif
#ifdef MUTATE_NO_ERA
#define CAN_DECIDE ((says[found] & USED) == 0)
#else
/* What was proposed before operators accepted an older inventory is void: the older one may not know that it was decided. */
#define CAN_DECIDE ((says[found] & USED) == 0 && era[found] == 0)
#endif
/* Commands look, too. Nothing depends on that, but the database is spared a fork. */
#define IS_RIGHT CONTINUES(found, MARK(host))
#ifdef MUTATE_NO_VERSION_CHECK
#define COMMITS true
#else
#define COMMITS (head == found)
#endif
#ifdef MUTATE_ANSWER_ANYWAY
#define ANSWERS true
#else
#define ANSWERS good
#endif

/* So that states that differ in nothing else are one. */
inline forget() {
    found = 0; x = 0; change = 0; good = false
}

inline make_change() {
    if
    :: says[found] & KEY -> change = WITHDRAWN; make(SAYS_WITHDRAWN, WITHDRAWN)
    :: CAN_DECIDE -> change = DECIDED; make(SAYS_DECIDED, (history[found] & DECIDED -> DECIDED_TWICE : DECIDED))
    fi
}

/* So many commands of operators on a host, one after the other. */
proctype Command(byte host, changes) {
    LOCALS;
    do
    :: changes == 0 -> break
    :: atomic { changes > 0 ->
            changes--;
again:
            /* The mark and the database at once. That stands for the mark first: an older mark would only find less wrong, and
             * raise_mark looks again. */
            found = head;
#ifdef MUTATE_MARK_READ_LAST
        };
        atomic {
#endif
            if
            :: !IS_RIGHT -> refused = true; goto next
            :: IS_RIGHT && made < MADE && ((says[found] & KEY) || CAN_DECIDE)
            :: else -> goto next
            fi;
#ifdef MUTATE_MARK_FIRST
            make_change();
            raise_mark(host, x)
#endif
        };
        /* COMMIT, if nobody has written this version meanwhile. */
        atomic {
            if
            :: made == MADE -> goto next
            :: made < MADE && COMMITS ->
#ifndef MUTATE_MARK_FIRST
                make_change();
#endif
                head = x;
                if
                :: true
                :: crashes > 0 -> crashes--; goto next
                fi
            :: made < MADE && !COMMITS -> goto again
            /* It was not committed, but the owner has seen it, and its MAC is good. */
            :: made < MADE && crashes > 0 -> crashes--; make_change(); goto next
            fi
        };
#ifdef MUTATE_MARK_RACE
        seen = MARK(host);
#endif
        atomic {
#if defined(MUTATE_MARK_FIRST) || defined(MUTATE_NO_MARK)
            good = true;
#else
            raise_mark(host, x);
#endif
            if
            :: ANSWERS && era[x] == era[MARK(host)] -> answered = answered | change
            /* Operators have accepted an older one since. */
            :: ANSWERS && era[x] != era[MARK(host)]
            /* The database was rolled back after the commit: the change is lost, and the command says so. */
            :: !ANSWERS -> refused = true
            fi;
next:
            forget()
        }
    od
}

/* inventory accept --lost --found: operators go on with what the database has. What was lost is not there any more. */
proctype Accept() {
    LOCALS;
    byte lost;
    byte host = 0;
    atomic { !CONTINUES(head, MARK(0)) && made < MADE ->
        lost = MARK(0);
        found = head;
        make(says[found], history[lost] & DECIDED);
        if
        :: version[lost] > version[found] -> version[x] = version[lost] + 1
        :: else
        fi;
        if
        :: era[lost] > era[found] -> era[x] = era[lost] + 1
        :: else -> era[x] = era[found] + 1
        fi;
        past[x] = past[x] | (1 << lost)
    };
    atomic {
        if
        :: head == found -> head = x
        :: else -> goto done
        fi;
        if
        :: true
        :: crashes > 0 -> crashes--; goto done
        fi
    };
#ifdef MUTATE_MARK_RACE
    seen = MARK(host);
#endif
    atomic {
        raise_mark(host, x);
        if
        :: good && CONTINUES(head, x) -> disturbed = false
        :: else
        fi;
done:
        forget();
        lost = 0
    }
}

/* Whoever owns the database: any inventory that was ever made becomes its newest one. A restored backup is the same. */
proctype Owner() {
    byte any = 1;
#ifdef RECOVER
    byte recoveries = 1;
#endif
    do
    :: atomic { rollbacks > 0 && made > 1 ->
        rollbacks--;
        do
        :: any < made -> any++
        :: any != head -> break
        od;
        head = any; any = 1; disturbed = true }
#ifdef RECOVER
    /* vault recover: the new vault has no mark. */
    :: atomic { recoveries > 0 -> recoveries--; mark[0] = 0 }
#endif
    :: rollbacks == 0 -> break
    od
}

#if defined(MUTATE_TAKE_ANY)
#define FITS_RUNNING true
#elif defined(MUTATE_TAKE_NEWER)
/* Also one that does not continue what it has, and does not name that as lost. */
#define FITS_RUNNING (version[found] > version[held[host]])
#elif defined(MUTATE_MEMORY_ONLY)
#define FITS_RUNNING CONTINUES(found, held[host])
#else
/* The mark decides, and not what the server holds: operators may have accepted another one, and lost what came between. Only if
 * the vault has no mark, it is what the server holds. */
#define FITS_RUNNING (CONTINUES(found, MARK(host)) && (version[found] > version[held[host]] || found == held[host]) && \
    (MARK(host) != 0 || CONTINUES(found, held[host])))
#endif
#ifdef MUTATE_START_BLIND
#define FITS_START true
#else
#define FITS_START CONTINUES(found, MARK(host))
#endif
#define FITS (up[host] -> FITS_RUNNING : FITS_START)
/* It takes what is the mark then. If somebody has moved that meanwhile, it looks again. */
#if defined(MUTATE_TAKE_ANY) || defined(MUTATE_TAKE_NEWER) || defined(MUTATE_START_BLIND) || defined(MUTATE_TAKE_UNMARKED)
#define TAKES true
#else
#define TAKES (MARK(host) == found)
#endif
/* The database has one that it can take now. */
#define CAN_TAKE (CONTINUES(head, MARK(host)) && (!up[host] || version[head] > version[held[host]]))

/* It looks every ten seconds, and at its start. (Looks that change nothing are left out: the model's runs must end.) */
proctype Server(byte host, restarts) {
    LOCALS;
    do
    :: atomic { (!up[host] || head != held[host] || MARK(host) != held[host]) && (!alarm[host] || CAN_TAKE) ->
        found = head;
#ifdef MUTATE_MARK_READ_LAST
        };
        atomic {
#endif
        returned = returned || (!up[host] && FITS && BRINGS_BACK(found, MARK(host)));
        if
        :: FITS && host == 0
        /* The second server is quick, which saves states. */
        :: FITS && host == 1 -> goto take
        :: else -> alarm[host] = true; goto next
        fi
        };
#ifdef MUTATE_MARK_RACE
        seen = MARK(host);
#endif
        atomic {
            good = false;
take:
#ifndef MUTATE_TAKE_UNMARKED
            /* Before it takes it: the vault knows all that any server holds. */
            raise_mark(host, found);
#endif
            if
            :: TAKES
            :: else -> goto next
            fi;
            returned = returned || BRINGS_BACK(found, held[host]);
            went_back = went_back || version[found] < version[held[host]] ||
                (version[found] == version[held[host]] && found != held[host]);
            held[host] = found;
            up[host] = true;
            alarm[host] = false;
next:
            forget()
        }
    :: atomic { up[host] && restarts > 0 -> restarts--; up[host] = false; alarm[host] = false }
    :: timeout -> break
    od
}

/* What was withdrawn does not count again, unless operators have accepted that. */
#define WITHDRAWN_STAYS (!returned)
/* No server goes back, not even when it starts again; and no two hold different inventories of one version. */
#define ONE_WAY (!went_back && (version[held[0]] == version[held[1]] -> held[0] == held[1]))
/* A proposal is decided once. */
#define ONE_DECISION (((history[mark[0]] | history[held[0]] | history[held[1]]) & DECIDED_TWICE) == 0)
/* The mark moves only to what continues it. */
#define MARK_STAYS (!mark_fell)
/* What a command has answered as done is in the vault's inventory, and in the database's unless somebody rolls that back. */
#define HAS(x) ((answered & ~history[x]) == 0)
#define KEPT (HAS(mark[0]) && (rollbacks == ROLLBACKS -> HAS(head)))
/* No alarm without a reason, whatever crashes. */
#define QUIET (rollbacks == ROLLBACKS -> !alarm[0] && !alarm[1] && !refused)
/* Servers have the newest inventory: after operators have accepted it, if the database was rolled back. */
#define NEWEST (disturbed || (up[0] && up[1] && held[0] == head && held[1] == head))
/* A server that lacks something alarms. */
#define NOTICES(host) (alarm[host] || (up[host] && CONTINUES(held[host], MARK(host))))
#define NOTICED (NOTICES(0) && NOTICES(1))

ltl safe { [] (WITHDRAWN_STAYS && ONE_WAY && ONE_DECISION && MARK_STAYS && KEPT && QUIET) }
ltl settled { <> [] (NEWEST && NOTICED) }
/* Each alone, for the mutations. */
ltl withdrawn { [] WITHDRAWN_STAYS }
ltl one_way { [] ONE_WAY }
ltl decided { [] ONE_DECISION }
ltl raised { [] MARK_STAYS }
ltl kept { [] KEPT }
ltl quiet { [] QUIET }
ltl newest { <> [] NEWEST }
ltl noticed { <> [] NOTICED }

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulated machine, as the code that runs on it and the experiments see it
 *
 * An experiment calls sim_begin(), allocates and fills simulated memory, starts
 * a function on each CPU, calls sim_run(), reads the counts, calls sim_end().
 * The functions on the CPUs are coroutines: each access is a point where others
 * may run, and virtual time decides who does.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "machine.h"

/**
 * struct counts - what a CPU has done
 * @hits: accesses to lines that the core had
 * @fetched: lines got from elsewhere, by distance; also those that the core had
 * and others had to lose, by the farthest of these
 * @loaded: the part of @fetched that loads took
 * @waited: ps that requests waited for their turn at a line
 * @stale: loads that hit a copy of a line that another core has written
 */
struct counts {
	u64	hits;
	u64	fetched[NR_DIST];
	u64	loaded[NR_DIST];
	u64	waited;
	u64	stale;
};

/* Faults to plant, so that the checks can be seen to notice them; the last in cpupri.c. */
enum fault {
	FAULT_NONE,
	FAULT_NO_INVALIDATE,	/* a write leaves the other copies */
	FAULT_NO_QUEUE,		/* a line serves any number of requests at once */
	FAULT_NO_FORWARD,	/* a load does not see the CPU's own stores */
	FAULT_NO_FENCE,		/* a fence does not wait */
	FAULT_NO_DISTANCE,	/* all lines come from the same LLC */
	FAULT_LOST_STORE,	/* one store in four is not written */
	FAULT_LOCAL_LOCK,	/* a locked operation does not own its line */
	FAULT_OLD_VALUE,	/* a locked operation returns the new value */
	FAULT_RANDOM,		/* ties are broken by the real clock */
	FAULT_EARLY_WAKE,	/* sleep ends too early */
	FAULT_OLD_FIRST,	/* masks: a CPU leaves its old level before it is in the new */
	FAULT_NO_LOWER_BARRIER,	/* bytes: no barrier after lowering */
	FAULT_OWN_LEAF,		/* bytes: find looks at the task's own leaf only */
	NR_FAULTS
};

extern enum fault sim_fault;

void sim_begin(const struct machine *m, u64 seed);
void sim_end(void);
void sim_start(unsigned int cpu, void (*fn)(unsigned int cpu));
void sim_run(void);
void sim_stop(void);

/* Zeroed memory, aligned to a power of two that is a multiple of lines. */
void *sim_alloc(size_t size, size_t align);

/* For the functions on CPUs, and outside of these for setting things up. */
u64 sim_load(const void *p, unsigned int size);
void sim_store(void *p, u64 value, unsigned int size);
void sim_fence(void);

enum rmw { RMW_OR, RMW_AND, RMW_ADD, RMW_XCHG };

/* Returns what was there before. */
u64 sim_locked(void *p, enum rmw op, u64 arg, unsigned int size);

/* A full barrier behind a locked operation: nothing where that is one. */
void sim_fence_after_locked(void);

/* For the functions on CPUs only. */
unsigned int sim_cpu(void);
u64 sim_now(void);
u64 sim_random(void);
void sim_delay(u64 ps);
bool sim_sleep(u64 until);	/* true if woken */
void sim_wake(unsigned int cpu);

/* Of the machine that runs, or that has run and not been ended. */
const struct machine *sim_machine(void);
struct counts *sim_counts(unsigned int cpu);
struct counts sim_total(void);
void sim_clear_counts(void);
u64 sim_events(void);
u64 sim_elapsed(void);

/* How often the line of @p was got from another LLC, a socket or memory. */
u64 sim_moves(const void *p);

/* How many lines @cpu has fetched from another LLC, a socket or memory. */
static inline u64 sim_far(unsigned int cpu)
{
	struct counts *c = sim_counts(cpu);

	return c->fetched[DIST_NODE] + c->fetched[DIST_SOCKET] +
	       c->fetched[DIST_MEMORY];
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs that idle and work, with the accesses of the nohz code at its own rates
 */
#ifndef SIM_NOHZ_H
#define SIM_NOHZ_H

#include "forms.h"
#include "sim.h"

/* How nohz.has_blocked_load and needs_update are written on idle entry. */
enum flags {
	FLAGS_STORE,		/* always: the base */
	FLAGS_TEST,		/* only if they are clear (patches 18 and 19) */
	FLAGS_APART,		/* and the address of the set on another line (patch 20) */
	FLAGS_LINES,		/* and the times on a third one (not in the series) */
};

enum once {
	ONCE_NOT,		/* not: the base */
	ONCE_LLC,		/* it writes the jiffy to a line of its LLC (patch 14) */
	ONCE_GLOBAL,		/* it moves next_balance, if no other has (not in the series) */
	ONCE_GLOBAL_STORE,	/* it moves next_balance, without another look */
};

/* What is measured. */
enum act {
	ACT_ENTER,		/* idle entry: set, barrier */
	ACT_FLAGS,		/* idle entry and re-entry: the flags */
	ACT_EXIT,		/* the first busy tick: clear */
	ACT_TICK,		/* every busy tick: is a balance due? */
	ACT_EMPTY,		/* one that finds it due: the test for an empty set */
	ACT_FIND,		/* find_new_ilb() */
	ACT_WALK,		/* _nohz_idle_balance(), less the balancing itself */
	NR_ACTS
};

extern const char *const act_names[NR_ACTS];

/**
 * struct nohz - an experiment
 * @machine: the machine
 * @form: the set
 * @flags: see there
 * @skewed: ticks of the CPUs are spread over the jiffy, not at the same time
 * @once: how a CPU that has found the set empty keeps others from looking again in
 * the same jiffy
 * @look_again: one that is about to kick looks, too (not in the series)
 * @jitter: ps that a tick may be late; 0 is TICK_JITTER
 * @busy: ps that a CPU works, half to one and a half times that
 * @idle: ps that it idles; 0 is never
 * @idlers: every how many-th CPU idles at all
 * @no_ilb: ticks only clear, and nobody balances
 * @ticks: jiffies to run, after two that are not measured
 * @seed: of the random numbers
 */
struct nohz {
	const struct machine	*machine;
	const struct form	*form;
	enum flags		flags;
	bool			skewed;
	enum once		once;
	bool			look_again;
	u64			jitter;
	u64			busy;
	u64			idle;
	unsigned int		idlers;
	bool			no_ilb;
	unsigned int		ticks;
	u64			seed;
};

/* Of one kind of activity: how often, how long, how many lines from afar. */
struct act_stat {
	u64	nr;
	u64	ps;
	u64	worst;
	u64	far;
};

struct nohz_result {
	struct act_stat	act[NR_ACTS];
	u64		served;		/* CPUs that were balanced for */
	u64		tick_worst;	/* ps of a tick, from exit to kick */
	double		tick_mean;
	u64		flag_moves;	/* of these lines, from LLC to LLC */
	u64		time_moves;
	u64		address_moves;
	struct counts	total;
	u64		events;
};

#define TICK		(1 * MS)	/* HZ=1000 */
#define TICK_JITTER	(2 * US)	/* assumed */

struct nohz_result nohz_run(const struct nohz *n);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs that set and clear themselves, and do nothing else
 */
#ifndef SIM_WRITERS_H
#define SIM_WRITERS_H

#include "forms.h"
#include "sim.h"

/* What is measured of an operation. */
enum barrier {
	BARRIER_NONE,		/* until the CPU can go on */
	BARRIER_SET,		/* with a full barrier after a set, as nohz has it */
	BARRIER_ALL,		/* with one after each */
};

/**
 * struct writers - an experiment
 * @machine: the machine
 * @form: the set
 * @limit: CPUs of a leaf; 0 is the form's own
 * @barrier: see there
 * @think: ps between two operations of a CPU, half to one and a half times that
 * @no_yield: there is nothing between two operations, not even a barrier
 * @ops: operations measured of each CPU
 * @seed: of the random numbers
 */
struct writers {
	const struct machine	*machine;
	const struct form	*form;
	unsigned int		limit;
	enum barrier		barrier;
	u64			think;
	bool			no_yield;
	unsigned int		ops;
	u64			seed;
};

/**
 * struct writers_result - what came out
 * @op: ps of an operation, mean
 * @worst: the longest
 * @cycles: the time until the last CPU had done its operations, in cycles
 * @total: counts of all CPUs, after a warm-up
 * @done: operations measured
 */
struct writers_result {
	double		op;
	u64		worst;
	u64		cycles;
	struct counts	total;
	u64		done;
};

struct writers_result writers_run(const struct writers *w);

#endif

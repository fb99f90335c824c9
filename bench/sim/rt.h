/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs whose RT tasks wake and sleep, and look for another CPU
 */
#ifndef SIM_RT_H
#define SIM_RT_H

#include "cpupri.h"
#include "sim.h"

/**
 * struct rt - an experiment
 * @machine: the machine
 * @form: who keeps the levels
 * @low: ps that a CPU stays low, half to one and a half times that
 * @high: ps that it stays high, likewise
 * @low_level: the low level; @nr_low: or one of so many from there on
 * @high_level: the high level; @nr_high: likewise
 * @finds: how many of 1,000 stays at the high level have a search in them
 * @find_level: the level of the task that looks for a CPU
 * @pinned: it may run in its LLC only
 * @sets: changes measured of each CPU
 * @seed: of the random numbers
 */
struct rt {
	const struct machine		*machine;
	const struct cpupri_form	*form;
	u64				low, high;
	int				low_level, nr_low;
	int				high_level, nr_high;
	unsigned int			finds;
	int				find_level;
	bool				pinned;
	unsigned int			sets;
	u64				seed;
};

/* Means of one kind of operation, and the longest. */
struct rt_stat {
	u64	nr;
	double	ps;
	u64	worst;
	double	lines;		/* that the CPU did not have */
	double	far;		/* the part of these from beyond the LLC */
	u64	most;		/* lines, of one */
};

/**
 * struct rt_result - what came out
 * @raise: a set to the high level, until the CPU can go on
 * @lower: one to the low level
 * @find: searches
 * @found: the part of these that found a CPU
 * @near: the part of these that found one in the LLC
 * @memory: bytes of the form
 * @total: counts of all CPUs
 * @events: of the simulation
 */
struct rt_result {
	struct rt_stat	raise, lower, find;
	double		found, near;
	size_t		memory;
	struct counts	total;
	u64		events;
};

struct rt_result rt_run(const struct rt *rt);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reader that looks at a set which others write
 */
#ifndef SIM_SCAN_H
#define SIM_SCAN_H

#include "forms.h"
#include "sim.h"

enum scan_kind {
	SCAN_WALK,		/* the form's own walk */
	SCAN_NUMBERS,		/* sbm, but CPU by CPU in the order of numbers */
	SCAN_EMPTY,		/* the test for an empty set */
};

/**
 * struct scan - an experiment
 * @machine: the machine
 * @form: the set
 * @limit: CPUs of a leaf; 0 is the form's own
 * @kind: see there
 * @every: every how many-th core is in the set, with all threads; 0 is none
 * @first: stop after so many CPUs; 0 is never
 * @churn: ps between two writes of a CPU; 0 is once before each scan
 * @seed: of the random numbers
 */
struct scan {
	const struct machine	*machine;
	const struct form	*form;
	unsigned int		limit;
	enum scan_kind		kind;
	unsigned int		every;
	unsigned int		first;
	u64			churn;
	u64			seed;
};

/**
 * struct scan_result - means of some scans by different CPUs
 * @ps: time
 * @fetched: lines that the reader did not have
 * @far: the part of these from beyond its LLC
 * @most: the most that one scan fetched
 * @visited: CPUs found
 * @near: the part of these in the reader's LLC
 */
struct scan_result {
	double		ps;
	double		fetched;
	double		far;
	u64		most;
	double		visited;
	double		near;
};

struct scan_result scan_run(const struct scan *s);

#endif

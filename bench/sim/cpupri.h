/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who runs at which priority: the forms of kernel/sched/cpupri.c that are compared
 *
 * A form is made with the machine of sim_begin(), and has no CPU.  set() and find()
 * run on a simulated CPU, or outside for setting things up.
 */
#ifndef SIM_CPUPRI_H
#define SIM_CPUPRI_H

#include "types.h"

#define LEVEL_INVALID	-1	/* a CPU that no task may be sent to */
#define LEVEL_NORMAL	0	/* no RT task; 1 to 99 are the RT priorities */
#define LEVEL_HIGHER	100	/* a deadline task */
#define NR_LEVELS	101

/**
 * struct rt_task - a task that looks for a CPU
 * @cpu: where it is
 * @level: its priority; it may go where the level is lower
 * @allowed: a bit for each CPU, in simulated memory
 * @nr_allowed: how many of these are set
 */
struct rt_task {
	unsigned int		cpu;
	int			level;
	const unsigned long	*allowed;
	unsigned int		nr_allowed;
};

/**
 * struct cpupri_form - a way to keep the levels of all CPUs
 * @name: how tables call it
 * @what: what it is
 * @make: allocate it
 * @memory: bytes that a kernel allocates for it in a root domain
 * @set: @cpu is at @level now; @lowers: and was higher before.  One caller at a time
 * for each CPU
 * @find: the lowest level at which there are CPUs for @task, or -1; @lowest gets
 * these CPUs, or of some forms those of one leaf
 */
struct cpupri_form {
	const char	*name;
	const char	*what;
	void		(*make)(void);
	size_t		(*memory)(void);
	void		(*set)(unsigned int cpu, int level, bool lowers);
	int		(*find)(const struct rt_task *task, unsigned long *lowest);
};

extern const struct cpupri_form cpupri_masks, cpupri_apart, cpupri_bytes,
	cpupri_first;

/* After make(), before the CPUs run: @cpu is not in cpu_active_mask, whatever its level. */
void cpupri_deactivate(unsigned int cpu);

/* Is @cpu one of @lowest? */
static inline bool is_lowest(const unsigned long *lowest, unsigned int cpu)
{
	return lowest[cpu / 64] >> cpu % 64 & 1;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs whose RT tasks wake and sleep, and look for another CPU
 *
 * A CPU is low for a while, then high, as a task wakes on it and sleeps again.  If
 * another task wakes meanwhile, that one looks for a CPU where the level is lower,
 * and wakes it: it goes high at once, by itself, as a CPU that gets a wakeup
 * through its list.  Locks of run queues and what a switch does are left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt.h"

#define WARM_UP		4
#define POLL		(50 * US)

static const struct rt *conf;
static struct rt_result result;
static unsigned int high, finished, cpus, words;

/* Of each LLC, its CPUs; then all. */
static unsigned long **allowed;

/* What a CPU has to itself: the result of a search, and whether it is low. */
static unsigned long *lowest;
static bool *is_low;

static u64 lines_of(unsigned int cpu)
{
	return sim_counts(cpu)->fetched[DIST_LLC] + sim_far(cpu);
}

static void add(struct rt_stat *s, u64 ps, u64 lines, u64 far)
{
	s->nr++;
	s->ps += ps;
	s->lines += lines;
	s->far += far;
	if (s->worst < ps)
		s->worst = ps;
	if (s->most < lines)
		s->most = lines;
}

static void mean(struct rt_stat *s)
{
	double nr = s->nr ? s->nr : 1;

	s->ps /= nr;
	s->lines /= nr;
	s->far /= nr;
}

static u64 about(u64 time)
{
	return time / 2 + sim_random() % (time + 1);
}

static void set(unsigned int cpu, int level, bool lowers, bool counts)
{
	u64 time = sim_now(), lines = lines_of(cpu), far = sim_far(cpu);

	conf->form->set(cpu, level, lowers);
	is_low[cpu] = lowers;
	if (counts)
		add(lowers ? &result.lower : &result.raise, sim_now() - time,
		    lines_of(cpu) - lines, sim_far(cpu) - far);
}

/* A CPU of @low: one of the LLC if there is one, any from a random one on. */
static unsigned int choose(unsigned int cpu, const unsigned long *low)
{
	unsigned int llc = machine_place(conf->machine, cpu).llc;
	unsigned int start = sim_random() % cpus, i, c, any = cpus;

	for (i = 0; i < cpus; i++) {
		c = (start + i) % cpus;
		if (!is_lowest(low, c))
			continue;
		if (machine_place(conf->machine, c).llc == llc)
			return c;
		if (any == cpus)
			any = c;
	}
	return any;
}

static void look(unsigned int cpu, int below, bool counts)
{
	unsigned int llc = machine_place(conf->machine, cpu).llc;
	unsigned long *low = lowest + (size_t)cpu * words;
	struct rt_task task = {
		.cpu		= cpu,
		.level		= below,
		.allowed	= allowed[conf->pinned ? llc : machine_llcs(conf->machine)],
		.nr_allowed	= conf->pinned ? machine_llc_cpus(conf->machine) : cpus,
	};
	u64 time = sim_now(), lines = lines_of(cpu), far = sim_far(cpu);
	unsigned int to;
	int level;

	level = conf->form->find(&task, low);
	if (counts)
		add(&result.find, sim_now() - time, lines_of(cpu) - lines, sim_far(cpu) - far);
	if (level < 0)
		return;

	to = choose(cpu, low);
	if (counts) {
		result.found++;
		result.near += machine_place(conf->machine, to).llc == llc;
	}
	if (is_low[to])
		sim_wake(to);
}

static int one_of(int level, int nr)
{
	return level + sim_random() % (nr ? nr : 1);
}

static void cpu_main(unsigned int cpu)
{
	unsigned int i = 0;
	bool counts;
	u64 until;

	/* All read what nobody writes, and find each other at the same level. */
	set(cpu, LEVEL_HIGHER - 1, false, false);
	high++;
	while (conf->finds && high < cpus)
		sim_sleep(sim_now() + POLL);
	if (conf->finds)
		look(cpu, LEVEL_HIGHER, false);

	sim_sleep(sim_now() + sim_random() % (conf->low + conf->high));
	while (finished < cpus) {
		counts = i >= WARM_UP && i < WARM_UP + conf->sets;

		set(cpu, one_of(conf->low_level, conf->nr_low), true, counts);
		sim_sleep(sim_now() + about(conf->low));
		set(cpu, one_of(conf->high_level, conf->nr_high), false, counts);
		until = sim_now() + about(conf->high);
		if (sim_random() % 1000 < conf->finds) {
			sim_sleep(sim_now() + (until - sim_now()) / 2);
			look(cpu, conf->find_level, counts);
		}
		if (until > sim_now())
			sim_sleep(until);
		if (++i == WARM_UP + conf->sets && ++finished == cpus)
			sim_stop();
	}
}

static void *allocate(size_t nr, size_t size)
{
	void *p = calloc(nr, size);

	if (!p) {
		perror("rt");
		exit(2);
	}
	return p;
}

/* Who may be sent where.  Tasks have theirs on lines of their own. */
static void make_allowed(void)
{
	unsigned int llcs = machine_llcs(conf->machine), i, cpu, llc;

	allowed = allocate(llcs + 1, sizeof(*allowed));
	for (i = 0; i <= llcs; i++)
		allowed[i] = sim_alloc(words * sizeof(long), 128);
	for (cpu = 0; cpu < cpus; cpu++) {
		llc = machine_place(conf->machine, cpu).llc;
		allowed[llc][cpu / 64] |= 1UL << cpu % 64;
		allowed[llcs][cpu / 64] |= 1UL << cpu % 64;
	}
}

struct rt_result rt_run(const struct rt *rt)
{
	unsigned int i;

	conf = rt;
	result = (struct rt_result){ 0 };
	high = 0;
	finished = 0;
	cpus = machine_cpus(rt->machine);
	words = (cpus + 63) / 64;

	sim_begin(rt->machine, rt->seed);
	rt->form->make();
	make_allowed();
	lowest = allocate((size_t)cpus * words, sizeof(long));
	is_low = allocate(cpus, sizeof(bool));

	for (i = 0; i < cpus; i++)
		sim_start(i, cpu_main);
	sim_run();

	result.found /= result.find.nr ? result.find.nr : 1;
	result.near /= result.find.nr ? result.find.nr : 1;
	mean(&result.raise);
	mean(&result.lower);
	mean(&result.find);
	result.memory = rt->form->memory();
	result.total = sim_total();
	result.events = sim_events();
	sim_end();
	free(allowed);
	free(lowest);
	free(is_low);
	return result;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader that looks at a set which others write
 *
 * Every CPU writes its own place again before each scan, so that all lines of the
 * set are dirty at their writers, or goes on writing during the scans.  Each
 * reader scans twice; the first time brings it the tables that nobody writes, and
 * does not count.
 */
#include "scan.h"

#define READERS		8
#define ROUND		(4 * MS)

static const struct scan *conf;
static struct scan_result result;
static unsigned int cpus;

/* Of the scan under way; there is one at a time. */
static unsigned int found, found_near;

static bool in_set(unsigned int cpu)
{
	return conf->every && machine_place(conf->machine, cpu).core % conf->every == 0;
}

static bool visit(unsigned int cpu)
{
	found++;
	found_near += machine_place(conf->machine, cpu).llc ==
		      machine_place(conf->machine, sim_cpu()).llc;
	return found != conf->first;
}

static void scan_once(unsigned int cpu, bool counts)
{
	u64 time = sim_now(), far = sim_far(cpu), sum = 0;
	struct counts *c = sim_counts(cpu);
	unsigned int d;

	for (d = DIST_LLC; d < NR_DIST; d++)
		sum -= c->fetched[d];
	found = 0;
	found_near = 0;

	switch (conf->kind) {
	case SCAN_WALK:
		conf->form->walk(cpu, visit);
		break;
	case SCAN_NUMBERS:
		sbm_form_walk_numbers(cpu, visit);
		break;
	case SCAN_EMPTY:
		conf->form->empty();
		break;
	}
	if (!counts)
		return;

	for (d = DIST_LLC; d < NR_DIST; d++)
		sum += c->fetched[d];
	result.ps += (double)(sim_now() - time) / READERS;
	result.fetched += (double)sum / READERS;
	result.far += (double)(sim_far(cpu) - far) / READERS;
	result.visited += (double)found / READERS;
	result.near += (double)found_near / READERS;
	if (result.most < sum)
		result.most = sum;
}

static void write_once(unsigned int cpu)
{
	conf->form->set(cpu);
	sim_fence();
	if (!in_set(cpu))
		conf->form->clear(cpu);
	sim_fence();
}

/* The reader of @round; spread over the machine. */
static unsigned int reader_of(unsigned int round)
{
	return round * cpus / READERS + (round * 5 + 3) % (cpus / READERS);
}

static void cpu_main(unsigned int cpu)
{
	unsigned int round, half;
	u64 begin;

	for (round = 0; round < READERS; round++) {
		for (half = 0; half < 2; half++) {
			begin = (2 * round + half) * ROUND + sim_random() % MS;
			sim_sleep(begin);
			write_once(cpu);
			if (cpu == reader_of(round)) {
				sim_sleep((2 * round + half) * ROUND + 2 * MS);
				scan_once(cpu, half);
				continue;
			}
			while (conf->churn &&
			       sim_now() < (2 * round + half) * ROUND + 3 * MS) {
				sim_sleep(sim_now() + conf->churn / 2 +
					  sim_random() % conf->churn);
				write_once(cpu);
			}
		}
	}
}

struct scan_result scan_run(const struct scan *s)
{
	unsigned int i;

	conf = s;
	result = (struct scan_result){ 0 };
	cpus = machine_cpus(s->machine);
	sim_begin(s->machine, s->seed);
	s->form->make(s->limit);
	for (i = 0; i < cpus; i++)
		sim_start(i, cpu_main);
	sim_run();
	sim_end();
	return result;
}

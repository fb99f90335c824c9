// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that set and clear themselves, and do nothing else
 *
 * This is the published experiment: two threads of each CPU yield to each other,
 * one sets the CPU and the other clears it.  A yield is some time for itself and
 * then a full barrier, as a switch takes locks; neither is measured.  CPUs go
 * on until each has done its operations, so that none is measured alone.
 */
#include "writers.h"

#define WARM_UP		4
#define SETTLE		6
#define POLL		(50 * US)

static const struct writers *conf;
static struct writers_result result;
static unsigned int warm, settled, finished, cpus;
static u64 begin;

static void switch_away(void)
{
	if (conf->no_yield)
		return;
	if (conf->think)
		sim_delay(conf->think / 2 + sim_random() % conf->think);
	sim_fence();
}

static void operate(unsigned int cpu, bool set)
{
	if (set)
		conf->form->set(cpu);
	else
		conf->form->clear(cpu);
	if (conf->barrier == BARRIER_ALL || (conf->barrier == BARRIER_SET && set))
		form_barrier(conf->form);
}

static void writer(unsigned int cpu)
{
	unsigned int i;
	bool set = true;
	u64 start, time;

	sim_delay(sim_random() % (US / 2));
	for (i = 0; i < WARM_UP; i++) {
		operate(cpu, i % 2 == 0);
		switch_away();
	}

	/*
	 * All go on together, so that who comes first does not depend on how long
	 * the tables took to reach all CPUs.  Without pauses, the order stays.
	 */
	if (++warm == cpus)
		begin = sim_now() + 2 * POLL;
	while (warm < cpus)
		sim_sleep(sim_now() + POLL);
	sim_sleep(begin + sim_random() % US);
	for (i = 0; i < SETTLE; i++) {
		operate(cpu, i % 2 == 0);
		switch_away();
	}
	if (++settled == cpus)
		sim_clear_counts();

	for (i = 0; finished < cpus; switch_away()) {
		start = sim_now();
		operate(cpu, set);
		time = sim_now() - start;
		set = !set;

		/* As many of each CPU, also of one that gets its turn more often. */
		if (i == conf->ops)
			continue;
		result.op += time;
		result.done++;
		if (result.worst < time)
			result.worst = time;
		if (++i == conf->ops && ++finished == cpus)
			sim_stop();
	}
}

struct writers_result writers_run(const struct writers *w)
{
	unsigned int i;

	conf = w;
	result = (struct writers_result){ 0 };
	warm = 0;
	settled = 0;
	finished = 0;
	cpus = machine_cpus(w->machine);

	sim_begin(w->machine, w->seed);
	w->form->make(w->limit);
	for (i = 0; i < cpus; i++)
		sim_start(i, writer);
	sim_run();

	result.total = sim_total();
	result.op /= result.done;
	result.cycles = sim_elapsed() * w->machine->mhz / (1000 * NS);
	sim_end();
	return result;
}

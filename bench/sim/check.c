// SPDX-License-Identifier: GPL-2.0-only
/*
 * Self-check of the simulator
 *
 * Small programs on a machine with round latencies, each step with the time and the
 * value that it must have, by the rules in line.c and cpu.c.  Then the same with a
 * fault planted in the model, or in a form of cpupri.c, one after the other: each must
 * make a test fail.
 *
 * usage: check [-d]
 *
 *   -d   print only a digest of some runs, to compare builds with
 *
 * Prints a line for each test that fails and for each fault, then how many there
 * were.  Exit status 1: a test has failed, or a fault has not been noticed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forms.h"
#include "nohz.h"
#include "rt.h"
#include "sim.h"
#include "writers.h"

/* 2 sockets of 2 LLCs of 2 cores of 2 threads; CPU numbers in this order. */
static const struct machine plain = {
	.name = "plain", .sockets = 2, .llcs = 2, .cores = 2, .smt = 2,
	.line = 64, .mhz = 1000, .protocol = MOESI,
	.lat = { 1 * NS, 20 * NS, 100 * NS, 300 * NS, 150 * NS },
	.locked = 5 * NS, .sibling = 7 * NS, .store = 1 * NS, .fence = 3 * NS,
	.port = 2 * NS, .stores = 4, .locked_orders = 1, .handoff = 100, .near = 0,
};

/* CPUs by where they are, seen from CPU 0. */
enum { ME = 0, SIBLING = 1, CORE = 2, CORE_SIBLING = 3, NODE = 4, NODE_CORE = 6,
       SOCKET = 8, SOCKET_CORE = 10 };

static bool loud;
static unsigned int failures;
static const char *test_name;

static void fail(const char *format, ...) __attribute__((__format__(printf, 1, 2)));

static void fail(const char *format, ...)
{
	va_list args;

	failures++;
	if (!loud)
		return;
	printf("FAILED %s: ", test_name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* Programs */

enum op { LOAD, STORE, ADD, FENCE };

/* The lines that they use. */
enum { A, B, NR_LINES };

#define ANY		-1

/**
 * struct step - what a CPU does at a time
 * @at: when, in ns
 * @cpu: who; its steps are in order, one may begin late
 * @op: what
 * @line: which line
 * @offset: at which byte of it
 * @size: how many bytes, 8 if 0
 * @arg: what is stored or added
 * @time: how long it must take, in ns, or ANY
 * @value: what a load or an addition must find, or ANY
 */
struct step {
	unsigned int	at;
	unsigned int	cpu;
	enum op		op;
	unsigned int	line;
	unsigned int	offset;
	unsigned int	size;
	unsigned int	arg;
	int		time;
	int		value;
};

static const struct step *steps;
static size_t nr_steps;
static u8 *memory;

static void do_step(size_t i)
{
	const struct step *s = &steps[i];
	u8 *p = memory + s->line * 64 + s->offset;
	unsigned int size = s->size ? s->size : 8;
	u64 start, time, value = 0;

	sim_sleep(s->at * NS);
	start = sim_now();
	switch (s->op) {
	case LOAD:
		value = sim_load(p, size);
		break;
	case STORE:
		sim_store(p, s->arg, size);
		break;
	case ADD:
		value = sim_locked(p, RMW_ADD, s->arg, size);
		break;
	case FENCE:
		sim_fence();
		break;
	}
	time = (sim_now() - start) / NS;

	if (s->time != ANY && time != (u64)s->time)
		fail("step %zu takes %llu ns, not %d", i, (unsigned long long)time, s->time);
	if (s->value != ANY && value != (u64)s->value)
		fail("step %zu finds %llu, not %d", i, (unsigned long long)value, s->value);
}

static void program(unsigned int cpu)
{
	size_t i;

	for (i = 0; i < nr_steps; i++) {
		if (steps[i].cpu == cpu)
			do_step(i);
	}
}

static void run_steps(const struct machine *m, const struct step *s, size_t nr)
{
	unsigned int cpu;

	steps = s;
	nr_steps = nr;
	sim_begin(m, 1);
	memory = sim_alloc(NR_LINES * 64, 64);
	for (cpu = 0; cpu < machine_cpus(m); cpu++)
		sim_start(cpu, program);
	sim_run();
	if (sim_total().stale)
		fail("a core used a copy that another has written to");
	sim_end();
}

#define RUN(m, ...)							\
	do {								\
		static const struct step list[] = { __VA_ARGS__ };	\
									\
		run_steps(m, list, ARRAY_SIZE(list));	\
	} while (0)

/* Tests */

static void test_own_cache(void)
{
	RUN(&plain,
	    { 0, ME, LOAD, A, 0, 0, 0, 150, 0 },
	    { 1000, ME, LOAD, A, 0, 0, 0, 1, 0 },
	    { 2000, ME, LOAD, A, 8, 0, 0, 1, 0 },
	    { 3000, SIBLING, LOAD, A, 0, 0, 0, 1, 0 },
	    { 4000, ME, LOAD, B, 0, 0, 0, 150, 0 });
}

static void test_distances(void)
{
	static const unsigned int from[] = { SIBLING, CORE, NODE, SOCKET };
	static const int time[] = { 1, 20, 100, 300 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct step list[] = {
			{ 0, ME, STORE, A, 0, 0, 7, 1, ANY },
			{ 0, ME, FENCE, A, 0, 0, 0, ANY, ANY },
			{ 1000, from[i], LOAD, A, 0, 0, 0, time[i], 7 },
			{ 2000, from[i], LOAD, A, 0, 0, 0, 1, 7 },
		};

		run_steps(&plain, list, 4);
	}
}

static void test_write_distances(void)
{
	static const unsigned int from[] = { CORE, NODE, SOCKET };
	static const int time[] = { 20, 100, 300 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct step list[] = {
			{ 0, ME, ADD, A, 0, 0, 1, 150, 0 },
			{ 1000, from[i], ADD, A, 0, 0, 1, time[i], 1 },
			{ 2000, ME, ADD, A, 0, 0, 1, time[i], 2 },
			{ 3000, from[i], STORE, A, 0, 0, 9, 1, ANY },
			{ 3000, from[i], FENCE, A, 0, 0, 0, time[i] - 1 + 3, ANY },
			{ 4000, ME, LOAD, A, 0, 0, 0, time[i], 9 },
		};

		run_steps(&plain, list, 6);
	}
}

static void test_locked_in_cache(void)
{
	RUN(&plain,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, ME, ADD, A, 0, 0, 1, 5, 1 },
	    { 2000, SIBLING, ADD, A, 0, 0, 1, 7, 2 },
	    { 3000, SIBLING, ADD, A, 0, 0, 1, 5, 3 });
}

/* All copies must go, the farthest decides, and all must come again. */
static void test_invalidate(void)
{
	RUN(&plain,
	    { 0, ME, LOAD, A, 0, 0, 0, 150, 0 },
	    { 1000, CORE, LOAD, A, 0, 0, 0, 20, 0 },
	    { 2000, SOCKET, LOAD, A, 0, 0, 0, ANY, 0 },
	    { 3000, NODE, LOAD, A, 0, 0, 0, ANY, 0 },
	    { 4000, ME, ADD, A, 0, 0, 5, 300, 0 },
	    { 5000, CORE, LOAD, A, 0, 0, 0, 20, 5 },
	    { 6000, SOCKET, LOAD, A, 0, 0, 0, 300, 5 },
	    { 7000, NODE, LOAD, A, 0, 0, 0, 100, 5 },
	    { 8000, CORE, LOAD, A, 0, 0, 0, 1, 5 });
}

static void test_writers_queue(void)
{
	struct machine half = plain;

	RUN(&plain,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, CORE, ADD, A, 0, 0, 1, 20, 1 },
	    { 1000, NODE, ADD, A, 0, 0, 1, 20 + 100, 2 },
	    { 1000, SOCKET, ADD, A, 0, 0, 1, 20 + 100 + 300, 3 },
	    { 1000, SOCKET_CORE, ADD, A, 0, 0, 1, 20 + 100 + 300 + 20, 4 });

	/* Other lines are not concerned. */
	RUN(&plain,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 0, ME, ADD, B, 0, 0, 1, 150, 0 },
	    { 1000, CORE, ADD, A, 0, 0, 1, 20, 1 },
	    { 1000, NODE, ADD, B, 0, 0, 1, 100, 1 });

	half.handoff = 50;
	RUN(&half,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, CORE, ADD, A, 0, 0, 1, 20, 1 },
	    { 1000, NODE, ADD, A, 0, 0, 1, 20 + 50, 2 });
}

/* The core next to the one that has the line may overtake, but only once. */
static void test_near_first(void)
{
	struct machine near = plain;

	near.near = 1;
	RUN(&near,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, NODE, ADD, A, 0, 0, 1, 100, 1 },
	    { 1001, CORE, ADD, A, 0, 0, 1, 99 + 20 + 100, 3 },
	    { 1002, NODE_CORE, ADD, A, 0, 0, 1, 98 + 20, 2 },
	    { 1003, NODE_CORE + 1, ADD, A, 0, 0, 1, 97 + 20 + 100 + 100, 4 });
}

static void test_readers_overlap(void)
{
	/* The first takes the line from its owner, the others come behind it. */
	RUN(&plain,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, SOCKET, LOAD, A, 0, 0, 0, 300, 1 },
	    { 1001, NODE, LOAD, A, 0, 0, 0, 299 + 100, 1 },
	    { 1002, NODE_CORE, LOAD, A, 0, 0, 0, 298 + 2 + 100, 1 },
	    { 1003, SOCKET_CORE, LOAD, A, 0, 0, 0, 297 + 4 + 20, 1 });

	/* A writer waits for loads that are under way. */
	RUN(&plain,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, CORE, LOAD, A, 0, 0, 0, 20, 1 },
	    { 2000, NODE, LOAD, A, 0, 0, 0, 100, 1 },
	    { 2001, SOCKET, LOAD, A, 0, 0, 0, 1 + 300, 1 },
	    { 2003, ME, ADD, A, 0, 0, 1, 299 + 300, 1 });
}

/* After a read, MESI has the line clean, and memory supplies it. */
static void test_protocols(void)
{
	struct machine mesi = plain;

	mesi.protocol = MESI;
	RUN(&mesi,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, NODE, LOAD, A, 0, 0, 0, 100, 1 },
	    { 2000, SOCKET, LOAD, A, 0, 0, 0, 150, 1 },
	    { 3000, SOCKET_CORE, LOAD, A, 0, 0, 0, 20, 1 });
	RUN(&plain,
	    { 0, ME, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, NODE, LOAD, A, 0, 0, 0, 100, 1 },
	    { 2000, SOCKET, LOAD, A, 0, 0, 0, 300, 1 },
	    { 3000, SOCKET_CORE, LOAD, A, 0, 0, 0, 20, 1 });
}

static void test_store_buffer(void)
{
	/* A store does not wait for its line, a load sees it, a fence waits. */
	RUN(&plain,
	    { 0, SOCKET, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, ME, STORE, A, 0, 0, 5, 1, ANY },
	    { 1000, ME, LOAD, A, 0, 0, 0, 1, 5 },
	    { 1000, ME, FENCE, A, 0, 0, 0, 298 + 3, ANY },
	    { 2000, ME, FENCE, A, 0, 0, 0, 3, ANY },
	    { 3000, SOCKET, LOAD, A, 0, 0, 0, 300, 5 });

	/* So does a locked operation, on x86. */
	RUN(&plain,
	    { 0, SOCKET, ADD, A, 0, 0, 1, 150, 0 },
	    { 0, ME, ADD, B, 0, 0, 1, 150, 0 },
	    { 1000, ME, STORE, A, 0, 0, 5, 1, ANY },
	    { 1000, ME, ADD, B, 0, 0, 1, 299 + 5, 1 });

	/* A load of more than was stored waits until it is in the cache. */
	RUN(&plain,
	    { 0, SOCKET, ADD, A, 0, 0, 0x100, 150, 0 },
	    { 1000, ME, STORE, A, 0, 1, 5, 1, ANY },
	    { 1000, ME, LOAD, A, 1, 1, 0, ANY, 1 },
	    { 2000, ME, LOAD, A, 0, 0, 0, 1, 0x105 });
	RUN(&plain,
	    { 0, SOCKET, ADD, A, 0, 0, 0x100, 150, 0 },
	    { 1000, ME, STORE, A, 0, 1, 5, 1, ANY },
	    { 1000, ME, LOAD, A, 0, 0, 0, 299 + 1, 0x105 });
}

/* Others see stores in their order, and late. */
static void test_store_order(void)
{
	RUN(&plain,
	    { 0, SOCKET, ADD, A, 0, 0, 1, 150, 0 },
	    { 0, ME, ADD, B, 0, 0, 1, 150, 0 },
	    { 1000, ME, STORE, A, 0, 0, 5, 1, ANY },
	    { 1000, ME, STORE, B, 0, 0, 6, 1, ANY },
	    { 1100, SIBLING, LOAD, B, 0, 0, 0, 1, 1 },
	    { 1400, SIBLING, LOAD, B, 0, 0, 0, 1, 6 });
}

static void test_store_buffer_full(void)
{
	RUN(&plain,
	    { 0, SOCKET, ADD, A, 0, 0, 1, 150, 0 },
	    { 1000, ME, STORE, A, 0, 0, 1, 1, ANY },
	    { 1000, ME, STORE, A, 8, 0, 2, 1, ANY },
	    { 1000, ME, STORE, A, 16, 0, 3, 1, ANY },
	    { 1000, ME, STORE, A, 24, 0, 4, 1, ANY },
	    { 1000, ME, STORE, A, 32, 0, 5, 296 + 1, ANY },
	    { 2000, SOCKET, LOAD, A, 24, 0, 0, 300, 4 },
	    { 2000, SOCKET, LOAD, A, 32, 0, 0, 1, 5 });
}

/* CPUs that all do the same */

#define ROUNDS		200

static u64 *shared;
static unsigned int outcome[2][2];
static u64 seen[2];
static bool fenced;

static void add_many(unsigned int cpu)
{
	unsigned int i;

	(void)cpu;
	for (i = 0; i < ROUNDS; i++) {
		sim_locked(shared, RMW_ADD, 1, 8);
		sim_delay(sim_random() % (200 * NS));
	}
}

static void store_many(unsigned int cpu)
{
	unsigned int i;
	u64 *mine = shared + 1 + cpu % 7;

	for (i = 1; i <= ROUNDS; i++) {
		if (cpu < 7)
			sim_store(mine, i, 8);
		sim_delay(sim_random() % (200 * NS));
	}
	sim_fence();
}

static void test_nothing_lost(void)
{
	unsigned int cpu, i;

	sim_begin(&plain, 1);
	shared = sim_alloc(64, 64);
	for (cpu = 0; cpu < machine_cpus(&plain); cpu++)
		sim_start(cpu, add_many);
	sim_run();
	if (sim_load(shared, 8) != ROUNDS * machine_cpus(&plain))
		fail("%llu additions, not %u", (unsigned long long)sim_load(shared, 8),
		     ROUNDS * machine_cpus(&plain));
	if (sim_total().stale)
		fail("a core used a copy that another has written to");
	sim_end();

	sim_begin(&plain, 1);
	shared = sim_alloc(64, 64);
	for (cpu = 0; cpu < machine_cpus(&plain); cpu++)
		sim_start(cpu, store_many);
	sim_run();
	for (i = 0; i < 7; i++) {
		if (sim_load(shared + 1 + i, 8) != ROUNDS)
			fail("the last store of CPU %u is not there", i);
	}
	sim_end();
}

/*
 * Two CPUs store each to a line, and load the other's.  A store before that to a
 * line that is not in a cache keeps the first one in the buffer for a while.
 */
static void cross(unsigned int cpu)
{
	unsigned int me = cpu == SOCKET;

	sim_sleep(US + sim_random() % (20 * NS));
	sim_store(shared + 16 + me * 8, 1, 8);
	sim_store(shared + me * 8, 1, 8);
	if (fenced)
		sim_fence();
	seen[me] = sim_load(shared + !me * 8, 8);
}

static void warm(unsigned int cpu)
{
	sim_load(shared, 8);
	sim_load(shared + 8, 8);
	cross(cpu);
}

static void cross_many(bool with_fence)
{
	u64 seed;

	fenced = with_fence;
	memset(outcome, 0, sizeof(outcome));
	for (seed = 1; seed <= ROUNDS; seed++) {
		sim_begin(&plain, seed);
		shared = sim_alloc(256, 64);
		sim_start(ME, warm);
		sim_start(SOCKET, warm);
		sim_run();
		outcome[seen[0]][seen[1]]++;
		sim_end();
	}
}

static void test_fences_order(void)
{
	cross_many(true);
	if (outcome[0][0])
		fail("neither CPU sees the other's store, with fences");
	cross_many(false);
	if (!outcome[0][0])
		fail("without fences one always sees the other's store");
}

static u64 woken_at, slept_until;

static void sleeper(unsigned int cpu)
{
	(void)cpu;
	if (!sim_sleep(10 * US))
		fail("not woken");
	woken_at = sim_now();
	if (sim_sleep(30 * US))
		fail("woken twice");
	slept_until = sim_now();
}

static void waker(unsigned int cpu)
{
	(void)cpu;
	sim_sleep(5 * US);
	sim_wake(ME);
	sim_sleep(40 * US);
	sim_wake(ME);
}

static void test_sleep(void)
{
	sim_begin(&plain, 1);
	sim_start(ME, sleeper);
	sim_start(SOCKET, waker);
	sim_run();
	sim_end();
	if (woken_at != 5 * US || slept_until != 30 * US)
		fail("sleeps end at %llu and %llu ns", (unsigned long long)(woken_at / NS),
		     (unsigned long long)(slept_until / NS));
}

/* Forms */

static const struct form *const forms[] = {
	&form_global, &form_numa, &form_llc, &form_bytes, &form_none, &form_sbm,
	&form_summary,
};

#define NR_FORMS	ARRAY_SIZE(forms)
#define MAX_CPUS	512

static const struct form *form;
static u8 expected[MAX_CPUS], got[MAX_CPUS];
static unsigned int order[MAX_CPUS], nr_found;

static bool collect(unsigned int cpu)
{
	got[cpu]++;
	order[nr_found++] = cpu;
	return true;
}

static void set_some(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		form->set(cpu);
		sim_fence();
		if (sim_random() % 2)
			form->clear(cpu);
		sim_fence();
		expected[cpu] = form->test(cpu);
		sim_delay(sim_random() % (300 * NS));
	}
	form->set(cpu);
	if (cpu % 3)
		form->clear(cpu);
	expected[cpu] = cpu % 3 == 0;
	sim_fence();

	if (cpu != 5)
		return;
	sim_sleep(MS);
	if (form->empty())
		fail("%s: empty", form->name);
	form->walk(cpu, collect);
}

static void test_forms(void)
{
	const struct machine *m = &plain;
	struct machine wide = plain;
	unsigned int i, cpu, shape;

	wide.cores = 60;
	wide.split_smt = 1;
	for (i = 0; i < NR_FORMS; i++) {
		for (shape = 0; shape < 2; shape++) {
			m = shape ? &wide : &plain;
			form = forms[i];
			memset(got, 0, sizeof(got));
			nr_found = 0;
			sim_begin(m, 1);
			form->make(0);
			for (cpu = 0; cpu < machine_cpus(m); cpu++)
				sim_start(cpu, set_some);
			sim_run();
			if (sim_total().stale)
				fail("%s: stale copies", form->name);
			sim_end();
			for (cpu = 0; cpu < machine_cpus(m); cpu++) {
				if (got[cpu] != expected[cpu])
					fail("%s: CPU %u found %u times", form->name, cpu,
					     got[cpu]);
			}
		}
	}
}

static void set_and_walk(unsigned int cpu)
{
	form->set(cpu);
	sim_fence();
	sim_sleep(MS);
	if (cpu == 5)
		form->walk(cpu, collect);
}

/* sbm: own leaf first, this CPU last; and no walk sees a line twice. */
static void test_walk_order(void)
{
	struct machine m = plain;
	unsigned int cpu, i, llc;
	u64 fetched;

	m.cores = 8;
	m.split_smt = 1;
	form = &form_sbm;
	nr_found = 0;
	sim_begin(&m, 1);
	form->make(0);
	for (cpu = 0; cpu < machine_cpus(&m); cpu++)
		sim_start(cpu, set_and_walk);
	sim_run();
	fetched = sim_counts(5)->fetched[DIST_LLC] + sim_far(5);
	sim_end();

	if (nr_found != machine_cpus(&m) || order[nr_found - 1] != 5)
		fail("sbm: %u CPUs, the last one %u", nr_found, order[nr_found - 1]);
	llc = machine_llc_cpus(&m);
	for (i = 0; i < llc - 1; i++) {
		if (machine_place(&m, order[i]).llc != machine_place(&m, 5).llc)
			fail("sbm: CPU %u is number %u", order[i], i);
	}
	/* Leaves, and what the CPU has not had of the tables. */
	if (fetched > machine_llcs(&m) + 10)
		fail("sbm: a walk over %u leaves takes %llu lines", machine_llcs(&m),
		     (unsigned long long)fetched);
}

/* Levels of CPUs */

static const struct cpupri_form *const cpupris[] = {
	&cpupri_masks, &cpupri_apart, &cpupri_bytes, &cpupri_first,
};

#define NR_CPUPRIS	ARRAY_SIZE(cpupris)

/* How the levels are dealt out. */
enum deal { DEAL_ANY, DEAL_NO_NORMAL, DEAL_FAR_NORMAL, DEAL_ALL_NORMAL, DEAL_NOBODY, NR_DEALS };

/* Whom a task may be sent to. */
enum who { WHO_ALL, WHO_LLC, WHO_ODD, WHO_TWO, NR_WHO };

static const int below[] = { 1, 7, 50, 99 };

#define NR_TASKS	(NR_WHO * ARRAY_SIZE(below))

static const struct cpupri_form *cpupri;
static enum deal deal;
static unsigned long *allowed[NR_WHO];
static unsigned int nr_allowed[NR_WHO];
static int levels[MAX_CPUS], answers[NR_CPUPRIS][NR_TASKS];
static size_t which;

/* Who looks, not in the first leaf, and a CPU beside it that goes offline. */
static unsigned int asker, inactive;

static bool in_llc(unsigned int cpu)
{
	return machine_place(sim_machine(), cpu).llc == machine_place(sim_machine(), asker).llc;
}

static int dealt(unsigned int cpu)
{
	unsigned int x = (cpu * 2654435761U) >> 8;

	switch (deal) {
	case DEAL_ANY:
		return (int)(x % (NR_LEVELS + 1)) - 1;
	case DEAL_NO_NORMAL:
		return 5 + x % 60;
	case DEAL_FAR_NORMAL:
		return in_llc(cpu) ? 3 + x % 5 : x % 2 * 40;
	case DEAL_ALL_NORMAL:
		return LEVEL_NORMAL;
	default:
		return x % 2 ? LEVEL_INVALID : LEVEL_HIGHER;
	}
}

static void make_tasks(void)
{
	unsigned int cpus = machine_cpus(sim_machine()), cpu, w;
	bool in;

	for (w = 0; w < NR_WHO; w++) {
		allowed[w] = sim_alloc(MAX_CPUS / 8, 128);
		nr_allowed[w] = 0;
		for (cpu = 0; cpu < cpus; cpu++) {
			in = w == WHO_ALL || (w == WHO_LLC && in_llc(cpu)) ||
			     (w == WHO_ODD && cpu % 2) ||
			     (w == WHO_TWO && (cpu == 1 || cpu == cpus - 1));
			allowed[w][cpu / 64] |= (unsigned long)in << cpu % 64;
			nr_allowed[w] += in;
		}
	}
}

/* What find() says of a task that may go to @w, against the levels themselves. */
static int ask(unsigned int w, int level)
{
	struct rt_task task = {
		.cpu = asker, .level = level, .allowed = allowed[w], .nr_allowed = nr_allowed[w],
	};
	unsigned int cpus = machine_cpus(sim_machine()), cpu, nr = 0, of = 0;
	unsigned long lowest[MAX_CPUS / 64];
	int low = level, got_level;
	bool near = true;

	for (cpu = 0; cpu < cpus; cpu++) {
		if (is_lowest(allowed[w], cpu) && levels[cpu] >= 0 && levels[cpu] < low)
			low = levels[cpu];
	}
	got_level = cpupri->find(&task, lowest);
	if (got_level != (low < level ? low : -1)) {
		fail("%s: level %d, not %d, below %d of set %u", cpupri->name, got_level, low,
		     level, w);
		return got_level;
	}
	if (got_level < 0)
		return got_level;

	for (cpu = 0; cpu < cpus; cpu++) {
		of += is_lowest(allowed[w], cpu) && levels[cpu] == low;
		if (!is_lowest(lowest, cpu))
			continue;
		nr++;
		near &= in_llc(cpu);
		if (!is_lowest(allowed[w], cpu) || levels[cpu] != low)
			fail("%s: CPU %u of level %d, not %d", cpupri->name, cpu, levels[cpu], low);
	}
	/* All, but of normal ones those of a leaf will do. */
	if (!nr || (nr < of && (cpupri == &cpupri_masks || cpupri == &cpupri_apart ||
				low != LEVEL_NORMAL || (cpupri == &cpupri_bytes && !near))))
		fail("%s: %u CPUs of %u at level %d", cpupri->name, nr, of, low);
	return got_level;
}

static void set_levels(unsigned int cpu)
{
	unsigned int i;
	u64 start;

	for (i = 0; i < 4; i++) {
		cpupri->set(cpu, (int)(sim_random() % (NR_LEVELS + 1)) - 1, i % 2);
		sim_delay(sim_random() % (300 * NS));
	}
	cpupri->set(cpu, dealt(cpu), true);
	levels[cpu] = cpu == inactive ? LEVEL_INVALID : dealt(cpu);
	sim_fence();
	sim_sleep(10 * MS);
	if (cpu != asker)
		return;
	for (i = 0; i < NR_TASKS; i++)
		answers[which][i] = ask(i % NR_WHO, below[i / NR_WHO]);

	/* With nobody at a level, the masks' search is a look at its count. */
	start = sim_now();
	ask(WHO_ALL, 99);
	if (deal == DEAL_NOBODY && which < 2 && sim_now() - start != 99 * NS)
		fail("%s: %llu ns for 99 levels without a CPU", cpupri->name,
		     (unsigned long long)((sim_now() - start) / NS));
}

/* When nobody writes: the lowest level, its CPUs, and the same from all forms. */
static void test_lowest_level(void)
{
	struct machine wide = plain;
	unsigned int cpu, i, w;
	const struct machine *m;

	wide.cores = 40;
	wide.split_smt = 1;
	for (w = 0; w < 2; w++) {
		m = w ? &wide : &plain;
		asker = machine_cpus(m) - 3;
		inactive = asker - 1;
		for (deal = 0; deal < NR_DEALS; deal++) {
			for (which = 0; which < NR_CPUPRIS; which++) {
				cpupri = cpupris[which];
				sim_begin(m, 1);
				cpupri->make();
				cpupri_deactivate(inactive);
				make_tasks();
				for (cpu = 0; cpu < machine_cpus(m); cpu++)
					sim_start(cpu, set_levels);
				sim_run();
				if (sim_total().stale)
					fail("%s: stale copies", cpupri->name);
				sim_end();
			}
			for (which = 1; which < NR_CPUPRIS; which++) {
				for (i = 0; i < NR_TASKS; i++) {
					if (answers[which][i] != answers[0][i])
						fail("%s and %s: levels %d and %d",
						     cpupris[which]->name, cpupris[0]->name,
						     answers[which][i], answers[0][i]);
				}
			}
		}
	}
}

/* A CPU that changes while another looks */

#define FINDER		16	/* on the other socket of @larger */
#define SEEDS		40

static const struct cpupri_form *const both[] = { &cpupri_masks, &cpupri_bytes };

static struct machine larger;
static int level_from, level_to, level_found;
static u64 overload_seen;

static int find_any(unsigned int cpu)
{
	struct rt_task task = {
		.cpu = cpu, .level = 50, .allowed = allowed[WHO_ALL],
		.nr_allowed = nr_allowed[WHO_ALL],
	};
	unsigned long lowest[MAX_CPUS / 64];

	return cpupri->find(&task, lowest);
}

/* All are high but CPU 0. */
static void begin_levels(u64 seed)
{
	unsigned int cpu;

	sim_begin(&larger, seed);
	cpupri->make();
	make_tasks();
	shared = sim_alloc(3 * 64, 64);
	for (cpu = 0; cpu < machine_cpus(&larger); cpu++)
		cpupri->set(cpu, cpu == ME ? level_from : LEVEL_HIGHER, false);
}

static void changer(unsigned int cpu)
{
	sim_sleep(20 * US + sim_random() % (3 * US));
	cpupri->set(cpu, level_to, level_to < level_from);
}

/* It has none of the lines, so that it takes long from level to level. */
static void finder(unsigned int cpu)
{
	sim_sleep(20 * US + sim_random() % (3 * US));
	level_found = find_any(cpu);
}

/* How often a CPU that goes from one level to another is not found at either. */
static unsigned int missed(int from, int to)
{
	unsigned int nr = 0;
	u64 seed;

	level_from = from;
	level_to = to;
	for (seed = 1; seed <= SEEDS; seed++) {
		begin_levels(seed);
		sim_start(ME, changer);
		sim_start(FINDER, finder);
		sim_run();
		sim_end();
		nr += level_found != from && level_found != to;
	}
	return nr;
}

static void test_none_missed(void)
{
	unsigned int i;
	bool masks;

	larger = plain;
	larger.cores = 4;
	for (i = 0; i < ARRAY_SIZE(both); i++) {
		cpupri = both[i];
		masks = cpupri == &cpupri_masks;
		if (missed(0, 5))
			fail("%s: a CPU that rises is not found", cpupri->name);
		/* The masks rely on its looking for tasks to pull. */
		if (!!missed(45, 0) != masks)
			fail("%s: a CPU that lowers is %sfound", cpupri->name,
			     masks ? "always " : "not ");
	}
}

/* Two stores to lines that the pusher has keep the next one in the buffer. */
static void puller(unsigned int cpu)
{
	sim_load(shared, 8);
	find_any(cpu);
	sim_sleep(20 * US + sim_random() % (2 * US));
	sim_store(shared + 8, 1, 8);
	sim_store(shared + 16, 1, 8);
	cpupri->set(cpu, level_to, true);
	overload_seen = sim_load(shared, 8);
}

static void pusher(unsigned int cpu)
{
	find_any(cpu);
	sim_store(shared + 8, 1, 8);
	sim_store(shared + 16, 1, 8);
	sim_sleep(20 * US + sim_random() % (2 * US));
	sim_locked(shared, RMW_ADD, 1, 8);
	level_found = find_any(cpu);
}

/* One CPU lowers and looks for overload, one is overloaded and looks for a CPU. */
static void test_push_or_pull(void)
{
	unsigned int i;
	u64 seed;

	larger = plain;
	larger.cores = 4;
	level_from = 60;
	level_to = LEVEL_NORMAL;
	for (i = 0; i < ARRAY_SIZE(both); i++) {
		cpupri = both[i];
		for (seed = 1; seed <= SEEDS; seed++) {
			begin_levels(seed);
			sim_start(ME, puller);
			sim_start(FINDER, pusher);
			sim_run();
			sim_end();
			if (level_found != level_to && !overload_seen) {
				fail("%s: neither pushed nor pulled, seed %llu", cpupri->name,
				     (unsigned long long)seed);
				break;
			}
		}
	}
}

/* Runs as a whole */

static u64 mix(u64 hash, u64 x)
{
	return (hash ^ x) * 0x100000001b3ULL;
}

static u64 digest(u64 seed)
{
	struct machine m = plain;
	u64 hash = 0xcbf29ce484222325ULL;
	struct writers_result w;
	struct nohz_result n;
	struct rt_result r;
	unsigned int i, k;

	m.llcs = 4;
	for (i = 0; i < NR_FORMS; i++) {
		struct writers writers = {
			.machine = &m, .form = forms[i], .barrier = BARRIER_SET,
			.think = 100 * NS, .ops = 20, .seed = seed,
		};
		struct nohz nohz = {
			.machine = &m, .form = forms[i], .flags = FLAGS_APART,
			.busy = MS, .idle = MS, .idlers = 1, .ticks = 3, .seed = seed,
		};

		w = writers_run(&writers);
		hash = mix(hash, (u64)(w.op * w.done + 0.5));
		hash = mix(hash, w.cycles);
		n = nohz_run(&nohz);
		for (k = 0; k < NR_ACTS; k++)
			hash = mix(mix(hash, n.act[k].ps), n.act[k].far);
		hash = mix(hash, n.events);
	}
	for (i = 0; i < NR_CPUPRIS; i++) {
		struct rt rt = {
			.machine = &m, .form = cpupris[i], .low = 10 * US, .high = 10 * US,
			.low_level = LEVEL_NORMAL, .high_level = 50, .nr_high = 4, .finds = 500,
			.find_level = 60, .sets = 10, .seed = seed,
		};

		r = rt_run(&rt);
		hash = mix(hash, (u64)(r.raise.ps * r.raise.nr + 0.5));
		hash = mix(hash, (u64)(r.lower.ps * r.lower.nr + 0.5));
		hash = mix(hash, (u64)(r.find.ps * r.find.nr + 0.5));
		hash = mix(mix(hash, r.find.worst), r.events);
	}
	return hash;
}

static void test_same_seed(void)
{
	if (digest(1) != digest(1))
		fail("the same seed gives another result");
	if (digest(1) == digest(2))
		fail("another seed gives the same result");
}

static const struct test {
	const char	*name;
	void		(*run)(void);
} tests[] = {
	{ "own cache", test_own_cache },
	{ "distances", test_distances },
	{ "distances of writes", test_write_distances },
	{ "locked, in the cache", test_locked_in_cache },
	{ "invalidation", test_invalidate },
	{ "writers queue", test_writers_queue },
	{ "near first", test_near_first },
	{ "readers overlap", test_readers_overlap },
	{ "MESI and MOESI", test_protocols },
	{ "store buffer", test_store_buffer },
	{ "order of stores", test_store_order },
	{ "store buffer full", test_store_buffer_full },
	{ "nothing lost", test_nothing_lost },
	{ "fences order", test_fences_order },
	{ "sleep", test_sleep },
	{ "forms", test_forms },
	{ "order of a walk", test_walk_order },
	{ "lowest level", test_lowest_level },
	{ "no CPU missed", test_none_missed },
	{ "push or pull", test_push_or_pull },
	{ "same seed", test_same_seed },
};

#define NR_TESTS	ARRAY_SIZE(tests)

static const char *const fault_names[NR_FAULTS] = {
	[FAULT_NO_INVALIDATE]	= "a write leaves the other copies",
	[FAULT_NO_QUEUE]	= "a line serves all at once",
	[FAULT_NO_FORWARD]	= "a load does not see the CPU's own stores",
	[FAULT_NO_FENCE]	= "a fence does not wait",
	[FAULT_NO_DISTANCE]	= "all lines are near",
	[FAULT_LOST_STORE]	= "a store is lost",
	[FAULT_LOCAL_LOCK]	= "a locked operation does not own its line",
	[FAULT_OLD_VALUE]	= "a locked operation returns the new value",
	[FAULT_RANDOM]		= "events depend on the real clock",
	[FAULT_EARLY_WAKE]	= "a sleep ends early",
	[FAULT_OLD_FIRST]	= "masks: the old level is left first",
	[FAULT_NO_LOWER_BARRIER] = "bytes: no barrier after lowering",
	[FAULT_OWN_LEAF]	= "bytes: other leaves are not read",
};

int main(int argc, char **argv)
{
	unsigned int passed = 0, failed = 0, missed = 0, noticed, before, f;
	size_t i;

	if (argc == 2 && !strcmp(argv[1], "-d")) {
		printf("%016llx\n", (unsigned long long)digest(1));
		return 0;
	}
	if (argc != 1) {
		fprintf(stderr, "usage: check [-d]\n");
		return 2;
	}

	loud = true;
	for (i = 0; i < NR_TESTS; i++) {
		before = failures;
		test_name = tests[i].name;
		tests[i].run();
		if (failures == before)
			passed++;
		else
			failed++;
	}

	loud = false;
	for (f = FAULT_NONE + 1; f < NR_FAULTS; f++) {
		sim_fault = f;
		noticed = 0;
		printf("fault: %s; noticed by:", fault_names[f]);
		for (i = 0; i < NR_TESTS; i++) {
			before = failures;
			tests[i].run();
			if (failures == before)
				continue;
			printf("%s %s", noticed ? "," : "", tests[i].name);
			noticed++;
		}
		printf("%s\n", noticed ? "" : " NONE");
		missed += !noticed;
	}

	printf("%u passed, %u failed; %u faults, %u not noticed\n", passed, failed,
	       NR_FAULTS - 1, missed);
	return failed || missed;
}

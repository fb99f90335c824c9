// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sbm operations cost, on one core and on two
 *
 * The library itself is compiled in, by the shim of kit/tests/user, in the form
 * of a kernel without debugging.  Times are ticks of the time-stamp counter, or
 * nanoseconds where there is none, for one operation.
 *
 * Two threads on two cores are in pair.h, which the module has too.
 *
 * One thread alone, nobody else using the lines: single operations, gathers,
 * and scans of 256 CPUs with a quarter of them in the set; the smallest and the
 * median of the trials.
 *
 * Where it is weak: two cores of one machine are one distance, and the distance
 * decides what a contended line costs.  Two hyperthreads, or two virtual CPUs
 * that the host runs on one core, share a line at no cost, so look at "word"
 * first: it should be many times "lines".  All that one core writes alone hits the
 * first-level cache; in a kernel it often will not.
 *
 * usage: sbm [-a CPU] [-b CPU] [-n OPERATIONS] [-t TRIALS] [-m MILLISECONDS] [-c]
 *
 * -n is for one core, -m how long a trial of two cores is.  -c is the self-check
 * of the forms for two cores, and nothing else.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "../../lib/sbm.c"

static unsigned int cores[2] = { 0, 1 };
static unsigned int operations = 200000;
static unsigned int trials = 25;
static unsigned int ms = 5;

#define barrier()	__asm__ __volatile__("" ::: "memory")
#define noinline	__attribute__((__noinline__))

static inline u64 pair_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Who waits for a thread that does not run lets go of the core after a while. */
static inline void pair_pause(void)
{
	static __thread unsigned int turns;

	if (++turns % 1000 == 0)
		sched_yield();
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a;
	u64 y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

#define pair_relax()	do { } while (0)
#define pair_div(a, b)	((a) / (b))
#define pair_sort(v, n)	qsort(v, n, sizeof(u64), compare_u64)
#define pair_out(...)	printf(__VA_ARGS__)

#include "pair.h"

static struct sbm one;
static unsigned long map[8192 / BITS_PER_LONG] __attribute__((__aligned__(256)));
static unsigned int sink;

/* Loops over one operation.  @me is the thread, or what the operation takes. */
#define LOOP(name, statement)						\
static void loop_##name(unsigned int me, unsigned int nr)		\
{									\
	unsigned int sum = 0;						\
									\
	while (nr--) {							\
		statement;						\
		barrier();						\
	}								\
	WRITE_ONCE(sink, sum);						\
}

LOOP(nothing, sum += me)
LOOP(set_bit, locked_set(me, map))
LOOP(set, sbm_set_cpu(me, &one))
LOOP(clear, sbm_clear_cpu(me, &one))
LOOP(test_bit, sum += test_bit(me, map))
LOOP(test, sum += sbm_test_cpu(me, &one))
LOOP(gather, sum += sbm_leaf_mask(&one, me))
LOOP(empty, sum += sbm_empty(&one))
LOOP(map_empty, sum += next_bit(map, me, 0))
LOOP(scan, unsigned int cpu; for_each_sbm(cpu, &one) sum += cpu)
LOOP(wrap, unsigned int cpu; for_each_sbm_wrap(cpu, &one, 100) sum += cpu)
LOOP(map_scan, unsigned int cpu; for (cpu = next_bit(map, me, 0); cpu < me;
				      cpu = next_bit(map, me, cpu + 1)) sum += cpu)
/* As nohz_balancer_kick(): of the CPUs in map, does one lack in the set, but for the last? */
LOOP(other, unsigned int cpu; for (cpu = next_bit(map, me, 0); cpu < me;
				   cpu = next_bit(map, me, cpu + 1))
				if (cpu != me - 1 && !sbm_test_cpu(cpu, &one)) {
					sum += cpu;
					break;
				})

static void pin(unsigned int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(2);
	}
}

struct result {
	double min;
	double median;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static struct result summary(double *times, unsigned int nr)
{
	qsort(times, nr, sizeof(*times), compare);
	return (struct result){ times[0], times[nr / 2] };
}

static struct result alone(void (*loop)(unsigned int, unsigned int),
			   unsigned int arg, unsigned int nr)
{
	double times[1000];
	unsigned int i;
	u64 start;

	loop(arg, nr);
	for (i = 0; i < trials; i++) {
		start = pair_ticks();
		loop(arg, nr);
		times[i] = (double)(pair_ticks() - start) / nr;
	}
	return summary(times, trials);
}

struct thread {
	pthread_t id;
	unsigned int me;
	bool right;
};

static void *thread_main(void *arg)
{
	struct thread *t = arg;

	pin(cores[t->me]);
	t->right = pair_thread(t->me, trials, ms);
	return NULL;
}

/* Two threads, which begin each trial together; false if a form is wrong */
static bool pair(void)
{
	static struct thread threads[2];
	unsigned int i;

	if (!pair_make()) {
		fprintf(stderr, "no memory\n");
		exit(2);
	}
	for (i = 0; i < 2; i++) {
		threads[i].me = i;
		if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i]))
			exit(2);
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i].id, NULL);
	pair_free();
	return threads[0].right && threads[1].right;
}

static void show(const char *name, struct result r, double base)
{
	printf("%-28s %9.2f %9.2f", name, r.min, r.median);
	if (base)
		printf(" %8.1f %%", 100 * r.median / base);
	printf("\n");
}

/* Give @one @nr CPUs, @llc in a leaf, of which each fourth is in the set. */
static void fill(unsigned int nr, unsigned int llc, unsigned int every)
{
	unsigned int cpu;

	free_set(&one);
	if (!make_set(&one, nr, llc)) {
		fprintf(stderr, "no memory\n");
		exit(2);
	}
	memset(map, 0, sizeof(map));
	for (cpu = 0; every && cpu < nr; cpu += every) {
		sbm_set_cpu(cpu, &one);
		__set_bit(cpu, map);
	}
}

int main(int argc, char **argv)
{
	struct result base, r;
	bool check = false;
	int opt;

	while ((opt = getopt(argc, argv, "a:b:n:t:m:c")) != -1) {
		switch (opt) {
		case 'a':
			cores[0] = atoi(optarg);
			break;
		case 'b':
			cores[1] = atoi(optarg);
			break;
		case 'n':
			operations = max(atoi(optarg), 1000);
			break;
		case 't':
			trials = clamp(atoi(optarg), 1, PAIR_MAX_TRIALS);
			break;
		case 'm':
			ms = clamp(atoi(optarg), 1, 1000);
			break;
		case 'c':
			check = true;
			break;
		default:
			fprintf(stderr, "usage: sbm [-a CPU] [-b CPU] [-n OPERATIONS] [-t TRIALS] [-m MILLISECONDS] [-c]\n");
			return 2;
		}
	}
	if (cores[0] == cores[1]) {
		fprintf(stderr, "two cores are wanted\n");
		return 2;
	}

	if (check)
		trials = 0;
	if (!pair())
		return 1;
	if (check)
		return 0;
	pair_print();

	pin(cores[0]);
	fill(256, 16, 4);
	printf("%-28s %9s %9s %10s\n", "one core", "min", "median", "of locked");
	show("empty loop", alone(loop_nothing, 5, operations), 0);
	base = alone(loop_set_bit, 5, operations);
	show("LOCKed set_bit()", base, base.median);
	show("sbm_set_cpu()", alone(loop_set, 5, operations), base.median);
	show("sbm_clear_cpu()", alone(loop_clear, 5, operations), base.median);
	show("test_bit()", alone(loop_test_bit, 5, operations), base.median);
	show("sbm_test_cpu()", alone(loop_test, 5, operations), base.median);
	show("gather, 16 CPUs", alone(loop_gather, 0, operations), base.median);
	fill(64, 64, 4);
	show("gather, 64 CPUs", alone(loop_gather, 0, operations), base.median);

	printf("\n%-28s %9s %9s %10s\n", "256 CPUs, 25 % set", "min", "median", "of cpumask");
	fill(256, 16, 4);
	base = alone(loop_map_scan, 256, operations / 100);
	show("cpumask scan", base, base.median);
	r = alone(loop_scan, 0, operations / 100);
	show("sbm scan, 16 a leaf", r, base.median);
	show("sbm wrap, 16 a leaf", alone(loop_wrap, 0, operations / 100), base.median);
	fill(256, 64, 4);
	show("sbm scan, 64 a leaf", alone(loop_scan, 0, operations / 100), base.median);
	fill(256, 8, 4);
	show("sbm scan, 8 a leaf", alone(loop_scan, 0, operations / 100), base.median);

	printf("\n%-28s %9s %9s %10s\n", "256 CPUs, none set", "min", "median", "of cpumask");
	fill(256, 16, 0);
	base = alone(loop_map_empty, 256, operations / 100);
	show("cpumask empty", base, base.median);
	show("sbm empty, 16 a leaf", alone(loop_empty, 0, operations / 100), base.median);
	fill(256, 64, 0);
	show("sbm empty, 64 a leaf", alone(loop_empty, 0, operations / 100), base.median);
	fill(256, 8, 0);
	show("sbm empty, 8 a leaf", alone(loop_empty, 0, operations / 100), base.median);

	printf("\n%-28s %9s %9s\n", "any other CPU not in the set?", "min", "median");
	for (unsigned int nr = 16; nr; nr = nr == 16 ? 64 : nr == 64 ? 240 : 0) {
		char name[40];

		fill(nr, min(nr, 60), 1);
		snprintf(name, sizeof(name), "LLC of %u, none", nr);
		show(name, alone(loop_other, nr, operations / 100), 0);
	}

	return 0;
}

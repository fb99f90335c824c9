// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sbm operations cost, on one core and on two
 *
 * The library itself is compiled in, by the shim of kit/tests/user, in the form
 * of a kernel without debugging.  Times are ticks of the time-stamp counter, or
 * nanoseconds where there is none, for one operation: the smallest and the
 * median of the trials.
 *
 * Two threads on two cores set and clear a bit, or a byte, each its own:
 *
 *	word		LOCKed bits in one word, as a cpumask has them
 *	lines		LOCKed bits on a line each
 *	leaf		sbm, both CPUs in one leaf
 *	leaves		sbm, a leaf each
 *	... + mb	with a full barrier after the set
 *
 * One thread alone, nobody else using the lines: single operations, gathers,
 * and scans of 256 CPUs with a quarter of them in the set.
 *
 * Where it is weak: two cores of one machine are one distance, and the distance
 * decides what a contended line costs.  Two hyperthreads, or two virtual CPUs
 * that the host runs on one core, share a line at no cost, so look at "word"
 * first: it should be many times "lines".  Everything but "word" and "leaf"
 * hits the first-level cache; in a kernel it often will not.
 *
 * usage: sbm [-a CPU] [-b CPU] [-n OPERATIONS] [-t TRIALS]
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

static inline u64 ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
#endif
}

#define barrier()	__asm__ __volatile__("" ::: "memory")

/* As in the kernel: the bits of an unsigned long, with a locked instruction. */
static __always_inline void locked_set(unsigned int n, unsigned long *map)
{
#if defined(__x86_64__)
	__asm__ __volatile__("lock; btsq %1,%0" : "+m" (map[n / 64])
			     : "Jr" ((u64)n % 64) : "memory");
#else
	set_bit(n, map);
#endif
}

static __always_inline void locked_clear(unsigned int n, unsigned long *map)
{
#if defined(__x86_64__)
	__asm__ __volatile__("lock; btrq %1,%0" : "+m" (map[n / 64])
			     : "Jr" ((u64)n % 64) : "memory");
#else
	clear_bit(n, map);
#endif
}

/* Like the kernel's _find_next_bit(): a word at a time, and out of line. */
static __attribute__((__noinline__)) unsigned int
next_bit(const unsigned long *map, unsigned int nr, unsigned int n)
{
	unsigned long word;
	unsigned int i;

	if (n >= nr)
		return nr;
	i = n / BITS_PER_LONG;
	word = map[i] & (~0UL << n % BITS_PER_LONG);
	while (!word) {
		if (++i * BITS_PER_LONG >= nr)
			return nr;
		word = map[i];
	}
	n = i * BITS_PER_LONG + __builtin_ctzl(word);
	return n < nr ? n : nr;
}

/* A layout of @nr CPUs with @llc in a leaf, and an empty set over it. */
static void make(struct sbm *sbm, unsigned int nr, unsigned int llc)
{
	struct sbm_layout *layout;
	unsigned int cpu;

	layout = sbm_layout_alloc(nr, nr, GFP_KERNEL);
	for (cpu = 0; layout && cpu < nr; cpu++) {
		if (cpu % llc == 0)
			sbm_layout_add_leaf(layout, NUMA_NO_NODE, GFP_KERNEL);
		sbm_layout_add_cpu(layout, cpu, cpu / llc * SBM_LEAF_CPUS + cpu % llc);
	}
	if (!layout || !sbm_alloc(sbm, layout, NULL, GFP_KERNEL)) {
		fprintf(stderr, "no memory\n");
		exit(2);
	}
}

static struct sbm pair_leaf, pair_leaves, one;
static unsigned long word[1] __attribute__((__aligned__(256)));
static unsigned long lines[2][32] __attribute__((__aligned__(256)));
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
LOOP(word, locked_set(me, word); barrier(); locked_clear(me, word))
LOOP(lines, locked_set(me, lines[me]); barrier(); locked_clear(me, lines[me]))
LOOP(leaf, sbm_set_cpu(me, &pair_leaf); barrier(); sbm_clear_cpu(me, &pair_leaf))
LOOP(leaves, sbm_set_cpu(me, &pair_leaves); barrier(); sbm_clear_cpu(me, &pair_leaves))
LOOP(leaf_mb, sbm_set_cpu(me, &pair_leaf); smp_mb(); sbm_clear_cpu(me, &pair_leaf))
LOOP(leaves_mb, sbm_set_cpu(me, &pair_leaves); smp_mb(); sbm_clear_cpu(me, &pair_leaves))

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
		start = ticks();
		loop(arg, nr);
		times[i] = (double)(ticks() - start) / nr;
	}
	return summary(times, trials);
}

/*
 * Two threads begin each trial together.  A trial counts until the first one is
 * done, so that no part of it is run alone; it is the mean of both.
 */
struct thread {
	pthread_t id;
	unsigned int me;
	double times[1000];
};

static void (*pair_loop)(unsigned int, unsigned int);
static int arrived, finished;

static void *pair_thread(void *arg)
{
	struct thread *t = arg;
	unsigned int i, done;
	u64 start;

	pin(cores[t->me]);
	for (i = 0; i < trials; i++) {
		__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
		while (READ_ONCE(arrived) < 2 * ((int)i + 1))
			;
		start = ticks();
		for (done = 0; done < operations; done += 1000) {
			pair_loop(t->me, 1000);
			if (READ_ONCE(finished) > 2 * (int)i)
				break;
		}
		t->times[i] = (double)(ticks() - start) /
			      (done < operations ? done + 1000 : operations);
		__atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
		while (READ_ONCE(finished) < 2 * ((int)i + 1))
			;
	}
	return NULL;
}

static struct result pair(void (*loop)(unsigned int, unsigned int))
{
	static struct thread threads[2];
	double times[1000];
	unsigned int i;

	pair_loop = loop;
	arrived = 0;
	finished = 0;
	for (i = 0; i < 2; i++) {
		threads[i].me = i;
		if (pthread_create(&threads[i].id, NULL, pair_thread, &threads[i]))
			exit(2);
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i].id, NULL);
	for (i = 0; i < trials; i++)
		times[i] = (threads[0].times[i] + threads[1].times[i]) / 2;
	return summary(times, trials);
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

	if (one.layout) {
		struct sbm_layout *layout = one.layout;

		sbm_free(&one);
		sbm_layout_free(layout);
	}
	make(&one, nr, llc);
	memset(map, 0, sizeof(map));
	for (cpu = 0; every && cpu < nr; cpu += every) {
		sbm_set_cpu(cpu, &one);
		__set_bit(cpu, map);
	}
}

int main(int argc, char **argv)
{
	struct result base, r;
	int opt;

	while ((opt = getopt(argc, argv, "a:b:n:t:")) != -1) {
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
			trials = clamp(atoi(optarg), 1, 1000);
			break;
		default:
			fprintf(stderr, "usage: sbm [-a CPU] [-b CPU] [-n OPERATIONS] [-t TRIALS]\n");
			return 2;
		}
	}

	make(&pair_leaf, 2, 2);
	make(&pair_leaves, 2, 1);

	printf("%-28s %9s %9s %10s\n", "set + clear, two cores", "min", "median", "of median");
	base = pair(loop_word);
	show("word", base, base.median);
	show("lines", pair(loop_lines), base.median);
	show("leaf", pair(loop_leaf), base.median);
	show("leaves", pair(loop_leaves), base.median);
	show("leaf + mb", pair(loop_leaf_mb), base.median);
	show("leaves + mb", pair(loop_leaves_mb), base.median);

	pin(cores[0]);
	fill(256, 16, 4);
	printf("\n%-28s %9s %9s %10s\n", "one core", "min", "median", "of locked");
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

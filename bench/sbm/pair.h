/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two cores in one set, the same in user space and in the module
 *
 * Each core sets and clears a bit, or a byte, of its own:
 *
 *	word		LOCKed bits in one word, as a cpumask has them
 *	lines		LOCKed bits on a line each
 *	bytes		plain stores to one array of bytes, in one line
 *	leaf		sbm, both CPUs in one leaf
 *	leaves		sbm, a leaf each
 *	... + mb	with a full barrier after the set
 *
 * On x86 a LOCKed operation is a full barrier: there "word + mb" and "word" are
 * the same code, as "lines + mb" and "lines" are.  How far the two are apart is
 * what this measurement cannot tell from nothing.
 *
 * That is done in five ways (PAIR_BOTH and so on), each with every form.  A trial
 * is one form in one way for a few milliseconds.  All are tried in turn before
 * any is tried again, in an order drawn anew for each round, so that a change of
 * clock or a disturbance hits all of them alike.  The first rounds are the warm-up,
 * and say how many operations the later trials have.
 *
 * Of the trials come minimum, quartiles and median, and the same of the ratio to
 * "word" in the same way and round.  No part of a trial that one core runs alone
 * counts.  Where both write, the time is the mean of both; else it is that of the
 * core which only writes.
 *
 * First comes a self-check of each form, with both cores at it: who has set
 * itself is found, who has cleared itself is not, and nobody else ever.  Wrong
 * forms have to be caught by it.  After each trial the set must be empty, and as
 * many operations must have been done as were asked for.  A scan must not find
 * other CPUs.
 *
 * The includer has lib/sbm.c included before, and provides pair_ns(),
 * pair_pause() for a turn of a loop that waits, pair_relax() for one of a loop
 * that does not, pair_div(u64, u64), pair_sort(array of u64, n) and pair_out(fmt,
 * ...), which prints a line.
 */
#ifndef BENCH_SBM_PAIR_H
#define BENCH_SBM_PAIR_H

#define PAIR_MAX_TRIALS	1000
#define PAIR_WARM_UP	3
#define PAIR_ALIGNED	__attribute__((__aligned__(256)))

/* Pairs of a set and a clear between two looks at the clock or the other core. */
#define PAIR_BLOCK	1000
#define PAIR_MIN_BLOCKS	20
#define PAIR_MAX_BLOCKS	100000
/* Of the self-check, and of each time that it is quiet on the other core. */
#define PAIR_CHECKS	20000
#define PAIR_HELD	1000

/* Ticks of the time-stamp counter, or nanoseconds where there is none */
static inline u64 pair_ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#else
	return pair_ns();
#endif
}

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

/* As on bare x86: smp_mb() of UML is an mfence, and the shim's are all full. */
#if defined(__x86_64__)
#define pair_mb()	\
	__asm__ __volatile__("lock; addl $0,-4(%%rsp)" ::: "memory", "cc")
#define pair_mb_after_atomic()	barrier()
#else
#define pair_mb()		smp_mb()
#define pair_mb_after_atomic()	smp_mb__after_atomic()
#endif

/* Like the kernel's _find_next_bit(): a word at a time, and out of line. */
static noinline unsigned int next_bit(const unsigned long *map, unsigned int nr,
				      unsigned int n)
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

static void free_set(struct sbm *sbm)
{
	struct sbm_layout *layout = sbm->layout;

	if (!layout)
		return;
	sbm_free(sbm);
	sbm_layout_free(layout);
	sbm->layout = NULL;
}

/* A layout of @nr CPUs with @llc in a leaf, and an empty set over it. */
static bool make_set(struct sbm *sbm, unsigned int nr, unsigned int llc)
{
	struct sbm_layout *layout;
	unsigned int cpu;

	layout = sbm_layout_alloc(nr, nr, GFP_KERNEL);
	if (!layout)
		return false;
	for (cpu = 0; cpu < nr; cpu++) {
		if (cpu % llc == 0 &&
		    sbm_layout_add_leaf(layout, NUMA_NO_NODE, GFP_KERNEL) < 0)
			goto free;
		if (sbm_layout_add_cpu(layout, cpu, cpu / llc * SBM_LEAF_CPUS + cpu % llc))
			goto free;
	}
	if (sbm_alloc(sbm, layout, NULL, GFP_KERNEL))
		return true;
free:
	sbm->layout = NULL;
	sbm_layout_free(layout);
	return false;
}

/* The sets, each on lines of its own */
static unsigned long pair_word[32] PAIR_ALIGNED;
static unsigned long pair_lines[2][32] PAIR_ALIGNED;
static union {
	u8		byte[256];
	unsigned long	word[256 / sizeof(long)];
} pair_bytes PAIR_ALIGNED;

/*
 * A core takes a load for one of what it has just stored if the two have the same
 * place in their pages, and then does it again: with the byte stored where the
 * table of leaves or a CPU's slot is loaded from, a set and a clear have taken 27
 * ticks in the place of 3.  Where memory comes to lie is chance, so there are
 * several sets, and the rounds take turns with them.
 */
#define PAIR_SETS	8

static struct pair_set {
	struct sbm	leaf PAIR_ALIGNED;
	struct sbm	leaves PAIR_ALIGNED;
} pair_sets[PAIR_SETS];
/* The one in use */
static unsigned int pair_turn;

static __always_inline struct pair_set *pair_set(void)
{
	return &pair_sets[READ_ONCE(pair_turn)];
}

/* How many CPUs there are; a variable, as nr_cpu_ids is */
static unsigned int pair_cpus = 2;

/* Who is in a set: bit 0 for one core, bit 1 for the other */
static noinline unsigned int pair_scan_word(void)
{
	unsigned int nr = READ_ONCE(pair_cpus);
	unsigned int found = 0;
	unsigned int cpu;

	for (cpu = next_bit(pair_word, nr, 0); cpu < nr;
	     cpu = next_bit(pair_word, nr, cpu + 1))
		found |= 1U << cpu;

	return found;
}

static noinline unsigned int pair_scan_lines(void)
{
	unsigned int found = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < READ_ONCE(pair_cpus); cpu++)
		found |= READ_ONCE(pair_lines[cpu][0]);

	return found;
}

static noinline unsigned int pair_scan_bytes(void)
{
	return sbm_gather(READ_ONCE(pair_bytes.word[0]));
}

static noinline unsigned int pair_scan_leaf(void)
{
	unsigned int found = 0;
	unsigned int cpu;

	for_each_sbm(cpu, &pair_set()->leaf)
		found |= 1U << cpu;

	return found;
}

static noinline unsigned int pair_scan_leaves(void)
{
	unsigned int found = 0;
	unsigned int cpu;

	for_each_sbm(cpu, &pair_set()->leaves)
		found |= 1U << cpu;

	return found;
}

/*
 * struct pair_form - one way to be in a set
 * @name: what the row is called
 * @loop: set and clear, so many times; returns how many
 * @put: get in, or out
 * @scan: who is in
 */
struct pair_form {
	const char	*name;
	unsigned int	(*loop)(unsigned int me, unsigned int nr);
	void		(*put)(unsigned int me, bool in);
	unsigned int	(*scan)(void);
};

#define PAIR_FORM(name, set, after, clear)				\
static noinline unsigned int pair_loop_##name(unsigned int me, unsigned int nr) \
{									\
	struct pair_set *at __attribute__((__unused__)) = pair_set();	\
	unsigned int done;						\
									\
	for (done = 0; done < nr; done++) {				\
		set;							\
		after;							\
		clear;							\
		barrier();						\
	}								\
									\
	return done;							\
}									\
									\
static noinline void pair_put_##name(unsigned int me, bool in)		\
{									\
	struct pair_set *at __attribute__((__unused__)) = pair_set();	\
									\
	if (in) {							\
		set;							\
		after;							\
	} else {							\
		clear;							\
	}								\
	barrier();							\
}

#define PAIR_SET_WORD	locked_set(me, pair_word)
#define PAIR_CLEAR_WORD	locked_clear(me, pair_word)
#define PAIR_SET_LINES	locked_set(me, pair_lines[me])
#define PAIR_CLEAR_LINES	locked_clear(me, pair_lines[me])
#define PAIR_SET_BYTES	WRITE_ONCE(pair_bytes.byte[me], 1)
#define PAIR_CLEAR_BYTES	WRITE_ONCE(pair_bytes.byte[me], 0)
#define PAIR_SET_LEAF	sbm_set_cpu(me, &at->leaf)
#define PAIR_CLEAR_LEAF	sbm_clear_cpu(me, &at->leaf)
#define PAIR_SET_LEAVES	sbm_set_cpu(me, &at->leaves)
#define PAIR_CLEAR_LEAVES	sbm_clear_cpu(me, &at->leaves)

PAIR_FORM(word, PAIR_SET_WORD, barrier(), PAIR_CLEAR_WORD)
PAIR_FORM(lines, PAIR_SET_LINES, barrier(), PAIR_CLEAR_LINES)
PAIR_FORM(bytes, PAIR_SET_BYTES, barrier(), PAIR_CLEAR_BYTES)
PAIR_FORM(leaf, PAIR_SET_LEAF, barrier(), PAIR_CLEAR_LEAF)
PAIR_FORM(leaves, PAIR_SET_LEAVES, barrier(), PAIR_CLEAR_LEAVES)
PAIR_FORM(word_mb, PAIR_SET_WORD, pair_mb_after_atomic(), PAIR_CLEAR_WORD)
PAIR_FORM(lines_mb, PAIR_SET_LINES, pair_mb_after_atomic(), PAIR_CLEAR_LINES)
PAIR_FORM(bytes_mb, PAIR_SET_BYTES, pair_mb(), PAIR_CLEAR_BYTES)
PAIR_FORM(leaf_mb, PAIR_SET_LEAF, pair_mb(), PAIR_CLEAR_LEAF)
PAIR_FORM(leaves_mb, PAIR_SET_LEAVES, pair_mb(), PAIR_CLEAR_LEAVES)

static const struct pair_form pair_forms[] = {
	{ "word", pair_loop_word, pair_put_word, pair_scan_word },
	{ "lines", pair_loop_lines, pair_put_lines, pair_scan_lines },
	{ "bytes", pair_loop_bytes, pair_put_bytes, pair_scan_bytes },
	{ "leaf", pair_loop_leaf, pair_put_leaf, pair_scan_leaf },
	{ "leaves", pair_loop_leaves, pair_put_leaves, pair_scan_leaves },
	{ "word + mb", pair_loop_word_mb, pair_put_word_mb, pair_scan_word },
	{ "lines + mb", pair_loop_lines_mb, pair_put_lines_mb, pair_scan_lines },
	{ "bytes + mb", pair_loop_bytes_mb, pair_put_bytes_mb, pair_scan_bytes },
	{ "leaf + mb", pair_loop_leaf_mb, pair_put_leaf_mb, pair_scan_leaf },
	{ "leaves + mb", pair_loop_leaves_mb, pair_put_leaves_mb, pair_scan_leaves },
};

#define PAIR_FORMS	ARRAY_SIZE(pair_forms)

/* Wrong forms, each in one thing */
PAIR_FORM(bad_never, barrier(), barrier(), PAIR_CLEAR_BYTES)
PAIR_FORM(bad_stays, PAIR_SET_BYTES, barrier(), barrier())
PAIR_FORM(bad_other, WRITE_ONCE(pair_bytes.byte[!me], 1), barrier(),
	  WRITE_ONCE(pair_bytes.byte[!me], 0))
PAIR_FORM(bad_third, WRITE_ONCE(pair_bytes.byte[me], 1), WRITE_ONCE(pair_bytes.byte[2], 1),
	  WRITE_ONCE(pair_bytes.byte[me], 0))
PAIR_FORM(bad_all, PAIR_SET_BYTES, barrier(), WRITE_ONCE(pair_bytes.word[0], 0))

static unsigned int pair_loop_bad_short(unsigned int me, unsigned int nr)
{
	return pair_loop_bytes(me, nr - 1);
}

static unsigned int pair_scan_blind(void)
{
	return pair_scan_bytes() & 1;
}

static const struct pair_form pair_mutants[] = {
	{ "wrong: never set", pair_loop_bad_never, pair_put_bad_never, pair_scan_bytes },
	{ "wrong: never cleared", pair_loop_bad_stays, pair_put_bad_stays, pair_scan_bytes },
	{ "wrong: the other CPU", pair_loop_bad_other, pair_put_bad_other, pair_scan_bytes },
	{ "wrong: a third CPU", pair_loop_bad_third, pair_put_bad_third, pair_scan_bytes },
	{ "wrong: clears both", pair_loop_bad_all, pair_put_bad_all, pair_scan_bytes },
	{ "wrong: one less", pair_loop_bad_short, pair_put_bytes, pair_scan_bytes },
	{ "wrong: finds one CPU", pair_loop_bytes, pair_put_bytes, pair_scan_blind },
};

/*
 * enum pair_mode - who does what
 * @PAIR_BOTH: both cores write
 * @PAIR_BOTH_1KHZ: both write, and one of them scans every millisecond
 * @PAIR_BOTH_SCAN: both write, and one of them scans after each of its pairs
 * @PAIR_ONE: one writes, the other waits
 * @PAIR_ONE_SCAN: one writes, the other scans all the time
 */
enum pair_mode {
	PAIR_BOTH,
	PAIR_BOTH_1KHZ,
	PAIR_BOTH_SCAN,
	PAIR_ONE,
	PAIR_ONE_SCAN,
	PAIR_MODES,
};

/* The last table is not a way to write: it has the scans of PAIR_ONE_SCAN. */
#define PAIR_TABLES	(PAIR_MODES + 1)

static const char * const pair_titles[PAIR_TABLES] = {
	"set + clear, two cores",
	"one of two scans at 1 kHz",
	"one of two scans each time",
	"set + clear, one core",
	"while the other scans",
	"a scan by the other",
};

/* One of the two cores.  What others see of it is on a line of its own. */
struct pair_core {
	unsigned int	met PAIR_ALIGNED;
	unsigned int	done PAIR_ALIGNED;
	unsigned int	scans;
	unsigned int	found;
	u64		time;
};

static struct pair_core pair_cores[2];
/* Set by the first one that is done, and by the first one that finds a fault */
static unsigned int pair_first PAIR_ALIGNED;
static const char *pair_fault PAIR_ALIGNED;
static bool pair_failed;
static unsigned int pair_trials PAIR_ALIGNED;
static unsigned int pair_ms;
static u64 pair_tick_ms, pair_want;
static unsigned int pair_blocks[PAIR_MODES][PAIR_FORMS];
static unsigned int pair_order[PAIR_MODES * PAIR_FORMS];
/* Hundredths of a tick */
static u64 pair_samples[PAIR_TABLES][PAIR_FORMS][PAIR_MAX_TRIALS];
static u64 pair_sorted[PAIR_MAX_TRIALS];
static unsigned int pair_scans_min, pair_scans_max;

/*
 * Wait until the other core has come here as often.  What one core tells the
 * other has to be in marked accesses nevertheless: gcc sees that no variable of
 * this file is written here but met, and moves plain ones across the call.
 */
static void pair_meet(unsigned int me)
{
	unsigned int nth = pair_cores[me].met + 1;

	smp_mb();
	WRITE_ONCE(pair_cores[me].met, nth);
	while ((int)(READ_ONCE(pair_cores[!me].met) - nth) < 0)
		pair_pause();
	smp_mb();
}

static void pair_expect(bool right, const char *fault)
{
	if (!right && !READ_ONCE(pair_fault))
		WRITE_ONCE(pair_fault, fault);
}

/* What is wrong with a form, or NULL; the same on both cores */
static const char *pair_check_form(unsigned int me, const struct pair_form *form)
{
	unsigned int own = 1U << me, other = 1U << !me;
	unsigned int sets = 0, clears = 0;
	unsigned int i, holder;
	const char *fault;

	if (!me)
		WRITE_ONCE(pair_fault, NULL);
	pair_meet(me);

	/* Both at once: of the other one nothing is known. */
	for (i = 0; i < PAIR_CHECKS; i++) {
		form->put(me, true);
		sets += (form->scan() | other) == (own | other);
		form->put(me, false);
		clears += (form->scan() | other) == other;
		pair_relax();
	}
	pair_expect(sets == PAIR_CHECKS, "sets are lost");
	pair_expect(clears == PAIR_CHECKS, "clears are lost");
	pair_meet(me);
	pair_expect(!form->scan(), "not empty after all have cleared themselves");

	/* One stays in, in turn, and the other comes and goes: all is known. */
	for (holder = 0; holder < 2; holder++) {
		pair_meet(me);
		if (me == holder)
			form->put(me, true);
		pair_meet(me);
		for (i = 0; me != holder && i < PAIR_HELD; i++) {
			pair_expect(form->loop(me, 20) == 20, "not as many operations as asked for");
			pair_expect(form->scan() == other, "not only the CPU that stays in");
			form->put(me, true);
			pair_expect(form->scan() == (own | other), "not both CPUs");
			form->put(me, false);
			pair_relax();
		}
		pair_meet(me);
		if (me == holder)
			form->put(me, false);
		pair_meet(me);
		pair_expect(!form->scan(), "not empty at the end");
	}

	pair_meet(me);
	fault = READ_ONCE(pair_fault);
	pair_meet(me);

	return fault;
}

static bool pair_check(unsigned int me)
{
	unsigned int i, passed = 0, failed = 0;
	const char *fault;

	for (i = 0; i < PAIR_FORMS; i++) {
		fault = pair_check_form(me, &pair_forms[i]);
		passed += !fault;
		failed += !!fault;
		if (!me && fault)
			pair_out("error: %s: %s\n", pair_forms[i].name, fault);
	}
	for (i = 0; i < ARRAY_SIZE(pair_mutants); i++) {
		fault = pair_check_form(me, &pair_mutants[i]);
		passed += !!fault;
		failed += !fault;
		if (!me && !fault)
			pair_out("error: %s is not caught\n", pair_mutants[i].name);
		if (!me)
			WRITE_ONCE(pair_bytes.word[0], 0);
		pair_meet(me);
	}
	if (!me)
		pair_out("# self-check: %u passed, %u failed\n", passed, failed);

	return !failed;
}

/* Write so often; the time ends when one of the two is done. */
static void pair_write(struct pair_core *t, unsigned int me,
		       const struct pair_form *form, unsigned int blocks, bool khz)
{
	u64 start = pair_ticks();
	u64 tick_ms = READ_ONCE(pair_tick_ms);
	u64 scanned = start;
	unsigned int done = 0;
	bool timed = true;
	unsigned int i;

	for (i = 1; i <= blocks; i++) {
		done += form->loop(me, PAIR_BLOCK);
		if (timed && (i == blocks || READ_ONCE(pair_first))) {
			t->time = pair_div((pair_ticks() - start) * 100, i * PAIR_BLOCK);
			WRITE_ONCE(pair_first, 1);
			timed = false;
		}
		if (timed && khz && pair_ticks() - scanned >= tick_ms) {
			scanned = pair_ticks();
			t->found |= form->scan();
			t->scans++;
		}
		pair_relax();
	}
	t->done = done;
}

/* Scan, and write in between or not, until the other one is done. */
static void pair_read(struct pair_core *t, unsigned int me,
		      const struct pair_form *form, bool writes)
{
	u64 start = pair_ticks();
	unsigned int i;

	do {
		for (i = 0; i < 100; i++) {
			if (writes)
				t->done += form->loop(me, 1);
			t->found |= form->scan();
			barrier();
		}
		t->scans += i;
		pair_relax();
	} while (!READ_ONCE(pair_first));
	t->time = pair_div((pair_ticks() - start) * 100, t->scans);
}

static bool pair_wrong(enum pair_mode mode, const struct pair_form *form,
		       const char *what)
{
	pair_out("error: %s, %s: %s\n", pair_titles[mode], form->name, what);
	return false;
}

/* The first core keeps the books. */
static bool pair_book(enum pair_mode mode, unsigned int f, unsigned int round)
{
	const struct pair_core *a = &pair_cores[0], *b = &pair_cores[1];
	unsigned int asked = pair_blocks[mode][f] * PAIR_BLOCK;
	const struct pair_form *form = &pair_forms[f];
	u64 time = a->time;
	u64 blocks;

	if (form->scan())
		return pair_wrong(mode, form, "not empty at the end");
	if ((a->found | b->found) & ~3U)
		return pair_wrong(mode, form, "a scan has found a third CPU");
	if (a->done != asked)
		return pair_wrong(mode, form, "not as many operations as asked for");

	switch (mode) {
	case PAIR_BOTH:
	case PAIR_BOTH_1KHZ:
		if (b->done != asked)
			return pair_wrong(mode, form, "one core did more than the other");
		time = (a->time + b->time) / 2;
		break;
	case PAIR_BOTH_SCAN:
		if (b->done != b->scans)
			return pair_wrong(mode, form, "not a scan for each time");
		break;
	default:
		if (b->done)
			return pair_wrong(mode, form, "one core wrote that was not to");
	}
	if (b->scans ? mode == PAIR_BOTH || mode == PAIR_ONE :
		       mode == PAIR_BOTH_SCAN || mode == PAIR_ONE_SCAN)
		return pair_wrong(mode, form, "scans where there are none to be, or none");

	if (round < PAIR_WARM_UP) {
		blocks = pair_div(pair_want * 100, time * PAIR_BLOCK + 1);
		blocks = min(blocks, (u64)PAIR_MAX_BLOCKS);
		WRITE_ONCE(pair_blocks[mode][f], max(blocks, (u64)pair_blocks[mode][f]));
		return true;
	}
	round -= PAIR_WARM_UP;
	pair_samples[mode][f][round] = time;
	if (mode == PAIR_ONE_SCAN)
		pair_samples[PAIR_MODES][f][round] = b->time;
	if (mode == PAIR_BOTH_1KHZ) {
		pair_scans_min = min(pair_scans_min, b->scans);
		pair_scans_max = max(pair_scans_max, b->scans);
	}

	return true;
}

static bool pair_trial(unsigned int me, enum pair_mode mode, unsigned int f,
		       unsigned int round)
{
	const struct pair_form *form = &pair_forms[f];
	struct pair_core *t = &pair_cores[me];

	t->done = 0;
	t->scans = 0;
	t->found = 0;
	if (!me)
		WRITE_ONCE(pair_first, 0);
	pair_meet(me);

	if (!me || mode == PAIR_BOTH || mode == PAIR_BOTH_1KHZ)
		pair_write(t, me, form, READ_ONCE(pair_blocks[mode][f]),
			   me && mode == PAIR_BOTH_1KHZ);
	else if (mode == PAIR_ONE)
		while (!READ_ONCE(pair_first))
			pair_pause();
	else
		pair_read(t, me, form, mode == PAIR_BOTH_SCAN);

	pair_meet(me);
	if (!me && !pair_book(mode, f, round))
		WRITE_ONCE(pair_failed, true);
	pair_meet(me);

	return !READ_ONCE(pair_failed);
}

static void pair_shuffle(u64 *seed)
{
	unsigned int i, other, swap;

	for (i = ARRAY_SIZE(pair_order) - 1; i; i--) {
		*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
		other = (unsigned int)(*seed >> 33) % (i + 1);
		swap = pair_order[i];
		WRITE_ONCE(pair_order[i], pair_order[other]);
		WRITE_ONCE(pair_order[other], swap);
	}
}

/* How many ticks a millisecond has */
static u64 pair_tick_rate(void)
{
	u64 ns = pair_ns();
	u64 start = pair_ticks();
	u64 passed;

	do {
		pair_relax();
		passed = pair_ns() - ns;
	} while (passed < 20000000);

	return pair_div((pair_ticks() - start) * 1000000, passed);
}

/*
 * What each of two threads does, on a core of its own, with @me 0 and 1: the
 * self-check, and then, if it passes, @trials of @ms milliseconds each, unless
 * that is 0.  False if something is wrong.
 */
static bool pair_thread(unsigned int me, unsigned int trials, unsigned int ms)
{
	unsigned int round, i, cell;
	u64 seed = 1;

	if (!pair_check(me))
		return false;

	if (!me && trials) {
		pair_trials = trials;
		pair_ms = ms;
		WRITE_ONCE(pair_tick_ms, pair_tick_rate());
		pair_want = pair_tick_ms * ms;
		pair_scans_min = ~0U;
		for (i = 0; i < ARRAY_SIZE(pair_order); i++) {
			WRITE_ONCE(pair_order[i], i);
			WRITE_ONCE(pair_blocks[i / PAIR_FORMS][i % PAIR_FORMS], PAIR_MIN_BLOCKS);
		}
	}
	for (round = 0; trials && round < PAIR_WARM_UP + trials; round++) {
		if (!me) {
			pair_shuffle(&seed);
			WRITE_ONCE(pair_turn, round % PAIR_SETS);
		}
		pair_meet(me);
		for (i = 0; i < ARRAY_SIZE(pair_order); i++) {
			cell = READ_ONCE(pair_order[i]);
			if (!pair_trial(me, cell / PAIR_FORMS, cell % PAIR_FORMS, round))
				return false;
		}
	}
	if (!me && trials && !pair_scans_max)
		return pair_wrong(PAIR_BOTH_1KHZ, &pair_forms[0], "never a scan");

	return true;
}

#define PAIR_FRAC(v)	(unsigned int)((v) / 100), (unsigned int)((v) % 100)
#define PAIR_TENTH(v)	(unsigned int)((v) / 10), (unsigned int)((v) % 10)

static void pair_row(unsigned int table, unsigned int f)
{
	const u64 *base = pair_samples[table][0];
	const u64 *v = pair_samples[table][f];
	unsigned int n = pair_trials;
	u64 ticks[4];
	unsigned int i;

	memcpy(pair_sorted, v, n * sizeof(*v));
	pair_sort(pair_sorted, n);
	ticks[0] = pair_sorted[0];
	ticks[1] = pair_sorted[n / 4];
	ticks[2] = pair_sorted[n / 2];
	ticks[3] = pair_sorted[n * 3 / 4];

	for (i = 0; i < n; i++)
		pair_sorted[i] = pair_div(v[i] * 1000, base[i] + !base[i]);
	pair_sort(pair_sorted, n);

	pair_out("%-28s %6u.%02u %6u.%02u %6u.%02u %6u.%02u %8u.%u %6u.%u %6u.%u\n",
		 pair_forms[f].name, PAIR_FRAC(ticks[0]), PAIR_FRAC(ticks[1]),
		 PAIR_FRAC(ticks[2]), PAIR_FRAC(ticks[3]),
		 PAIR_TENTH(pair_sorted[n / 2]), PAIR_TENTH(pair_sorted[n / 4]),
		 PAIR_TENTH(pair_sorted[n * 3 / 4]));
}

static void pair_print(void)
{
	unsigned int table, f;

	pair_out("# ticks; %u trials of about %u ms for a row, rows and tables in turn; %% of word of the same round: median, quartiles\n",
		 pair_trials, pair_ms);
	pair_out("# two cores: the mean of both; one of two scans each time, one core, while the other scans: that of the one that only writes\n");
	for (table = 0; table < PAIR_TABLES; table++) {
		pair_out("%-28s %9s %9s %9s %9s %10s %8s %8s\n", pair_titles[table],
			 "min", "25 %", "median", "75 %", "% of word", "25 %", "75 %");
		for (f = 0; f < PAIR_FORMS; f++)
			pair_row(table, f);
		if (table == PAIR_BOTH_1KHZ)
			pair_out("scans in a trial: %u to %u\n", pair_scans_min,
				 pair_scans_max);
		pair_out("\n");
	}
}

static bool pair_make(void)
{
	unsigned int i;

	for (i = 0; i < PAIR_SETS; i++) {
		if (!make_set(&pair_sets[i].leaf, 2, 2) ||
		    !make_set(&pair_sets[i].leaves, 2, 1))
			return false;
	}

	return true;
}

static void pair_free(void)
{
	unsigned int i;

	for (i = 0; i < PAIR_SETS; i++) {
		free_set(&pair_sets[i].leaf);
		free_set(&pair_sets[i].leaves);
	}
}

#endif

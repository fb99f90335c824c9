/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk over psi's two task-count masks, in several forms
 *
 * psi_group_change() gets two masks of four bits. Every bit of @clear
 * takes one off its counter, then every bit of @set adds one. A counter
 * that stands at zero is left alone and reported, once per boot, with both
 * masks as they were passed. A form may only differ in how it finds the
 * bits:
 *
 *	old		counts up from bit 0 to the highest set bit
 *	each_bit	for_each_set_bit() on a copy of the mask
 *	ffs		__ffs() of the lowest bit, which is then taken off
 *	ffs_likely	as ffs, with likely() around the test for zero
 *	tests		four tests a mask, no loop
 *	every		all four counters, always, without a branch
 *	words		as every, but two counters per 64-bit word
 *
 * The file compiles in user space and in a kernel module. Before including
 * it, provide: u64, likely(), unlikely(), noinline, __always_inline,
 * __cold, __ffs(), for_each_set_bit(), and what follows; compile without
 * strict aliasing, as the kernel does.
 *
 *	psi_walk_bug	an lvalue; true once an underflow was reported
 *	psi_walk_once	what psi_walk_bug becomes by a report: 1, except in
 *			the self-check, which wants to see every report
 *	psi_walk_report(fmt, ...)	in printk_deferred()'s place
 *
 * Weak point: these are bodies by themselves. Inlined in
 * psi_group_change() the compiler shares registers with the code around
 * them; see size.sh for what it makes of them there.
 */
#ifndef BENCH_PSI_FORMS_H
#define BENCH_PSI_FORMS_H

#define PSI_COUNTS	4

/* One group's counters on one CPU: alone on a line, as in the kernel */
struct psi_walk {
	unsigned int tasks[PSI_COUNTS];
} __attribute__((__aligned__(64)));

#define PSI_FORMS(F)	\
	F(old)		\
	F(each_bit)	\
	F(ffs)		\
	F(ffs_likely)	\
	F(tests)	\
	F(every)	\
	F(words)

#define PSI_WALK_MSG	\
	"psi: task underflow! cpu=%d t=%d tasks=[%u %u %u %u] clear=%x set=%x\n"

static __always_inline void psi_walk_dec(struct psi_walk *g, int cpu,
					 unsigned int t, unsigned int clear,
					 unsigned int set)
{
	if (g->tasks[t]) {
		g->tasks[t]--;
	} else if (!psi_walk_bug) {
		psi_walk_report(PSI_WALK_MSG, cpu, t, g->tasks[0],
				g->tasks[1], g->tasks[2], g->tasks[3],
				clear, set);
		psi_walk_bug = psi_walk_once;
	}
}

static __always_inline void psi_walk_old(struct psi_walk *g, int cpu,
					 unsigned int clear, unsigned int set)
{
	unsigned int left, t;

	left = clear;
	for (t = 0; left; t++) {
		if (left & (1 << t))
			psi_walk_dec(g, cpu, t, clear, set);
		left &= ~(1 << t);
	}

	for (t = 0; set; t++) {
		if (set & (1 << t))
			g->tasks[t]++;
		set &= ~(1 << t);
	}
}

static __always_inline void psi_walk_each_bit(struct psi_walk *g, int cpu,
					      unsigned int clear,
					      unsigned int set)
{
	unsigned long mask;
	unsigned int t;

	mask = clear;
	for_each_set_bit(t, &mask, PSI_COUNTS)
		psi_walk_dec(g, cpu, t, clear, set);

	mask = set;
	for_each_set_bit(t, &mask, PSI_COUNTS)
		g->tasks[t]++;
}

static __always_inline void psi_walk_ffs(struct psi_walk *g, int cpu,
					 unsigned int clear, unsigned int set)
{
	unsigned int m;

	for (m = clear; m; m &= m - 1)
		psi_walk_dec(g, cpu, __ffs(m), clear, set);

	for (m = set; m; m &= m - 1)
		g->tasks[__ffs(m)]++;
}

static __always_inline void psi_walk_ffs_likely(struct psi_walk *g, int cpu,
						unsigned int clear,
						unsigned int set)
{
	unsigned int t, m;

	for (m = clear; m; m &= m - 1) {
		t = __ffs(m);
		if (likely(g->tasks[t]))
			g->tasks[t]--;
		else
			psi_walk_dec(g, cpu, t, clear, set);
	}

	for (m = set; m; m &= m - 1)
		g->tasks[__ffs(m)]++;
}

static __always_inline void psi_walk_tests(struct psi_walk *g, int cpu,
					   unsigned int clear,
					   unsigned int set)
{
	if (clear & 1)
		psi_walk_dec(g, cpu, 0, clear, set);
	if (clear & 2)
		psi_walk_dec(g, cpu, 1, clear, set);
	if (clear & 4)
		psi_walk_dec(g, cpu, 2, clear, set);
	if (clear & 8)
		psi_walk_dec(g, cpu, 3, clear, set);

	if (set & 1)
		g->tasks[0]++;
	if (set & 2)
		g->tasks[1]++;
	if (set & 4)
		g->tasks[2]++;
	if (set & 8)
		g->tasks[3]++;
}

/* The forms below look at all counters first, and come here if one is short */
static noinline __cold void psi_walk_slow(struct psi_walk *g, int cpu,
					  unsigned int clear,
					  unsigned int set)
{
	psi_walk_ffs(g, cpu, clear, set);
}

static __always_inline void psi_walk_every(struct psi_walk *g, int cpu,
					   unsigned int clear,
					   unsigned int set)
{
	unsigned int c0 = clear & 1, c1 = (clear >> 1) & 1;
	unsigned int c2 = (clear >> 2) & 1, c3 = (clear >> 3) & 1;
	unsigned int t0 = g->tasks[0], t1 = g->tasks[1];
	unsigned int t2 = g->tasks[2], t3 = g->tasks[3];

	if (unlikely((t0 < c0) | (t1 < c1) | (t2 < c2) | (t3 < c3))) {
		psi_walk_slow(g, cpu, clear, set);
		return;
	}

	g->tasks[0] = t0 - c0 + (set & 1);
	g->tasks[1] = t1 - c1 + ((set >> 1) & 1);
	g->tasks[2] = t2 - c2 + ((set >> 2) & 1);
	g->tasks[3] = t3 - c3 + ((set >> 3) & 1);
}

/* Bits 0 and 1 of @m, each at the bottom of its half of a word */
static __always_inline u64 psi_spread(unsigned int m)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	return ((u64)(m & 1) << 32) | ((m >> 1) & 1);
#else
	return (m & 1) | ((u64)(m & 2) << 31);
#endif
}

/*
 * After the subtraction a half with its top bit set was either zero before,
 * or is so large that the addition could carry out of it: neither is for the
 * fast path. A borrow out of the lower half can only add to the alarm.
 */
static __always_inline void psi_walk_words(struct psi_walk *g, int cpu,
					   unsigned int clear,
					   unsigned int set)
{
	u64 *word = (u64 *)g->tasks;
	u64 lo, hi;

	lo = word[0] - psi_spread(clear);
	hi = word[1] - psi_spread(clear >> 2);

	if (unlikely((lo | hi) & 0x8000000080000000ULL)) {
		psi_walk_slow(g, cpu, clear, set);
		return;
	}

	word[0] = lo + psi_spread(set);
	word[1] = hi + psi_spread(set >> 2);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differential self-check of the forms, in user space and in the module
 *
 * Every form is run on all 16 x 16 pairs of masks and all combinations of
 * the counts 0, 1, 2 and UINT_MAX in four counters: 65,536 cases, three
 * times: with a report once and then silence, as the kernel has it; with
 * every underflow reported, which tells what bits were found short; and
 * already silenced. Counters, number of reports and all their arguments
 * must be those of the model, which is written in arrays of plain decisions
 * and shares no code with the forms.
 *
 * The mutants are forms with one fault each. A check that lets one pass is
 * worth nothing, so each of them has to be caught.
 */
#ifndef BENCH_PSI_CHECK_H
#define BENCH_PSI_CHECK_H

#define PSI_CASES	(16 * 16 * 256)

enum psi_mode {
	PSI_ONCE,
	PSI_EVERY_TIME,
	PSI_MUTED,
	PSI_MODES,
};

static const char * const psi_mode_names[] = {
	"reported once", "reported every time", "muted",
};

struct psi_report {
	int cpu;
	int t;
	unsigned int tasks[PSI_COUNTS];
	unsigned int clear;
	unsigned int set;
};

struct psi_outcome {
	unsigned int tasks[PSI_COUNTS];
	unsigned int reports;
	struct psi_report report[PSI_COUNTS];
};

/* What psi_walk_report() has caught since the last reset */
static struct psi_outcome psi_caught;

__cold void psi_walk_report(const char *fmt, ...)
{
	unsigned int i, n = psi_caught.reports++;
	struct psi_report *r;
	va_list ap;

	if (n >= PSI_COUNTS)
		return;

	r = &psi_caught.report[n];
	va_start(ap, fmt);
	r->cpu = va_arg(ap, int);
	r->t = va_arg(ap, int);
	for (i = 0; i < PSI_COUNTS; i++)
		r->tasks[i] = va_arg(ap, unsigned int);
	r->clear = va_arg(ap, unsigned int);
	r->set = va_arg(ap, unsigned int);
	va_end(ap);
}

static void psi_model(struct psi_outcome *o, enum psi_mode mode, int cpu,
		      unsigned int clear, unsigned int set)
{
	static const unsigned int bit[PSI_COUNTS] = { 1, 2, 4, 8 };
	unsigned int most = mode == PSI_ONCE ? 1 :
			    mode == PSI_MUTED ? 0 : PSI_COUNTS;
	struct psi_report *r;
	unsigned int i;

	o->reports = 0;
	for (i = 0; i < PSI_COUNTS; i++) {
		if ((clear & bit[i]) == 0)
			continue;
		if (o->tasks[i] > 0) {
			o->tasks[i] -= 1;
			continue;
		}
		if (o->reports == most)
			continue;
		r = &o->report[o->reports++];
		r->cpu = cpu;
		r->t = i;
		memcpy(r->tasks, o->tasks, sizeof(r->tasks));
		r->clear = clear;
		r->set = set;
	}

	for (i = 0; i < PSI_COUNTS; i++)
		o->tasks[i] += (set & bit[i]) / bit[i];
}

static bool psi_same(const struct psi_outcome *a, const struct psi_outcome *b)
{
	return !memcmp(a->tasks, b->tasks, sizeof(a->tasks)) &&
	       a->reports == b->reports && a->reports <= PSI_COUNTS &&
	       !memcmp(a->report, b->report,
		       a->reports * sizeof(a->report[0]));
}

typedef void (*psi_call_t)(struct psi_walk *g, int cpu, unsigned int clear,
			   unsigned int set);

/*
 * How many of PSI_CASES are right; the first wrong one is left in @masks and
 * in the two outcomes.
 */
static unsigned int psi_check_form(psi_call_t call, enum psi_mode mode,
				   unsigned int masks[2],
				   struct psi_outcome *want,
				   struct psi_outcome *got)
{
	static const unsigned int counts[4] = { 0, 1, 2, ~0U };
	struct psi_outcome expected;
	unsigned int n, i, right = 0;
	struct psi_walk g;

	for (n = 0; n < PSI_CASES; n++) {
		unsigned int clear = n & 0xf, set = (n >> 4) & 0xf;

		for (i = 0; i < PSI_COUNTS; i++) {
			g.tasks[i] = counts[(n >> (8 + 2 * i)) & 3];
			expected.tasks[i] = g.tasks[i];
		}

		psi_model(&expected, mode, n & 0xff, clear, set);

		psi_caught.reports = 0;
		psi_walk_bug = mode == PSI_MUTED;
		psi_walk_once = mode == PSI_ONCE;
		call(&g, n & 0xff, clear, set);
		memcpy(psi_caught.tasks, g.tasks, sizeof(g.tasks));

		if (psi_same(&expected, &psi_caught)) {
			right++;
		} else if (right == n) {
			masks[0] = clear;
			masks[1] = set;
			*want = expected;
			*got = psi_caught;
		}
	}

	psi_walk_bug = 0;
	psi_walk_once = 1;

	return right;
}

/* The right steps, for the mutants to leave one of them out */
static __always_inline void psi_take(struct psi_walk *g, int cpu,
				     unsigned int bits, unsigned int clear,
				     unsigned int set)
{
	for (; bits; bits &= bits - 1)
		psi_walk_dec(g, cpu, __ffs(bits), clear, set);
}

static __always_inline void psi_give(struct psi_walk *g, unsigned int bits)
{
	for (; bits; bits &= bits - 1)
		g->tasks[__ffs(bits)]++;
}

/* Takes the bits off @clear itself: the report shows what is left of it */
static noinline void psi_bad_eats_clear(struct psi_walk *g, int cpu,
					unsigned int clear, unsigned int set)
{
	for (; clear; clear &= clear - 1)
		psi_walk_dec(g, cpu, __ffs(clear), clear, set);
	psi_give(g, set);
}

/* Lets a counter go below zero */
static noinline void psi_bad_no_floor(struct psi_walk *g, int cpu,
				      unsigned int clear, unsigned int set)
{
	unsigned int t, m;

	for (m = clear; m; m &= m - 1) {
		t = __ffs(m);
		if (!g->tasks[t])
			psi_walk_dec(g, cpu, t, clear, set);
		g->tasks[t]--;
	}
	psi_give(g, set);
}

/* Keeps the floor and tells nobody */
static noinline void psi_bad_silent(struct psi_walk *g, int cpu,
				    unsigned int clear, unsigned int set)
{
	unsigned int m;

	for (m = clear; m; m &= m - 1)
		if (g->tasks[__ffs(m)])
			g->tasks[__ffs(m)]--;
	psi_give(g, set);
}

/* Never sees the highest counter */
static noinline void psi_bad_top_bit(struct psi_walk *g, int cpu,
				     unsigned int clear, unsigned int set)
{
	psi_take(g, cpu, clear & 7, clear, set);
	psi_give(g, set);
}

/* Adds before it takes: hides an underflow where both masks have a bit */
static noinline void psi_bad_set_first(struct psi_walk *g, int cpu,
				       unsigned int clear, unsigned int set)
{
	psi_give(g, set);
	psi_take(g, cpu, clear, clear, set);
}

/* Stops after the first bit */
static noinline void psi_bad_one_bit(struct psi_walk *g, int cpu,
				     unsigned int clear, unsigned int set)
{
	psi_take(g, cpu, clear & -clear, clear, set);
	psi_give(g, set);
}

/* Reports again although a report was made */
static noinline void psi_bad_loud(struct psi_walk *g, int cpu,
				  unsigned int clear, unsigned int set)
{
	unsigned int m;

	for (m = clear; m; m &= m - 1) {
		psi_walk_bug = 0;
		psi_take(g, cpu, m & -m, clear, set);
	}
	psi_give(g, set);
}

/* Adds to two counters at once and lets one carry into the other */
static noinline void psi_bad_carry(struct psi_walk *g, int cpu,
				   unsigned int clear, unsigned int set)
{
	u64 lo, hi;

	psi_take(g, cpu, clear, clear, set);
	memcpy(&lo, &g->tasks[0], sizeof(lo));
	memcpy(&hi, &g->tasks[2], sizeof(hi));
	lo += psi_spread(set);
	hi += psi_spread(set >> 2);
	memcpy(&g->tasks[0], &lo, sizeof(lo));
	memcpy(&g->tasks[2], &hi, sizeof(hi));
}

static const struct {
	const char *name;
	psi_call_t call;
} psi_mutants[] = {
	{ "mutant eats_clear", psi_bad_eats_clear },
	{ "mutant no_floor", psi_bad_no_floor },
	{ "mutant silent", psi_bad_silent },
	{ "mutant top_bit", psi_bad_top_bit },
	{ "mutant set_first", psi_bad_set_first },
	{ "mutant one_bit", psi_bad_one_bit },
	{ "mutant loud", psi_bad_loud },
	{ "mutant carry", psi_bad_carry },
};

#define PSI_MUTANTS	(sizeof(psi_mutants) / sizeof(psi_mutants[0]))

#endif

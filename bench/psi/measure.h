/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The measurement, the same in user space and in the module
 *
 * A trial is one form on one input, timed as a whole. All forms are tried in
 * turn before any is tried again, in an order drawn anew for each round, so
 * that a change of clock or a disturbance hits all of them alike. The first
 * round is the warm-up: its time is kept apart as "first". Output is one row
 * per form and input, ticks per call:
 *
 *	psi_bench: row KIND NAME CLEAR SET FORM MIN MEDIAN P90 FIRST
 *
 * The includer provides, beside what forms.h needs: u64, bool, psi_ticks(),
 * psi_quiet(), psi_unquiet() around each trial, psi_relax() between trials,
 * psi_out(fmt, ...) which prints one line with the prefix, psi_div(u64, u64)
 * and psi_sort(array of u64, n).
 *
 * A branch predictor learns a sequence that comes again and again, even one of
 * thousands of steps. So streams and mixes are measured in three ways, told
 * apart by the end of KIND:
 *
 *	(nothing)	before each timed pass the form runs, untimed, through
 *			a random mix, so that its branches have forgotten
 *	-learned	passes of the same stream, with those of the other
 *			forms between them: the kindest to branches
 *	-noisy		eight random branches before every call, part of the
 *			time, also that of "none": the unkindest
 *
 * Weak points: in the kernel the history holds the branches of a whole context
 * switch between two walks. Some of them tell what masks will come (a wakeup
 * goes another way than a sleep) and some are noise; none of the three ways
 * imitates that, the truth lies between the last two. A fixed pattern is
 * always learned completely.
 */
#ifndef BENCH_PSI_MEASURE_H
#define BENCH_PSI_MEASURE_H

/* Far from zero, and far from where a counter no longer fits 31 bits */
#define PSI_START	(1U << 29)
#define PSI_MAX_TRIALS	1001

/*
 * struct psi_input - what one row is measured on
 * @kind: first word of the row
 * @name: second word of the row
 * @steps: stream; NULL for a fixed pattern
 * @other: stream to run before each timed pass, or NULL
 * @calls: calls a trial; with @steps, its length
 * @clear: fixed pattern
 * @set: fixed pattern
 * @others: length of @other
 * @noisy: random branches between the calls
 */
struct psi_input {
	const char *kind;
	const char *name;
	const struct psi_step *steps;
	const struct psi_step *other;
	unsigned long calls;
	unsigned int clear;
	unsigned int set;
	unsigned int others;
	bool noisy;
};

struct psi_result {
	u64 min;
	u64 median;
	u64 p90;
	u64 first;
};

static const struct psi_form psi_forms[] = { PSI_ALL(PSI_FORM_ENTRY) };
static u64 psi_samples[PSI_NR_FORMS][PSI_MAX_TRIALS];
static struct psi_walk psi_groups[PSI_GROUPS];
static unsigned int psi_wanted[PSI_GROUPS][PSI_COUNTS];
static u64 psi_order_seed = 1;

static void psi_want(const struct psi_input *in)
{
	unsigned int g, t;
	unsigned long i;

	for (g = 0; g < PSI_GROUPS; g++)
		for (t = 0; t < PSI_COUNTS; t++)
			psi_wanted[g][t] = PSI_START;

	for (t = 0; t < PSI_COUNTS; t++) {
		if (!in->steps) {
			psi_wanted[0][t] += in->calls * ((in->set >> t) & 1);
			psi_wanted[0][t] -= in->calls * ((in->clear >> t) & 1);
			continue;
		}
		for (i = 0; i < in->calls; i++) {
			g = in->steps[i].group;
			psi_wanted[g][t] += (in->steps[i].set >> t) & 1;
			psi_wanted[g][t] -= (in->steps[i].clear >> t) & 1;
		}
	}
}

static bool psi_trial(const struct psi_form *form, const struct psi_input *in,
		      u64 *sample)
{
	unsigned int g, t;
	u64 start, end;

	for (g = 0; g < PSI_GROUPS; g++)
		for (t = 0; t < PSI_COUNTS; t++)
			psi_groups[g].tasks[t] = PSI_START;

	if (in->other)
		form->replay(psi_groups, in->other, in->others);

	for (g = 0; g < PSI_GROUPS; g++)
		for (t = 0; t < PSI_COUNTS; t++)
			psi_groups[g].tasks[t] = PSI_START;

	psi_quiet();
	start = psi_ticks();
	if (in->noisy)
		form->noisy(psi_groups, in->steps, in->calls);
	else if (in->steps)
		form->replay(psi_groups, in->steps, in->calls);
	else
		form->fixed(psi_groups, in->clear, in->set, in->calls);
	end = psi_ticks();
	psi_unquiet();
	psi_relax();

	/* Hundredths of a tick per call */
	*sample = psi_div((end - start) * 100, in->calls);

	for (g = 0; g < PSI_GROUPS; g++)
		for (t = 0; t < PSI_COUNTS; t++)
			if (psi_groups[g].tasks[t] !=
			    (form == psi_forms ? PSI_START : psi_wanted[g][t]))
				return false;

	return !psi_walk_bug;
}

/* False if a form left other counters than the arithmetic says */
static bool psi_measure(const struct psi_input *in, unsigned int trials,
			struct psi_result res[PSI_NR_FORMS])
{
	unsigned int order[PSI_NR_FORMS];
	unsigned int round, f, swap;
	u64 sample;

	psi_want(in);
	for (f = 0; f < PSI_NR_FORMS; f++)
		order[f] = f;

	for (round = 0; round <= trials; round++) {
		for (f = PSI_NR_FORMS - 1; f; f--) {
			unsigned int other = (unsigned int)
				(psi_random(&psi_order_seed) >> 33) % (f + 1);

			swap = order[f];
			order[f] = order[other];
			order[other] = swap;
		}

		for (f = 0; f < PSI_NR_FORMS; f++) {
			if (!psi_trial(&psi_forms[order[f]], in, &sample)) {
				psi_out("error: form %s miscounts on %s\n",
					psi_forms[order[f]].name, in->name);
				return false;
			}
			if (round)
				psi_samples[order[f]][round - 1] = sample;
			else
				res[order[f]].first = sample;
		}
	}

	for (f = 0; f < PSI_NR_FORMS; f++) {
		psi_sort(psi_samples[f], trials);
		res[f].min = psi_samples[f][0];
		res[f].median = psi_samples[f][trials / 2];
		res[f].p90 = psi_samples[f][trials * 9 / 10];
	}

	return true;
}

#define PSI_FRAC(v)	(unsigned long long)((v) / 100), \
			(unsigned int)((v) % 100)

static void psi_print(const struct psi_input *in,
		      const struct psi_result res[PSI_NR_FORMS])
{
	unsigned int f;

	for (f = 0; f < PSI_NR_FORMS; f++)
		psi_out("row %s %s %x %x %s %llu.%02u %llu.%02u %llu.%02u %llu.%02u\n",
			in->kind, in->name, in->clear, in->set,
			psi_forms[f].name, PSI_FRAC((u32)res[f].min),
			PSI_FRAC((u32)res[f].median), PSI_FRAC((u32)res[f].p90),
			PSI_FRAC((u32)res[f].first));
}

static bool psi_run_patterns(unsigned long calls, unsigned int trials)
{
	struct psi_result res[PSI_NR_FORMS];
	unsigned int p;

	for (p = 0; p < PSI_PATTERNS; p++) {
		struct psi_input in = {
			.kind = "fixed",
			.name = psi_patterns[p].name,
			.clear = psi_patterns[p].clear,
			.set = psi_patterns[p].set,
			.calls = calls,
		};

		if (!psi_measure(&in, trials, res))
			return false;
		psi_print(&in, res);
	}

	return true;
}

/* The mean over all pairs of masks, and on how many a form loses to old */
static bool psi_run_all_masks(unsigned long calls, unsigned int trials)
{
	static struct psi_result sum[PSI_NR_FORMS];
	struct psi_result res[PSI_NR_FORMS];
	unsigned int slower[PSI_NR_FORMS] = { 0 };
	unsigned int n, f, old = 1;
	struct psi_input in = {
		.kind = "all",
		.name = "mean-of-256",
		.calls = calls,
	};

	memset(sum, 0, sizeof(sum));
	for (n = 0; n < 256; n++) {
		in.clear = n & 0xf;
		in.set = n >> 4;
		if (!psi_measure(&in, trials, res))
			return false;

		for (f = 0; f < PSI_NR_FORMS; f++) {
			sum[f].min += res[f].min;
			sum[f].median += res[f].median;
			sum[f].p90 += res[f].p90;
			sum[f].first += res[f].first;
			/* By more than 2 %, so that ties are not counted */
			if (res[f].min * 100 > res[old].min * 102)
				slower[f]++;
		}
	}

	for (f = 0; f < PSI_NR_FORMS; f++) {
		sum[f].min = (u32)sum[f].min / 256;
		sum[f].median = (u32)sum[f].median / 256;
		sum[f].p90 = (u32)sum[f].p90 / 256;
		sum[f].first = (u32)sum[f].first / 256;
	}
	in.clear = 0;
	in.set = 0;
	psi_print(&in, sum);

	for (f = old + 1; f < PSI_NR_FORMS; f++)
		psi_out("slower %s %u of 256\n", psi_forms[f].name, slower[f]);

	return true;
}

static bool psi_run_steps(const char * const kinds[3], const char *name,
			  const struct psi_step *steps, unsigned long n,
			  const struct psi_step *other, unsigned int others,
			  unsigned int trials)
{
	struct psi_result res[PSI_NR_FORMS];
	unsigned int way;

	for (way = 0; way < 3; way++) {
		struct psi_input in = {
			.kind = kinds[way],
			.name = name,
			.steps = steps,
			.calls = n,
			.other = way == 0 ? other : NULL,
			.others = others,
			.noisy = way == 2,
		};

		if (!psi_measure(&in, trials, res))
			return false;
		psi_print(&in, res);
	}

	return true;
}

static const char * const psi_mix_kinds[] = {
	"mix", "mix-learned", "mix-noisy",
};

static const char * const psi_stream_kinds[] = {
	"stream", "stream-learned", "stream-noisy",
};

#endif

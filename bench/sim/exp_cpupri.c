// SPDX-License-Identifier: GPL-2.0-only
/*
 * Priorities of CPUs: counts and masks for each level, against a byte for each CPU
 *
 * A set is measured until the CPU can go on.  Bytes have a barrier when they lower.
 */
#include "exp.h"
#include "rt.h"

static const struct cpupri_form *const forms[] = {
	&cpupri_masks, &cpupri_apart, &cpupri_bytes, &cpupri_first,
};

#define NR_FORMS	ARRAY_SIZE(forms)

static const unsigned int sizes[] = { 16, 256, 1024 };

/* The machine nearest to size @i; false if that is the one before again. */
static bool shape(const struct options *o, unsigned int i, struct machine *m)
{
	struct machine last;

	*m = with_cpus(o->machine, sizes[i]);
	if (!i)
		return true;
	last = with_cpus(o->machine, sizes[i - 1]);
	return machine_cpus(m) != machine_cpus(&last);
}

static unsigned int sets_of(const struct machine *m)
{
	return machine_cpus(m) > 256 ? 12 : 40;
}

static void memory(const struct options *o)
{
	struct machine m;
	unsigned int i;
	size_t f;

	printf("\nBytes of a root domain\n%6s %6s |", "CPUs", "LLCs");
	for (f = 0; f < NR_FORMS - 1; f++)
		printf(" %8s", forms[f]->name);
	printf("\n");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!shape(o, i, &m))
			continue;
		printf("%6u %6u |", machine_cpus(&m), machine_llcs(&m));
		for (f = 0; f < NR_FORMS - 1; f++) {
			sim_begin(&m, o->seed);
			forms[f]->make();
			printf(" %8zu", forms[f]->memory());
			sim_end();
		}
		printf("\n");
	}
}

/* Sets alone. */
static void writers(const struct options *o)
{
	static const u64 stays[] = { US, 10 * US, 100 * US, MS };
	struct rt_result r;
	struct machine m;
	unsigned int i, k;
	size_t f;

	printf("\nNobody looks; ns of a set: raise NORMAL -> RT 50, lower RT 50 -> NORMAL\n");
	printf("%6s %6s %9s |", "", "", "");
	for (f = 0; f < NR_FORMS - 1; f++)
		printf(" %26s |", forms[f]->name);
	printf("\n%6s %6s %9s |", "CPUs", "LLCs", "each, us");
	for (f = 0; f < NR_FORMS - 1; f++)
		printf(" %8s %8s %8s |", "raise", "lower", "worst");
	printf("\n");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!shape(o, i, &m))
			continue;
		for (k = 0; k < ARRAY_SIZE(stays); k++) {
			printf("%6u %6u %9llu |", machine_cpus(&m), machine_llcs(&m),
			       (unsigned long long)(stays[k] / US));
			for (f = 0; f < NR_FORMS - 1; f++) {
				struct rt rt = {
					.machine	= &m,
					.form		= forms[f],
					.low		= stays[k],
					.high		= stays[k],
					.low_level	= LEVEL_NORMAL,
					.high_level	= 50,
					.sets		= sets_of(&m),
					.seed		= o->seed,
				};

				r = rt_run(&rt);
				printf(" %8.0f %8.0f %8.0f |", r.raise.ps / NS, r.lower.ps / NS,
				       (double)(r.raise.worst > r.lower.worst ?
						r.raise.worst : r.lower.worst) / NS);
			}
			printf("\n");
		}
	}
}

static void row(const struct cpupri_form *form, struct rt rt)
{
	struct rt_result r;

	rt.form = form;
	r = rt_run(&rt);
	printf("%6u %-6s | %8.0f %8.0f | %8.0f %8.0f | %8.0f | %6.1f %6.1f %6llu | %5.0f %5.0f\n",
	       machine_cpus(rt.machine), form->name, r.raise.ps / NS, r.lower.ps / NS,
	       r.find.ps / NS, (double)r.find.worst / NS,
	       (r.raise.ps + r.lower.ps + r.find.nr * r.find.ps / r.raise.nr) / NS,
	       r.find.lines, r.find.far, (unsigned long long)r.find.most, 100 * r.found,
	       r.found ? 100 * r.near / r.found : 0);
}

/* Sets and searches; a CPU that is low for @low and high for @high. */
static void finders(const struct options *o, const char *title, struct rt rt)
{
	struct machine m;
	unsigned int i;
	size_t f;

	printf("\n%s\n", title);
	printf("%6s %-6s | %17s | %17s | %8s | %20s | %11s\n", "", "", "a set, ns",
	       "a search, ns", "a wakeup", "lines of a search", "found, %");
	printf("%6s %-6s | %8s %8s | %8s %8s | %8s | %6s %6s %6s | %5s %5s\n", "CPUs", "form",
	       "raise", "lower", "mean", "worst", "ns", "lines", "far", "most", "any", "near");
	rt.machine = &m;
	rt.seed = o->seed;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!shape(o, i, &m))
			continue;
		rt.sets = sets_of(&m);
		for (f = 0; f < NR_FORMS; f++) {
			/* The last differs where a CPU may be normal. */
			if (f < NR_FORMS - 1 || rt.low_level == LEVEL_NORMAL)
				row(forms[f], rt);
		}
	}
}

/* @us is the shorter stay; @all: also the loads in which bytes search a leaf. */
static void loads(const struct options *o, unsigned int us, bool all)
{
	struct rt rt = { .low_level = LEVEL_NORMAL, .high_level = 50, .find_level = 60 };

	printf("\nThe shorter stay is %u us\n", us);
	rt.low = 7 * us * US;
	rt.high = us * US;
	rt.finds = 125;
	if (all)
		finders(o, "An eighth of the CPUs at RT 50, the others NORMAL; 1 wakeup of 8 looks, at 60",
			rt);

	rt.low = us * US;
	rt.high = 7 * us * US;
	rt.finds = 875;
	finders(o, "Seven eighths at RT 50, the others NORMAL; 7 wakeups of 8 look, at 60", rt);

	rt.high = us * US;
	rt.finds = 1000;
	rt.low_level = 1;
	rt.nr_low = 4;
	rt.nr_high = 4;
	finders(o, "No CPU NORMAL: half at RT 1 to 4, half at RT 50 to 53; each wakeup looks, at 60", rt);

	rt.low_level = 50;
	rt.find_level = 50;
	rt.high_level = 60;
	finders(o, "Nothing to be found: half at RT 50 to 53, half at RT 60 to 63; each wakeup looks, at 50",
		rt);

	rt.low_level = 1;
	rt.nr_low = 30;
	rt.high_level = 31;
	rt.nr_high = 30;
	rt.find_level = 61;
	rt.pinned = true;
	if (all)
		finders(o, "Tasks of one LLC: half at RT 1 to 30, half at RT 31 to 60; each wakeup looks, at 61",
			rt);
}

void exp_cpupri(const struct options *o)
{
	printf("masks: as in the base.  apart: the same, each count, mask and level on a line of its "
	       "own.\nbytes: a byte for each CPU, a leaf for each LLC, a barrier after lowering; a "
	       "search ends in\nits own leaf if that has a NORMAL CPU.  first: it ends with the first "
	       "leaf that has one.\na wakeup: raise, lower, and its part of the searches.  far: from "
	       "beyond the LLC.  near: of the\nsearches that found a CPU, those that found one in the "
	       "LLC.\n");
	memory(o);
	writers(o);
	loads(o, 100, true);
	loads(o, 1000, false);
}

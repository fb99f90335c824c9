// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of psi's task-count walk, by form, as a kernel module
 *
 * Measures what the user-space program of the same name does, with the same
 * source, compiled by kbuild with the kernel's own flags, __ffs() and
 * for_each_set_bit(): fixed patterns, random mixes, recorded streams (built
 * in by streams.awk) and all 16 x 16 pairs of masks. First comes the
 * self-check; nothing is measured if a form is wrong.
 *
 * Units: TSC ticks on x86-64, also in UML; else nanoseconds.
 *
 * Method: see measure.h. Interrupts are off during a trial.
 *
 * Weak points: in UML "interrupts off" only keeps UML's own signals away; the
 * host still interrupts and preempts. UML compiles modules for the large code
 * model: every call in the measured loops is indirect there, though always to
 * the same place. A whole run takes seconds in which the
 * loading task does not sleep between trials unless it has to.
 *
 * Loading: all work is done in the init function, which then fails with
 * -EAGAIN, so that the module can be loaded again at once. Rows in the log
 * begin with "psi_bench: row"; the last line is "psi_bench: done" or begins
 * with "psi_bench: error".
 */
#define pr_fmt(fmt) "psi_bench: " fmt

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

static int psi_walk_bug;
static int psi_walk_once = 1;

__printf(1, 2) __cold void psi_walk_report(const char *fmt, ...);

#include "../forms.h"
#include "../trials.h"

static u64 psi_noise_seed = 0x9e3779b97f4a7c15ULL;

PSI_ALL(PSI_DEFINE_TRIALS)

#include "../check.h"

static inline u64 psi_ticks(void)
{
#ifdef __x86_64__
	u32 lo, hi;

	__asm__ __volatile__("lfence; rdtsc; lfence"
			     : "=a" (lo), "=d" (hi) : : "memory");

	return (u64)hi << 32 | lo;
#else
	return ktime_get_ns();
#endif
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static unsigned long psi_irq_flags;

#define psi_quiet()	local_irq_save(psi_irq_flags)
#define psi_unquiet()	local_irq_restore(psi_irq_flags)
#define psi_relax()	cond_resched()
#define psi_div(a, b)	div64_u64(a, b)
#define psi_sort(v, n)	sort(v, n, sizeof(u64), compare_u64, NULL)
#define psi_out(...)	pr_info(__VA_ARGS__)

#include "../measure.h"
#include "streams.h"

#define MIX_STEPS	65536

static unsigned int calls = 2000000;
module_param(calls, uint, 0444);
MODULE_PARM_DESC(calls, "calls a trial of a fixed pattern");

static unsigned int trials = 21;
module_param(trials, uint, 0444);
MODULE_PARM_DESC(trials, "timed trials per form and input");

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "of the random mixes and of the order");

static bool psi_check(void)
{
	unsigned int f, mode, right, passed = 0, failed = 0;
	struct psi_outcome want, got;
	unsigned int masks[2];
	bool whole;

	for (f = 1; f < PSI_NR_FORMS; f++) {
		for (mode = 0; mode < PSI_MODES; mode++) {
			right = psi_check_form(psi_forms[f].call, mode, masks,
					       &want, &got);
			if (right == PSI_CASES) {
				passed++;
				continue;
			}
			failed++;
			pr_err("error: %s, %s: %u of %u cases\n",
			       psi_forms[f].name, psi_mode_names[mode], right,
			       PSI_CASES);
		}
		cond_resched();
	}

	for (f = 0; f < PSI_MUTANTS; f++) {
		whole = true;
		for (mode = 0; mode < PSI_MODES; mode++)
			if (psi_check_form(psi_mutants[f].call, mode, masks,
					   &want, &got) != PSI_CASES)
				whole = false;
		cond_resched();
		if (!whole) {
			passed++;
			continue;
		}
		failed++;
		pr_err("error: %s is not caught\n", psi_mutants[f].name);
	}

	pr_info("check %u passed, %u failed\n", passed, failed);

	return !failed;
}

static bool psi_run(struct psi_step *steps, struct psi_step *other)
{
	unsigned int i, n;

	if (!psi_run_patterns(calls, trials))
		return false;

	psi_make_mix(&psi_mixes[0], other, MIX_STEPS, seed + 1000);
	for (i = 0; i < PSI_MIXES; i++) {
		psi_make_mix(&psi_mixes[i], steps, MIX_STEPS, seed);
		if (!psi_run_steps(psi_mix_kinds, psi_mixes[i].name, steps,
				   MIX_STEPS, other, MIX_STEPS, trials))
			return false;
	}

	for (i = 0; psi_streams[i].name; i++) {
		for (n = 0; n < psi_streams[i].calls && n < MIX_STEPS; n++) {
			steps[n].clear = psi_streams[i].steps[n] & 0xf;
			steps[n].set = psi_streams[i].steps[n] >> 4 & 0xf;
			steps[n].group = psi_streams[i].steps[n] >> 8;
		}
		if (!psi_run_steps(psi_stream_kinds, psi_streams[i].name,
				   steps, n, other, MIX_STEPS, trials))
			return false;
	}

	return psi_run_all_masks(calls / 100, trials);
}

static int __init psi_bench_init(void)
{
	struct psi_step *steps, *other;

	if (calls < 100 || calls > 100000000 || !trials ||
	    trials > PSI_MAX_TRIALS)
		return -EINVAL;

	pr_info("compiler %s\n", CONFIG_CC_VERSION_TEXT);
	pr_info("calls %u trials %u seed %u\n", calls, trials, seed);
	psi_order_seed = seed * 2ULL + 1;

	if (!psi_check())
		return -EINVAL;

	steps = vmalloc_array(MIX_STEPS, sizeof(*steps));
	other = vmalloc_array(MIX_STEPS, sizeof(*other));
	if (steps && other && psi_run(steps, other))
		pr_info("done\n");
	vfree(other);
	vfree(steps);

	return -EAGAIN;
}
module_init(psi_bench_init);

MODULE_DESCRIPTION("Cost of psi's task-count walk, by form");
MODULE_LICENSE("GPL");

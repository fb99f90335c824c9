// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who looks at the set when the ticks of all CPUs come at the same time
 *
 * Without skew_tick= they do, but for a jitter that is assumed here.  A CPU that
 * finds next_balance due looks at the set, and if that is empty, so does each other
 * one.  With patch 14, others of its LLC do not.  It could move next_balance as well,
 * so that no other does, but for those that have begun.  "looks again": one that is
 * about to kick reads next_balance once more, which the series does not.
 */
#include "exp.h"

static void row(struct nohz n, const char *name)
{
	struct nohz_result r = nohz_run(&n);
	const struct act_stat *a = r.act;

	printf("%-34s | %7.1f %7.1f | %8.1f | %9.0f %9.0f\n", name,
	       (double)a[ACT_EMPTY].nr / n.ticks, (double)a[ACT_FIND].nr / n.ticks,
	       r.time_moves / (n.ticks + 2.0), r.tick_mean / NS, (double)r.tick_worst / NS);
}

static void head(const struct nohz *n, const char *what)
{
	printf("\n%u CPUs, %s, jitter %.1f us\n", machine_cpus(n->machine), what,
	       (double)n->jitter / US);
	printf("%-34s | %15s | %8s | %19s\n", "", "a jiffy", "moves of", "a tick, ns");
	printf("%-34s | %7s %7s | %8s | %9s %9s\n", "", "tests", "finds", "its line", "mean",
	       "worst");
}

static void busy(struct nohz n)
{
	n.idle = 0;
	head(&n, "all busy");
	n.form = &form_global;
	row(n, "global, a test each tick: the base");
	n.form = &form_sbm;
	row(n, "sbm, a test each tick");
	n.once = ONCE_LLC;
	row(n, "sbm, one a jiffy and LLC (14)");
	n.once = ONCE_GLOBAL;
	row(n, "sbm, one a jiffy");
	n.once = ONCE_GLOBAL_STORE;
	row(n, "sbm, one a jiffy, plain store");
}

static void mixed(struct nohz n)
{
	n.idle = MS;
	n.idlers = 1;
	head(&n, "1 ms busy, 1 ms idle");
	n.form = &form_global;
	n.once = ONCE_NOT;
	n.flags = FLAGS_STORE;
	row(n, "global: the base");
	n.look_again = true;
	row(n, "global, looks again");
	n.form = &form_sbm;
	n.flags = FLAGS_APART;
	n.once = ONCE_LLC;
	n.look_again = false;
	row(n, "sbm: the series");
	n.look_again = true;
	row(n, "sbm, looks again");
}

void exp_ticks(const struct options *o)
{
	static const unsigned int sizes[] = { 64, 256, 1024 };
	static const u64 jitters[] = { US / 2, 2 * US, 10 * US };
	struct machine m;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (k = 0; k < ARRAY_SIZE(jitters); k++) {
			m = with_cpus(o->machine, sizes[i]);
			struct nohz n = {
				.machine	= &m,
				.flags		= FLAGS_APART,
				.busy		= MS,
				.jitter		= jitters[k],
				.ticks		= sizes[i] > 256 ? 5 : 10,
				.seed		= o->seed,
			};

			busy(n);
			mixed(n);
		}
	}
}

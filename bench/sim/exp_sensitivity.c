// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each latency is worth: the published experiment with each one halved and
 * doubled, and with what no public number is known of turned round
 */
#include <math.h>

#include "exp.h"

#define OPS		16

/* More where one that is near is served many times before one that waits. */
#define OPS_NEAR	80

struct change {
	const char	*name;
	size_t		offset;
	unsigned int	num, den;	/* of a time; 0 is an unsigned int set to num */
	bool		model;		/* not a latency: not part of the range */
};

#define TIME(field, num, den)	\
	{ #field, offsetof(struct machine, field), num, den, false }
#define MODEL(field, value, name)	\
	{ name, offsetof(struct machine, field), value, 0, true }
#define BOTH(field)		TIME(field, 1, 2), TIME(field, 2, 1)

static const struct change changes[] = {
	{ "as in the file", 0, 1, 1, false },
	BOTH(lat[DIST_OWN]),
	BOTH(locked),
	BOTH(sibling),
	BOTH(lat[DIST_LLC]),
	BOTH(lat[DIST_NODE]),
	BOTH(lat[DIST_SOCKET]),
	BOTH(store),
	BOTH(fence),
	TIME(port, 0, 2),
	TIME(port, 5, 1),
	MODEL(handoff, 50, "handoff 50 %"),
	MODEL(near, 2, "near 2"),
	MODEL(near, 8, "near 8"),
	MODEL(protocol, 2, "MESI/MOESI"),
	MODEL(split_smt, 0, "smt side by side"),
	MODEL(stores, 1, "a store of 1"),
};

static struct machine changed(struct machine m, const struct change *c)
{
	void *field = (char *)&m + c->offset;

	if (!c->den && c->offset == offsetof(struct machine, protocol))
		m.protocol = m.protocol == MESI ? MOESI : MESI;
	else if (!c->den)
		*(unsigned int *)field = c->num;
	else if (c->offset)
		*(u64 *)field = *(u64 *)field * c->num / c->den;
	return m;
}

/* The lowest and the highest of a column. */
struct range {
	double low, high;
};

static void extend(struct range *r, double x)
{
	r->low = fmin(r->low, x);
	r->high = fmax(r->high, x);
}

static void print_name(const struct change *c)
{
	char name[64];

	if (c->den && c->offset)
		snprintf(name, sizeof(name), "%s * %u/%u", c->name, c->num, c->den);
	else
		snprintf(name, sizeof(name), "%s", c->name);
	printf("%-22s", name);
}

enum ratio { LLC_BYTE, LLC_NOHZ, LLC_BARRIER, GLOBAL_BYTE, GLOBAL_NOHZ,
	     GLOBAL_BARRIER, NR_RATIOS };

static void print_ratios(const char *name, const double *ratio)
{
	printf("%-22s %9s %6s %6s %6s %6s %6s | %6.2f %6.2f %6.2f | %7.0f %7.0f %7.0f\n",
	       name, "", "", "", "", "", "", ratio[LLC_BYTE], ratio[LLC_NOHZ],
	       ratio[LLC_BARRIER], ratio[GLOBAL_BYTE], ratio[GLOBAL_NOHZ],
	       ratio[GLOBAL_BARRIER]);
}

static void table(const struct options *o, u64 think)
{
	struct range range[NR_RATIOS];
	double global, numa, llc, byte, nohz, barrier;
	double ratio[NR_RATIOS], low[NR_RATIOS], high[NR_RATIOS];
	struct machine m;
	unsigned int i, k, ops;

	for (k = 0; k < NR_RATIOS; k++)
		range[k] = (struct range){ INFINITY, 0 };

	printf("\n%llu ns between two operations\n", (unsigned long long)(think / NS));
	printf("%-22s %9s %6s %6s %6s %6s %6s | %6s %6s %6s | %7s %7s %7s\n", "", "global",
	       "numa", "llc", "byte", "nohz", "all", "llc/", "llc/", "llc/", "global/",
	       "global/", "global/");
	printf("%-22s %9s %6s %6s %6s %6s %6s | %6s %6s %6s | %7s %7s %7s\n", "", "ns", "%",
	       "%", "%", "%", "%", "byte", "nohz", "all", "byte", "nohz", "all");
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		m = changed(o->machine, &changes[i]);
		ops = m.near ? OPS_NEAR : OPS;
		global = op_time(&m, &form_global, BARRIER_NONE, think, ops, o->seed);
		numa = op_time(&m, &form_numa, BARRIER_NONE, think, ops, o->seed);
		llc = op_time(&m, &form_llc, BARRIER_NONE, think, ops, o->seed);
		byte = op_time(&m, &form_sbm, BARRIER_NONE, think, ops, o->seed);
		nohz = op_time(&m, &form_sbm, BARRIER_SET, think, ops, o->seed);
		barrier = op_time(&m, &form_sbm, BARRIER_ALL, think, ops, o->seed);

		ratio[LLC_BYTE] = llc / byte;
		ratio[LLC_NOHZ] = llc / nohz;
		ratio[LLC_BARRIER] = llc / barrier;
		ratio[GLOBAL_BYTE] = global / byte;
		ratio[GLOBAL_NOHZ] = global / nohz;
		ratio[GLOBAL_BARRIER] = global / barrier;
		for (k = 0; k < NR_RATIOS && !changes[i].model; k++)
			extend(&range[k], ratio[k]);

		print_name(&changes[i]);
		printf(" %9.0f %6.2f %6.3f %6.3f %6.3f %6.3f | %6.2f %6.2f %6.2f | "
		       "%7.0f %7.0f %7.0f\n",
		       global / NS, 100 * numa / global, 100 * llc / global,
		       100 * byte / global, 100 * nohz / global, 100 * barrier / global,
		       ratio[LLC_BYTE], ratio[LLC_NOHZ], ratio[LLC_BARRIER],
		       ratio[GLOBAL_BYTE], ratio[GLOBAL_NOHZ], ratio[GLOBAL_BARRIER]);
	}
	for (k = 0; k < NR_RATIOS; k++) {
		low[k] = range[k].low;
		high[k] = range[k].high;
	}
	print_ratios("lowest, latencies", low);
	print_ratios("highest, latencies", high);
	printf("target: byte leaves at least 2 times cheaper than llc: byte %s, nohz %s, "
	       "all %s; 100 times cheaper than global: byte %s, nohz %s, all %s\n",
	       yes(low[LLC_BYTE] >= 2), yes(low[LLC_NOHZ] >= 2), yes(low[LLC_BARRIER] >= 2),
	       yes(low[GLOBAL_BYTE] >= 100), yes(low[GLOBAL_NOHZ] >= 100),
	       yes(low[GLOBAL_BARRIER] >= 100));
}

void exp_sensitivity(const struct options *o)
{
	printf("%u CPUs, %u per LLC.  byte: sbm until the CPU can go on; nohz: with a barrier "
	       "after each set,\nas nohz has it; all: with a barrier after each operation.  "
	       "numa to all in %% of global.\n", machine_cpus(&o->machine),
	       machine_llc_cpus(&o->machine));
	table(o, 0);
	table(o, 50 * NS);
	table(o, 1 * US);
}

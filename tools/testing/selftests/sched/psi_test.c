// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pressure stall information against loads whose stall time is known.
 *
 * Three facts hold on a machine of any size, speed and load, and nearly every
 * case rests on one of them:
 *
 *  - Two hogs pinned to one CPU leave a task waiting at all times, whoever
 *    else runs there. Their group's cpu "some" time is the time that passes.
 *  - A task that is alone in its group and waits for I/O or memory stalls the
 *    group fully or not at all: "some" and "full" agree to the microsecond.
 *  - A group without runnable, I/O-waiting or memory-stalled tasks does not
 *    stall: its totals stand still.
 *
 * Two things stand between these facts and what the kernel shows:
 *
 *  - Reading a total folds the per-CPU times since the last fold into it, and
 *    so does a worker every two seconds. CPUs are weighted by whole jiffies
 *    of non-idle time, so a fold after less than a jiffy is lost. FOLD_LOSS
 *    allows five such losses at HZ=100; one at either end of a window is
 *    usual, more come from others who read the same file.
 *  - The weights make a stall on one CPU count less in the system the busier
 *    the other CPUs are: where that CPU is non-idle for W and the others for
 *    B in all, a share of W / (W + B) is left. /proc/stat tells B, in clock
 *    ticks, and SYSTEM_SHARE allows for their rounding.
 */
#include "psi_util.h"

/* A lone task has to stall for more than a moment to be seen. */
#define MIN_STALL	(50 * MSEC)

#define WINDOW		(500 * MSEC)
#define FOLD_LOSS	(50 * MSEC)
#define SYSTEM_SHARE	0.75

/* The averages are updated every two seconds: two updates, and a slow guest. */
#define TWO_UPDATES	(8 * SEC)

/* The system, the test's top group, and those below it. */
enum { SYSTEM, TOP, MAX_LEVELS = TOP + 1 + MAX_DEPTH };

struct sample {
	long long begin;
	long long end;
	long long idle;
	long long others_idle;
	struct stall at[MAX_LEVELS][NR_RES];
};

/* The ends of a window, and the groups to look at: NULL is the system. */
static struct sample before, after;
static char *level[MAX_LEVELS];
static int nr_levels = 1;

static int nr_others;

/* The idle time so far. What waits for I/O counts as busy, as it does in psi. */
static void get_idle(struct sample *s)
{
	long long ticks, idle;
	char line[BUF_SIZE];
	FILE *f;
	int id;

	f = fopen("/proc/stat", "r");
	if (!f)
		ksft_exit_fail_perror("/proc/stat");

	nr_others = 0;
	s->others_idle = 0;
	/* The first line is the sum of all CPUs. */
	fgets(line, sizeof(line), f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "cpu%d %*d %*d %*d %lld", &id, &ticks) != 2)
			continue;
		idle = ticks * SEC / sysconf(_SC_CLK_TCK);
		if (id == cpu) {
			s->idle = idle;
		} else {
			s->others_idle += idle;
			nr_others++;
		}
	}
	fclose(f);
}

static void take_sample(struct sample *s)
{
	int i, r;

	s->begin = now();
	get_idle(s);
	for (r = 0; r < NR_RES; r++)
		for (i = 0; i < nr_levels; i++)
			s->at[i][r] = get_stall(level[i], r);
	s->end = now();
}

static void take_window(long long length)
{
	take_sample(&before);
	usleep(length);
	take_sample(&after);
}

static long long passed(void)
{
	return after.begin - before.begin;
}

static long long growth(int i, enum res res)
{
	return after.at[i][res].some - before.at[i][res].some;
}

static long long others_busy(void)
{
	long long busy = nr_others * passed() - (after.others_idle - before.others_idle);

	return busy > 0 ? busy : 0;
}

/* The part of a stall on our CPU that is left in the system's total. */
static double share_of_cpu(void)
{
	return (double)passed() / (passed() + others_busy());
}

static double system_rate(long long length)
{
	take_window(length);
	return (double)growth(SYSTEM, CPU) / passed();
}

/* Keeps the highest average in @peak: the update after a load has some of it. */
static bool avg10_is_below(double *peak)
{
	double avg10 = get_stall(NULL, CPU).avg10;

	if (avg10 > *peak)
		*peak = avg10;
	return avg10 < *peak;
}

static void test_system_cpu(void)
{
	bool rises = false, falls = false, avg_rises = false, avg_falls = false, calm;
	const char *busy = NULL, *recent = NULL;
	double base, loaded, share, start, goal, peak;
	long long all_busy;

	/* There is no pressure, whatever psi tells, without CPUs that are busy. */
	calm = wait_for((base = system_rate(WINDOW)) < share_of_cpu() / 10, SOON);
	all_busy = passed() - (after.idle - before.idle) + others_busy();
	if (!calm && all_busy > base * SYSTEM_SHARE * passed())
		busy = "the machine is under CPU pressure already";

	/* Room for avg10 to rise is asked for apart: it falls slowly. */
	start = after.at[SYSTEM][CPU].avg10;
	if (start > share_of_cpu() * 80)
		recent = "the machine was under CPU pressure just now";

	if (!busy) {
		start_load(hog, NULL, true);
		start_load(hog, NULL, true);
		loaded = system_rate(WINDOW);
		share = share_of_cpu();
		rises = loaded > share * SYSTEM_SHARE && loaded - base > share / 2;
		ksft_print_msg("system: %.1f %%, hogs on CPU %d %.1f %% (expect %.1f)\n",
			       base * 100, cpu, loaded * 100, share * 100);

		/* An update after two seconds of load goes 18 % of the way to it. */
		goal = start + (share * 100 - start) / 10;
		avg_rises = !recent &&
			    wait_for(get_stall(NULL, CPU).avg10 >= goal, TWO_UPDATES);
		peak = get_stall(NULL, CPU).avg10;
		kill_tasks();

		falls = wait_for(system_rate(QUIET_WINDOW) < loaded / 2, SOON);
		avg_falls = !recent && wait_for(avg10_is_below(&peak), TWO_UPDATES);
		ksft_print_msg("then %.1f %%; avg10 from %.2f to %.2f to %.2f\n",
			       100.0 * growth(SYSTEM, CPU) / passed(), start, peak,
			       get_stall(NULL, CPU).avg10);
	}

	report(busy, rises, "system cpu pressure rises while two hogs share a CPU");
	report(busy, falls, "system cpu pressure falls when the hogs are gone");
	report(busy ?: recent, avg_rises && avg_falls, "system cpu avg10 rises and falls");
}

/* @fn does nothing but wait for @res. */
static void test_lone_task(enum res res, void (*fn)(void), const char *skip)
{
	bool counts = false, stops = false;
	long long system;
	struct stall own;
	char *group;

	if (!skip) {
		group = new_group(top, "lone");
		system = get_stall(NULL, res).some;
		start_load(fn, group, true);
		counts = wait_for(get_stall(group, res).some >= MIN_STALL, SOON);
		own = get_stall(group, res);
		system = get_stall(NULL, res).some - system;
		ksft_print_msg("%s: some %lld us, full %lld us, system %lld us\n",
			       res_name[res], own.some, own.full, system);
		counts &= own.full == own.some && system > 0;

		kill_tasks();
		stops = wait_for(is_quiet(&group, 1), SOON);
		drop_groups(1);
	}

	report(skip, counts, "%s stall of a lone task is some, full and the system's",
	       res_name[res]);
	report(skip, stops, "%s stall ends with the task", res_name[res]);
}

/*
 * All the load is in the leaf. Every group above it then has the very same
 * tasks, and its stall grows by the same, but for the time that it takes to
 * read one level after the other, at both ends, and for what folding loses.
 * The system has other tasks, too: its stall grows by its share of the leaf's
 * or more, and not by more than the time that passed.
 */
static bool levels_agree(enum res res)
{
	long long slack = (before.end - before.begin) + (after.end - after.begin) + FOLD_LOSS;
	long long leaf = growth(nr_levels - 1, res), system = growth(SYSTEM, res);
	long long least = leaf * share_of_cpu() * SYSTEM_SHARE - slack;
	bool ok = leaf > 0;
	int i;

	/* The hogs stall the leaf all the time. */
	if (res == CPU)
		ok = llabs(leaf - passed()) <= slack;

	for (i = TOP; i < nr_levels; i++) {
		ok &= llabs(growth(i, res) - leaf) <= slack;
		ok &= after.at[i][res].full <= after.at[i][res].some;
	}
	ok &= system >= least && system <= passed() + slack;

	ksft_print_msg("%s in %lld us: leaf %lld, top %lld, +- %lld; system %lld, at least %lld\n",
		       res_name[res], passed(), leaf, growth(TOP, res), slack,
		       system, least > 0 ? least : 0);
	return ok;
}

static void test_tree(int depth)
{
	const char * const skip[NR_RES] = { no_group, no_memory, no_disk };
	bool agree[NR_RES] = {}, idle = false;
	char *leaf, *sibling;
	int i, r;

	if (!no_group) {
		nr_levels = TOP + 1 + depth;
		for (i = TOP + 1; i < nr_levels; i++)
			level[i] = new_group(level[i - 1], "sub");
		leaf = level[nr_levels - 1];
		sibling = new_group(level[nr_levels - 2], "idle");

		start_load(hog, leaf, true);
		start_load(hog, leaf, true);
		if (!no_disk)
			start_load(reader, leaf, true);
		if (!no_memory) {
			start_load(allocator, leaf, true);
			wait_for(get_stall(leaf, MEMORY).some, SOON);
		}
		take_window(WINDOW);
		kill_tasks();

		for (r = 0; r < NR_RES; r++)
			agree[r] = !skip[r] && levels_agree(r);
		idle = !sum_of_stalls(&sibling, 1);
		drop_groups(1);
	}

	for (r = 0; r < NR_RES; r++)
		report(skip[r], agree[r], "%s stall agrees at all levels, %d deep",
		       res_name[r], depth);
	report(no_group, idle, "a sibling without tasks has no stall, %d deep", depth);
}

int main(void)
{
	psi_setup();
	ksft_set_plan(19);
	level[TOP] = top;

	test_system_cpu();
	test_lone_task(MEMORY, allocator, no_memory);
	test_lone_task(IO, reader, no_disk);
	test_tree(1);
	test_tree(4);
	test_tree(MAX_DEPTH);

	ksft_finished();
}

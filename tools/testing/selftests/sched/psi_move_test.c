// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that move between cgroups take their pressure stall state with them.
 *
 * A task is moved from the outside, at any point of its sleeping, waking,
 * running and waiting. Whatever is taken out of the old group has to be put
 * into the new one: a count that is left behind stalls its group for ever, one
 * that is missing underflows, which psi reports.
 */
#include "psi_util.h"

#define NR_MOVES	10000

static void sleeper(void)
{
	for (;;)
		pause();
}

static void napper(void)
{
	for (;;)
		usleep(100);
}

/* Move the tasks back and forth, one at a time; returns the number of moves. */
static int move_tasks(char *const to[2])
{
	int fd[2], i, len;
	char pid[16];

	for (i = 0; i < 2; i++) {
		fd[i] = cg_open(to[i], "cgroup.procs", O_WRONLY);
		if (fd[i] < 0)
			ksft_exit_fail_perror("cgroup.procs");
	}
	for (i = 0; i < NR_MOVES; i++) {
		len = snprintf(pid, sizeof(pid), "%d", tasks[i % nr_tasks]);
		if (write(fd[i / nr_tasks % 2], pid, len) != len) {
			ksft_perror("a task cannot be moved");
			break;
		}
	}
	close(fd[0]);
	close(fd[1]);

	return i;
}

static void test_moves(void)
{
	const char * const skip[NR_RES] = { NULL, no_memory, no_disk };
	int i, r, made, nr_stoppable;
	long long begin, stall[2];
	bool moved, quiet;
	char *group[3];

	group[0] = new_group(top, "a");
	group[1] = new_group(top, "b");
	group[2] = top;

	for (i = 0; i < 2; i++) {
		start_load(sleeper, group[1], false);
		start_load(napper, group[1], false);
		start_load(hog, group[1], true);
		start_load(hog, group[1], false);
		if (!no_disk)
			start_load(reader, group[1], false);
	}
	/* A task that is throttled for its memory cannot be stopped. */
	nr_stoppable = nr_tasks;
	for (i = 0; i < 2 && !no_memory; i++)
		start_load(allocator, group[1], false);
	wait_for(no_memory || get_stall(group[1], MEMORY).some, SOON);

	begin = now();
	made = move_tasks(group);
	ksft_print_msg("%d moves in %lld ms\n", made, (now() - begin) / MSEC);

	/* Moves of tasks that never stall would tell nothing. */
	moved = made == NR_MOVES;
	for (r = 0; r < NR_RES; r++) {
		for (i = 0; i < 2; i++)
			stall[i] = get_stall(group[i], r).some;
		ksft_print_msg("%s stall: %lld and %lld us%s%s\n", res_name[r], stall[0],
			       stall[1], skip[r] ? ", " : "", skip[r] ?: "");
		moved &= skip[r] || (stall[0] && stall[1]);
	}
	report(NULL, moved, "%d moves of sleeping, running and waiting tasks", NR_MOVES);

	for (i = 0; i < nr_tasks; i++)
		kill(tasks[i], i < nr_stoppable ? SIGSTOP : SIGKILL);
	quiet = wait_for(is_quiet(group, ARRAY_SIZE(group)), SOON);
	report(NULL, quiet, "no stall is left when the moved tasks sleep");

	kill_tasks();
	quiet = wait_for(is_quiet(group, ARRAY_SIZE(group)), SOON);
	report(NULL, quiet, "no stall is left when the moved tasks are gone");
}

/*
 * Read the kernel log to its end; true if psi has something to say there. Not
 * of CPU -1: this is psi's own KUnit suite, which has the message printed.
 */
static bool psi_complained(int kmsg)
{
	bool found = false;
	char buf[8192];
	ssize_t len;

	for (;;) {
		len = read(kmsg, buf, sizeof(buf) - 1);
		if (len < 0 && errno == EPIPE)
			continue;
		if (len <= 0)
			return found;
		buf[len] = '\0';
		if (strstr(buf, ";psi: ") && !strstr(buf, " cpu=-1 ")) {
			ksft_print_msg("kernel log: %s", buf);
			found = true;
		}
	}
}

int main(void)
{
	bool complaint;
	int kmsg;

	psi_setup();
	if (no_group)
		ksft_exit_skip("%s\n", no_group);
	ksft_set_plan(4);

	/*
	 * psi reports one fault per boot and is silent from then on: a message
	 * from before the test counts, as a new one could not be seen.
	 */
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	test_moves();
	complaint = psi_complained(kmsg);
	report(kmsg < 0 ? "cannot read the kernel log" : NULL, !complaint,
	       "no psi message in the kernel log");

	ksft_finished();
}

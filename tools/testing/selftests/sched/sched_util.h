/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the scheduler share: time, results, tasks of the load, and
 * a way out that leaves nothing behind.
 *
 * A test defines cleanup(), which undoes what it has done to the system, in any
 * state. It runs in a signal handler, too: no streams, no memory allocation.
 */
#ifndef SCHED_UTIL_H
#define SCHED_UTIL_H

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "kselftest.h"

/* All times are in microseconds. */
#define MSEC		1000LL
#define SEC		(1000 * MSEC)

/* Seconds for a whole program: less than the runner allows. */
#define TEST_TIMEOUT	160

/* A task for each CPU that any configuration has, and some more. */
#define MAX_CPUS	8192
#define MAX_TASKS	(MAX_CPUS + 64)

#define wait_for(condition, time)				\
({								\
	long long __until = now() + (time);			\
	bool __done;						\
								\
	while (!(__done = (condition)) && now() < __until)	\
		usleep(20 * MSEC);				\
	__done;							\
})

static pid_t tasks[MAX_TASKS];
static int nr_tasks;

static void cleanup(void);

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec / 1000;
}

static __printf(3, 4) void report(const char *skip, bool ok, const char *fmt, ...)
{
	char name[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);

	if (skip)
		ksft_test_result_skip("%s: %s\n", name, skip);
	else
		ksft_test_result(ok, "%s\n", name);
}

static void kill_tasks(void)
{
	int i;

	for (i = 0; i < nr_tasks; i++)
		kill(tasks[i], SIGKILL);
	for (; nr_tasks; nr_tasks--)
		waitpid(tasks[nr_tasks - 1], NULL, 0);
}

static void die(int sig)
{
	cleanup();
	dprintf(STDOUT_FILENO, "Bail out! %s\n",
		sig == SIGALRM ? "timed out" : "interrupted");
	_exit(KSFT_FAIL);
}

static void set_signals(void (*handler)(int))
{
	static const int sigs[] = { SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM, SIGALRM };
	struct sigaction sa = { .sa_handler = handler };
	unsigned int i;

	sigfillset(&sa.sa_mask);
	for (i = 0; i < ARRAY_SIZE(sigs); i++)
		sigaction(sigs[i], &sa, NULL);
}

/* To be called before there is anything to clean up. */
static void clean_up_at_exit(void)
{
	atexit(cleanup);
	set_signals(die);
	alarm(TEST_TIMEOUT);
}

static bool pin(pid_t pid, int cpu)
{
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	bool ok;

	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	ok = !sched_setaffinity(pid, size, set);
	CPU_FREE(set);

	return ok;
}

/* Start a task. No signal comes between it and its entry in the list. */
static pid_t spawn(void (*fn)(void))
{
	sigset_t all, old;
	pid_t parent = getpid();
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	pid = fork();
	if (!pid) {
		set_signals(SIG_DFL);
		sigprocmask(SIG_SETMASK, &old, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The parent may have gone before that. */
		if (getppid() == parent)
			fn();
		_exit(KSFT_FAIL);
	}
	if (pid > 0)
		tasks[nr_tasks++] = pid;
	sigprocmask(SIG_SETMASK, &old, NULL);

	if (pid < 0)
		ksft_exit_fail_perror("fork");
	return pid;
}

#endif /* SCHED_UTIL_H */

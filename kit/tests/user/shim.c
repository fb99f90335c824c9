// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of the shim that is not inline, and the program that runs the suite
 *
 * usage: sbm [CASE]
 *
 * Prints a line for each case that fails, or with SBM_VERBOSE set for each, and
 * at the end how many there were.  Exits with 1 if one failed, and with SBM_STOP
 * set, at the first one.  SBM_LINE_SIZE and SBM_NR_CPUS say what
 * cache_line_size() and nr_cpu_ids are.
 */
#include <pthread.h>
#include <sched.h>

#include "kunit.h"

#if NR_CPUS > 1
unsigned int nr_cpu_ids = NR_CPUS < 4 ? NR_CPUS : 4;
#endif
unsigned int shim_cpus = NR_CPUS < 4 ? NR_CPUS : 4;
int shim_line_size = 64;
__thread struct shim_task shim_current;
__thread const void *shim_asserted;
__thread unsigned int shim_barriers;

/* Warnings */

static int warnings;
static __thread bool suppressed;

void shim_warn(const char *what, const char *file, int line)
{
	__atomic_fetch_add(&warnings, 1, __ATOMIC_RELAXED);
	if (!suppressed)
		printf("%s:%d: warning: %s\n", file, line, what);
#ifdef SHIM_FUZZ
	abort();
#endif
}

bool shim_suppress(struct kunit *test, int *state)
{
	if (*state == 0) {
		*state = 1;
		warnings = 0;
		suppressed = true;
		return true;
	}
	if (!warnings)
		shim_fail(test, "a warning", __FILE__, __LINE__);
	warnings = 0;
	suppressed = false;
	return false;
}

/*
 * Allocations.  A power of two is aligned to itself, any other size to the
 * largest power of two in it.  The size goes in front, a whole alignment away.
 */

static long allocated;

void *kzalloc_node(size_t size, gfp_t gfp, int node)
{
	size_t align = size & -size;
	char *p;

	if (current->fail_nth && !--current->fail_nth)
		return NULL;
	if (align < 16)
		align = 16;
	p = aligned_alloc(align, round_up(size, align) + align);
	if (!p)
		return NULL;
	memset(p, 0, size + align);
	*(size_t *)(p + align - sizeof(size_t)) = size;
	*(size_t *)(p + align - 2 * sizeof(size_t)) = align;
	__atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED);
	return p + align;
}

void kfree(const void *p)
{
	const size_t *head = p;

	if (!p)
		return;
	__atomic_fetch_sub(&allocated, 1, __ATOMIC_RELAXED);
	free((char *)p - head[-2]);
}

size_t ksize(const void *p)
{
	return ((const size_t *)p)[-1];
}

long shim_allocated(void)
{
	return allocated;
}

/* Locks and threads */

struct mutex *shim_guard(struct mutex *lock)
{
	_Static_assert(sizeof(pthread_mutex_t) <= sizeof(*lock), "mutex size");
	pthread_mutex_lock((pthread_mutex_t *)lock);
	return lock;
}

void shim_unguard(struct mutex **lock)
{
	pthread_mutex_unlock((pthread_mutex_t *)*lock);
}

struct task_struct {
	pthread_t thread;
	int (*fn)(void *data);
	void *data;
	int stop;
};

static __thread struct task_struct *self;

static void *thread_main(void *arg)
{
	self = arg;
	self->fn(self->data);
	return NULL;
}

struct task_struct *kthread_run_on_cpu(int (*fn)(void *data), void *data,
				       unsigned int cpu, const char *name)
{
	struct task_struct *task = calloc(1, sizeof(*task));

	task->fn = fn;
	task->data = data;
	if (pthread_create(&task->thread, NULL, thread_main, task)) {
		free(task);
		return NULL;
	}
	return task;
}

bool kthread_should_stop(void)
{
	return READ_ONCE(self->stop);
}

int kthread_stop(struct task_struct *task)
{
	WRITE_ONCE(task->stop, 1);
	pthread_join(task->thread, NULL);
	free(task);
	return 0;
}

void cond_resched(void)
{
	sched_yield();
}

/* KUnit */

void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	if (test->nr_owned == ARRAY_SIZE(test->owned))
		abort();
	return test->owned[test->nr_owned++] = kzalloc(size, gfp);
}

void shim_fail(struct kunit *test, const char *what, const char *file, int line)
{
	/* Once a case is enough, as one fault can fail thousands of checks. */
	if (!test->failed)
		printf("%s:%d: expected: %s\n", file, line, what);
	test->failed = true;
}

#if !defined(SHIM_FUZZ) && !defined(SHIM_BENCH)
static void run(struct kunit_case *c, const void *param, struct kunit *test)
{
	long before = allocated;

	memset(test, 0, sizeof(*test));
	test->param_value = param;
	warnings = 0;
	suppressed = false;

	if (shim_suite->init(test))
		abort();
	if (!setjmp(test->abort))
		c->run(test);
	current->fail_nth = 0;
	shim_suite->exit(test);
	while (test->nr_owned)
		kfree(test->owned[--test->nr_owned]);

	if (warnings)
		test->failed = true;
	if (allocated != before) {
		printf("%ld allocations left\n", allocated - before);
		test->failed = true;
	}
}

int main(int argc, char **argv)
{
	unsigned int passed = 0, failed = 0, skipped = 0;
	bool verbose = getenv("SBM_VERBOSE");
	static struct kunit test;
	struct kunit_case *c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getenv("SBM_LINE_SIZE"))
		shim_line_size = atoi(getenv("SBM_LINE_SIZE"));
#if NR_CPUS > 1
	if (getenv("SBM_NR_CPUS"))
		nr_cpu_ids = atoi(getenv("SBM_NR_CPUS"));
#endif

	for (c = shim_suite->test_cases; c->run; c++) {
		const void *param = NULL;
		char desc[128] = "";

		if (argc > 1 && strcmp(argv[1], c->name))
			continue;
		do {
			if (c->generate) {
				param = c->generate(param, desc);
				if (!param)
					break;
			}
			run(c, param, &test);
			if (test.failed && getenv("SBM_STOP"))
				return 1;
			if (test.failed)
				failed++;
			else if (test.skipped)
				skipped++;
			else
				passed++;
			if (test.failed || verbose)
				printf("%s %s %s\n", test.failed ? "FAILED" :
				       test.skipped ? "skipped" : "ok",
				       c->name, desc);
		} while (param);
	}

	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failed || !passed;
}
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KUnit, threads and random numbers, as far as lib/tests/sbm_kunit.c uses them
 *
 * shim.c has the main program, which runs the suite.
 */
#ifndef SBM_SHIM_KUNIT_H
#define SBM_SHIM_KUNIT_H

#include <setjmp.h>

#include "shim.h"

struct kunit;

struct kunit_case {
	const char *name;
	void (*run)(struct kunit *test);
	const void *(*generate)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

struct kunit {
	void *priv;
	const void *param_value;
	jmp_buf abort;
	bool failed;
	bool skipped;
	void *owned[512];
	unsigned int nr_owned;
};

extern struct kunit_suite *shim_suite;

#define kunit_test_suites(suite)	struct kunit_suite *shim_suite = suite
#define KUNIT_CASE(fn)			{ .name = #fn, .run = fn }
#define KUNIT_CASE_PARAM(fn, gen)	{ .name = #fn, .run = fn, .generate = gen }

#define KUNIT_ARRAY_PARAM_DESC(prefix, array, member)			\
	static const void *prefix##_gen_params(const void *prev, char *desc) \
	{								\
		typeof(&(array)[0]) next = prev;			\
									\
		next = prev ? next + 1 : array;				\
		if (next == array + ARRAY_SIZE(array))			\
			return NULL;					\
		strcpy(desc, next->member);				\
		return next;						\
	}

void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp);

#define kunit_kcalloc(test, nr, size, gfp)	\
	kunit_kzalloc(test, (size_t)(nr) * (size), gfp)

#define kunit_skip(test, reason)			\
	do {						\
		(test)->skipped = true;			\
		longjmp((test)->abort, 1);		\
	} while (0)

void shim_fail(struct kunit *test, const char *what, const char *file, int line);

/*
 * The messages are for the kernel, whose printf() knows %*pbl; here the place
 * and the expression must do.
 */
#define __shim_check(test, condition, fatal)				\
	do {								\
		if (condition)						\
			break;						\
		shim_fail(test, #condition, __FILE__, __LINE__);	\
		if (fatal)						\
			longjmp((test)->abort, 1);			\
	} while (0)

#define KUNIT_ASSERT_TRUE(test, a)	__shim_check(test, a, 1)
#define KUNIT_ASSERT_FALSE(test, a)	__shim_check(test, !(a), 1)
#define KUNIT_ASSERT_NOT_NULL(test, a)	__shim_check(test, (a) != NULL, 1)
#define KUNIT_ASSERT_EQ(test, a, b)	__shim_check(test, (a) == (b), 1)
#define KUNIT_ASSERT_GE(test, a, b)	__shim_check(test, (a) >= (b), 1)
#define KUNIT_ASSERT_GT(test, a, b)	__shim_check(test, (a) > (b), 1)
#define KUNIT_ASSERT_LT(test, a, b)	__shim_check(test, (a) < (b), 1)
#define KUNIT_EXPECT_TRUE(test, a)	__shim_check(test, a, 0)
#define KUNIT_EXPECT_FALSE(test, a)	__shim_check(test, !(a), 0)
#define KUNIT_EXPECT_NULL(test, a)	__shim_check(test, (a) == NULL, 0)
#define KUNIT_EXPECT_NOT_NULL(test, a)	__shim_check(test, (a) != NULL, 0)
#define KUNIT_EXPECT_EQ(test, a, b)	__shim_check(test, (a) == (b), 0)
#define KUNIT_EXPECT_GE(test, a, b)	__shim_check(test, (a) >= (b), 0)
#define KUNIT_EXPECT_GT(test, a, b)	__shim_check(test, (a) > (b), 0)
#define KUNIT_EXPECT_PTR_NE(test, a, b)	__shim_check(test, (a) != (b), 0)

#define KUNIT_ASSERT_TRUE_MSG(test, a, ...)	KUNIT_ASSERT_TRUE(test, a)
#define KUNIT_ASSERT_EQ_MSG(test, a, b, ...)	KUNIT_ASSERT_EQ(test, a, b)
#define KUNIT_ASSERT_GE_MSG(test, a, b, ...)	KUNIT_ASSERT_GE(test, a, b)

/* The body must warn, and may. */
bool shim_suppress(struct kunit *test, int *state);

#define kunit_warning_suppress(test)	\
	for (int __state = 0; shim_suppress(test, &__state);)

/* Random numbers: the same ones every time, not those of the kernel */

struct rnd_state {
	u64 x;
};

static inline void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	state->x = seed * 0x9e3779b97f4a7c15ULL | 1;
}

static inline u32 prandom_u32_state(struct rnd_state *state)
{
	state->x ^= state->x << 13;
	state->x ^= state->x >> 7;
	state->x ^= state->x << 17;
	return state->x >> 16;
}

/* Threads.  There are as many CPUs online as shim_cpus says. */

extern unsigned int shim_cpus;

struct task_struct;

struct completion {
	int done;
};

struct task_struct *kthread_run_on_cpu(int (*fn)(void *data), void *data,
				       unsigned int cpu, const char *name);
int kthread_stop(struct task_struct *task);
bool kthread_should_stop(void);
void cond_resched(void);

#define num_online_cpus()	shim_cpus
#define for_each_online_cpu(cpu)	\
	for ((cpu) = 0; (cpu) < shim_cpus; (cpu)++)
#define cpus_read_lock()	((void)0)
#define cpus_read_unlock()	((void)0)
#define IS_ERR(p)		(!(p))
#define IS_ERR_OR_NULL(p)	(!(p))
#define init_completion(c)	((c)->done = 0)
#define complete(c)		__atomic_store_n(&(c)->done, 1, __ATOMIC_RELEASE)
#define wait_for_completion(c)	\
	do {			\
		cond_resched();	\
	} while (!__atomic_load_n(&(c)->done, __ATOMIC_ACQUIRE))
#define schedule_timeout_idle(t)	cond_resched()

#endif

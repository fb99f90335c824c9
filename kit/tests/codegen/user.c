// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small user of a set of CPUs, by sbm functions or by cpumask functions
 *
 * run.sh compiles it to compare the code: with DIRECT on a cpumask, with OFF by
 * the sbm functions and CONFIG_SBM=n, with neither by those of CONFIG_SBM=y.
 * The functions are like those of the scheduler that have such a set.
 */
#ifdef OFF
#undef CONFIG_SBM
#endif
#ifdef NR
#undef CONFIG_NR_CPUS
#define CONFIG_NR_CPUS NR
#endif
#ifdef ONSTACK
#undef CONFIG_CPUMASK_OFFSTACK
#undef CONFIG_DEBUG_PER_CPU_MAPS
#endif
#ifdef OFFSTACK
#define CONFIG_CPUMASK_OFFSTACK 1
#undef CONFIG_DEBUG_PER_CPU_MAPS
#endif

#include <linux/cpumask.h>
#include <linux/sbm.h>

void look_at(unsigned int cpu);

#ifdef DIRECT

static struct {
	cpumask_var_t idle;
	int flag;
} users;

#define set_alloc(gfp)		zalloc_cpumask_var(&users.idle, gfp)
#define set_free()		free_cpumask_var(users.idle)
#define set_set(cpu)		cpumask_set_cpu(cpu, users.idle)
#define set_clear(cpu)		cpumask_clear_cpu(cpu, users.idle)
#define set_test(cpu)		cpumask_test_cpu(cpu, users.idle)
#define set_mb()		smp_mb__after_atomic()
#define set_empty()		cpumask_empty(users.idle)
#define set_next(n)		cpumask_next(n, users.idle)
#define set_copy(dst)		cpumask_copy(dst, users.idle)
#define for_each_set(cpu)	for_each_cpu(cpu, users.idle)
#define for_each_set_wrap(cpu, start)	\
	for_each_cpu_wrap(cpu, users.idle, (start) + 1)
#define for_each_set_and(cpu, mask)	for_each_cpu_and(cpu, users.idle, mask)

#else

static struct {
	struct sbm idle;
	int flag;
} users;

#define set_alloc(gfp)		sbm_alloc(&users.idle, NULL, NULL, gfp)
#define set_free()		sbm_free(&users.idle)
#define set_set(cpu)		sbm_set_cpu(cpu, &users.idle)
#define set_clear(cpu)		sbm_clear_cpu(cpu, &users.idle)
#define set_test(cpu)		sbm_test_cpu(cpu, &users.idle)
#define set_mb()		smp_mb__after_sbm_set()
#define set_empty()		sbm_empty(&users.idle)
#define set_next(n)		sbm_next(n, &users.idle)
#define set_copy(dst)		sbm_copy(dst, &users.idle)
#define for_each_set(cpu)	for_each_sbm(cpu, &users.idle)
#define for_each_set_wrap(cpu, start)	for_each_sbm_wrap(cpu, &users.idle, start)
#define for_each_set_and(cpu, mask)	for_each_sbm_and(cpu, &users.idle, mask)

#endif

bool user_alloc(gfp_t gfp);
bool user_alloc(gfp_t gfp)
{
	return set_alloc(gfp);
}

void user_free(void);
void user_free(void)
{
	set_free();
}

void user_set(unsigned int cpu);
void user_set(unsigned int cpu)
{
	set_set(cpu);
}

void user_enter(unsigned int cpu);
void user_enter(unsigned int cpu)
{
	set_set(cpu);
	/* Pairs with nothing: only the code is looked at. */
	set_mb();
	WRITE_ONCE(users.flag, 1);
}

void user_clear(unsigned int cpu);
void user_clear(unsigned int cpu)
{
	set_clear(cpu);
}

bool user_test(unsigned int cpu);
bool user_test(unsigned int cpu)
{
	return set_test(cpu);
}

bool user_empty(void);
bool user_empty(void)
{
	return set_empty();
}

unsigned int user_next(int n);
unsigned int user_next(int n)
{
	return set_next(n);
}

void user_copy(struct cpumask *dst);
void user_copy(struct cpumask *dst)
{
	set_copy(dst);
}

void user_each(void);
void user_each(void)
{
	unsigned int cpu;

	for_each_set(cpu)
		look_at(cpu);
}

void user_wrap(unsigned int start);
void user_wrap(unsigned int start)
{
	unsigned int cpu;

	for_each_set_wrap(cpu, start)
		look_at(cpu);
}

int user_each_and(const struct cpumask *mask);
int user_each_and(const struct cpumask *mask)
{
	int cpu;

	for_each_set_and(cpu, mask) {
		if (cpu & 1)
			return cpu;
	}

	return -1;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What lib/sbm.c and lib/tests/sbm_kunit.c need of the kernel, in user space
 *
 * Every <linux/...> and <asm/...> header that they include is a one-line file
 * that includes this one (run.sh makes these files).  Only what the two use is
 * here, and it is meant to be read: where the kernel has a fast form, this has
 * a plain one.  What a variant of the harness chooses, by -D:
 *
 *	CONFIG_SBM		the library; without, the fallback in sbm.h
 *	CONFIG_NR_CPUS		bits in a cpumask
 *	CONFIG_CPUMASK_OFFSTACK	cpumask_var_t is a pointer
 *
 * Threads and allocations are in shim.c.
 */
#ifndef SBM_SHIM_H
#define SBM_SHIM_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types and compiler */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned int gfp_t;

#define U16_MAX			((u16)~0U)
#define BITS_PER_LONG		__LONG_WIDTH__
#undef __always_inline
#define __always_inline		inline __attribute__((__always_inline__))
#define __counted_by(member)
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member)	\
	((type *)((char *)(p) - offsetof(type, member)))

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CONFIG_CPU_BIG_ENDIAN	1
#endif

/* IS_ENABLED(X): whether X is defined as 1; the arguments move up if it is. */
#define __shim_arg_1		0,
#define __shim_second(a, b, ...)	b
#define __shim_is(x)		__shim_second(x 1, 0, 0)
#define __shim_paste(x)		__shim_is(__shim_arg_##x)
#define IS_ENABLED(option)	__shim_paste(option)

#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define max3(a, b, c)		max(max(a, b), c)
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(n, to)		(((n) + (to) - 1) / (to) * (to))
#define BIT_ULL(n)		(1ULL << (n))

static inline size_t roundup_pow_of_two(size_t n)
{
	size_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

#define struct_size(p, member, nr)	\
	(sizeof(*(p)) + (nr) * sizeof((p)->member[0]))

/* Concurrency.  Relaxed atomics are what ThreadSanitizer takes as marked. */

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val)	__atomic_store_n(&(x), val, __ATOMIC_RELAXED)

/*
 * What was asserted last, for the fuzz target to look at.  A benchmark is built
 * like a kernel without debugging.
 */
#ifndef SHIM_BENCH
extern __thread const void *shim_asserted;

#define ASSERT_EXCLUSIVE_WRITER(x)	((void)(shim_asserted = &(x)))
#define cpu_max_bits_warn(cpu, nr)	((void)WARN_ON_ONCE((cpu) >= (nr)))
#else
#define ASSERT_EXCLUSIVE_WRITER(x)	((void)(x))
#define cpu_max_bits_warn(cpu, nr)	((void)(cpu))
#endif

/*
 * ThreadSanitizer does not know fences.  It need not: all accesses that are
 * meant to race are marked, and the fences order these.  Full ones are counted,
 * for the fuzz target to look at.
 */
#ifndef SHIM_BENCH
extern __thread unsigned int shim_barriers;

#define smp_mb()		\
	((void)shim_barriers++, __atomic_thread_fence(__ATOMIC_SEQ_CST))
#elif defined(__x86_64__)
/* As in the kernel, and faster than the compiler's. */
#define smp_mb()	\
	__asm__ __volatile__("lock; addl $0,-4(%%rsp)" ::: "memory", "cc")
#else
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_mb__after_atomic()	smp_mb()
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

typedef struct { int counter; } atomic_t;

#define atomic_read(v)		READ_ONCE((v)->counter)
#define atomic_inc(v)		__atomic_fetch_add(&(v)->counter, 1, __ATOMIC_SEQ_CST)

/* Warnings: each one is counted, and is a failure unless a test asks for it. */

void shim_warn(const char *what, const char *file, int line);

#define WARN_ON_ONCE(condition)						\
	({								\
		bool __warn = condition;				\
									\
		if (unlikely(__warn))					\
			shim_warn(#condition, __FILE__, __LINE__);	\
		unlikely(__warn);					\
	})

/* Bits.  Accesses by more than one thread are marked, as in the kernel. */

#define BITS_TO_LONGS(n)	DIV_ROUND_UP(n, BITS_PER_LONG)
#define BIT_WORD(n)		((n) / BITS_PER_LONG)
#define BIT_MASK(n)		(1UL << ((n) % BITS_PER_LONG))
#define __ffs64(w)		((unsigned int)__builtin_ctzll(w))

static inline u64 ror64(u64 word, unsigned int by)
{
	by %= 64;
	return by ? word >> by | word << (64 - by) : word;
}

static inline bool test_bit(unsigned int n, const unsigned long *map)
{
	return READ_ONCE(map[BIT_WORD(n)]) & BIT_MASK(n);
}

static inline void __set_bit(unsigned int n, unsigned long *map)
{
	map[BIT_WORD(n)] |= BIT_MASK(n);
}

static inline void __clear_bit(unsigned int n, unsigned long *map)
{
	map[BIT_WORD(n)] &= ~BIT_MASK(n);
}

static inline void __change_bit(unsigned int n, unsigned long *map)
{
	map[BIT_WORD(n)] ^= BIT_MASK(n);
}

static inline void set_bit(unsigned int n, unsigned long *map)
{
	__atomic_fetch_or(&map[BIT_WORD(n)], BIT_MASK(n), __ATOMIC_RELAXED);
}

static inline void clear_bit(unsigned int n, unsigned long *map)
{
	__atomic_fetch_and(&map[BIT_WORD(n)], ~BIT_MASK(n), __ATOMIC_RELAXED);
}

static inline unsigned int find_next_bit(const unsigned long *map,
					 unsigned int nr, unsigned int n)
{
	while (n < nr && !test_bit(n, map))
		n++;
	return n < nr ? n : nr;
}

static inline void bitmap_zero(unsigned long *map, unsigned int nr)
{
	memset(map, 0, BITS_TO_LONGS(nr) * sizeof(long));
}

static inline void bitmap_fill(unsigned long *map, unsigned int nr)
{
	unsigned int n;

	bitmap_zero(map, nr);
	for (n = 0; n < nr; n++)
		__set_bit(n, map);
}

static inline unsigned int bitmap_weight(const unsigned long *map, unsigned int nr)
{
	unsigned int weight = 0;
	unsigned int n;

	for (n = 0; n < nr; n++)
		weight += test_bit(n, map);
	return weight;
}

static inline bool bitmap_empty(const unsigned long *map, unsigned int nr)
{
	return find_next_bit(map, nr, 0) == nr;
}

static inline bool bitmap_equal(const unsigned long *a, const unsigned long *b,
				unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr; n++) {
		if (test_bit(n, a) != test_bit(n, b))
			return false;
	}
	return true;
}

static inline bool bitmap_and(unsigned long *dst, const unsigned long *a,
			      const unsigned long *b, unsigned int nr)
{
	unsigned int n;

	bitmap_zero(dst, nr);
	for (n = 0; n < nr; n++) {
		if (test_bit(n, a) && test_bit(n, b))
			__set_bit(n, dst);
	}
	return !bitmap_empty(dst, nr);
}

#define for_each_set_bit(n, map, nr)			\
	for ((n) = find_next_bit(map, nr, 0); (n) < (nr);	\
	     (n) = find_next_bit(map, nr, (n) + 1))

static inline void memset16(u16 *p, u16 val, size_t nr)
{
	while (nr--)
		*p++ = val;
}

static inline void memset32(u32 *p, u32 val, size_t nr)
{
	while (nr--)
		*p++ = val;
}

/* CPUs and cpumasks */

#ifndef CONFIG_NR_CPUS
#define CONFIG_NR_CPUS		8192
#endif
#define NR_CPUS			CONFIG_NR_CPUS

#if NR_CPUS == 1
#define nr_cpu_ids		1U
#else
extern unsigned int nr_cpu_ids;
#endif

struct cpumask {
	unsigned long bits[BITS_TO_LONGS(NR_CPUS)];
};

/* As with CONFIG_CPUMASK_OFFSTACK=n, for cpumasks that are not larger. */
#define large_cpumask_bits	nr_cpu_ids

#define cpumask_bits(mask)	((mask)->bits)
#define to_cpumask(bitmap)	((struct cpumask *)(bitmap))

#define cpumask_set_cpu(cpu, mask)	set_bit(cpu, (mask)->bits)
#define cpumask_clear_cpu(cpu, mask)	clear_bit(cpu, (mask)->bits)
#define cpumask_test_cpu(cpu, mask)	test_bit(cpu, (mask)->bits)
#define cpumask_empty(mask)	bitmap_empty((mask)->bits, nr_cpu_ids)
#define cpumask_next(n, mask)	\
	find_next_bit((mask)->bits, nr_cpu_ids, (unsigned int)(n) + 1)
#define cpumask_copy(dst, mask)	\
	memcpy((dst)->bits, (mask)->bits, BITS_TO_LONGS(nr_cpu_ids) * sizeof(long))
#define cpumask_and(dst, a, b)	\
	bitmap_and((dst)->bits, (a)->bits, (b)->bits, nr_cpu_ids)

static inline unsigned int shim_next_and(unsigned int n, const struct cpumask *a,
					 const struct cpumask *b)
{
	while (n < nr_cpu_ids && !(test_bit(n, a->bits) && test_bit(n, b->bits)))
		n++;
	return n;
}


#define for_each_cpu(cpu, mask)		\
	for_each_set_bit(cpu, (mask)->bits, nr_cpu_ids)
#define for_each_cpu_and(cpu, a, b)	\
	for ((cpu) = shim_next_and(0, a, b); (cpu) < nr_cpu_ids;	\
	     (cpu) = shim_next_and((cpu) + 1, a, b))

/* The @n-th step from @start on, so that the order is plain to see. */
static inline unsigned int shim_wrap(unsigned int *n, unsigned int start,
				     const struct cpumask *mask)
{
	unsigned int cpu;

	while ((*n)++ < nr_cpu_ids) {
		cpu = (start + *n - 1) % nr_cpu_ids;
		if (test_bit(cpu, mask->bits))
			return cpu;
	}
	return nr_cpu_ids;
}

#define for_each_cpu_wrap(cpu, mask, start)	\
	for (unsigned int __n = 0;		\
	     ((cpu) = shim_wrap(&__n, start, mask)) < nr_cpu_ids;)

/* Allocation.  Sizes are aligned as kmalloc() aligns them. */

#define GFP_KERNEL	0U
#define GFP_NOWAIT	1U
#define NUMA_NO_NODE	(-1)

#define INTERNODE_CACHE_SHIFT	6
extern int shim_line_size;
#define cache_line_size()	shim_line_size

void *kzalloc_node(size_t size, gfp_t gfp, int node);
void kfree(const void *p);
size_t ksize(const void *p);
long shim_allocated(void);

#define kzalloc(size, gfp)	kzalloc_node(size, gfp, NUMA_NO_NODE)
#define kvzalloc(size, gfp)	kzalloc(size, gfp)
#define kvfree(p)		kfree(p)

#ifdef CONFIG_CPUMASK_OFFSTACK
typedef struct cpumask *cpumask_var_t;

static inline bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	*mask = kzalloc(BITS_TO_LONGS(nr_cpu_ids) * sizeof(long), gfp);
	return *mask;
}

static inline void free_cpumask_var(cpumask_var_t mask)
{
	kfree(mask);
}
#else
typedef struct cpumask cpumask_var_t[1];

static inline bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	memset(*mask, 0, sizeof(*mask));
	return true;
}

static inline void free_cpumask_var(cpumask_var_t mask)
{
}
#endif

/* Failing the n-th allocation, as CONFIG_FAILSLAB does */

#define CONFIG_FAILSLAB	1

struct shim_task {
	unsigned int fail_nth;
};

extern __thread struct shim_task shim_current;
#define current		(&shim_current)

/* Lists */

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head->prev = head;
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void list_add_tail(struct list_head *new, struct list_head *head)
{
	new->prev = head->prev;
	new->next = head;
	head->prev->next = new;
	head->prev = new;
}

static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

#define list_for_each_entry(pos, head, member)				\
	for (pos = container_of((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = container_of(pos->member.next, typeof(*pos), member))

#define list_for_each_entry_continue_reverse(pos, head, member)		\
	for (pos = container_of(pos->member.prev, typeof(*pos), member); \
	     &pos->member != (head);					\
	     pos = container_of(pos->member.prev, typeof(*pos), member))

/* Mutexes */

struct mutex {
	long opaque[16];
};

#define DEFINE_MUTEX(name)	struct mutex name

struct mutex *shim_guard(struct mutex *lock);
void shim_unguard(struct mutex **lock);

/* Only guard(mutex) is in use. */
#define guard(class)		shim_guard_##class
#define shim_guard_mutex(lock)	\
	struct mutex *__guard __attribute__((__cleanup__(shim_unguard), __unused__)) = \
		shim_guard(lock)

/* Modules */

#define EXPORT_SYMBOL_FOR_MODULES(sym, modules)	extern typeof(sym) sym
#define MODULE_DESCRIPTION(text)	extern int shim_unused
#define MODULE_LICENSE(text)		extern int shim_unused

#endif

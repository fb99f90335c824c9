/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The few kernel names that forms.h uses, for user space
 *
 * for_each_set_bit() in the kernel is find_next_bit(), which for a constant
 * size of at most one word is inline: a mask of the bits that are left, and
 * __ffs() if any is. The shim does just that, so that the same steps are
 * measured. __ffs() on x86-64 is one instruction without a zero check, with
 * no clearing of the destination first; a compiler's builtin adds the latter.
 */
#ifndef BENCH_PSI_SHIM_H
#define BENCH_PSI_SHIM_H

#include <stdint.h>
#include <string.h>

typedef uint64_t u64;

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define noinline	__attribute__((__noinline__))
#define __cold		__attribute__((__cold__))
#undef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))

static __always_inline unsigned long __ffs(unsigned long word)
{
#ifdef __x86_64__
	unsigned long bit;

	/* tzcnt, or bsf where tzcnt is unknown: equal for a non-zero word */
	__asm__("rep bsf %[word], %[bit]" : [bit] "=r" (bit)
					  : [word] "r" (word));

	return bit;
#else
	return __builtin_ctzl(word);
#endif
}

static __always_inline unsigned long shim_next_bit(unsigned long word,
						   unsigned long size,
						   unsigned long from)
{
	if (from >= size)
		return size;

	word &= (~0UL << from) & (~0UL >> (8 * sizeof(word) - size));

	return word ? __ffs(word) : size;
}

#define for_each_set_bit(bit, addr, size)				\
	for (bit = shim_next_bit(*(addr), (size), 0); bit < (size);	\
	     bit = shim_next_bit(*(addr), (size), bit + 1))

/* What forms.h asks for; the storage is in walk.c */
extern int psi_walk_bug;
extern int psi_walk_once;

__cold __attribute__((__format__(__printf__, 1, 2)))
void psi_walk_report(const char *fmt, ...);

#endif

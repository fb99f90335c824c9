/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What lib/sbm.c needs of the kernel, on the simulated machine
 *
 * The shim of kit/tests/user, in its form for benchmarks, with each marked access
 * and barrier sent to the model.  It comes first by -include, so that the headers
 * that the library includes find the shim there already.
 *
 * Plain accesses are not seen: in the library these are to what is not written
 * any more when a set is in use, and would hit.
 */
#ifndef SIM_HOOK_H
#define SIM_HOOK_H

#include "shim.h"
#include "sim.h"

#undef READ_ONCE
#undef WRITE_ONCE
#undef smp_mb
#undef smp_rmb
#undef smp_wmb
#undef smp_mb__before_atomic
#undef smp_mb__after_atomic
#undef smp_store_release

#define READ_ONCE(x)		((typeof((x) + 0))sim_load(&(x), sizeof(x)))
#define WRITE_ONCE(x, val)	sim_store(&(x), (u64)(val), sizeof(x))
#define smp_mb()		sim_fence()
#define smp_mb__before_atomic()	sim_fence_after_locked()
#define smp_mb__after_atomic()	sim_fence_after_locked()
#define smp_store_release(p, v)	sim_store(p, (u64)(v), sizeof(*(p)))

/* Loads and stores of the model keep their order. */
#define smp_rmb()		((void)0)
#define smp_wmb()		((void)0)

/* The kernel's, by their names: locked operations on an unsigned long. */
static inline void locked_set_bit(unsigned int n, unsigned long *map)
{
	sim_locked(&map[BIT_WORD(n)], RMW_OR, BIT_MASK(n), sizeof(long));
}

static inline void locked_clear_bit(unsigned int n, unsigned long *map)
{
	sim_locked(&map[BIT_WORD(n)], RMW_AND, ~BIT_MASK(n), sizeof(long));
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The part of the kernel's shim that is not inline: memory, and no threads
 */
#include "hook.h"

unsigned int nr_cpu_ids = 1;
int shim_line_size = 64;
__thread struct shim_task shim_current;

/* As kmalloc(): a power of two is aligned to itself. */
void *kzalloc_node(size_t size, gfp_t gfp, int node)
{
	(void)gfp;
	(void)node;
	return sim_alloc(size, size & -size);
}

/* All memory goes with sim_end(). */
void kfree(const void *p)
{
	(void)p;
}

/* Layouts are made before the CPUs run. */
struct mutex *shim_guard(struct mutex *lock)
{
	return lock;
}

void shim_unguard(struct mutex **lock)
{
	(void)lock;
}

void shim_warn(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: warning: %s\n", file, line, what);
	abort();
}

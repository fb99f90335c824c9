/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switching between coroutines
 *
 * On x86-64 by hand, as ucontext makes two system calls for it; elsewhere by that.
 */
#ifndef SIM_CONTEXT_H
#define SIM_CONTEXT_H

#include <stddef.h>

#if !defined(__x86_64__) || defined(SIM_UCONTEXT)
#include <ucontext.h>

struct context {
	ucontext_t	regs;
};
#else
struct context {
	void		*sp;
};
#endif

void context_make(struct context *c, void *stack, size_t size, void (*fn)(void));
void context_switch(struct context *from, struct context *to);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching between coroutines
 */
#include "context.h"

#if !defined(__x86_64__) || defined(SIM_UCONTEXT)

void context_make(struct context *c, void *stack, size_t size, void (*fn)(void))
{
	getcontext(&c->regs);
	c->regs.uc_stack.ss_sp = stack;
	c->regs.uc_stack.ss_size = size;
	c->regs.uc_link = NULL;
	makecontext(&c->regs, fn, 0);
}

void context_switch(struct context *from, struct context *to)
{
	swapcontext(&from->regs, &to->regs);
}

#else

/* The registers that a function must keep are on the stack while it is left. */
#define NR_SAVED	6

void sim_switch_stack(void **save, void *load);

__asm__(
"	.text\n"
"	.globl	sim_switch_stack\n"
"	.type	sim_switch_stack, @function\n"
"sim_switch_stack:\n"
"	pushq	%rbp\n"
"	pushq	%rbx\n"
"	pushq	%r12\n"
"	pushq	%r13\n"
"	pushq	%r14\n"
"	pushq	%r15\n"
"	movq	%rsp, (%rdi)\n"
"	movq	%rsi, %rsp\n"
"	popq	%r15\n"
"	popq	%r14\n"
"	popq	%r13\n"
"	popq	%r12\n"
"	popq	%rbx\n"
"	popq	%rbp\n"
"	ret\n"
"	.size	sim_switch_stack, . - sim_switch_stack\n"
);

/* fn() finds the stack as after a call, from nowhere: it must not return. */
void context_make(struct context *c, void *stack, size_t size, void (*fn)(void))
{
	void **top = (void **)((char *)stack + size);
	unsigned int i;

	*--top = NULL;
	*--top = (void *)fn;
	for (i = 0; i < NR_SAVED; i++)
		*--top = NULL;
	c->sp = top;
}

void context_switch(struct context *from, struct context *to)
{
	sim_switch_stack(&from->sp, to->sp);
}

#endif

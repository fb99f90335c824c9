// SPDX-License-Identifier: GPL-2.0
/*
 * What test.sh counts: bodies in assembly, so that every figure is known
 *
 *	test PASSES
 *
 * Window 1: one thread, PASSES passes. Window 2: two threads, PASSES each. A
 * pass is one call of each function below; before, between and after the
 * windows the functions run too, and must not be counted.
 */
#include <pthread.h>
#include <stdlib.h>

long flag __attribute__((__aligned__(64)));
long watched __attribute__((__aligned__(64)));
long counter __attribute__((__aligned__(64)));
long foreign __attribute__((__aligned__(64)));
extern long config;
char private[64 * 64] __attribute__((__aligned__(64)));
long array[8 * 64] __attribute__((__aligned__(64)));
/* One after the other in one line, each written by one thread alone */
long apart[8] __attribute__((__aligned__(64)));

void work(long pass, long thread);
void use_part(long thread);
void fill(long thread);
void leaf(void);
void inner(void);

/* Three in one line */
asm("	.bss\n"
    "	.balign 64\n"
    "	.globl config\n"
    "	.type config, @object\n"
    "	.size config, 8\n"
    "config: .zero 8\n"
    "	.type swapped, @object\n"
    "	.size swapped, 8\n"
    "swapped: .zero 8\n"
    "	.type loose, @object\n"
    "	.size loose, 4\n"
    "loose: .zero 48\n");

/*
 * work: 17 instructions; loads 1 config + 1 private, stores 1 private + 1 apart,
 * 2 LOCKed, 2 fences. Stack, per call: push, mov to it, mov from it, pop, ret.
 * Odd passes: 2 more in .cold, a store to flag and the jump back.
 */
asm("	.text\n"
    "	.globl work\n"
    "	.type work, @function\n"
    "work:\n"
    "	push %rbp\n"
    "	mov %rsp, %rbp\n"
    "	mov %rdi, -16(%rbp)\n"
    "	mov config(%rip), %rax\n"
    "	mov %rsi, %rcx\n"
    "	shl $6, %rcx\n"
    "	addq $1, private(%rcx)\n"
    "	mov %rax, apart(,%rsi,8)\n"
    "	lock incq counter(%rip)\n"
    "	xchg %rax, swapped(%rip)\n"
    "	mfence\n"
    "	lock addl $0, -4(%rsp)\n"
    "	mov -16(%rbp), %rax\n"
    "	test $1, %al\n"
    "	jne work.cold\n"
    "1:	pop %rbp\n"
    "	ret\n"
    "	.size work, . - work\n"
    "	.type work.cold, @function\n"
    "work.cold:\n"
    "	movq $1, flag(%rip)\n"
    "	jmp 1b\n"
    "	.size work.cold, . - work.cold\n"
    /* part: the rest of a function whose test is inlined in use_part as well */
    "	.globl part\n"
    "	.type part, @function\n"
    "part:\n"
    "	test %rdi, %rdi\n"
    "	js 1f\n"
    "	jmp part.part.0\n"
    "1:	ret\n"
    "	.size part, . - part\n"
    "	.type part.part.0, @function\n"
    "part.part.0:\n"
    "	movl $5, loose(%rip)\n"
    "	ret\n"
    "	.size part.part.0, . - part.part.0\n"
    /* use_part: part by itself twice, once with nothing to do, and its split body once */
    "	.globl use_part\n"
    "	.type use_part, @function\n"
    "use_part:\n"
    "	call part\n"
    "	push %rdi\n"
    "	mov $-1, %rdi\n"
    "	call part\n"
    "	pop %rdi\n"
    "	call part.part.0\n"
    "	ret\n"
    "	.size use_part, . - use_part\n"
    /* fill: 8 stores by one instruction; 9 instructions, of which 1 in inner */
    "	.globl fill\n"
    "	.type fill, @function\n"
    "fill:\n"
    "	mov %rdi, %rax\n"
    "	shl $6, %rax\n"
    "	lea array(%rax), %rdi\n"
    "	mov $8, %ecx\n"
    "	cld\n"
    "	rep stosq\n"
    "	call inner\n"
    "	ret\n"
    "	.size fill, . - fill\n"
    "	.globl inner\n"
    "	.type inner, @function\n"
    "inner:\n"
    "	ret\n"
    "	.size inner, . - inner\n"
    /* leaf: called twice in a row from code that is not listed */
    "	.globl leaf\n"
    "	.type leaf, @function\n"
    "leaf:\n"
    "	ret\n"
    "	.size leaf, . - leaf\n");

void __attribute__((__noinline__)) mark_start(void)
{
	asm volatile("");
}

void __attribute__((__noinline__)) mark_stop(void)
{
	asm volatile("");
}

/* Not in the list: seen by watching the data */
void __attribute__((__noinline__)) unlisted(void)
{
	*(volatile long *)&watched = 1;
	(void)*(volatile long *)&config;
	config = 0;
	/* QEMU reports it for the last listed instruction that had a memory callback */
	__atomic_fetch_add(&foreign, 1, __ATOMIC_SEQ_CST);
}

static long passes;
static pthread_barrier_t barrier;

static void run(long thread)
{
	long i;

	for (i = 0; i < passes; i++) {
		work(i, thread);
		use_part(thread);
		fill(thread);
		leaf();
		leaf();
		inner();
		unlisted();
	}
}

static void *thread(void *arg)
{
	pthread_barrier_wait(&barrier);
	run((long)arg);
	pthread_barrier_wait(&barrier);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	passes = argc > 1 ? atol(argv[1]) : 100;
	run(0);
	mark_start();
	run(0);
	mark_stop();
	run(0);
	pthread_barrier_init(&barrier, NULL, 3);
	pthread_create(&t[0], NULL, thread, (void *)1);
	pthread_create(&t[1], NULL, thread, (void *)2);
	mark_start();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	mark_stop();
	run(0);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

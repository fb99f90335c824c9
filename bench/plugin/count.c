// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU TCG plugin: what chosen functions of an x86-64 guest execute, and
 * which addresses they touch, by virtual CPU
 *
 *	qemu-system-x86_64 -plugin count.so,plan=FILE,out=FILE ...
 *
 * count.sh writes the plan and reads what comes out; this file knows neither
 * symbols nor caches. Plan, one item a line, addresses in hexadecimal:
 *
 *	body GROUP LO HI [inner]	code of function number GROUP; inner: of a helper
 *					of it, where no call begins
 *	class GROUP CLASS RULE LO HI	see below
 *	watch LO HI			data to watch from all code
 *	lines				keep all kernel data lines, all code
 *	start ADDR, stop ADDR		counting goes on and off here
 *
 * Output, after each stop and at the end if counting is on: FILE.1, FILE.2,
 * one for each window, that starts at zero. A row is
 *
 *	KIND VCPU CLASS PC ADDR SIZE COUNT
 *
 *	i  instruction at PC executed		c  call of a group began at PC
 *	l  load					s  store
 *	k  LOCKed read-modify-write, or xchg	f  full fence
 *	L  load from the stack, ADDR 0		S  store to the stack, ADDR 0
 *	x  access that QEMU reported for PC but that PC cannot have made: dropped
 *
 * A fence is mfence, or a LOCKed add or or of 0 on the stack; this has no k,
 * l or s row. A LOCKed operation has no l or s row, so that stores are s + k.
 * SIZE is in bytes, ADDR is virtual, COUNT counts events. Rows with PC 0 (only
 * with "lines") are accesses of other code, ADDR then is the line's. A call or
 * jump through memory counts a load with ADDR 0.
 *
 * QEMU 7.2 leaves an instruction's memory callbacks armed if the instruction
 * leaves the translated block by a helper, as ret does: until the next one that
 * has any, what helpers access for other code (atomics, interrupts) is reported
 * as its own. So no memory callback is asked for on instructions that end a
 * block; what call and ret do to the stack is counted as they execute. What is
 * reported for another instruction than the last listed one, or read and written
 * at once by one without LOCK, or beyond four accesses, goes to x.
 *
 * A call begins where a body of a group is entered at its first instruction,
 * except by a direct jump or call from another body of the group (a function
 * to its own .part or .cold). With "class" rules the events of a call are kept
 * until the next call of that function on the vCPU, or the end of the window,
 * and then counted for the CLASS of the first rule whose event was among them,
 * else for class 1; class 0 is what ran without a call seen to begin. RULEs:
 * locked, store, load (at addresses LO up to HI), fence, reach (a PC).
 *
 * Each vCPU counts in its own table, which only its own thread writes. At a
 * stop the reader waits until none is inside a callback: no locks when
 * counting. Error: one line on stderr, and the plugin refuses to load.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

#define EXPORT		__attribute__((__visibility__("default")))
#define MAX_VCPUS	4096
#define MAX_GROUPS	256
#define MAX_BODIES	1024
#define MAX_RULES	32	/* per group: a bit each */
#define MAX_LOG		(1U << 24)
#define MAX_ACCESSES	4	/* of one instruction, or element of a string */
#define RW_SHIFT	16	/* in qemu_plugin_meminfo_t of 7.2: nothing else tells R + W */
#define LINE		64
#define KERNEL		0xffff800000000000ULL

EXPORT int qemu_plugin_version = 1;

enum rule_kind { RULE_LOCKED, RULE_STORE, RULE_LOAD, RULE_FENCE, RULE_REACH };
static const char * const rule_names[] = { "locked", "store", "load", "fence", "reach" };

struct rule {
	enum rule_kind kind;
	unsigned int class;
	uint64_t lo, hi;
};

struct group {
	struct rule rules[MAX_RULES];
	unsigned int nr_rules;
	bool frame;		/* sets up %rbp as frame pointer */
};

struct body {
	unsigned int group;
	uint64_t lo, hi;
	bool inner;
};

static struct group groups[MAX_GROUPS];
static struct body bodies[MAX_BODIES];
static struct { uint64_t lo, hi; } watches[MAX_RULES];
static unsigned int nr_bodies, nr_watches;
static bool want_lines, system_mode;
static uint64_t mark_start, mark_stop;
static char *out_name;

/* What is known of an instruction from its bytes and its place */
struct insn {
	uint64_t pc;
	uint64_t target;	/* of a direct branch, else 0 */
	int group;		/* -1: not in a listed function */
	unsigned int body;
	bool first;		/* of its body */
	bool call;
	bool rep;		/* string instruction, executed once per element */
	bool locked;
	bool fence;
	bool stack_load;
	bool stack_store;
	bool ends_block;	/* may end a translated block: no memory callback */
	bool pointer_load;	/* of a call or jump through memory */
};

struct event {
	uint64_t pc, addr;
	uint32_t meta;		/* kind, class << 8, size << 24 */
};

struct slot {
	struct event ev;
	uint64_t count;
};

struct table {
	struct slot *slots;
	size_t size, used;
};

struct log {
	struct event *events;
	unsigned int len, room;
	uint32_t seen;		/* a bit for each rule */
	bool open;
};

struct vcpu {
	atomic_int inside;
	const struct insn *last;
	unsigned int accesses;	/* reported for last since it began */
	struct table table;
	struct log logs[MAX_GROUPS];
};

static struct vcpu *vcpus[MAX_VCPUS];
static atomic_bool counting;
static pthread_mutex_t switch_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int nr_windows;

static void die(const char *what)
{
	fprintf(stderr, "count.so: %s\n", what);
	exit(1);
}

static void *need(void *p)
{
	if (!p)
		die("out of memory");
	return p;
}

/* Tables */

static struct slot *table_find(struct table *t, const struct event *ev)
{
	uint64_t h = ev->pc * 0x9e3779b97f4a7c15ULL ^ ev->addr * 0xc2b2ae3d27d4eb4fULL ^ ev->meta;
	size_t i;

	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ULL;
	h ^= h >> 32;
	for (i = h & (t->size - 1); t->slots[i].count; i = (i + 1) & (t->size - 1)) {
		if (t->slots[i].ev.pc == ev->pc && t->slots[i].ev.addr == ev->addr &&
		    t->slots[i].ev.meta == ev->meta)
			break;
	}
	return &t->slots[i];
}

static void table_add(struct table *t, const struct event *ev)
{
	struct slot *s;

	if (t->used >= t->size / 2) {
		struct table old = *t;
		size_t i;

		t->size = old.size ? old.size * 2 : 1024;
		t->slots = need(calloc(t->size, sizeof(*t->slots)));
		for (i = 0; i < old.size; i++)
			if (old.slots[i].count)
				*table_find(t, &old.slots[i].ev) = old.slots[i];
		free(old.slots);
	}
	s = table_find(t, ev);
	if (!s->count++) {
		s->ev = *ev;
		t->used++;
	}
}

/* Calls and their classes */

static void log_close(struct vcpu *v, unsigned int group)
{
	struct log *log = &v->logs[group];
	unsigned int i, class = log->open ? 1 : 0;

	for (i = 0; log->open && i < groups[group].nr_rules; i++) {
		if (log->seen & (1U << i)) {
			class = groups[group].rules[i].class;
			break;
		}
	}
	for (i = 0; i < log->len; i++) {
		log->events[i].meta |= class << 8;
		table_add(&v->table, &log->events[i]);
	}
	log->len = 0;
	log->seen = 0;
	log->open = false;
}

static bool rule_hit(const struct rule *r, char kind, const struct event *ev)
{
	uint64_t where = kind == 'i' ? ev->pc : ev->addr;
	bool right;

	switch (r->kind) {
	case RULE_LOCKED:
		right = kind == 'k';
		break;
	case RULE_STORE:
		right = kind == 's' || kind == 'k';
		break;
	case RULE_LOAD:
		right = kind == 'l';
		break;
	case RULE_FENCE:
		return kind == 'f';
	default:
		right = kind == 'i';
	}
	return right && where >= r->lo && where < r->hi;
}

static void event(struct vcpu *v, const struct insn *in, char kind, uint64_t addr,
		  unsigned int size)
{
	struct event ev = {
		.pc = in->pc,
		.addr = addr,
		.meta = (unsigned char)kind | size << 24,
	};
	struct group *g;
	struct log *log;
	unsigned int i;

	if (in->group < 0 || !groups[in->group].nr_rules) {
		table_add(&v->table, &ev);
		return;
	}
	g = &groups[in->group];
	log = &v->logs[in->group];
	for (i = 0; i < g->nr_rules; i++)
		if (rule_hit(&g->rules[i], kind, &ev))
			log->seen |= 1U << i;
	if (log->len == log->room) {
		if (log->len == MAX_LOG)
			die("a call with too many events to classify it: drop its class rules");
		log->room = log->room ? log->room * 2 : 256;
		log->events = need(realloc(log->events, log->room * sizeof(*log->events)));
	}
	log->events[log->len++] = ev;
}

/* Into and out of a callback; NULL if nothing is to be counted */

static struct vcpu *enter(unsigned int index)
{
	struct vcpu *v;

	if (!atomic_load_explicit(&counting, memory_order_relaxed))
		return NULL;
	if (index >= MAX_VCPUS)
		die("too many vCPUs");
	v = __atomic_load_n(&vcpus[index], __ATOMIC_RELAXED);
	if (!v) {
		v = need(calloc(1, sizeof(*v)));
		__atomic_store_n(&vcpus[index], v, __ATOMIC_SEQ_CST);
	}
	/* Pairs with stop(): either it waits for this vCPU, or this sees "off" */
	atomic_store(&v->inside, 1);
	if (!atomic_load(&counting)) {
		atomic_store(&v->inside, 0);
		return NULL;
	}
	return v;
}

static void leave(struct vcpu *v)
{
	atomic_store_explicit(&v->inside, 0, memory_order_release);
}

static void on_insn(unsigned int index, void *udata)
{
	const struct insn *in = udata;
	const struct insn *last;
	struct vcpu *v = enter(index);

	if (!v)
		return;
	last = v->last;
	v->last = in;
	v->accesses = 0;
	if (in->first) {
		/* Not from another body of the group, nor by a loop to itself */
		if (!last || last->group != in->group || last->target != in->pc ||
		    (last->body == in->body && last->call)) {
			if (groups[in->group].nr_rules) {
				log_close(v, in->group);
				v->logs[in->group].open = true;
			}
			event(v, in, 'c', 0, 0);
		}
	}
	if (!in->rep || !last || last->pc != in->pc)
		event(v, in, 'i', 0, 0);
	if (in->fence)
		event(v, in, 'f', 0, 0);
	if (in->ends_block) {
		if (in->stack_load)
			event(v, in, 'L', 0, 8);
		if (in->stack_store)
			event(v, in, 'S', 0, 8);
		if (in->pointer_load)
			event(v, in, 'l', 0, 8);
	}
	leave(v);
}

static void on_mem(unsigned int index, qemu_plugin_meminfo_t info, uint64_t addr, void *udata)
{
	const struct insn *in = udata;
	bool store = qemu_plugin_mem_is_store(info);
	unsigned int size = 1U << qemu_plugin_mem_size_shift(info);
	struct insn other;
	struct vcpu *v;
	unsigned int i;

	/* With one vCPU QEMU splits an atomic in two: the store stands for both */
	if (in->fence || (in->locked && !store))
		return;
	if (in->group < 0) {
		for (i = 0; i < nr_watches; i++)
			if (addr + size > watches[i].lo && addr < watches[i].hi)
				break;
		if (i == nr_watches) {
			if (!want_lines || (system_mode && addr < KERNEL))
				return;
			other = *in;
			other.pc = 0;
			in = &other;
			addr &= ~(uint64_t)(LINE - 1);
			size = 0;
		}
	}
	v = enter(index);
	if (!v)
		return;
	if ((in->group >= 0 && (v->last != in || v->accesses++ >= MAX_ACCESSES)) ||
	    (!in->locked && (info >> RW_SHIFT & QEMU_PLUGIN_MEM_RW) == QEMU_PLUGIN_MEM_RW))
		event(v, in, 'x', 0, size);
	else if (in->locked)
		event(v, in, 'k', addr, size);
	else if (in->group >= 0 && (store ? in->stack_store : in->stack_load))
		event(v, in, store ? 'S' : 'L', 0, size);
	else
		event(v, in, store ? 's' : 'l', addr, size);
	leave(v);
}

/* Windows */

static void write_window(void)
{
	char name[4096];
	struct table lines = { 0 };
	struct slot *s;
	unsigned int i, g;
	size_t k;
	FILE *f;

	snprintf(name, sizeof(name), "%s.%u", out_name, ++nr_windows);
	f = fopen(name, "w");
	if (!f) {
		perror(name);
		return;
	}
	for (i = 0; i < MAX_VCPUS; i++) {
		if (!vcpus[i])
			continue;
		for (g = 0; g < MAX_GROUPS; g++)
			log_close(vcpus[i], g);
		for (k = 0; k < vcpus[i]->table.size; k++) {
			s = &vcpus[i]->table.slots[k];
			if (s->count && s->ev.pc && s->ev.addr) {
				struct event ev = { .addr = s->ev.addr & ~(uint64_t)(LINE - 1) };

				table_add(&lines, &ev);
			}
		}
	}
	for (i = 0; i < MAX_VCPUS; i++) {
		for (k = 0; vcpus[i] && k < vcpus[i]->table.size; k++) {
			struct event ev = { 0 };

			s = &vcpus[i]->table.slots[k];
			ev.addr = s->ev.addr;
			if (!s->count || (!s->ev.pc && (!lines.size || !table_find(&lines, &ev)->count)))
				continue;
			fprintf(f, "%c %u %u %" PRIx64 " %" PRIx64 " %u %" PRIu64 "\n",
				(char)s->ev.meta, i, s->ev.meta >> 8 & 0xffff, s->ev.pc,
				s->ev.addr, s->ev.meta >> 24, s->count);
		}
		if (vcpus[i]) {
			free(vcpus[i]->table.slots);
			memset(&vcpus[i]->table, 0, sizeof(vcpus[i]->table));
			vcpus[i]->last = NULL;
		}
	}
	free(lines.slots);
	if (fclose(f))
		perror(name);
}

static void start(void)
{
	pthread_mutex_lock(&switch_lock);
	atomic_store(&counting, true);
	pthread_mutex_unlock(&switch_lock);
}

static void stop(void)
{
	unsigned int i;

	pthread_mutex_lock(&switch_lock);
	if (atomic_exchange(&counting, false)) {
		for (i = 0; i < MAX_VCPUS; i++)
			while (__atomic_load_n(&vcpus[i], __ATOMIC_SEQ_CST) &&
			       atomic_load(&vcpus[i]->inside))
				sched_yield();
		write_window();
	}
	pthread_mutex_unlock(&switch_lock);
}

static void on_mark(unsigned int index, void *udata)
{
	(void)index;
	if (udata == &mark_start)
		start();
	else
		stop();
}

static void on_exit_cb(qemu_plugin_id_t id, void *udata)
{
	(void)id;
	(void)udata;
	stop();
}

/* Translation */

static bool is_prefix(unsigned char b)
{
	switch (b) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
	case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return false;
}

static int64_t displacement(const unsigned char *b, size_t len)
{
	int32_t d = 0;

	if (len == 1)
		return (signed char)b[0];
	memcpy(&d, b, 4);
	return d;
}

/*
 * Instructions besides direct branches that may end a translated block; b[0..n-1]
 * is what follows the opcode. What they access is not counted, ret, popf and
 * calls and jumps through memory excepted.
 */
static bool ends_block(unsigned char op, unsigned char modrm, const unsigned char *b, size_t n)
{
	switch (op) {
	case 0x8e:					/* mov to a segment register */
	case 0x9d:					/* popf */
	case 0xc2: case 0xc3: case 0xca: case 0xcb:	/* ret */
	case 0xcc: case 0xcd: case 0xcf:		/* int, iret */
	case 0xe0: case 0xe1: case 0xe2: case 0xe3:	/* loop, jcxz */
	case 0xe4: case 0xe5: case 0xe6: case 0xe7:	/* in, out */
	case 0xec: case 0xed: case 0xee: case 0xef:
	case 0xf1: case 0xf4: case 0xfa: case 0xfb:	/* icebp, hlt, cli, sti */
		return true;
	case 0xff:					/* call, jmp through register or memory */
		return (modrm & 0x38) >= 0x10 && (modrm & 0x38) <= 0x28;
	case 0x0f:
		break;
	default:
		return false;
	}
	switch (modrm) {				/* the second opcode byte */
	case 0x00: case 0x01: case 0x05: case 0x06: case 0x07: case 0x08: case 0x09: case 0x0b:
	case 0x20: case 0x21: case 0x22: case 0x23:	/* mov to and from control registers */
	case 0x30: case 0x31: case 0x32: case 0x33: case 0x34: case 0x35:
	case 0xa1: case 0xa2: case 0xa9: case 0xaa:	/* cpuid and others */
		return true;
	case 0xae:					/* xsave and others, but not fences */
		return n > 1 && b[1] < 0xc0;
	case 0xc7:					/* xrstors and others, but not cmpxchg */
		return n > 1 && (b[1] & 0x38) != 0x08;
	}
	return false;
}

/* b[0..n-1]: one instruction at in->pc, in 64-bit mode */
static void decode(struct insn *in, const unsigned char *b, size_t n)
{
	unsigned char op, modrm = 0, reg, rex = 0;
	bool lock = false, repeat = false, memory, on_stack;
	uint64_t next = in->pc + n;
	size_t i = 0;

	for (; i < n && is_prefix(b[i]); i++) {
		lock |= b[i] == 0xf0;
		repeat |= b[i] == 0xf2 || b[i] == 0xf3;
	}
	if (i < n && (b[i] & 0xf0) == 0x40)
		rex = b[i++];
	if (i >= n)
		return;
	op = b[i++];
	if (i < n)
		modrm = b[i];
	reg = modrm >> 3 & 7;
	memory = i < n && modrm < 0xc0;

	/* Branches, and what uses the stack without naming it */
	if (op == 0xe8 || op == 0xe9) {
		in->target = next + displacement(b + n - 4, 4);
		in->call = op == 0xe8;
		in->stack_store = op == 0xe8;
		in->ends_block = true;
		return;
	}
	if (op == 0xeb || (op & 0xf0) == 0x70) {
		in->target = next + displacement(b + n - 1, 1);
		in->ends_block = true;
		return;
	}
	if (op == 0x0f && (modrm & 0xf0) == 0x80) {
		in->target = next + displacement(b + n - 4, 4);
		in->ends_block = true;
		return;
	}
	if (ends_block(op, modrm, b + i, n - i)) {
		in->ends_block = true;
		in->stack_load = op == 0xc2 || op == 0xc3 || op == 0x9d;
		in->stack_store = op == 0xff && reg == 2;
		in->pointer_load = op == 0xff && memory;
		return;
	}
	if ((op & 0xf8) == 0x50 || op == 0x68 || op == 0x6a || op == 0x9c) {
		in->stack_store = true;
		return;
	}
	if ((op & 0xf8) == 0x58 || op == 0xc9) {
		in->stack_load = true;
		return;
	}
	if (repeat && (op & 0xf0) == 0xa0 && op >= 0xa4 && op != 0xa8 && op != 0xa9)
		in->rep = true;
	if (op == 0x0f) {
		/* mfence: 0f ae /6 with a register and no prefix */
		if (i + 1 < n && modrm == 0xae && (b[i + 1] & 0xf8) == 0xf0 && !repeat && b[0] != 0x66)
			in->fence = true;
		i++;
		if (i < n && modrm == 0x38)
			i++;
		if (i >= n)
			return;
		memory = b[i] < 0xc0;
		modrm = b[i];
	}
	in->locked = lock || (op == 0x86 || op == 0x87 ? memory : false);
	if (!memory)
		return;
	/* Base register %rsp, or %rbp where it is the frame pointer */
	on_stack = (modrm & 7) == 4 && i + 1 < n && (b[i + 1] & 7) == 4 && !(rex & 1);
	if (in->group >= 0 && groups[in->group].frame && (modrm & 7) == 5 && modrm >= 0x40 && !(rex & 1))
		on_stack = true;
	in->stack_load = in->stack_store = on_stack;
	if (op == 0xff && (reg == 2 || reg == 3 || reg == 6))
		in->stack_store = true;
	if (op == 0x8f)
		in->stack_load = true;
	/* lock add or lock or of 0 on the stack is how smp_mb() is spelt */
	if (lock && op == 0x83 && reg <= 1 && on_stack && b[n - 1] == 0) {
		in->fence = true;
		in->locked = false;
	}
}

static int body_at(uint64_t pc)
{
	unsigned int lo = 0, hi = nr_bodies;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (pc < bodies[mid].lo)
			hi = mid;
		else if (pc >= bodies[mid].hi)
			lo = mid + 1;
		else
			return mid;
	}
	return -1;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, len, n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *q;
	const unsigned char *bytes;
	struct insn *in;
	uint64_t pc;
	int body;

	(void)id;
	for (i = 0; i < n; i++) {
		q = qemu_plugin_tb_get_insn(tb, i);
		pc = qemu_plugin_insn_vaddr(q);
		bytes = qemu_plugin_insn_data(q);
		len = qemu_plugin_insn_size(q);
		if (mark_start && pc == mark_start)
			qemu_plugin_register_vcpu_insn_exec_cb(q, on_mark, QEMU_PLUGIN_CB_NO_REGS,
							       &mark_start);
		if (mark_stop && pc == mark_stop)
			qemu_plugin_register_vcpu_insn_exec_cb(q, on_mark, QEMU_PLUGIN_CB_NO_REGS,
							       &mark_stop);
		body = body_at(pc);
		if (body < 0 && ((!nr_watches && !want_lines) || (system_mode && pc < KERNEL)))
			continue;
		/* Kept for as long as code may run that was translated with it: for ever */
		in = need(calloc(1, sizeof(*in)));
		in->pc = pc;
		in->group = -1;
		if (body >= 0) {
			in->group = bodies[body].group;
			in->body = body;
			in->first = pc == bodies[body].lo && !bodies[body].inner;
			if (len == 3 && !memcmp(bytes, "\x48\x89\xe5", 3))
				groups[in->group].frame = true;
		}
		decode(in, bytes, len);
		if (body >= 0)
			qemu_plugin_register_vcpu_insn_exec_cb(q, on_insn, QEMU_PLUGIN_CB_NO_REGS, in);
		if (!in->ends_block)
			qemu_plugin_register_vcpu_mem_cb(q, on_mem, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, in);
	}
}

/* The plan */

static int by_address(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static bool read_item(const char *line)
{
	unsigned int group, class, i;
	uint64_t lo = 0, hi = 0;
	struct group *g;
	char word[16];

	i = sscanf(line, "body %u %" SCNx64 " %" SCNx64 " %15s", &group, &lo, &hi, word);
	if (i >= 3) {
		if (group >= MAX_GROUPS || nr_bodies == MAX_BODIES || lo >= hi)
			return false;
		bodies[nr_bodies++] = (struct body){ group, lo, hi, i == 4 };
		return true;
	}
	if (sscanf(line, "class %u %u %15s %" SCNx64 " %" SCNx64, &group, &class, word, &lo, &hi) == 5) {
		if (group >= MAX_GROUPS || class < 2 || class > 255)
			return false;
		g = &groups[group];
		for (i = 0; i < sizeof(rule_names) / sizeof(*rule_names); i++) {
			if (!strcmp(word, rule_names[i]) && g->nr_rules < MAX_RULES) {
				g->rules[g->nr_rules++] = (struct rule){ i, class, lo, hi };
				return true;
			}
		}
		return false;
	}
	if (sscanf(line, "watch %" SCNx64 " %" SCNx64, &lo, &hi) == 2 && nr_watches < MAX_RULES) {
		watches[nr_watches].lo = lo;
		watches[nr_watches++].hi = hi;
		return true;
	}
	if (!strcmp(line, "lines\n"))
		return want_lines = true;
	if (sscanf(line, "start %" SCNx64, &mark_start) == 1)
		return true;
	return sscanf(line, "stop %" SCNx64, &mark_stop) == 1;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	char line[256];
	FILE *plan = NULL;
	int i;

	if (strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "count.so: decodes x86-64 only, this is %s\n", info->target_name);
		return 1;
	}
	system_mode = info->system_emulation;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "plan=", 5)) {
			plan = fopen(argv[i] + 5, "r");
			if (!plan) {
				perror(argv[i] + 5);
				return 1;
			}
		} else if (!strncmp(argv[i], "out=", 4)) {
			out_name = need(strdup(argv[i] + 4));
		} else {
			fprintf(stderr, "count.so: unknown argument %s\n", argv[i]);
			return 1;
		}
	}
	if (!plan || !out_name) {
		fputs("count.so: wants plan=FILE,out=FILE\n", stderr);
		return 1;
	}
	while (fgets(line, sizeof(line), plan)) {
		if (*line != '#' && !read_item(line)) {
			fprintf(stderr, "count.so: bad plan: %s", line);
			return 1;
		}
	}
	fclose(plan);
	qsort(bodies, nr_bodies, sizeof(*bodies), by_address);
	atomic_store(&counting, !mark_start);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit_cb, NULL);
	return 0;
}

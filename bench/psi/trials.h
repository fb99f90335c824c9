/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is measured, shared by the user-space program and the module
 *
 * For every form of forms.h, and for "none", which does nothing:
 *
 *	psi_call_FORM()		the form as a function that is not inlined
 *	psi_fixed_FORM()	calls it n times with one pair of masks
 *	psi_replay_FORM()	calls it for every step of a stream
 *	psi_noisy_FORM()	the same with eight random branches before
 *				each call
 *
 * Each loop calls its own form directly, so that no indirect branch is in
 * the measured path, and hides its arguments from the optimiser, so that no
 * body is specialised and no call is dropped. The counters after a trial are
 * compared with those of the plain reference: a form that skipped work
 * cannot win.
 *
 * Include after forms.h and its requirements.
 */
#ifndef BENCH_PSI_TRIALS_H
#define BENCH_PSI_TRIALS_H

#define PSI_GROUPS	16

/* One call: both masks, and which group it went to */
struct psi_step {
	unsigned char clear;
	unsigned char set;
	unsigned char group;
};

struct psi_pattern {
	const char *name;
	unsigned int clear;
	unsigned int set;
};

/* The six patterns of the posted figures; the first is what net refers to */
static const struct psi_pattern psi_patterns[] = {
	{ "empty",		0x0, 0x0 },
	{ "sleep",		0x4, 0x0 },
	{ "iowait-sleep",	0x4, 0x1 },
	{ "memstall-sleep",	0xc, 0x0 },
	{ "wake",		0x0, 0x4 },
	{ "iowait-wake",	0x1, 0x4 },
};

#define PSI_PATTERNS	(sizeof(psi_patterns) / sizeof(psi_patterns[0]))

/* Random mixes: in how many calls of 100 each pattern comes up */
struct psi_mix {
	const char *name;
	unsigned char weight[PSI_PATTERNS];
};

static const struct psi_mix psi_mixes[] = {
	{ "mix-equal",		{ 1, 1, 1, 1, 1, 1 } },
	{ "mix-sleep-wake",	{ 10, 40, 3, 2, 40, 5 } },
};

#define PSI_MIXES	(sizeof(psi_mixes) / sizeof(psi_mixes[0]))

static inline u64 psi_random(u64 *state)
{
	u64 x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;

	return x;
}

static inline void psi_make_mix(const struct psi_mix *mix,
				struct psi_step *steps, unsigned int n,
				u64 seed)
{
	unsigned int i, p, pick, sum = 0;
	u64 state = seed | 1;

	for (p = 0; p < PSI_PATTERNS; p++)
		sum += mix->weight[p];

	for (i = 0; i < n; i++) {
		pick = (unsigned int)(psi_random(&state) >> 33) % sum;
		for (p = 0; pick >= mix->weight[p]; p++)
			pick -= mix->weight[p];
		steps[i].clear = psi_patterns[p].clear;
		steps[i].set = psi_patterns[p].set;
		steps[i].group = 0;
	}
}

#ifdef __GNUC__
#if __has_attribute(__noipa__)
#define psi_opaque	__attribute__((__noipa__))
#endif
#endif
#ifndef psi_opaque
#define psi_opaque	noinline
#endif

/*
 * A body by itself pays for the registers that it saves, and the forms need
 * from none to six. psi_group_change() saves all six for its other work. With
 * PSI_FRAMED every form, and "none", has to save all of them, so that net
 * figures no longer hold that difference.
 */
#if defined(PSI_FRAMED) && defined(__x86_64__)
#define psi_frame()	__asm__ __volatile__("" : : : "rbx", "rbp", "r12", \
					     "r13", "r14", "r15")
#else
#define psi_frame()	do { } while (0)
#endif

/* The value may have changed, as far as the compiler can tell */
#define psi_hide(var)	__asm__ __volatile__("" : "+r" (var) : : "memory")

static __always_inline void psi_walk_none(struct psi_walk *g, int cpu,
					  unsigned int clear,
					  unsigned int set)
{
	__asm__ __volatile__("" : : "r" (g), "r" (cpu), "r" (clear), "r" (set)
			     : "memory");
}

struct psi_form {
	const char *name;
	void (*call)(struct psi_walk *g, int cpu, unsigned int clear,
		     unsigned int set);
	void (*fixed)(struct psi_walk *g, unsigned int clear,
		      unsigned int set, unsigned long n);
	void (*replay)(struct psi_walk *groups, const struct psi_step *steps,
		       unsigned long n);
	void (*noisy)(struct psi_walk *groups, const struct psi_step *steps,
		      unsigned long n);
};

/*
 * Branches that nothing can predict: what the predictor knows of the calls
 * before is pushed out of its recent history.
 */
#define psi_coin(bits, n)						\
do {									\
	if ((bits) & (1 << (n)))					\
		__asm__ __volatile__("" : : "i" (n));			\
	else								\
		__asm__ __volatile__("nop");				\
} while (0)

static __always_inline void psi_noise(unsigned int bits)
{
	psi_coin(bits, 0);
	psi_coin(bits, 1);
	psi_coin(bits, 2);
	psi_coin(bits, 3);
	psi_coin(bits, 4);
	psi_coin(bits, 5);
	psi_coin(bits, 6);
	psi_coin(bits, 7);
}

/* "none" and the forms, in the order of the tables */
#define PSI_ALL(F)	F(none) PSI_FORMS(F)

#define PSI_COUNT_ONE(form)	+ 1
#define PSI_NR_FORMS	(0 PSI_ALL(PSI_COUNT_ONE))

/*
 * Wants a u64 psi_noise_seed, odd; it is another for each trial, or the noise
 * would be learned.
 */
#define PSI_DEFINE_TRIALS(form)						\
psi_opaque void psi_call_##form(struct psi_walk *g, int cpu,		\
				unsigned int clear, unsigned int set)	\
{									\
	psi_frame();							\
	psi_walk_##form(g, cpu, clear, set);				\
}									\
									\
psi_opaque void psi_fixed_##form(struct psi_walk *g,			\
				 unsigned int clear, unsigned int set,	\
				 unsigned long n)			\
{									\
	for (; n; n--) {						\
		psi_hide(clear);					\
		psi_hide(set);						\
		psi_call_##form(g, 0, clear, set);			\
	}								\
}									\
									\
psi_opaque void psi_replay_##form(struct psi_walk *groups,		\
				  const struct psi_step *steps,		\
				  unsigned long n)			\
{									\
	const struct psi_step *end = steps + n;				\
									\
	for (; steps < end; steps++)					\
		psi_call_##form(&groups[steps->group], 0, steps->clear,	\
				steps->set);				\
}									\
									\
psi_opaque void psi_noisy_##form(struct psi_walk *groups,		\
				 const struct psi_step *steps,		\
				 unsigned long n)			\
{									\
	const struct psi_step *end = steps + n;				\
	u64 state = psi_noise_seed += 2;				\
									\
	for (; steps < end; steps++) {					\
		psi_noise(psi_random(&state) >> 40);			\
		psi_call_##form(&groups[steps->group], 0, steps->clear,	\
				steps->set);				\
	}								\
}

#define PSI_DECLARE_TRIALS(form)					\
void psi_call_##form(struct psi_walk *g, int cpu, unsigned int clear,	\
		     unsigned int set);					\
void psi_fixed_##form(struct psi_walk *g, unsigned int clear,		\
		      unsigned int set, unsigned long n);		\
void psi_replay_##form(struct psi_walk *groups,				\
		       const struct psi_step *steps, unsigned long n);	\
void psi_noisy_##form(struct psi_walk *groups,				\
		      const struct psi_step *steps, unsigned long n);

PSI_ALL(PSI_DECLARE_TRIALS)

#define PSI_FORM_ENTRY(form)						\
	{								\
		#form, psi_call_##form, psi_fixed_##form,		\
		psi_replay_##form, psi_noisy_##form			\
	},

#endif

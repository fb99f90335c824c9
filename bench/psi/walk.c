// SPDX-License-Identifier: GPL-2.0
/*
 * The measured bodies, apart from the program around them: this file alone
 * is compiled as the kernel compiles (see KFLAGS in the Makefile), so no
 * vector registers and no position-independent code.
 */
#include "shim.h"
#include "forms.h"
#include "trials.h"

int psi_walk_bug;
int psi_walk_once = 1;

static u64 psi_noise_seed = 0x9e3779b97f4a7c15ULL;

PSI_ALL(PSI_DEFINE_TRIALS)

// SPDX-License-Identifier: GPL-2.0
/*
 * The init process of a machine that only loads psi_bench.ko and stops
 *
 * The module's path and parameters are in the environment, where the kernel
 * puts what it does not know from its command line: psi_ko=, psi_args=
 * (commas between the parameters, as a blank would end the word).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	const char *ko = getenv("psi_ko");
	char *args = getenv("psi_args"), *p;
	int fd = -1;

	args = strdup(args ? args : "");
	for (p = args; p && *p; p++)
		if (*p == ',')
			*p = ' ';

	if (ko)
		fd = open(ko, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		printf("psi_bench: error: cannot open %s\n", ko ? ko : "(none)");
	else if (syscall(SYS_finit_module, fd, args, 0) && errno != EAGAIN)
		printf("psi_bench: error: load: %s\n", strerror(errno));

	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);

	return 1;
}

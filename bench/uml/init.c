// SPDX-License-Identifier: GPL-2.0
/*
 * The init process of a machine that only loads a module and stops
 *
 * The module's name, path and parameters are in the environment, where the
 * kernel puts what it does not know from its command line: bench_name=,
 * bench_ko=, bench_args= (commas between the parameters, as a blank would end
 * the word).
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
	const char *name = getenv("bench_name");
	const char *ko = getenv("bench_ko");
	char *args = getenv("bench_args"), *p;
	int fd = -1;

	args = strdup(args ? args : "");
	for (p = args; p && *p; p++)
		if (*p == ',')
			*p = ' ';

	if (!name)
		name = "init";
	if (ko)
		fd = open(ko, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		printf("%s: error: cannot open %s\n", name, ko ? ko : "(none)");
	else if (syscall(SYS_finit_module, fd, args, 0) && errno != EAGAIN)
		printf("%s: error: load: %s\n", name, strerror(errno));

	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);

	return 1;
}

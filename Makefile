# Everything is done by kit/kit; `make help` says what there is.
MAKEFLAGS += --no-print-directory
KIT := kit/kit

commands := deps bases fetch verify tree apply export post lint kunit kit-test user-test masks-test build compile boot shell selftest \
	    psi-record perf-sched rt-tests ab idle-balance stress series matrix bench-psi bench-sbm bench-sim counts plots bench litmus mutants kit-mutants sched-mutants fuzz clean run test

.PHONY: help $(commands)
.DEFAULT_GOAL := help

help:
	@sed -n 's/^##//p' Makefile

$(commands):
	@$(KIT) $@

## The two commands
##   make run          get the base, apply the series, build, boot, kselftests, perf sched
##   make test         tests of the kit, lint, KUnit under UML, user-space tests
##
## Using the series
##   make apply BASE=/path/to/linux [CHECK=1]   git am on any tree; says clean, offset or conflict
##   make bases        the same, tried on each kernel from 7.2 on that Debian has
##
## Working on it
##   make tree         build/linux: the base with one commit for each patch; edit and commit there
##   make export       build/linux to patches/7.3/ and the mirror of the added files [CHECK=1]
##   make post         the patches as mail, a folder for each part; sends nothing  FROM="Name <mail>" [PART=psi] [VERSION=v2]
##   make lint         checkpatch, changelogs, spelling, kernel-doc, sparse, W=1 with gcc and clang
##   make kunit        the KUnit suites under User Mode Linux, 1 and 4 CPUs [ARCH=s390: under QEMU] [WITH=sbm-off]
##   make build        the guest kernel              [CONFIG=x86_64] [KERNEL=series|base]
##   make boot         boot it, check the machine    [SCENARIO=16cpu-4llc, see kit/scenarios/]
##   make shell        a shell in the guest          [SCENARIO=]
##   make selftest     boot, and the kselftests      [SCENARIO=] [TARGETS=sched]
##   make idle-balance who runs the idle load balancing, and for whom, base and series [TIME=60]
##   make stress       hotplug, partitions and tasks at once [TIME=600] [CONFIG=x86_64+lockdep] [KERNEL=base]
##   make rt-tests     rt-migrate-test, pi_stress, cyclictest and a storm of FIFO tasks, base and series [CONFIG=x86_64+rt]
##   make ab           perf bench, hackbench and cyclictest in UML at native speed, base and series in turns [RUNS=12]
##   make perf-sched   perf sched, base and series side by side [RUNS=5]
##   make series       every commit: build, KUnit, boot; resumable
##   make compile      kernel/sched and lib in another configuration [OPTIONS="NR_CPUS=64"] [COMPILER=clang] [CONFIG=randconfig SEED=1]
##   make matrix       all of it, for hours: every commit, architecture, configuration, debug kernel, fault [ONLY="kunit-*"]
##   make kit-test     the tests of the kit itself, on a toy tree
##   make user-test    lib/sbm.c and the forms of psi's walk in user space; make fuzz TIME=600: longer
##   make masks-test   the kselftest of the masks, on made-up machines with faults [ROWS="..."]
##   make litmus       the ordering claims, by herd7 with the kernel's memory model
##   make mutants      seeded faults in the library: do the tests notice? make kit-mutants: in the kit
##                     make sched-mutants: in kernel/sched, with kernels built and booted
##   make bench-psi    cycles of the psi task-count walk, several forms; make psi-record: its streams anew
##   make counts       stores, locked operations, shared lines by function, base against series (QEMU plugin) [LISTS=nohz]
##   make bench-sbm    cycles of sbm operations on one core and on two, against locked bits and cpumasks
##   make bench-sim    the same and nohz on simulated machines of 16 to 4,096 CPUs
##   make bench        bench-psi, bench-sbm, bench-sim, counts, plots [SIZE=1 TRIALS=51 LISTS=nohz]
##   make plots        results/*.svg of results/*.txt, by gnuplot
##   make fetch, verify, deps GROUP=..., clean [ALL=1]
##
## Any command: BASE=/path/to/linux for another base, KIT_BUILD= and KIT_CACHE= for other folders.

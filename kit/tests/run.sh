#!/usr/bin/env bash
# kit/tests/run.sh [PATTERN] - tests of the kit on a toy kernel tree of a few files and two patches.
#
# Each test is a function t_*; it runs in a copy of the kit with a build folder, a cache and patches of
# its own, and prints nothing if all is well. Output: "ok NAME" or "not ok NAME" and what was wrong.
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# In memory where that is possible: thousands of small files come and go.
work=$(mktemp -d "${TMPDIR:-$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)}/kit-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C
export GIT_AUTHOR_NAME=toy GIT_AUTHOR_EMAIL=toy@localhost GIT_COMMITTER_NAME=toy GIT_COMMITTER_EMAIL=toy@localhost
unset BASE CHECK CONFIG KERNEL SCENARIO FROM PART VERSION TRAILERS RANGE_DIFF DRAFT NOCOVER MAKEFLAGS MAKELEVEL "${!KIT_@}"

# --- the toy ---------------------------------------------------------------------------------------
toy_base() {
	mkdir -p "$1"/{kernel/sched/tests,include/linux,lib,init,scripts,tools/testing/kunit,tools/testing/selftests/sched,Documentation/scheduler}
	printf '# SPDX\nVERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\nEXTRAVERSION =\n' >"$1/Makefile"
	printf '/* core */\n' >"$1/kernel/sched/core.c"
	seq -f 'line %g of the toy psi' 60 >"$1/kernel/sched/psi.c"
	printf 'config PSI\n\tbool\n' >"$1/init/Kconfig"
	printf 'TOY SCHEDULER\nM:\tToy <toy@localhost>\nF:\tkernel/sched/\n\nTOY REST\nF:\t*\n' >"$1/MAINTAINERS"
	printf 'TARGETS += toy\n' >"$1/tools/testing/selftests/Makefile"
	printf '/* untouched by all */\n' >"$1/include/linux/other.h"
	mkdir -p "$1/mm" && printf '/* not tracked */\n' >"$1/mm/page.c"
	find "$1" -exec touch -d '2026-01-02 03:04:05' {} +
}

# A checkout: the kit, and the patches made from the toy. In $T: top/ base/ build/ cache/
new_checkout() {
	T=$work/$1
	mkdir -p "$T/top/patches/7.3" "$T/cache"
	cp -r "$top/kit" "$top/Makefile" "$T/top/"
	cp -r "$work/toy" "$T/base"
	cp "$work/patches"/* "$T/top/patches/7.3/" 2>/dev/null
	export KIT_BUILD=$T/build KIT_CACHE=$T/cache BASE=$T/base
	cd "$T/top" || exit 1
}

make_toy() {
	local r=$work/repo
	toy_base "$work/toy"
	cp -r "$work/toy" "$r"
	git -C "$r" init -q
	git -C "$r" add -A
	git -C "$r" commit -q -m base
	sed -i 's/^line 20 .*/line 20, changed by the first/' "$r/kernel/sched/psi.c"
	GIT_AUTHOR_DATE='2026-02-01T00:00:00Z' git -C "$r" commit -q -a -m 'sched/toy: Change line 20

The first patch.'
	printf '/* the toy test */\n' >"$r/kernel/sched/tests/toy_kunit.c"
	sed -i 's/^line 40 .*/line 40, changed by the second/' "$r/kernel/sched/psi.c"
	sed -i 's,^F:\tkernel/sched/$,&\nF:\tkernel/sched/tests/toy_kunit.c,' "$r/MAINTAINERS"
	git -C "$r" add -A
	GIT_AUTHOR_DATE='2026-02-02T00:00:00Z' git -C "$r" commit -q -m 'sched/toy: Add a test

The second patch.'
	mkdir -p "$work/patches"
	T=$work/first
	new_checkout first
	printf '# The order of the patches; behind each the part it is posted with, and its status.\n' >patches/7.3/series
	rm -f patches/7.3/[0-9]*
	kit tree >/dev/null || { echo "not ok the toy cannot be made"; exit 1; }
	git -C "$r" format-patch -q --full-index -o "$work/mbox" HEAD~2
	git -C "$KIT_BUILD/linux" am -q "$work"/mbox/*.patch
	kit export >/dev/null
	sed -i 's/# sbm: draft/# toy: ready/' patches/7.3/series
	cp patches/7.3/* "$work/patches/"
}

kit() { kit/kit "$@" </dev/null 2>&1; }

# --- assertions: print what is wrong, and count it --------------------------------------------------
bad=0
wrong() { printf '    %s\n' "$*"; bad=1; }
# passes CMD...; fails WORDS CMD...: with one line on stderr beginning "kit:" that holds the words
passes() { out=$("$@") || wrong "failed: $*: $(tail -n 3 <<<"$out")"; }
fails() {
	local words=$1
	shift
	if out=$("$@"); then wrong "passed, should have failed: $*"; fi
	grep -q "^kit: .*$words" <<<"$out" || wrong "no line 'kit: ...$words' from: $*: $(tail -n 3 <<<"$out")"
	[ "$(grep -c '^kit: ' <<<"$out")" -eq 1 ] || wrong "not one line but: $(grep '^kit: ' <<<"$out")"
}
says() { grep -qE -- "$1" <<<"$out" || wrong "does not say '$1': $(tail -n 4 <<<"$out")"; }
same() { [ "$1" = "$2" ] || wrong "'$1' is not '$2'"; }
tree() { printf '%s' "$KIT_BUILD/linux"; }
fake() { mkdir -p "$T/bin"; printf '#!/bin/bash\n%s\n' "$2" >"$T/bin/$1"; chmod +x "$T/bin/$1"; PATH=$T/bin:$PATH; }

# --- the base --------------------------------------------------------------------------------------
t_tree_from_folder() {
	passes kit tree
	same "$(git -C "$(tree)" log --format=%s base..HEAD | wc -l)" 2
	same "$(sed -n 20p "$(tree)/kernel/sched/psi.c")" 'line 20, changed by the first'
	[ -f "$(tree)/mm/page.c" ] || wrong "files that the series does not touch are missing"
	passes kit tree
	says 'up to date'
}
t_tree_from_tar() {
	tar -C "$T" -czf "$T/base.tar.gz" base
	BASE=$T/base.tar.gz passes kit tree
	same "$(git -C "$(tree)" log --format=%s base..HEAD | wc -l)" 2
}
t_tree_from_git() {
	git -C "$T/base" init -q && git -C "$T/base" add -A && git -C "$T/base" commit -q -m toy
	passes kit tree
	same "$(git -C "$(tree)" log --format=%s base..HEAD | wc -l)" 2
}
t_dirty_git_base() {
	git -C "$T/base" init -q && git -C "$T/base" add -A && git -C "$T/base" commit -q -m toy
	echo x >>"$T/base/kernel/sched/core.c"
	fails 'uncommitted changes' kit tree
	same "$(tail -n 1 "$T/base/kernel/sched/core.c")" x
}
t_tree_from_deb() {
	mkdir -p "$T/deb/DEBIAN" "$T/deb/usr/src"
	tar -C "$T" -cJf "$T/deb/usr/src/linux-source-7.3.tar.xz" base
	printf 'Package: linux-source-7.3\nVersion: 7.3.4-1\nArchitecture: all\nMaintainer: toy <toy@localhost>\nDescription: toy\n' >"$T/deb/DEBIAN/control"
	dpkg-deb -b "$T/deb" "$T/toy.deb" >/dev/null
	BASE=$T/toy.deb passes kit tree
	same "$(git -C "$(tree)" log --format=%s base..HEAD | wc -l)" 2
}
# The cached package as `fetch` leaves it, pinned by its sum: no network is needed then.
cached_deb() {
	t_tree_from_deb
	unset BASE
	cp "$T/toy.deb" "$T/cache/linux-source-7.3.deb"
	sed -i "s/^BASE_SHA256=.*/BASE_SHA256=$(sha256sum <"$T/toy.deb" | cut -d' ' -f1)/" kit/base.conf
	rm -rf "$KIT_BUILD"
}
t_cached_package() {
	cached_deb
	fake apt-get 'echo "no network" >&2; exit 100'
	passes kit tree
	passes kit verify
	says '3 files as the patches expect'
}
t_corrupt_cache_is_fetched_again() {
	cached_deb
	echo x >>"$T/cache/linux-source-7.3.deb"
	fake apt-get 'case "$*" in *indextargets*) echo "Debian|Debian|http://localhost:1/debian" ;; *) echo "no network" >&2; exit 100 ;; esac'
	out=$(kit tree) && wrong "passed with a corrupt package and no network"
	says 'wrong SHA-256: fetching it again'
	says '^kit: .*could not be read: is the network there'
}
t_no_mirror_known() {
	unset BASE
	fake apt-get 'exit 0'
	out=$(kit fetch) && wrong "passed"
	says '^kit: .*knows no Debian mirror: give a Linux'
}
# A mirror of one package, through the real apt-get's interface as the kit uses it.
t_newer_package_is_named() {
	cached_deb
	mv "$T/cache/linux-source-7.3.deb" "$T/newer.deb"
	fake apt-get "case \"\$*\" in *indextargets*) echo 'Debian|Debian|http://localhost:1/debian' ;; *download*) cp '$T/newer.deb' ./linux-source-7.3_7.3.5-1_all.deb ;; esac"
	fake apt-cache 'echo "linux-source-7.3 | 7.3.5-1 | here"'
	passes kit tree
	says '7.3.5-1 has replaced the pinned'
	same "$(git -C "$(tree)" log --format=%s base..HEAD | wc -l)" 2
	sed -i "s/^BASE_SHA256=.*/BASE_SHA256=0/" kit/base.conf
	passes kit fetch
	says '7.3.5-1, newer than the pinned'
}
t_newer_package_with_other_files() {
	sed -i 's/line 5 /line five /' "$T/base/kernel/sched/psi.c"
	mkdir -p "$T/deb/DEBIAN" "$T/deb/usr/src"
	tar -C "$T" -cJf "$T/deb/usr/src/linux-source-7.3.tar.xz" base
	printf 'Package: linux-source-7.3\nVersion: 7.3.5-1\nArchitecture: all\nMaintainer: toy <toy@localhost>\nDescription: toy\n' >"$T/deb/DEBIAN/control"
	dpkg-deb -b "$T/deb" "$T/newer.deb" >/dev/null
	unset BASE
	fake apt-get "case \"\$*\" in *indextargets*) echo 'Debian|Debian|http://localhost:1/debian' ;; *download*) cp '$T/newer.deb' ./linux-source-7.3_7.3.5-1_all.deb ;; esac"
	fake apt-cache 'echo "linux-source-7.3 | 7.3.5-1 | here"'
	fails 'files that the series touches differ' kit tree
}
t_pinned_package_with_another_sum() {
	unset BASE
	echo x >"$T/pinned.deb"
	fake apt-get "case \"\$*\" in *indextargets*) echo 'Debian|Debian|http://localhost:1/debian' ;; *download*) cp '$T/pinned.deb' ./linux-source-7.3_7.3.4-1_all.deb ;; esac"
	fake apt-cache '. kit/base.conf; echo "linux-source-7.3 | $BASE_PACKAGE_VERSION | here"'
	fails 'another SHA-256 than kit/base.conf' kit fetch
	[ ! -f "$T/cache/linux-source-7.3.deb" ] || wrong "the bad package was kept"
}
t_wrong_version() {
	sed -i 's/^PATCHLEVEL = 3/PATCHLEVEL = 2/' "$T/base/Makefile"
	fails 'the base is Linux 7.2.4, the series is for 7.3' kit tree
	[ ! -d "$(tree)" ] || wrong "a tree was left"
}
t_wrong_blob() {
	sed -i 's/line 5 /line five /' "$T/base/kernel/sched/psi.c"
	fails '1 of the files that the series touches differ.*kernel/sched/psi.c' kit tree
}
t_newer_sublevel_same_files() {
	sed -i 's/^SUBLEVEL = 4/SUBLEVEL = 9/' "$T/base/Makefile"
	passes kit tree
	says 'Linux 7.3.9 in the place of 7.3.4'
}
t_base_missing() { BASE=$T/nowhere fails 'does not exist' kit tree; }
t_base_not_a_kernel() { mkdir "$T/empty"; BASE=$T/empty fails 'not a kernel tree' kit tree; }

# --- tree: nothing is lost ---------------------------------------------------------------------------
t_new_patches_are_taken() {
	passes kit tree
	sed -i 's/The first patch\./The first patch, said better./' patches/7.3/0001-*
	passes kit tree
	says 'brought to patches/7.3'
	git -C "$(tree)" log --format=%b | grep -q 'said better' || wrong "the new changelog is not there"
}
t_work_in_tree_is_kept() {
	passes kit tree
	echo mine >>"$(tree)/kernel/sched/psi.c"
	passes kit tree
	says 'with uncommitted changes'
	sed -i 's/The first patch\./Changed./' patches/7.3/0001-*
	fails 'uncommitted changes' kit tree
	git -C "$(tree)" commit -qam mine
	fails 'has commits that are not in patches/7.3' kit tree
	same "$(tail -n 1 "$(tree)/kernel/sched/psi.c")" mine
}
t_patch_that_does_not_apply() {
	sed -i 's/^-line 40 of the toy psi/-line forty/' patches/7.3/0002-*
	fails '0002-.* does not apply' kit tree
	[ ! -d "$(tree)/.git/rebase-apply" ] || wrong "an am is left under way"
	cp "$work/patches"/0002-* patches/7.3/
	passes kit tree
}
t_missing_patch() {
	rm patches/7.3/0002-*
	out=$(kit tree) && wrong passed
	says '^kit: 0002-.*is in the series but not in'
}
t_rebase_under_way() {
	passes kit tree
	mkdir "$(tree)/.git/rebase-merge"
	fails 'a rebase or am is under way' kit tree
}
t_more_of_the_base_touched() {
	passes kit tree
	cat >patches/7.3/0003-mm-Toy.patch <<-PATCH
	From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
	From: toy <toy@localhost>
	Date: Tue, 3 Feb 2026 00:00:00 +0000
	Subject: [PATCH] mm: Toy

	---
	diff --git a/mm/page.c b/mm/page.c
	index $(git hash-object "$T/base/mm/page.c")..1111111111111111111111111111111111111111 100644
	--- a/mm/page.c
	+++ b/mm/page.c
	@@ -1 +1 @@
	-/* not tracked */
	+/* tracked */
	PATCH
	echo '0003-mm-Toy.patch # toy: draft' >>patches/7.3/series
	passes kit tree
	says 'laying it anew'
	same "$(cat "$(tree)/mm/page.c")" '/* tracked */'
}

# --- export ------------------------------------------------------------------------------------------
t_export_round_trip() {
	passes kit tree
	passes kit export
	diff -r "$work/patches" patches/7.3 || wrong "the patches are not what they were"
	same "$(cat kernel/sched/tests/toy_kunit.c)" '/* the toy test */'
	grep -q '^TOY SCHEDULER$' MAINTAINERS || wrong "the mirror of MAINTAINERS lacks the entry"
	grep -q 'toy_kunit.c' MAINTAINERS || wrong "the mirror of MAINTAINERS lacks the line"
	! grep -q 'TOY REST' MAINTAINERS || wrong "the mirror of MAINTAINERS has an entry that is not ours"
	find . -path ./build -prune -o -type f -print | sort | xargs sha256sum >"$T/one"
	passes kit export
	find . -path ./build -prune -o -type f -print | sort | xargs sha256sum >"$T/two"
	cmp -s "$T/one" "$T/two" || wrong "exporting twice changes something"
	CHECK=1 passes kit export
}
t_export_settings_of_the_person() {
	export GIT_CONFIG_GLOBAL=$T/gitconfig
	printf '[diff]\n\tnoprefix = true\n\tmnemonicPrefix = true\n\talgorithm = histogram\n\tcontext = 7\n[format]\n\tsignature = me\n\tsubjectPrefix = X\n[core]\n\tabbrev = 7\n[color]\n\tui = always\n' >"$GIT_CONFIG_GLOBAL"
	passes kit tree
	passes kit export
	diff -r "$work/patches" patches/7.3 || wrong "a setting of the person changes the patches"
}
t_export_new_and_removed_file() {
	passes kit tree
	passes kit export
	echo 'int new;' >"$(tree)/lib/new.c"
	fails 'git does not know lib/new.c' kit export
	git -C "$(tree)" add -f lib/new.c && git -C "$(tree)" commit -qm 'lib: Add new'
	CHECK=1 fails 'not what .* exports' kit export
	passes kit export
	same "$(cat lib/new.c)" 'int new;'
	same "$(grep -c '# toy: ready' patches/7.3/series) $(grep -c '# sbm: draft' patches/7.3/series)" '2 1'
	git -C "$(tree)" reset -q --hard HEAD~1
	passes kit export
	[ ! -e lib/new.c ] || wrong "the mirror keeps a file that the series has dropped"
	same "$(ls patches/7.3 | wc -l)" 3
}
t_export_edit_outside_git() {
	passes kit tree
	echo x >>"$(tree)/mm/page.c"
	fails 'git does not know mm/page.c' kit export
	same "$(tail -n 1 "$(tree)/mm/page.c")" x
}
t_export_dirty() {
	passes kit tree
	echo x >>"$(tree)/kernel/sched/psi.c"
	fails 'has uncommitted changes' kit export
}
t_export_fixup_left() {
	passes kit tree
	echo x >>"$(tree)/kernel/sched/psi.c"
	git -C "$(tree)" commit -qam 'fixup! sched/toy: Change line 20'
	fails 'not folded in' kit export
}
t_mirror_edited_by_hand() {
	passes kit tree
	passes kit export
	echo x >>kernel/sched/tests/toy_kunit.c
	CHECK=1 fails 'not what .* exports' kit export
}

# --- apply -------------------------------------------------------------------------------------------
t_apply_clean() {
	git -C "$T/base" init -q && git -C "$T/base" add -A && git -C "$T/base" commit -q -m toy
	passes kit apply
	says 'clean +0001'
	same "$(git -C "$T/base" log --format=%s | wc -l)" 3
}
t_apply_offset() {
	sed -i '1i one more line' "$T/base/kernel/sched/psi.c"
	passes kit apply
	says 'offset +0001.*\(1 lines'
	same "$(sed -n 21p "$T/base/kernel/sched/psi.c")" 'line 20, changed by the first'
}
t_apply_conflict_changes_nothing() {
	sed -i 's/^line 40 .*/another line 40/' "$T/base/kernel/sched/psi.c"
	sha256sum "$T/base/kernel/sched/psi.c" >"$T/sum"
	fails 'does not apply' kit apply
	says 'clean +0001'
	says 'conflict +0002'
	sha256sum -c "$T/sum" >/dev/null || wrong "the tree was changed"
}
t_apply_check_only() {
	CHECK=1 passes kit apply
	same "$(sed -n 20p "$T/base/kernel/sched/psi.c")" 'line 20 of the toy psi'
}
t_apply_dirty() {
	git -C "$T/base" init -q && git -C "$T/base" add -A && git -C "$T/base" commit -q -m toy
	echo x >>"$T/base/kernel/sched/core.c"
	fails 'uncommitted changes' kit apply
}
t_apply_needs_a_tree() { unset BASE; fails 'which tree' kit apply; }

# --- post --------------------------------------------------------------------------------------------
# Two patches of the part psi, with a cover letter, and one of sbm that does not apply without them; scripts that
# answer as the kernel's do; a git send-email that keeps what it was called with.
post_toy() {
	cat >"$BASE/scripts/get_maintainer.pl" <<-'PL'
		my %no = map { $_ => 1 } @ARGV;
		print "\"T. Maintainer\" <m\@toy.example>\n" unless $no{"--nom"};
		print "R. Viewer <r\@toy.example>\n" unless $no{"--nor"};
		print "\"T. Maintainer\" <m\@toy.example>\nlist\@toy.example\n" unless $no{"--nol"};
		print "Nobody <from-git\@toy.example>\n" unless $no{"--no-git-fallback"} && $no{"--nogit"};
	PL
	cat >"$BASE/scripts/checkpatch.pl" <<-'PL'
		my %has = map { $_ => 1 } @ARGV;
		open F, "<", my $name = $ARGV[-1];
		my $text = join "", <F>;
		my $what = $text !~ /^Signed-off-by: /m ? "MISSING_SIGN_OFF: toy" : $text =~ /toy fault/ ? "TOY_FAULT: toy" :
			$text =~ /commit (\w{12})/ ? "UNKNOWN_COMMIT_ID: Unknown commit id '$1', maybe rebased or not pulled?" : "";
		print "a message that is none of a patch\n" if $text !~ /^diff /m;
		exit 0 if $what eq "" || !$has{"--strict"} || grep { /^--ignore/ } @ARGV;
		print "$name:1: ERROR:$what\n";
		exit 1;
	PL
	mkdir -p "$T/exec" docs
	ln -s "$(git --exec-path)"/* "$T/exec/"
	rm -f "$T/exec/git-send-email"
	cat >"$T/exec/git-send-email" <<-SH
		#!/bin/bash
		echo "\$*" >>"$T/mailer"
		for f in "\${!#}"/*; do echo "Dry-Sent \$f"; done
		[ ! -f "$T/mailer-says" ] || cat "$T/mailer-says"
	SH
	chmod +x "$T/exec/git-send-email"
	export GIT_EXEC_PATH=$T/exec
	printf 'A toy of two patches\n\nThe text of the letter, said by Jörg.\n' >docs/cover-psi.txt
	passes kit tree
	sed -i 's/^line 21 .*/line 21, changed by the third/' "$(tree)/kernel/sched/psi.c"
	git -C "$(tree)" commit -qam 'sched/toy: Change line 21' -m 'The third patch.'
	passes kit export
	sed -i '/^000[12]-/s/#.*/# psi: ready/; /^0003-/s/#.*/# sbm: ready/' patches/7.3/series
	export FROM='Jörg Toy <jt@toy.example>'
}
posted() { printf '%s' "$KIT_BUILD/post/$1"; }
mail_has() { grep -qxF -- "$2" "$1" || wrong "$(basename "$1") lacks the line '$2'"; }
t_post_parts() {
	post_toy
	TRAILERS='Reviewed-by: A <a@toy.example>; Tested-by: B <b@toy.example>' VERSION=v2 passes kit post
	says '^6 passed, 0 failed, 0 skipped$'
	says 'sbm does not apply by itself \(sched/toy: Change line 21\): it needs psi$'
	same "$(cd "$(posted psi-v2)/mail" && echo *)" 'v2-0000-cover-letter.patch v2-0001-sched-toy-Change-line-20.patch v2-0002-sched-toy-Add-a-test.patch'
	same "$(cd "$(posted sbm-v2)/mail" && echo *)" 'v2-0001-sched-toy-Change-line-21.patch'
	for p in "$(posted psi-v2)"/mail/*000[12]-* "$(posted sbm-v2)"/mail/*; do
		mail_has "$p" 'From: =?UTF-8?q?J=C3=B6rg=20Toy?= <jt@toy.example>'
		same "$(sed -n '/^Signed-off-by/,/^---$/p' "$p" | tr '\n' '/')" "Signed-off-by: $FROM/Reviewed-by: A <a@toy.example>/Tested-by: B <b@toy.example>/---/"
	done
	p=$(echo "$(posted psi-v2)"/mail/*0001-*)
	mail_has "$p" 'Subject: [PATCH v2 1/2] sched/toy: Change line 20'
	mail_has "$p" 'Date: Sun, 1 Feb 2026 00:00:00 +0000'
	p=$(posted psi-v2)/mail/v2-0000-cover-letter.patch
	for line in 'Subject: [PATCH v2 0/2] A toy of two patches' 'The text of the letter, said by Jörg.' 'Applies to v7.3.4.' \
		'  sched/toy: Add a test' ' 3 files changed, 4 insertions(+), 2 deletions(-)' 'Content-Transfer-Encoding: 8bit' \
		'To: "T. Maintainer" <m@toy.example>' 'Cc: R. Viewer <r@toy.example>,' '    list@toy.example'; do
		mail_has "$p" "$line"
	done
	! grep -rq 'base-commit\|from-git' "$(posted psi-v2)" || wrong "base or people that should not be there"
	# The second part needs the first, and it is said; the mail applies where it says that it does.
	mail_has "$(posted psi-v2)/README" 'Needs: no other part'
	mail_has "$(posted sbm-v2)/README" 'Needs: psi (without: sched/toy: Change line 21 does not apply)'
	mail_has "$(posted sbm-v2)/README" 'Applies to v7.3.4 after the patches of: psi.'
	git -C "$T/base" init -q && git -C "$T/base" add -A && git -C "$T/base" commit -q -m toy
	git -C "$T/base" am -q "$(posted sbm-v2)"/mail/* >/dev/null 2>&1 && wrong "the third patch applies by itself"
	git -C "$T/base" am --abort
	git -C "$T/base" am -q "$(posted psi-v2)"/mail/*000[12]-* "$(posted sbm-v2)"/mail/* || wrong "the mail does not apply"
	same "$(git -C "$T/base" log -3 --format='%an <%ae>' | sort -u)" "$FROM"
	same "$(cat "$T/base/kernel/sched/psi.c")" "$(cat "$(tree)/kernel/sched/psi.c")"
}
t_post_range_diff() {
	post_toy
	PART=psi passes kit post
	git init -q . && git add -A patches && git commit -q -m first && git tag first
	sed -i 's/line 20, changed/line 20, now changed/' patches/7.3/000[13]-*
	for before in "$(posted psi-v1)" first; do
		rm -rf "$(posted psi-v2)"
		RANGE_DIFF=$before VERSION=v2 PART=psi passes kit post
		p=$(posted psi-v2)/mail/v2-0000-cover-letter.patch
		mail_has "$p" 'Range-diff against v1:'
		mail_has "$p" '    -+line 20, changed by the first'
		same "$(grep -cE '^[0-9-]+: .* [=!] ' "$p")" 2
	done
	RANGE_DIFF=second PART=psi fails 'neither a folder nor a commit' kit post
	RANGE_DIFF=$(posted psi-v1) NOCOVER=1 fails 'is of one part' kit post
	rm docs/cover-psi.txt
	RANGE_DIFF=first NOCOVER=1 PART=psi fails 'RANGE_DIFF goes into a cover letter' kit post
}
t_post_refuses() {
	post_toy
	FROM='' fails "FROM='' is not a name and a mail address" kit post
	FROM='Jörg Toy' fails 'is not a name and a mail address' kit post
	for v in 2 v0 v2.1 next; do VERSION=$v fails "VERSION=$v is no version" kit post; done
	TRAILERS='Reviewed by A' fails "'Reviewed by A' in TRAILERS is no trailer" kit post
	PART=nohz fails "'nohz' has no patches: the parts .* are: psi sbm$" kit post
	sed -i '/^0002-/s/ready/draft/' patches/7.3/series
	fails '1 of the 2 patches of psi are not ready (0002-' kit post
	DRAFT=1 PART=psi passes kit post
	sed -i '/^0002-/s/draft/ready/' patches/7.3/series
	mv docs/cover-psi.txt "$T/"
	fails 'psi has 2 patches and no cover letter: write docs/cover-psi.txt' kit post
	NOCOVER=1 VERSION=v3 PART=psi passes kit post
	same "$(cd "$(posted psi-v3)/mail" && echo *)" 'v3-0001-sched-toy-Change-line-20.patch v3-0002-sched-toy-Add-a-test.patch'
	echo >docs/cover-psi.txt
	fails 'docs/cover-psi.txt begins with an empty line' kit post
	cp "$T/cover-psi.txt" docs/
	echo x >>"$(tree)/kernel/sched/core.c"
	fails 'has uncommitted changes' kit post
	git -C "$(tree)" commit -qam mine
	fails 'has commits that are not in' kit post
	same "$(ls "$KIT_BUILD/post")" "psi-v1
psi-v3"
}
t_post_checkpatch_waives_nothing() {
	post_toy
	sed -i 's/^The third patch\./A toy fault./' patches/7.3/0003-*
	out=$(PART=sbm kit post) && wrong "passed with a fault"
	says 'FAILED: post: sbm: checkpatch --strict: 0001-.*TOY_FAULT'
	says '^2 passed, 1 failed, 0 skipped$'
	mail_has "$(posted sbm-v1)/README" 'checkpatch --strict: 1 remarks'
	# The work tree has no history to look commits up in; that a known one is not there is no fault, and no pass.
	sed -i 's/^A toy fault\./As commit 0123456789ab ("Toy")./' patches/7.3/0003-*
	echo '0123456789ac Toy' >kit/known-commits
	out=$(PART=sbm kit post) && wrong "passed with a commit that nobody knows"
	echo '0123456789ab Toy' >kit/known-commits
	PART=sbm passes kit post
	says '^2 passed, 0 failed, 1 skipped$'
	says 'skipped: post: sbm: checkpatch --strict: 1 commit ids'
}
t_post_sends_nothing() {
	post_toy
	for f in sendmail mail mailx msmtp nc curl ssh; do fake $f "touch '$T/sent'"; done
	export PART=psi
	passes kit post
	same "$(grep -c . "$T/mailer")" 1
	! grep -vE '(^| )--dry-run .*--smtp-server=/nonexistent ' "$T/mailer" || wrong "git send-email was called to send"
	[ ! -e "$T/sent" ] || wrong "a program that sends was called"
	echo 'W: unable to extract a valid address' >"$T/mailer-says"
	out=$(kit post) && wrong "passed with a warning"
	says 'FAILED: post: psi: git send-email --dry-run'
	rm "$T/exec/git-send-email"
	passes kit post
	says '^2 passed, 0 failed, 1 skipped$'
	says 'skipped: post: psi: git send-email --dry-run: git send-email is not installed \(Debian package git-email\)'
}
t_post_nothing_is_lost() {
	post_toy
	passes kit tree
	git -C "$(tree)" for-each-ref >"$T/refs"
	export PART=psi
	passes kit post
	cp -r "$KIT_BUILD/post" "$T/once"
	passes kit post
	diff -r "$T/once" "$KIT_BUILD/post" || wrong "running it twice changes something"
	git -C "$(tree)" for-each-ref | cmp -s - "$T/refs" || wrong "the work tree has other commits"
	same "$(git -C "$(tree)" status --porcelain)$(ls -d "$KIT_BUILD"/post.* 2>/dev/null)" ''
	echo 'more to say' >>"$(posted psi-v1)/mail/0000-cover-letter.patch"
	fails 'post/psi-v1 was changed by hand' kit post
	same "$(tail -n 1 "$(posted psi-v1)/mail/0000-cover-letter.patch")" 'more to say'
}

# --- tools, space, interruptions -----------------------------------------------------------------------
# A PATH with everything but the named commands
without() {
	local f d dirs
	mkdir -p "$T/path"
	IFS=: read -ra dirs <<<"$PATH"
	for d in "${dirs[@]}"; do ln -s "$d"/* "$T/path/" 2>/dev/null; done
	for f in "$@"; do rm -f "$T/path/$f"; done
	PATH=$T/path
}
t_missing_tool_elsewhere() {
	without apt-get flex bison
	KIT_NO_CCACHE=1 fails 'missing: flex bison: install them' kit deps base
}
t_missing_tool_on_a_relative_of_debian() {
	without flex
	fake apt-get 'touch "$KIT_BUILD/installed"'
	echo 'ID=ubuntu' >"$T/os-release"
	KIT_OS_RELEASE=$T/os-release KIT_NO_CCACHE=1 fails 'missing: flex: install' kit deps base
	[ ! -e "$KIT_BUILD/installed" ] || wrong "apt-get was called"
}
t_missing_package_here() {
	without flex
	fake apt-get 'echo "$@" >>"${KIT_BUILD:?}/apt-calls"; case "$*" in *install*) exit 100 ;; esac'
	# That of a user would find the real apt-get.
	fake sudo 'exec "$@"'
	echo 'ID=debian' >"$T/os-release"
	KIT_OS_RELEASE=$T/os-release KIT_NO_CCACHE=1 fails 'apt-get could not install flex' kit deps base
	grep -q 'install .* flex$' "$KIT_BUILD/apt-calls" || wrong "apt-get was not asked for flex: $(cat "$KIT_BUILD/apt-calls")"
}
t_tool_too_old() {
	fake gcc 'echo 7.5.0'
	KIT_NO_CCACHE=1 fails 'gcc 7.5.0 is too old: 8.1.0 or later' kit deps base
}
t_no_space() {
	fake df 'printf "Filesystem 1024-blocks Used Available Capacity Mounted\ntoy 100 100 20480 99%% /\n"'
	fails 'only 20 MB free' kit tree
}
t_one_run_at_a_time() {
	mkdir -p "$KIT_BUILD"
	(flock -n 9 && exec sleep 5) 9>"$KIT_BUILD/.lock" &
	sleep 0.5
	fails 'another run of the kit holds' kit tree
	kill $! 2>/dev/null
}
t_interrupted() {
	printf 'say begun; touch "$KIT_BUILD/begun"; sleep 60\n' >kit/cmd/slow.sh
	# A shell's background job ignores SIGINT, and so would all that it starts.
	setsid perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' kit/kit slow >"$T/out" 2>&1 </dev/null &
	local pid=$! n=0
	until [ -e "$KIT_BUILD/begun" ] || [ $((n += 1)) -gt 50 ]; do sleep 0.1; done
	kill -INT -- -"$pid"
	wait "$pid"
	same $? 130
	grep -q '^kit: interrupted: nothing is lost' "$T/out" || wrong "says: $(cat "$T/out")"
	passes kit tree
}
t_interrupted_unpacking() {
	mkdir -p "$KIT_BUILD/linux.new/half"
	passes kit tree
	[ ! -e "$KIT_BUILD/linux.new" ] && [ ! -e "$(tree)/half" ] || wrong "the half tree is still there"
}
t_unknown_command() { fails "no command 'frobnicate'" kit frobnicate; }

# --- configuration -----------------------------------------------------------------------------------
t_lost_option_is_an_error() {
	. kit/lib.sh; . kit/kernel.sh
	printf 'CONFIG_A=y\nCONFIG_B=n\n# CONFIG_X=y\nCONFIG_C=64\n' >"$T/wanted"
	printf 'CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=64\n' >"$T/config"
	out=$( (check_config "$T/wanted" "$T/config") 2>&1) || wrong "a config with all options is refused: $out"
	printf 'CONFIG_A=m\nCONFIG_B=y\n' >"$T/config"
	out=$( (check_config "$T/wanted" "$T/config") 2>&1) && wrong "lost options are accepted"
	for o in CONFIG_A=y CONFIG_B=n CONFIG_C=64; do grep -q "$o" <<<"$out" || wrong "$o is not named: $out"; done
	printf 'CONFIG_A=n\n' >>"$T/wanted"
	printf 'CONFIG_C=64\n' >"$T/config"
	out=$( (check_config "$T/wanted" "$T/config") 2>&1) || wrong "a later fragment does not override: $out"
}
t_series_options_only_where_known() {
	. kit/lib.sh; . kit/kernel.sh
	printf 'CONFIG_TOY_NEW=y\nCONFIG_PSI=y\n' >kit/configs/series.config
	printf 'CONFIG_FIRST=y\n' >kit/configs/toy.config
	same "$(config_fragments "$T/base" toy | tr '\n' ' ')" 'CONFIG_FIRST=y CONFIG_PSI=y '
}
t_unknown_names() {
	SCENARIO=nowhere fails "no scenario 'nowhere'" kit boot
	passes kit tree
	CONFIG=nothing fails "no configuration 'nothing'" kit build
	KERNEL=other fails 'KERNEL=other' kit build
}

# --- the guest ---------------------------------------------------------------------------------------
# A QEMU that writes what $T/console holds, and does what $T/act says
guest() {
	mkdir -p "$KIT_BUILD/o/toy/usr" "$KIT_BUILD/o/toy/arch/x86/boot" "$KIT_BUILD/guest" "$T/top/kit/scenarios"
	touch "$KIT_BUILD/o/toy/arch/x86/boot/bzImage"
	printf '#!/bin/sh\ncat "$1"\n' >"$KIT_BUILD/o/toy/usr/gen_init_cpio"
	chmod +x "$KIT_BUILD/o/toy/usr/gen_init_cpio"
	printf 'SMP=1 CPUS=1 LLCS=1 TIMEOUT=3\n' >kit/scenarios/toy
	fake busybox ':'
	fake toy-qemu "
		for a; do case \$a in file:*) console=\${a#file:} ;; esac; done
		out=\$(dirname \"\$console\")/out
		cat '$T/console' >\"\$console\"
		. '$T/act'"
	cat >kit/cmd/toy-guest.sh <<-'CMD'
		. "$KIT_TOP/kit/guest.sh"
		KERNEL=series
		guest_session toy "$KIT_BUILD/o/toy" toy check kselftest
	CMD
	printf '[    1.0] Linux version 7.3.4\nKIT: job begins\n' >"$T/console"
	cat >"$T/act" <<-'ACT'
		printf 'ok 1 CPUs\n' >$out/check.log
		printf 'TAP version 13\n# selftests: sched: a\nok 1 selftests: sched: a\n' >$out/kselftest.log
		echo 0 >$out/status
	ACT
}
t_guest_good() {
	guest
	QEMU=toy-qemu passes kit toy-guest
	says '^3 passed, 0 failed, 0 skipped$'
}
t_guest_splats() {
	guest
	while IFS= read -r line; do
		printf '[    1.0] Linux version 7.3.4\n%s\n' "$line" >"$T/console"
		QEMU=toy-qemu fails "log has a splat" kit toy-guest
	done <<-'LOG'
		[   12.000001] WARNING: CPU: 3 PID: 77 at kernel/sched/fair.c:99 nohz_balance_exit_idle+0x1/0x2
		[   12.000001] BUG: kernel NULL pointer dereference, address: 0000000000000000
		[   12.000001] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
		[   12.000001] WARNING: possible circular locking dependency detected
		[   12.000001] BUG: KASAN: slab-out-of-bounds in sbm_next+0x1/0x2
		[   12.000001] BUG: KCSAN: data-race in a / b
		[   12.000001] UBSAN: array-index-out-of-bounds in kernel/sched/psi.c:1:2
		[   12.000001] psi: task underflow! cpu=3 t=2 tasks=[0 0 0 0] clear=4 set=0
		[   12.000001] psi: inconsistent task state! task=1:init cpu=0 psi_flags=0 clear=4 set=0
		[   12.000001] INFO: task kworker/0:1:9 blocked for more than 120 seconds.
		[   12.000001] Kernel panic - not syncing: Attempted to kill init!
		[   12.000001] watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [x:1]
		[   12.000001] not ok 1 psi
	LOG
	echo '[    1.0] Linux version 7.3.4' >"$T/console"
	echo "echo '[ 9.0] BUG: late' >\$out/dmesg" >>"$T/act"
	QEMU=toy-qemu fails 'log has a splat: .*late' kit toy-guest
}
t_guest_allowed_line() {
	guest
	printf '[ 1.0] psi: task underflow! cpu=-1 t=2 tasks=[0 0 0 0] clear=4 set=0\n[ 1.1] Warning: unable to open an initial console.\n[ 1.2] psi: \n' | head -n 2 >"$T/console"
	QEMU=toy-qemu passes kit toy-guest
}
# The base's data races are subtracted, whichever way round they are told and whatever gcc has appended to the names.
t_guest_known_races() {
	printf 'BUG: KCSAN: data-race in zeta.isra.0 / alpha\nBUG: KCSAN: data-race in alpha / other\nBUG: KASAN: bad\n' >"$T/log"
	printf '# a comment\nalpha / zeta\n' >"$T/known"
	(. kit/lib.sh; . kit/guest.sh; DATA_RACES=$T/known splats "$T/log") >"$T/left"
	same "$(cat "$T/left")" $'BUG: KCSAN: data-race in alpha / other\nBUG: KASAN: bad'
	same "$(. kit/lib.sh; . kit/guest.sh; DATA_RACES=all splats "$T/log")" 'BUG: KASAN: bad'
	same "$(. kit/lib.sh; . kit/guest.sh; data_races "$T/log" | paste -sd ,)" 'alpha / other,alpha / zeta'
}

# --- the matrix -------------------------------------------------------------------------------------
toy_matrix() {
	mkdir -p results
	printf '# toy\nrows-{1..2}\ttoy N=%%\nsome-bad\ttoy N=bad\nsome-idle\ttoy N=idle\n' >kit/matrix
	# shellcheck disable=SC2016
	printf 'case $N in bad) result fail toy x "it is bad" ;; idle) ;; *) result pass toy "$N" ;; esac\n[ $N != bad ]\n' >kit/cmd/toy.sh
}
t_matrix() {
	toy_matrix
	out=$(ONLY='rows-*' kit matrix) || wrong "failed: $(tail -n 3 <<<"$out")"
	says '^2 passed, 0 failed'
	out=$(kit matrix) && wrong "a bad cell and one that checks nothing have passed"
	says 'rows-2: passed before'
	says 'FAILED: matrix: some-bad: x: it is bad'
	says 'FAILED: matrix: some-idle: nothing was checked'
	says '^2 passed, 2 failed'
	grep -qE '^rows-1 +pass ' results/matrix.txt || wrong "no row of what passed: $(cat results/matrix.txt)"
	echo '# more' >>kit/cmd/toy.sh
	out=$(ONLY=rows-1 kit matrix) || wrong "failed: $(tail -n 3 <<<"$out")"
	grep -q 'passed before' <<<"$out" && wrong "a changed command counts as run"
	grep -qE '^rows-2 +old ' results/matrix.txt || wrong "an old pass is not called so"
}
t_matrix_unknown_cell() { toy_matrix; ONLY=nothing fails 'no cell is named nothing' kit matrix; }

t_every_exception_has_a_reason() {
	while IFS=$'\t' read -r re why; do [ ${#why} -ge 20 ] || wrong "no reason for: $re"; done < <(grep -v '^#' kit/splats-allowed)
}
t_guest_hangs() {
	guest
	seq -f 'log line %g' 100 >"$T/console"
	echo 'exec sleep 60' >"$T/act"
	QEMU=toy-qemu fails 'hangs: no end after 3 s' kit toy-guest
	says '^    log line 61$'
	says '^    log line 100$'
	! grep -q 'log line 60$' <<<"$out" || wrong "more than 40 lines are shown"
	! pgrep -f "$T/bin/toy-qemu" >/dev/null || wrong "QEMU is still there"
}
t_guest_dies() {
	guest
	echo 'rm -f $out/status; exit 1' >"$T/act"
	QEMU=toy-qemu fails 'QEMU ended with an error' kit toy-guest
	echo 'exit 0' >"$T/act"
	QEMU=toy-qemu fails 'stopped before its job ended' kit toy-guest
}
t_guest_check_fails() {
	guest
	sed -i 's/ok 1 CPUs/not ok 16 CPUs/' "$T/act"
	out=$(QEMU=toy-qemu kit toy-guest) && wrong passed
	says 'FAILED: boot: toy: 16 CPUs'
}
t_kselftest_results() {
	guest
	cat >>"$T/act" <<-'ACT'
		cat >$out/kselftest.log <<-'KTAP'
			TAP version 13
			# selftests: sched: cs_prctl_test
			# 1..0 # SKIP no core scheduling here
			ok 1 selftests: sched: cs_prctl_test # SKIP
			# selftests: sched: psi_test
			# not ok 3 a case # fails
			not ok 2 selftests: sched: psi_test # exit=1
			# selftests: sched: other
			ok 3 selftests: sched: other
		KTAP
	ACT
	out=$(QEMU=toy-qemu kit toy-guest) && wrong passed
	says 'skipped: kselftest: toy: sched: cs_prctl_test: .*no core scheduling here'
	says 'FAILED: kselftest: toy: sched: psi_test: .*a case'
	says '^3 passed, 1 failed, 1 skipped$'
	echo ': >$out/kselftest.log' >>"$T/act"
	out=$(QEMU=toy-qemu kit toy-guest) && wrong "no test at all passed"
	says 'none ran'
}

# --- KUnit -------------------------------------------------------------------------------------------
kunit_toy() {
	passes kit tree
	cat >"$(tree)/tools/testing/kunit/kunit.py" <<-'PY'
		import json, os, sys
		o = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--build_dir=")][0]
		if sys.argv[1] == "build":
		    open(o + "/.config", "w").write("CONFIG_PSI_KUNIT_TEST=y\n")
		    sys.exit(0)
		cpus = [a[-1] for a in sys.argv if "ncpus=" in a][0]
		open(o + "/test.log", "w").write(f"smp: Brought up 1 node, {cpus} CPUs\n")
		spec = json.load(open(os.environ["TOY"]))
		out = [a.split("=", 1)[1] for a in sys.argv if a.startswith("--json=")][0]
		cases = [{"name": f"case{i}", "status": s} for i, s in enumerate(spec)]
		json.dump({"name": "main", "sub_groups": [{"name": "psi", "test_cases": cases}], "test_cases": []}, open(out, "w"))
	PY
	export TOY=$T/toy.json
	echo 'psi 3 PSI_KUNIT_TEST' >kit/expected-kunit
}
t_kunit_counts() {
	kunit_toy
	echo '["PASS", "PASS", "PASS"]' >"$TOY"
	passes kit kunit
	says '^6 passed, 0 failed, 0 skipped$'
	echo '["PASS", "PASS"]' >"$TOY"
	out=$(kit kunit) && wrong "two of three cases pass for all"
	says 'FAILED: kunit: um-4-cpu:psi: 2 cases passed, 3 are expected'
	echo '["PASS", "PASS", "SKIP"]' >"$TOY"
	out=$(kit kunit) && wrong "a skipped case counts as passed"
	echo '["PASS", "PASS", "PASS", "FAIL"]' >"$TOY"
	out=$(kit kunit) && wrong "a failed case passes"
	says 'FAILED: kunit: um-1-cpu:psi.case3'
	rm "$TOY"
	out=$(kit kunit) && wrong "no result passes"
}
t_kunit_arch() {
	ARCH=sparc fails 'ARCH=sparc: um, x86_64, i386' kit kunit
}
# A case with parameters is a group of its own, each parameter counts.
t_kunit_parameters() {
	kunit_toy
	sed -i 's/"test_cases": cases}/"test_cases": [], "sub_groups": [{"name": "each", "test_cases": cases}]}/' "$(tree)/tools/testing/kunit/kunit.py"
	echo '["PASS", "PASS", "PASS"]' >"$TOY"
	passes kit kunit
	says '^6 passed, 0 failed, 0 skipped$'
	echo '["PASS", "PASS"]' >"$TOY"
	out=$(kit kunit) && wrong "two of three parameters pass for all"
	says 'FAILED: kunit: um-4-cpu:psi: 2 cases passed, 3 are expected'
}
# What only some configurations want is in series.config with their names behind it.
t_config_only() {
	printf 'CONFIG_PSI=y\nCONFIG_TOY=y # um\n' >kit/configs/series.config
	printf 'config TOY\n\tbool\n' >>"$BASE/init/Kconfig"
	: >kit/configs/um.config
	: >kit/configs/x86_64.config
	for name in um x86_64; do
		out=$(KIT_TOP=$PWD bash -c '. kit/lib.sh; . kit/kernel.sh; config_fragments "$BASE" "$1"' - $name)
		says '^CONFIG_PSI=y$'
		[ $name = x86_64 ] || says '^CONFIG_TOY=y$'
	done
	grep -q TOY <<<"$out" && wrong "an option of um is wanted in x86_64 too"
	return 0
}

# --- plots ------------------------------------------------------------------------------------------
# Columns are found by their headings, in any order; a file that is not there, or without a column, stops it before it draws.
t_plots_of_bad_tables() {
	fake gnuplot 'echo drawn'
	mkdir results
	fails 'no results/sim-scale.txt: make bench-sim writes it' kit plots
	for ns in 0 1000; do
		printf 'machine zen3: toy\n%s ns between two operations\nCPUs | sbm+mb sbm llc numa | none+mb bytes+mb global\n | ns\n16 | 7 6 3 2 | 5 4 1\n\n' $ns
	done >results/sim-scale.txt
	fails 'no results/sim-llcs.txt: make bench-sim writes it' kit plots
	same "$(cat "$KIT_BUILD/plots/scale-0")" $'16\t1\t2\t3\t4\t5\t6\t7'
	sed -i 's/^16 | 7 6/16 | 7 many/' results/sim-scale.txt
	fails 'results/sim-scale.txt: not a number: many in: 16' kit plots
	sed -i 's/ llc / / ' results/sim-scale.txt
	fails 'results/sim-scale.txt: no column llc under' kit plots
	sed -i 's/^machine zen3/machine other/' results/sim-scale.txt
	fails 'results/sim-scale.txt: no table .* of zen3' kit plots
	same "$(ls results)" sim-scale.txt
}

# --- results -----------------------------------------------------------------------------------------
t_table_and_status() {
	printf 'result pass a one; result skip b two "no such thing"; result pass a three\n' >kit/cmd/toy.sh
	passes kit toy
	says '^2 passed, 0 failed, 1 skipped$'
	says 'skipped: b: two: no such thing'
	printf 'result pass a one; result fail b two "it broke"\n' >kit/cmd/toy.sh
	out=$(kit toy) && wrong "a failed result passes"
	says '^1 passed, 1 failed, 0 skipped$'
	says 'FAILED: b: two: it broke'
	printf 'result pass a one; die "it is wrong" "do this"\n' >kit/cmd/toy.sh
	fails 'it is wrong: do this' kit toy
	says '^1 passed, 1 failed, 0 skipped$'
}
t_step_goes_on() {
	printf 'step one bad || rc=1; step two good || rc=1; step three skips || :; exit ${rc:-0}\n' >kit/cmd/toy.sh
	printf 'die "no luck" "try again"\n' >kit/cmd/bad.sh
	printf ':\n' >kit/cmd/good.sh
	printf 'skip "not on this machine"\n' >kit/cmd/skips.sh
	out=$(kit toy) && wrong passed
	says '^1 passed, 1 failed, 1 skipped$'
	says 'FAILED: one: one: no luck: try again'
	says 'skipped: three: three: not on this machine'
}
t_no_registry_host_and_no_path() {
	local hosts h
	git -C "$top" rev-parse --git-dir >/dev/null 2>&1 || return
	hosts=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | sed -E 's#^[a-z+]+://##; s#[/:].*##' | sort -u | grep -F . || :)
	for h in $hosts; do
		git -C "$top" grep -IlF -e "$h" | sed "s,^,    a registry host stands in ," | grep . && bad=1
	done
	git -C "$top" grep -IlF -e "$top/" | sed "s,^,    a path of this machine stands in ," | grep . && bad=1
}

make_toy
# As many at a time as there are CPUs; what they print comes in their order.
one() {
	local verdict=ok out
	out=$( (bad=0; new_checkout "$1"; "$1"; exit $bad) 2>&1) || verdict='not ok'
	printf '%s %s\n' "$verdict" "${1#t_}"
	[ "$verdict" = ok ] || printf '%s\n' "$out"
	rm -rf "${work:?}/$1"
}
tests=()
for t in $(declare -F | awk '$3 ~ /^t_/ { print $3 }'); do
	case $t in *"${1:-}"*) tests+=("$t") ;; esac
done
for t in "${tests[@]}"; do
	while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do wait -n; done
	one "$t" >"$work/$t.out" &
done
wait
failed=0
for t in "${tests[@]}"; do
	cat "$work/$t.out"
	! grep -q '^not ok ' "$work/$t.out" || failed=$((failed + 1))
done
printf '%d of %d failed\n' "$failed" "${#tests[@]}"
[ "$failed" -eq 0 ]

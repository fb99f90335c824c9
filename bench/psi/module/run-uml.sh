#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build the module for a UML kernel, load it there and print its rows
#
#	run-uml.sh KDIR KBUILD_OUT WORKDIR [PARAMETERS]
#
# All of these are those of bench/uml/run.sh.
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/../../uml/run.sh" "$here" "$@"

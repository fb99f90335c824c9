#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Stress the sparse CPU bitmap on all CPUs, and measure a little of it.
"$(dirname "$0")"/../kselftest/module.sh "sbm" test_sbm loops=1000

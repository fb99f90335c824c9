# test: the kit's own tests, the exported patches against the work tree, lint, user-space tests, and
# litmus tests, KUnit under UML with 1 and with 4 CPUs. A failed part does not stop the others.
rc=0
step packages deps test || exit 1
step kit kit-test || rc=1
step tree tree || exit 1
CHECK=1 step export export || rc=1
step user user-test || rc=1
step litmus litmus || rc=1
step lint lint || rc=1
step kunit kunit || rc=1
exit $rc

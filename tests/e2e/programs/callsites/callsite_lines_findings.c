/* Two lines of one function are two findings; the same line with two callers is one finding. The very first upload is
 * no finding.
 *
 * link: cuda
 * build: -g -O2
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * $ places noop-upload $traces
 * 2|upload|OK(cuMemcpyHtoD(device, host, 1000)); // the first line
 * 3|upload|OK(cuMemcpyHtoD(device, host, 1000)); // the second line
 *
 * Its callers are in the evidence, each with its own line:
 * $ "$xferspy" explain --color=never $traces noop-upload | sed -nE 's/^ *#[0-9]+ +(\w+) .*:([0-9]+)$/\1|lines_wasteful.h|\2/p' | with_text |
 * $ grep -v '^upload|' | sort -u
 * main|REQUIRE(one_caller(pid) + one_caller(pid) + other_caller(pid) == 3 * pid + 7);
 * one_caller|static int __attribute__((noinline, noclone)) one_caller(int value) { return upload(value) + 1; }
 * other_caller|static int __attribute__((noinline, noclone)) other_caller(int value) { return upload(value) + 2; }
 *
 * So each line has three stacks, because main calls one of the callers twice.
 * > SELECT count(*), count(DISTINCT stack) FROM transfer WHERE bytes = 1000 AND direction = 1
 * 6|6
 */
#include "lines_wasteful.h"

/* Tests the function and line of every frame in an optimised program without frame pointers.
 *
 * link: cuda
 * build: -g -O2 -fomit-frame-pointer
 * run: for how in dwarf auto; do XFERSPY_STACK=$how "$program"; done
 * traces: 2
 * stdout: data ok
 * stdout: data ok
 *
 * All of them have the same lines, of the upload and of the download:
 * $ for t in $traces; do frames $t "SELECT stack FROM transfers WHERE direction = 'h2d'" | paste -sd ' '; done | uniq
 * inner|OK(cuMemcpyHtoD(device, host, sizeof host)); outer|value = inner(value) + 1; main|REQUIRE(outer((int)getpid()) == (int)getpid() + 3);
 *
 * $ for t in $traces; do frames $t "SELECT stack FROM transfers WHERE direction = 'd2h'" | paste -sd ' '; done | uniq
 * outer|OK(cuMemcpyDtoH(back, device, sizeof back)); main|REQUIRE(outer((int)getpid()) == (int)getpid() + 3);
 */
#include "lines_chain.h"

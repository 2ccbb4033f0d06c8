/* No driver in the process: dlsym(RTLD_DEFAULT) finds none, and neither a file nor a line is written.
 *
 * traces: 0
 * stdout: cuInit: no, cuMemcpyHtoD_v2: no, dlsym: yes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    printf("cuInit: %s, cuMemcpyHtoD_v2: %s, dlsym: %s\n", dlsym(RTLD_DEFAULT, "cuInit") ? "yes" : "no",
           dlsym(RTLD_DEFAULT, "cuMemcpyHtoD_v2") ? "yes" : "no", dlsym(RTLD_DEFAULT, "dlsym") ? "yes" : "no");
    return 0;
}

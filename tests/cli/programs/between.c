/* Preloaded into a command: before the command looks for the first time whether a file lies beside a trace whose name
 * ends in $BETWEEN_SUFFIX, runs the shell command $BETWEEN_DO. So a test makes a change of another process happen at
 * exactly this moment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int lstat(const char *restrict path, struct stat *restrict st);

int lstat(const char *restrict path, struct stat *restrict st) {
    static int (*real)(const char *, struct stat *);
    const char *suffix = getenv("BETWEEN_SUFFIX"), *command = getenv("BETWEEN_DO");
    size_t n = strlen(path), m = suffix ? strlen(suffix) : 0;
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "lstat");
    if (m > 0 && command && n >= m && strcmp(path + n - m, suffix) == 0) {
        unsetenv("BETWEEN_SUFFIX"); /* once */
        unsetenv("LD_PRELOAD");
        if (system(command) != 0)
            abort();
    }
    return real(path, st);
}

/* Tests that dlsym under libxferspy.so does the same as glibc's for everything that is not about CUDA: dlsym_calls.c
 * prints the same with and without the library. */
#include "unit.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_BYTES (256 * 1024)
static char bare[OUTPUT_BYTES], preloaded[OUTPUT_BYTES];

/* In a sanitized build the runtime has to be the first of the libraries. */
static void set_preload(bool with_library) {
    char list[8192];
    snprintf(list, sizeof list, "%s%s%s", SANITIZER_RUNTIME, *SANITIZER_RUNTIME && with_library ? ":" : "",
             with_library ? LIBRARY : "");
    if (*list)
        setenv("LD_PRELOAD", list, 1);
    else
        unsetenv("LD_PRELOAD");
}

/* Runs dlsym_calls and takes its standard output; returns its exit status, or -1. */
static int run(const char *what, bool with_library, char *output) {
    int ends[2], status;
    size_t bytes = 0;
    assert_int_equal(pipe(ends), 0);
    set_preload(with_library);
    pid_t child = fork();
    if (child == 0) {
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* the program's handles stay open */
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(DLSYM_CALLS, DLSYM_CALLS, what, (char *)NULL);
        _exit(127);
    }
    unsetenv("LD_PRELOAD");
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], output + bytes, OUTPUT_BYTES - 1 - bytes)) > 0;)
        bytes += (size_t)n;
    output[bytes] = '\0';
    close(ends[0]);
    assert_true(bytes < OUTPUT_BYTES - 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Prints the lines that differ, each with the expected line, and returns their number. */
static unsigned compare_lines(char *expected, char *found) {
    unsigned different = 0;
    char *wanted, *line;
    while ((wanted = strsep(&expected, "\n")) && (line = strsep(&found, "\n"))) {
        if (strcmp(wanted, line) != 0) {
            print_error("bare:    %s\nxferspy: %s\n", wanted, line);
            different++;
        }
    }
    return different;
}

/* The loader only warns if it cannot preload a library, and then all later tests would pass. */
static void library_is_preloaded(void **state) {
    (void)state;
    assert_int_equal(run("owner", true, preloaded), 0);
    assert_string_equal(preloaded, "libxferspy.so\n");
}

static void answers_are_those_of_glibc(void **state) {
    (void)state;
    assert_int_equal(run("names", false, bare), 0);
    assert_int_equal(run("names", true, preloaded), 0);
    assert_non_null(strstr(bare, "program, next, in_program_and_library: lib"));
    assert_non_null(strstr(bare, "loaded, default, no_such_symbol: none ("));
    assert_int_equal(compare_lines(bare, preloaded), 0);
}

/* Guards programs that have a function like curl_easy_init or cups_get of their own and look it up by name: address
 * and text of the error, with RTLD_DEFAULT as seen from the program and from a library of local scope. */
static void names_in_cu_that_are_not_cuda(void **state) {
    (void)state;
    assert_int_equal(run("cu-names", false, bare), 0);
    assert_int_equal(run("cu-names", true, preloaded), 0);
    assert_non_null(strstr(bare, "program, default, cu_symbol_of_program: dlsym_calls+"));
    assert_non_null(strstr(bare, "loaded, default, cu_symbol_of_loaded: lib"));
    assert_int_equal(compare_lines(bare, preloaded), 0);
}

static void registers_and_stack_are_preserved(void **state) {
    (void)state;
    assert_int_equal(run("registers", false, bare), 0); /* the test itself holds for glibc */
    assert_int_equal(run("registers", true, preloaded), 0);
    assert_string_equal(preloaded, bare);
}

static void threads_get_the_same_answers(void **state) {
    (void)state;
    assert_int_equal(run("threads", true, preloaded), 0);
    assert_string_equal(preloaded, "wrong: 0\n");
}

/* dlclose is overridden only so that the library knows about it. */
static void closing_is_that_of_glibc(void **state) {
    (void)state;
    if (!*SANITIZER_RUNTIME) { /* a sanitizer's own dlclose comes first, and calls the library's */
        assert_int_equal(run("closer", true, preloaded), 0);
        assert_string_equal(preloaded, "libxferspy.so\n");
    }
    assert_int_equal(run("closes", false, bare), 0);
    assert_int_equal(run("closes", true, preloaded), 0);
    assert_non_null(strstr(bare, "still there: 0"));
    assert_int_equal(compare_lines(bare, preloaded), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_is_preloaded),          cmocka_unit_test(answers_are_those_of_glibc),
        cmocka_unit_test(names_in_cu_that_are_not_cuda), cmocka_unit_test(registers_and_stack_are_preserved),
        cmocka_unit_test(threads_get_the_same_answers),  cmocka_unit_test(closing_is_that_of_glibc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

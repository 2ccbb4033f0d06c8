/* Tests how NVTX in an unchanged program finds libxferspy.so, and when it must not find it. */
#include "unit.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_BYTES (256 * 1024)
static char bare[OUTPUT_BYTES], output[OUTPUT_BYTES];

enum { PRELOADED = 1, BY_RUN = 2 };

static void set(const char *name, const char *value) {
    if (value && *value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void become(unsigned how, const char *what, const char *tool) {
    char list[8192];
    snprintf(list, sizeof list, "%s%s%s", SANITIZER_RUNTIME, *SANITIZER_RUNTIME && how & PRELOADED ? ":" : "",
             how & PRELOADED ? LIBRARY : "");
    set("LD_PRELOAD", list);
    set("NVTX_INJECTION64_PATH", tool);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    if (how & BY_RUN) {
        unsetenv("LD_PRELOAD");
        setenv("XFERSPY_LIBRARY", LIBRARY, 1);
        execl(XFERSPY, XFERSPY, "run", "--", NVTX_CALLS, what, INTEROP, (char *)NULL);
    } else {
        execl(NVTX_CALLS, NVTX_CALLS, what, INTEROP, (char *)NULL);
    }
    _exit(127);
}

/* Runs nvtx_calls. `tool` is the value of NVTX_INJECTION64_PATH; NULL: it is not set. */
static void run(unsigned how, const char *what, const char *tool, char *to) {
    int ends[2], status;
    size_t bytes = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        become(how, what, tool);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], to + bytes, OUTPUT_BYTES - 1 - bytes)) > 0;)
        bytes += (size_t)n;
    to[bytes] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

static const char attached[] = "push 0 1, pop 1 0\n"
                               "domain 1, string 1, push 0, pop 0\n"
                               "start 1\n"
                               "thread: push 0, pop 0\n";
static const char no_tool[] = "push -2 -2, pop -2 -2\n"
                              "domain 0, string 0, push -2, pop -2\n"
                              "start 0\n"
                              "thread: push -2, pop -2\n";

static void header_finds_the_preloaded_library(void **state) {
    (void)state;
    run(PRELOADED, "header", LIBRARY, output);
    assert_string_equal(output, attached);
}

static void nvidias_library_finds_it_too(void **state) {
    (void)state;
    if (!*INTEROP)
        skip();
    run(PRELOADED, "library", LIBRARY, output);
    assert_string_equal(output, "push 0 1, pop 1 0\n");
    run(PRELOADED, "library", NULL, output);
    assert_string_equal(output, "push -2 -2, pop -2 -2\n");
}

/* Only NVTX_INJECTION64_PATH leads NVTX to a tool, and the library does not set it: a program would find it in its
 * environment. */
static void preloaded_alone_changes_nothing(void **state) {
    (void)state;
    run(0, "header", NULL, bare);
    assert_string_equal(bare, no_tool);
    run(PRELOADED, "header", NULL, output);
    assert_string_equal(output, no_tool);
    run(0, "environment", NULL, bare);
    run(PRELOADED, "environment", NULL, output);
    assert_string_equal(output, bare);
    assert_null(strstr(output, "NVTX_INJECTION64_PATH"));
}

/* Guards children that drop LD_PRELOAD but keep the rest: NVTX itself opens the library there, and must let it go. */
static void named_without_being_preloaded(void **state) {
    (void)state;
    if (*SANITIZER_RUNTIME)
        skip(); /* the runtime keeps libraries */
    run(0, "header", LIBRARY, output);
    assert_string_equal(output, no_tool);
    run(0, "libraries", LIBRARY, output);
    assert_string_equal(output, "libxferspy.so is not mapped\n");
    run(PRELOADED, "libraries", LIBRARY, output);
    assert_string_equal(output, "libxferspy.so is mapped\n");
}

static void another_tool_keeps_the_ranges(void **state) {
    (void)state;
    run(PRELOADED, "header", TOOL, output);
    assert_non_null(strstr(output, "push 4711"));
    run(PRELOADED, "header", "/no/such/library.so", output);
    assert_string_equal(output, no_tool);
}

static void ranges_go_on_in_a_forked_child(void **state) {
    (void)state;
    run(PRELOADED, "fork", LIBRARY, output);
    assert_string_equal(output, "push 0\nchild: push 1, pop 1 0\npop 0\n");
}

static void run_names_the_library_to_nvtx(void **state) {
    (void)state;
    if (*SANITIZER_RUNTIME)
        skip(); /* would have to be first of what is preloaded */
    run(BY_RUN, "header", NULL, output);
    assert_string_equal(output, attached);
    run(BY_RUN, "header", TOOL, output);
    assert_non_null(strstr(output, "push 4711"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_finds_the_preloaded_library), cmocka_unit_test(nvidias_library_finds_it_too),
        cmocka_unit_test(preloaded_alone_changes_nothing),    cmocka_unit_test(named_without_being_preloaded),
        cmocka_unit_test(another_tool_keeps_the_ranges),      cmocka_unit_test(ranges_go_on_in_a_forked_child),
        cmocka_unit_test(run_names_the_library_to_nvtx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

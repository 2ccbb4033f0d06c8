/* Tests how the trace's name is made from its template, and the rank from launchers' variables. */
#include "unit.h"

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "preload/session/naming.h"

static struct xs_trace_name named;
static char *const path = named.path;
static char cwd[4096], executable[256], host[256];

static int read_facts(void **state) {
    char link[4096];
    (void)state;
    ssize_t n = readlink("/proc/self/exe", link, sizeof link - 1);
    if (n < 0 || !getcwd(cwd, sizeof cwd) || gethostname(host, sizeof host - 1) != 0)
        return -1;
    link[n] = '\0';
    snprintf(executable, sizeof executable, "%s", strrchr(link, '/') + 1);
    return 0;
}

static int no_environment(void **state) {
    (void)state;
    return clearenv();
}

static const char *name(const char *template) {
    assert_int_equal(xs_trace_name(template, &named), 0);
    return path;
}

/* Returns the name without the directory in which a relative template is put. */
static const char *relative_name(const char *template) {
    name(template);
    assert_memory_equal(path, cwd, strlen(cwd));
    assert_int_equal(path[strlen(cwd)], '/');
    return path + strlen(cwd) + 1;
}

static void refuses(const char *template) { assert_int_equal(xs_trace_name(template, &named), XS_ERROR_INVALID); }

static void plain_names(void **state) {
    (void)state;
    assert_string_equal(name("/tmp/trace.db"), "/tmp/trace.db");
    assert_string_equal(relative_name("trace.db"), "trace.db");
    assert_string_equal(relative_name("../traces/trace 1.db"), "../traces/trace 1.db");
}

/* The thread that opens the file does so later; the application may have gone elsewhere by then. */
static void relative_is_to_the_directory_of_now(void **state) {
    (void)state;
    assert_int_equal(chdir("/"), 0);
    assert_string_equal(name("trace.db"), "//trace.db");
    assert_int_equal(chdir(cwd), 0);
}

static void every_form(void **state) {
    char expected[1024];
    (void)state;
    snprintf(expected, sizeof expected, "/t/%ld", (long)getpid());
    assert_string_equal(name("/t/%p"), expected);
    snprintf(expected, sizeof expected, "/t/%s", host);
    assert_string_equal(name("/t/%h"), expected);
    snprintf(expected, sizeof expected, "/t/%s", executable);
    assert_string_equal(name("/t/%e"), expected);
    setenv("RANK", "17", 1);
    assert_string_equal(name("/t/%r"), "/t/17");
    setenv("JOB", "night run", 1);
    assert_string_equal(name("/t/%q{JOB}"), "/t/night run");
    assert_string_equal(name("/t/100%%"), "/t/100%");
    snprintf(expected, sizeof expected, "/t/night run-17.17.%s%%p%ld.db", executable, (long)getpid());
    assert_string_equal(name("/t/%q{JOB}-%r.%r.%e%%p%p.db"), expected);
}

static void rank_without_launcher_is_0(void **state) {
    (void)state;
    assert_string_equal(name("/t/%r"), "/t/0");
}

static void missing_variable_is_empty(void **state) {
    (void)state;
    assert_string_equal(name("/t/a%q{NO_SUCH_VARIABLE}b"), "/t/ab");
}

static void malformed_templates(void **state) {
    static const char *const malformed[] = {"/t/%",   "/t/%x",   "/t/%P",    "/t/%q",       "/t/%q{",
                                            "/t/%q}", "/t/%q{}", "/t/%qJOB", "/t/%q{JOB/a", "/t/% p"};
    char long_name[400] = "/t/%q{";
    (void)state;
    for (size_t i = 0; i < COUNT_OF(malformed); i++)
        refuses(malformed[i]);
    memset(long_name + 6, 'V', 300);
    strcpy(long_name + 306, "}");
    refuses(long_name);
}

/* A value may not lead into another directory, whatever a job's name is. */
static void slashes_of_values_are_replaced(void **state) {
    (void)state;
    setenv("JOB", "../../etc/x", 1);
    assert_string_equal(name("/t/%q{JOB}.db"), "/t/.._.._etc_x.db");
    setenv("JOB", "/", 1);
    assert_string_equal(name("/t/%q{JOB}"), "/t/_");
}

/* The value may also be the whole name of a directory. */
static void value_is_no_way_up(void **state) {
    (void)state;
    setenv("JOB", "..", 1);
    assert_null(strstr(name("/t/%q{JOB}/x.db"), "/../"));
}

/* Tests the place of the number, and that the file's name has only one such place. */
static void next_number(void **state) {
    (void)state;
    assert_string_equal(name("/t/run.%n.db"), "/t/run..db");
    assert_int_equal(named.number_at, strlen("/t/run."));
    name("/t/run.db");
    assert_true(named.number_at == XS_NO_NUMBER);
    name("/t/100%%n.db");
    assert_true(named.number_at == XS_NO_NUMBER);
    refuses("/t/%n-%n.db");
    refuses("/t/%n/run.db");
}

/* Missing folders after the first % are made; a missing folder before it may be a mistake. */
static void part_that_the_user_wrote(void **state) {
    (void)state;
    name("/t/100%%/run-%p.db");
    assert_int_equal(named.literal_bytes, strlen("/t/100%/run-"));
    name("/t/run.db");
    assert_int_equal(named.literal_bytes, strlen("/t/run.db"));
    relative_name("%q{NO_SUCH_VARIABLE}/x.db");
    assert_int_equal(named.literal_bytes, strlen(cwd) + 1);
}

static void length_has_an_end(void **state) {
    char template[sizeof named.path + 2];
    (void)state;
    memset(template, 'x', sizeof template);
    template[0] = '/';
    template[sizeof named.path - 1] = '\0';
    assert_string_equal(name(template), template);
    template[sizeof named.path - 1] = 'x';
    template[sizeof named.path] = '\0';
    refuses(template);
    setenv("JOB", "0123456789abcdef", 1);
    strcpy(template + sizeof named.path - 12, "%q{JOB}");
    refuses(template);
    strcpy(template + sizeof named.path - 2, "%p"); /* at least two digits */
    refuses(template);
    char *huge = calloc(1, 10000);
    assert_non_null(huge);
    memset(huge, 'x', 9999);
    setenv("JOB", huge, 1);
    refuses("%q{JOB}");
    free(huge);
}

static void default_name(void **state) {
    char expected[1024];
    (void)state;
    snprintf(expected, sizeof expected, "xferspy-%s.%ld.db", executable, (long)getpid());
    assert_string_equal(relative_name(""), expected);
}

/* xferspy run names the folder that it was started in, because the program may go elsewhere. */
static void default_name_in_a_folder(void **state) {
    char expected[1024];
    (void)state;
    snprintf(expected, sizeof expected, "/t/100%%/xferspy-%s.%ld.db", executable, (long)getpid());
    assert_string_equal(name("/t/100%%/"), expected);
    assert_int_equal(named.literal_bytes, strlen("/t/100%/xferspy-"));
    setenv("RANK", "3", 1);
    snprintf(expected, sizeof expected, "/t/xferspy-%s.%s.r3.%ld.db", executable, host, (long)getpid());
    assert_string_equal(name("/t/"), expected);
    refuses("/t/%n/");
    refuses("/t/%x/");
}

/* Ranks of one job share a directory, and processes of different hosts a pid. */
static void default_name_with_a_rank(void **state) {
    static const char *const variables[] = {"RANK",     "SLURM_PROCID", "OMPI_COMM_WORLD_RANK",
                                            "PMI_RANK", "PMIX_RANK",    "MV2_COMM_WORLD_RANK"};
    char expected[1024];
    (void)state;
    snprintf(expected, sizeof expected, "xferspy-%s.%s.r3.%ld.db", executable, host, (long)getpid());
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        clearenv();
        setenv(variables[i], "3", 1);
        assert_string_equal(relative_name(""), expected);
    }
}

static void no_rank(void **state) {
    const char *variable = "untouched";
    (void)state;
    assert_int_equal(xs_rank(&variable), -1);
    assert_string_equal(variable, "untouched");
    assert_int_equal(xs_rank(NULL), -1);
    assert_int_equal(xs_world_size(NULL), -1);
    assert_int_equal(xs_local_rank(NULL), -1);
}

/* The variables are set in this order, and each one is preferred to all before it. Slurm's comes last, because mpirun
 * within an allocation leaves the batch step's SLURM_PROCID in every process. */
static void precedence(void **state) {
    static const char *const rising[] = {"SLURM_PROCID", "MV2_COMM_WORLD_RANK",  "PMIX_RANK",
                                         "PMI_RANK",     "OMPI_COMM_WORLD_RANK", "RANK"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rising); i++) {
        char value[16];
        const char *variable = NULL;
        snprintf(value, sizeof value, "%zu", i + 10);
        setenv(rising[i], value, 1);
        assert_int_equal(xs_rank(&variable), i + 10);
        assert_string_equal(variable, rising[i]);
    }
}

static void sizes_and_local_ranks(void **state) {
    static const char *const launchers[][2] = {{"SLURM_NTASKS", "SLURM_LOCALID"},
                                               {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
                                               {"WORLD_SIZE", "LOCAL_RANK"}};
    (void)state;
    for (long i = 0; i < (long)COUNT_OF(launchers); i++) {
        char value[32];
        snprintf(value, sizeof value, "%ld", 100 + i);
        setenv(launchers[i][0], value, 1);
        snprintf(value, sizeof value, "%ld", i);
        setenv(launchers[i][1], value, 1);
        assert_int_equal(xs_world_size(NULL), 100 + i);
        assert_int_equal(xs_local_rank(NULL), i);
    }
}

/* Applications have variables of such names too. */
static void what_is_no_rank_is_passed_over(void **state) {
    static const char *const bad[] = {"", "general", "-1", "3a", "1.5", "99999999999999999999"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const char *variable = NULL;
        clearenv();
        setenv("RANK", bad[i], 1);
        assert_int_equal(xs_rank(NULL), -1);
        setenv("SLURM_PROCID", "0", 1);
        assert_int_equal(xs_rank(&variable), 0);
        assert_string_equal(variable, "SLURM_PROCID");
    }
}

#define TEST(test) cmocka_unit_test_setup(test, no_environment)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(plain_names),
        TEST(relative_is_to_the_directory_of_now),
        TEST(every_form),
        TEST(rank_without_launcher_is_0),
        TEST(missing_variable_is_empty),
        TEST(malformed_templates),
        TEST(slashes_of_values_are_replaced),
        TEST(value_is_no_way_up),
        TEST(next_number),
        TEST(part_that_the_user_wrote),
        TEST(length_has_an_end),
        TEST(default_name),
        TEST(default_name_in_a_folder),
        TEST(default_name_with_a_rank),
        TEST(no_rank),
        TEST(precedence),
        TEST(sizes_and_local_ranks),
        TEST(what_is_no_rank_is_passed_over),
    };
    return cmocka_run_group_tests(tests, read_facts, NULL);
}

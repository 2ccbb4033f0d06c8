/* Tests which labels are written into a trace, from the environment and from the files of a pod. */
#include "unit.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/session/labels.h"
#include "preload/session/redact_session.h"
#include "preload/session/say.h"

static char folder[64], said[256];

bool xs_redact_hides(const char *variable, const char *value) {
    (void)variable;
    return strstr(value, "sekret") != NULL;
}

void xs_complain(bool *once, const char *format, ...) {
    va_list arguments;
    (void)once;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
}

/* The working folder is one without a repository. */
static int begin(void **state) {
    (void)state;
    *said = '\0';
    snprintf(folder, sizeof folder, "/tmp/xferspy-labels-XXXXXX");
    return clearenv() || !mkdtemp(folder) || chdir(folder);
}

static int end(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "cd / && rm -rf %s", folder);
    return system(command); /* NOLINT(cert-env33-c): the folder's name is the test's own */
}

static void put(const char *path, const char *text) {
    char full[256];
    snprintf(full, sizeof full, "%s%s", folder, path);
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Expects these rows of a trace that has the labels, as "KEY=VALUE;KEY=VALUE;". */
static void expect(const char *given, const char *rows) {
    char list[1024], seen[4096] = "", path[128];
    struct xs_store *store;
    sqlite3 *db;
    sqlite3_stmt *statement;
    snprintf(list, sizeof list, "%s", given);
    snprintf(path, sizeof path, "%s/t.db", folder);
    (void)unlink(path);
    assert_int_equal(xs_store_create(path, &store), 0);
    xs_labels_read(list);
    xs_labels_write(store);
    xs_labels_write_files(store, folder);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT key || '=' || value FROM meta WHERE key LIKE 'label%' ORDER BY key",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW)
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s;", sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(db);
    assert_string_equal(seen, rows);
}

static void given_ones(void **state) {
    (void)state;
    expect("", "");
    expect("team=vision,a=1", "label.a=1;label.team=vision;labels.given=team,a;");
    expect("team=my sekret,a-sekret=1", "label.team=[hidden];labels.given=team;");
    assert_string_equal(said, "");
}

static void wrong_ones_are_ignored(void **state) {
    char list[] = "team";
    (void)state;
    xs_labels_read(list);
    assert_non_null(strstr(said, "XFERSPY_LABELS is ignored: "));
    assert_string_equal(list, ""); /* the trace has the value as an option */
    expect("a=1,b", "");
}

static void the_first_variable_that_is_set(void **state) {
    (void)state;
    setenv("SLURM_JOB_ID", "", 1);
    setenv("SLURM_JOBID", "7", 1);
    setenv("LOGNAME", "ann", 1);
    setenv("PBS_QUEUE", "q", 1); /* there is no job of PBS */
    expect("", "label.slurm_job_id=7;label.user=ann;");
    expect("user=x", "label.slurm_job_id=7;label.user=x;labels.given=user;");
    setenv("SLURM_JOB_ID", "8", 1);
    setenv("PBS_JOBID", "1.server", 1);
    expect("", "label.pbs_job_id=1.server;label.pbs_queue=q;label.slurm_job_id=8;label.user=ann;");
}

static void long_values_are_cut(void **state) {
    char value[1000], rows[512];
    (void)state;
    memset(value, 'x', sizeof value);
    value[sizeof value - 1] = '\0';
    setenv("USER", value, 1);
    snprintf(rows, sizeof rows, "label.user=%.255s;", value);
    expect("", rows);
}

static void files_of_a_pod(void **state) {
    (void)state;
    put("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "research");
    put("/etc/podinfo/name", "train-0\n");
    put("/etc/podinfo/image", "registry/train:3\nmore");
    put("/etc/podinfo/node", "");
    expect("", ""); /* no pod */
    setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
    expect("", "label.k8s_image=registry/train:3;label.k8s_namespace=research;label.k8s_pod=train-0;");
    put("/etc/podinfo/namespace", "ours");
    setenv("MY_POD_NAME", "from-variable", 1);
    expect("k8s_image=i", "label.k8s_image=i;label.k8s_namespace=ours;label.k8s_pod=from-variable;"
                          "labels.given=k8s_image;");
}

static void the_repository(void **state) {
    (void)state;
    put("/.git/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
    expect("", "label.git_commit=0123456789abcdef0123456789abcdef01234567;");
    expect("git_commit=x", "label.git_commit=x;labels.given=git_commit;");
}

int main(void) {
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(given_ones),          IN_FOLDER(wrong_ones_are_ignored), IN_FOLDER(the_first_variable_that_is_set),
        IN_FOLDER(long_values_are_cut), IN_FOLDER(files_of_a_pod),         IN_FOLDER(the_repository),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

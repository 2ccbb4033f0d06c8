/* Everything that reads a trace; see read_all.h. */
#include "read_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/commands/job/job.h"
#include "analyzer/commands/job/job_words.h"
#include "analyzer/commands/report/report.h"
#include "analyzer/savings/causes/find_savings.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/totals/summary/summary_by.h"

static char folder[64], path[128];

static void remove_folder(void) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal", ".spool"};
    char name[160];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(name, sizeof name, "%s%s", path, endings[i]);
        unlink(name);
    }
    rmdir(folder);
}

const char *fuzz_trace_path(void) {
    if (*path)
        return path;
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/xferspy-fuzz.XXXXXX" : "/tmp/xferspy-fuzz.XXXXXX");
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/t.db", folder);
    atexit(remove_folder);
    return path;
}

void fuzz_write(const char *name, const void *bytes, size_t count) {
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count || close(fd) != 0)
        abort();
}

static void need_message(const char *message) {
    if (!*message || strchr(message, '\n'))
        abort();
}

static void print(const struct xs_report *report, int columns) {
    FILE *null = fopen("/dev/null", "w");
    if (!null)
        abort();
    struct xs_out out = {.file = null, .columns = columns, .utf8 = columns > 0};
    xs_report_text(report, &out);
    struct xs_json json = {.file = null};
    xs_report_json_begin(&json);
    xs_report_json(report, &json);
    xs_report_json_end(NULL, &json);
    xs_report_markdown(report, &out);
    fclose(null);
}

/* Reads the trace as two processes of a job. */
static void print_job(const struct xs_report *report, const char *name) {
    struct xs_job job = {0};
    FILE *null = fopen("/dev/null", "w");
    if (!null)
        abort();
    struct xs_out out = {.file = null, .columns = 80};
    struct xs_json json = {.file = null};
    for (int i = 0; i < 2; i++)
        xs_job_add(&job, name, i ? "the other" : NULL, report->summary, report->diagnosis, "");
    xs_job_finish(&job);
    xs_job_text(&job, true, &out);
    xs_job_markdown(&job, true, &out);
    xs_report_json_begin(&json);
    xs_report_json_end(&job, &json);
    xs_job_free(&job);
    fclose(null);
}

static int read_findings(const struct xs_trace *trace, struct xs_report *report, char *message) {
    struct xs_marks claims = {0};
    struct xs_by by = {0};
    struct xs_diagnosis *diagnosis = NULL;
    struct xs_analysis_options options = {.on_instance = xs_by_claim, .data = &claims, .shows_replay = true};
    int status = xs_diagnose(trace, &options, &diagnosis, message);
    report->diagnosis = diagnosis;
    if (status >= 0)
        status = xs_content_coverage_read(trace, &report->contents, message);
    for (int key = 0; status >= 0 && key < XS_BY_KEYS; key++) {
        status = xs_by_compute(trace, diagnosis, &claims, (enum xs_by_key)key, &by, message);
        if (status >= 0) {
            report->by = key ? &by : NULL;
            print(report, key * 20);
        }
        xs_by_free(&by);
    }
    report->by = NULL;
    if (status >= 0)
        print_job(report, trace->path);
    xs_marks_free(&claims);
    xs_diagnosis_free(diagnosis);
    return status;
}

void fuzz_read_all(const char *name) {
    char message[XS_TRACE_MESSAGE_BYTES] = "";
    struct xs_trace trace;
    struct xs_summary summary;
    if (xs_trace_open(name, &trace, message) < 0) {
        need_message(message);
        return;
    }
    int status = xs_summary_compute(&trace, NULL, &summary, message);
    if (status >= 0) {
        struct xs_report report = {.summary = &summary, .details = true};
        status = read_findings(&trace, &report, message);
        xs_summary_free(&summary);
    }
    if (status < 0)
        need_message(message);
    xs_trace_close(&trace);
}

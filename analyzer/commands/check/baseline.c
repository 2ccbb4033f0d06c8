/* Baselines; see baseline.h. */
#include "analyzer/commands/check/baseline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/json.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/json_document.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"

#define FORMAT "xferspy-baseline"
enum { VERSION = 1 };
static const char damaged[] = "is damaged; write it again with `xferspy check --write-baseline'";

void xs_baseline_free(struct xs_baseline *baseline) {
    xs_check_findings_free(&baseline->findings);
    free(baseline->undecided);
    *baseline = (struct xs_baseline){0};
}

/* Of one detector, whatever the reasons. */
static uint64_t undecided_of(const struct xs_findings *findings, unsigned detector) {
    uint64_t count = 0;
    for (size_t i = 0; i < findings->undecided_count; i++)
        if (findings->undecided[i].detector == detector)
            count = xs_sum(count, findings->undecided[i].count);
    return count;
}

/* --- writing --- */

static int by_place(const void *a, const void *b) {
    const struct xs_check_finding *l = *(const struct xs_check_finding *const *)a,
                                  *r = *(const struct xs_check_finding *const *)b;
    int order = strcmp(l->file, r->file);
    if (!order)
        order = strcmp(l->function, r->function);
    if (!order)
        order = (l->line > r->line) - (l->line < r->line);
    if (!order)
        order = strcmp(l->kind, r->kind);
    if (!order)
        order = strcmp(l->entry_point, r->entry_point);
    return order ? order : (l->instances > r->instances) - (l->instances < r->instances);
}

static void put_text(struct xs_json *json, const char *key, const char *text) {
    xs_json_text(json, key, *text ? text : NULL);
}

/* Only of a finding of several: the name of any other has its verdict. */
static void put_verdicts(struct xs_json *json, const struct xs_check_finding *g) {
    if (g->verdict != XS_SEVERAL_VERDICTS)
        return;
    xs_json_array(json, "verdicts");
    for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
        if (g->verdicts >> verdict & 1)
            xs_json_text(json, NULL, xs_detectors[g->detector]->verdicts[verdict].name);
    xs_json_end(json, ']');
}

/* Where they are not there, the number itself is known for certain. */
static void put_range(struct xs_json *json, const char *low, const char *high, const struct xs_check_range *range) {
    if (range->low == range->high)
        return;
    xs_json_count(json, low, range->low);
    xs_json_count(json, high, range->high);
}

static void put_finding(struct xs_json *json, const struct xs_check_finding *g) {
    xs_json_object(json, NULL);
    xs_json_text(json, "finding", g->kind);
    put_verdicts(json, g);
    put_text(json, "entry_point", g->entry_point);
    put_text(json, "function", g->function);
    put_text(json, "file", g->file);
    put_text(json, "text", g->text);
    xs_json_known_count(json, "line", g->line != 0, g->line);
    xs_json_count(json, "instances", g->instances);
    xs_json_count(json, "transfers", g->transfers);
    xs_json_count(json, "bytes", g->bytes);
    xs_json_count(json, "gives_back_ns", g->gives_back_ns);
    xs_json_count(json, "saves_least_ns", g->least_ns);
    put_range(json, "instances_low", "instances_high", &g->range[XS_METRIC_COUNT]);
    put_range(json, "bytes_low", "bytes_high", &g->range[XS_METRIC_BYTES]);
    put_range(json, "gives_back_low_ns", "gives_back_high_ns", &g->range[XS_METRIC_NS]);
    xs_json_end(json, '}');
}

static void put_metrics(struct xs_json *json, const struct xs_metric_values *metrics) {
    for (unsigned unit = 0; unit < XS_METRIC_UNITS; unit++) {
        struct xs_string key = {0};
        xs_string_format(&key, "metrics_%s", xs_metric_unit_names[unit]);
        xs_json_object(json, key.data);
        for (int i = 0; i < XS_METRICS; i++) {
            if (xs_metric_infos[i].unit != unit)
                continue;
            if (metrics->of[i].known)
                xs_json_count(json, xs_metric_infos[i].name, metrics->of[i].value);
            else
                xs_json_null(json, xs_metric_infos[i].name);
        }
        xs_json_end(json, '}');
        xs_string_free(&key);
    }
}

void xs_baseline_write(const struct xs_reading *reading, FILE *file) {
    struct xs_json json = {.file = file};
    struct xs_check_findings findings;
    xs_check_findings_of(reading, &findings);
    const struct xs_check_finding **sorted = xs_realloc(NULL, sizeof *sorted * findings.count);
    for (size_t i = 0; i < findings.count; i++)
        sorted[i] = &findings.items[i];
    qsort(sorted, findings.count, sizeof *sorted, by_place);
    xs_json_object(&json, NULL);
    xs_json_text(&json, "format", FORMAT);
    xs_json_int(&json, "version", VERSION);
    put_metrics(&json, &reading->metrics);
    xs_json_object(&json, "undecided_count");
    for (unsigned i = 0; i < xs_detector_count; i++)
        if (undecided_of(reading->findings, i))
            xs_json_count(&json, xs_detectors[i]->id, undecided_of(reading->findings, i));
    xs_json_end(&json, '}');
    xs_json_array(&json, "findings");
    for (size_t i = 0; i < findings.count; i++)
        put_finding(&json, sorted[i]);
    xs_json_end(&json, ']');
    xs_json_end(&json, '}');
    free(sorted);
    xs_check_findings_free(&findings);
}

/* --- reading --- */

static char *text_at(sqlite3_stmt *row, int column, bool *good) {
    int type = sqlite3_column_type(row, column);
    const char *text = (const char *)sqlite3_column_text(row, column);
    *good &= type == SQLITE_TEXT || type == SQLITE_NULL;
    return xs_strdup(text ? text : "");
}

/* The bits of the verdicts. A finding of several has them here, any other has its verdict in its kind. */
static unsigned verdicts_at(sqlite3_stmt *row, int column, const char *kind, bool *good) {
    char *names = text_at(row, column, good);
    unsigned verdicts = 0;
    for (size_t i = 0; i < xs_detector_count; i++)
        for (unsigned verdict = 0; verdict < XS_VERDICTS && !strcmp(xs_detectors[i]->id, kind); verdict++) {
            const char *name = xs_detectors[i]->verdicts[verdict].name;
            struct xs_string quoted = {0};
            xs_string_format(&quoted, "\"%s\"", name ? name : "");
            verdicts |= (unsigned)(name && strstr(names, quoted.data)) << verdict;
            xs_string_free(&quoted);
        }
    for (size_t i = 0; i < xs_detector_count; i++)
        *good &= verdicts || !xs_detectors[i]->verdicts_join || strcmp(xs_detectors[i]->id, kind) != 0;
    free(names);
    return verdicts;
}

static void read_range(sqlite3_stmt *row, int column, struct xs_check_range *range, bool *good) {
    if (sqlite3_column_type(row, column) != SQLITE_NULL)
        range->low = xs_json_document_count(row, column, good);
    if (sqlite3_column_type(row, column + 1) != SQLITE_NULL)
        range->high = xs_json_document_count(row, column + 1, good);
}

static bool read_findings(const struct xs_json_document *document, struct xs_check_findings *findings) {
    static const char sql[] =
        "SELECT json_extract(value, '$.finding'), json_extract(value, '$.entry_point'),"
        " json_extract(value, '$.function'), json_extract(value, '$.file'), json_extract(value, '$.text'),"
        " ifnull(json_extract(value, '$.line'), 0), json_extract(value, '$.instances'),"
        " json_extract(value, '$.transfers'), json_extract(value, '$.bytes'), json_extract(value, '$.gives_back_ns'),"
        " json_extract(value, '$.saves_least_ns'), json_extract(value, '$.verdicts'),"
        " json_extract(value, '$.instances_low'), json_extract(value, '$.instances_high'),"
        " json_extract(value, '$.bytes_low'), json_extract(value, '$.bytes_high'),"
        " json_extract(value, '$.gives_back_low_ns'), json_extract(value, '$.gives_back_high_ns')"
        " FROM json_each(?1, '$.findings')";
    sqlite3_stmt *row = xs_json_document_ask(document, sql);
    bool good = row != NULL;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        struct xs_check_finding *g = xs_check_findings_add(findings);
        g->kind = text_at(row, 0, &good);
        g->entry_point = text_at(row, 1, &good);
        g->function = text_at(row, 2, &good);
        g->file = text_at(row, 3, &good);
        g->text = text_at(row, 4, &good);
        uint64_t line = xs_json_document_count(row, 5, &good);
        g->line = line > UINT32_MAX ? 0 : (uint32_t)line;
        g->instances = xs_json_document_count(row, 6, &good);
        g->transfers = xs_json_document_count(row, 7, &good);
        g->bytes = xs_json_document_count(row, 8, &good);
        g->gives_back_ns = xs_json_document_count(row, 9, &good);
        g->least_ns = xs_json_document_count(row, 10, &good);
        g->verdicts = verdicts_at(row, 11, g->kind, &good);
        xs_check_finding_is_exact(g);
        read_range(row, 12, &g->range[XS_METRIC_COUNT], &good);
        read_range(row, 14, &g->range[XS_METRIC_BYTES], &good);
        read_range(row, 16, &g->range[XS_METRIC_NS], &good);
        good = good && *g->kind;
    }
    sqlite3_finalize(row);
    return good && code == SQLITE_DONE;
}

/* A metric that the file does not have, or that is null there, is unknown. */
static bool read_metrics(const struct xs_json_document *document, struct xs_metric_values *metrics) {
    static const char sql[] = "SELECT key, value, type FROM json_each(?1, '$.metrics_ns') UNION ALL "
                              "SELECT key, value, type FROM json_each(?1, '$.metrics_bytes') UNION ALL "
                              "SELECT key, value, type FROM json_each(?1, '$.metrics_count')";
    sqlite3_stmt *row = xs_json_document_ask(document, sql);
    bool good = row != NULL;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(row, 0);
        int metric = key ? xs_metric_find(key) : -1;
        if (metric >= 0 && sqlite3_column_type(row, 1) != SQLITE_NULL)
            metrics->of[metric] =
                (struct xs_metric_value){.value = xs_json_document_count(row, 1, &good), .known = true};
    }
    sqlite3_finalize(row);
    return good && code == SQLITE_DONE;
}

static bool read_undecided(const struct xs_json_document *document, uint64_t *undecided) {
    sqlite3_stmt *row = xs_json_document_ask(document, "SELECT key, value FROM json_each(?1, '$.undecided_count')");
    bool good = row != NULL;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(row, 0);
        uint64_t count = xs_json_document_count(row, 1, &good);
        for (size_t i = 0; i < xs_detector_count; i++)
            if (id && !strcmp(xs_detectors[i]->id, id))
                undecided[i] = count;
    }
    sqlite3_finalize(row);
    return good && code == SQLITE_DONE;
}

static bool has_findings(const struct xs_json_document *document) {
    sqlite3_stmt *row = xs_json_document_ask(document, "SELECT json_type(?1, '$.findings') = 'array'");
    bool has = row && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    return has;
}

/* NULL, or what is wrong with it. */
static const char *read_document(const struct xs_json_document *document, struct xs_baseline *baseline) {
    const char *trouble = xs_json_document_is(document, FORMAT, VERSION,
                                              "is no baseline; `xferspy check --write-baseline' makes one", damaged);
    if (!trouble && !(has_findings(document) && read_findings(document, &baseline->findings) &&
                      read_metrics(document, &baseline->metrics) && read_undecided(document, baseline->undecided)))
        trouble = damaged;
    return trouble;
}

static int read_json(const char *path, FILE *file, struct xs_baseline *baseline) {
    struct xs_json_document document;
    const char *trouble = xs_json_document_read(file, &document);
    if (!trouble)
        trouble = read_document(&document, baseline);
    xs_json_document_free(&document);
    if (!trouble)
        return XS_EXIT_OK;
    xs_complain("%s: %s", path, trouble);
    xs_baseline_free(baseline);
    return XS_EXIT_ERROR;
}

bool xs_baseline_may_be(const struct xs_reading *reading) {
    if (!xs_repaired_any(&reading->summary.repaired))
        return true;
    xs_complain("%s: no baseline, because the run was repaired while it was recorded; record it without XFERSPY_REPAIR",
                reading->trace.path);
    return false;
}

static int read_trace(const char *path, struct xs_baseline *baseline) {
    struct xs_reading reading;
    int status = xs_reading_open(path, NULL, &reading);
    if (status != XS_EXIT_OK) {
        xs_baseline_free(baseline);
        return status;
    }
    if (!xs_baseline_may_be(&reading)) {
        xs_reading_close(&reading);
        xs_baseline_free(baseline);
        return XS_EXIT_ERROR;
    }
    xs_check_findings_of(&reading, &baseline->findings);
    baseline->metrics = reading.metrics;
    for (unsigned i = 0; i < xs_detector_count; i++)
        baseline->undecided[i] = undecided_of(reading.findings, i);
    xs_reading_close(&reading);
    return XS_EXIT_OK;
}

int xs_baseline_open(const char *path, struct xs_baseline *baseline) {
    struct stat st;
    *baseline = (struct xs_baseline){.undecided = xs_realloc(NULL, sizeof(uint64_t) * xs_detector_count)};
    memset(baseline->undecided, 0, sizeof(uint64_t) * xs_detector_count);
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    int first = ' ';
    if (!file) /* a device, a folder, nothing: the trace's reader knows how to say so */
        return read_trace(path, baseline);
    while (first == ' ' || first == '\n' || first == '\t' || first == '\r')
        first = getc(file);
    if (first != '{') {
        fclose(file);
        return read_trace(path, baseline);
    }
    rewind(file);
    int status = read_json(path, file, baseline);
    fclose(file);
    return status;
}

/* Reads and writes baselines; see baseline_file.h. */
#include "analyzer/commands/check/baseline_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/json.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/json_document.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/scan.h"

#define FORMAT "xferspy-baseline"
enum { VERSION = 1 };
static const char damaged[] = "is damaged; write it again with `xferspy check --write-baseline'";

void xs_baseline_free(struct xs_baseline *baseline) {
    xs_check_findings_free(&baseline->findings);
    free(baseline->undecided);
    *baseline = (struct xs_baseline){0};
}

uint64_t xs_check_undecided(const struct xs_findings *findings, unsigned detector) {
    uint64_t count = 0;
    for (size_t i = 0; i < findings->undecided_count; i++)
        if (findings->undecided[i].detector == detector)
            count = xs_sum(count, findings->undecided[i].count);
    return count;
}

/* --- writing --- */

static int by_place(const void *a, const void *b, void *data) {
    const struct xs_match_place *places = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct xs_match_place *l = &places[x], *r = &places[y];
    return strcmp(l->file ?: "", r->file ?: "") ?: strcmp(l->function ?: "", r->function ?: "")
        ?: xs_compare_uint64(l->line, r->line) ?: strcmp(l->entry_point, r->entry_point) ?: xs_compare(x, y);
}

/* Sorts findings by their places, in the order of by_place. */
static int by_site(const void *a, const void *b, void *data) {
    const struct xs_check_finding *l = *(const struct xs_check_finding *const *)a,
                                  *r = *(const struct xs_check_finding *const *)b;
    return by_place(&l->site, &r->site, data) ?: strcmp(l->kind, r->kind);
}

/* Writes the verdicts of a finding that has several. The name of any other finding contains its verdict. */
static void put_verdicts(struct xs_json *json, const struct xs_check_finding *g) {
    if (g->verdict != XS_SEVERAL_VERDICTS)
        return;
    xs_json_array(json, "verdicts");
    for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
        if (g->verdicts >> verdict & 1)
            xs_json_text(json, NULL, xs_detectors[g->detector]->verdicts[verdict].name);
    xs_json_end(json, ']');
}

/* Writes the ends of an interval. If the number is known exactly, writes nothing. */
static void put_interval(struct xs_json *json, const char *low, const char *high,
                         const struct xs_check_interval *interval) {
    if (interval->low == interval->high)
        return;
    xs_json_count(json, low, interval->low);
    xs_json_count(json, high, interval->high);
}

static void put_finding(struct xs_json *json, const struct xs_check_finding *g) {
    xs_json_object(json, NULL);
    xs_json_text(json, "finding", g->kind);
    put_verdicts(json, g);
    xs_json_count(json, "instances", g->instances);
    xs_json_count(json, "transfers", g->transfers);
    xs_json_count(json, "bytes", g->bytes);
    xs_json_count(json, "saves_ns", g->saves_ns);
    xs_json_count(json, "saves_least_ns", g->least_ns);
    put_interval(json, "instances_low", "instances_high", &g->interval[XS_METRIC_COUNT]);
    put_interval(json, "bytes_low", "bytes_high", &g->interval[XS_METRIC_BYTES]);
    put_interval(json, "saves_low_ns", "saves_high_ns", &g->interval[XS_METRIC_NS]);
    xs_json_end(json, '}');
}

static void put_metrics(struct xs_json *json, const struct xs_metric_values *metrics) {
    for (unsigned unit = 0; unit < XS_METRIC_UNITS; unit++) {
        XS_SCOPED_STRING key = {0};
        xs_string_format(&key, "metrics_%s", xs_metric_unit_names[unit]);
        xs_json_object(json, key.data);
        for (int i = 0; i < XS_METRICS; i++) {
            const struct xs_metric_value *metric = &metrics->of[i];
            if (xs_metric_infos[i].unit == unit)
                xs_json_known_count(json, xs_metric_infos[i].name, metric->known, metric->value);
        }
        xs_json_end(json, '}');
    }
}

static void put_place(struct xs_json *json, const struct xs_match_place *place) {
    xs_json_text(json, "entry_point", *place->entry_point ? place->entry_point : NULL);
    xs_json_text(json, "category", xs_category_names[place->category]);
    xs_json_text(json, "function", place->function);
    xs_json_text(json, "file", place->file);
    xs_json_known_count(json, "line", place->line && !place->is_address, place->line);
    if (place->is_address)
        xs_json_count(json, "address", place->line);
    xs_json_text(json, "text", place->text);
}

static void put_call_sites(struct xs_json *json, const struct xs_check_findings *findings) {
    const struct xs_check_finding **sorted = xs_realloc(NULL, sizeof *sorted * findings->count);
    XS_SCOPED uint32_t *order = xs_realloc(NULL, sizeof *order * findings->place_count);
    size_t k = 0;
    for (size_t i = 0; i < findings->count; i++)
        sorted[i] = &findings->items[i];
    for (uint32_t i = 0; i < findings->place_count; i++)
        order[i] = i;
    qsort_r(sorted, findings->count, sizeof *sorted, by_site, findings->places);
    qsort_r(order, findings->place_count, sizeof *order, by_place, findings->places);
    xs_json_array(json, "call_sites");
    for (size_t i = 0; i < findings->place_count; i++) {
        xs_json_object(json, NULL);
        put_place(json, &findings->places[order[i]]);
        xs_json_array(json, "findings");
        for (; k < findings->count && sorted[k]->site == order[i]; k++)
            put_finding(json, sorted[k]);
        xs_json_end(json, ']');
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    free(sorted);
}

void xs_baseline_write(const struct xs_reading *reading, FILE *file) {
    struct xs_json json = {.file = file};
    struct xs_check_findings findings;
    xs_check_findings_of(reading, &findings);
    xs_json_document(&json, FORMAT, VERSION);
    put_metrics(&json, &reading->metrics);
    xs_json_object(&json, "undecided_count");
    for (unsigned i = 0; i < xs_detector_count; i++)
        if (xs_check_undecided(reading->diagnosis->findings, i))
            xs_json_count(&json, xs_detectors[i]->id, xs_check_undecided(reading->diagnosis->findings, i));
    xs_json_end(&json, '}');
    put_call_sites(&json, &findings);
    xs_json_end(&json, '}');
    xs_check_findings_free(&findings);
}

/* --- reading --- */

/* Returns the text of a column; NULL: not known. */
static const char *text_at(sqlite3_stmt *row, int column, bool *good) {
    int type = sqlite3_column_type(row, column);
    *good &= type == SQLITE_TEXT || type == SQLITE_NULL;
    return (const char *)sqlite3_column_text(row, column);
}

/* Reads the kind's detector and verdicts. `names` lists the verdicts of a finding that has several; the kind of any
 * other finding contains its verdict. */
static void read_kind(struct xs_check_finding *g, const char *kind, const char *names, bool *good) {
    size_t id = strcspn(kind, "/");
    g->kind = xs_strdup(kind);
    g->detector = 0;
    while (g->detector < xs_detector_count &&
           (strlen(xs_detectors[g->detector]->id) != id || strncmp(xs_detectors[g->detector]->id, kind, id) != 0))
        g->detector++;
    if (g->detector == xs_detector_count)
        return;
    const struct xs_detector *d = xs_detectors[g->detector];
    g->verdict = kind[id] ? XS_SEVERAL_VERDICTS : 0; /* this version may not have the verdict */
    for (unsigned verdict = 0; verdict < XS_VERDICTS && d->verdicts[verdict].name; verdict++) {
        XS_SCOPED_STRING quoted = {0};
        xs_string_format(&quoted, "\"%s\"", d->verdicts[verdict].name);
        if (kind[id] ? !strcmp(kind + id + 1, d->verdicts[verdict].name) : names && strstr(names, quoted.data)) {
            g->verdict = kind[id] ? verdict : XS_SEVERAL_VERDICTS;
            g->verdicts |= 1u << verdict;
        }
    }
    *good &= kind[id] || g->verdicts || !d->verdicts_join;
}

static void read_interval(sqlite3_stmt *row, int column, struct xs_check_interval *interval, bool *good) {
    if (sqlite3_column_type(row, column) != SQLITE_NULL)
        interval->low = xs_json_document_count(row, column, good);
    if (sqlite3_column_type(row, column + 1) != SQLITE_NULL)
        interval->high = xs_json_document_count(row, column + 1, good);
}

static bool read_places(const struct xs_json_document *document, struct xs_check_findings *findings) {
    static const char sql[] =
        "SELECT value ->> 'entry_point', value ->> 'category', value ->> 'function', value ->> 'file',"
        " value ->> 'text', ifnull(value ->> 'line', 0), value ->> 'address' FROM json_each(?1, '$.call_sites')";
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, sql);
    bool good = row != NULL;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *entry_point = text_at(row, 0, &good), *category = text_at(row, 1, &good);
        struct xs_match_place place = {.entry_point = entry_point ? entry_point : "",
                                       .function = text_at(row, 2, &good),
                                       .file = text_at(row, 3, &good),
                                       .text = text_at(row, 4, &good),
                                       .is_address = sqlite3_column_type(row, 6) != SQLITE_NULL};
        place.line = xs_json_document_count(row, place.is_address ? 6 : 5, &good);
        unsigned known = 0;
        while (known < XS_CATEGORY_COUNT && (!category || strcmp(xs_category_names[known], category) != 0))
            known++;
        place.category = (enum xs_category)known;
        good = good && known < XS_CATEGORY_COUNT;
        xs_check_findings_add_place(findings, &place);
    }
    return good && code == SQLITE_DONE;
}

static bool read_findings(const struct xs_json_document *document, struct xs_check_findings *findings) {
    static const char sql[] =
        "SELECT site.key, found.value ->> 'finding', found.value ->> 'verdicts', found.value ->> 'instances',"
        " found.value ->> 'transfers', found.value ->> 'bytes', found.value ->> 'saves_ns',"
        " found.value ->> 'saves_least_ns', found.value ->> 'instances_low', found.value ->> 'instances_high',"
        " found.value ->> 'bytes_low', found.value ->> 'bytes_high',"
        " found.value ->> 'saves_low_ns', found.value ->> 'saves_high_ns'"
        " FROM json_each(?1, '$.call_sites') AS site, json_each(site.value, '$.findings') AS found";
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, sql);
    bool good = row != NULL;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        uint64_t site = xs_json_document_count(row, 0, &good);
        const char *kind = text_at(row, 1, &good), *verdicts = text_at(row, 2, &good);
        if (!good || !kind || !*kind || site >= findings->place_count) {
            good = false;
            break;
        }
        struct xs_check_finding *g = xs_check_findings_add(findings, (uint32_t)site);
        read_kind(g, kind, verdicts, &good);
        g->instances = xs_json_document_count(row, 3, &good);
        g->transfers = xs_json_document_count(row, 4, &good);
        g->bytes = xs_json_document_count(row, 5, &good);
        g->saves_ns = xs_json_document_count(row, 6, &good);
        g->least_ns = xs_json_document_count(row, 7, &good);
        xs_check_finding_is_exact(g);
        read_interval(row, 8, &g->interval[XS_METRIC_COUNT], &good);
        read_interval(row, 10, &g->interval[XS_METRIC_BYTES], &good);
        read_interval(row, 12, &g->interval[XS_METRIC_NS], &good);
    }
    return good && code == SQLITE_DONE;
}

/* Reads the metrics. A metric that the file does not have, or that is null, is not known. */
static bool read_metrics(const struct xs_json_document *document, struct xs_metric_values *metrics) {
    static const char sql[] = "SELECT key, value, type FROM json_each(?1, '$.metrics_ns') UNION ALL "
                              "SELECT key, value, type FROM json_each(?1, '$.metrics_bytes') UNION ALL "
                              "SELECT key, value, type FROM json_each(?1, '$.metrics_count')";
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, sql);
    bool good = row != NULL;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *key = (const char *)sqlite3_column_text(row, 0);
        int metric = key ? xs_metric_find(key) : -1;
        if (metric >= 0 && sqlite3_column_type(row, 1) != SQLITE_NULL)
            metrics->of[metric] =
                (struct xs_metric_value){.value = xs_json_document_count(row, 1, &good), .known = true};
    }
    return good && code == SQLITE_DONE;
}

static bool read_undecided(const struct xs_json_document *document, uint64_t *undecided) {
    XS_SCOPED_STATEMENT *row =
        xs_json_document_ask(document, "SELECT key, value FROM json_each(?1, '$.undecided_count')");
    bool good = row != NULL;
    int code = SQLITE_DONE;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *id = (const char *)sqlite3_column_text(row, 0);
        uint64_t count = xs_json_document_count(row, 1, &good);
        for (size_t i = 0; i < xs_detector_count; i++)
            if (id && !strcmp(xs_detectors[i]->id, id))
                undecided[i] = count;
    }
    return good && code == SQLITE_DONE;
}

static bool has_call_sites(const struct xs_json_document *document) {
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, "SELECT json_type(?1, '$.call_sites') = 'array'");
    bool has = row && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int(row, 0);
    return has;
}

/* Reads a baseline from a document. Returns NULL, or what is wrong with the document. */
static const char *read_document(const struct xs_json_document *document, struct xs_baseline *baseline) {
    const char *trouble = xs_json_document_is(document, FORMAT, VERSION,
                                              "is no baseline; `xferspy check --write-baseline' makes one", damaged);
    if (!trouble && !(has_call_sites(document) && read_places(document, &baseline->findings) &&
                      read_findings(document, &baseline->findings) && read_metrics(document, &baseline->metrics) &&
                      read_undecided(document, baseline->undecided)))
        trouble = damaged;
    return trouble;
}

static int read_json(const char *path, FILE *file, struct xs_baseline *baseline) {
    struct xs_json_document document;
    const char *trouble = xs_json_document_read(file, &document);
    if (!trouble)
        trouble = read_document(&document, baseline);
    xs_json_document_free(&document);
    if (trouble)
        xs_complain("%s: %s", path, trouble);
    return trouble ? XS_EXIT_ERROR : XS_EXIT_OK;
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
    if (status != XS_EXIT_OK)
        return status;
    if (xs_baseline_may_be(&reading)) {
        xs_check_findings_of(&reading, &baseline->findings);
        baseline->metrics = reading.metrics;
        for (unsigned i = 0; i < xs_detector_count; i++)
            baseline->undecided[i] = xs_check_undecided(reading.diagnosis->findings, i);
    } else {
        status = XS_EXIT_ERROR;
    }
    xs_reading_close(&reading);
    return status;
}

int xs_baseline_open(const char *path, struct xs_baseline *baseline) {
    struct stat st;
    *baseline = (struct xs_baseline){.undecided = xs_zeroed(xs_detector_count, sizeof(uint64_t))};
    FILE *file = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    int first = ' ', status;
    while (file && (first == ' ' || first == '\n' || first == '\t' || first == '\r'))
        first = getc(file);
    if (first == '{') {
        rewind(file);
        status = read_json(path, file, baseline);
    } else { /* if it is a device, a folder or no file, opening it as a trace prints the right message */
        status = read_trace(path, baseline);
    }
    if (file)
        fclose(file);
    if (status != XS_EXIT_OK)
        xs_baseline_free(baseline);
    return status;
}

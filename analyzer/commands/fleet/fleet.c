/* Adds up runs and findings; see fleet.h. */
#include "analyzer/commands/fleet/fleet.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/scan.h"

const bool xs_fleet_wants_runs[XS_RUNS_COLUMNS] = {
    [XS_COMMON_run_id] = true,       [XS_COMMON_start_time] = true,   [XS_COMMON_program] = true,
    [XS_COMMON_cluster_name] = true, [XS_COMMON_job_id] = true,       [XS_COMMON_host] = true,
    [XS_COMMON_gpus] = true,         [XS_COMMON_labels] = true,       [XS_RUNS_gpu] = true,
    [XS_RUNS_duration_ns] = true,    [XS_RUNS_saves_least_ns] = true, [XS_RUNS_saves_most_ns] = true};
const bool xs_fleet_wants_findings[XS_FINDINGS_COLUMNS] = {
    [XS_COMMON_run_id] = true,      [XS_FINDINGS_finding] = true,        [XS_FINDINGS_leads_cause] = true,
    [XS_FINDINGS_instances] = true, [XS_FINDINGS_saves_least_ns] = true, [XS_FINDINGS_saves_most_ns] = true,
    [XS_FINDINGS_place] = true};

void xs_fleet_begin(struct xs_fleet *fleet, const struct xs_fleet_question *question) {
    *fleet = (struct xs_fleet){.question = question, .first_us = INT64_MAX, .last_us = INT64_MIN};
}

void xs_fleet_free(struct xs_fleet *fleet) {
    for (const struct xs_hash_entry *e = NULL; (e = xs_hash_next(&fleet->row_of, e));)
        free(((struct xs_fleet_row *)(uintptr_t)e->value)->days);
    xs_texts_free(&fleet->texts);
    xs_hash_free(&fleet->run_of);
    xs_hash_free(&fleet->row_of);
    xs_hash_free(&fleet->label_of);
    xs_hash_free(&fleet->programs);
    xs_hash_free(&fleet->hosts);
    free(fleet->runs);
    free(fleet->rows);
    *fleet = (struct xs_fleet){0};
}

static bool is_by_finding(const struct xs_fleet_question *question) {
    return question->by == XS_FLEET_BY_PLACE || question->by == XS_FLEET_BY_FINDING;
}

/* Numbers of a file may be any; a negative one counts as 0. */
static uint64_t count_of(const struct xs_rows *rows, unsigned column, size_t row) {
    int64_t value = xs_rows_number(rows, column, row);
    return value > 0 ? (uint64_t)value : 0;
}

static uint64_t times(uint64_t ns, uint64_t gpus) {
    uint64_t product;
    return __builtin_mul_overflow(ns, gpus, &product) ? UINT64_MAX : product;
}

static void add_to(uint64_t *sum, uint64_t value) { *sum = xs_sum(*sum, value); }

static uint64_t key_of_run(const char *run_id) { return xs_hash_of_text(run_id, strlen(run_id)); }

/* --- labels --- */

/* Reads a text of JSON after its first quote, and moves `*at` behind its last one. False: it does not end. */
static bool read_text(const char **at, struct xs_string *text) {
    static const char escapes[] = "b\bf\fn\nr\rt\t";
    xs_string_add(text, "", 0);
    for (const char *c = *at; *c; c++) {
        const char *escape;
        if (*c == '"') {
            *at = c + 1;
            return true;
        }
        if (*c != '\\') {
            xs_string_add(text, c, 1);
            continue;
        }
        if (!*++c)
            return false;
        if (*c == 'u') { /* the writer uses it for control characters only */
            for (int i = 0; i < 4 && c[1] && c[1] != '"'; i++)
                c++;
            xs_string_add(text, "?", 1);
            continue;
        }
        escape = strchr(escapes, *c);
        xs_string_add(text, escape && (escape - escapes) % 2 == 0 ? escape + 1 : c, 1);
    }
    return false;
}

/* Finds the value of a key in an object of texts. */
static const char *find_label(struct xs_fleet *fleet, const char *labels, const char *key) {
    for (const char *at = labels; (at = strchr(at, '"'));) {
        XS_SCOPED_STRING name = {0}, value = {0};
        at++;
        if (!read_text(&at, &name) || *(at += strspn(at, " ")) != ':')
            return NULL;
        at++;
        at += strspn(at, " ");
        if (*at++ != '"' || !read_text(&at, &value))
            return NULL;
        if (!strcmp(name.data, key))
            return xs_texts_keep(&fleet->texts, value.data);
    }
    return NULL;
}

const char *xs_fleet_label(struct xs_fleet *fleet, const char *labels, const char *key) {
    if (!labels)
        return NULL;
    const char *kept = xs_texts_keep(&fleet->texts, labels), *kept_key = xs_texts_keep(&fleet->texts, key);
    uint64_t *known = xs_hash_put(&fleet->label_of, (uintptr_t)kept, (uintptr_t)kept_key);
    if (!*known)
        *known = (uintptr_t)find_label(fleet, kept, key) + 1;
    return (const char *)(uintptr_t)(*known - 1);
}

/* --- rows --- */

static struct xs_fleet_row *row_for(struct xs_fleet *fleet, const char *name, const char *other) {
    struct xs_fleet_row *row =
        xs_hash_item(&fleet->row_of, (uintptr_t)name, (uintptr_t)other, sizeof(struct xs_fleet_row));
    if (!row->runs)
        row->first_us = INT64_MAX, row->last_us = INT64_MIN;
    return row;
}

static int64_t day_of(int64_t us) { return us / XS_DAY_US - (us % XS_DAY_US < 0); }

/* Runs come mostly in the order of their days, so the day is one of the last ones. */
static struct xs_fleet_day *day_in(struct xs_fleet_row *row, int64_t day) {
    for (size_t i = row->day_count; i; i--)
        if (row->days[i - 1].day == day)
            return &row->days[i - 1];
    xs_grow_from(2, &row->days, row->day_count, &row->day_capacity, sizeof *row->days);
    row->days[row->day_count] = (struct xs_fleet_day){.day = day};
    return &row->days[row->day_count++];
}

static void count_in_row(struct xs_fleet *fleet, struct xs_fleet_row *row, size_t index, uint64_t most_ns,
                         uint64_t least_ns) {
    const struct xs_fleet_run *run = &fleet->runs[index];
    struct xs_fleet_day *day = day_in(row, day_of(run->start_us));
    bool is_first_of_run = row->last_run != index + 1;
    add_to(&row->wasted_ns, most_ns);
    add_to(&row->least_wasted_ns, least_ns);
    add_to(&day->wasted_ns, most_ns);
    if (run->start_us < fleet->question->changed_us)
        add_to(&row->before_ns, most_ns);
    if (!is_first_of_run)
        return;
    row->last_run = (uint32_t)index + 1;
    row->runs++;
    day->runs++;
    row->before_runs += run->start_us < fleet->question->changed_us;
    add_to(&row->gpu_ns, run->gpu_ns);
    add_to(&day->gpu_ns, run->gpu_ns);
    if (run->start_us < row->first_us) {
        row->first_us = run->start_us;
        row->first_commit = run->commit;
    }
    row->last_us = run->start_us > row->last_us ? run->start_us : row->last_us;
}

/* --- runs --- */

static const char *kept_text(struct xs_fleet *fleet, const struct xs_rows *rows, unsigned column, size_t row) {
    return xs_texts_keep(&fleet->texts, xs_rows_text(rows, column, row));
}

static bool is_wanted(struct xs_fleet *fleet, const struct xs_fleet_run *run, const char *labels) {
    const struct xs_fleet_question *q = fleet->question;
    if (run->start_us < q->since_us || (q->program && fnmatch(q->program, run->program ? run->program : "", 0) != 0))
        return false;
    const char *value = q->label_key ? xs_fleet_label(fleet, labels, q->label_key) : NULL;
    return !q->label_key || (value && !strcmp(value, q->label_value));
}

static const char *group_of(struct xs_fleet *fleet, const struct xs_rows *rows, size_t row) {
    static const int columns[] = {[XS_FLEET_BY_PROGRAM] = XS_COMMON_program,
                                  [XS_FLEET_BY_HOST] = XS_COMMON_host,
                                  [XS_FLEET_BY_JOB] = XS_COMMON_job_id,
                                  [XS_FLEET_BY_CLUSTER] = XS_COMMON_cluster_name,
                                  [XS_FLEET_BY_GPU] = XS_RUNS_gpu};
    char day[24];
    const struct xs_fleet_question *q = fleet->question;
    if (is_by_finding(q))
        return NULL;
    if (q->by == XS_FLEET_BY_LABEL)
        return xs_fleet_label(fleet, xs_rows_text(rows, XS_COMMON_labels, row), q->label);
    if (q->by != XS_FLEET_BY_DAY)
        return kept_text(fleet, rows, (unsigned)columns[q->by], row);
    xs_fleet_day_text(day, xs_rows_number(rows, XS_COMMON_start_time, row));
    return xs_texts_keep(&fleet->texts, day);
}

static void count_run(struct xs_fleet *fleet, const struct xs_rows *rows, size_t row, size_t index) {
    const struct xs_fleet_run *run = &fleet->runs[index];
    const char *host = kept_text(fleet, rows, XS_COMMON_host, row);
    uint64_t most_ns = times(count_of(rows, XS_RUNS_saves_most_ns, row), run->gpus);
    uint64_t least_ns = times(count_of(rows, XS_RUNS_saves_least_ns, row), run->gpus);
    fleet->counted++;
    add_to(&fleet->gpu_ns, run->gpu_ns);
    add_to(&fleet->wasted_ns, most_ns);
    add_to(&fleet->least_wasted_ns, least_ns);
    fleet->first_us = run->start_us < fleet->first_us ? run->start_us : fleet->first_us;
    fleet->last_us = run->start_us > fleet->last_us ? run->start_us : fleet->last_us;
    *xs_hash_put(&fleet->programs, (uintptr_t)run->program, 0) = 1;
    *xs_hash_put(&fleet->hosts, (uintptr_t)host, 0) = 1;
    if (is_by_finding(fleet->question))
        return;
    struct xs_fleet_row *of = row_for(fleet, run->group, NULL);
    of->name = run->group;
    count_in_row(fleet, of, index, most_ns, least_ns);
}

void xs_fleet_add_runs(struct xs_fleet *fleet, const struct xs_rows *rows) {
    for (size_t row = 0; row < rows->count; row++) {
        const char *run_id = xs_rows_text(rows, XS_COMMON_run_id, row);
        uint64_t *index = run_id ? xs_hash_put(&fleet->run_of, key_of_run(run_id), 0) : NULL;
        if (!index || *index) {
            fleet->repeated += index != NULL;
            continue;
        }
        xs_grow(&fleet->runs, fleet->run_count, &fleet->run_capacity, sizeof *fleet->runs);
        struct xs_fleet_run *run = &fleet->runs[fleet->run_count++];
        const char *labels = xs_rows_text(rows, XS_COMMON_labels, row);
        uint64_t gpus = count_of(rows, XS_COMMON_gpus, row);
        *index = fleet->run_count;
        *run = (struct xs_fleet_run){.program = kept_text(fleet, rows, XS_COMMON_program, row),
                                     .commit = xs_fleet_label(fleet, labels, "git_commit"),
                                     .start_us = xs_rows_number(rows, XS_COMMON_start_time, row),
                                     .gpus = gpus ? gpus : 1};
        run->gpu_ns = times(count_of(rows, XS_RUNS_duration_ns, row), run->gpus);
        run->is_left_out = !is_wanted(fleet, run, labels);
        fleet->left_out += run->is_left_out;
        if (run->is_left_out)
            continue;
        run->group = group_of(fleet, rows, row);
        count_run(fleet, rows, row, fleet->run_count - 1);
    }
}

/* --- findings --- */

static struct xs_fleet_row *row_of_finding(struct xs_fleet *fleet, const struct xs_fleet_run *run, const char *finding,
                                           const char *place) {
    XS_SCOPED_STRING where = {0};
    if (fleet->question->by == XS_FLEET_BY_FINDING) {
        struct xs_fleet_row *row = row_for(fleet, finding, NULL);
        row->name = finding;
        return row;
    }
    /* no name of a program has a control character in it that could join two places by mistake: at worst two rows of
     * a hostile file are one */
    xs_string_format(&where, "%s\x1f%s", run->program ? run->program : "", place ? place : "");
    struct xs_fleet_row *row = row_for(fleet, finding, xs_texts_keep(&fleet->texts, where.data));
    row->program = run->program;
    row->finding = finding;
    row->place = place;
    return row;
}

void xs_fleet_add_findings(struct xs_fleet *fleet, const struct xs_rows *rows, uint32_t file) {
    if (!is_by_finding(fleet->question))
        return;
    for (size_t row = 0; row < rows->count; row++) {
        const char *run_id = xs_rows_text(rows, XS_COMMON_run_id, row);
        const uint64_t *index = run_id ? xs_hash_find(&fleet->run_of, key_of_run(run_id), 0) : NULL;
        if (!index) {
            fleet->without_run++;
            continue;
        }
        struct xs_fleet_run *run = &fleet->runs[*index - 1];
        run->findings_from = run->findings_from ? run->findings_from : file;
        if (run->is_left_out || run->findings_from != file || !xs_rows_number(rows, XS_FINDINGS_leads_cause, row))
            continue;
        struct xs_fleet_row *of = row_of_finding(fleet, run, kept_text(fleet, rows, XS_FINDINGS_finding, row),
                                                 kept_text(fleet, rows, XS_FINDINGS_place, row));
        add_to(&of->instances, count_of(rows, XS_FINDINGS_instances, row));
        count_in_row(fleet, of, *index - 1, times(count_of(rows, XS_FINDINGS_saves_most_ns, row), run->gpus),
                     times(count_of(rows, XS_FINDINGS_saves_least_ns, row), run->gpus));
    }
}

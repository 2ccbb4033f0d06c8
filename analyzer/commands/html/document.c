/* Writes the page's document; see document.h. */
#include "analyzer/commands/html/document.h"

#include "analyzer/base/progress.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/diff/diff.h"
#include "analyzer/commands/diff/diff_words.h"
#include "analyzer/commands/html/buffers.h"
#include "analyzer/commands/html/details.h"
#include "analyzer/commands/html/idle_section.h"
#include "analyzer/commands/html/timeline_lanes.h"
#include "analyzer/commands/report/report.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/failures_words.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/recorded_parts_words.h"
#include "analyzer/words/saving_words.h"
#include "analyzer/words/steps_words.h"
#include "analyzer/words/unchecked.h"

static void on_instance(void *data, unsigned detector, const struct xs_instance *instance) {
    struct xs_html_run_of *run = data;
    xs_marks_take(&run->marks, detector, instance);
    xs_by_claim(&run->claims, detector, instance);
}

static int read_sites(void *data, const struct xs_reading *reading, char *message) {
    struct xs_html_run_of *run = data;
    return xs_by_compute(&reading->trace, reading->diagnosis, &run->claims, XS_BY_SITE, &run->by, message);
}

int xs_html_run_open(const char *path, struct xs_html_run_of *run) {
    *run = (struct xs_html_run_of){0};
    const struct xs_analysis_options analysis = {
        .on_instance = on_instance, .data = run, .accounts_idle = true, .judged_waits = XS_JUDGES_WAITS};
    const struct xs_reading_request request = {.analysis = &analysis, .more = read_sites, .data = run};
    int status = xs_reading_open(path, &request, &run->reading);
    xs_marks_free(&run->claims);
    if (status == XS_EXIT_OK) {
        xs_marks_seal(&run->marks, run->reading.diagnosis, XS_HTML_FINDINGS);
    } else {
        xs_marks_free(&run->marks);
        xs_by_free(&run->by);
    }
    return status;
}

void xs_html_run_close(struct xs_html_run_of *run) {
    xs_marks_free(&run->marks);
    xs_by_free(&run->by);
    xs_reading_close(&run->reading);
}

/* Copies the findings that fit into a page, the causes whose first finding is among them, and for each cause its worst
 * findings. Idle time and waits are not copied, because xs_html_idle_json writes them in less space. `causes` has room
 * for XS_HTML_FINDINGS items. The report still owns everything that the copies point to. */
static void cut(struct xs_diagnosis *shown, struct xs_cause *causes, const struct xs_diagnosis *diagnosis) {
    *shown = *diagnosis;
    shown->idle = (struct xs_idle){0};
    shown->waits = (struct xs_waits_paid){0};
    shown->count = diagnosis->count < XS_HTML_FINDINGS ? diagnosis->count : XS_HTML_FINDINGS;
    shown->causes = causes;
    shown->cause_count = 0;
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        struct xs_cause *cause = &causes[shown->cause_count];
        if (diagnosis->causes[i].findings[0] >= shown->count)
            continue;
        *cause = diagnosis->causes[i];
        cause->count = cause->count < XS_HTML_CAUSE_FINDINGS ? cause->count : XS_HTML_CAUSE_FINDINGS;
        shown->cause_count++;
    }
}

/* Writes the report's first line in three parts: before the name of the finding to begin with, the name, the rest. If
 * it names no finding, it is written in one part. */
static void put_headline(const struct xs_report *report, struct xs_json *json) {
    XS_SCOPED_STRING text = {0};
    struct xs_part name = {0};
    xs_report_headline(&text, report, true, &name);
    xs_json_array(json, "headline");
    if (name.end) {
        xs_json_text_bytes(json, NULL, text.data, name.begin);
        xs_json_text_bytes(json, NULL, text.data + name.begin, name.end - name.begin);
    }
    xs_json_text(json, NULL, text.data + name.end);
    xs_json_end(json, ']');
}

/* Writes the results of `xferspy try', each as two parts of a sentence, in the order of the report's `tried`. */
static void put_tried(const struct xs_tried *tried, struct xs_json *json) {
    xs_json_array(json, "tried_texts");
    for (size_t i = 0; i < tried->count; i++) {
        struct xs_string change = {0}, rest = {0};
        xs_tried_say_change(&change, &tried->items[i]);
        xs_tried_say_rest(&rest, &tried->items[i]);
        xs_json_object(json, NULL);
        xs_html_words_json(json, "change_text", &change);
        xs_html_words_json(json, "rest_text", &rest);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

/* Writes the object of the report without the findings that do not fit into a page, and says what was left out. */
static void put_report(const struct xs_html_run_of *run, struct xs_json *json) {
    const struct xs_diagnosis *diagnosis = run->reading.diagnosis;
    struct xs_cause causes[XS_HTML_FINDINGS];
    struct xs_diagnosis shown;
    uint64_t left_ns = 0;
    cut(&shown, causes, diagnosis);
    struct xs_tried tried;
    struct xs_report report = {
        .summary = &run->reading.summary, .diagnosis = &shown, .contents = run->reading.contents, .tried = &tried};
    xs_tried_read(&tried, &run->reading.trace);
    xs_json_array(json, "report"); /* an array of one item, because the report writes its own braces */
    xs_report_json(&report, json);
    xs_json_end(json, ']');
    put_headline(&report, json);
    put_tried(&tried, json);
    xs_tried_free(&tried);
    xs_json_count(json, "findings_left_out", diagnosis->count - shown.count);
    for (size_t i = shown.cause_count; i < diagnosis->cause_count; i++)
        left_ns = xs_sum(left_ns, diagnosis->causes[i].saves.most_ns);
    xs_json_object(json, "causes_left_out");
    xs_json_count(json, "causes", diagnosis->cause_count - shown.cause_count);
    xs_json_count(json, "saves_ns", left_ns);
    xs_json_end(json, '}');
}

/* Writes the calls that failed, in the report's words; null: none failed. */
static void put_failures(const struct xs_html_run_of *run, struct xs_json *json) {
    struct xs_string text = {0};
    xs_failures_say(&text, &run->reading.summary.failures, run->reading.diagnosis->findings);
    xs_html_words_json(json, "failures_text", &text);
}

/* Writes sentences if the run was repaired, and if only a part of it was recorded, and what is not known about contents
 * and page migrations, in the report's words. */
static void put_unknown(const struct xs_html_run_of *run, struct xs_json *json) {
    const struct xs_reading *reading = &run->reading;
    struct xs_string repaired = {0}, looked_at = {0}, windows = {0}, unchecked = {0}, why_none = {0}, migrations = {0};
    xs_repaired_say(&repaired, &reading->summary.repaired);
    xs_looked_at_say(&reading->summary, &looked_at);
    xs_modelled_say(&windows, &reading->summary, XS_MODELLED_SENTENCE);
    xs_content_coverage_why_none(&why_none, &reading->contents);
    bool none_known = why_none.length > 0;
    xs_say_unchecked(&unchecked, reading->diagnosis);
    xs_content_coverage_migrations(&migrations, &reading->contents);
    xs_json_array(json, "unknown_texts");
    xs_html_words_json(json, NULL, &repaired);
    xs_html_words_json(json, NULL, &looked_at);
    xs_html_words_json(json, NULL, &windows);
    xs_html_words_json(json, NULL, &why_none);
    xs_html_words_json(json, NULL, &unchecked);
    xs_html_words_json(json, NULL, &migrations);
    xs_json_end(json, ']');
    xs_json_bool(json, "total_unknown", none_known || xs_nothing_found_is_unsure(reading->diagnosis));
}

/* Writes how steps were marked, in the report's words, and the step that the timeline shows first; null: there are no
 * steps. */
static void put_steps(const struct xs_findings *findings, struct xs_json *json) {
    const struct xs_steps *steps = &findings->steps;
    struct xs_string mark = {0};
    xs_steps_say_mark(&mark, findings);
    xs_html_words_json(json, "steps_mark_text", &mark);
    if (!steps->count) {
        xs_json_null(json, "typical_step");
        return;
    }
    size_t typical = xs_steps_typical(steps);
    xs_json_object(json, "typical_step");
    xs_json_count(json, "number", typical + 1);
    xs_json_int(json, "begin_ns", steps->items[typical].begin_ns);
    xs_json_int(json, "end_ns", steps->items[typical + 1].begin_ns);
    xs_json_end(json, '}');
}

static void put_overlap(const struct xs_summary *summary, struct xs_json *json) {
    xs_json_array(json, "overlap_texts");
    for (size_t i = 0; i < summary->device_count; i++) {
        struct xs_string text = {0};
        if (!summary->devices[i].copy_busy_ns)
            continue;
        xs_report_say_overlap(&text, summary, &summary->devices[i]);
        xs_html_words_json(json, NULL, &text);
    }
    xs_json_end(json, ']');
}

static int put_run(struct xs_html_run_of *run, struct xs_json *json, char *message) {
    const struct xs_trace *trace = &run->reading.trace;
    struct xs_diagnosis *diagnosis = run->reading.diagnosis;
    size_t shown = diagnosis->count < XS_HTML_FINDINGS ? diagnosis->count : XS_HTML_FINDINGS;
    struct xs_html_sites sites;
    struct xs_html_lanes lanes = {0};
    struct xs_html_scatter scatter = {0};
    struct xs_html_flame flame = {0};
    struct xs_html_buffers buffers = {0};
    xs_json_object(json, NULL);
    put_report(run, json);
    put_failures(run, json);
    put_unknown(run, json);
    put_steps(diagnosis->findings, json);
    put_overlap(&run->reading.summary, json);
    xs_html_idle_json(diagnosis, json);
    xs_html_sites_begin(&sites, diagnosis, &run->by);
    int status = xs_html_details_json(trace, diagnosis, shown, json, message);
    if (status >= 0)
        status = xs_html_lanes_read(&lanes, &run->reading.summary, &sites, &run->marks, &scatter, &flame, message);
    if (status >= 0)
        status = xs_html_lanes_json(&lanes, trace, shown, json, message);
    if (status >= 0)
        status = xs_html_buffers_read(&buffers, trace, &sites, &run->marks, lanes.last_ns, message);
    xs_html_scatter_json(&scatter, json);
    xs_html_sites_json(&sites, json);
    xs_html_flame_json(&flame, diagnosis, json);
    xs_html_buffers_json(&buffers, diagnosis->findings->sites, json);
    xs_json_end(json, '}');
    xs_html_sites_end(&sites);
    xs_html_buffers_free(&buffers);
    xs_html_scatter_free(&scatter);
    xs_html_flame_free(&flame);
    xs_html_lanes_free(&lanes);
    return status;
}

/* Writes the output of `xferspy diff --json` for both runs, in an array of one item. */
static void put_diff(const struct xs_html_run_of *runs, struct xs_json *json) {
    static const struct xs_diff_view view = {.top = XS_HTML_SITES_SHOWN, .all = true};
    struct xs_side sides[2] = {{0}, {0}};
    struct xs_diff diff;
    for (int i = 0; i < 2; i++)
        xs_side_add(&sides[i], 1, &runs[i].reading);
    xs_diff_compute(&sides[0], &sides[1], &diff);
    xs_json_array(json, "diff");
    xs_diff_json(&diff, &view, json);
    xs_json_end(json, ']');
    xs_diff_free(&diff);
    xs_side_free(&sides[0]);
    xs_side_free(&sides[1]);
}

int xs_html_document(struct xs_html_run_of *runs, size_t count, struct xs_json *json, char *message) {
    int status = XS_OK;
    xs_json_document(json, "xferspy-html", XS_HTML_JSON_VERSION);
    xs_json_array(json, "runs");
    for (size_t i = 0; i < count && status >= 0; i++) {
        xs_progress_begin(&runs[i].reading.trace);
        xs_progress_range(XS_PROGRESS_READ_HTML, 1, i, count);
        xs_progress_at(XS_PROGRESS_WRITE);
        status = put_run(&runs[i], json, message);
        xs_progress_end();
    }
    xs_json_end(json, ']');
    if (status >= 0 && count == 2)
        put_diff(runs, json);
    xs_json_end(json, '}');
    return status;
}

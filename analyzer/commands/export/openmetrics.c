/* Writes OpenMetrics text for Prometheus: the run's numbers (summary/metrics.def), transfers by kind, findings by kind.
 * All are gauges, because the run has ended and its numbers no longer grow. All samples of a metric must be together in
 * the output, so this writer gets all traces at once. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/export/export.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"

struct family {
    const char *name, *help;
    enum xs_metric_unit unit;
};

struct writer {
    FILE *file;
    char **labels; /* the labels of each run: host="...",... */
};

/* --- the format --- */

static void head(FILE *file, const struct family *f) {
    static const char *const units[] = {"seconds", "bytes", NULL};
    fprintf(file, "# TYPE %s gauge\n", f->name);
    if (units[f->unit])
        fprintf(file, "# UNIT %s %s\n", f->name, units[f->unit]);
    fprintf(file, "# HELP %s %s\n", f->name, f->help);
}

static void sample(const struct writer *w, const struct family *f, int run, const char *more, uint64_t value) {
    fprintf(w->file, "%s{%s%s%s} ", f->name, w->labels[run], *more ? "," : "", more);
    if (f->unit == XS_METRIC_NS)
        fprintf(w->file, "%" PRIu64 ".%09" PRIu64 "\n", value / 1000000000, value % 1000000000);
    else
        fprintf(w->file, "%" PRIu64 "\n", value);
}

/* Adds a label. Control characters are escaped as elsewhere (\n, \x1b), then as the format requires. */
static void label(struct xs_string *labels, const char *name, const char *value) {
    XS_SCOPED_STRING clean = {0};
    struct xs_string shown = {0};
    xs_export_utf8(&clean, value, strlen(value));
    xs_string_escape(&shown, clean.data, clean.length);
    xs_string_format(labels, "%s%s=\"", labels->length ? "," : "", name);
    for (const char *c = shown.data ? shown.data : ""; *c; c++) {
        if (*c == '"' || *c == '\\')
            xs_string_add(labels, "\\", 1);
        xs_string_add(labels, c, 1);
    }
    xs_string_add(labels, "\"", 1);
    xs_string_free(&shown);
}

static void number_label(struct xs_string *labels, const char *name, int64_t value) {
    xs_string_format(labels, "%s%s=\"%" PRId64 "\"", labels->length ? "," : "", name, value);
}

/* Returns the labels that distinguish runs. */
static char *labels_of(const struct xs_run *run) {
    struct xs_string labels = {0};
    label(&labels, "host", run->host);
    label(&labels, "executable", xs_base_name(run->executable));
    number_label(&labels, "pid", run->pid);
    if (run->rank >= 0)
        number_label(&labels, "rank", run->rank);
    if (run->simulated)
        label(&labels, "simulated", "true");
    return labels.data;
}

/* Adds the labels of the trace, as label_KEY. A name may have only letters, digits and _ there, so of two keys that
 * become the same name only the first is written. */
static void add_trace_labels(struct xs_string *to, const struct xs_labels *from) {
    XS_SCOPED_STRING names = {0};
    for (size_t i = 0; i < from->count; i++) {
        XS_SCOPED_STRING name = {0}, mark = {0};
        xs_string_format(&name, "label_%s", from->items[i].key);
        for (char *c = name.data; *c; c++)
            *c = isascii(*c) && isalnum(*c) ? *c : '_';
        xs_string_format(&mark, " %s ", name.data);
        if (names.length && strstr(names.data, mark.data))
            continue;
        xs_string_format(&names, "%s", mark.data);
        label(to, name.data, from->items[i].value);
    }
}

/* --- families --- */

/* Writes a gauge instead of an `info`, because the format of node_exporter's text files has no `info`. */
static void put_runs(const struct writer *w, const struct xs_export *e) {
    fputs("# TYPE xferspy_run_info gauge\n# HELP xferspy_run_info what was run, and where; 1\n", w->file);
    for (int i = 0; i < e->count; i++) {
        const struct xs_summary *s = &e->reading[i].summary;
        XS_SCOPED_STRING more = {0};
        label(&more, "command", s->run.command);
        label(&more, "status", s->run.status);
        label(&more, "gpu", s->device_count ? s->devices[0].name : "");
        label(&more, "xferspy_version", s->run.xferspy_version);
        add_trace_labels(&more, &s->run.labels);
        fprintf(w->file, "xferspy_run_info{%s,%s} 1\n", w->labels[i], more.data);
    }
}

/* Writes a metric; "wall-time" becomes xferspy_wall_time_seconds. */
static void put_metric(const struct writer *w, const struct xs_export *e, unsigned metric) {
    const struct xs_metric_info *info = &xs_metric_infos[metric];
    struct xs_string name = {0};
    xs_string_format(&name, "xferspy_%s%s", info->name, info->unit == XS_METRIC_NS ? "_seconds" : "");
    for (char *c = name.data; *c; c++)
        *c = *c == '-' ? '_' : *c;
    const struct family family = {name.data, info->title, info->unit};
    head(w->file, &family);
    for (int i = 0; i < e->count; i++) {
        const struct xs_metric_value *value = &e->reading[i].metrics.of[metric];
        if (value->known) /* a missing sample instead of 0 */
            sample(w, &family, i, "", value->value);
    }
    xs_string_free(&name);
}

enum { KIND_FAMILIES = 4 };
static const struct family kind_families[KIND_FAMILIES] = {
    {"xferspy_kind_transfers", "copies by direction and memory kinds", XS_METRIC_COUNT},
    {"xferspy_kind_bytes", "bytes copied by direction and memory kinds", XS_METRIC_BYTES},
    {"xferspy_kind_device_seconds", "device time of copies by direction and memory kinds", XS_METRIC_NS},
    {"xferspy_kind_modelled_seconds",
     "part of the device time of copies that is modelled by direction and memory kinds", XS_METRIC_NS}};

static void put_kinds(const struct writer *w, const struct xs_export *e, unsigned which) {
    head(w->file, &kind_families[which]);
    for (int i = 0; i < e->count; i++) {
        const struct xs_summary *s = &e->reading[i].summary;
        for (size_t g = 0; g < s->group_count; g++) {
            const struct xs_totals *t = &s->groups[g].totals;
            const uint64_t values[KIND_FAMILIES] = {t->count, t->bytes, t->device_ns, t->modelled_ns};
            XS_SCOPED_STRING more = {0};
            if (kind_families[which].unit == XS_METRIC_NS && !t->timed_count)
                continue;
            label(&more, "direction", xs_direction_names[s->groups[g].direction]);
            label(&more, "src_kind", xs_memory_kind_names[s->groups[g].src_kind]);
            label(&more, "dst_kind", xs_memory_kind_names[s->groups[g].dst_kind]);
            sample(w, &kind_families[which], i, more.data, values[which]);
        }
    }
}

enum { FINDING_INSTANCES, FINDING_FAMILIES = 8 };
static const struct family finding_families[FINDING_FAMILIES] = {
    {"xferspy_finding_instances", "how often something is so; an estimate where not all contents were checked",
     XS_METRIC_COUNT},
    {"xferspy_finding_instances_found", "how often something was found, among the copies that were checked",
     XS_METRIC_COUNT},
    {"xferspy_finding_instances_low", "lower end of the 95 % interval of xferspy_finding_instances", XS_METRIC_COUNT},
    {"xferspy_finding_instances_high", "upper end of the 95 % interval of xferspy_finding_instances", XS_METRIC_COUNT},
    {"xferspy_finding_transfers", "copies that a finding is about", XS_METRIC_COUNT},
    {"xferspy_finding_bytes", "bytes of what a finding is about", XS_METRIC_BYTES},
    {"xferspy_finding_saved_seconds", "time that the repair of a finding saves at most; findings can overlap",
     XS_METRIC_NS},
    {"xferspy_finding_least_saved_seconds", "time that the repair of a finding saves at least; findings can overlap",
     XS_METRIC_NS}};

/* Adds the numbers of a finding, in the order of `finding_families`. */
static void add_finding(uint64_t *values, const struct xs_diagnosed *d) {
    const struct xs_finding *f = d->finding;
    const struct xs_amount all = xs_finding_in_all(f);
    const uint64_t more[FINDING_FAMILIES] = {all.instances, f->instances, xs_finding_low(f), xs_finding_high(f),
                                             all.transfers, all.bytes,    d->saves.most_ns,  d->saves.least_ns};
    for (unsigned i = 0; i < FINDING_FAMILIES; i++)
        values[i] = xs_sum(values[i], more[i]);
}

/* Writes one sample for all places of a detector's verdict, because there are many places, and they change with every
 * version of a program. */
static void put_findings_of(const struct writer *w, const struct xs_export *e, unsigned which, int run) {
    const struct xs_diagnosis *diagnosis = e->reading[run].diagnosis;
    for (unsigned detector = 0; detector < xs_detector_count; detector++) {
        for (unsigned verdict = 0; verdict <= XS_SEVERAL_VERDICTS; verdict++) {
            uint64_t values[FINDING_FAMILIES] = {0};
            bool advice = false;
            for (size_t i = 0; i < diagnosis->count; i++) {
                const struct xs_diagnosed *d = &diagnosis->items[i];
                const struct xs_finding *f = d->finding;
                if (f->detector != detector || f->verdict != verdict)
                    continue;
                advice = f->advice;
                add_finding(values, d);
            }
            if (!values[FINDING_INSTANCES] || (finding_families[which].unit == XS_METRIC_NS && advice))
                continue;
            XS_SCOPED_STRING kind = {0}, more = {0};
            xs_finding_kind(&kind, detector, verdict);
            label(&more, "finding", kind.data);
            sample(w, &finding_families[which], run, more.data, values[which]);
        }
    }
}

/* Checks that the labels of all runs differ, because OpenMetrics does not allow the same series twice. */
static int check_distinct(const struct writer *w, const struct xs_export *e) {
    for (int i = 0; i < e->count; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(w->labels[i], w->labels[k]) != 0)
                continue;
            snprintf(e->message, XS_TRACE_MESSAGE_BYTES,
                     "%.2000s and %.2000s: host, program, process and rank are the same, so their numbers could not be "
                     "told apart",
                     e->reading[k].path, e->reading[i].path);
            return XS_ERROR_INVALID;
        }
    }
    return XS_OK;
}

int xs_export_openmetrics(const struct xs_export *e) {
    struct writer w = {.file = e->out->file, .labels = xs_realloc(NULL, (size_t)e->count * sizeof *w.labels)};
    for (int i = 0; i < e->count; i++)
        w.labels[i] = labels_of(&e->reading[i].summary.run);
    int status = check_distinct(&w, e);
    if (status >= 0) {
        put_runs(&w, e);
        for (unsigned metric = 0; metric < XS_METRICS; metric++)
            put_metric(&w, e, metric);
        for (unsigned which = 0; which < KIND_FAMILIES; which++)
            put_kinds(&w, e, which);
        for (unsigned which = 0; which < FINDING_FAMILIES; which++) {
            head(w.file, &finding_families[which]);
            for (int i = 0; i < e->count; i++)
                put_findings_of(&w, e, which, i);
        }
        fputs("# EOF\n", w.file);
    }
    for (int i = 0; i < e->count; i++)
        free(w.labels[i]);
    free(w.labels);
    return status;
}

/* Prints a part of the report: how much of the run was recorded, and notes of the library. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/left_out.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/saving_words.h"

#define NOTE_LINES 6

/* Returns the version as text: 130001 is 13.0.1. Before version 13, the number is small and counts releases. */
static const char *cupti_version(char *buffer, int64_t version) {
    if (version >= 100000)
        snprintf(buffer, XS_UNIT_BYTES, "%" PRId64 ".%" PRId64 ".%" PRId64, version / 10000, version / 100 % 100,
                 version % 100);
    else
        snprintf(buffer, XS_UNIT_BYTES, "(API version %" PRId64 ")", version);
    return buffer;
}

/* True if the trace has no end although its process was not killed: it is a snapshot, or a copy of a file that was
 * being written. */
static bool is_cut_short(const struct xs_summary *s) {
    return !strcmp(s->run.status, "running") && !s->trace->is_live && !s->trace->is_cut;
}

/* Prints that CUPTI ended before the program, or the program before CUPTI's last records. */
static void cupti_partly_line(const struct xs_summary *s, const char *cupti, struct xs_out *out) {
    const struct xs_run *run = &s->run;
    const struct xs_coverage *c = &s->coverage;
    const char *kernels = run->kernels_recorded ? "" : " Kernels were not recorded.";
    bool given = !strcmp(run->cupti_status, "stepped aside") || !strcmp(run->cupti_status, "taken");
    const char *missing = XS_COUNT_TEXT(c->without_record);
    if (strcmp(run->cupti_status, "active") != 0 && strcmp(run->cupti_status, "unknown") != 0)
        xs_out_line(out, XS_STYLE_WARN, "Device times until CUPTI %s%s%s%s: %s of %s transfers have one.%s",
                    given ? "was given to the application" : run->cupti_status, *run->cupti_text ? " (" : "",
                    run->cupti_text, *run->cupti_text ? ")" : "", XS_COUNT_TEXT(c->matched),
                    XS_COUNT_TEXT(c->matched + c->without_record), kernels);
    else if (s->trace->is_live)
        xs_out_line(out, XS_STYLE_PLAIN, "%s is active; the device times of %s transfers are still to come.%s", cupti,
                    missing, kernels);
    else if (is_cut_short(s))
        xs_out_line(out, XS_STYLE_WARN, "%s was active; the trace ends before the device times of %s transfer%s.%s",
                    cupti, missing, c->without_record == 1 ? "" : "s", kernels);
    else
        xs_out_line(out, XS_STYLE_WARN,
                    "%s was active, but its records of the last moments were lost with the process: %s transfer%s no "
                    "device time.%s",
                    cupti, missing, c->without_record == 1 ? " has" : "s have", kernels);
}

static void cupti_line(const struct xs_summary *s, struct xs_out *out) {
    char version[XS_UNIT_BYTES], cupti[XS_UNIT_BYTES + 8];
    const struct xs_run *run = &s->run;
    const char *why = run->cupti_text;
    const struct xs_coverage *c = &s->coverage;
    bool active = !strcmp(run->cupti_status, "active"), unknown = !strcmp(run->cupti_status, "unknown");
    bool unfinished = s->trace->is_live || !strcmp(run->status, "recovered") || !strcmp(run->status, "running");
    snprintf(cupti, sizeof cupti, "CUPTI%s%s", run->cupti_version ? " " : "",
             run->cupti_version ? cupti_version(version, run->cupti_version) : "");
    /* the status is written with the first records; if it is unknown, CUPTI was still starting, or the process was
     * killed early */
    if ((active || (unknown && c->device_copies)) ? unfinished && c->without_record : c->device_copies > 0)
        cupti_partly_line(s, cupti, out);
    else if (s->trace->windows && (active || unknown))
        xs_out_line(out, XS_STYLE_PLAIN, "Device times by %s in %zu window%s, %s together%s.%s", cupti,
                    s->trace->windows->items.count, s->trace->windows->items.count == 1 ? "" : "s",
                    XS_NS_TEXT(s->trace->windows->recorded_ns),
                    xs_modelled_any(s) ? "; those of other times are modelled" : "",
                    run->kernels_recorded ? "" : XS_KERNELS_NOT_RECORDED);
    else if (active || (unknown && c->device_copies))
        xs_out_line(out, XS_STYLE_PLAIN, "Device times by %s%s.", cupti,
                    run->kernels_recorded ? "" : XS_KERNELS_NOT_RECORDED);
    else if (unknown && unfinished)
        xs_out_line(out, XS_STYLE_WARN, "No device times: %s before CUPTI handed over its first records.",
                    s->trace->is_live ? "this is"
                    : is_cut_short(s) ? "the trace ends"
                                      : "the process was killed");
    else
        xs_out_line(out, XS_STYLE_WARN, "No device times: CUPTI %s%s%s%s.", run->cupti_status, *why ? " (" : "", why,
                    *why ? ")" : "");
}

static void print_coverage(const struct xs_summary *s, struct xs_out *out) {
    const struct xs_coverage *c = &s->coverage;
    xs_out_heading(out, "Coverage");
    struct xs_string text = {0};
    xs_string_format(&text, "%s transfer%s seen on the host: %s with a device record", XS_COUNT_TEXT(c->host_transfers),
                     c->host_transfers == 1 ? "" : "s", XS_COUNT_TEXT(c->matched));
    const struct {
        uint64_t count;
        const char *what;
    } parts[] = {{c->modelled, "with modelled device times"},
                 {c->without_record, "without"},
                 {c->host_captured, "captured into graphs"},
                 {c->host_empty, "of 0 bytes"},
                 {c->host_failed, "failed"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count)
            xs_string_format(&text, ", %s %s", XS_COUNT_TEXT(parts[i].count), parts[i].what);
    xs_out_line(out, c->without_record ? XS_STYLE_WARN : XS_STYLE_PLAIN, "%s.", text.data);
    xs_string_free(&text);
    cupti_line(s, out);
    xs_modelled_say_sums(&text, s);
    xs_out_take_line(out, XS_STYLE_PLAIN, &text);
    if (c->without_event)
        xs_out_line(out, XS_STYLE_WARN,
                    "%s of %s copies on the device belong%s to no recorded call: %sthe program made %s in a "
                    "way that xferspy does not record.",
                    XS_COUNT_TEXT(c->without_event), XS_COUNT_TEXT(c->device_copies), c->without_event == 1 ? "s" : "",
                    xs_repaired_any(&s->repaired) ? "the repairs made them, or " : "",
                    c->without_event == 1 ? "it" : "them");
    for (unsigned kind = 0; kind < XS_LEFT_OUT_COUNT; kind++) {
        xs_left_out_say(s, (enum xs_left_out)kind, &text);
        xs_out_take_line(out, XS_STYLE_WARN, &text);
    }
}

static void print_notes(const struct xs_summary *s, struct xs_out *out) {
    for (size_t i = 0; i < s->note_count && i < NOTE_LINES; i++) {
        char times[XS_UNIT_BYTES + 16] = "";
        if (s->notes[i].count > 1)
            snprintf(times, sizeof times, " (%s times)", XS_COUNT_TEXT(s->notes[i].count));
        xs_out_line(out, XS_STYLE_PLAIN, "note: %s: %s%s", s->notes[i].topic, s->notes[i].text, times);
    }
    if (s->note_count > NOTE_LINES)
        xs_out_line(out, XS_STYLE_PLAIN, "and %zu more notes: xferspy info --all", s->note_count - NOTE_LINES);
}

void xs_report_coverage(const struct xs_report *report, struct xs_out *out) {
    print_coverage(report->summary, out);
    xs_findings_coverage(report->diagnosis->findings, &report->contents, out);
    print_notes(report->summary, out);
}

/* Prints the report of one trace, for people and for programs. The functions only print: every number is in the summary
 * or in the findings. */
#ifndef XFERSPY_ANALYZER_COMMANDS_REPORT_REPORT_H
#define XFERSPY_ANALYZER_COMMANDS_REPORT_REPORT_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/try/tried.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/totals/summary/summary_by.h"

#define XS_REPORT_JSON_VERSION 1

/* Parts of a report, with their names for --sections. The beginning of the report, which says how much was wasted, is
 * always printed. */
#define XS_REPORT_SECTIONS(X)                                                                                          \
    X(FINDINGS, "findings")                                                                                            \
    X(IDLE, "idle")                                                                                                    \
    X(WAITS, "waits")                                                                                                  \
    X(TRANSFERS, "transfers")                                                                                          \
    X(LARGEST, "largest")                                                                                              \
    X(SLOWEST, "slowest")                                                                                              \
    X(MEMORY, "memory")                                                                                                \
    X(WAITING, "waiting")                                                                                              \
    X(COVERAGE, "coverage")                                                                                            \
    X(COST, "cost")
#define XS_REPORT_SECTION_NUMBER(id, name) XS_SECTION_##id,
enum xs_report_section { XS_REPORT_SECTIONS(XS_REPORT_SECTION_NUMBER) XS_SECTION_COUNT };
#undef XS_REPORT_SECTION_NUMBER
extern const char *const xs_report_section_names[]; /* NULL after the last */
#define XS_SECTION_BIT(id) (1u << XS_SECTION_##id)
/* The sections that are printed if there is no filter. With a filter, sections about the whole trace are printed only
 * if the user requests them. */
#define XS_SECTIONS_WHOLE                                                                                              \
    (XS_SECTIONS_FILTERED | XS_SECTION_BIT(IDLE) | XS_SECTION_BIT(MEMORY) | XS_SECTION_BIT(WAITING) |                  \
     XS_SECTION_BIT(COVERAGE) | XS_SECTION_BIT(COST))
#define XS_SECTIONS_FILTERED (XS_SECTION_BIT(FINDINGS) | XS_SECTION_BIT(TRANSFERS))
#define XS_SECTIONS_DETAILS (XS_SECTION_BIT(LARGEST) | XS_SECTION_BIT(SLOWEST))

/* The data of one trace, and the choice of what is printed. */
struct xs_report {
    const struct xs_summary *summary;
    const struct xs_diagnosis *diagnosis;
    struct xs_content_coverage contents;
    bool details;      /* print every finding in detail, and the largest and slowest transfers; not used for
                          JSON */
    unsigned sections; /* bits by enum xs_report_section; 0: the filter and `details` decide (xs_report_sections); not
                          used for JSON */
    const struct xs_by *by;       /* totals by one key, which are then the only text that is printed; NULL: not
                                     requested */
    size_t top;                   /* number of rows of `by`; 0: see xs_by_text */
    const struct xs_tried *tried; /* results of `xferspy try`; NULL: not requested */
};

void xs_report_text(const struct xs_report *report, struct xs_out *out);
/* Prints the report. If it has more lines than the terminal, prints the headline again at the end, because the user
 * then sees only the end. */
void xs_report_text_on_terminal(const struct xs_report *report, struct xs_out *out);
/* Prints a heading before each of several traces; `index` counts from 0. */
void xs_report_text_heading(const char *path, int index, struct xs_out *out);

/* A part of a text: the index of its first byte, and the index of the byte after its last byte. */
struct xs_part {
    size_t begin, end;
};

/* Adds a sentence, without its full stop, that says how much was wasted and where to begin: "up to 24.3 ms of the run's
 * 279 ms (8.7 %), by 2 causes; start with number 1, noop-upload, at train.py:42". The text is escaped; if `with_place`
 * is false, it contains no text of the trace, and "saves" precedes the amount of time. If the sentence names a finding,
 * `name` is set to the part with the name. `name` NULL: not requested. */
void xs_report_headline(struct xs_string *text, const struct xs_report *report, bool with_place, struct xs_part *name);
/* Adds a sentence on how long copies kept a device busy, and during how much of this time the device also ran kernels.
 * The HTML page also has this sentence. */
void xs_report_say_overlap(struct xs_string *text, const struct xs_summary *summary,
                           const struct xs_device_summary *device);
unsigned xs_report_sections(const struct xs_report *report);

/* Prints the report as GitHub's Markdown, for a pull request or an issue. All text of the trace is in code spans and
 * blocks. */
void xs_report_markdown(const struct xs_report *report, struct xs_out *out);

/* Writes {"format": "xferspy-report", "version": 1, "traces": [ ... ], "job": { ... }}. If `job` is NULL, there is no
 * key "job". */
struct xs_job;
void xs_report_json_begin(struct xs_json *json);
void xs_report_json(const struct xs_report *report, struct xs_json *json);
void xs_report_json_end(const struct xs_job *job, struct xs_json *json);

#endif

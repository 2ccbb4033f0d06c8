/* The report of one trace, for people and for programs. Printing only: every number is in the summary and the
 * findings. */
#ifndef XFERSPY_ANALYZER_REPORT_REPORT_H
#define XFERSPY_ANALYZER_REPORT_REPORT_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/try/tried.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/content_coverage.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/totals/summary/summary_by.h"

#define XS_REPORT_JSON_VERSION 1

/* Parts of a report, as --sections names them; the head with what was wasted is always there. */
#define XS_REPORT_SECTIONS(X)                                                                                          \
    X(FINDINGS, "findings")                                                                                            \
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
/* Without a filter; with one the others, which are of the whole trace, come only when they are asked for. */
#define XS_SECTIONS_WHOLE                                                                                              \
    (XS_SECTIONS_FILTERED | XS_SECTION_BIT(MEMORY) | XS_SECTION_BIT(WAITING) | XS_SECTION_BIT(COVERAGE) |              \
     XS_SECTION_BIT(COST))
#define XS_SECTIONS_FILTERED (XS_SECTION_BIT(FINDINGS) | XS_SECTION_BIT(TRANSFERS))
#define XS_SECTIONS_DETAILS (XS_SECTION_BIT(LARGEST) | XS_SECTION_BIT(SLOWEST))

/* What is known of one trace. */
struct xs_report {
    const struct xs_summary *summary;
    const struct xs_diagnosis *diagnosis;
    struct xs_content_coverage contents;
    bool details;                 /* every finding at length, the largest and the slowest transfers; not of JSON */
    unsigned sections;            /* bits by enum xs_report_section, 0: as many as suit the rest; not of JSON */
    const struct xs_by *by;       /* totals by one thing: of text all that is shown; NULL: not asked for */
    size_t top;                   /* rows of it, 0: as by.h says */
    const struct xs_tried *tried; /* what `xferspy try' measured of it; NULL: not asked for */
};

void xs_report_text(const struct xs_report *report, struct xs_out *out);
/* The same. If the report has more lines than the terminal, the headline is printed again at the end, because the end
 * is what the user sees. */
void xs_report_text_on_terminal(const struct xs_report *report, struct xs_out *out);
/* Before each of several traces; `index` counts from 0. */
void xs_report_text_heading(const char *path, int index, struct xs_out *out);

/* A part of a text: its first byte, and the one behind its last. */
struct xs_part {
    size_t begin, end;
};

/* What was wasted and where to begin, in a sentence without its full stop: "up to 24.3 ms of the run's 279 ms (8.7 %),
 * in 2 findings; start with number 1, noop-upload, at train.py:42". Escaped; without the place there is nothing of the
 * trace in it. Where it names the finding to begin with, `name` is set to the part of it that is the name. NULL: not
 * asked for. */
void xs_report_headline(struct xs_string *text, const struct xs_report *report, bool with_place, struct xs_part *name);
/* How long copies kept a device busy, and what of it ran beside its kernels: a sentence. The page says it, too. */
void xs_report_say_overlap(struct xs_string *text, const struct xs_summary *summary,
                           const struct xs_device_summary *device);
unsigned xs_report_sections(const struct xs_report *report);
/* Findings are shown, and the section that says what is missing of them is not. */
bool xs_report_is_without_coverage(unsigned sections);

/* For a pull request's comment or an issue, in GitHub's Markdown. All text of the trace is in code spans and blocks. */
void xs_report_markdown(const struct xs_report *report, struct xs_out *out);

/* {"format": "xferspy-report", "version": 1, "traces": [ ... ], "job": { ... }}; job NULL: not that. */
struct xs_job;
void xs_report_json_begin(struct xs_json *json);
void xs_report_json(const struct xs_report *report, struct xs_json *json);
void xs_report_json_end(const struct xs_job *job, struct xs_json *json);

#endif

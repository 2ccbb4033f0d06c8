/* What a bench says, for people and for programs, and what it demands. Between the files of the command `bench`. */
#ifndef XFERSPY_ANALYZER_BENCH_BENCH_WORDS_H
#define XFERSPY_ANALYZER_BENCH_BENCH_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/bench/bench.h"

enum { XS_BENCH_JSON_VERSION = 1, XS_BENCH_NOTES_LIMIT = 12 };
#define XS_BENCH_FORMAT "xferspy-bench"
#define XS_BENCH_RUNS "%zu of each, in turns, after %zu to warm up; not profiled"

/* What fails, as bits of a set. */
enum xs_bench_fault {
    XS_FAULT_OUTPUT = 1,  /* the outputs or exit statuses differ, or cannot be compared */
    XS_FAULT_SLOWER = 2,  /* AFTER is slower */
    XS_FAULT_UNCLEAR = 4, /* whether it is faster or slower cannot be told */
    XS_FAULT_GAIN = 8,    /* the gain that was demanded is not there */
    XS_FAULT_STATUS = 16, /* a program failed, so nothing was measured; always fails */
};
extern const char *const xs_bench_fault_names[]; /* by bit, NULL after the last */

/* What is demanded. */
struct xs_bench_gate {
    unsigned faults;      /* those that fail */
    const char *at_least; /* the gain as it was written: "10%", "20ms"; NULL: none is demanded */
    double share;         /* of it; negative: it is a time */
    int64_t gain_ns;
};

/* "10%", "0" or "20ms". False where it is none of these. */
bool xs_bench_gate_parse(const char *text, struct xs_bench_gate *gate);
/* Which of the faults that fail there are. */
unsigned xs_bench_judge(const struct xs_bench *bench, const struct xs_bench_pair *pair,
                        const struct xs_bench_gate *gate);

/* Two commands that were measured, and what is said of them. */
struct xs_bench_report {
    const struct xs_bench_terms *terms;
    const struct xs_bench *bench;
    struct xs_bench_pair pair;
    const struct xs_bench_gate *gate;
    unsigned failed;                   /* faults */
    char *notes[XS_BENCH_NOTES_LIMIT]; /* warnings, a sentence each, to be escaped */
    size_t note_count;
};
void xs_bench_report_make(const struct xs_bench_terms *terms, const struct xs_bench *bench,
                          const struct xs_bench_gate *gate, struct xs_bench_report *report);
void xs_bench_report_free(struct xs_bench_report *report);

/* "AFTER is faster: 2.41 s -> 1.98 s (-18 %)". */
void xs_bench_conclusion(struct xs_string *text, const struct xs_bench_report *report);
/* "3 of 9 runs of BEFORE ended with exit status 1"; nothing where none failed. */
void xs_bench_say_failures(struct xs_string *text, const struct xs_bench *bench, size_t side, const char *whose);
enum xs_style xs_bench_conclusion_style(const struct xs_bench_report *report);
/* "-430 ms (-452 ms to -401 ms)": by how much AFTER takes longer, and its interval. */
void xs_bench_delta(struct xs_string *text, const struct xs_bench_time *time);
void xs_bench_percent(struct xs_string *text, const struct xs_difference *difference);
/* "2.40 s (2.38 s to 2.45 s)": median and range. */
void xs_bench_spread(struct xs_string *text, const struct xs_spread *spread);
/* What is said of the outputs, and of what was demanded; the latter is empty where nothing was. */
void xs_bench_output(struct xs_string *text, const struct xs_bench_report *report);
void xs_bench_gate_words(struct xs_string *text, const struct xs_bench_report *report);
/* A command's words, as they could be typed. */
void xs_bench_command(struct xs_string *text, char *const *argv);

void xs_bench_text(const struct xs_bench_report *report, struct xs_out *out);
void xs_bench_markdown(const struct xs_bench_report *report, struct xs_out *out);
void xs_bench_json(const struct xs_bench_report *report, struct xs_out *out);
/* Parts of it: a time or null; "output"; a side's command and runs; how a measurement ended. */
void xs_bench_time_json(struct xs_json *json, const char *key, const struct xs_bench_time *time);
void xs_bench_output_json(struct xs_json *json, const struct xs_bench_report *report);
void xs_bench_side_json(struct xs_json *json, const char *key, const struct xs_bench_report *report, size_t side);
extern const char *const xs_bench_end_names[]; /* by enum xs_bench_end */

#endif

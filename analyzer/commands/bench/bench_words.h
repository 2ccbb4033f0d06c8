/* Prints the results of a bench, for people and for programs, and checks the demands of the user. The commands `bench`
 * and `try` use these functions. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_WORDS_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_BENCH_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/bench/bench.h"

enum { XS_BENCH_JSON_VERSION = 1, XS_BENCH_NOTES_LIMIT = 12 };
#define XS_BENCH_FORMAT "xferspy-bench"
#define XS_BENCH_RUNS "%zu of each, in turns, after %zu to warm up; not profiled"

/* What can be wrong with a bench, as bits. */
enum xs_bench_fault {
    XS_FAULT_OUTPUT = 1,  /* the outputs or exit statuses differ, or cannot be compared */
    XS_FAULT_SLOWER = 2,  /* AFTER is slower */
    XS_FAULT_UNCLEAR = 4, /* it is not known whether AFTER is faster or slower */
    XS_FAULT_GAIN = 8,    /* the demanded gain was not reached */
    XS_FAULT_STATUS = 16, /* a program failed, so nothing was measured; the bench then always fails */
};
extern const char *const xs_bench_fault_names[]; /* by number of the bit; NULL after the last */

/* The demands of the user. */
struct xs_bench_demands {
    unsigned faults;      /* the faults that make the bench fail */
    const char *at_least; /* the demanded gain as the user wrote it: "10%", "20ms"; NULL: none */
    double share;         /* the gain as a share; negative: the gain is a time, gain_ns */
    int64_t gain_ns;
};

/* Parses a demanded gain: "10%", "0" or "20ms". Returns false for anything else. */
bool xs_bench_demands_parse(const char *text, struct xs_bench_demands *demands);
/* Returns the faults of the bench that occurred and that make the bench fail. */
unsigned xs_bench_judge(const struct xs_bench *bench, const struct xs_bench_pair *pair,
                        const struct xs_bench_demands *demands);

/* Two measured commands, and the results to be printed. */
struct xs_bench_report {
    const struct xs_bench_terms *terms;
    const struct xs_bench *bench;
    struct xs_bench_pair pair;
    const struct xs_bench_demands *demands;
    unsigned failed;                   /* the faults that made the bench fail */
    char *notes[XS_BENCH_NOTES_LIMIT]; /* warnings, each one sentence; not escaped */
    size_t note_count;
};
void xs_bench_report_make(const struct xs_bench_terms *terms, const struct xs_bench *bench,
                          const struct xs_bench_demands *demands, struct xs_bench_report *report);
void xs_bench_report_free(struct xs_bench_report *report);

/* Writes "AFTER is faster: 2.41 s -> 1.98 s (-18 %)". */
void xs_bench_conclusion(struct xs_string *text, const struct xs_bench_report *report);
/* Writes "3 of 9 runs of BEFORE ended with exit status 1"; nothing if none failed. */
void xs_bench_say_failures(struct xs_string *text, const struct xs_bench *bench, size_t side, const char *whose);
enum xs_style xs_bench_conclusion_style(const struct xs_bench_report *report);
/* Writes "-430 ms (-452 ms to -401 ms)": how much longer AFTER takes, and the interval. */
void xs_bench_delta(struct xs_string *text, const struct xs_bench_time *time);
void xs_bench_percent(struct xs_string *text, const struct xs_difference *difference);
/* Writes "2.40 s (2.38 s to 2.45 s)": median and range. */
void xs_bench_spread(struct xs_string *text, const struct xs_spread *spread);
/* xs_bench_output writes whether the outputs are equal. xs_bench_demands_words writes which demands are not met, or
 * that all are met; it writes nothing if all are met and no gain was demanded. */
void xs_bench_output(struct xs_string *text, const struct xs_bench_report *report);
void xs_bench_demands_words(struct xs_string *text, const struct xs_bench_report *report);
/* Writes a command's words so that they could be typed in a shell. */
void xs_bench_command(struct xs_string *text, char *const *argv);

void xs_bench_text(const struct xs_bench_report *report, struct xs_out *out);
void xs_bench_markdown(const struct xs_bench_report *report, struct xs_out *out);
void xs_bench_json(const struct xs_bench_report *report, struct xs_out *out);
/* These functions write parts of the JSON: the key "gate", a time or null, and the key "output". */
void xs_bench_demands_json(struct xs_json *json, unsigned failed, const struct xs_bench_demands *demands);
void xs_bench_time_json(struct xs_json *json, const char *key, const struct xs_bench_time *time);
void xs_bench_output_json(struct xs_json *json, const struct xs_bench_report *report);
extern const char *const xs_bench_end_names[]; /* by enum xs_bench_end */

#endif

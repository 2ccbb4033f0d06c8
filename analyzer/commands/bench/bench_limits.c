/* Parses the demands on a bench, and checks whether they are met; see bench_words.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analyzer/commands/bench/bench_words.h"

const char *const xs_bench_fault_names[] = {"output", "slower", "unclear", "gain", "status", NULL};

bool xs_bench_demands_parse(const char *text, struct xs_bench_demands *demands) {
    char *end = NULL;
    double value = strtod(text, &end), unit = 0;
    if (end == text || !isfinite(value) || value < 0)
        return false;
    demands->at_least = text;
    demands->share = -1;
    if (!strcmp(end, "%")) {
        demands->share = value / 100;
        return true;
    }
    unit = *end ? xs_time_unit_ns(end, strlen(end)) : value > 0 ? 0 : 1;
    demands->gain_ns = unit > 0 && value * unit < 9e18 ? (int64_t)(value * unit) : 0;
    return unit > 0 && value * unit < 9e18;
}

/* True if the demanded gain was reached. A gain counts if it exceeds the variation of runs; "no slower" needs no gain.
 */
static bool has_gain(const struct xs_bench_pair *pair, const struct xs_bench_demands *demands) {
    const struct xs_bench_time *time = xs_bench_deciding(pair);
    int64_t demanded =
        demands->share < 0 ? demands->gain_ns : (int64_t)((double)time->difference.before.median * demands->share);
    if (!demanded)
        return pair->result == XS_BENCH_FASTER || pair->result == XS_BENCH_NO_DIFFERENCE;
    return pair->result == XS_BENCH_FASTER && xs_bench_gain_ns(time) >= demanded;
}

unsigned xs_bench_judge(const struct xs_bench *bench, const struct xs_bench_pair *pair,
                        const struct xs_bench_demands *demands) {
    unsigned found = 0;
    if (pair->is_failed)
        return XS_FAULT_STATUS;
    bool unlike = bench->sides[0].status_varies || pair->exits_differ;
    if (unlike || pair->output.result != XS_OUTPUT_SAME)
        found |= XS_FAULT_OUTPUT;
    if (pair->result == XS_BENCH_SLOWER)
        found |= XS_FAULT_SLOWER;
    if (pair->result == XS_BENCH_CANNOT_TELL || pair->result == XS_BENCH_NO_DIFFERENCE)
        found |= XS_FAULT_UNCLEAR;
    if (demands->at_least && !has_gain(pair, demands))
        found |= XS_FAULT_GAIN;
    return found & (demands->faults | (demands->at_least ? XS_FAULT_GAIN : 0U));
}

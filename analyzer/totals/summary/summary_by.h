/* Sums up the transfers by one key: the calling line, its function, file or module, an NVTX range, a thread, a stream,
 * a device; with what the findings about it would give back. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_BY_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_BY_H

#include "analyzer/base/hash.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "schema/read/trace.h"

enum xs_by_key {
    XS_BY_SITE,
    XS_BY_FUNCTION,
    XS_BY_FILE,
    XS_BY_MODULE,
    XS_BY_NVTX,
    XS_BY_THREAD,
    XS_BY_STREAM,
    XS_BY_DEVICE,
    XS_BY_KEYS,
};
extern const char *const xs_by_names[]; /* NULL after the last */

struct xs_by_row {
    const struct xs_frame *frame; /* for site to module: one frame of the group; NULL: not known. The findings own it */
    const char *entry_point;      /* for site: the driver's entry point; else NULL. The findings own it */
    int64_t id;                   /* thread.id, stream.id or the device's ordinal; not known: 0, for a device -1 */
    char *name;                   /* name of the range, thread or device; NULL: not known */
    int64_t number;               /* tid of a thread, handle of a stream; -1: not known */
    int64_t context, device;      /* of a stream; 0 and -1: not known */
    uint64_t transfers, bytes, timed, device_ns, host_ns;
    uint64_t modelled; /* timed transfers with modelled device times */
    uint64_t saves_ns; /* what causes save of the trace's rows; each row with its largest saving */
};

struct xs_by {
    enum xs_by_key key;
    struct xs_by_row *rows; /* by device time if any is known, else by host time; largest first */
    size_t count;
    bool timed; /* some transfers have device times */
};

/* Collects what instances claim, thing by thing, while the analysis runs: xs_by_claim is its on_instance, the data is a
 * zeroed struct xs_by_claims. Memory use grows with the number of rows that findings are about. */
struct xs_by_run { /* a claim on several transfers, from the first row to the last: each has its share */
    int64_t first, last;
    uint32_t site;
    uint8_t detector, verdict;
    uint64_t transfers, ns; /* transfers that the instance is about, and its claim */
};
struct xs_by_item { /* a claim on one row */
    int64_t row;
    uint64_t ns; /* the instance's claim */
    uint32_t site;
    uint8_t table, detector, verdict;
};
struct xs_by_claims {
    struct xs_by_run *runs;
    size_t run_count, run_capacity;
    struct xs_by_item *items;
    size_t item_count, item_capacity;
};
void xs_by_claim(void *claims, unsigned detector, const struct xs_instance *instance);
void xs_by_claims_free(struct xs_by_claims *claims);

/* Negative status: the message is set. Free `by` either way, before the findings. */
int xs_by_compute(const struct xs_trace *trace, const struct xs_diagnosis *diagnosis, const struct xs_by_claims *claims,
                  enum xs_by_key key, struct xs_by *by, char *message);
void xs_by_free(struct xs_by *by);

#endif

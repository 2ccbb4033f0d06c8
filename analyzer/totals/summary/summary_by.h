/* Sums up the transfers by one key: the calling line, its function, file or module, an NVTX range, a thread, a stream
 * or a device. Also sums up the time that repairs of the findings about these transfers would save. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_BY_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_BY_H

#include "analyzer/totals/timeline/marks.h"
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
    const struct xs_frame *frame; /* for the keys from site to module: one frame of the group; NULL: not known. The
                                     findings own it */
    const char *entry_point;      /* for the key site: the driver's entry point; else NULL. The findings own it */
    int64_t id;                   /* thread.id, stream.id or the device's ordinal; if it is not known: 0 for a thread or
                                     stream, -1 for a device */
    char *name;                   /* name of the NVTX range, thread or device; NULL: not known */
    int64_t number;               /* the tid of a thread, the handle of a stream; -1: not known */
    int64_t context, device;      /* the context and the device of a stream; if they are not known, context is 0 and
                                     device is -1 */
    uint64_t transfers, bytes, timed, device_ns, host_ns;
    uint64_t modelled; /* timed transfers with modelled device times */
    uint64_t saves_ns; /* sum over the group's rows of the largest saving that a cause has for the row */
};

struct xs_by {
    enum xs_by_key key;
    struct xs_by_row *rows; /* sorted by device time if any is known, else by host time; largest first */
    size_t count;
    bool timed; /* some transfers have device times */
};

/* Collects the instances that a repair would remove. The analysis calls this function for each instance. Pass it as
 * on_instance of the analysis, with a zeroed struct xs_marks as its data. */
void xs_by_claim(void *marks, unsigned detector, const struct xs_instance *instance);

/* Negative status: the message is set. `by` must be freed in any case, before the findings are freed. */
int xs_by_compute(const struct xs_trace *trace, const struct xs_diagnosis *diagnosis, const struct xs_marks *claims,
                  enum xs_by_key key, struct xs_by *by, char *message);
void xs_by_free(struct xs_by *by);

#endif

/* What the test sees of the stand-in libcupti: found by its exported name `fake_cupti_state`. */
#ifndef XFERSPY_TESTS_FAKE_CUPTI_H
#define XFERSPY_TESTS_FAKE_CUPTI_H

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define FAKE_OFFSET_NS UINT64_C(1700000000000000000)

struct fake_cupti {
    CUpti_CallbackFunc subscriber;
    CUpti_BuffersCallbackRequestFunc requested;
    CUpti_BuffersCallbackCompleteFunc completed;
    int callbacks, counters, finalized;
    uint64_t kinds;      /* bit mask of enabled activity kinds */
    bool shares_buffers; /* threads have no buffers of their own */
    unsigned flushes[2];
    _Atomic int flushing;       /* threads inside cuptiActivityFlushAll */
    _Atomic unsigned overlaps;  /* how often one was there already */
    void (*during_flush)(void); /* the test's, called in the middle of one; NULL: none */
    int finalize_fails;         /* the test's */
    size_t dropped;
    union fake_record {
        CUpti_ActivityMemcpy6 copy;
        CUpti_ActivityUnifiedMemoryCounter3 migration;
    } records[256];
    size_t pending;
};

#endif

/* The part of the fake libcupti that tests can see and change. They find it by its exported name,
 * `fake_cupti_state`. */
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
    bool shares_buffers; /* all threads use the same buffers */
    unsigned flushes[2];
    _Atomic int flushing;       /* threads inside cuptiActivityFlushAll */
    _Atomic unsigned overlaps;  /* number of calls of it while another thread was inside */
    void (*during_flush)(void); /* set by the test: called during each flush; NULL: none */
    int finalize_fails;         /* set by the test */
    size_t dropped;
    union fake_record {
        CUpti_ActivityMemcpy6 copy;
        CUpti_ActivityUnifiedMemoryCounter3 migration;
    } records[256];
    size_t pending;
};

#endif

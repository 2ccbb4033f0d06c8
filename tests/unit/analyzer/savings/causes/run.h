/* Runs whose calls last as long as the test says, for the tests of what repairs save: the program works for 10 us, the
 * call is made, and the next one comes after it. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_CAUSES_RUN_H
#define XFERSPY_TESTS_UNIT_ANALYZER_CAUSES_RUN_H

#include "diagnosed.h"

enum { US = 1000, MS = 1000000, KIB = 1024, MIB = 1 << 20 };
enum { A = 0x10000000, B = 0x20000000, C = 0x30000000 };
#define HOST UINT64_C(0x500000000)
#define OTHER UINT64_C(0x600000000)

/* From a copy's call to its start on the device. */
enum { LATENCY_US = 2 };
/* What the replay takes where a trace cannot say it (replay/model_waits.c): from the end of what a wait waits for to
 * its return, between two operations of a stream. And of plan/replay_plan.c: a call that only gives work to the
 * device, the host behind the end of a copy. */
enum { NOTICE_NS = 2000, GAP_NS = 1500, ASYNC_CALL_NS = 4000, BEHIND_COPY_NS = 10000 };

/* With a link of which a pinned copy gets 17 GB/s. */
#define PEAK "INSERT INTO device (id, name, link_peak_bytes_per_s) VALUES (0, 'd', 20000000000);"
#define PINNED_NS(bytes) ((uint64_t)((double)(bytes) / 17 + 0.5))

/* `count` stacks of one frame each: lines 1 to count of a Python program. */
#define LINES(count)                                                                                                   \
    "INSERT INTO python_code VALUES (1,'/app/train.py','step',1);"                                                     \
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < " #count ")"                             \
    " INSERT INTO stack SELECT n, 0, 1, 0 FROM i;"                                                                     \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) SELECT id*4096+2048,id,0,1,id,1 FROM stack;"

static struct played played, *p = &played;

/* The host does something for so long, besides the 10 us before each call. */
static inline void works(uint64_t us) { p->now_ns += us * US; }

/* The next calls last so long; a copy's time on the device is that from LATENCY_US after its call. */
static inline void takes(uint64_t call_us, uint64_t device_us) {
    p->call_ns = call_us * US;
    p->delay_ns = LATENCY_US * US;
    p->device_ns = device_us * US;
}

static inline void returned(void) { p->now_ns += p->call_ns ? p->call_ns : US; }

static inline void up(uint64_t to, uint64_t bytes, int content, int before, uint64_t from) {
    play_up(p, to, bytes, content, before, from);
    returned();
}

static inline void down(uint64_t from, uint64_t bytes, int content, uint64_t to) {
    play_down(p, from, bytes, content, to);
    returned();
}

/* The device begins with it 5 us after the call. */
static inline void kernel(uint64_t us, uint32_t id) {
    p->kernel_delay_ns = 5 * US;
    p->kernel_ns = us * US;
    play_kernel(p, 1, &id);
}

static inline uint32_t alloc(uint64_t address, uint64_t bytes) {
    uint32_t id = play_alloc(p, address, bytes);
    returned();
    return id;
}

static inline void release(uint32_t id) {
    play_free(p, id);
    returned();
}

/* The host waits for the device, `us` long. */
static inline void waits(uint64_t us) {
    p->call_ns = us * US;
    play_sync(p);
    returned();
}

/* The run ends 100 us after its last call. */
static inline void diagnose(const char *sql) {
    xs_store_meta_int(p->store, "duration_ns", (int64_t)p->now_ns + 100 * US);
    play_diagnose(p, sql);
}

/* The nth finding of that kind, of one verdict or (NULL) any; NULL: there is none. */
static inline const struct xs_diagnosed *nth(const char *id, const char *verdict, size_t n) {
    for (size_t i = 0; i < p->diagnosis->count; i++) {
        const struct xs_diagnosed *finding = &p->diagnosis->items[i];
        const struct xs_detector *detector = xs_detectors[finding->finding->detector];
        const char *name =
            finding->finding->verdict < XS_VERDICTS ? detector->verdicts[finding->finding->verdict].name : NULL;
        if (!strcmp(detector->id, id) && (!verdict || (name && !strcmp(name, verdict))) && !n--)
            return finding;
    }
    return NULL;
}

static inline struct xs_saving saves(const char *id) {
    const struct xs_diagnosed *finding = played_diagnosed(p, id);
    assert_true(finding->saves.known);
    return finding->saves;
}

/* Of a replay: exactly so much, whatever the end of the range. */
static inline void saves_exactly(const char *id, uint64_t ns) {
    struct xs_saving of = saves(id);
    assert_false(of.bounds);
    assert_int_equal(of.least_ns, ns);
    assert_int_equal(of.most_ns, ns);
}

/* What the cause's nth finding is. */
static inline const char *within(size_t cause, size_t n) {
    assert_true(cause < p->diagnosis->cause_count && n < p->diagnosis->causes[cause].count);
    return xs_detectors[p->diagnosis->items[p->diagnosis->causes[cause].findings[n]].finding->detector]->id;
}

/* Whatever the run is: the first findings are the causes', the causes are in order, each finding with a repair is in
 * one of them, and together they save no less than one alone and no more than the run. */
static inline void is_in_order(void) {
    const struct xs_diagnosis *f = p->diagnosis;
    size_t known = 0, within_causes = 0;
    for (size_t i = 0; i < f->count; i++)
        known += f->items[i].saves.known;
    for (size_t i = 0; i < f->cause_count; i++) {
        const struct xs_cause *cause = &f->causes[i];
        assert_int_equal(cause->findings[0], i);
        assert_memory_equal(&cause->saves, &f->items[i].saves, sizeof cause->saves);
        assert_true(cause->saves.least_ns <= cause->saves.most_ns &&
                    cause->saves.most_ns <= p->findings->recorded.run_ns);
        if (i)
            assert_true(cause->saves.least_ns + cause->saves.most_ns <=
                        f->causes[i - 1].saves.least_ns + f->causes[i - 1].saves.most_ns + 1);
        assert_true(f->together.least_ns >= cause->saves.least_ns && f->together.most_ns >= cause->saves.most_ns);
        within_causes += cause->count;
    }
    assert_int_equal(known, within_causes);
    assert_true(f->together.least_ns <= f->together.most_ns && f->together.most_ns <= p->findings->recorded.run_ns);
}

#endif

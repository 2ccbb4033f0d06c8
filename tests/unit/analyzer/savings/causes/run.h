/* Plays runs for the tests of what repairs save. The test sets the duration of each call. Before each call the program
 * works for 10 us, and each call is made after the previous one has returned. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_CAUSES_RUN_H
#define XFERSPY_TESTS_UNIT_ANALYZER_CAUSES_RUN_H

#include "diagnosed.h"

enum { US = 1000, MS = 1000000, KIB = 1024, MIB = 1 << 20 };
enum { A = 0x10000000, B = 0x20000000, C = 0x30000000 };
#define HOST UINT64_C(0x500000000)
#define OTHER UINT64_C(0x600000000)

/* Time from a copy's call to its start on the device. */
enum { LATENCY_US = 2 };
/* Times that the replay assumes if a trace cannot show them. A wait returns NOTICE_NS after the end of the operation
 * for which it waits, and GAP_NS is between two operations of a stream (replay/model_waits.c). A call that only gives
 * work to the device takes ASYNC_CALL_NS (replay/replay.h). The call of a copy returns BEHIND_COPY_NS after the copy's
 * end (plan/replay_plan.h). */
enum { NOTICE_NS = 2000, GAP_NS = 1500, ASYNC_CALL_NS = 4000, BEHIND_COPY_NS = 10000 };

/* SQL for a device with a link on which a pinned copy reaches 17 GB/s. */
#define PEAK "INSERT INTO device (id, name, link_peak_bytes_per_s) VALUES (0, 'd', 20000000000);"
#define PINNED_NS(bytes) ((uint64_t)((double)(bytes) / 17 + 0.5))

/* SQL for `count` stacks of one frame each, with the lines 1 to `count` of a Python program. */
#define LINES(count)                                                                                                   \
    "INSERT INTO python_code VALUES (1,'/app/train.py','step',1);"                                                     \
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < " #count ")"                             \
    " INSERT INTO stack SELECT n, 0, 1, 0, NULL, NULL FROM i;"                                                         \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) SELECT id*4096+2048,id,0,1,id,1 FROM stack;"

static struct played played, *p = &played;

/* The host works for `us`, in addition to the 10 us before each call. */
static inline void works(uint64_t us) { p->now_ns += us * US; }

/* Sets the duration of the next calls, and the time of the next copies on the device, which begin LATENCY_US after
 * their calls. */
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

/* Plays a kernel, which begins on the device 5 us after its call. */
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

/* The host waits for the device, for `us`. */
static inline void waits(uint64_t us) {
    p->call_ns = us * US;
    play_sync(p);
    returned();
}

/* Ends the run 100 us after its last call, and diagnoses it. */
static inline void diagnose(const char *sql) {
    xs_store_meta_int(p->store, "duration_ns", (int64_t)p->now_ns + 100 * US);
    play_diagnose(p, sql);
}

/* Returns finding number `n` (from 0) of this kind, with one verdict or (NULL) with any; NULL: there is none. */
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

/* Requires that the repair saves exactly `ns`, as found by a replay: both ends of the range are `ns`. */
static inline void saves_exactly(const char *id, uint64_t ns) {
    struct xs_saving of = saves(id);
    assert_false(of.bounds);
    assert_int_equal(of.least_ns, ns);
    assert_int_equal(of.most_ns, ns);
}

/* Returns the id of the cause's finding number `n`. */
static inline const char *within(size_t cause, size_t n) {
    assert_true(cause < p->diagnosis->cause_count && n < p->diagnosis->causes[cause].count);
    return xs_detectors[p->diagnosis->items[p->diagnosis->causes[cause].findings[n]].finding->detector]->id;
}

/* Checks what must be true for every run: the first findings are those of the causes, in the same order; the causes are
 * sorted by what they save; each finding with a repair belongs to one cause; together the causes save at least as much
 * as each of them, and at most the run's time. */
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

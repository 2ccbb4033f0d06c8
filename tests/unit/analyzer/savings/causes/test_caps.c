/* No finding, and no cause, saves more than the time of its calls, waits and gaps: on runs made by hand, and on the
 * traces of tests/golden and, if XFERSPY_TRACES names a folder, on all traces there (those that tests/truth/run --keep
 * keeps). */
#include "run.h"

#include <glob.h>
#include <stdlib.h>

#include "analyzer/base/intervals.h"
#include "analyzer/base/numbers.h"
#include "analyzer/savings/plan/plan_repairs.h"
#include "analyzer/savings/plan/work_on_data.h"
#include "analyzer/trace/scan.h"

enum { STEPS = 20 };

/* A copy in the legacy default stream keeps two other streams apart. If it is moved to a side stream, their kernels run
 * at the same time in the replay, which saves a kernel's time in each step. The device may have no room for both, so
 * only the time of the copies counts. */
static void moved_copies_save_their_own_time(void **state) {
    enum { LEGACY = 1, FIRST = 0x70, SECOND = 0x80, KERNEL_US = 1000, UP_US = 50, COPY_CALL_US = 2 };
    (void)state;
    play_begin(p);
    p->options.only_detector = "no-overlap";
    uint32_t a = play_alloc(p, A, MIB);
    p->kernel_ns = KERNEL_US * US;
    p->host = XS_MEM_PINNED;
    for (int i = 0; i < STEPS; i++) {
        p->stream = FIRST;
        p->kernel_delay_ns = 5 * US;
        play_kernel(p, 1, &a);
        uint64_t first_ends_ns = p->now_ns + (5 + KERNEL_US) * US;
        p->stream = LEGACY;
        p->async = true;
        p->call_ns = COPY_CALL_US * US;
        p->device_ns = UP_US * US;
        p->delay_ns = first_ends_ns + GAP_NS - (p->now_ns + 10 * US);
        up(A, MIB, i, NOT_MEASURED, HOST);
        p->stream = SECOND;
        uint64_t second_starts_ns = first_ends_ns + GAP_NS + UP_US * US + GAP_NS;
        p->kernel_delay_ns = second_starts_ns - (p->now_ns + 10 * US);
        play_kernel(p, 1, &a);
        p->async = false;
        p->stream = 0;
        uint64_t ends_ns = second_starts_ns + KERNEL_US * US + NOTICE_NS;
        waits((ends_ns - (p->now_ns + 10 * US)) / US);
    }
    diagnose(PEAK);
    assert_true(p->diagnosis->replayed && p->diagnosis->replay_error < 1e-3);
    FOUND("no-overlap", NULL, STEPS);
    struct xs_saving saved = saves("no-overlap");
    assert_false(saved.bounds);
    assert_in_range(saved.most_ns, STEPS * UP_US * US, STEPS * (COPY_CALL_US + UP_US + 10) * US);
    assert_int_equal(p->diagnosis->together.most_ns, saved.most_ns);
    is_in_order();
    play_end(p);
}

/* Two threads upload at the same time, and wait for longer than the run takes. The order of two other copies has no
 * reason in the model, so the replay is not believed, and the bound is the run. */
static void no_bound_is_longer_than_the_run(void **state) {
    enum { FIRST = 0x70, SECOND = 0x80, UPLOADS = 10, UP_US = 1000 };
    (void)state;
    play_begin(p);
    uint64_t from_ns = p->now_ns;
    for (unsigned thread = 1; thread <= 2; thread++) {
        p->thread = thread;
        p->now_ns = from_ns;
        uint64_t to = thread == 1 ? A : B;
        alloc(to, MIB);
        takes(UP_US, UP_US - 10);
        for (int i = 0; i < UPLOADS; i++)
            up(to, MIB, (int)thread, i ? (int)thread : NOT_MEASURED, HOST + thread * MIB);
    }
    p->host = XS_MEM_PINNED;
    p->async = true;
    takes(1, UP_US);
    p->stream = FIRST;
    p->delay_ns = 1020 * US;
    up(C, KIB, NO_CONTENT, NOT_MEASURED, HOST);
    p->stream = SECOND;
    p->delay_ns = 2 * US;
    up(C + MIB, KIB, NO_CONTENT, NOT_MEASURED, HOST);
    p->call_ns = 1000 * US;
    play_wait(p, XS_SYNC_STREAM, SECOND);
    returned();
    diagnose(PEAK);
    assert_false(p->diagnosis->replayed);
    struct xs_saving saved = saves("noop-upload");
    assert_true(saved.bounds);
    assert_true(played_finding(p, "noop-upload")->claimed_ns > p->findings->recorded.run_ns);
    assert_int_equal(saved.most_ns, p->findings->recorded.run_ns);
    play_end(p);
}

/* --- recorded traces --- */

static void add_operations(struct xs_intervals *times, const struct xs_model *model, uint32_t call) {
    const struct xs_model_call *c = &model->calls[call];
    for (uint32_t k = c->operation; k < c->operation + c->operations; k++) {
        const struct xs_model_operation *o = &model->operations[k];
        int64_t pause_ns = xs_later(o->latency_ns, xs_later(o->gap_ns, o->engine_gap_ns));
        xs_intervals_add(times, o->start_ns - pause_ns, o->end_ns);
    }
}

/* Adds a call, its work on the device, and the gap before it. The wait for it is added, too, and the program's own time
 * until its thread gives the device more work. */
static void add_call(struct xs_intervals *times, const struct xs_plan *plan, uint32_t call) {
    const struct xs_model_call *calls = plan->model->calls;
    if (call == XS_PLAN_NONE)
        return;
    uint32_t previous = calls[call].previous, end = call;
    int64_t begin_ns = previous == XS_PLAN_NONE ? calls[call].enter_ns : calls[previous].return_ns;
    while (previous != XS_PLAN_NONE &&
           (calls[previous].kind == XS_MODEL_ALLOCATION || calls[previous].kind == XS_MODEL_FREE)) {
        previous = calls[previous].previous; /* work goes on beyond these calls */
        begin_ns = previous == XS_PLAN_NONE ? 0 : calls[previous].return_ns;
    }
    for (uint32_t i = calls[xs_plan_reader(plan, call)].next; i != XS_PLAN_NONE; i = calls[i].next) {
        end = i;
        if (xs_model_gives_work(&calls[i]))
            break;
    }
    xs_intervals_add(times, begin_ns, end == call ? calls[call].return_ns : calls[end].enter_ns);
    add_operations(times, plan->model, call);
}

/* Adds the launches of a run, from one call to another one of its thread. */
static void add_run(struct xs_intervals *times, const struct xs_plan *plan, uint32_t first, uint32_t last) {
    for (uint32_t i = first; i != XS_PLAN_NONE; i = plan->model->calls[i].next) {
        add_call(times, plan, i);
        if (i == last)
            break;
    }
}

static bool is_of_shared_stream(const struct xs_model_call *call, enum xs_repair_kind repair) {
    return repair == XS_REPAIR_OWN_STREAM && (call->is_legacy || call->wait != XS_WAITS_NOT);
}

/* The pages of managed memory are moved in kernels, and in the host's time between the calls of any place. */
static bool is_of_managed_memory(enum xs_repair_kind repair) {
    return repair == XS_REPAIR_PREFETCH || repair == XS_REPAIR_KEEP_ON_DEVICE;
}

/* Returns the time of the finding's calls, waits and gaps. All calls of its place count, because not all contents may
 * have been checked; the uploads of its detour; and the calls of its instances, which may have another place. */
static uint64_t time_of(const struct xs_diagnosis *diagnosis, const struct xs_plan *plan,
                        const struct xs_diagnosed *d) {
    const struct xs_finding *f = d->finding;
    uint32_t up_site = d->detour ? diagnosis->detours[d->detour - 1].up_site : f->site;
    const struct xs_repairables *all = &diagnosis->findings->repairables;
    struct xs_intervals times = {0};
    size_t count, first = xs_repairables_of(all, f, &count);
    enum xs_repair_kind repair = xs_detector_repair(xs_detectors[f->detector], f->verdict);
    for (uint32_t i = 0; i < plan->model->call_count; i++) {
        const struct xs_model_call *call = &plan->model->calls[i];
        if (call->site == f->site || call->site == up_site || is_of_shared_stream(call, repair) ||
            is_of_managed_memory(repair))
            add_call(&times, plan, i);
    }
    static const enum xs_model_kind kinds[] = {XS_MODEL_TRANSFER, XS_MODEL_MEMSET, XS_MODEL_ALLOCATION,
                                               XS_MODEL_LAUNCH,   XS_MODEL_SYNC,   XS_MODEL_OTHER};
    for (size_t i = first; i < first + count; i++) {
        const struct xs_repairable *item = &all->items[i];
        enum xs_model_kind kind = item->table < sizeof kinds / sizeof *kinds ? kinds[item->table] : XS_MODEL_OTHER;
        uint32_t from = xs_plan_find(plan, kind, item->rows[0]), to = xs_plan_find(plan, kind, item->rows[1]);
        if (repair == XS_REPAIR_GRAPH || repair == XS_REPAIR_GATHER)
            add_run(&times, plan, from, to);
        add_call(&times, plan, from);
        add_call(&times, plan, to);
        add_call(&times, plan, xs_plan_find(plan, XS_MODEL_SYNC, item->rows[1]));
        for (unsigned row = 0; row < 2; row++)
            add_call(&times, plan, xs_plan_find(plan, XS_MODEL_FREE, item->rows[row]));
    }
    uint64_t ns = xs_intervals_unite(&times);
    xs_intervals_free(&times);
    return ns;
}

/* The page-locked memory of copies that are not made any more goes away, too, and with it the calls that made it. */
static uint64_t page_locking_ns(const struct xs_model *model) {
    uint64_t ns = 0;
    for (uint32_t i = 0; i < model->call_count; i++)
        if (model->calls[i].kind == XS_MODEL_ALLOCATION || model->calls[i].kind == XS_MODEL_FREE)
            ns = xs_sum(ns, (uint64_t)xs_later(0, model->calls[i].return_ns - model->calls[i].enter_ns));
    return ns;
}

static void check_trace(const char *path) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    struct xs_diagnosis *diagnosis;
    struct xs_model model;
    struct xs_plan plan;
    struct xs_analysis_options options = {.keeps_repairables = true};
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_true(xs_diagnose(&trace, &options, &diagnosis, message) >= 0);
    assert_true(xs_model_read(&model, &trace, NULL, diagnosis->findings->sites, message, NULL) >= 0);
    assert_true(xs_plan_begin(&plan, &model, &trace, diagnosis->findings, message) >= 0);
    uint64_t locking_ns = page_locking_ns(&model), run_ns = (uint64_t)model.run_ns;
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_diagnosed *d = &diagnosis->items[i];
        uint64_t room_ns = time_of(diagnosis, &plan, d);
        if (d->saves.most_ns > xs_sum(room_ns, locking_ns) || d->saves.most_ns > run_ns)
            fail_msg("%s: %s at site %u saves up to %llu ns, but its calls, waits and gaps took %llu ns", path,
                     xs_detectors[d->finding->detector]->id, d->finding->site, (unsigned long long)d->saves.most_ns,
                     (unsigned long long)room_ns);
    }
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        assert_int_equal(diagnosis->causes[i].saves.most_ns, diagnosis->items[i].saves.most_ns);
    assert_true(diagnosis->together.most_ns <= run_ns);
    xs_plan_end(&plan);
    xs_model_free(&model);
    xs_diagnosis_free(diagnosis);
    xs_trace_close(&trace);
}

static size_t check_folder(const char *folder) {
    char pattern[4096];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/*.db", folder);
    if (glob(pattern, 0, NULL, &found))
        return 0;
    size_t count = found.gl_pathc;
    for (size_t i = 0; i < count; i++)
        check_trace(found.gl_pathv[i]);
    globfree(&found);
    return count;
}

static void recorded_traces_save_at_most_the_time_of_their_calls(void **state) {
    (void)state;
    const char *folder = getenv("XFERSPY_TRACES");
    assert_true(check_folder(XFERSPY_GOLDEN) >= 10);
    if (folder)
        assert_true(check_folder(folder) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_copies_save_their_own_time),
        cmocka_unit_test(no_bound_is_longer_than_the_run),
        cmocka_unit_test(recorded_traces_save_at_most_the_time_of_their_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Finds detours over the host; see detours.h. */
#include "analyzer/savings/causes/detours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/plan/in_parts.h"
#include "analyzer/savings/plan/plan_repairs.h"
#include "analyzer/savings/plan/statement.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"
#include "schema/format/kinds.h"

enum { LEAST_TRIPS = 3, MOST_REPLAYS = 32 };

/* A download and the next upload of the same thread, with the pair of their places. */
struct trip {
    uint32_t down, up, pair;
};

struct pair {
    uint32_t down_site, up_site;
    uint32_t first_down, first_up; /* indexes of calls */
    uint64_t trips, host_ns, calls_ns;
};

/* The state of a thread. */
struct thread {
    uint32_t down; /* the latest download; XS_PLAN_NONE: none, or a later call ended the trip */
    bool has_it;   /* the host has waited for the download */
    bool recorded; /* `event` was recorded after the download, in its stream */
    uint64_t event;
    int64_t host_ns, last_ns;
    int64_t filled_ns; /* time of the first launch or memset after the download; 0: none */
};

struct finding_detours {
    const struct xs_plan *plan;
    struct thread *threads;
    struct trip *trips;
    size_t trip_count, trip_capacity;
    struct pair *pairs;
    size_t pair_count, pair_capacity;
    struct xs_hash pair_of;    /* maps both sites to the index of their pair plus 1 */
    uint64_t replayed_from_ns; /* pairs with less host work are not replayed, because each replay takes a while */
    struct xs_hash copies;     /* number of copies by site and direction */
};

/* --- trips --- */

static bool is_copy(const struct xs_model_call *call, enum xs_direction direction) {
    return call->kind == XS_MODEL_TRANSFER && call->direction == direction && !call->is_of_batch;
}

/* True if the call returns after the copy's end, as CUDA does for a download into pageable memory. */
static bool holds_the_host(const struct xs_model_call *down) {
    return !down->is_async || down->memory_kind == XS_MEM_PAGEABLE;
}

static bool waits_for(const struct thread *thread, const struct xs_model_call *down, const struct xs_model_call *sync) {
    bool of_stream = sync->wait == XS_WAITS_STREAM || sync->wait == XS_WAITS_LATEST;
    return sync->wait == XS_WAITS_DEVICE || (of_stream && sync->stream == down->stream) ||
           (sync->wait == XS_WAITS_EVENT && thread->recorded && sync->object == thread->event);
}

/* True if no work on the device came between, except work of the uploading statement itself. A library may first fill
 * an array on the device in the statement that then uploads it, as PyTorch does in its deterministic mode. */
static bool is_undisturbed(const struct finding_detours *finding, const struct thread *thread,
                           const struct xs_model_call *up) {
    const struct xs_frame *frame = xs_site_frame(finding->plan->findings, up->site);
    return !thread->filled_ns || (frame && frame->python && up->enter_ns - thread->filled_ns <= XS_STATEMENT_LIMIT_NS);
}

static void add_trip(struct finding_detours *finding, const struct thread *thread, uint32_t up) {
    const struct xs_model_call *calls = finding->plan->model->calls, *down = &calls[thread->down];
    uint64_t *number = xs_hash_put(&finding->pair_of, down->site, calls[up].site);
    if (!*number) {
        xs_grow(&finding->pairs, finding->pair_count, &finding->pair_capacity, sizeof *finding->pairs);
        finding->pairs[finding->pair_count] = (struct pair){
            .down_site = down->site, .up_site = calls[up].site, .first_down = thread->down, .first_up = up};
        *number = ++finding->pair_count;
    }
    struct pair *pair = &finding->pairs[*number - 1];
    pair->trips++;
    pair->host_ns = xs_sum(pair->host_ns, (uint64_t)thread->host_ns);
    for (uint32_t i = thread->down; i != XS_PLAN_NONE && i <= up; i = finding->plan->model->calls[i].next)
        pair->calls_ns = xs_sum(pair->calls_ns, (uint64_t)(calls[i].return_ns - calls[i].enter_ns));
    xs_grow(&finding->trips, finding->trip_count, &finding->trip_capacity, sizeof *finding->trips);
    finding->trips[finding->trip_count++] = (struct trip){thread->down, up, (uint32_t)(*number - 1)};
}

/* Handles a call after a download and before an upload. */
static void go_on(struct finding_detours *finding, struct thread *thread, uint32_t index) {
    const struct xs_model_call *call = &finding->plan->model->calls[index];
    const struct xs_model_call *down = &finding->plan->model->calls[thread->down];
    if (thread->has_it)
        thread->host_ns = xs_model_ns(thread->host_ns + call->enter_ns - thread->last_ns);
    thread->last_ns = call->return_ns;
    switch ((enum xs_model_kind)call->kind) {
    case XS_MODEL_SYNC:
        thread->has_it = thread->has_it || waits_for(thread, down, call);
        return;
    case XS_MODEL_RECORD:
        if (call->stream == down->stream) {
            thread->recorded = true;
            thread->event = call->object;
        }
        return;
    case XS_MODEL_ALLOCATION:
    case XS_MODEL_FREE:
    case XS_MODEL_WAIT_EVENT:
        return;
    case XS_MODEL_MEMSET:
    case XS_MODEL_LAUNCH:
        if (thread->filled_ns)
            break;
        thread->filled_ns = call->enter_ns;
        return;
    case XS_MODEL_TRANSFER:
        if (is_copy(call, XS_DIR_H2D) && thread->has_it && is_undisturbed(finding, thread, call))
            add_trip(finding, thread, index);
        break;
    case XS_MODEL_OTHER:
        break;
    }
    thread->down = XS_PLAN_NONE;
}

static void find_trips(struct finding_detours *finding) {
    const struct xs_model *model = finding->plan->model;
    finding->threads = xs_realloc(NULL, ((size_t)model->threads + 1) * sizeof *finding->threads);
    for (int32_t i = 0; i < model->threads; i++)
        finding->threads[i] = (struct thread){.down = XS_PLAN_NONE};
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        struct thread *thread = &finding->threads[call->thread];
        if (is_copy(call, XS_DIR_H2D) || is_copy(call, XS_DIR_D2H))
            ++*xs_hash_put(&finding->copies, call->site, (uint64_t)call->direction);
        if (is_copy(call, XS_DIR_D2H) && call->bytes > XS_SCALAR_BYTES)
            *thread = (struct thread){.down = i, .has_it = holds_the_host(call), .last_ns = call->return_ns};
        else if (thread->down != XS_PLAN_NONE)
            go_on(finding, thread, i);
    }
}

/* --- is it a detour --- */

static int stack_of(const struct xs_trace *trace, int64_t row, int64_t *stack, char *message) {
    char sql[96];
    struct xs_scan scan;
    snprintf(sql, sizeof sql, "SELECT stack FROM transfer WHERE id = %lld", (long long)row);
    xs_scan_begin(&scan, trace, sql, message, NULL);
    *stack = xs_scan_row(&scan) ? xs_scan_int(&scan, 0) : 0;
    return xs_scan_end(&scan);
}

static bool is_same(const char *a, const char *b) { return a && b && !strcmp(a, b); }

/* A stack's frames, innermost first. */
struct frames {
    const struct xs_frame *items;
    size_t count;
};

static struct frames frames_of(const struct xs_sites *sites, int64_t stack) {
    struct frames frames = {0};
    if (sites->callsites)
        frames.items = xs_callsites_frames(sites->callsites, stack, &frames.count);
    return frames;
}

/* Finds the user's function of the frame `of` in a stack, and returns its line there; 0: the stack does not contain the
 * function, or the line is not known. */
static uint32_t line_in(const struct frames *frames, const struct xs_frame *of) {
    for (size_t i = 0; i < frames->count && !of->library; i++)
        if (is_same(frames->items[i].function, of->function) && is_same(frames->items[i].file, of->file))
            return frames->items[i].line;
    return 0;
}

/* True if the innermost function that makes both copies, itself or by functions that it calls, makes the download at an
 * earlier line than the upload. A download at a later line belongs to another upload, the one in the loop's next
 * iteration. If a function makes both at one line, as a helper for all copies does, its callers are looked at. */
static bool is_earlier_in_function(const struct frames *down, const struct frames *up) {
    for (size_t i = 0; i < up->count; i++) {
        uint32_t up_line = up->items[i].line, down_line = line_in(down, &up->items[i]);
        if (down_line && up_line && down_line != up_line)
            return down_line < up_line;
    }
    return false;
}

/* True if the upload needs nothing from the host, because its bytes are known to be on the device, are one repeated
 * value, or are not used. */
static bool drops_upload(const struct xs_finding *f) {
    static const unsigned dropping = 1u << XS_REPAIR_DROP | 1u << XS_REPAIR_DROP_BOTH | 1u << XS_REPAIR_PEER_COPY |
                                     1u << XS_REPAIR_MEMSET | 1u << XS_REPAIR_DEVICE_COPY;
    return dropping >> xs_detector_repair(xs_detectors[f->detector], f->verdict) & 1;
}

/* What the uploads of a pair are. */
enum uploads {
    OF_OTHER_DATA, /* at least half of them are a loader's batches, or nothing shows that they are the host's results */
    NEEDLESS,      /* the host's results; the device has, or could make, at least half of them without an upload */
    RESULTS,       /* the host's results */
};

static enum uploads uploads_at(const struct xs_diagnosis *diagnosis, uint32_t up_site, uint64_t uploads) {
    enum uploads are = RESULTS;
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        const struct xs_framework_context *context = diagnosis->items[i].context;
        if (f->site != up_site)
            continue;
        if (context && (context->host_copy == XS_HOST_COPY_LOADER || context->host_copy == XS_HOST_COPY_LOADER_THREAD))
            return OF_OTHER_DATA;
        double explained = f->sample.is_of_contents ? f->sample.estimate : (double)f->instances;
        if (drops_upload(f) && 2 * explained >= (double)uploads)
            are = NEEDLESS;
    }
    return are;
}

static int judge(const struct finding_detours *finding, const struct xs_diagnosis *diagnosis,
                 const struct xs_trace *trace, const struct pair *pair, enum uploads *are, char *message) {
    const uint64_t *uploads = xs_hash_find(&finding->copies, pair->up_site, XS_DIR_H2D);
    const struct xs_model_call *calls = finding->plan->model->calls;
    int64_t down = 0, up = 0;
    *are = OF_OTHER_DATA;
    if (pair->trips < LEAST_TRIPS || 2 * pair->trips < *uploads ||
        pair->host_ns < xs_floor_of_both(diagnosis->findings->recorded.ns))
        return XS_OK;
    int status = stack_of(trace, calls[pair->first_down].row, &down, message);
    status = status < 0 ? status : stack_of(trace, calls[pair->first_up].row, &up, message);
    struct frames of_down = frames_of(diagnosis->findings->sites, down),
                  of_up = frames_of(diagnosis->findings->sites, up);
    if (status >= 0 && is_earlier_in_function(&of_down, &of_up))
        *are = uploads_at(diagnosis, pair->up_site, *uploads);
    return status;
}

/* --- what is saved at most --- */

/* Drops both copies and everything between them from the plan. */
static void leave_out(struct xs_plan *plan, const struct trip *trip) {
    xs_plan_drop_call(plan, trip->down, XS_PLAN_MOST);
    for (uint32_t i = plan->model->calls[trip->down].next; i != XS_PLAN_NONE && i <= trip->up;
         i = plan->model->calls[i].next) {
        const struct xs_model_call *call = &plan->model->calls[i];
        int64_t before = call->enter_ns - plan->model->calls[plan->model->calls[i].previous].return_ns;
        if (call->kind == XS_MODEL_SYNC || i == trip->up)
            xs_plan_change(plan, i, &(struct xs_call_change){.dropped = true, .before_ns = -before});
        else if (xs_plan_alter(plan, i))
            xs_plan_alter(plan, i)->before_ns = -before;
    }
    xs_plan_drop_call(plan, trip->up, XS_PLAN_MOST); /* drops the end of its statement, too */
}

static uint64_t times(uint64_t value, double scale) { return (uint64_t)((double)value * scale + 0.5); }

static uint64_t most_ns(const struct finding_detours *finding, const struct xs_diagnosis *diagnosis,
                        struct xs_plan *plan, size_t pair, int64_t run_ns) {
    double scale = xs_in_parts_scale(plan);
    if (!diagnosis->replayed || finding->pairs[pair].host_ns < finding->replayed_from_ns)
        return times(xs_sum(finding->pairs[pair].host_ns, finding->pairs[pair].calls_ns), scale);
    xs_plan_clear(plan);
    for (size_t i = 0; i < finding->trip_count; i++)
        if (finding->trips[i].pair == pair)
            leave_out(plan, &finding->trips[i]);
    uint64_t saved_ns = xs_plan_saves_at(plan, run_ns, XS_PLAN_MOST);
    xs_plan_clear(plan);
    return saved_ns;
}

static int most_first(const void *left, const void *right) { return xs_ascending_uint64(right, left); }

static void limit_replays(struct finding_detours *finding) {
    uint64_t *host_ns = xs_realloc(NULL, (finding->pair_count + 1) * sizeof *host_ns);
    for (size_t i = 0; i < finding->pair_count; i++)
        host_ns[i] = finding->pairs[i].host_ns;
    xs_sort(host_ns, finding->pair_count, sizeof *host_ns, most_first);
    finding->replayed_from_ns = finding->pair_count > MOST_REPLAYS ? host_ns[MOST_REPLAYS - 1] : 0;
    free(host_ns);
}

/* --- which findings belong to it --- */

static bool is_host_work(const struct xs_finding *f) {
    return xs_detector_repair(xs_detectors[f->detector], f->verdict) == XS_REPAIR_WORK_ON_DEVICE;
}

/* True if at least half of the downloads at the finding's place are in trips of the pair. */
static bool are_most_downloads(const struct finding_detours *finding, const struct xs_finding *f,
                               const struct pair *pair) {
    const uint64_t *downloads = xs_hash_find(&finding->copies, pair->down_site, XS_DIR_D2H);
    return f->site == pair->down_site && downloads && 2 * pair->trips >= *downloads;
}

static void note_results(const struct finding_detours *finding, struct xs_diagnosis *diagnosis,
                         const struct pair *pair) {
    for (size_t i = 0; i < diagnosis->count; i++)
        diagnosis->items[i].goes_back |= are_most_downloads(finding, diagnosis->items[i].finding, pair);
}

/* True if a finding belongs to the detour. A finding that saves more than the detour, or removes the uploads, does not
 * belong to the detour, because it is the better advice. */
static bool is_about(const struct finding_detours *finding, const struct xs_diagnosed *d, const struct pair *pair,
                     const struct xs_detour *detour) {
    const struct xs_finding *f = d->finding;
    return d->saves.most_ns <= detour->most_ns &&
           (are_most_downloads(finding, f, pair) || (f->site == detour->up_site && !drops_upload(f)));
}

static void attach(const struct finding_detours *finding, struct xs_diagnosis *diagnosis, const struct pair *pair,
                   size_t number) {
    const struct xs_detour *detour = &diagnosis->detours[number];
    for (size_t i = 0; i < diagnosis->count; i++) {
        struct xs_diagnosed *d = &diagnosis->items[i];
        if (is_about(finding, d, pair, detour) &&
            (!d->detour || diagnosis->detours[d->detour - 1].most_ns < detour->most_ns)) {
            d->detour = (uint32_t)number + 1;
            if (is_host_work(d->finding)) /* its repair saves the upload, too */
                d->saves.most_ns = xs_least(detour->most_ns, diagnosis->findings->recorded.run_ns);
        }
    }
}

int xs_detours_find(struct xs_diagnosis *diagnosis, struct xs_plan *plan, const struct xs_trace *trace, int64_t run_ns,
                    char *message) {
    struct finding_detours finding = {.plan = plan};
    int status = XS_OK;
    if (diagnosis->findings->selection || !diagnosis->findings->calls_recorded)
        return XS_OK;
    xs_in_parts_of_all(plan);
    find_trips(&finding);
    limit_replays(&finding);
    for (size_t i = 0; i < finding.pair_count && status >= 0; i++) {
        const struct pair *pair = &finding.pairs[i];
        enum uploads are;
        status = judge(&finding, diagnosis, trace, pair, &are, message);
        if (status < 0 || are == OF_OTHER_DATA)
            continue;
        note_results(&finding, diagnosis, pair);
        if (are == NEEDLESS)
            continue;
        size_t count = diagnosis->detour_count++;
        diagnosis->detours = xs_realloc(diagnosis->detours, (count + 1) * sizeof *diagnosis->detours);
        diagnosis->detours[count] = (struct xs_detour){.down_site = pair->down_site,
                                                       .up_site = pair->up_site,
                                                       .trips = times(pair->trips, xs_in_parts_scale(plan)),
                                                       .host_ns = times(pair->host_ns, xs_in_parts_scale(plan)),
                                                       .most_ns = most_ns(&finding, diagnosis, plan, i, run_ns)};
        attach(&finding, diagnosis, pair, count);
    }
    free(finding.threads);
    free(finding.trips);
    free(finding.pairs);
    xs_hash_free(&finding.pair_of);
    xs_hash_free(&finding.copies);
    return status;
}

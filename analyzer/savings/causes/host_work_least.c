/* Lowers the least saving of work on downloaded data; see host_work_least.h. */
#include "analyzer/savings/causes/host_work_least.h"

#include "analyzer/base/hash.h"
#include "analyzer/base/numbers.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/savings/plan/plan_repairs.h"
#include "analyzer/savings/plan/statement.h"
#include "analyzer/savings/plan/work_on_data.h"
#include "analyzer/savings/replay/parts.h"
#include "analyzer/trace/scan.h"
#include "schema/format/kinds.h"

/* The longest work for each downloaded byte that is surely about the data. A core executes some hundred instructions in
 * this time; a sort of 400,000 numbers by NumPy takes 33 ns for each byte. Longer work may be a simulation, a wait for
 * something else, or writing to a disk, and none of that can be done on a device. */
enum { LONGEST_NS_PER_BYTE = 100 };

/* Longer pauses between two downloads are work on the first one (analyzer/findings/detectors/host_work.c). */
enum { LONGEST_PAUSE_NS = 20000 };

/* What one thread does at the place of a finding. */
struct thread {
    int64_t begin_ns, end_ns; /* from its first download to the end of its last work */
    int64_t work_ns;
};

struct works {
    struct xs_hash threads; /* by number of the model: struct thread */
    uint64_t bytes, work_ns;
};

/* Returns the bytes that the thread downloaded for the same work: the bytes of a download, and of other downloads right
 * before it. */
static uint64_t bytes_for_work(const struct xs_plan *plan, uint32_t number) {
    const struct xs_model_call *calls = plan->model->calls;
    uint64_t bytes = xs_model_copy_at(plan->model, number).bytes;
    uint32_t i = xs_plan_reader(plan, xs_plan_call_of(plan, number));
    while (xs_statement_gap(plan, i) < LONGEST_PAUSE_NS && (i = calls[i].previous) != XS_PLAN_NONE) {
        uint32_t copy = calls[i].row < 0 ? xs_plan_find(plan, XS_MODEL_TRANSFER, -calls[i].row) : i;
        bool is_download =
            copy != XS_PLAN_NONE && calls[copy].kind == XS_MODEL_TRANSFER && calls[copy].direction == XS_DIR_D2H;
        if (is_download)
            bytes = xs_sum(bytes, calls[copy].bytes);
        else if (xs_model_gives_work(&calls[i]))
            break;
    }
    return bytes;
}

static void add_download(struct works *works, const struct xs_plan *plan, uint32_t number) {
    uint32_t download = xs_plan_call_of(plan, number), next;
    const struct xs_model_call *call = &plan->model->calls[xs_plan_reader(plan, download)];
    struct thread *thread = xs_hash_item(&works->threads, (uint64_t)call->thread, 0, sizeof *thread);
    int64_t work_ns = xs_plan_work_on_data(plan, download, &next);
    if (!thread->end_ns)
        thread->begin_ns = call->enter_ns;
    thread->end_ns = next == XS_PLAN_NONE ? call->return_ns : plan->model->calls[next].enter_ns;
    thread->work_ns = xs_model_ns(thread->work_ns + work_ns);
    works->work_ns = xs_sum(works->work_ns, (uint64_t)work_ns);
    works->bytes = xs_sum(works->bytes, bytes_for_work(plan, number));
}

/* Returns the saving if another host thread does the work while this thread goes on. The saving is the time in which
 * the thread with the most work does not do this work. `scale` is as in xs_parts_scale. */
static uint64_t spare_ns(const struct works *works, double scale) {
    const struct thread *most = NULL;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&works->threads, entry));) {
        const struct thread *thread = (const struct thread *)(uintptr_t)entry->value;
        most = !most || thread->work_ns > most->work_ns ? thread : most;
    }
    double spare = most ? (double)xs_later(0, most->end_ns - most->begin_ns - most->work_ns) : 0;
    return (uint64_t)(spare * scale);
}

static void bound(const struct xs_diagnosis *diagnosis, const struct xs_plan *plan, struct xs_diagnosed *d) {
    const struct xs_repairables *all = &diagnosis->findings->repairables;
    if (xs_finding_is_unread(diagnosis->findings, d->finding))
        return; /* the saving has none of the host's work */
    struct works works = {0};
    size_t count, first = xs_repairables_of(all, d->finding, &count);
    for (size_t i = first; i < first + count; i++) {
        uint32_t number = xs_plan_number(plan, &all->items[i]);
        if (number != XS_PLAN_NONE)
            add_download(&works, plan, number);
    }
    uint64_t most_ns = spare_ns(&works, xs_parts_scale(plan->model->parts));
    if (works.work_ns / LONGEST_NS_PER_BYTE > works.bytes)
        d->saves.least_ns = 0;
    else if (!d->goes_back && d->saves.least_ns > most_ns) /* the device needs the result if it goes back */
        d->saves.least_ns = most_ns;
    xs_hash_free(&works.threads);
}

void xs_host_work_bound(struct xs_diagnosis *diagnosis, const struct xs_plan *plan) {
    for (size_t i = 0; i < diagnosis->count; i++) {
        struct xs_diagnosed *d = &diagnosis->items[i];
        if (d->saves.least_ns &&
            xs_detector_repair(xs_detectors[d->finding->detector], d->finding->verdict) == XS_REPAIR_WORK_ON_DEVICE)
            bound(diagnosis, plan, d);
    }
}

/* Handles one event: joins it with its device record and its content, shows it to the detectors, and applies it to the
 * residency model. See analysis.h. */
#include "analyzer/findings/engine/analysis.h"

#include "analyzer/trace/ran.h"

/* --- intervals of copies --- */

/* Keeps an event about a copy until the analysis reaches its start. */
static void keep_interval(struct xs_analysis *a, const struct xs_trace_event *interval) {
    a->coming_pool.item_bytes = sizeof *interval;
    struct xs_trace_event *kept = xs_pool_take(&a->coming_pool);
    *kept = *interval;
    xs_heap_push(&a->coming, (struct xs_heap_item){.ns = kept->enter_ns, .value = (uintptr_t)kept});
}

void xs_take_graph_copy(void *context, const struct xs_graph_copy *copy) {
    enum { HTOD = 1, DTOH = 2 };
    struct xs_analysis *a = context;
    if ((copy->kind != HTOD && copy->kind != DTOH) || !a->wanting_count[XS_ON_DEVICE_INTERVAL])
        return;
    keep_interval(a, &(struct xs_trace_event){.on = XS_ON_DEVICE_INTERVAL,
                                              .ran = true,
                                              .enter_ns = copy->start_ns,
                                              .return_ns = copy->end_ns,
                                              .device = copy->device,
                                              .correlation = copy->correlation,
                                              .u.interval = {.direction = copy->kind == HTOD ? XS_DIR_H2D : XS_DIR_D2H,
                                                             .bytes = copy->bytes}});
}

/* --- showing events --- */

void xs_show(struct xs_analysis *a, const struct xs_trace_event *event) {
    const struct wanting *wanting = a->wanting[event->on];
    for (unsigned i = 0; i < a->wanting_count[event->on]; i++)
        if (event->ran || wanting[i].not_run)
            wanting[i].on_event(wanting[i].detection, event);
}

void xs_show_write_end(void *context, const struct xs_write *write, bool freed, enum xs_write_certainty certainty,
                       const struct xs_trace_event *by) {
    struct xs_analysis *a = context;
    if (!a->wanting_count[XS_ON_WRITE_END])
        return;
    struct xs_trace_event event = {.on = XS_ON_WRITE_END,
                                   .ran = true,
                                   .id = write->id,
                                   .enter_ns = by->enter_ns,
                                   .return_ns = by->return_ns,
                                   .entry_point = by->entry_point,
                                   .thread = by->thread,
                                   .context = by->context,
                                   .stream = by->stream,
                                   .device = write->device,
                                   .site = write->site,
                                   .account = write->account,
                                   .u.write_end = {write, freed, certainty, by->on, by->id}};
    xs_show(a, &event);
}

/* Keeps the latest time, which is used as the run's length if the run could not record its length. */
static void note_time(struct xs_analysis *a, int64_t ns) { a->last_ns = ns > a->last_ns ? ns : a->last_ns; }

/* Shows a kernel. All kernels use one event and set the same fields of it, so the other fields remain 0. */
static void show_kernel(struct xs_analysis *a, const struct xs_kernel_interval *kernel) {
    struct xs_trace_event *e = &a->kernel_event;
    e->on = XS_ON_DEVICE_INTERVAL;
    e->ran = true;
    e->id = kernel->id;
    e->enter_ns = kernel->start_ns;
    e->return_ns = kernel->end_ns;
    e->device = kernel->device;
    e->correlation = kernel->correlation;
    e->u.interval.is_kernel = true;
    note_time(a, kernel->end_ns);
    xs_show(a, e);
}

static void show_copy(struct xs_analysis *a) {
    struct xs_trace_event *copy = (struct xs_trace_event *)(uintptr_t)xs_heap_pop(&a->coming);
    xs_show(a, copy);
    xs_account_close(&a->accounts, copy->account);
    xs_pool_give(&a->coming_pool, copy);
}

/* Shows the device's intervals that begin at `ns` or before: kernels and copies, ascending by start. */
int xs_show_intervals(struct xs_analysis *a, int64_t ns) {
    if (!a->wanting_count[XS_ON_DEVICE_INTERVAL])
        return XS_OK;
    for (;;) {
        const struct xs_kernel_interval *kernel;
        int status = xs_exposure_peek(&a->exposure, &kernel);
        if (status < 0)
            return status;
        int64_t copy_ns = xs_heap_next(&a->coming);
        bool kernel_first = kernel && (!a->coming.count || kernel->start_ns < copy_ns);
        if ((!kernel && !a->coming.count) || (kernel_first ? kernel->start_ns : copy_ns) > ns)
            return XS_OK;
        if (kernel_first) {
            show_kernel(a, kernel);
            xs_exposure_pop(&a->exposure);
        } else {
            show_copy(a);
        }
    }
}

/* --- joining --- */

/* Returns the share of its call's record that a copy has. The copies of a batch call share one record in proportion to
 * their bytes. */
static double share_of(const struct xs_trace_event *e, const struct xs_device_record *record, uint64_t bytes) {
    bool batch = e->on == XS_ON_TRANSFER && e->u.transfer.batch_index >= 0;
    return batch && bytes < record->sums.bytes ? (double)bytes / (double)record->sums.bytes : 1;
}

static int join_device(struct xs_analysis *a, struct xs_trace_event *e, struct xs_device_records *records,
                       uint64_t bytes) {
    struct xs_device_record record;
    bool batch = e->on == XS_ON_TRANSFER && e->u.transfer.batch_index >= 0;
    /* without a record the sizes of the other copies are unknown, so all of the call's time counts for the first
     * copy */
    e->host_others_ns = batch && e->u.transfer.batch_index ? (uint64_t)e->return_ns - (uint64_t)e->enter_ns : 0;
    if (!e->correlation || !xs_device_records_take(records, e->correlation, batch, &record) || record.sums.untimed)
        return records->scan.status;
    double share = share_of(e, &record, bytes);
    note_time(a, record.end_ns);
    e->timed = true;
    e->start_ns = record.start_ns;
    e->end_ns = record.end_ns;
    double device_ns = (double)record.sums.ns * share + 0.5; /* a damaged trace may have any number */
    e->device_ns = device_ns < 0x1p63 ? (uint64_t)device_ns : INT64_MAX;
    double others_ns = (double)((uint64_t)e->return_ns - (uint64_t)e->enter_ns) * (1 - share);
    e->host_others_ns = others_ns < 0x1p63 ? (uint64_t)others_ns : INT64_MAX;
    if (!a->kernels_recorded)
        return XS_OK;
    uint64_t exposed, length = (uint64_t)record.end_ns - (uint64_t)record.start_ns;
    int status =
        xs_exposure_of_copy(&a->exposure, e->device, e->stream, (struct xs_interval){record.start_ns, record.end_ns},
                            (struct xs_interval){e->enter_ns, e->return_ns}, e->enter_ns, &exposed);
    /* several records of one call may have gaps between them, or overlap */
    e->exposed_ns =
        length == exposed ? e->device_ns : (uint64_t)((double)e->device_ns * ((double)exposed / (double)length));
    e->exposed_known = true;
    return status;
}

static void announce_interval(struct xs_analysis *a, const struct xs_trace_event *e) {
    const struct xs_transfer_view *t = &e->u.transfer;
    bool up = t->direction == XS_DIR_H2D;
    if (!e->timed || (!up && t->direction != XS_DIR_D2H) || !a->wanting_count[XS_ON_DEVICE_INTERVAL])
        return;
    if (t->batch_index > 0) /* the call's times, which cover all its copies, count for the first one */
        return;
    keep_interval(
        a, &(struct xs_trace_event){.on = XS_ON_DEVICE_INTERVAL,
                                    .ran = true,
                                    .id = e->id,
                                    .enter_ns = e->start_ns,
                                    .return_ns = e->end_ns,
                                    .device = e->device,
                                    .site = e->site,
                                    .stream = e->stream,
                                    .timed = true,
                                    .exposed_known = e->exposed_known,
                                    .device_ns = e->device_ns,
                                    .exposed_ns = e->exposed_ns,
                                    .correlation = e->correlation,
                                    .account = xs_account_keep(e->account),
                                    .u.interval = {.direction = t->direction,
                                                   .transfer = e->id,
                                                   .device_allocation = up ? t->dst_allocation : t->src_allocation,
                                                   .bytes = t->bytes,
                                                   .host_kind = t->host_kind,
                                                   .is_box = t->box.height != 0,
                                                   .is_batch = t->batch_index >= 0,
                                                   .call_ns = e->enter_ns,
                                                   .host_ns = xs_event_host_ns(e)}});
}

static int32_t device_of_context(const struct xs_analysis *a, int32_t context) {
    const uint64_t *device = xs_hash_find(&a->context_devices, (uint64_t)context, 0);
    return device ? (int32_t)*device - 1 : -1;
}

static int prepare_transfer(struct xs_analysis *a, struct xs_trace_event *e) {
    struct xs_transfer_view *t = &e->u.transfer;
    int status = xs_contents_find(&a->contents, t);
    xs_residency_look(&a->residency, e, device_of_context(a, e->context));
    if (!e->ran)
        return status;
    a->findings->transfers++;
    xs_steps_count(&a->findings->steps, e->enter_ns, t->bytes);
    a->findings->uploads += t->direction == XS_DIR_H2D;
    a->findings->downloads += t->direction == XS_DIR_D2H;
    a->findings->with_content +=
        t->state == XS_CONTENT_KNOWN && (t->direction == XS_DIR_H2D || t->direction == XS_DIR_D2H);
    for (unsigned i = 0; i < a->early_count; i++)
        a->early[i].on_event(a->early[i].detection, e);
    if (status >= 0)
        status = join_device(a, e, &a->copies, t->bytes);
    a->findings->timed += e->timed;
    e->account = xs_account_open(&a->accounts, true);
    announce_interval(a, e);
    return status;
}

static int prepare_memset(struct xs_analysis *a, struct xs_trace_event *e) {
    xs_residency_look(&a->residency, e, device_of_context(a, e->context));
    if (!e->ran)
        return XS_OK;
    int status = join_device(a, e, &a->memsets, e->u.memset.bytes);
    e->account = xs_account_open(&a->accounts, false);
    return status;
}

static void prepare_launch(struct xs_analysis *a, struct xs_row_event *row) {
    struct xs_trace_event *e = &row->event;
    struct xs_launch_view *l = &e->u.launch;
    xs_residency_look(&a->residency, e, device_of_context(a, e->context));
    l->arguments_seen = (l->kind == XS_LAUNCH_KERNEL || l->kind == XS_LAUNCH_COOPERATIVE) &&
                        xs_arguments_find(&a->arguments, row->arguments, l);
    l->site = row->stack ? xs_site_of(a->findings->sites, e->entry_point, row->stack) : 0;
    if (l->kind == XS_LAUNCH_GRAPH && e->ran && e->correlation && a->wanting_count[XS_ON_DEVICE_INTERVAL])
        xs_device_records_reach(&a->copies, e->correlation);
}

/* --- gaps --- */

/* Forgets the events before a gap, because they are unrelated to the events after it. The model keeps the allocations,
 * but not their contents. */
static void forget(struct xs_analysis *a) {
    if (a->is_behind_gap) { /* this was done already, but memory that was allocated since may have been written, too */
        xs_residency_gap(&a->residency);
        return;
    }
    xs_residency_forget(&a->residency);
    xs_waits_forget(&a->waits);
    for (unsigned i = 0; i < xs_detector_count; i++)
        if (a->detections[i].state && xs_detectors[i]->on_gap)
            xs_detectors[i]->on_gap(&a->detections[i]);
    a->is_behind_gap = true;
}

/* Handles gaps before an event. In the thinned part of a trace any call may be missing between two events, also before
 * the first event after that part. Calls are missing between recorded ranges, too. */
static void note_gap(struct xs_analysis *a, int64_t ns) {
    if (ns >= a->thinned_from_ns) {
        xs_residency_gap(&a->residency);
        if (ns > a->thinned_to_ns)
            a->thinned_from_ns = INT64_MAX;
    }
    if (!a->ranges.has_gaps)
        return;
    int64_t range = xs_capture_range_at(&a->ranges, ns);
    if (range < 0 || range != a->range)
        forget(a);
    a->range = range;
}

/* --- frees: allocations wait here for their end --- */

void xs_take_free(struct xs_analysis *a, struct xs_allocation *allocation) {
    note_gap(a, allocation->free_enter_ns);
    struct xs_trace_event event = {.on = XS_ON_FREE,
                                   .ran = true,
                                   .id = allocation->id,
                                   .enter_ns = allocation->free_enter_ns,
                                   .return_ns = allocation->free_return_ns,
                                   .entry_point = allocation->free_entry_point,
                                   .thread = allocation->free_thread,
                                   .context = allocation->context,
                                   .device = allocation->device,
                                   .site = xs_site_of(a->findings->sites, allocation->free_entry_point, 0),
                                   .account = allocation->account,
                                   .u.allocation = allocation};
    allocation->freed_by_call = xs_site_entry(a->findings->sites, event.site)->category == XS_CAT_FREE;
    note_time(a, event.return_ns);
    xs_residency_sum_up(&a->residency, allocation);
    xs_show(a, &event);
    xs_waits_pass(&a->waits, &event);
    xs_residency_apply(&a->residency, &event);
}

/* Handles a download for which the main thread waited, as a blocking call of that thread. If the thread waited for an
 * earlier download in a part of this time, that part counts for the earlier download. */
static void block_main(const struct xs_analysis *a, struct xs_trace_event *e) {
    const struct xs_main_wait *wait = xs_main_wait_of(&a->main_waits, e->id);
    if (!wait || !e->timed)
        return;
    e->is_async = false;
    e->thread = (int32_t)wait->thread;
    e->return_ns = wait->end_ns > e->return_ns ? wait->end_ns : e->return_ns;
    int64_t earlier_ns = (wait->begin_ns < e->return_ns ? wait->begin_ns : e->return_ns) - e->enter_ns;
    e->host_others_ns = earlier_ns > 0 ? (uint64_t)earlier_ns : 0;
}

int xs_take_event(struct xs_analysis *a, struct xs_row_event *row) {
    struct xs_trace_event *e = &row->event;
    int status = XS_OK;
    if (e->on != XS_ON_ALLOCATION)
        note_gap(a, e->enter_ns);
    if (e->on != XS_ON_ALLOCATION)
        a->is_behind_gap = false;
    /* Few launches have a stack, so it is not a part of their site. */
    e->site = xs_site_of(a->findings->sites, e->entry_point, e->on == XS_ON_LAUNCH ? 0 : row->stack);
    note_time(a, e->return_ns);
    if (e->on == XS_ON_TRANSFER) {
        status = prepare_transfer(a, e);
        block_main(a, e);
        xs_site_totals_add(&a->accounts.sites, e);
        if (a->ranges.is_ledger && xs_ran(e->result, e->is_captured))
            xs_in_run_transfer(&a->in_run, e->site, a->range);
    } else if (e->on == XS_ON_MEMSET) {
        status = prepare_memset(a, e);
    } else if (e->on == XS_ON_LAUNCH) {
        prepare_launch(a, row);
    } else if (e->on == XS_ON_ALLOCATION) {
        if (xs_allocation_by_id(&a->residency, e->id)) /* an id that occurs twice, so the table is damaged */
            return XS_OK;
        e->u.allocation = xs_residency_make(&a->residency, row, device_of_context(a, e->context));
        e->device = e->u.allocation->device;
        e->account = e->u.allocation->account;
        e->enter_ns = e->u.allocation->enter_ns;
    } else {
        xs_residency_look(&a->residency, e, device_of_context(a, e->context));
        if (e->on == XS_ON_SYNC)
            e->u.sync.copy = xs_waits_look(&a->waits, e);
        if (e->on == XS_ON_API) {
            const struct xs_entry_point *entry = xs_site_entry(a->findings->sites, e->site);
            e->u.api.category = entry->category;
            e->u.api.traits = entry->traits;
        }
    }
    if (status < 0)
        return status;
    xs_show(a, e);
    xs_waits_pass(&a->waits, e);
    if (e->ran)
        xs_residency_apply(&a->residency, e);
    if (e->on != XS_ON_ALLOCATION)
        xs_account_close(&a->accounts, e->account);
    else if (e->u.allocation->free_enter_ns != INT64_MAX)
        xs_heap_push(&a->frees,
                     (struct xs_heap_item){e->u.allocation->free_enter_ns, e->id, (uintptr_t)e->u.allocation});
    return XS_OK;
}

/* Defines the functions that detectors call, about instances, claims, and the times of an event. See detector.h. */
#include "analyzer/findings/engine/analysis.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/trace/windows/device_windows.h"

#include <string.h>

const char *xs_detector_remedy(const struct xs_detector *detector, unsigned verdict) {
    const char *remedy = verdict < XS_VERDICTS ? detector->verdicts[verdict].remedy : NULL;
    return remedy ? remedy : detector->remedy;
}

enum xs_repair_kind xs_detector_repair(const struct xs_detector *detector, unsigned verdict) {
    enum xs_repair_kind repair = verdict < XS_VERDICTS ? detector->verdicts[verdict].repair : XS_REPAIR_OF_DETECTOR;
    return repair ? repair : detector->repair;
}

bool xs_consider(struct xs_detection *detection, const struct xs_instance *instance) {
    const struct xs_selection *selection = detection->analysis->findings->selection;
    detection->left_out = selection && !xs_selection_wants(selection, detection->index, instance);
    return !detection->left_out;
}

/* True if device times of an instance are modelled. If it is a run of transfers, only its first and its last row can be
 * checked here. */
static bool is_modelled(const struct xs_trace *trace, const struct xs_instance *instance) {
    bool modelled = false;
    for (unsigned i = 0; i < instance->evidence_count && instance->cost.device_known; i++) {
        const struct xs_evidence *e = &instance->evidence[i];
        modelled |= (e->table == XS_EVIDENCE_TRANSFER && xs_is_modelled_row(trace, XS_NUMBERED_TRANSFER, e->row)) ||
                    (e->table == XS_EVIDENCE_MEMSET && xs_is_modelled_row(trace, XS_NUMBERED_MEMSET, e->row)) ||
                    (e->table == XS_EVIDENCE_LAUNCH && xs_is_modelled_row(trace, XS_NUMBERED_LAUNCH, e->row));
    }
    return modelled;
}

void xs_report_instance(struct xs_detection *detection, const struct xs_instance *reported) {
    struct xs_instance marked = *reported;
    const struct xs_instance *instance = &marked;
    marked.modelled = is_modelled(detection->analysis->trace, reported);
    const struct xs_analysis_options *options = detection->analysis->options;
    if (!xs_consider(detection, instance)) {
        detection->analysis->findings->selection->left_out++;
        return;
    }
    xs_samples_hit(&detection->analysis->samples, detection->index, instance);
    if (options->on_instance)
        options->on_instance(options->data, detection->index, instance);
    xs_downloads_read_add(&detection->analysis->findings->reads, detection->index, instance);
    if (options->keeps_repairables)
        xs_repairables_add(&detection->analysis->findings->repairables, detection->index, instance,
                           options->repaired_times);
    if (detection->analysis->ranges.is_ledger)
        xs_in_run_instance(&detection->analysis->in_run, detection->index, instance->verdict, instance->site,
                           detection->analysis->range);
    xs_findings_add(&detection->analysis->builder, detection->index, instance);
}

void xs_sample(struct xs_detection *detection, const struct xs_trace_event *event, unsigned situation,
               enum xs_drawn drawn) {
    if (xs_selection_has(detection->analysis->findings->selection, XS_EVIDENCE_TRANSFER, event->id))
        xs_samples_add(&detection->analysis->samples, detection->index, event, situation, drawn);
}

enum xs_drawn xs_drawn_alone(const struct xs_transfer_view *transfer) {
    static const enum xs_drawn drawn[] = {[XS_LOOK_NONE] = XS_DRAWN_UNKNOWN,
                                          [XS_LOOK_LEFT_OUT] = XS_DRAWN_LEFT_OUT,
                                          [XS_LOOK_FOLLOWED] = XS_DRAWN_LEFT_OUT,
                                          [XS_LOOK_CHOSEN] = XS_DRAWN_CHECKED};
    return drawn[xs_look_of(transfer)];
}

enum xs_drawn xs_drawn_pair(const struct xs_transfer_view *transfer, enum xs_look earlier) {
    enum xs_look own = xs_look_of(transfer);
    if (own == XS_LOOK_NONE || earlier == XS_LOOK_NONE)
        return XS_DRAWN_UNKNOWN;
    return own != XS_LOOK_LEFT_OUT && earlier == XS_LOOK_CHOSEN ? XS_DRAWN_CHECKED : XS_DRAWN_LEFT_OUT;
}

static bool counts(const struct xs_detection *detection) {
    enum xs_detector_kind kind = xs_detectors[detection->index]->kind;
    return kind == XS_REMOVES_TRANSFERS || kind == XS_REMOVES_CALLS;
}

void xs_claim(struct xs_detection *detection, struct xs_account *account, const struct xs_times *removable) {
    if (account && counts(detection) && !detection->left_out)
        xs_account_claim(&detection->analysis->accounts, account, removable);
}

void xs_claim_unshared(struct xs_detection *detection, const struct xs_times *removable) {
    struct xs_account account = {0};
    if (counts(detection) && !detection->left_out)
        xs_account_claim(&detection->analysis->accounts, &account, removable);
}

void xs_downloads_readers(struct xs_detection *detection, int64_t download, enum xs_readers readers, int64_t upload) {
    xs_downloads_read_set(&detection->analysis->findings->reads, download, readers, upload);
}

void xs_undecided(struct xs_detection *detection, const char *reason) {
    xs_findings_undecided(&detection->analysis->builder, detection->index, reason);
}

const char *xs_missing_content(const struct xs_transfer_view *transfer) {
#define NAME(n, id, name) [n] = name,
    static const char *const names[] = {XS_FINGERPRINT_SKIPS(NAME)};
#undef NAME
    if (transfer->state == XS_CONTENT_LOST)
        return "the trace ends before its fingerprint";
    bool named = transfer->skip > 0 && transfer->skip < sizeof names / sizeof *names && names[transfer->skip];
    return named ? names[transfer->skip] : "no fingerprint";
}

const char *xs_doubt_of_use(const struct xs_detection *detection, bool lives) {
    if (!detection->calls_recorded)
        return XS_UNDECIDED_CALLS;
    if (!detection->addresses_recorded)
        return XS_UNDECIDED_ADDRESSES;
    return lives && !detection->ended ? XS_UNDECIDED_END : NULL;
}

/* Returns the time of kernels between two times. An error of the file is ignored, because reading the events meets it
 * again. */
uint64_t xs_kernels_between(struct xs_detection *detection, int32_t device, int64_t from_ns, int64_t to_ns) {
    uint64_t ns = 0;
    if (detection->kernels_recorded && from_ns < to_ns)
        xs_exposure_kernels(&detection->analysis->exposure, device, (struct xs_interval){from_ns, to_ns}, &ns);
    return ns;
}

uint64_t xs_device_memory(const struct xs_detection *detection, int32_t device) {
    const uint64_t *bytes = xs_hash_find(&detection->analysis->device_memory, (uint64_t)(uint32_t)device, 0);
    return bytes ? *bytes : 0;
}

bool xs_calls_are_missing(const struct xs_detection *detection) { return detection->analysis->calls_missing; }

int64_t xs_stream_of(const struct xs_detection *detection, int32_t stream) {
    return xs_stream_identity(&detection->analysis->streams, stream);
}

int64_t xs_legacy_stream(const struct xs_detection *detection, int32_t stream) {
    int64_t identity = xs_stream_of(detection, stream);
    return identity < 0 ? identity : 0;
}

bool xs_is_of_user(const struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_frame *frame = xs_site_frame(detection->analysis->findings, event->site);
    return !frame || xs_frame_is_users(frame);
}

static bool is_same(const char *a, const char *b) { return a && b && !strcmp(a, b); }

bool xs_are_in_one_function(const struct xs_detection *detection, uint32_t site, uint32_t other) {
    const struct xs_frame *a = xs_site_frame(detection->analysis->findings, site),
                          *b = xs_site_frame(detection->analysis->findings, other);
    return a && b && is_same(a->function, b->function) && is_same(a->file, b->file);
}

void xs_launched_at(struct xs_detection *detection, uint32_t site, uint32_t launched_at) {
    struct xs_finding *finding =
        xs_hash_pointer(&detection->analysis->builder.items, (uint64_t)detection->index << 32, site);
    if (finding)
        finding->launched_at = launched_at;
}

enum xs_framework xs_called_framework(const struct xs_detection *detection, const struct xs_trace_event *event) {
    return xs_site_framework(detection->analysis->findings->sites, event->site);
}

struct xs_account *xs_account_keep(struct xs_account *account) {
    if (account)
        account->references++;
    return account;
}

void xs_account_release(struct xs_analysis *analysis, struct xs_account *account) {
    xs_account_close(&analysis->accounts, account);
}

static uint64_t scaled(uint64_t value, double part) { return (uint64_t)((double)value * part + 0.5); }

struct xs_times xs_times_share(struct xs_times times, double part) {
    times.device_ns = scaled(times.device_ns, part);
    times.exposed_ns = scaled(times.exposed_ns, part);
    times.host_ns = scaled(times.host_ns, part);
    return times;
}

struct xs_times xs_times_less(struct xs_times times, uint64_t ns) {
    uint64_t of = times.device_known ? times.device_ns : times.host_ns;
    return xs_times_share(times, of > ns ? (double)(of - ns) / (double)of : 0);
}

bool xs_is_refusal(const struct xs_trace_event *event) {
    enum { OUT_OF_MEMORY = 2 }; /* CUresult */
    return event->u.api.category == XS_CAT_ALLOCATE && event->result == OUT_OF_MEMORY;
}

void xs_add_evidence(struct xs_instance *instance, enum xs_evidence_table table, int64_t row, const char *role) {
    if (row > 0 && instance->evidence_count < XS_EVIDENCE_ROWS)
        instance->evidence[instance->evidence_count++] = (struct xs_evidence){table, row, role};
}

/* Sets the fields one by one, which is faster, because this function runs more than once per transfer. Most of an
 * instance is evidence, and only the first `evidence_count` rows of it are set. */
void xs_instance_of(struct xs_instance *instance, const struct xs_trace_event *event, const char *role) {
    bool is_memset = event->on == XS_ON_MEMSET;
    instance->verdict = 0;
    instance->evidence_count = 0;
    instance->without_kernels = instance->neighbour = instance->held = false;
    instance->apart = (struct xs_times){0};
    instance->site = event->site;
    instance->at_ns = event->enter_ns;
    instance->cost = xs_event_times(event);
    if (event->on == XS_ON_WRITE_END) { /* the instance is about the write, not about the event that ended it */
        const struct xs_write *write = event->u.write_end.write;
        is_memset = write->kind == XS_WRITE_MEMSET;
        instance->at_ns = write->enter_ns;
        instance->cost = write->times;
        instance->bytes = write->bytes;
    } else if (event->on == XS_ON_DEVICE_INTERVAL) { /* it is about the interval's transfer, not about the interval */
        instance->at_ns = event->u.interval.call_ns;
        instance->cost.host_ns = event->u.interval.host_ns;
        instance->bytes = event->u.interval.bytes;
    } else {
        instance->bytes = is_memset ? event->u.memset.bytes : event->u.transfer.bytes;
    }
    instance->removable = instance->cost;
    instance->transfers = !is_memset;
    xs_add_evidence(instance, is_memset ? XS_EVIDENCE_MEMSET : XS_EVIDENCE_TRANSFER, event->id, role);
}

void xs_report_and_claim(struct xs_detection *detection, const struct xs_trace_event *event,
                         const struct xs_instance *instance) {
    xs_report_instance(detection, instance);
    xs_claim(detection, event->account, &instance->removable);
}

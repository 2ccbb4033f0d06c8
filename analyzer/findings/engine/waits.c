/* Keeps the latest copy of each thread; see waits.h. */
#include "analyzer/findings/engine/waits.h"

#include "analyzer/trace/scan.h"

/* An asynchronous copy that is the latest call of its thread. */
struct last_copy {
    struct xs_trace_event copy; /* a reference to its account is held */
    bool is_recorded;
    uint64_t recorded; /* handle of the event that was recorded after the copy; set if is_recorded */
};

static int read_contexts(struct xs_waits *waits, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT id, handle FROM context", message, damaged);
    while (xs_scan_row(&scan))
        if (xs_scan_int(&scan, 0) > 0)
            *xs_hash_put(&waits->contexts, (uint64_t)xs_scan_int(&scan, 1), 0) = (uint64_t)xs_scan_int(&scan, 0);
    return xs_scan_end(&scan);
}

int xs_waits_begin(struct xs_waits *waits, const struct xs_trace *trace, struct xs_accounts *accounts,
                   const struct xs_streams *streams, bool wanted, char *message, uint64_t *damaged) {
    *waits = (struct xs_waits){.wanted = wanted, .accounts = accounts, .streams = streams};
    return wanted ? read_contexts(waits, trace, message, damaged) : XS_OK;
}

void xs_waits_end(struct xs_waits *waits) {
    xs_hash_free(&waits->contexts);
    xs_hash_free(&waits->threads);
    *waits = (struct xs_waits){0};
}

static struct last_copy *of_thread(const struct xs_waits *waits, int32_t thread) {
    return xs_hash_pointer(&waits->threads, (uint32_t)thread, 0);
}

static bool is_same_stream(const struct xs_waits *waits, int32_t a, int32_t b) {
    return a != 0 && (a == b || xs_stream_identity(waits->streams, a) == xs_stream_identity(waits->streams, b));
}

/* Returns the context that a wait is for: the context that it names, or the current one. */
static uint64_t waited_context(const struct xs_waits *waits, const struct xs_trace_event *wait) {
    if (!wait->u.sync.object)
        return (uint64_t)wait->context;
    const uint64_t *context = xs_hash_find(&waits->contexts, wait->u.sync.object, 0);
    return context ? *context : 0;
}

const struct xs_trace_event *xs_waits_look(const struct xs_waits *waits, const struct xs_trace_event *wait) {
    const struct last_copy *last = of_thread(waits, wait->thread);
    if (!last || !wait->ran)
        return NULL;
    const struct xs_trace_event *copy = &last->copy;
    bool is_for_it = false;
    switch (wait->u.sync.scope) {
    case XS_SYNC_CONTEXT:
        is_for_it = copy->context && waited_context(waits, wait) == (uint64_t)copy->context;
        break;
    case XS_SYNC_STREAM:
        is_for_it = is_same_stream(waits, wait->stream, copy->stream);
        break;
    case XS_SYNC_EVENT:
        is_for_it = last->is_recorded && last->recorded == wait->u.sync.object;
        break;
    }
    return is_for_it ? copy : NULL;
}

static void forget(struct xs_waits *waits, struct last_copy *last) {
    xs_account_close(waits->accounts, last->copy.account);
    xs_hash_remove(&waits->threads, (uint32_t)last->copy.thread, 0);
}

void xs_waits_pass(struct xs_waits *waits, const struct xs_trace_event *event) {
    if (!waits->wanted || event->on == XS_ON_MIGRATION)
        return;
    struct last_copy *last = of_thread(waits, event->thread);
    bool is_copy = (xs_is_upload(event) || xs_is_download(event)) && event->ran && event->is_async;
    /* a record of an event after the copy is the first half of a wait for the copy */
    if (last && event->on == XS_ON_API && event->ran && event->u.api.traits & XS_TRAIT_RECORDS_EVENT &&
        is_same_stream(waits, event->stream, last->copy.stream)) {
        last->is_recorded = true;
        last->recorded = event->u.api.object;
        return;
    }
    if (last && !is_copy)
        forget(waits, last);
    if (!is_copy)
        return;
    if (event->account)
        event->account->references++;
    if (last) /* in the usual case one copy follows another, and the entry is used again */
        xs_account_close(waits->accounts, last->copy.account);
    else
        last = xs_hash_item(&waits->threads, (uint32_t)event->thread, 0, sizeof *last);
    last->copy = *event;
    last->copy.u.transfer.region = NULL;
    last->is_recorded = false;
}

void xs_waits_forget(struct xs_waits *waits) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&waits->threads, entry));)
        xs_account_close(waits->accounts, ((const struct last_copy *)(uintptr_t)entry->value)->copy.account);
    xs_hash_free(&waits->threads);
}

/* Records page migrations of managed memory: enables CUPTI's counters, and keeps the list of the windows in which they
 * were recorded. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/notes.h"
#include "preload/cupti/cupti_internal.h"
#include "preload/cupti/migration_budget.h"

#define SOON_MS 5u /* used after managed memory was allocated, because recording may soon have to stop */

/* Recording of migrations begins only when the program first allocates managed memory, because counters that run while
 * nothing migrates make cuptiFinalize wait for two seconds (CUPTI 13.0). */
static bool wanted, bounded;      /* wanted: migrations have to be recorded; bounded: only as the budget allows */
static _Atomic bool begun, works; /* begun: enabling the counters was tried; works: with success */
static struct xs_migration_budget budget;
static _Atomic bool hurry;                        /* managed memory was allocated, so migrations may begin */
static _Atomic uint64_t decoded, decoded_cost_ns; /* records that are no longer in a queued buffer, and their cost */
static _Atomic uint64_t cost_ns;

static CUptiResult configure(bool on) {
    static const CUpti_ActivityUnifiedMemoryCounterKind counters[] = {
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
        /* these are missing in some versions and platforms */
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD,
    };
    enum { ALL = sizeof counters / sizeof counters[0], BASIC = 4 };
    CUpti_ActivityUnifiedMemoryCounterConfig config[ALL];
    memset(config, 0, sizeof config);
    for (unsigned i = 0; i < ALL; i++) {
        config[i].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES;
        config[i].kind = counters[i];
        config[i].enable = on;
    }
    if (!xs_cupti_api.cuptiActivityConfigureUnifiedMemoryCounter)
        return CUPTI_ERROR_NOT_SUPPORTED;
    CUptiResult result = xs_cupti_api.cuptiActivityConfigureUnifiedMemoryCounter(config, ALL);
    if (result == CUPTI_ERROR_INVALID_PARAMETER)
        result = xs_cupti_api.cuptiActivityConfigureUnifiedMemoryCounter(config, BASIC);
    return result;
}

static CUptiResult switch_records(bool on) {
    CUptiResult result = on ? configure(true) : CUPTI_SUCCESS;
    if (result == CUPTI_SUCCESS)
        result = xs_cupti_switch_kind(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, on);
    if (!on)
        configure(false);
    return result;
}

uint64_t xs_cupti_migrations_cost_ns(void) { return atomic_load(bounded ? &cost_ns : &decoded_cost_ns); }

static void switch_by_budget(void) {
    uint64_t before_ns = xs_monotonic_ns(), cpu_ns = xs_thread_cpu_ns();
    switch_records(budget.on);
    xs_migration_budget_switched(&budget, before_ns, xs_monotonic_ns(), xs_thread_cpu_ns() - cpu_ns);
}

void xs_cupti_start_migrations(const struct xs_cupti_wishes *wishes, uint64_t now_ns) {
    wanted = strcmp(wishes->migrations, "off") != 0;
    bounded = strcmp(wishes->migrations, "auto") == 0;
    xs_migration_budget_start(&budget, wishes->migrations_permille, now_ns);
}

void xs_cupti_managed_memory(void) {
    atomic_store(&hurry, true);
    if (!wanted || atomic_load(&begun) || !xs_cupti_is_active() || !xs_cupti_enter())
        return;
    if (xs_cupti_is_active() && !atomic_exchange(&begun, true)) {
        CUptiResult result = xs_cupti_is_attached() ? switch_records(true) : CUPTI_ERROR_NOT_INITIALIZED;
        atomic_store(&works, result == CUPTI_SUCCESS);
        budget.on &= result == CUPTI_SUCCESS;
        if (result != CUPTI_SUCCESS)
            xs_note("cupti", "page migrations are not recorded: %s",
                    xs_cupti_is_attached() ? xs_cupti_result_text(result)
                                           : "device times had been stopped before the first managed memory");
    }
    xs_cupti_leave();
}

bool xs_cupti_has_migrations(void) { return atomic_load(&works); }

void xs_cupti_migrations_decoded(const struct xs_cupti_buffer *buffer) {
    atomic_fetch_add(&decoded, buffer->migrations.records);
    atomic_fetch_add(&decoded_cost_ns, buffer->migrations.cost_ns);
}

void xs_cupti_migrations_queued(const struct xs_cupti_buffer *buffer) {
    atomic_fetch_sub(&decoded, buffer->migrations.records);
    atomic_fetch_sub(&decoded_cost_ns, buffer->migrations.cost_ns);
}

/* Counts the records so far, including those that are not yet drained, because they have already cost their time.
 * The calling thread is inside (cupti_internal.h). */
static struct xs_migration_tally migration_records(void) {
    struct xs_cupti_decoder reader = {.next_record = xs_cupti_next_record(), .version = xs_cupti_api.version};
    struct xs_migration_tally queued = xs_cupti_buffers_migrations(&reader);
    return (struct xs_migration_tally){atomic_load(&decoded) + queued.records,
                                       atomic_load(&decoded_cost_ns) + queued.cost_ns};
}

/* Adds the budget's figures to the session's state. The calling thread is inside. */
static void note_migrations(struct xs_cupti_state *state) {
    state->migrations_ns = xs_migration_budget_recorded_ns(&budget, xs_monotonic_ns());
    state->migration_rests = budget.rests;
    state->migration_switches_ns = budget.switches_ns;
    state->migration_switches_cpu_ns = budget.switches_cpu_ns;
}

void xs_cupti_stop_migrations(void) {
    if (!atomic_exchange(&works, false))
        return;
    if (budget.on)
        switch_records(false);
    xs_migration_budget_end(&budget, xs_monotonic_ns());
    budget.rests++;
    xs_cupti_note(note_migrations);
}

/* The calling thread is inside. */
static unsigned watch_migrations(uint64_t now_ns) {
    static uint64_t records_before, grown_ns;
    struct xs_migration_tally records = migration_records();
    if (xs_migration_budget_switch(&budget, now_ns, records)) {
        switch_by_budget();
        xs_cupti_note(note_migrations);
    }
    atomic_store(&cost_ns, budget.spent_ns);
    if (records.records != records_before || atomic_exchange(&hurry, false))
        grown_ns = now_ns;
    records_before = records.records;
    unsigned wait_ms = xs_migration_budget_wait_ms(&budget, xs_monotonic_ns()); /* read again: switching it takes ms */
    return wait_ms || now_ns - grown_ns >= UINT64_C(1000000000) ? wait_ms : SOON_MS;
}

unsigned xs_cupti_watch_migrations(void) {
    if (!xs_cupti_is_active() || !bounded || !atomic_load(&works) || !xs_cupti_enter())
        return 0;
    unsigned wait_ms = xs_cupti_is_active() && atomic_load(&works) ? watch_migrations(xs_monotonic_ns()) : 0;
    xs_cupti_leave();
    return wait_ms;
}

/* The calling thread is inside. */
void xs_cupti_end_migrations(void) {
    xs_cupti_note(note_migrations);
    xs_migration_budget_end(&budget, xs_monotonic_ns());
}

const char *xs_cupti_migration_windows(const struct xs_clock *clock) {
    static char *text;
    text = text ? text : malloc(XS_WINDOWS_TEXT_BYTES);
    if (!bounded || (atomic_load(&begun) && !atomic_load(&works) && !budget.windows.ended) || !text ||
        !xs_cupti_enter())
        return NULL;
    xs_window_list_text(&budget.windows, clock, text, XS_WINDOWS_TEXT_BYTES);
    xs_cupti_leave();
    return text;
}

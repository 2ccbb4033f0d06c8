/* Writes facts about CUPTI and the recorded windows into the trace; see window_metadata.h. */
#include "preload/session/window_metadata.h"

#include <stdio.h>
#include <string.h>

#include "preload/core/call_windows.h"
#include "preload/core/own_cost.h"
#include "preload/cupti/cupti.h"
#include "preload/repair/repair.h"
#include "preload/session/asked_steps.h"
#include "preload/session/drain_placement.h"
#include "preload/session/redact_session.h"

#define WINDOWS_EVERY_NS UINT64_C(500000000)

/* The values that were last written into the trace. Only the drain thread uses them. */
static struct {
    uint64_t windows_ns, recorded_ns; /* CUPTI's windows */
    uint64_t ranges_ns, ranges, repairs_ns, migration_rests;
} written = {.ranges = UINT64_MAX}; /* no list was written */

/* Returns the text, or a placeholder if it has to be hidden, because it may contain a value of the environment. */
static const char *unless_hidden(const struct xs_options *options, const char *text) {
    bool hide =
        text && (xs_redact_hides("XFERSPY_CUPTI_LIBRARY", options->cupti_library) || xs_redact_hides(NULL, text));
    return hide ? XS_REDACT_HIDDEN : text;
}

static void write_migrations(const struct xs_window_facts *facts, struct xs_store *store,
                             const struct xs_cupti_state *cupti) {
    xs_store_meta_int(store, "cost.migrations_ns", (int64_t)xs_cupti_migrations_cost_ns());
    if (strcmp(facts->options->migrations, "auto") != 0)
        return;
    xs_store_meta_int(store, "cupti.migrations_ns", (int64_t)cupti->migrations_ns);
    xs_store_meta_int(store, "cupti.migration_rests", cupti->migration_rests);
    xs_store_meta_int(store, "cost.migration_switches_ns", (int64_t)cupti->migration_switches_ns);
    xs_store_meta_int(store, "cost.migration_switches_cpu_ns", (int64_t)cupti->migration_switches_cpu_ns);
    xs_store_meta_text(store, "cupti.migration_windows", xs_cupti_migration_windows(facts->clock));
}

static void write_windows(const struct xs_window_facts *facts, struct xs_store *store,
                          const struct xs_cupti_state *cupti) {
    xs_store_meta_int(store, "cost.begin_ns", (int64_t)facts->begin_ns);
    xs_store_meta_int(store, "cost.wrappers_ns", (int64_t)xs_own_cost_ns());
    xs_store_meta_int(store, "cost.contention_ns", (int64_t)xs_drain_contention_ns());
    if (strcmp(cupti->status, "off") == 0)
        return;
    xs_store_meta_int(store, "cost.cupti_ns", (int64_t)cupti->windows_cost_ns);
    xs_store_meta_int(store, "cost.cupti_switches_ns", (int64_t)cupti->switches_ns);
    xs_store_meta_int(store, "cost.cupti_call_percent", cupti->call_cost_percent);
    xs_store_meta_int(store, "cupti.detachments", cupti->detachments);
    xs_store_meta_text(store, "cupti.windows", xs_cupti_windows(facts->clock));
}

static void write_ranges(const struct xs_window_facts *facts, struct xs_store *store, bool is_last) {
    static char text[XS_OUTSIDE_TEXT_BYTES];
    if (!xs_outside_is_limited())
        return;
    xs_outside_text(facts->clock, text); /* before the count is read: the list never has more windows than that */
    struct xs_outside_windows windows = xs_outside_windows();
    struct xs_gate_counts counts = xs_gate_counts();
    written.ranges = windows.count;
    if (xs_options_is_ledger(facts->options)) {
        xs_store_meta_int(store, "ledger.summed_ns", (int64_t)windows.summed_ns);
    } else { /* the store of a ledger drops parts, and writes those that are left */
        xs_store_meta_text(store, "range.windows", text);
        xs_store_meta_int(store, "range.count", (int64_t)windows.count);
        xs_store_meta_int(store, "range.recorded_ns", (int64_t)windows.recorded_ns);
    }
    xs_store_meta_int(store, "range.left_out_transfers", (int64_t)counts.left_out[XS_LEFT_OUT_TRANSFER]);
    xs_store_meta_int(store, "range.left_out_memsets", (int64_t)counts.left_out[XS_LEFT_OUT_MEMSET]);
    xs_store_meta_int(store, "range.left_out_launches", (int64_t)counts.left_out[XS_LEFT_OUT_LAUNCH]);
    xs_store_meta_int(store, "range.left_out_others", (int64_t)counts.left_out[XS_LEFT_OUT_OTHER]);
    xs_asked_steps_write(facts->clock, store, is_last);
}

void xs_window_facts_write_ranges(const struct xs_window_facts *facts, struct xs_store *store) {
    write_ranges(facts, store, true);
}

void xs_window_facts_write_cupti(const struct xs_window_facts *facts, struct xs_store *store) {
    const struct xs_cupti_state *cupti = xs_cupti_state();
    xs_store_meta_text(store, "cupti.status", cupti->status);
    xs_store_meta_text(store, "cupti.path", unless_hidden(facts->options, cupti->path));
    xs_store_meta_text(store, "cupti.text", unless_hidden(facts->options, *cupti->text ? cupti->text : NULL));
    xs_store_meta_int(store, "cupti.version", cupti->version);
    xs_store_meta_int(store, "cupti.kernels", facts->options->kernels && strcmp(cupti->status, "active") == 0);
    write_migrations(facts, store, cupti);
    write_windows(facts, store, cupti);
    xs_store_meta_int(store, "cupti.dropped_records", (int64_t)cupti->dropped_records);
    xs_store_meta_int(store, "cost.cupti_start_ns", (int64_t)cupti->start_ns);
}

/* True while a program sleeps until the next command (XFERSPY_START=off). Only the counts of the calls that are left
 * out change then. They are written later, because a sleeping program must not write to the disk every second. */
static bool is_asleep(const struct xs_window_facts *facts) {
    return !facts->options->start && atomic_load(&xs_outside) && xs_outside_windows().count == written.ranges;
}

static void write_ranges_in_between(const struct xs_window_facts *facts, struct xs_store *store) {
    if (xs_outside_is_limited() && !is_asleep(facts) && xs_monotonic_ns() - written.ranges_ns >= WINDOWS_EVERY_NS) {
        written.ranges_ns = xs_monotonic_ns();
        write_ranges(facts, store, false);
    }
}

static void write_windows_in_between(const struct xs_window_facts *facts, struct xs_store *store) {
    const struct xs_cupti_state *cupti = xs_cupti_state();
    if (cupti->recorded_ns > written.recorded_ns && xs_monotonic_ns() - written.windows_ns >= WINDOWS_EVERY_NS) {
        written.windows_ns = xs_monotonic_ns();
        written.recorded_ns = cupti->recorded_ns;
        write_windows(facts, store, cupti);
    }
    if (cupti->migration_rests > written.migration_rests) {
        written.migration_rests = cupti->migration_rests + cupti->migration_rests / 8;
        write_migrations(facts, store, cupti);
    }
}

/* Writes the number of repairs even if none is on, because XFERSPY_REPAIR may have contained a wrong name. */
void xs_window_facts_write_repairs(const struct xs_window_facts *facts, struct xs_store *store) {
    struct xs_repair_made made[XS_REPAIRS_MOST];
    char key[64];
    if (!facts->options->repair[0])
        return;
    unsigned count = xs_repair_made(made);
    for (unsigned i = 0; i < count; i++) {
        snprintf(key, sizeof key, "repair.%s.made", made[i].name);
        xs_store_meta_int(store, key, (int64_t)made[i].made);
        snprintf(key, sizeof key, "repair.%s.bytes", made[i].name);
        xs_store_meta_int(store, key, (int64_t)made[i].bytes);
    }
    xs_store_meta_int(store, "repair.on", count);
}

static void write_repairs_in_between(const struct xs_window_facts *facts, struct xs_store *store) {
    if (facts->options->repair[0] && xs_monotonic_ns() - written.repairs_ns >= WINDOWS_EVERY_NS) {
        written.repairs_ns = xs_monotonic_ns();
        xs_window_facts_write_repairs(facts, store);
    }
}

void xs_window_facts_write_in_between(const struct xs_window_facts *facts, struct xs_store *store) {
    write_windows_in_between(facts, store);
    write_ranges_in_between(facts, store);
    write_repairs_in_between(facts, store);
}

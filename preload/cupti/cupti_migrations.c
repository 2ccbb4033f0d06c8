/* Page migrations of managed memory: which of CUPTI's counters are recorded, and when recording stops for a while. */
#include <string.h>

#include "preload/cupti/cupti_internal.h"
#include "preload/cupti/migration_budget.h"

CUptiResult xs_cupti_configure_migrations(const struct xs_cupti_api *api, bool on) {
    static const CUpti_ActivityUnifiedMemoryCounterKind counters[] = {
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
        /* not every version and platform has the rest */
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
    if (!api->cuptiActivityConfigureUnifiedMemoryCounter)
        return CUPTI_ERROR_NOT_SUPPORTED;
    CUptiResult result = api->cuptiActivityConfigureUnifiedMemoryCounter(config, ALL);
    if (result == CUPTI_ERROR_INVALID_PARAMETER)
        result = api->cuptiActivityConfigureUnifiedMemoryCounter(config, BASIC);
    return result;
}

/* On an H100 each record made the program 4 to 5 us slower, whichever counters were asked for. */
#define COST_NS UINT64_C(5000)
#define SHARE_PERCENT 2
/* What may be spent before the share has grown to it. */
#define ADVANCE_NS UINT64_C(5000000)
/* Migrations are understood in sequence, so a rest is long enough for a long stretch after it. */
#define STRETCH_NS UINT64_C(30000000)

void xs_migration_budget_start(struct xs_migration_budget *b, uint64_t now_ns) {
    *b = (struct xs_migration_budget){.start_ns = now_ns, .since_ns = now_ns, .on = true};
}

bool xs_migration_budget_turn(struct xs_migration_budget *b, uint64_t now_ns, uint64_t records) {
    uint64_t spent = records * COST_NS, allowed = (now_ns - b->start_ns) * SHARE_PERCENT / 100 + ADVANCE_NS;
    bool on = b->on ? spent <= allowed : spent + STRETCH_NS <= allowed;
    if (on == b->on)
        return false;
    if (b->on)
        b->recorded_ns += now_ns - b->since_ns;
    b->rests += b->on;
    b->since_ns = now_ns;
    b->on = on;
    return true;
}

uint64_t xs_migration_budget_recorded_ns(const struct xs_migration_budget *b, uint64_t now_ns) {
    return b->recorded_ns + (b->on ? now_ns - b->since_ns : 0);
}

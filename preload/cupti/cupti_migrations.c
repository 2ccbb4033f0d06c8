/* Page migrations of managed memory: which of CUPTI's counters are recorded, and the windows in which they were. */
#include <stdio.h>
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

void xs_cupti_turn_migrations(const struct xs_cupti_api *api, struct xs_migration_budget *budget) {
    uint64_t before_ns = xs_monotonic_ns(), cpu_ns = xs_thread_cpu_ns();
    if (budget->on) {
        xs_cupti_configure_migrations(api, true);
        api->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
    } else {
        api->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
        xs_cupti_configure_migrations(api, false);
    }
    xs_migration_budget_turned(budget, before_ns, xs_monotonic_ns(), xs_thread_cpu_ns() - cpu_ns);
}

size_t xs_cupti_windows_text(const struct xs_migration_budget *budget, const struct xs_clock *clock, char *text,
                             size_t bytes) {
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < budget->window_count; i++) {
        const struct xs_migration_window *w = &budget->windows[i];
        int64_t start = xs_clock_from_monotonic(clock, w->start_ns);
        int written = snprintf(text + length, bytes - length, "%s%lld+%llu", i ? "," : "",
                               (long long)(start > 0 ? start / 1000 : 0), (unsigned long long)w->length_ns / 1000);
        if (written < 0 || length + (size_t)written >= bytes) {
            text[length] = 0;
            break;
        }
        length += (size_t)written;
    }
    return length;
}

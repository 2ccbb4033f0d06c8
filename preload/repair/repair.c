/* Starts and ends the repairs. */
#include "preload/repair/repair.h"

#include <stdio.h>
#include <string.h>

#include "preload/driver/real.h"
#include "preload/repair/repair_hooks_internal.h"
#include "preload/repair/repair_plan.h"

const struct xs_repair_row xs_repair_rows[XS_REPAIR_COUNT] = {
#define XS_REPAIR(id, symbol, name, what) {name, what, &xs_repair_##symbol},
#include "schema/repairs.def"
#undef XS_REPAIR
};

static char log_path[4200];
static bool is_started;

/* Marks the repairs that the list names. False: a name is unknown, and copied to `unknown`. */
static bool read_names(const char *names, bool wished[XS_REPAIR_COUNT], char unknown[64]) {
    while (*names) {
        size_t n = strcspn(names, ",");
        bool is_known = n == 0;
        for (unsigned i = 0; i < XS_REPAIR_COUNT; i++) {
            bool is_all = n == 3 && strncmp(names, "all", 3) == 0;
            bool is_meant = (is_all && !xs_repair_rows[i].repair->is_for_trials) ||
                            (strlen(xs_repair_rows[i].name) == n && !strncmp(names, xs_repair_rows[i].name, n));
            wished[i] |= is_meant;
            is_known |= is_meant || is_all;
        }
        if (!is_known) {
            snprintf(unknown, 64, "%.*s", (int)(n < 60 ? n : 60), names);
            return false;
        }
        names += n + (names[n] == ',');
    }
    return true;
}

/* Writes "drop-uploads, stay-on-device, ...". */
static void list_names(char *names, size_t bytes) {
    size_t length = 0;
    for (unsigned i = 0; i < XS_REPAIR_COUNT && length < bytes; i++)
        length += (size_t)snprintf(names + length, bytes - length, "%s%s", i ? ", " : "", xs_repair_rows[i].name);
}

static void start_one(unsigned i, bool is_recorded, void (*complain)(const char *message)) {
    const struct xs_repair_hooks *repair = xs_repair_rows[i].repair;
    const char *why = NULL;
    if (repair->is_for_trials && (xs_plan_mode == XS_PLAN_ABSENT || is_recorded)) {
        why = "only `xferspy try' makes it, because it needs a plan and a run without capture";
    } else if (!repair->start || repair->start(&why)) {
        xs_repairs_on[i] = repair;
        return;
    }
    char text[256];
    xs_repair_tallies[i].off = why ? why : "it does not work here";
    snprintf(text, sizeof text, "the repair %s is off: %s", xs_repair_rows[i].name, xs_repair_tallies[i].off);
    complain(text);
}

void xs_repair_start(const struct xs_repair_wishes *wishes, void (*complain)(const char *message)) {
    bool wished[XS_REPAIR_COUNT] = {false};
    char unknown[64], why[256], text[400], names[200];
    if (!wishes->names[0] || is_started)
        return;
    if (!read_names(wishes->names, wished, unknown)) {
        list_names(names, sizeof names);
        snprintf(text, sizeof text, "nothing is repaired: XFERSPY_REPAIR has '%s', which is none of %s and all",
                 unknown, names);
        complain(text);
        return;
    }
    if (wishes->plan[0] && !xs_plan_read(wishes->plan, why)) {
        snprintf(text, sizeof text, "nothing is repaired: %s", why);
        complain(text);
        return;
    }
    is_started = true;
    snprintf(log_path, sizeof log_path, "%s", wishes->log);
    xs_repair_budget_bytes = wishes->budget_bytes;
    for (unsigned row = 0; row < XS_ROW_COUNT; row++)
        xs_repair_beneath[row] = xs_real[row];
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++)
        if (wished[i])
            start_one(i, wishes->is_recorded, complain);
    xs_around_install();
}

void xs_repair_finish(void (*say)(const char *message)) {
    static _Atomic bool is_finished;
    if (!is_started || atomic_load(&xs_around_is_off) || atomic_exchange(&is_finished, true))
        return;
    /* Other threads may continue to call. So the repairs first stop holding calls back, and then give the driver the
     * calls that they still hold back. Only after that do calls go straight to the driver. */
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++)
        if (xs_repairs_on[i] && xs_repairs_on[i]->finish)
            xs_repairs_on[i]->finish();
    xs_repair_settle();
    atomic_store(&xs_around_is_off, true);
    xs_repair_write_log(log_path);
    xs_repair_say(say);
}

unsigned xs_repair_made(struct xs_repair_made made[XS_REPAIRS_MOST]) {
    _Static_assert((int)XS_REPAIR_COUNT <= (int)XS_REPAIRS_MOST, "the trace has all repairs");
    unsigned count = 0;
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++) {
        if (xs_repairs_on[i]) {
            made[count++] = (struct xs_repair_made){.name = xs_repair_rows[i].name,
                                                    .made = atomic_load(&xs_repair_tallies[i].applied),
                                                    .bytes = atomic_load(&xs_repair_tallies[i].bytes)};
        }
    }
    return count;
}

void xs_repair_forget(void) {
    if (is_started)
        atomic_store(&xs_around_is_off, true);
}

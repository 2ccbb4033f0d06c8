/* Decides in which windows of a run page migrations are recorded; see migration_budget.h. */
#include "preload/cupti/migration_budget.h"

#include "preload/cupti/random.h"

/* The most time that may be saved. It is also the time that may be spent on the first migrations. */
#define ADVANCE_NS INT64_C(4000000)

/* A single migration says little without those before and after it, so a window must contain many. On an H100 a window
 * is longer than this, because CUPTI takes 20 ms to switch recording on, and already records during this time, and 20
 * ms to hand over the records. */
#define WINDOW_NS UINT64_C(8000000)
#define WINDOW_RECORDS 1000u
#define POLL_MS 1u
/* The assumed cost of a window, before one was measured. */
#define WINDOW_COST_NS UINT64_C(2000000)
#define LEAST_GAP_NS UINT64_C(4000000)
/* After this long without a record, recording stays on until it costs too much. */
#define QUIET_NS UINT64_C(1000000000)

void xs_migration_budget_start(struct xs_migration_budget *b, unsigned permille, uint64_t now_ns) {
    *b = (struct xs_migration_budget){.on = true,
                                      .permille = permille,
                                      .saved_ns = ADVANCE_NS,
                                      .start_ns = now_ns,
                                      .since_ns = now_ns,
                                      .at_ns = now_ns,
                                      .grown_ns = now_ns,
                                      .window_cost_ns = WINDOW_COST_NS,
                                      .random = UINT64_C(0x9e3779b97f4a7c15)};
}

static void spend(struct xs_migration_budget *b, uint64_t ns) {
    b->saved_ns -= (int64_t)ns;
    b->spent_ns += ns;
}

/* Adds the share of the time since the last call to the saved time, and subtracts the cost of the new records. */
static void account(struct xs_migration_budget *b, uint64_t now_ns, struct xs_migration_tally records) {
    b->saved_ns += (int64_t)((now_ns - b->at_ns) * b->permille / 1000);
    if (b->saved_ns > ADVANCE_NS)
        b->saved_ns = ADVANCE_NS;
    if (records.records > b->seen.records) {
        b->grown_ns = now_ns;
        b->seen.records = records.records;
    }
    if (records.cost_ns > b->seen.cost_ns) {
        spend(b, records.cost_ns - b->seen.cost_ns);
        b->seen.cost_ns = records.cost_ns;
    }
    /* The first migrations become known so late that they may cost a multiple of the saved time. If so much time had to
     * be saved again first, much of the run would pass without a window. */
    if (b->is_first_rest && b->saved_ns < 0)
        b->saved_ns = 0;
    b->at_ns = now_ns;
}

/* Sets the next window. Its mean distance is the time to save a window's cost, plus a tenth for windows that cost more
 * than the last ones did. The distance is a quarter to seven quarters of the mean. */
static void set_next_window(struct xs_migration_budget *b, uint64_t now_ns) {
    uint64_t mean = b->window_cost_ns * 1000 / b->permille * 11 / 10;
    if (mean < LEAST_GAP_NS)
        mean = LEAST_GAP_NS;
    b->next_ns = now_ns + mean / 4 + xs_random_below(&b->random, mean * 3 / 2);
}

static bool may_be_on(const struct xs_migration_budget *b, uint64_t now_ns) {
    bool last_was_empty = b->seen.records == b->begun.records; /* no records are made while recording is off */
    return last_was_empty && now_ns - b->grown_ns >= QUIET_NS && b->saved_ns >= ADVANCE_NS &&
           b->spent_ns <= (now_ns - b->start_ns) * b->permille / 1000;
}

static bool is_to_be_off(const struct xs_migration_budget *b, uint64_t now_ns) {
    if (!b->samples)
        return b->saved_ns < 0;
    return now_ns - b->since_ns >= WINDOW_NS || b->seen.records - b->begun.records >= WINDOW_RECORDS;
}

static bool is_to_be_on(struct xs_migration_budget *b, uint64_t now_ns) {
    if (now_ns < b->next_ns)
        return false;
    if (b->saved_ns >= 0)
        return true;
    uint64_t debt_ns = (uint64_t)-b->saved_ns * 1000 / b->permille;
    b->next_ns = now_ns + debt_ns + xs_random_below(&b->random, b->window_cost_ns * 1000 / b->permille);
    return false;
}

bool xs_migration_budget_switch(struct xs_migration_budget *b, uint64_t now_ns, struct xs_migration_tally records) {
    account(b, now_ns, records);
    if (b->on ? !is_to_be_off(b, now_ns) : !is_to_be_on(b, now_ns))
        return false;
    b->on = !b->on;
    if (b->on) {
        if (!b->is_first_rest) /* records of the last window that arrived after its end */
            b->window_cost_ns += (b->seen.cost_ns - b->ended_cost_ns) / 4;
        b->is_first_rest = false;
        b->samples = !may_be_on(b, now_ns);
        b->begun = b->seen;
    } else {
        uint64_t cost = b->seen.cost_ns - b->begun.cost_ns + 2 * b->switch_ns;
        b->ended_cost_ns = b->seen.cost_ns;
        b->window_cost_ns = b->samples ? b->window_cost_ns - b->window_cost_ns / 4 + cost / 4 : WINDOW_COST_NS;
        b->is_first_rest = !b->samples;
        b->samples = true;
        b->rests++;
        set_next_window(b, now_ns);
    }
    return true;
}

void xs_migration_budget_switched(struct xs_migration_budget *b, uint64_t before_ns, uint64_t after_ns,
                                  uint64_t cpu_ns) {
    spend(b, cpu_ns);
    b->switches_ns += after_ns - before_ns;
    b->switches_cpu_ns += cpu_ns;
    if (b->on) {
        b->switch_ns = cpu_ns;
        b->since_ns = before_ns; /* an H100 already records during the 20 ms that switching it on takes */
    } else {
        xs_window_list_add(&b->windows, b->since_ns, before_ns);
    }
}

unsigned xs_migration_budget_wait_ms(const struct xs_migration_budget *b, uint64_t now_ns) {
    if (b->on)
        return b->samples ? POLL_MS : 0;
    return now_ns < b->next_ns ? (unsigned)((b->next_ns - now_ns) / 1000000 + 1) : 1;
}

uint64_t xs_migration_budget_recorded_ns(const struct xs_migration_budget *b, uint64_t now_ns) {
    return b->windows.recorded_ns + (b->on && now_ns > b->since_ns ? now_ns - b->since_ns : 0);
}

void xs_migration_budget_end(struct xs_migration_budget *b, uint64_t now_ns) {
    if (b->on)
        xs_window_list_add(&b->windows, b->since_ns, now_ns);
    b->on = false;
}

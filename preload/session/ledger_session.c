/* Decides when a ledger is rolled up, how large it may be, and whether calls outside of its parts are recorded; see
 * ledger_session.h. */
#include "preload/session/ledger_session.h"

#include <stdbool.h>

#include "preload/core/call_windows.h"
#include "preload/core/own_cost.h"
#include "preload/cupti/flusher.h"
#include "schema/write/store_ledger.h"

#define MINUTE_NS UINT64_C(60000000000)
#define FIRST_NS UINT64_C(2000000000)
#define HOUR_NS UINT64_C(3600000000000)
#define HOUR_BYTES (UINT64_C(2) << 20)
/* Calls outside of the parts are recorded for their sums until recording calls has cost more than ADVANCE_NS plus
 * MOST_PERMYRIAD of the run, or until everything together has cost more than ADVANCE_OF_ALL_NS plus
 * MOST_OF_ALL_PERMYRIAD of the run. They are recorded again when recording calls has cost no more than ADVANCE_NS plus
 * AGAIN_PERMYRIAD of the run, and everything together no more than its limit. The parts are recorded whatever they
 * cost. */
#define MOST_PERMYRIAD 25u
#define AGAIN_PERMYRIAD 20u
#define MOST_OF_ALL_PERMYRIAD 45u
#define ADVANCE_NS UINT64_C(10000000)
#define ADVANCE_OF_ALL_NS                                                                                              \
    UINT64_C(300000000) /* half a percent of the first minute, which has more parts than a later one */

static struct {
    uint64_t start_ns, roll_up_ns; /* CLOCK_MONOTONIC */
    uint64_t period_ns;
    bool is_counting;
} ledger;

int xs_ledger_session_start(struct xs_store *store) {
    ledger.start_ns = xs_monotonic_ns();
    ledger.period_ns = FIRST_NS;
    ledger.roll_up_ns = ledger.start_ns + FIRST_NS;
    return xs_store_ledger_start(store);
}

int xs_ledger_session_tell(struct xs_store *store, const struct xs_clock *clock) {
    struct xs_outside_windows windows = xs_outside_windows();
    if (!windows.to_ns && xs_store_ledger_part_is_full(store, windows.count)) {
        xs_outside_end_window();
        xs_flusher_look();
        windows = xs_outside_windows();
    }
    int64_t to_ns = windows.to_ns ? xs_clock_from_monotonic(clock, windows.to_ns) : INT64_MAX;
    return windows.count
               ? xs_store_ledger_part(store, windows.count, xs_clock_from_monotonic(clock, windows.from_ns), to_ns)
               : XS_OK;
}

void xs_ledger_session_bound(uint64_t calls_ns, uint64_t all_ns) {
    uint64_t ran_ns = xs_monotonic_ns() - ledger.start_ns;
    uint64_t share = ledger.is_counting ? AGAIN_PERMYRIAD : MOST_PERMYRIAD;
    bool counts = calls_ns > ran_ns / 10000 * share + ADVANCE_NS ||
                  all_ns > ran_ns / 10000 * MOST_OF_ALL_PERMYRIAD + ADVANCE_OF_ALL_NS;
    if (counts != ledger.is_counting) {
        ledger.is_counting = counts;
        xs_outside_set_sums(!counts);
    }
}

/* The file may grow by HOUR_BYTES in each hour that has begun, up to `most_mib`, and may always have HOUR_BYTES. */
static uint64_t most_bytes(long most_mib) {
    uint64_t hours = (xs_monotonic_ns() - ledger.start_ns) / HOUR_NS + 1, most = (uint64_t)most_mib << 20;
    return hours < most / HOUR_BYTES ? hours * HOUR_BYTES : most > HOUR_BYTES ? most : HOUR_BYTES;
}

/* The first roll-ups come sooner, so that little is lost of a process that is killed early. */
int xs_ledger_session_keep(struct xs_store *store, const struct xs_clock *clock, long most_mib) {
    uint64_t now_ns = xs_monotonic_ns();
    int status = xs_store_ledger_keep_size(store, most_bytes(most_mib));
    if (status || now_ns < ledger.roll_up_ns)
        return status;
    status = xs_store_ledger_roll_up(store, xs_clock_from_monotonic(clock, now_ns));
    ledger.period_ns = 2 * ledger.period_ns < MINUTE_NS ? 2 * ledger.period_ns : MINUTE_NS;
    ledger.roll_up_ns = xs_monotonic_ns() + ledger.period_ns;
    return status;
}

int xs_ledger_session_end(struct xs_store *store, const struct xs_clock *clock) {
    return xs_store_ledger_roll_up(store, xs_clock_from_monotonic(clock, xs_monotonic_ns()));
}

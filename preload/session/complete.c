/* Makes the trace complete up to now; see complete.h. */
#include "preload/session/complete.h"

#include <stddef.h>

#include "preload/cupti/cupti.h"
#include "preload/cupti/flusher.h"
#include "preload/session/drain.h"

#define RECORDS_PATIENCE_MS 1000u /* for CUPTI to hand over its records */
#define TRACE_PATIENCE_MS 2000u   /* for the drain thread to write them */

const char *xs_make_complete(void) {
    if (xs_cupti_has_times())
        xs_flusher_now(RECORDS_PATIENCE_MS);
    return xs_drain_now(TRACE_PATIENCE_MS) ? NULL : "the trace could not be written within two seconds";
}

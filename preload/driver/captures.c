/* Counts the streams that capture. */
#include "preload/driver/captures.h"

_Atomic int xs_captures;

void xs_captures_change(int change) {
    if (atomic_fetch_add(&xs_captures, change) + change < 0) {
        atomic_store(&xs_captures, 0);
    }
}

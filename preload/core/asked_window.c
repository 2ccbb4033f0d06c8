/* What the program says of the windows that it opens itself; see asked_window.h. */
#include "preload/core/asked_window.h"

#include <errno.h>

#include "preload/core/hooks.h"

_Atomic int xs_asked_ranges;
_Atomic bool xs_asked_profiler;

void xs_asked_window_changed(void) {
    int saved = errno;
    xs_hooks.window_asked();
    errno = saved;
}

void xs_asked_profiler_change(bool is_on) {
    if (atomic_exchange(&xs_asked_profiler, is_on) != is_on) {
        xs_asked_window_changed();
    }
}

bool xs_asked_window_is_open(enum xs_window_opener opener) {
    switch (opener) {
    case XS_WINDOW_BY_RANGE:
        return atomic_load(&xs_asked_ranges) > 0;
    case XS_WINDOW_BY_PROFILER:
        return atomic_load(&xs_asked_profiler);
    case XS_WINDOW_BY_TIME:
        break;
    }
    return false;
}

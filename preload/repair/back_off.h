/* Decides whether to look at a place again. Without a plan, a repair has to compare contents, which costs about as much
 * as the copy. After three differences in a row it looks at every 2nd copy only, then at every 4th and so on up to
 * every 64th, until the contents are equal once. Any thread, no lock; what two threads do to one place at the same time
 * is counted once or twice. */
#ifndef XFERSPY_PRELOAD_REPAIR_BACK_OFF_H
#define XFERSPY_PRELOAD_REPAIR_BACK_OFF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { XS_BACK_OFF_PLACES = 1024, XS_BACK_OFF_DIFFERENCES = 3, XS_BACK_OFF_MOST = 64 };

/* All zeros at first. Places that share an entry take it from each other, and start anew. */
struct xs_back_off {
    _Atomic uint64_t places[XS_BACK_OFF_PLACES];
};

/* Must the copy to this place be looked at? The device address and the number of bytes name the place. Counts the
 * copies that are not looked at. */
bool xs_back_off_is_due(struct xs_back_off *all, uint64_t address, uint64_t bytes);

/* Reports the result of a look at the place. */
void xs_back_off_found(struct xs_back_off *all, uint64_t address, uint64_t bytes, bool differ);

#endif

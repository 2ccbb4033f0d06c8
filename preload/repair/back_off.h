/* Whether it is worth looking at a place again. Without a plan a repair finds out by looking at contents, which costs
 * about as much as the copy. Where contents differed three times in a row it looks at every 2nd copy only, then at
 * every 4th and so on up to every 64th, until they are equal once. Any thread, no lock; what two threads do at the same
 * time to one place is counted once or twice. */
#ifndef XFERSPY_PRELOAD_REPAIR_BACK_OFF_H
#define XFERSPY_PRELOAD_REPAIR_BACK_OFF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { XS_BACK_OFF_PLACES = 1024, XS_BACK_OFF_DIFFERENCES = 3, XS_BACK_OFF_MOST = 64 };

/* All zeros at first. Places that share an entry take it from each other, and begin anew. */
struct xs_back_off {
    _Atomic uint64_t places[XS_BACK_OFF_PLACES];
};

/* The place is named by the device's address and the number of bytes. Counts the copies that are not looked at. */
bool xs_back_off_is_due(struct xs_back_off *all, uint64_t address, uint64_t bytes);

/* What was found there. */
void xs_back_off_found(struct xs_back_off *all, uint64_t address, uint64_t bytes, bool differ);

#endif

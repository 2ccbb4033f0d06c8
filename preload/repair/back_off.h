/* Decides whether the contents of a copy are worth comparing. Without a plan, a repair has to compare contents, which
 * costs about as much as the copy. After three differences in a row at one destination, only every 2nd copy to it is
 * compared. After the next difference, only every 4th copy is compared, and so on up to every 64th. As soon as one
 * comparison finds equal contents, every copy to the destination is compared again. Any thread may call these
 * functions. They take no lock, so if two threads report on one destination at the same time, one of the reports may be
 * lost. */
#ifndef XFERSPY_PRELOAD_REPAIR_BACK_OFF_H
#define XFERSPY_PRELOAD_REPAIR_BACK_OFF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { XS_BACK_OFF_SLOTS = 1024, XS_BACK_OFF_DIFFERENCES = 3, XS_BACK_OFF_MOST = 64 };

/* The caller initializes this structure with zeros. Each entry has the data of one destination. If a copy to another
 * destination with the same entry is compared, the entry is reset and has the data of the other destination from then
 * on. */
struct xs_back_off {
    _Atomic uint64_t slots[XS_BACK_OFF_SLOTS];
};

/* True if the contents of this copy must be compared. The device address and the number of bytes identify the
 * destination. False: counts this copy as not compared. */
bool xs_back_off_is_due(struct xs_back_off *all, uint64_t address, uint64_t bytes);

/* Reports the result of a comparison at this destination. */
void xs_back_off_found(struct xs_back_off *all, uint64_t address, uint64_t bytes, bool differ);

#endif

/* Manages a table of one kind of memory, for the repairs that keep freed memory. It has the blocks that the program has
 * (*lent* blocks), and the blocks that the program has freed and that wait for an equal allocation (*idle* blocks). The
 * table only stores addresses and sizes; the driver calls are in keep.c.
 *
 * Any thread may call these functions. Each of them takes the table's lock. Signals wait while the lock is held
 * (core/lock.h), so a signal handler that jumps away cannot leave the table half changed. The tables have a fixed size,
 * because the caller may be the program's allocator. */
#ifndef XFERSPY_PRELOAD_REPAIR_KEPT_H
#define XFERSPY_PRELOAD_REPAIR_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/lock.h"
#include "preload/driver/driver_api.h"

/* The key of an allocation. An allocation can get only a block with an equal key. */
struct xs_kept_key {
    uint64_t context;       /* handle of the context in which the memory was made */
    uint64_t width, height; /* requested size; in one dimension, `width` is the number of bytes and `height` is 0 */
    uint32_t how;           /* function and flags of the allocation, as a number that the repair chooses */
};

struct xs_kept_block {
    struct xs_kept_key key;
    uint64_t address;
    size_t bytes;
    uint64_t id;               /* the driver's number of the allocation, which no other allocation ever has */
    size_t pitch;              /* pitch of memory in two dimensions */
    CUdeviceptr anchor, token; /* addresses of the two small blocks (keep.h); 0: none */
    int device;                /* ordinal of the device */
    bool is_handed_out;        /* shared with another process or device */
};

#define XS_KEPT_LENT 8192u /* number of hash slots; at most three quarters are used */
#define XS_KEPT_IDLE 1024u

struct xs_kept {
    struct xs_lock lock;
    unsigned lent_count, idle_count;
    size_t idle_bytes;
    struct xs_kept_block lent[XS_KEPT_LENT]; /* hash table by address, open addressing; address 0: free slot */
    struct xs_kept_block idle[XS_KEPT_IDLE]; /* in the order in which they were freed */
};
#define XS_KEPT_INITIALIZER                                                                                            \
    { .lock = XS_LOCK_INITIALIZER }

/* Notes that the program has the block now. If the table already has a lent block at this address, the library did not
 * see that it was freed, and the new block replaces the old one. False: the table is full, and the new block was not
 * added. */
bool xs_kept_lend(struct xs_kept *kept, const struct xs_kept_block *block);

/* Removes the lent block at `address` and copies it to *out. False: there is none. */
bool xs_kept_end(struct xs_kept *kept, uint64_t address, struct xs_kept_block *out);

/* Marks the lent block at `address`, if there is one, as handed out. */
void xs_kept_hand_out(struct xs_kept *kept, uint64_t address);

/* Adds the block as the last of the idle blocks. False: the block was not added, because the idle blocks would have
 * more than `budget` bytes, or would be too many. */
bool xs_kept_put(struct xs_kept *kept, const struct xs_kept_block *block, size_t budget);

/* Removes the first idle block with this key and copies it to *out. False: there is none. */
bool xs_kept_take(struct xs_kept *kept, const struct xs_kept_key *key, struct xs_kept_block *out);

/* Removes the first idle block of one context (0: of any), on one device (-1: on any), with any key, and copies it to
 * *out. False: there is none. */
bool xs_kept_take_any(struct xs_kept *kept, uint64_t context, int device, struct xs_kept_block *out);

/* True if an idle block begins at this address. */
bool xs_kept_is_idle(struct xs_kept *kept, uint64_t address);

/* Returns the total bytes of the idle blocks on one device. */
size_t xs_kept_idle_bytes(struct xs_kept *kept, int device);

/* Visits all blocks, one with each call: copies the next block to *out. *rest must be XS_KEPT_ALL at the first call. A
 * block that is added or moved between two calls may be missed. False: there are no more blocks. */
#define XS_KEPT_ALL (XS_KEPT_LENT + XS_KEPT_IDLE)
bool xs_kept_look(struct xs_kept *kept, unsigned *rest, struct xs_kept_block *out);

/* Visits the lent blocks on one device (-1: on any) that have small blocks, one with each call: copies the next one to
 * *out, and removes its small blocks from the table. *rest and the result have the same meaning as for xs_kept_look. */
bool xs_kept_strip(struct xs_kept *kept, unsigned *rest, int device, struct xs_kept_block *out);

/* Forgets the lent or idle block with the address and the number of `block`, if the table still has it. */
void xs_kept_drop(struct xs_kept *kept, const struct xs_kept_block *block);

#endif

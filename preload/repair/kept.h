/* A table of one kind of memory for the repairs that keep freed memory: blocks that the program has (*lent*), and
 * blocks that wait for the next allocation like them (*idle*). The table holds addresses and sizes, and calls no
 * driver; keep.h does.
 *
 * Any thread. Each function takes the table's lock, and signals wait meanwhile (core/lock.h), so a handler that jumps
 * away leaves the table whole. The tables have a fixed size, because the caller may be the program's allocator. */
#ifndef XFERSPY_PRELOAD_REPAIR_KEPT_H
#define XFERSPY_PRELOAD_REPAIR_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/lock.h"

/* The key of an allocation: only memory with an equal key can serve it. */
struct xs_kept_key {
    uint64_t context;       /* handle of the context that the memory was made in */
    uint64_t width, height; /* size as requested; in one dimension the bytes and 0 */
    uint32_t how;           /* number, chosen by the repair, of the function and its flags */
};

struct xs_kept_block {
    struct xs_kept_key key;
    uint64_t address;
    size_t bytes;
    uint64_t id;            /* the driver's number of the allocation, which no other allocation ever has */
    size_t pitch;           /* pitch of memory in two dimensions */
    uint64_t anchor, token; /* the small blocks of keep.h; 0: none */
    int device;             /* ordinal */
    bool is_handed_out;     /* another process or device may know it */
};

#define XS_KEPT_LENT 8192u /* number of places; at most three quarters are used */
#define XS_KEPT_IDLE 1024u

struct xs_kept {
    struct xs_lock lock;
    unsigned lent_count, idle_count;
    size_t idle_bytes;
    struct xs_kept_block lent[XS_KEPT_LENT]; /* hash table by address, open addressing; address 0: free place */
    struct xs_kept_block idle[XS_KEPT_IDLE]; /* oldest first */
};
#define XS_KEPT_INITIALIZER                                                                                            \
    { .lock = XS_LOCK_INITIALIZER }

/* Notes that the program has the block now. Forgets an earlier block at this address: its free was not seen. False:
 * there is no place, and the block is not in the table. */
bool xs_kept_lend(struct xs_kept *kept, const struct xs_kept_block *block);

/* Takes out the block that was lent at `address`. False: there is none. */
bool xs_kept_end(struct xs_kept *kept, uint64_t address, struct xs_kept_block *out);

/* Marks the block that was lent at `address`, if there is one, as handed out. */
void xs_kept_hand_out(struct xs_kept *kept, uint64_t address);

/* Puts the block behind all other idle blocks. False: the idle blocks would be more than `budget` bytes or too many,
 * and nothing has changed. */
bool xs_kept_put(struct xs_kept *kept, const struct xs_kept_block *block, size_t budget);

/* Takes out the first idle block with this key. False: there is none. */
bool xs_kept_take(struct xs_kept *kept, const struct xs_kept_key *key, struct xs_kept_block *out);

/* Takes out the first idle block with any key, of one context (0: of any), on one device (-1: on any). */
bool xs_kept_take_any(struct xs_kept *kept, uint64_t context, int device, struct xs_kept_block *out);

/* Is an idle block at this address? */
bool xs_kept_is_idle(struct xs_kept *kept, uint64_t address);

/* Returns the total bytes of the idle blocks on one device. */
size_t xs_kept_idle_bytes(struct xs_kept *kept, int device);

/* Walks through all blocks: copies the next one. *rest begins as XS_KEPT_ALL. Changes meanwhile may be missed. False:
 * there are no more. */
#define XS_KEPT_ALL (XS_KEPT_LENT + XS_KEPT_IDLE)
bool xs_kept_look(struct xs_kept *kept, unsigned *rest, struct xs_kept_block *out);

/* Walks through the lent blocks on one device (-1: on any) that have small blocks: copies the next such block and takes
 * its small blocks from it. */
bool xs_kept_strip(struct xs_kept *kept, unsigned *rest, int device, struct xs_kept_block *out);

/* Forgets the block with this address and number, lent or idle, if it is still there. */
void xs_kept_drop(struct xs_kept *kept, const struct xs_kept_block *block);

#endif

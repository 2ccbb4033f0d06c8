/* Shared by keep-allocations and keep-pinned: freed memory does not go to the driver but serves the program's next
 * allocation of the same kind and size in the same context, the longest freed first.
 *
 * **The wait.** A free waits for everything that was queued on the device before (measured with driver 580: cuMemFree
 * of 4 KiB and of 64 MiB, and cuMemFreeHost, for all streams). A program may rely on this: it reads page-locked memory
 * after the free, or overwrites it. So the driver's own wait is always kept: a small block is freed in the large one's
 * place, by the same function. The small block is made when kept memory is handed out, so the allocation remains a call
 * of the driver, too. Therefore all other effects of such calls remain: they fail while a stream captures, they report
 * errors of earlier work, and the program gets their result. The repair saves the work on page tables, which grows with
 * the size. The cost of the small block remains. The driver is expected to cut it out of a chunk of 2 MiB, which an
 * *anchor*, another small block, keeps alive. In the measurements (tests/bench/results/repairs.md)
 * allocate_in_loop takes 0.9 ms longer with this repair than as repaired source, which neither allocates nor waits for
 * a free: 9 us a step. Less than `least_bytes` gains nothing, so it is not kept.
 *
 * **Whose memory.** Each block has the driver's number of its allocation (CU_POINTER_ATTRIBUTE_BUFFER_ID), which no
 * other allocation in the process ever gets. The number is compared before a block is kept, handed out or given back.
 * So a block is never handed out after its context was destroyed or reset, and an address that came back as another
 * kind of memory is never taken for the block, whichever call did that.
 *
 * **What a program could see.** The content of fresh memory is undefined by CUDA's contract; kept memory holds what the
 * program left there. After a free the driver still knows the address: a copy to it does not fail, and queries about it
 * are answered. Freeing it again fails as before. An allocation can have the address and the number of an earlier one:
 * it is the same memory. A captured graph that uses an address freed since is the program's error, as it is without the
 * repair.
 *
 * Idle memory never exceeds the budget: what was freed longest ago is given back first. All idle memory and the small
 * blocks are given back when an allocation finds no memory. That allocation then waits for the device, which it would
 * not do otherwise; but it asks for memory that the program has freed, and failing would be worse. At the end of the
 * process the driver frees the rest: it does not wait for the device then, so we must not either. */
#ifndef XFERSPY_PRELOAD_REPAIR_KEEP_H
#define XFERSPY_PRELOAD_REPAIR_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/repair/frame.h"
#include "preload/repair/kept.h"

/* One kind of memory. Constant, except for its table. */
struct xs_keeper {
    enum xs_repair_id repair;
    size_t least_bytes;
    struct xs_kept *kept;
    CUresult (*release)(uint64_t address);                   /* the driver's free */
    CUresult (*make_small)(uint32_t how, uint64_t *address); /* the driver's allocation of the smallest block */
};

/* Checks for a repair's `start` whether it can work; `has_functions`: it has the functions that it replaces. */
bool xs_keep_can_start(bool has_functions, const char **why);

/* Must this call go straight to the driver? In a forked child and at the end of the process nothing is kept. */
bool xs_keep_is_off(void);

/* Makes the key of an allocation in the calling thread's context. False: the thread has no context. */
bool xs_keep_key(struct xs_kept_key *key, uint64_t width, uint64_t height, uint32_t how);

/* Is memory of this size kept at all? Counts the reason if not. */
bool xs_keep_wants(const struct xs_keeper *keeper, size_t bytes);

/* Serves an allocation from kept memory. True: *result is the program's result, and on success the program has *block.
 * False: nothing kept fits, and the driver must be asked. */
bool xs_keep_serve(const struct xs_keeper *keeper, const struct xs_kept_key *key, struct xs_kept_block *block,
                   CUresult *result);

/* Notes that the driver gave the program memory that is wanted. */
void xs_keep_lend(const struct xs_keeper *keeper, const struct xs_kept_key *key, uint64_t address, size_t bytes,
                  size_t pitch);

/* Frees memory for the program, and returns the program's result. */
CUresult xs_keep_free(const struct xs_keeper *keeper, uint64_t address);

/* Called before another process or device gets to know the memory around an address: the memory is no longer kept. */
void xs_keep_hand_out(const struct xs_keeper *keeper, uint64_t address);

/* Gives the driver all idle memory of a device (-1: of all devices), and the small blocks. False: there was none. */
bool xs_keep_give_back(const struct xs_keeper *keeper, int device);

/* Returns the ordinal of the calling thread's device; -1: unknown. */
int xs_keep_device(void);

/* Called after a call that may have ended a context: forgets what ended with the context. */
void xs_keep_context_changed(const struct xs_keeper *keeper);

#endif

/* What keep-allocations and keep-pinned share: freed memory is not given to the driver but serves the program's next
 * allocation of the same kind and size in the same context, the longest freed first.
 *
 * **The wait.** A free waits for everything that was queued on the device before (measured with driver 580: cuMemFree
 * of 4 KiB and of 64 MiB, and cuMemFreeHost, for all streams). A program may rest on it: it reads page-locked memory
 * after the free, or overwrites it. So the wait is always kept, and exactly the driver's own: a small block is freed in
 * the large one's place, by the same function. The small block is made when kept memory is handed out, so the
 * allocation remains a call of the driver, too. Therefore whatever else such calls do, they do here: they fail while a
 * stream captures, they report errors of earlier work, and the program gets their result. What is saved is the work on
 * page tables, which grows with the size. What remains is the small block. The driver is expected to cut it out of a
 * chunk of 2 MiB, which an *anchor*, another small block, keeps alive. In the measurements
 * (docs/develop/measurements.md, "Repairs") allocate_in_loop takes 0.9 ms longer with this repair than as repaired
 * source, which neither allocates nor waits for a free: 9 us a step. Memory of less than `least_bytes` would take no
 * longer, so it is not kept.
 *
 * **Whose memory.** Each block has the driver's number of its allocation (CU_POINTER_ATTRIBUTE_BUFFER_ID), which no
 * other one in the process ever gets. It is compared before a block is kept, handed out or given back. So a block whose
 * context was destroyed or reset is never handed out, and an address that came back as another kind of memory is never
 * taken for it, whichever call did that.
 *
 * **What a program could see.** The content of fresh memory is undefined by CUDA's contract; that of kept memory is
 * what the program left there. After a free the driver still knows the address: a copy to it does not fail, and queries
 * about it are answered. Freeing it again fails as ever. An allocation can have the address and the number of an
 * earlier one: it is the same memory. A graph that was captured with an address that was freed since is the program's
 * error, as it is without this.
 *
 * Idle memory is at most the budget. What was freed longest ago is given back for it. All of it, and the small blocks,
 * are given back when an allocation finds no memory. That allocation then waits for the device, which it would not do
 * otherwise: it asks for memory that the program has freed, and to fail would be worse. At the end of the process the
 * driver frees what is left: it does not wait for the device then, and nor may we. */
#ifndef XFERSPY_PRELOAD_REPAIR_KEEP_H
#define XFERSPY_PRELOAD_REPAIR_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/repair/frame.h"
#include "preload/repair/kept.h"

/* One kind of memory. Constant; its table is not. */
struct xs_keeper {
    enum xs_repair_id repair;
    size_t least_bytes;
    struct xs_kept *kept;
    CUresult (*release)(uint64_t address);                   /* the driver's free */
    CUresult (*make_small)(uint32_t how, uint64_t *address); /* the driver's allocation of the smallest block */
};

/* For `start` of a repair, which has the functions that it wants to stand around, or has not. */
bool xs_keep_can_start(bool has_functions, const char **why);

/* Does this call go straight to the driver? In a forked child and at the end of the process nothing is kept. */
bool xs_keep_is_off(void);

/* The key of an allocation in the calling thread's context. False: it has none. */
bool xs_keep_key(struct xs_kept_key *key, uint64_t width, uint64_t height, uint32_t how);

/* Is memory of this size kept at all? Counts why not. */
bool xs_keep_wants(const struct xs_keeper *keeper, size_t bytes);

/* True: *result is the program's, and where it is a success, the program has *block. False: nothing kept fits, and the
 * driver is to be asked. */
bool xs_keep_serve(const struct xs_keeper *keeper, const struct xs_kept_key *key, struct xs_kept_block *block,
                   CUresult *result);

/* The driver gave the program memory that is wanted. */
void xs_keep_lend(const struct xs_keeper *keeper, const struct xs_kept_key *key, uint64_t address, size_t bytes,
                  size_t pitch);

/* The program frees memory. The result is the program's. */
CUresult xs_keep_free(const struct xs_keeper *keeper, uint64_t address);

/* Another process or device gets to know the memory around an address: it is not kept any more. Before that call. */
void xs_keep_hand_out(const struct xs_keeper *keeper, uint64_t address);

/* Gives the driver all idle memory of a device (-1: of all), and the small blocks. False: there was none. */
bool xs_keep_give_back(const struct xs_keeper *keeper, int device);

/* The ordinal of the calling thread's device; -1: unknown. */
int xs_keep_device(void);

/* After a call that may have ended a context: forgets what ended with it. */
void xs_keep_context_changed(const struct xs_keeper *keeper);

#endif

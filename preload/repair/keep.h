/* The repairs keep-allocations and keep-pinned share this code. Memory that the program frees is not given back to the
 * driver. It is kept, and the program's next allocation of the same kind and size in the same context gets it. If
 * several kept blocks fit, the allocation gets the one that was freed first.
 *
 * **The wait.** A free waits for everything that was queued on the device before (measured with driver 580 for all
 * streams: cuMemFree of 4 KiB and of 64 MiB, and cuMemFreeHost). A program may rely on this wait: after the free it may
 * read other page-locked memory that the device wrote, or overwrite such memory that the device read. The repair must
 * therefore keep the wait. Instead of the large block, it frees a small block by the same function. The repair
 * allocates this small block when the program gets kept memory, so the program's allocation also still calls the
 * driver. All other effects of the two calls remain as well: they fail while a stream captures a graph, they report
 * errors of earlier work, and the program gets their result. The repair saves the work on page tables, which grows with
 * the size; the cost of the small block remains. The driver is expected to cut the small block out of a chunk of 2 MiB;
 * an *anchor*, which is another small block, keeps this chunk alive. In the measurements
 * (tests/bench/results/repairs.md), allocate_in_loop with this repair takes 0.9 ms longer than the version whose source
 * was repaired, which neither allocates nor waits for a free. That is 9 us for each step of the loop. Blocks smaller
 * than `least_bytes` are not kept, because nothing would be gained.
 *
 * **Blocks that no longer exist.** The driver gives each allocation a number (CU_POINTER_ATTRIBUTE_BUFFER_ID), which no
 * other allocation in the process ever gets. The repair stores the number of each block, and compares it before it
 * keeps the block, gives it to the program or frees it. Therefore the program never gets a block whose context was
 * destroyed or reset. If the driver uses the address of a vanished block again, for any kind of memory, the repair does
 * not mistake the new memory for the block.
 *
 * **What a program could notice.** CUDA leaves the content of new memory undefined; kept memory contains what the
 * program wrote into it before. After a free the driver still knows the address, so copies to it do not fail, and
 * queries about it are answered. A second free of the address fails, as it does without the repair. A new allocation
 * can have the address and the number of an earlier one, because it is the same memory. A captured graph that uses
 * memory which was freed later is an error of the program, with and without the repair.
 *
 * Kept memory that the program does not have (*idle* memory) never exceeds the budget. To make room, the blocks of the
 * same context that were freed first are given back to the driver. If an allocation finds no memory, all idle memory of
 * the device and the small blocks are given back. The allocation then waits for the device, which it would not do
 * without the repair. This wait is accepted, because without it the allocation would fail for lack of memory that the
 * program has freed. At the end of the process the driver frees the idle memory. The driver does not wait for the
 * device at that time, so the repair frees nothing itself. */
#ifndef XFERSPY_PRELOAD_REPAIR_KEEP_H
#define XFERSPY_PRELOAD_REPAIR_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/repair/kept.h"
#include "preload/repair/repair_hooks.h"

/* The data and functions of one kind of memory. They are constant, except for the table `kept`. */
struct xs_keeper {
    enum xs_repair_id repair;
    size_t least_bytes;
    struct xs_kept *kept;
    CUresult (*release)(uint64_t address);                              /* the driver's free */
    CUresult (*make)(uint32_t how, CUdeviceptr *address, size_t bytes); /* the driver's allocation */
};

/* True if the repair can work in this process. This function is called by the repair's `start`. `has_functions`: the
 * driver has the functions that the repair replaces. False: *why gets the reason. */
bool xs_keep_can_start(bool has_functions, const char **why);

/* True if calls must go straight to the driver: in a forked child, and at the end of the process. */
bool xs_keep_is_off(void);

/* Fills in the key of an allocation in the calling thread's context. False: the thread has no context. */
bool xs_keep_key(struct xs_kept_key *key, uint64_t width, uint64_t height, uint32_t how);

/* True if memory of this size is kept. If it is too small or larger than the budget, counts this reason for the
 * repair. */
bool xs_keep_wants(const struct xs_keeper *keeper, size_t bytes);

/* Makes an allocation in one dimension for the program, from kept memory if possible. Returns the program's result. */
CUresult xs_keep_allocate(const struct xs_keeper *keeper, uint32_t how, CUdeviceptr *address, size_t bytes);

/* Makes an allocation from kept memory. True: *result is the result for the program; if it is CUDA_SUCCESS, the program
 * gets *block. False: no kept block fits, and the driver must make the allocation. */
bool xs_keep_serve(const struct xs_keeper *keeper, const struct xs_kept_key *key, struct xs_kept_block *block,
                   CUresult *result);

/* Notes that the driver made an allocation for the program, of a size that is kept (xs_keep_wants). */
void xs_keep_lend(const struct xs_keeper *keeper, const struct xs_kept_key *key, uint64_t address, size_t bytes,
                  size_t pitch);

/* Frees memory for the program, and returns the program's result. */
CUresult xs_keep_free(const struct xs_keeper *keeper, uint64_t address);

/* Runs before the memory that contains the address is shared with another process or device. This memory will not be
 * kept when the program frees it. */
void xs_keep_hand_out(const struct xs_keeper *keeper, uint64_t address);

/* Gives back to the driver all idle memory of a device (-1: of all devices), and the small blocks. False: there was
 * nothing to give back. */
bool xs_keep_give_back(const struct xs_keeper *keeper, int device);

/* Returns the ordinal of the calling thread's device; -1: unknown. */
int xs_keep_device(void);

/* Runs after each call. If the call may have ended a context, forgets the blocks that no longer exist. */
void xs_keep_saw(const struct xs_keeper *keeper, const struct xs_repair_call *call);

#endif

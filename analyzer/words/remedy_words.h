/* The sentences of remedies.def, which several frameworks have in common, and the longer of their calls. Each sentence
 * is written once. */
#ifndef XFERSPY_ANALYZER_FINDINGS_REMEDY_WORDS_H
#define XFERSPY_ANALYZER_FINDINGS_REMEDY_WORDS_H

#include "analyzer/findings/engine/detector.h"

/* clang-format off */

#define CALL_ONCE(call, array) "Call " call " once, before the loop, and keep the " array " that it returns."
#define MOVE_ONCE "Move it to the GPU once (a module's constant: `register_buffer`; else `.to('cuda')` before the loop)"
#define IF_CHANGED(how) " If the loop changes it, " how "."
#define USE_OTHER(array, how) "Use the " array " that has these bytes on the GPU already, or " how "."
#define USE_AGAIN_IF(array, call) "Keep the " array " of " call ", and use it again if nothing changes it in place."
#define KEEP_RESULT(call, array) "Keep what " call " returns, and call it again only for another or a changed " array "."
#define PASS_ON(what, without) "Pass on the " what " itself, without " without " in between."
#define BY_DLPACK " Other libraries take it by `from_dlpack()`."
#define GPU_TO_GPU(how) "Copy from GPU to GPU: " how "."
#define HOST_HAS_IT(call) "Drop the " call ": the host still has what was uploaded."
#define ONLY_MEMORY(call) "Drop the upload. Where only the memory is wanted, use " call "."
#define WITHOUT_ZEROS(empty, zeros) "Use " empty " instead of " zeros ": nothing reads the zeros."
#define CREATE_THERE(how) "Create it on the GPU, with " how "."
#define ONLY_PART(how) "Upload only what changed: " how "."

#define PINNED_LOADER "`DataLoader(..., pin_memory=True)`"
#define PINNED_PYTORCH "torch.empty(..., pin_memory=True)"
#define UPLOAD_FROM(pinned) "Keep the data in an array of " pinned ", and upload it from there."
#define DOWNLOAD_INTO(call, pinned) "Download with " call " into one pinned buffer that is kept: `out = " pinned "`."
#define ASYNC_PYTORCH "`out.copy_(x, non_blocking=True)`"
#define TORCH_GATHERS "`torch.stack()` or `torch.cat()`"
#define NUMPY_GATHERS "`numpy.stack()` or `numpy.concatenate()`"
#define GATHER_UP(by, call) "Gather the parts on the host with " by ", and call " call " once."
#define GATHER_DOWN(by, call) "Gather the results on the GPU with " by ", and call " call " once."
#define GATHER_ON_HOST "Gather them on the host and send them with one copy, or with one batch call."
#define READ_TOGETHER "Read neighbouring values with one copy"
#define READ_SELDOM(array, calls) "Keep the value in " array " on the GPU, and call " calls " only once in many steps."
#define SELDOM_PYTORCH READ_SELDOM("a tensor", "`.item()`, `float()` or `print()`")
#define SELDOM_CUPY READ_SELDOM("an array", "`float()`, `.item()` or `.get()`")
#define SELDOM_JAX READ_SELDOM("a `jax.Array`", "`float()`, `.item()` or `print()`")
#define SELDOM_NUMBA READ_SELDOM("a device array", "`copy_to_host()`")
#define READ_LATER "Call `x.copy_to_host_async()` first, give the GPU other work, and read the array after that."
#define WAIT_LATER(call) "Use " call " with pinned memory, and wait only when the data are needed."
#define STREAM_PYTORCH "`non_blocking=True`, on a `torch.cuda.Stream()` of its own"
#define STREAM_CUPY "a `cupy.cuda.Stream(non_blocking=True)` of its own"
#define NEXT_EARLY(how) "Upload the next batch early: " how "."
#define BESIDE_NEXT(how) "Download beside the next step: " how "."

#define LEAVE_IT_TO(pool, call) "Leave free memory to " pool ": no " call " in the loop, and do not switch it off."
#define UNPINNED(array, call) "Copy an ordinary " array " without " call ", or use one pinned buffer for more copies."
#define FILL_AGAIN(call) "Call " call " once, before the loop, and fill that memory again."

/* clang-format on */

#endif

/* Inter-process handles and external memory. Memory handles of another process are out of reach, and the same process
 * may not open its own, as with CUDA; external memory is imported from a file descriptor. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct ipc_handle {
    char magic[8];
    pid_t pid;
    CUdeviceptr address;
};

CUresult xs_cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
    struct xs_range range;
    xs_map_find(dptr, 0, &range);
    if (pHandle == NULL || !range.known || range.kind != XS_DEVICE || range.allocation.pool != NULL ||
        range.allocation.mapping != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct ipc_handle handle = {.magic = "xs_sim", .pid = getpid(), .address = range.allocation.base};
    memset(pHandle, 0, sizeof(*pHandle));
    memcpy(pHandle, &handle, sizeof(handle));
    return CUDA_SUCCESS;
}

CUresult xs_cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
    struct ipc_handle opened;
    if (pdptr == NULL || (Flags & ~(unsigned)CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&opened, &handle, sizeof(opened));
    if (memcmp(opened.magic, "xs_sim", 7) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return opened.pid == getpid() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_MAP_FAILED;
}

CUresult xs_cuIpcCloseMemHandle(CUdeviceptr dptr) {
    (void)dptr;
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult xs_cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event) {
    if (pHandle == NULL || event == NULL || !(event->flags & CU_EVENT_INTERPROCESS))
        return CUDA_ERROR_INVALID_VALUE;
    struct ipc_handle handle = {.magic = "xs_sim", .pid = getpid(), .address = (uintptr_t)event};
    memset(pHandle, 0, sizeof(*pHandle));
    memcpy(pHandle, &handle, sizeof(handle));
    return CUDA_SUCCESS;
}

CUresult xs_cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle) {
    (void)phEvent, (void)handle;
    return CUDA_ERROR_MAP_FAILED;
}

struct CUextMemory_st {
    int fd;
    unsigned long long bytes;
    struct CUctx_st *context;
};

CUresult xs_cuImportExternalMemory(CUexternalMemory *extMem_out,
                                   const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (extMem_out == NULL || memHandleDesc == NULL || memHandleDesc->size == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (memHandleDesc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct CUextMemory_st *memory = xs_handle_new(sizeof(*memory));
    if (memory == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *memory = (struct CUextMemory_st){memHandleDesc->handle.fd, memHandleDesc->size, context};
    *extMem_out = memory;
    return CUDA_SUCCESS;
}

CUresult xs_cuExternalMemoryGetMappedBuffer(CUdeviceptr *devPtr, CUexternalMemory extMem,
                                            const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc) {
    if (devPtr == NULL || extMem == NULL || bufferDesc == NULL || bufferDesc->size == 0 ||
        bufferDesc->offset + bufferDesc->size > extMem->bytes || bufferDesc->offset % 4096 != 0)
        return CUDA_ERROR_INVALID_VALUE;
    void *base =
        mmap(NULL, bufferDesc->size, PROT_READ | PROT_WRITE, MAP_SHARED, extMem->fd, (off_t)bufferDesc->offset);
    if (base == MAP_FAILED)
        return CUDA_ERROR_INVALID_VALUE;
    struct xs_allocation allocation = {.base = (uintptr_t)base,
                                       .size = bufferDesc->size,
                                       .kind = XS_DEVICE,
                                       .device = extMem->context->device,
                                       .context = extMem->context,
                                       .id = xs_next_id(),
                                       .preferred = -2};
    if (xs_map_add(&allocation) != 0) {
        munmap(base, bufferDesc->size);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *devPtr = (CUdeviceptr)base;
    return CUDA_SUCCESS;
}

CUresult xs_cuDestroyExternalMemory(CUexternalMemory extMem) {
    if (extMem == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    close(extMem->fd);
    xs_handle_free(extMem);
    return CUDA_SUCCESS;
}

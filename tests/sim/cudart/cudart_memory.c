/* Allocation, registration, pools and the like, as the runtime names them. */
#include "cudart.h"

RT(cudaMalloc, (void **devPtr, size_t size), (devPtr, size)) {
    TRY(xs_rt_ready());
    if (devPtr != NULL && size == 0) {
        *devPtr = NULL;
        return cudaSuccess;
    }
    return xs_rt_error(DRV(cuMemAlloc)((CUdeviceptr *)devPtr, size));
}

RT(cudaFree, (void *devPtr), (devPtr))
PASS_BODY(devPtr == NULL ? CUDA_SUCCESS : DRV(cuMemFree)((CUdeviceptr)devPtr))

RT(cudaMallocPitch, (void **devPtr, size_t *pitch, size_t width, size_t height), (devPtr, pitch, width, height))
PASS_BODY(DRV(cuMemAllocPitch)((CUdeviceptr *)devPtr, pitch, width, height, 4))

RT(cudaMalloc3D, (struct cudaPitchedPtr * pitchedDevPtr, struct cudaExtent extent), (pitchedDevPtr, extent)) {
    CUdeviceptr base;
    size_t pitch;
    TRY(xs_rt_ready());
    if (pitchedDevPtr == NULL)
        return cudaErrorInvalidValue;
    TRY(xs_rt_error(DRV(cuMemAllocPitch)(&base, &pitch, extent.width, extent.height * extent.depth, 4)));
    *pitchedDevPtr = (struct cudaPitchedPtr){(void *)base, pitch, extent.width, extent.height};
    return cudaSuccess;
}

RT(cudaMallocHost, (void **ptr, size_t size), (ptr, size))
PASS_BODY(DRV(cuMemHostAlloc)(ptr, size, 0))

RT(cudaHostAlloc, (void **pHost, size_t size, unsigned int flags), (pHost, size, flags))
PASS_BODY(DRV(cuMemHostAlloc)(pHost, size, flags))

RT(cudaFreeHost, (void *ptr), (ptr))
PASS_BODY(DRV(cuMemFreeHost)(ptr))

RT(cudaHostRegister, (void *ptr, size_t size, unsigned int flags), (ptr, size, flags))
PASS_BODY(DRV(cuMemHostRegister)(ptr, size, flags))

RT(cudaHostUnregister, (void *ptr), (ptr))
PASS_BODY(DRV(cuMemHostUnregister)(ptr))

RT(cudaHostGetDevicePointer, (void **pDevice, void *pHost, unsigned int flags), (pDevice, pHost, flags))
PASS_BODY(DRV(cuMemHostGetDevicePointer)((CUdeviceptr *)pDevice, pHost, flags))

RT(cudaHostGetFlags, (unsigned int *pFlags, void *pHost), (pFlags, pHost))
PASS_BODY(DRV(cuMemHostGetFlags)(pFlags, pHost))

RT(cudaMallocManaged, (void **devPtr, size_t size, unsigned int flags), (devPtr, size, flags))
PASS_BODY(DRV(cuMemAllocManaged)((CUdeviceptr *)devPtr, size, flags))

RT(cudaMemGetInfo, (size_t * free, size_t *total), (free, total))
PASS_BODY(DRV(cuMemGetInfo)(free, total))

RT_PTSZ(cudaMallocAsync, (void **devPtr, size_t size, cudaStream_t hStream), (devPtr, size, hStream))
PASS_BODY(DRV(cuMemAllocAsync)((CUdeviceptr *)devPtr, size, hStream))

RT_PTSZ(cudaMallocFromPoolAsync, (void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream),
        (ptr, size, memPool, stream))
PASS_BODY(DRV(cuMemAllocFromPoolAsync)((CUdeviceptr *)ptr, size, memPool, stream))

RT_PTSZ(cudaFreeAsync, (void *devPtr, cudaStream_t hStream), (devPtr, hStream))
PASS_BODY(DRV(cuMemFreeAsync)((CUdeviceptr)devPtr, hStream))

RT(cudaMemPoolCreate, (cudaMemPool_t * memPool, const struct cudaMemPoolProps *poolProps), (memPool, poolProps))
PASS_BODY(DRV(cuMemPoolCreate)(memPool, (const CUmemPoolProps *)poolProps))

RT(cudaMemPoolDestroy, (cudaMemPool_t memPool), (memPool))
PASS_BODY(DRV(cuMemPoolDestroy)(memPool))

RT(cudaMemPoolTrimTo, (cudaMemPool_t memPool, size_t minBytesToKeep), (memPool, minBytesToKeep))
PASS_BODY(DRV(cuMemPoolTrimTo)(memPool, minBytesToKeep))

RT(cudaMemPoolSetAttribute, (cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value), (memPool, attr, value))
PASS_BODY(DRV(cuMemPoolSetAttribute)(memPool, (CUmemPool_attribute)attr, value))

RT(cudaMemPoolGetAttribute, (cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value), (memPool, attr, value))
PASS_BODY(DRV(cuMemPoolGetAttribute)(memPool, (CUmemPool_attribute)attr, value))

RT(cudaMemPoolSetAccess, (cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count),
   (memPool, descList, count))
PASS_BODY(DRV(cuMemPoolSetAccess)(memPool, (const CUmemAccessDesc *)descList, count))

RT(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * memPool, int device), (memPool, device))
PASS_BODY(DRV(cuDeviceGetDefaultMemPool)(memPool, device))

RT(cudaDeviceGetMemPool, (cudaMemPool_t * memPool, int device), (memPool, device))
PASS_BODY(DRV(cuDeviceGetMemPool)(memPool, device))

RT(cudaDeviceSetMemPool, (int device, cudaMemPool_t memPool), (device, memPool))
PASS_BODY(DRV(cuDeviceSetMemPool)(device, memPool))

/* ---- arrays ---- */

static bool format_of(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *channels) {
    int bits = desc->x;
    *channels = (unsigned)((desc->x > 0) + (desc->y > 0) + (desc->z > 0) + (desc->w > 0));
    switch (desc->f) {
    case cudaChannelFormatKindSigned:
        *format = bits == 8    ? CU_AD_FORMAT_SIGNED_INT8
                  : bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
                               : CU_AD_FORMAT_SIGNED_INT32;
        break;
    case cudaChannelFormatKindUnsigned:
        *format = bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
                  : bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                               : CU_AD_FORMAT_UNSIGNED_INT32;
        break;
    case cudaChannelFormatKindFloat:
        *format = bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
        break;
    default:
        return false;
    }
    return (bits == 8 || bits == 16 || bits == 32) && *channels > 0;
}

RT(cudaMalloc3DArray,
   (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int flags),
   (array, desc, extent, flags)) {
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    TRY(xs_rt_ready());
    if (array == NULL || desc == NULL || !format_of(desc, &descriptor.Format, &descriptor.NumChannels))
        return cudaErrorInvalidValue;
    return xs_rt_error(DRV(cuArray3DCreate)((CUarray *)array, &descriptor));
}

RT(cudaMallocArray,
   (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags),
   (array, desc, width, height, flags)) {
    return rt_cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

RT(cudaFreeArray, (cudaArray_t array), (array))
PASS_BODY(array == NULL ? CUDA_SUCCESS : DRV(cuArrayDestroy)((CUarray)array))

RT(cudaMallocMipmappedArray,
   (cudaMipmappedArray_t * mipmappedArray, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
    unsigned int numLevels, unsigned int flags),
   (mipmappedArray, desc, extent, numLevels, flags)) {
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    TRY(xs_rt_ready());
    if (mipmappedArray == NULL || desc == NULL || !format_of(desc, &descriptor.Format, &descriptor.NumChannels))
        return cudaErrorInvalidValue;
    return xs_rt_error(DRV(cuMipmappedArrayCreate)((CUmipmappedArray *)mipmappedArray, &descriptor, numLevels));
}

RT(cudaGetMipmappedArrayLevel,
   (cudaArray_t * levelArray, cudaMipmappedArray_const_t mipmappedArray, unsigned int level),
   (levelArray, mipmappedArray, level))
PASS_BODY(DRV(cuMipmappedArrayGetLevel)((CUarray *)levelArray, (CUmipmappedArray)mipmappedArray, level))

RT(cudaFreeMipmappedArray, (cudaMipmappedArray_t mipmappedArray), (mipmappedArray))
PASS_BODY(DRV(cuMipmappedArrayDestroy)((CUmipmappedArray)mipmappedArray))

static int bits_of(CUarray_format format) {
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 8;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 16;
    default:
        return 32;
    }
}

RT(cudaArrayGetInfo,
   (struct cudaChannelFormatDesc * desc, struct cudaExtent *extent, unsigned int *flags, cudaArray_t array),
   (desc, extent, flags, array)) {
    CUDA_ARRAY3D_DESCRIPTOR found;
    TRY(xs_rt_ready());
    TRY(xs_rt_error(DRV(cuArray3DGetDescriptor)(&found, (CUarray)array)));
    if (extent != NULL)
        *extent = (struct cudaExtent){found.Width, found.Height, found.Depth};
    if (flags != NULL)
        *flags = found.Flags;
    if (desc != NULL) {
        int bits = bits_of(found.Format);
        bool is_float = found.Format == CU_AD_FORMAT_FLOAT || found.Format == CU_AD_FORMAT_HALF;
        bool is_signed = found.Format >= CU_AD_FORMAT_SIGNED_INT8 && found.Format <= CU_AD_FORMAT_SIGNED_INT32;
        *desc = (struct cudaChannelFormatDesc){bits, found.NumChannels > 1 ? bits : 0, found.NumChannels > 2 ? bits : 0,
                                               found.NumChannels > 3 ? bits : 0,
                                               is_float    ? cudaChannelFormatKindFloat
                                               : is_signed ? cudaChannelFormatKindSigned
                                                           : cudaChannelFormatKindUnsigned};
    }
    return cudaSuccess;
}

XS_EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* ---- questions about memory ---- */

RT(cudaPointerGetAttributes, (struct cudaPointerAttributes * attributes, const void *ptr), (attributes, ptr)) {
    unsigned type = 0, managed = 0;
    int device = -2;
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *out[] = {&type, &managed, &device};
    TRY(xs_rt_ready());
    if (attributes == NULL)
        return cudaErrorInvalidValue;
    TRY(xs_rt_error(DRV(cuPointerGetAttributes)(3, wanted, out, (CUdeviceptr)ptr)));
    *attributes = (struct cudaPointerAttributes){
        .type = cudaMemoryTypeUnregistered, .device = device, .hostPointer = (void *)ptr};
    if (type == 0)
        return cudaSuccess;
    attributes->type = managed                      ? cudaMemoryTypeManaged
                       : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                    : cudaMemoryTypeDevice;
    attributes->devicePointer = (void *)ptr;
    if (attributes->type == cudaMemoryTypeDevice)
        attributes->hostPointer = NULL;
    return cudaSuccess;
}

static CUmemLocation place(struct cudaMemLocation location) {
    return (CUmemLocation){(CUmemLocationType)location.type, location.id};
}

RT_PTSZ(cudaMemPrefetchAsync,
        (const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags, cudaStream_t stream),
        (devPtr, count, location, flags, stream))
PASS_BODY(DRV(cuMemPrefetchAsync)((CUdeviceptr)devPtr, count, place(location), flags, stream))

RT_PTSZ(cudaMemPrefetchBatchAsync,
        (void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
         size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream),
        (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream))
PASS_BODY(DRV(cuMemPrefetchBatchAsync)((CUdeviceptr *)dptrs, sizes, count, (CUmemLocation *)prefetchLocs,
                                       prefetchLocIdxs, numPrefetchLocs, flags, stream))

RT(cudaMemAdvise, (const void *devPtr, size_t count, enum cudaMemoryAdvise advice, struct cudaMemLocation location),
   (devPtr, count, advice, location))
PASS_BODY(DRV(cuMemAdvise)((CUdeviceptr)devPtr, count, (CUmem_advise)advice, place(location)))

RT(cudaMemRangeGetAttribute,
   (void *data, size_t dataSize, enum cudaMemRangeAttribute attribute, const void *devPtr, size_t count),
   (data, dataSize, attribute, devPtr, count))
PASS_BODY(DRV(cuMemRangeGetAttribute)(data, dataSize, (CUmem_range_attribute)attribute, (CUdeviceptr)devPtr, count))

RT(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void *devPtr), (handle, devPtr))
PASS_BODY(DRV(cuIpcGetMemHandle)((CUipcMemHandle *)handle, (CUdeviceptr)devPtr))

RT(cudaIpcOpenMemHandle, (void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags), (devPtr, handle, flags)) {
    CUipcMemHandle opened;
    memcpy(&opened, &handle, sizeof(opened));
    TRY(xs_rt_ready());
    return xs_rt_error(DRV(cuIpcOpenMemHandle)((CUdeviceptr *)devPtr, opened, flags));
}

RT(cudaIpcCloseMemHandle, (void *devPtr), (devPtr))
PASS_BODY(DRV(cuIpcCloseMemHandle)((CUdeviceptr)devPtr))

RT(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event), (handle, event))
PASS_BODY(DRV(cuIpcGetEventHandle)((CUipcEventHandle *)handle, event))

RT(cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle), (event, handle)) {
    CUipcEventHandle opened;
    memcpy(&opened, &handle, sizeof(opened));
    TRY(xs_rt_ready());
    return xs_rt_error(DRV(cuIpcOpenEventHandle)(event, opened));
}

RT(cudaGetSymbolAddress, (void **devPtr, const void *symbol), (devPtr, symbol)) {
    size_t bytes;
    return xs_rt_variable(symbol, (CUdeviceptr *)devPtr, &bytes);
}

RT(cudaGetSymbolSize, (size_t * size, const void *symbol), (size, symbol)) {
    CUdeviceptr address;
    return xs_rt_variable(symbol, &address, size);
}

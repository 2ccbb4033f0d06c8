/* The driver entry points for allocation, registration, mapping, pools, arrays and queries about pointers: one row
 * each.
 *
 * Each row is EARLY, BARE, PLAIN, PTDS or PTSZ (name, symbol, since, (parameters), (arguments)): the name for
 * cuGetProcAddress, the exported symbol, the first CUDA version that has it, and its signature. EARLY entry points work
 * before cuInit. BARE entry points have no parameters structure in CUPTI. PTDS and PTSZ entry points have a second
 * symbol with this suffix, for programs whose default stream is per thread. A file that includes this one must define
 * the five macros. */

PLAIN(cuMemGetInfo, cuMemGetInfo_v2, 3020, (size_t * free, size_t *total), (free, total))
PLAIN(cuMemAlloc, cuMemAlloc_v2, 3020, (CUdeviceptr * dptr, size_t bytesize), (dptr, bytesize))
PLAIN(cuMemAllocPitch, cuMemAllocPitch_v2, 3020,
      (CUdeviceptr * dptr, size_t *pPitch, size_t WidthInBytes, size_t Height, unsigned int ElementSizeBytes),
      (dptr, pPitch, WidthInBytes, Height, ElementSizeBytes))
PLAIN(cuMemFree, cuMemFree_v2, 3020, (CUdeviceptr dptr), (dptr))
PLAIN(cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020, (CUdeviceptr * pbase, size_t *psize, CUdeviceptr dptr),
      (pbase, psize, dptr))
PLAIN(cuMemAllocHost, cuMemAllocHost_v2, 3020, (void **pp, size_t bytesize), (pp, bytesize))
PLAIN(cuMemFreeHost, cuMemFreeHost, 2000, (void *p), (p))
PLAIN(cuMemHostAlloc, cuMemHostAlloc, 2020, (void **pp, size_t bytesize, unsigned int Flags), (pp, bytesize, Flags))
PLAIN(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020, (CUdeviceptr * pdptr, void *p, unsigned int Flags),
      (pdptr, p, Flags))
PLAIN(cuMemHostGetFlags, cuMemHostGetFlags, 2030, (unsigned int *pFlags, void *p), (pFlags, p))
PLAIN(cuMemAllocManaged, cuMemAllocManaged, 6000, (CUdeviceptr * dptr, size_t bytesize, unsigned int flags),
      (dptr, bytesize, flags))
PLAIN(cuMemHostRegister, cuMemHostRegister_v2, 6050, (void *p, size_t bytesize, unsigned int Flags),
      (p, bytesize, Flags))
PLAIN(cuMemHostUnregister, cuMemHostUnregister, 4000, (void *p), (p))
PLAIN(cuIpcGetEventHandle, cuIpcGetEventHandle, 4010, (CUipcEventHandle * pHandle, CUevent event), (pHandle, event))
PLAIN(cuIpcOpenEventHandle, cuIpcOpenEventHandle, 4010, (CUevent * phEvent, CUipcEventHandle handle), (phEvent, handle))
PLAIN(cuIpcGetMemHandle, cuIpcGetMemHandle, 4010, (CUipcMemHandle * pHandle, CUdeviceptr dptr), (pHandle, dptr))
PLAIN(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, 11000,
      (CUdeviceptr * pdptr, CUipcMemHandle handle, unsigned int Flags), (pdptr, handle, Flags))
PLAIN(cuIpcCloseMemHandle, cuIpcCloseMemHandle, 4010, (CUdeviceptr dptr), (dptr))
PLAIN(cuPointerGetAttribute, cuPointerGetAttribute, 4000, (void *data, CUpointer_attribute attribute, CUdeviceptr ptr),
      (data, attribute, ptr))
PLAIN(cuPointerGetAttributes, cuPointerGetAttributes, 7000,
      (unsigned int numAttributes, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr),
      (numAttributes, attributes, data, ptr))
PLAIN(cuPointerSetAttribute, cuPointerSetAttribute, 6000,
      (const void *value, CUpointer_attribute attribute, CUdeviceptr ptr), (value, attribute, ptr))
PLAIN(cuMemRangeGetAttribute, cuMemRangeGetAttribute, 8000,
      (void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr, size_t count),
      (data, dataSize, attribute, devPtr, count))
PLAIN(cuMemRangeGetAttributes, cuMemRangeGetAttributes, 8000,
      (void **data, size_t *dataSizes, CUmem_range_attribute *attributes, size_t numAttributes, CUdeviceptr devPtr,
       size_t count),
      (data, dataSizes, attributes, numAttributes, devPtr, count))
PTSZ(cuMemAllocAsync, cuMemAllocAsync, 11020, (CUdeviceptr * dptr, size_t bytesize, CUstream hStream),
     (dptr, bytesize, hStream))
PTSZ(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020,
     (CUdeviceptr * dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream), (dptr, bytesize, pool, hStream))
PTSZ(cuMemFreeAsync, cuMemFreeAsync, 11020, (CUdeviceptr dptr, CUstream hStream), (dptr, hStream))
PLAIN(cuMemPoolCreate, cuMemPoolCreate, 11020, (CUmemoryPool * pool, const CUmemPoolProps *poolProps),
      (pool, poolProps))
PLAIN(cuMemPoolDestroy, cuMemPoolDestroy, 11020, (CUmemoryPool pool), (pool))
PLAIN(cuMemPoolTrimTo, cuMemPoolTrimTo, 11020, (CUmemoryPool pool, size_t minBytesToKeep), (pool, minBytesToKeep))
PLAIN(cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020, (CUmemoryPool pool, CUmemPool_attribute attr, void *value),
      (pool, attr, value))
PLAIN(cuMemPoolGetAttribute, cuMemPoolGetAttribute, 11020, (CUmemoryPool pool, CUmemPool_attribute attr, void *value),
      (pool, attr, value))
PLAIN(cuMemPoolSetAccess, cuMemPoolSetAccess, 11020, (CUmemoryPool pool, const CUmemAccessDesc *map, size_t count),
      (pool, map, count))
PLAIN(cuMemPoolGetAccess, cuMemPoolGetAccess, 11020,
      (CUmemAccess_flags * flags, CUmemoryPool memPool, CUmemLocation *location), (flags, memPool, location))
PLAIN(cuMemGetDefaultMemPool, cuMemGetDefaultMemPool, 13000,
      (CUmemoryPool * pool_out, CUmemLocation *location, CUmemAllocationType type), (pool_out, location, type))
PLAIN(cuMemGetMemPool, cuMemGetMemPool, 13000, (CUmemoryPool * pool, CUmemLocation *location, CUmemAllocationType type),
      (pool, location, type))
PLAIN(cuMemSetMemPool, cuMemSetMemPool, 13000, (CUmemLocation * location, CUmemAllocationType type, CUmemoryPool pool),
      (location, type, pool))
PLAIN(cuMemAddressReserve, cuMemAddressReserve, 10020,
      (CUdeviceptr * ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags),
      (ptr, size, alignment, addr, flags))
PLAIN(cuMemAddressFree, cuMemAddressFree, 10020, (CUdeviceptr ptr, size_t size), (ptr, size))
PLAIN(cuMemCreate, cuMemCreate, 10020,
      (CUmemGenericAllocationHandle * handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags),
      (handle, size, prop, flags))
PLAIN(cuMemRelease, cuMemRelease, 10020, (CUmemGenericAllocationHandle handle), (handle))
PLAIN(cuMemMap, cuMemMap, 10020,
      (CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags),
      (ptr, size, offset, handle, flags))
PLAIN(cuMemUnmap, cuMemUnmap, 10020, (CUdeviceptr ptr, size_t size), (ptr, size))
PLAIN(cuMemSetAccess, cuMemSetAccess, 10020, (CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count),
      (ptr, size, desc, count))
PLAIN(cuMemGetAccess, cuMemGetAccess, 10020,
      (unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr), (flags, location, ptr))
PLAIN(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020,
      (size_t * granularity, const CUmemAllocationProp *prop, CUmemAllocationGranularity_flags option),
      (granularity, prop, option))
PLAIN(cuMemGetAllocationPropertiesFromHandle, cuMemGetAllocationPropertiesFromHandle, 10020,
      (CUmemAllocationProp * prop, CUmemGenericAllocationHandle handle), (prop, handle))
PLAIN(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle, 11000,
      (CUmemGenericAllocationHandle * handle, void *addr), (handle, addr))
PLAIN(cuMemExportToShareableHandle, cuMemExportToShareableHandle, 10020,
      (void *shareableHandle, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType handleType,
       unsigned long long flags),
      (shareableHandle, handle, handleType, flags))
PLAIN(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle, 10020,
      (CUmemGenericAllocationHandle * handle, void *osHandle, CUmemAllocationHandleType shHandleType),
      (handle, osHandle, shHandleType))
PLAIN(cuArrayCreate, cuArrayCreate_v2, 3020, (CUarray * pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray),
      (pHandle, pAllocateArray))
PLAIN(cuArrayGetDescriptor, cuArrayGetDescriptor_v2, 3020, (CUDA_ARRAY_DESCRIPTOR * pArrayDescriptor, CUarray hArray),
      (pArrayDescriptor, hArray))
PLAIN(cuArrayDestroy, cuArrayDestroy, 2000, (CUarray hArray), (hArray))
PLAIN(cuArray3DCreate, cuArray3DCreate_v2, 3020, (CUarray * pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray),
      (pHandle, pAllocateArray))
PLAIN(cuArray3DGetDescriptor, cuArray3DGetDescriptor_v2, 3020,
      (CUDA_ARRAY3D_DESCRIPTOR * pArrayDescriptor, CUarray hArray), (pArrayDescriptor, hArray))
PLAIN(cuMipmappedArrayCreate, cuMipmappedArrayCreate, 5000,
      (CUmipmappedArray * pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc, unsigned int numMipmapLevels),
      (pHandle, pMipmappedArrayDesc, numMipmapLevels))
PLAIN(cuMipmappedArrayGetLevel, cuMipmappedArrayGetLevel, 5000,
      (CUarray * pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level),
      (pLevelArray, hMipmappedArray, level))
PLAIN(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy, 5000, (CUmipmappedArray hMipmappedArray), (hMipmappedArray))
PLAIN(cuImportExternalMemory, cuImportExternalMemory, 10000,
      (CUexternalMemory * extMem_out, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *memHandleDesc),
      (extMem_out, memHandleDesc))
PLAIN(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer, 10000,
      (CUdeviceptr * devPtr, CUexternalMemory extMem, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *bufferDesc),
      (devPtr, extMem, bufferDesc))
PLAIN(cuDestroyExternalMemory, cuDestroyExternalMemory, 10000, (CUexternalMemory extMem), (extMem))

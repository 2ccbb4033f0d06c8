/* The driver entry points for initialisation, errors, devices, contexts and peer access: one row each.
 *
 * Each row is EARLY, BARE, PLAIN, PTDS or PTSZ (name, symbol, since, (parameters), (arguments)): the name for
 * cuGetProcAddress, the exported symbol, the first CUDA version that has it, and its signature. EARLY entry points work
 * before cuInit. BARE entry points have no parameters structure in CUPTI. PTDS and PTSZ entry points have a second
 * symbol with this suffix, for programs whose default stream is per thread. A file that includes this one must define
 * the five macros. */

EARLY(cuInit, cuInit, 2000, (unsigned int Flags), (Flags))
EARLY(cuDriverGetVersion, cuDriverGetVersion, 2020, (int *driverVersion), (driverVersion))
EARLY(cuGetErrorString, cuGetErrorString, 6000, (CUresult error, const char **pStr), (error, pStr))
EARLY(cuGetErrorName, cuGetErrorName, 6000, (CUresult error, const char **pStr), (error, pStr))
EARLY(cuGetProcAddress, cuGetProcAddress, 11030, (const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags),
      (symbol, pfn, cudaVersion, flags))
EARLY(cuGetProcAddress, cuGetProcAddress_v2, 12000,
      (const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags, CUdriverProcAddressQueryResult *symbolStatus),
      (symbol, pfn, cudaVersion, flags, symbolStatus))
EARLY(cuGetExportTable, cuGetExportTable, 3000, (const void **ppExportTable, const CUuuid *pExportTableId),
      (ppExportTable, pExportTableId))
PLAIN(cuDeviceGet, cuDeviceGet, 2000, (CUdevice * device, int ordinal), (device, ordinal))
PLAIN(cuDeviceGetCount, cuDeviceGetCount, 2000, (int *count), (count))
PLAIN(cuDeviceGetName, cuDeviceGetName, 2000, (char *name, int len, CUdevice dev), (name, len, dev))
PLAIN(cuDeviceGetUuid, cuDeviceGetUuid, 9020, (CUuuid * uuid, CUdevice dev), (uuid, dev))
PLAIN(cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, (CUuuid * uuid, CUdevice dev), (uuid, dev))
PLAIN(cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020, (size_t * bytes, CUdevice dev), (bytes, dev))
PLAIN(cuDeviceGetAttribute, cuDeviceGetAttribute, 2000, (int *pi, CUdevice_attribute attrib, CUdevice dev),
      (pi, attrib, dev))
PLAIN(cuDeviceGetProperties, cuDeviceGetProperties, 2000, (CUdevprop * prop, CUdevice dev), (prop, dev))
PLAIN(cuDeviceComputeCapability, cuDeviceComputeCapability, 2000, (int *major, int *minor, CUdevice dev),
      (major, minor, dev))
PLAIN(cuDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, 4010, (CUdevice * dev, const char *pciBusId), (dev, pciBusId))
PLAIN(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010, (char *pciBusId, int len, CUdevice dev), (pciBusId, len, dev))
PLAIN(cuDeviceGetLuid, cuDeviceGetLuid, 10000, (char *luid, unsigned int *deviceNodeMask, CUdevice dev),
      (luid, deviceNodeMask, dev))
PLAIN(cuDeviceGetP2PAttribute, cuDeviceGetP2PAttribute, 8000,
      (int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice),
      (value, attrib, srcDevice, dstDevice))
PLAIN(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, 4000, (int *canAccessPeer, CUdevice dev, CUdevice peerDev),
      (canAccessPeer, dev, peerDev))
PLAIN(cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020, (CUmemoryPool * pool_out, CUdevice dev),
      (pool_out, dev))
PLAIN(cuDeviceGetMemPool, cuDeviceGetMemPool, 11020, (CUmemoryPool * pool, CUdevice dev), (pool, dev))
PLAIN(cuDeviceSetMemPool, cuDeviceSetMemPool, 11020, (CUdevice dev, CUmemoryPool pool), (dev, pool))
PLAIN(cuDeviceGetTexture1DLinearMaxWidth, cuDeviceGetTexture1DLinearMaxWidth, 11010,
      (size_t * maxWidthInElements, CUarray_format format, unsigned numChannels, CUdevice dev),
      (maxWidthInElements, format, numChannels, dev))
PLAIN(cuFlushGPUDirectRDMAWrites, cuFlushGPUDirectRDMAWrites, 11030,
      (CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope), (target, scope))
PLAIN(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, (CUcontext * pctx, CUdevice dev), (pctx, dev))
PLAIN(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 7000, (CUdevice dev), (dev))
PLAIN(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000, (CUdevice dev), (dev))
PLAIN(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags, 7000, (CUdevice dev, unsigned int flags), (dev, flags))
PLAIN(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000, (CUdevice dev, unsigned int flags),
      (dev, flags))
PLAIN(cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000, (CUdevice dev, unsigned int *flags, int *active),
      (dev, flags, active))
PLAIN(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 7000, (CUdevice dev), (dev))
PLAIN(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000, (CUdevice dev), (dev))
PLAIN(cuCtxCreate, cuCtxCreate_v2, 3020, (CUcontext * pctx, unsigned int flags, CUdevice dev), (pctx, flags, dev))
PLAIN(cuCtxCreate, cuCtxCreate_v3, 11040,
      (CUcontext * pctx, CUexecAffinityParam *paramsArray, int numParams, unsigned int flags, CUdevice dev),
      (pctx, paramsArray, numParams, flags, dev))
PLAIN(cuCtxCreate, cuCtxCreate_v4, 12050,
      (CUcontext * pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev),
      (pctx, ctxCreateParams, flags, dev))
PLAIN(cuCtxDestroy, cuCtxDestroy_v2, 4000, (CUcontext ctx), (ctx))
PLAIN(cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, (CUcontext ctx), (ctx))
PLAIN(cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, (CUcontext * pctx), (pctx))
PLAIN(cuCtxSetCurrent, cuCtxSetCurrent, 4000, (CUcontext ctx), (ctx))
PLAIN(cuCtxGetCurrent, cuCtxGetCurrent, 4000, (CUcontext * pctx), (pctx))
PLAIN(cuCtxGetDevice, cuCtxGetDevice, 2000, (CUdevice * device), (device))
PLAIN(cuCtxGetDevice, cuCtxGetDevice_v2, 13000, (CUdevice * device, CUcontext ctx), (device, ctx))
PLAIN(cuCtxGetFlags, cuCtxGetFlags, 7000, (unsigned int *flags), (flags))
PLAIN(cuCtxSetFlags, cuCtxSetFlags, 12010, (unsigned int flags), (flags))
PLAIN(cuCtxGetId, cuCtxGetId, 12000, (CUcontext ctx, unsigned long long *ctxId), (ctx, ctxId))
BARE(cuCtxSynchronize, cuCtxSynchronize, 2000, (void), ())
PLAIN(cuCtxSynchronize, cuCtxSynchronize_v2, 13000, (CUcontext ctx), (ctx))
PLAIN(cuCtxSetLimit, cuCtxSetLimit, 3010, (CUlimit limit, size_t value), (limit, value))
PLAIN(cuCtxGetLimit, cuCtxGetLimit, 3010, (size_t * pvalue, CUlimit limit), (pvalue, limit))
PLAIN(cuCtxGetCacheConfig, cuCtxGetCacheConfig, 3020, (CUfunc_cache * pconfig), (pconfig))
PLAIN(cuCtxSetCacheConfig, cuCtxSetCacheConfig, 3020, (CUfunc_cache config), (config))
PLAIN(cuCtxGetApiVersion, cuCtxGetApiVersion, 3020, (CUcontext ctx, unsigned int *version), (ctx, version))
PLAIN(cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050, (int *leastPriority, int *greatestPriority),
      (leastPriority, greatestPriority))
BARE(cuCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, 11000, (void), ())
BARE(cuProfilerStart, cuProfilerStart, 4000, (void), ())
BARE(cuProfilerStop, cuProfilerStop, 4000, (void), ())
PLAIN(cuCtxAttach, cuCtxAttach, 2000, (CUcontext * pctx, unsigned int flags), (pctx, flags))
PLAIN(cuCtxDetach, cuCtxDetach, 2000, (CUcontext ctx), (ctx))
PLAIN(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, 4000, (CUcontext peerContext, unsigned int Flags),
      (peerContext, Flags))
PLAIN(cuCtxDisablePeerAccess, cuCtxDisablePeerAccess, 4000, (CUcontext peerContext), (peerContext))
PLAIN(cuCheckpointProcessGetState, cuCheckpointProcessGetState, 12080, (int pid, CUprocessState *state), (pid, state))
PLAIN(cuCheckpointProcessGetRestoreThreadId, cuCheckpointProcessGetRestoreThreadId, 12080, (int pid, int *tid),
      (pid, tid))
PLAIN(cuCheckpointProcessLock, cuCheckpointProcessLock, 12080, (int pid, CUcheckpointLockArgs *args), (pid, args))
PLAIN(cuCheckpointProcessCheckpoint, cuCheckpointProcessCheckpoint, 12080, (int pid, CUcheckpointCheckpointArgs *args),
      (pid, args))
PLAIN(cuCheckpointProcessRestore, cuCheckpointProcessRestore, 12080, (int pid, CUcheckpointRestoreArgs *args),
      (pid, args))
PLAIN(cuCheckpointProcessUnlock, cuCheckpointProcessUnlock, 12080, (int pid, CUcheckpointUnlockArgs *args), (pid, args))

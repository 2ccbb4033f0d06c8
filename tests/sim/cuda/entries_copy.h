/* The driver entry points for copies, memory sets, prefetches, advice and stream memory operations: one row each.
 *
 * Each row is EARLY, BARE, PLAIN, PTDS or PTSZ (name, symbol, since, (parameters), (arguments)): the name for
 * cuGetProcAddress, the exported symbol, the first CUDA version that has it, and its signature. EARLY entry points work
 * before cuInit. BARE entry points have no parameters structure in CUPTI. PTDS and PTSZ entry points have a second
 * symbol with this suffix, for programs whose default stream is per thread. A file that includes this one must define
 * the five macros. */

PTDS(cuMemcpy, cuMemcpy, 4000, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount), (dst, src, ByteCount))
PTDS(cuMemcpyPeer, cuMemcpyPeer, 4000,
     (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount),
     (dstDevice, dstContext, srcDevice, srcContext, ByteCount))
PTDS(cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020, (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount),
     (dstDevice, srcHost, ByteCount))
PTDS(cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020, (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount),
     (dstHost, srcDevice, ByteCount))
PTDS(cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020, (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount),
     (dstDevice, srcDevice, ByteCount))
PTDS(cuMemcpyDtoA, cuMemcpyDtoA_v2, 3020, (CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount),
     (dstArray, dstOffset, srcDevice, ByteCount))
PTDS(cuMemcpyAtoD, cuMemcpyAtoD_v2, 3020, (CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount),
     (dstDevice, srcArray, srcOffset, ByteCount))
PTDS(cuMemcpyHtoA, cuMemcpyHtoA_v2, 3020, (CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount),
     (dstArray, dstOffset, srcHost, ByteCount))
PTDS(cuMemcpyAtoH, cuMemcpyAtoH_v2, 3020, (void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount),
     (dstHost, srcArray, srcOffset, ByteCount))
PTDS(cuMemcpyAtoA, cuMemcpyAtoA_v2, 3020,
     (CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount),
     (dstArray, dstOffset, srcArray, srcOffset, ByteCount))
PTDS(cuMemcpy2D, cuMemcpy2D_v2, 3020, (const CUDA_MEMCPY2D *pCopy), (pCopy))
PTDS(cuMemcpy2DUnaligned, cuMemcpy2DUnaligned_v2, 3020, (const CUDA_MEMCPY2D *pCopy), (pCopy))
PTDS(cuMemcpy3D, cuMemcpy3D_v2, 3020, (const CUDA_MEMCPY3D *pCopy), (pCopy))
PTDS(cuMemcpy3DPeer, cuMemcpy3DPeer, 4000, (const CUDA_MEMCPY3D_PEER *pCopy), (pCopy))
PTSZ(cuMemcpyAsync, cuMemcpyAsync, 4000, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream),
     (dst, src, ByteCount, hStream))
PTSZ(cuMemcpyPeerAsync, cuMemcpyPeerAsync, 4000,
     (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext, size_t ByteCount,
      CUstream hStream),
     (dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream))
PTSZ(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020,
     (CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream),
     (dstDevice, srcHost, ByteCount, hStream))
PTSZ(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020,
     (void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
     (dstHost, srcDevice, ByteCount, hStream))
PTSZ(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020,
     (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
     (dstDevice, srcDevice, ByteCount, hStream))
PTSZ(cuMemcpyHtoAAsync, cuMemcpyHtoAAsync_v2, 3020,
     (CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount, CUstream hStream),
     (dstArray, dstOffset, srcHost, ByteCount, hStream))
PTSZ(cuMemcpyAtoHAsync, cuMemcpyAtoHAsync_v2, 3020,
     (void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount, CUstream hStream),
     (dstHost, srcArray, srcOffset, ByteCount, hStream))
PTSZ(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, 3020, (const CUDA_MEMCPY2D *pCopy, CUstream hStream), (pCopy, hStream))
PTSZ(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, 3020, (const CUDA_MEMCPY3D *pCopy, CUstream hStream), (pCopy, hStream))
PTSZ(cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync, 4000, (const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream),
     (pCopy, hStream))
PTSZ(cuMemcpyBatchAsync, cuMemcpyBatchAsync, 12080,
     (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
      size_t numAttrs, size_t *failIdx, CUstream hStream),
     (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, hStream))
PTSZ(cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2, 13000,
     (CUdeviceptr * dsts, CUdeviceptr *srcs, size_t *sizes, size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
      size_t numAttrs, CUstream hStream),
     (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream))
PTSZ(cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync, 12080,
     (size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx, unsigned long long flags, CUstream hStream),
     (numOps, opList, failIdx, flags, hStream))
PTSZ(cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_v2, 13000,
     (size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags, CUstream hStream),
     (numOps, opList, flags, hStream))
PTDS(cuMemsetD8, cuMemsetD8_v2, 3020, (CUdeviceptr dstDevice, unsigned char uc, size_t N), (dstDevice, uc, N))
PTDS(cuMemsetD16, cuMemsetD16_v2, 3020, (CUdeviceptr dstDevice, unsigned short us, size_t N), (dstDevice, us, N))
PTDS(cuMemsetD32, cuMemsetD32_v2, 3020, (CUdeviceptr dstDevice, unsigned int ui, size_t N), (dstDevice, ui, N))
PTDS(cuMemsetD2D8, cuMemsetD2D8_v2, 3020,
     (CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height),
     (dstDevice, dstPitch, uc, Width, Height))
PTDS(cuMemsetD2D16, cuMemsetD2D16_v2, 3020,
     (CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height),
     (dstDevice, dstPitch, us, Width, Height))
PTDS(cuMemsetD2D32, cuMemsetD2D32_v2, 3020,
     (CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height),
     (dstDevice, dstPitch, ui, Width, Height))
PTSZ(cuMemsetD8Async, cuMemsetD8Async, 3020, (CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream),
     (dstDevice, uc, N, hStream))
PTSZ(cuMemsetD16Async, cuMemsetD16Async, 3020, (CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream),
     (dstDevice, us, N, hStream))
PTSZ(cuMemsetD32Async, cuMemsetD32Async, 3020, (CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream),
     (dstDevice, ui, N, hStream))
PTSZ(cuMemsetD2D8Async, cuMemsetD2D8Async, 3020,
     (CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height, CUstream hStream),
     (dstDevice, dstPitch, uc, Width, Height, hStream))
PTSZ(cuMemsetD2D16Async, cuMemsetD2D16Async, 3020,
     (CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height, CUstream hStream),
     (dstDevice, dstPitch, us, Width, Height, hStream))
PTSZ(cuMemsetD2D32Async, cuMemsetD2D32Async, 3020,
     (CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height, CUstream hStream),
     (dstDevice, dstPitch, ui, Width, Height, hStream))
PTSZ(cuMemPrefetchAsync, cuMemPrefetchAsync, 8000,
     (CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream), (devPtr, count, dstDevice, hStream))
PTSZ(cuMemPrefetchAsync, cuMemPrefetchAsync_v2, 12020,
     (CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags, CUstream hStream),
     (devPtr, count, location, flags, hStream))
PTSZ(cuMemPrefetchBatchAsync, cuMemPrefetchBatchAsync, 13000,
     (CUdeviceptr * dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
      size_t numPrefetchLocs, unsigned long long flags, CUstream hStream),
     (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, hStream))
PTSZ(cuMemDiscardBatchAsync, cuMemDiscardBatchAsync, 13000,
     (CUdeviceptr * dptrs, size_t *sizes, size_t count, unsigned long long flags, CUstream hStream),
     (dptrs, sizes, count, flags, hStream))
PTSZ(cuMemDiscardAndPrefetchBatchAsync, cuMemDiscardAndPrefetchBatchAsync, 13000,
     (CUdeviceptr * dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
      size_t numPrefetchLocs, unsigned long long flags, CUstream hStream),
     (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, hStream))
PLAIN(cuMemAdvise, cuMemAdvise, 8000, (CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device),
      (devPtr, count, advice, device))
PLAIN(cuMemAdvise, cuMemAdvise_v2, 12020,
      (CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location),
      (devPtr, count, advice, location))
PTSZ(cuStreamWriteValue32, cuStreamWriteValue32_v2, 11070,
     (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags), (stream, addr, value, flags))
PTSZ(cuStreamWriteValue64, cuStreamWriteValue64_v2, 11070,
     (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags), (stream, addr, value, flags))
PTSZ(cuStreamWaitValue32, cuStreamWaitValue32_v2, 11070,
     (CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags), (stream, addr, value, flags))
PTSZ(cuStreamWaitValue64, cuStreamWaitValue64_v2, 11070,
     (CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags), (stream, addr, value, flags))
PTSZ(cuStreamBatchMemOp, cuStreamBatchMemOp_v2, 11070,
     (CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray, unsigned int flags),
     (stream, count, paramArray, flags))

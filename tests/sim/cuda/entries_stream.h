/* The driver entry points for streams, events and capture: one row each.
 *
 * Each row is EARLY, BARE, PLAIN, PTDS or PTSZ (name, symbol, since, (parameters), (arguments)): the name for
 * cuGetProcAddress, the exported symbol, the first CUDA version that has it, and its signature. EARLY entry points work
 * before cuInit. BARE entry points have no parameters structure in CUPTI. PTDS and PTSZ entry points have a second
 * symbol with this suffix, for programs whose default stream is per thread. A file that includes this one must define
 * the five macros. */

PLAIN(cuStreamCreate, cuStreamCreate, 2000, (CUstream * phStream, unsigned int Flags), (phStream, Flags))
PLAIN(cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050,
      (CUstream * phStream, unsigned int flags, int priority), (phStream, flags, priority))
PTSZ(cuStreamGetPriority, cuStreamGetPriority, 5050, (CUstream hStream, int *priority), (hStream, priority))
PTSZ(cuStreamGetDevice, cuStreamGetDevice, 12080, (CUstream hStream, CUdevice *device), (hStream, device))
PTSZ(cuStreamGetFlags, cuStreamGetFlags, 5050, (CUstream hStream, unsigned int *flags), (hStream, flags))
PTSZ(cuStreamGetId, cuStreamGetId, 12000, (CUstream hStream, unsigned long long *streamId), (hStream, streamId))
PTSZ(cuStreamGetCtx, cuStreamGetCtx, 9020, (CUstream hStream, CUcontext *pctx), (hStream, pctx))
PTSZ(cuStreamWaitEvent, cuStreamWaitEvent, 3020, (CUstream hStream, CUevent hEvent, unsigned int Flags),
     (hStream, hEvent, Flags))
PTSZ(cuStreamAddCallback, cuStreamAddCallback, 5000,
     (CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags),
     (hStream, callback, userData, flags))
PTSZ(cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010, (CUstream hStream, CUstreamCaptureMode mode),
     (hStream, mode))
PTSZ(cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030,
     (CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData,
      size_t numDependencies, CUstreamCaptureMode mode),
     (hStream, hGraph, dependencies, dependencyData, numDependencies, mode))
PLAIN(cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010, (CUstreamCaptureMode * mode), (mode))
PTSZ(cuStreamEndCapture, cuStreamEndCapture, 10000, (CUstream hStream, CUgraph *phGraph), (hStream, phGraph))
PTSZ(cuStreamIsCapturing, cuStreamIsCapturing, 10000, (CUstream hStream, CUstreamCaptureStatus *captureStatus),
     (hStream, captureStatus))
PTSZ(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo, 10010,
     (CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out),
     (hStream, captureStatus_out, id_out))
PTSZ(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, 11030,
     (CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
      const CUgraphNode **dependencies_out, size_t *numDependencies_out),
     (hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out))
PTSZ(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030,
     (CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out, CUgraph *graph_out,
      const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out),
     (hStream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out))
PTSZ(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies, 11030,
     (CUstream hStream, CUgraphNode *dependencies, size_t numDependencies, unsigned int flags),
     (hStream, dependencies, numDependencies, flags))
PTSZ(cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2, 12030,
     (CUstream hStream, CUgraphNode *dependencies, const CUgraphEdgeData *dependencyData, size_t numDependencies,
      unsigned int flags),
     (hStream, dependencies, dependencyData, numDependencies, flags))
PTSZ(cuStreamAttachMemAsync, cuStreamAttachMemAsync, 6000,
     (CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags), (hStream, dptr, length, flags))
PTSZ(cuStreamQuery, cuStreamQuery, 2000, (CUstream hStream), (hStream))
PTSZ(cuStreamSynchronize, cuStreamSynchronize, 2000, (CUstream hStream), (hStream))
PLAIN(cuStreamDestroy, cuStreamDestroy_v2, 4000, (CUstream hStream), (hStream))
PTSZ(cuStreamCopyAttributes, cuStreamCopyAttributes, 11000, (CUstream dst, CUstream src), (dst, src))
PTSZ(cuStreamGetAttribute, cuStreamGetAttribute, 11000,
     (CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue *value_out), (hStream, attr, value_out))
PTSZ(cuStreamSetAttribute, cuStreamSetAttribute, 11000,
     (CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue *value), (hStream, attr, value))
PLAIN(cuEventCreate, cuEventCreate, 2000, (CUevent * phEvent, unsigned int Flags), (phEvent, Flags))
PTSZ(cuEventRecord, cuEventRecord, 2000, (CUevent hEvent, CUstream hStream), (hEvent, hStream))
PTSZ(cuEventRecordWithFlags, cuEventRecordWithFlags, 11010, (CUevent hEvent, CUstream hStream, unsigned int flags),
     (hEvent, hStream, flags))
PLAIN(cuEventQuery, cuEventQuery, 2000, (CUevent hEvent), (hEvent))
PLAIN(cuEventSynchronize, cuEventSynchronize, 2000, (CUevent hEvent), (hEvent))
PLAIN(cuEventDestroy, cuEventDestroy_v2, 4000, (CUevent hEvent), (hEvent))
PLAIN(cuEventElapsedTime, cuEventElapsedTime, 2000, (float *pMilliseconds, CUevent hStart, CUevent hEnd),
      (pMilliseconds, hStart, hEnd))
PLAIN(cuEventElapsedTime, cuEventElapsedTime_v2, 12080, (float *pMilliseconds, CUevent hStart, CUevent hEnd),
      (pMilliseconds, hStart, hEnd))

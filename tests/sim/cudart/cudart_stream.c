/* Streams, events and capture. */
#include "cudart.h"

RT(cudaStreamCreate, (cudaStream_t * pStream), (pStream))
PASS_BODY(DRV(cuStreamCreate)(pStream, CU_STREAM_DEFAULT))

RT(cudaStreamCreateWithFlags, (cudaStream_t * pStream, unsigned int flags), (pStream, flags))
PASS_BODY(DRV(cuStreamCreate)(pStream, flags))

RT(cudaStreamCreateWithPriority, (cudaStream_t * pStream, unsigned int flags, int priority), (pStream, flags, priority))
PASS_BODY(DRV(cuStreamCreateWithPriority)(pStream, flags, priority))

RT(cudaStreamDestroy, (cudaStream_t stream), (stream))
PASS_BODY(DRV(cuStreamDestroy)(stream))

RT_PTSZ(cudaStreamSynchronize, (cudaStream_t stream), (stream))
PASS_BODY(DRV(cuStreamSynchronize)(stream))

RT_PTSZ(cudaStreamQuery, (cudaStream_t stream), (stream))
PASS_BODY(DRV(cuStreamQuery)(stream))

RT_PTSZ(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags), (stream, event, flags))
PASS_BODY(DRV(cuStreamWaitEvent)(stream, event, flags))

RT_PTSZ(cudaStreamGetFlags, (cudaStream_t hStream, unsigned int *flags), (hStream, flags))
PASS_BODY(DRV(cuStreamGetFlags)(hStream, flags))

RT_PTSZ(cudaStreamGetPriority, (cudaStream_t hStream, int *priority), (hStream, priority))
PASS_BODY(DRV(cuStreamGetPriority)(hStream, priority))

RT_PTSZ(cudaStreamGetId, (cudaStream_t hStream, unsigned long long *streamId), (hStream, streamId))
PASS_BODY(DRV(cuStreamGetId)(hStream, streamId))

RT_PTSZ(cudaStreamGetDevice, (cudaStream_t hStream, int *device), (hStream, device))
PASS_BODY(DRV(cuStreamGetDevice)(hStream, device))

/* The two callback types differ in the type of the status alone. */
RT_PTSZ(cudaStreamAddCallback, (cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags),
        (stream, callback, userData, flags))
PASS_BODY(DRV(cuStreamAddCallback)(stream, (CUstreamCallback)(void (*)(void))callback, userData, flags))

RT_PTSZ(cudaStreamAttachMemAsync, (cudaStream_t stream, void *devPtr, size_t length, unsigned int flags),
        (stream, devPtr, length, flags))
PASS_BODY(DRV(cuStreamAttachMemAsync)(stream, (CUdeviceptr)devPtr, length, flags))

/* ---- events ---- */

RT(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned int flags), (event, flags))
PASS_BODY(DRV(cuEventCreate)(event, flags))

RT(cudaEventCreate, (cudaEvent_t * event), (event))
PASS_BODY(DRV(cuEventCreate)(event, CU_EVENT_DEFAULT))

RT_PTSZ(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
PASS_BODY(DRV(cuEventRecord)(event, stream))

RT_PTSZ(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned int flags), (event, stream, flags))
PASS_BODY(DRV(cuEventRecordWithFlags)(event, stream, flags))

RT(cudaEventQuery, (cudaEvent_t event), (event))
PASS_BODY(DRV(cuEventQuery)(event))

RT(cudaEventSynchronize, (cudaEvent_t event), (event))
PASS_BODY(DRV(cuEventSynchronize)(event))

RT(cudaEventDestroy, (cudaEvent_t event), (event))
PASS_BODY(DRV(cuEventDestroy)(event))

RT(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end), (ms, start, end))
PASS_BODY(DRV(cuEventElapsedTime)(ms, start, end))

/* ---- capture ---- */

RT_PTSZ(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode))
PASS_BODY(DRV(cuStreamBeginCapture)(stream, (CUstreamCaptureMode)mode))

RT_PTSZ(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *pGraph), (stream, pGraph))
PASS_BODY(DRV(cuStreamEndCapture)(stream, pGraph))

RT_PTSZ(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus),
        (stream, pCaptureStatus))
PASS_BODY(DRV(cuStreamIsCapturing)(stream, (CUstreamCaptureStatus *)pCaptureStatus))

RT_PTSZ(cudaStreamGetCaptureInfo,
        (cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out, unsigned long long *id_out,
         cudaGraph_t *graph_out, const cudaGraphNode_t **dependencies_out, const cudaGraphEdgeData **edgeData_out,
         size_t *numDependencies_out),
        (stream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out))
PASS_BODY(DRV(cuStreamGetCaptureInfo)(stream, (CUstreamCaptureStatus *)captureStatus_out, (cuuint64_t *)id_out,
                                      graph_out, dependencies_out, (const CUgraphEdgeData **)(void *)edgeData_out,
                                      numDependencies_out))

RT(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode), (mode))
PASS_BODY(DRV(cuThreadExchangeStreamCaptureMode)((CUstreamCaptureMode *)mode))

/* Lists the repairs of findings. A repair is a change of the run: something that a program which follows the remedy
 * would not do, or would do differently. Each detector names its repair (detector.h), and plan/plan_repairs.c converts
 * it into changes of the replay. "Rows" are the rows of evidence of an instance. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_REPAIR_KIND_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_REPAIR_KIND_H

enum xs_repair_kind {
    XS_REPAIR_OF_DETECTOR, /* in a verdict: the repair of the detector is used; in a detector: there is no repair */
    XS_REPAIR_DROP,        /* drop the copy or memset of the first row */
    XS_REPAIR_DROP_BOTH,   /* drop the first row's copy and, if the host does not need it, the second row's copy, which
                            * is decided by downloads_read.h where the copy was watched */
    XS_REPAIR_PEER_COPY,   /* replace the upload by a copy from device to device; drop the second row as in DROP_BOTH */
    XS_REPAIR_GATHER,      /* join the copies of the place, from the first row's copy to the second row's copy, into one
                            * copy */
    XS_REPAIR_SHORTEN,     /* make the copy or kernel move less, or faster; its device time shrinks by the instance's
                            * removable time */
    XS_REPAIR_PIN,         /* page-lock the copy's host memory, once for all copies of that memory */
    XS_REPAIR_MEMSET,      /* replace the upload by a memset on the device */
    XS_REPAIR_DEVICE_COPY, /* replace the upload by a copy on the device */
    XS_REPAIR_KEEP, /* drop the first row's allocation and the second row's free; if the rows are calls, drop both */
    XS_REPAIR_NOT_ALLOCATE, /* drop the first row's allocation and its free */
    XS_REPAIR_UNPIN,        /* make the memory that the first row page-locks pageable; its copies then take longer */
    XS_REPAIR_OVERLAP,      /* make the copy wait only for other copies, and let no kernel wait for it */
    XS_REPAIR_PREFETCH, /* send the managed memory's pages to the device before kernels use them for the first time */
    XS_REPAIR_KEEP_ON_DEVICE, /* keep the managed memory's pages on the device that runs the kernels */
    XS_REPAIR_READ_LATER,     /* let the download return at once, or drop it if the host does not need its data */
    XS_REPAIR_READ_ONCE, /* drop the download, but keep the last download of the finding; the statement's work before
                          * the call may stay */
    XS_REPAIR_NOT_WAIT,  /* let the first row's copy and the second row's wait return at once */
    XS_REPAIR_HOST_COPY, /* copy from host to host by the processor, without a call of CUDA */
    XS_REPAIR_WORK_ON_DEVICE, /* drop the download, and the host's work until the thread gives the device more work; if
                               * nobody reads the download, the work stays */
    XS_REPAIR_PREPARE_ON_DEVICE, /* drop the host's work before the upload, or a part of it; perhaps drop the upload,
                                  * too */
    XS_REPAIR_GRAPH,             /* launch the kernels, from the first row's kernel to the second row's kernel, by one
                                  * graph */
    XS_REPAIR_OWN_STREAM,        /* give each thread its own stream instead of the legacy default stream */
};

#endif

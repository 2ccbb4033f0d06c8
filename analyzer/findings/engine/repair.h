/* The repairs that findings stand for, as changes to the run: what would not happen any more, or differently, if the
 * program were changed as the finding's remedy says. Each detector names its own (detector.h); causes/plan.c makes
 * changes of the replay of them. The rows are those of an instance's evidence. */
#ifndef XFERSPY_ANALYZER_ENGINE_REPAIR_H
#define XFERSPY_ANALYZER_ENGINE_REPAIR_H

enum xs_repair {
    XS_REPAIR_OF_DETECTOR,   /* of a verdict: the detector's; of a detector: there is none */
    XS_REPAIR_DROP,          /* the copy or memset of the first row is not made */
    XS_REPAIR_DROP_BOTH,     /* nor, where the host does not need it, the copy of the second row */
    XS_REPAIR_PEER_COPY,     /* a copy from device to device in place of the upload, and the second row as there */
    XS_REPAIR_GATHER,        /* the copies of the place from the first row to the second are one copy */
    XS_REPAIR_SHORTEN,       /* the copy moves less, or faster: its device's time is less by the instance's removable */
    XS_REPAIR_PIN,           /* the copy's host memory is page-locked, once for all copies of that memory */
    XS_REPAIR_MEMSET,        /* a memset on the device in place of the upload */
    XS_REPAIR_DEVICE_COPY,   /* a copy on the device in place of the upload */
    XS_REPAIR_KEEP,          /* the allocation of the first row and the free of the second one's are not made; of rows
                              * that are calls, neither of the two is made */
    XS_REPAIR_NOT_ALLOCATE,  /* neither the allocation of the first row nor its free is made */
    XS_REPAIR_UNPIN,         /* the memory that the first row page-locks is pageable: its copies take longer */
    XS_REPAIR_OVERLAP,       /* the copy waits for copies alone, and kernels do not wait for it */
    XS_REPAIR_KEEP_ON_DEVICE /* the managed memory's pages stay where the kernels are */
};

#endif

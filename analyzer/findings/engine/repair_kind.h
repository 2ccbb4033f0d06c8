/* The repairs that findings stand for, as changes of the run: what a program that followed the remedy would not do,
 * or would do differently. Each detector names its repair (detector.h); plan/plan_repairs.c turns it into changes
 * of the replay. "Rows" are the instance's rows of evidence. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_REPAIR_KIND_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_REPAIR_KIND_H

enum xs_repair {
    XS_REPAIR_OF_DETECTOR, /* in a verdict: use the detector's; in a detector: no repair */
    XS_REPAIR_DROP,        /* drop the copy or memset of the first row */
    XS_REPAIR_DROP_BOTH,   /* drop the first row's copy and, if the host does not need it, the second row's */
    XS_REPAIR_PEER_COPY,   /* replace the upload by a copy from device to device; drop the second row as in DROP_BOTH */
    XS_REPAIR_GATHER,      /* join the place's copies, from the first row's to the second row's, into one copy */
    XS_REPAIR_SHORTEN,     /* the copy moves less, or faster: its device time shrinks by the instance's removable */
    XS_REPAIR_PIN,         /* page-lock the copy's host memory, once for all copies of that memory */
    XS_REPAIR_MEMSET,      /* replace the upload by a memset on the device */
    XS_REPAIR_DEVICE_COPY, /* replace the upload by a copy on the device */
    XS_REPAIR_KEEP, /* drop the first row's allocation and the second row's free; if the rows are calls, drop both */
    XS_REPAIR_NOT_ALLOCATE,  /* drop the first row's allocation and its free */
    XS_REPAIR_UNPIN,         /* make the memory that the first row page-locks pageable: its copies take longer */
    XS_REPAIR_OVERLAP,       /* the copy waits for copies only, and kernels do not wait for it */
    XS_REPAIR_KEEP_ON_DEVICE /* the managed memory's pages stay where the kernels are */
};

#endif

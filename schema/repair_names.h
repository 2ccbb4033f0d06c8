/* The repairs by their names, for what names them to the library (XFERSPY_REPAIR): X(ID, name). The library's own table
 * is preload/repair/repairs.def. */
#ifndef XFERSPY_SCHEMA_REPAIR_NAMES_H
#define XFERSPY_SCHEMA_REPAIR_NAMES_H

#define XS_REPAIR_NAMES(X)                                                                                             \
    X(DROP_UPLOADS, "drop-uploads")                                                                                    \
    X(STAY_ON_DEVICE, "stay-on-device")                                                                                \
    X(KEEP_ALLOCATIONS, "keep-allocations")                                                                            \
    X(KEEP_PINNED, "keep-pinned")                                                                                      \
    X(STAGE, "stage")                                                                                                  \
    X(GATHER, "gather")                                                                                                \
    X(PREFETCH, "prefetch")

#endif

/* Defines the reasons that several repairs pass to xs_repair_refused. */
#ifndef XFERSPY_PRELOAD_REPAIR_REASONS_H
#define XFERSPY_PRELOAD_REPAIR_REASONS_H

#define XS_WHY_NO_FUNCTION "this driver lacks a function"
#define XS_WHY_DRIVER_ERROR "the driver had an error"
#define XS_WHY_OTHER_CONTEXT "memory of another context"
#define XS_WHY_MAY_HOLD "the stream may wait for the program"
#define XS_WHY_SMALL "too small to gain"
#define XS_WHY_HANDED_OUT "memory was handed out"
#define XS_WHY_DIRECT "others may reach the memory directly"
#define XS_WHY_LACKS "the driver or the budget lacks something"
#define XS_WHY_NOT_SEEN "the origin was not seen"

#endif

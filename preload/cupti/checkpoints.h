/* Handles programs that make process checkpoints (cuCheckpointProcessLock and similar calls). Once CUPTI has been
 * attached in a process, the driver answers every such call for this process with CUDA_ERROR_NOT_SUPPORTED, even after
 * cuptiFinalize (driver 580.159, CUPTI 13.0.1, measured). So CUPTI is not used in programs that are linked to these
 * functions. Other programs may look up these functions at run time. If the driver then refuses a checkpoint call, the
 * user is told which environment variable helps. */
#ifndef XFERSPY_PRELOAD_CUPTI_CHECKPOINTS_H
#define XFERSPY_PRELOAD_CUPTI_CHECKPOINTS_H

/* Returns the name of a checkpoint function to which the program, or a library that needs the driver's library, is
 * linked; NULL: there is none, or the loader's list could not be read. The name is valid as long as this program or
 * library is loaded. Any thread. */
const char *xs_checkpoints_imported(void);

/* The text about a refused call, for the note and for the message to the user. */
#define XS_CHECKPOINT_REFUSED                                                                                          \
    "%s failed: the driver refuses checkpoints once CUPTI has been in the process; run with XFERSPY_CUPTI=off"

/* Checks the CUresult of a checkpoint call of the application. `entry_point` is the name of the called function, a
 * string that stays valid. Any thread. */
void xs_checkpoint_look(int result, const char *entry_point);

/* Returns the name of the first checkpoint function that failed with CUDA_ERROR_NOT_SUPPORTED after CUPTI had been
 * attached in this process; NULL: none has failed in this way. The call may have been about another process, which also
 * runs with xferspy. Any thread. */
const char *xs_checkpoint_refused(void);

#endif

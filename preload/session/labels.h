/* Writes the labels of the run into the trace: those that the user gives (XFERSPY_LABELS), and those that xferspy finds
 * in the environment (labels.def), in files of Kubernetes, and in the git repository. */
#ifndef XFERSPY_PRELOAD_SESSION_LABELS_H
#define XFERSPY_PRELOAD_SESSION_LABELS_H

#include "schema/write/store.h"

/* Reads the environment. `given` is the value of XFERSPY_LABELS; it is used until the end of the process. This function
 * is called by the thread that starts the session, because another thread must not read the environment while the
 * application may change it. If the given labels are not valid, empties the text and prints the reason. */
void xs_labels_read(char *given);

/* xs_labels_write writes what was read from the environment. xs_labels_write_files reads files, and writes the labels
 * that they have; it is called after the start of capture, because a file system may be slow. `root` is put before the
 * paths of the files of Kubernetes: "" except in tests. Both functions write inside the caller's batch, and only the
 * drain thread may call them. */
void xs_labels_write(struct xs_store *store);
void xs_labels_write_files(struct xs_store *store, const char *root);

#endif

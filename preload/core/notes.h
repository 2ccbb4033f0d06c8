/* Notes: what capture could not do, or did less of, and why. They are kept in memory until the drain thread writes them
 * into the trace's table `note`. */
#ifndef XFERSPY_PRELOAD_CORE_NOTES_H
#define XFERSPY_PRELOAD_CORE_NOTES_H

#include "schema/clock.h"
#include "schema/write/store.h"

/* Adds a note. Any thread; the text is copied. At most 64 notes are kept, and the same topic with the same text once.
 * Takes a lock, so it is not for the hot path. */
void xs_note(const char *topic, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the notes that were added since the last call into the store, inside a batch of the caller's. Drain thread
 * only. Returns 0, or the store's error: then the notes that are not written yet stay for the next call. */
int xs_notes_write(struct xs_store *store, const struct xs_clock *clock);

/* In a forked child: makes the lock anew, which a thread that is not there may hold. */
void xs_notes_forget(void);

#endif

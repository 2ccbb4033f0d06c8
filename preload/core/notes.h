/* Notes say what capture could not do or did only in part, and why. They stay in memory until the drain thread writes
 * them into the trace's table `note`. */
#ifndef XFERSPY_PRELOAD_CORE_NOTES_H
#define XFERSPY_PRELOAD_CORE_NOTES_H

#include "schema/clock.h"
#include "schema/write/store.h"

/* Adds a note, with a copy of the text. Any thread. At most 64 notes are kept; a note with the same topic and text as
 * an earlier one is not kept again. Takes a lock, so it is not for the hot path. */
void xs_note(const char *topic, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the notes added since the last call into the store, inside the caller's batch. Only the drain thread calls
 * this function. Returns 0, or the store's error; after an error the next call writes the notes that were not
 * written. */
int xs_notes_write(struct xs_store *store, const struct xs_clock *clock);

/* Runs in a forked child: reinitializes the lock, because a thread that no longer exists may hold it. */
void xs_notes_forget(void);

#endif

/* Keeps the notes in an array under a lock. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/lock.h"
#include "preload/core/notes.h"

#define NOTES 64

static struct {
    char topic[32], text[400];
    uint64_t at; /* CLOCK_MONOTONIC */
} notes[NOTES];
static unsigned note_count, notes_written;
static pthread_mutex_t note_lock = PTHREAD_MUTEX_INITIALIZER;

struct request {
    const char *topic, *format;
    va_list args;
};

static void note(void *arg) {
    struct request *request = arg;
    const char *topic = request->topic;
    char text[sizeof notes[0].text];
    vsnprintf(text, sizeof text, request->format, request->args);
    pthread_mutex_lock(&note_lock);
    bool known = note_count == NOTES;
    for (unsigned i = 0; i < note_count && !known; i++)
        known = strcmp(notes[i].topic, topic) == 0 && strcmp(notes[i].text, text) == 0;
    if (!known) {
        snprintf(notes[note_count].topic, sizeof notes[0].topic, "%s", topic);
        memcpy(notes[note_count].text, text, sizeof text);
        notes[note_count++].at = xs_monotonic_ns();
    }
    pthread_mutex_unlock(&note_lock);
}

/* The note is lost if there is no memory for a scratch stack; there would be no memory for the text either. */
void xs_note(const char *topic, const char *format, ...) {
    struct request request = {.topic = topic, .format = format};
    va_start(request.args, format);
    xs_on_scratch(note, &request);
    va_end(request.args);
}

void xs_notes_forget(void) { xs_mutex_forget(&note_lock); }

/* Writes the notes. The lock is not held meanwhile, because writing may take long on a slow disk, and application
 * threads may add notes at the same time. The notes before `count` no longer change. */
int xs_notes_write(struct xs_store *store, const struct xs_clock *clock) {
    int status = 0;
    pthread_mutex_lock(&note_lock);
    unsigned count = note_count;
    pthread_mutex_unlock(&note_lock);
    for (; notes_written < count && status == 0; notes_written += status == 0) {
        status = xs_store_note(store, xs_clock_from_monotonic(clock, notes[notes_written].at),
                               notes[notes_written].topic, notes[notes_written].text);
    }
    return status;
}

/* Manages the memory into which CUPTI writes activity records. A buffer is handed out when CUPTI asks for one, queued
 * when it is complete, decoded by the drain thread, and then used again. */
#include <stdlib.h>

#include "preload/core/lock.h"
#include "preload/core/notes.h"
#include "preload/cupti/cupti_internal.h"

/* Larger buffers need more memory, and smaller ones more calls. */
#define BUFFER_BYTES ((size_t)1024 * 1024)
#define SMALL_BUFFER_BYTES ((size_t)64 * 1024)
#define FREE_LIMIT 8u
#define QUEUE_NOTE_BYTES ((size_t)64 * 1024 * 1024)

/* This lock is also taken during the application's calls, because CUPTI requests buffers in them. */
static struct xs_lock lock = XS_LOCK_INITIALIZER;
static struct xs_cupti_buffer *queue_head, **queue_end = &queue_head;
static size_t queue_bytes;
static struct xs_cupti_buffer *free_list; /* all of BUFFER_BYTES */
static unsigned free_count;
static _Atomic uint64_t lost;
static bool noted;
static _Atomic unsigned asked_for;

/* A buffer's address must be exactly what malloc returned. If CUPTI still holds a buffer when the application
 * takes CUPTI over, CUPTI passes it to the application's callback, and such callbacks call free(). */
_Static_assert(_Alignof(max_align_t) >= 8, "malloc aligns enough for CUPTI");

/* The caller holds the lock. */
static struct xs_cupti_buffer *pop_queue(void) {
    struct xs_cupti_buffer *buffer = queue_head;
    if (buffer) {
        queue_head = buffer->next;
        if (!queue_head)
            queue_end = &queue_head;
        queue_bytes -= buffer->bytes;
        buffer->next = NULL;
    }
    return buffer;
}

/* Frees the description of a free or queued buffer, and returns the data. The caller holds the lock. */
static uint8_t *strip(struct xs_cupti_buffer *buffer, size_t *bytes) {
    uint8_t *data = buffer->data;
    *bytes = buffer->bytes;
    free(buffer->offsets);
    free(buffer);
    return data;
}

/* If there is no memory, reuses the oldest complete buffer, whose records are lost. CUPTI would also drop records if it
 * got no buffer, and some versions would behave even worse. */
static uint8_t *take_from_queue(size_t *bytes) {
    xs_lock(&lock);
    struct xs_cupti_buffer *buffer = pop_queue();
    uint8_t *data = NULL;
    if (buffer)
        data = strip(buffer, bytes);
    xs_unlock(&lock);
    atomic_fetch_add(&lost, data != NULL);
    return data;
}

/* Hands out small buffers while there is another subscriber, because then xferspy does not flush, and buffers arrive
 * only when they are full. */
void CUPTIAPI xs_cupti_buffer_requested(uint8_t **data, size_t *bytes, size_t *max_records) {
    *max_records = 0;
    *bytes = SMALL_BUFFER_BYTES;
    *data = xs_cupti_others() > 0 ? malloc(*bytes) : NULL;
    if (!*data) {
        xs_lock(&lock);
        struct xs_cupti_buffer *buffer = free_list;
        if (buffer) {
            free_list = buffer->next;
            free_count--;
            *data = strip(buffer, bytes);
        }
        xs_unlock(&lock);
    }
    if (!*data) {
        *bytes = BUFFER_BYTES;
        *data = malloc(*bytes);
    }
    if (!*data) {
        *bytes = SMALL_BUFFER_BYTES;
        *data = malloc(*bytes);
    }
    if (!*data)
        *data = take_from_queue(bytes);
    if (!*data)
        *bytes = 0;
    atomic_fetch_add(&asked_for, 1);
}

bool xs_cupti_buffers_asked_for(void) { return atomic_load(&asked_for) > 0; }

void CUPTIAPI xs_cupti_buffer_completed(CUcontext context, uint32_t stream, uint8_t *data, size_t bytes,
                                        size_t valid_bytes) {
    (void)context;
    (void)stream;
    if (!data)
        return;
    struct xs_cupti_buffer *buffer = malloc(sizeof *buffer);
    if (!buffer) {
        free(data);
        atomic_fetch_add(&lost, valid_bytes != 0);
        return;
    }
    *buffer = (struct xs_cupti_buffer){
        .data = data, .bytes = bytes, .valid_bytes = valid_bytes, .correlation_base = xs_cupti_correlation_base()};
    if (valid_bytes == 0) {
        xs_cupti_buffers_recycle(buffer);
        return;
    }
    xs_lock(&lock);
    *queue_end = buffer;
    queue_end = &buffer->next;
    queue_bytes += bytes;
    bool note = !noted && queue_bytes > QUEUE_NOTE_BYTES;
    noted |= note;
    xs_unlock(&lock);
    if (note)
        xs_note("cupti", "more than %zu MiB of device records waited for the drain thread", QUEUE_NOTE_BYTES >> 20);
}

struct xs_cupti_buffer *xs_cupti_buffer_take(void) {
    xs_lock(&lock);
    struct xs_cupti_buffer *buffer = pop_queue();
    xs_unlock(&lock);
    return buffer;
}

void xs_cupti_buffers_requeue(struct xs_cupti_buffer *list) {
    if (!list)
        return;
    xs_lock(&lock);
    struct xs_cupti_buffer **end = NULL;
    for (struct xs_cupti_buffer *buffer = list; buffer; buffer = buffer->next) {
        queue_bytes += buffer->bytes;
        end = &buffer->next;
    }
    *end = queue_head;
    if (!queue_head)
        queue_end = end;
    queue_head = list;
    xs_unlock(&lock);
}

void xs_cupti_buffers_recycle(struct xs_cupti_buffer *list) {
    struct xs_cupti_buffer *surplus = NULL;
    xs_lock(&lock);
    while (list) {
        struct xs_cupti_buffer *next = list->next;
        bool keep = free_count < FREE_LIMIT && list->bytes == BUFFER_BYTES;
        list->next = keep ? free_list : surplus;
        *(keep ? &free_list : &surplus) = list;
        free_count += keep;
        list = next;
    }
    xs_unlock(&lock);
    while (surplus) {
        struct xs_cupti_buffer *next = surplus->next;
        free(surplus->data);
        free(surplus->offsets);
        free(surplus);
        surplus = next;
    }
}

void xs_cupti_buffers_index(const struct xs_cupti_decoder *decoder) {
    xs_lock(&lock);
    for (struct xs_cupti_buffer *buffer = queue_head; buffer; buffer = buffer->next)
        xs_cupti_buffer_index(buffer, decoder);
    xs_unlock(&lock);
}

/* Counting calls CUPTI, whose callbacks take the lock. So the lock is not held meanwhile, and the buffer is taken out
 * of the queue. */
struct xs_migration_tally xs_cupti_buffers_migrations(const struct xs_cupti_decoder *decoder) {
    struct xs_migration_tally tally = {0};
    struct xs_cupti_buffer *counted = NULL, **tail = &counted, *buffer;
    while ((buffer = xs_cupti_buffer_take())) {
        xs_cupti_count_migrations(decoder, buffer);
        tally.records += buffer->migrations.records;
        tally.cost_ns += buffer->migrations.cost_ns;
        *tail = buffer;
        tail = &buffer->next;
    }
    xs_cupti_buffers_requeue(counted);
    return tally;
}

uint64_t xs_cupti_buffers_lost(void) { return atomic_load(&lost); }

/* Another thread of the parent may have been changing the lists, so they may be inconsistent. */
void xs_cupti_buffers_forget(void) {
    xs_lock_forget(&lock);
    queue_head = free_list = NULL;
    queue_end = &queue_head;
    queue_bytes = 0;
    free_count = 0;
    lost = 0;
}

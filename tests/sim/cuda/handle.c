/* The objects behind handles that a program may never destroy: all are on one list, so that leak checkers see them as
 * the driver's and not as leaks. */
#include "sim.h"

#include <stdlib.h>

struct header {
    struct header *before, *after;
    max_align_t object[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct header *handles;

void *xs_handle_new(size_t bytes) {
    struct header *header = calloc(1, sizeof(*header) + bytes);
    if (header == NULL)
        return NULL;
    pthread_mutex_lock(&lock);
    header->after = handles;
    if (handles != NULL)
        handles->before = header;
    handles = header;
    pthread_mutex_unlock(&lock);
    return header->object;
}

void xs_handle_free(void *object) {
    if (object == NULL)
        return;
    struct header *header = (struct header *)((char *)object - offsetof(struct header, object));
    pthread_mutex_lock(&lock);
    if (header->before != NULL)
        header->before->after = header->after;
    else
        handles = header->after;
    if (header->after != NULL)
        header->after->before = header->before;
    pthread_mutex_unlock(&lock);
    free(header);
}

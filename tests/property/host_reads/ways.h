/* Known ways in which host code reads memory. */
#ifndef XFERSPY_TESTS_PROPERTY_WAYS_H
#define XFERSPY_TESTS_PROPERTY_WAYS_H

#include <stdbool.h>
#include <stddef.h>

enum way {
    WAY_LOAD,
    WAY_MEMCPY,
    WAY_STORE,    /* the program overwrites it: that is an access, too */
    WAY_WRITE,    /* write(2) into a file */
    WAY_DIRECT,   /* the same with O_DIRECT, where the file system has that */
    WAY_PIPE,     /* write(2) into a pipe */
    WAY_SPLICE,   /* vmsplice into a pipe, and splice out of it */
    WAY_SENDFILE, /* sendfile from the file, if the memory is a mapped file; else vmsplice */
    WAY_THREAD,   /* a load in another thread */
    WAY_FORK,     /* a load in a forked child */
    WAY_IO_URING, /* a write by io_uring; write(2) where there is no io_uring */
    WAYS
};
extern const char *const way_names[WAYS];

/* Reads whole pages. `file`: the file that is mapped there, with this offset of the first page; -1: none. */
void way_read(enum way way, unsigned char *memory, size_t bytes, int file, size_t offset);

/* True if io_uring was really used. */
bool way_has_io_uring(void);

#endif

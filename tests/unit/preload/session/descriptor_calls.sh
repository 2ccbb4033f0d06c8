#!/bin/sh
# descriptor_calls.sh LIBRARY: the library takes none of the C library's functions that open, use or close descriptors
# by number, because a program's ThreadSanitizer would take its descriptors for the program's
# (preload/session/descriptor_calls.c). A function that fails here needs a line there and in preload/CMakeLists.txt.
set -eu
names='open|open64|openat|openat64|creat|creat64|dup|dup2|dup3|close|read|readv|pread|pread64|preadv|write|writev|pwrite'
names="$names|pwrite64|pwritev|fstat|fstat64|__fxstat|__fxstat64|fopen|fopen64|freopen|fdopen|tmpfile|opendir|fdopendir"
names="$names|readdir|readdir64|dirfd|closedir|pipe|pipe2|eventfd|signalfd|timerfd_create|inotify_init|inotify_init1"
names="$names|epoll_create|epoll_create1|socket|socketpair|accept|accept4|memfd_create|__open_2|__open64_2|__openat_2"
names="$names|__read_chk|__pread_chk|__pread64_chk"
imported=$(nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $2); print $2 }')
echo "$imported" | grep -qx pthread_create || { echo "FAIL: $1 imports no pthread_create: is it the library?"; exit 1; }
found=$(echo "$imported" | grep -xE "$names" || true)
[ -z "$found" ] || { echo "FAIL: $1 takes from the C library:" $found; exit 1; }

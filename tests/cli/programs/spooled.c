/* spooled OUT.db RANK [memory|unstarted]: writes 1000 uploads of 4096 bytes into a trace and its spool, as a process
 * does that is being profiled, and drains 600 of them. It says that it began 100 seconds ago. Then it says "ready" and
 * waits for lines: after "more" it writes 400 more uploads, drains all there is and says "ready" again; after any other
 * line it dies as if it was killed, and what it did not drain stays in the spool. The spool lies beside the trace; with
 * `memory` it lies where the library puts it, and "ready" is followed by its name, which is empty where no tmpfs has
 * room. With `unstarted` it dies as soon as the trace has its tables. With `failed` its spool has a failure of the
 * device while CUPTI was attached. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "schema/spool/spool_location.h"
#include "schema/write/store.h"

enum { EVENTS = 1000, DRAINED = 600, MORE = 400, BYTES = 4096, SECONDS_AGO = 100 };

static void write_meta(struct xs_store *store, int64_t rank) {
    char program[] = "/opt/app/train", command[] = "./train --steps 10";
    xs_store_begin(store);
    xs_store_meta_int(store, "rank", rank);
    xs_store_meta_int(store, "world_size", 3);
    xs_store_meta_int(store, "pid", getpid());
    xs_store_meta_int(store, "start_unix_ns", ((int64_t)time(NULL) - SECONDS_AGO) * 1000000000);
    xs_store_meta_text(store, "host", "node00");
    xs_store_meta_text(store, "executable", program);
    xs_store_meta_text(store, "command", command);
    xs_store_entry_point(store, 1, "cuMemcpyHtoD_v2", XS_CAT_TRANSFER);
    xs_store_commit(store);
}

/* Returns false where the spool is full. */
static bool write_event(struct xs_spool *spool, struct xs_chunk **chunk, uint64_t serial) {
    static unsigned hint;
    struct xs_event *slot = *chunk ? xs_chunk_slot(*chunk) : NULL;
    if (!slot) {
        if (*chunk)
            xs_chunk_finish(spool, *chunk);
        *chunk = xs_spool_take(spool, &hint, 1, 1, "main");
        slot = *chunk ? xs_chunk_slot(*chunk) : NULL;
    }
    if (!slot)
        return false;
    *slot = (struct xs_event){.kind = XS_EVENT_TRANSFER,
                              .flags = XS_FLAG_HAS_STREAM,
                              .entry = 1,
                              .enter_tick = serial * 1000,
                              .return_tick = serial * 1000 + 500,
                              .context = 0xc0,
                              .stream = 0x50};
    slot->transfer.bytes = BYTES;
    slot->transfer.src_device = slot->transfer.dst_device = -1;
    slot->transfer.direction = XS_DIR_H2D;
    xs_chunk_commit(*chunk, slot + 1);
    return true;
}

int main(int argc, char **argv) {
    struct xs_spool spool;
    struct xs_spool_files files;
    struct xs_store *store;
    struct xs_chunk *chunk = NULL;
    bool memory = argc == 4 && !strcmp(argv[3], "memory"), unstarted = argc == 4 && !strcmp(argv[3], "unstarted");
    bool failed = argc == 4 && !strcmp(argv[3], "failed");
    if (argc != 3 && !memory && !unstarted && !failed)
        return 2;
    if (xs_spool_create_for_trace(argv[1], 0, 8 << 20, 64, memory ? xs_spool_runtime_dir() : NULL, &spool, &files) !=
            0 ||
        xs_store_create(argv[1], &store) != 0)
        return 1;
    if (unstarted)
        return raise(SIGKILL);
    write_meta(store, strtol(argv[2], NULL, 10));
    if (failed) {
        struct xs_spool_failure *failure = &spool.header->failure;
        *failure = (struct xs_spool_failure){.entry_point = "cuStreamSynchronize", .cupti = "attached", .at_ns = 1};
        atomic_store(&failure->result, 719);
    }
    if (files.memory[0]) {
        xs_spool_start(&spool, argv[1]);
        xs_store_meta_text(store, "spool.id", spool.header->id);
    }
    for (uint64_t serial = 1; serial <= EVENTS; serial++)
        if (!write_event(&spool, &chunk, serial) || (serial == DRAINED && xs_spool_drain(&spool, store, 0, false) < 0))
            return 1;
    printf("ready%s%s\n", memory ? " " : "", files.memory);
    fflush(stdout);
    uint64_t written = EVENTS;
    for (char line[16]; fgets(line, sizeof line, stdin) && strcmp(line, "more\n") == 0; written += MORE) {
        for (uint64_t serial = written + 1; serial <= written + MORE; serial++)
            if (!write_event(&spool, &chunk, serial))
                return 1;
        if (xs_spool_drain(&spool, store, 0, false) < 0)
            return 1;
        puts("ready");
        fflush(stdout);
    }
    return raise(SIGKILL);
}

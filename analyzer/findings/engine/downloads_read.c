/* See downloads_read.h. */
#include "analyzer/findings/engine/downloads_read.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/sample.h"

struct read {
    enum xs_readers readers;
    int64_t upload;
};

static uint64_t kind_of(unsigned detector, unsigned verdict) { return (uint64_t)detector << 32 | verdict; }

/* Returns the row of evidence that is the download of an instance; -1: its repair does not depend on who reads a
 * download. The findings about what the host reads have said it themselves. */
static int row_of_download(unsigned detector, unsigned verdict) {
    if (xs_detectors[detector]->needs & XS_NEEDS_HOST_READS)
        return -1;
    switch (xs_detector_repair(xs_detectors[detector], verdict)) {
    case XS_REPAIR_DROP_BOTH:
    case XS_REPAIR_PEER_COPY:
        return 1;
    case XS_REPAIR_DROP:
    case XS_REPAIR_READ_LATER:
    case XS_REPAIR_WORK_ON_DEVICE:
        return 0;
    default:
        return -1;
    }
}

void xs_downloads_read_set(struct xs_downloads_read *reads, int64_t download, enum xs_readers readers, int64_t upload) {
    struct read *read = xs_hash_item(&reads->downloads, (uint64_t)download, 0, sizeof *read);
    *read = (struct read){readers, upload};
}

void xs_downloads_read_add(struct xs_downloads_read *reads, unsigned detector, const struct xs_instance *instance) {
    int row = reads->downloads.count ? row_of_download(detector, instance->verdict) : -1;
    if (row < 0 || (unsigned)row >= instance->evidence_count)
        return;
    const struct xs_evidence *evidence = &instance->evidence[row];
    if (evidence->table != XS_EVIDENCE_TRANSFER || !xs_hash_find(&reads->downloads, (uint64_t)evidence->row, 0))
        return;
    xs_grow(&reads->awaited, reads->count, &reads->capacity, sizeof *reads->awaited);
    reads->awaited[reads->count++] = (struct awaited){.kind = kind_of(detector, instance->verdict),
                                                      .site = instance->site,
                                                      .download = evidence->row,
                                                      .upload = row ? instance->evidence[0].row : 0};
}

static bool is_unread(const struct read *read, int64_t upload) {
    return read->readers == XS_READERS_NONE || (read->readers == XS_READERS_UPLOAD && upload && read->upload == upload);
}

void xs_downloads_read_finish(struct xs_downloads_read *reads) {
    for (size_t i = 0; i < reads->count; i++) {
        const struct awaited *a = &reads->awaited[i];
        const struct read *read = xs_hash_pointer(&reads->downloads, (uint64_t)a->download, 0);
        if (!read || read->readers == XS_READERS_UNKNOWN)
            continue;
        struct xs_unread *unread = xs_hash_item(&reads->findings, a->kind, a->site, sizeof *unread);
        unread->known++;
        unread->unread += is_unread(read, a->upload);
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&reads->findings, entry));) {
        struct xs_unread *unread = (struct xs_unread *)(uintptr_t)entry->value;
        double high;
        xs_wilson((double)unread->unread, (double)unread->known, &unread->least, &high);
    }
    free(reads->awaited);
    reads->awaited = NULL;
    reads->count = reads->capacity = 0;
}

void xs_downloads_read_free(struct xs_downloads_read *reads) {
    free(reads->awaited);
    xs_hash_free(&reads->downloads);
    xs_hash_free(&reads->findings);
}

struct xs_unread xs_unread_of(const struct xs_downloads_read *reads, unsigned detector, unsigned verdict,
                              uint32_t site) {
    const struct xs_unread *unread = xs_hash_pointer(&reads->findings, kind_of(detector, verdict), site);
    return unread ? *unread : (struct xs_unread){0};
}

/* Decides by the row's number, so that each replay drops the same copies. */
bool xs_is_unread_by_share(const struct xs_downloads_read *reads, const struct xs_repairable *item) {
    double least = xs_unread_of(reads, item->detector, item->verdict, item->site).least;
    return (double)(xs_mix((uint64_t)item->rows[0]) >> 11) * 0x1p-53 < least;
}

bool xs_is_unread(const struct xs_downloads_read *reads, const struct xs_repairable *item) {
    int row = reads->downloads.count ? row_of_download(item->detector, item->verdict) : -1;
    if (row < 0 || item->table != XS_EVIDENCE_TRANSFER)
        return false;
    const struct read *read = xs_hash_pointer(&reads->downloads, (uint64_t)item->rows[row], 0);
    if (read && read->readers != XS_READERS_UNKNOWN)
        return is_unread(read, row ? item->rows[0] : 0);
    return xs_is_unread_by_share(reads, item);
}

void xs_unread_count(const struct xs_downloads_read *reads, int64_t download, struct xs_unread *unread) {
    const struct read *read = xs_hash_pointer(&reads->downloads, (uint64_t)download, 0);
    if (!read || read->readers == XS_READERS_UNKNOWN)
        return;
    unread->known++;
    unread->unread += is_unread(read, 0);
}

/* Keeps what is known of each download that was watched: whether anybody read it (watched_downloads.h finds this out).
 * Other findings about the same downloads use it: if nobody read what a round trip downloads, both of its copies are
 * needless. Memory use grows with the number of watched downloads, and with the number of findings about them. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_DOWNLOADS_READ_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_DOWNLOADS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"

struct xs_instance;
struct xs_repairable;

enum xs_readers {
    XS_READERS_UNKNOWN, /* nobody can say */
    XS_READERS_SOME,    /* somebody read it, or may have read it */
    XS_READERS_UPLOAD,  /* one upload of the whole memory read it, and nobody else did */
    XS_READERS_NONE,    /* nobody read it */
};

/* Counts the downloads of a finding. */
struct xs_unread {
    uint64_t known;  /* downloads of which it is known whether somebody read them */
    uint64_t unread; /* downloads among these that nobody read; of a round trip, nobody but its upload */
    double least;    /* the least share of unread ones among all downloads of the finding, with 95 % certainty */
};

struct xs_downloads_read {
    struct xs_hash downloads; /* by transfer.id */
    struct xs_hash findings;  /* by detector and verdict, and by site: struct xs_unread */
    struct awaited {          /* instances about watched downloads, which are counted at the end */
        uint64_t kind;
        uint32_t site;
        int64_t download, upload;
    } * awaited;
    size_t count, capacity;
};

/* Sets what is known of a download; a later call replaces this. `upload` is only for XS_READERS_UPLOAD. */
void xs_downloads_read_set(struct xs_downloads_read *reads, int64_t download, enum xs_readers readers, int64_t upload);

/* Must be called for each instance that passes the filter. */
void xs_downloads_read_add(struct xs_downloads_read *reads, unsigned detector, const struct xs_instance *instance);

/* Counts the downloads of each finding, after the last call of the functions above. */
void xs_downloads_read_finish(struct xs_downloads_read *reads);
void xs_downloads_read_free(struct xs_downloads_read *reads);

/* Returns the counts of a finding; `known` is 0 if none of its downloads was watched. */
struct xs_unread xs_unread_of(const struct xs_downloads_read *reads, unsigned detector, unsigned verdict,
                              uint32_t site);

/* True if nobody read the download of the instance, as far as this is known. Of the downloads that were not watched, it
 * is true for the least share of the finding (xs_unread.least), whichever they are. */
bool xs_is_unread(const struct xs_downloads_read *reads, const struct xs_repairable *item);

/* True if nobody read this download of one place. It stands for a download of the finding that was not looked at, so
 * that only the finding's share decides. */
bool xs_is_unread_by_share(const struct xs_downloads_read *reads, const struct xs_repairable *item);

/* Adds the downloads of one transfer row to counts that have no `least`. */
void xs_unread_count(const struct xs_downloads_read *reads, int64_t download, struct xs_unread *unread);

#endif

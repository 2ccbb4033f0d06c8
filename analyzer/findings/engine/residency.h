/* The residency model knows what wrote each part of a device's memory, what may have read it, and which content a
 * region holds. Definition: docs/rules/analysis.md, "The model". Detectors only read it; only the analysis changes it.
 */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_RESIDENCY_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_RESIDENCY_H

#include "analyzer/base/spans.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/trace/trace_event.h"

struct xs_residency;

/* A live allocation, registration or mapping. It exists until the detectors have received its XS_ON_FREE. */
struct xs_allocation {
    int64_t id;
    uint64_t address, bytes;
    enum xs_memory_kind kind;
    enum xs_origin origin;
    int32_t device; /* -1: host memory, or unknown */
    int32_t context;
    uint32_t site;                         /* site of the allocating call */
    int64_t enter_ns, return_ns;           /* times of the allocating call */
    int64_t free_enter_ns, free_return_ns; /* INT64_MAX: never freed */
    int32_t free_entry_point, free_thread; /* 0: never freed */
    bool freed_by_call;                    /* set at FREE: a call freed it, and not the end of its context */
    bool touched;         /* a transfer, memset, prefetch or launch argument used it, or its pages moved */
    bool launch_ran;      /* a kernel or graph was launched on its device; set only for FREE and LIVE */
    bool unseen_launched; /* a launch on its device had unseen arguments; set only for FREE and LIVE */
    bool is_pool;         /* it is a block of a program's own allocator (pools.h); set only for FREE and LIVE */
    uint64_t begin_order, use_order; /* `order` of its begin, and of the last event that touched it; 0: no event touched
                                      * it */
    struct xs_account *account;

    /* Only the model uses the fields from here on. */
    uint64_t touch_order;    /* `order` of the last launch whose arguments had a pointer into it */
    bool any_launch_touches; /* kernels can access it without an argument: module variables, other processes' memory */
    bool is_shared;          /* other processes or devices may read and write it without a call that the trace shows */
    struct xs_written {      /* the bytes that were written since the allocation began */
        uint64_t start, end; /* start and end are used while the written bytes are one piece; later `more` holds the
                              * pieces */
        struct xs_spans *more;
    } written;
    struct xs_region *regions; /* list of its regions */
};

/* A write is an upload, memset or device copy whose bytes are still in memory. It ends when every byte is overwritten,
 * or when its allocation ends. */
enum xs_write_kind { XS_WRITE_UPLOAD, XS_WRITE_MEMSET, XS_WRITE_COPY, XS_WRITE_OTHER };
struct xs_write {
    enum xs_write_kind kind;
    int64_t id;         /* transfer.id or memset.id */
    uint64_t order;     /* `order` of its event, ascending */
    uint64_t bytes;     /* bytes moved */
    uint64_t remaining; /* number of bytes that are not overwritten yet, from the first to the last byte of the write;
                         * the gaps of a 2D or 3D write count, too */
    int32_t device;
    uint32_t site;
    bool read;                   /* a copy read from it, or its reads can no longer be followed */
    struct xs_allocation *owner; /* its allocation, while that lives; NULL: not known */
    struct xs_times times;
    int64_t enter_ns;
    struct xs_account *account;
    struct xs_region *region; /* the region that has exactly the written bytes, while no later write has overlapped it;
                               * else NULL */
};

/* Says whether the content of a region is known at the current event. */
enum xs_region_state {
    XS_REGION_NOTHING, /* the content was never known, or was overwritten ("gone") */
    XS_REGION_UNSURE,  /* the region holds `content`, unless a launch changed it */
    XS_REGION_SURE,
};

/* Device memory that an upload wrote or a download read, identified by allocation, first byte, length and shape. */
struct xs_region {
    uint64_t uid;            /* never reused; 0: the region ended with its allocation */
    uint64_t address, bytes; /* bytes: number from the first to the last byte */
    int32_t device;
    int64_t allocation; /* id, 0: none known */

    bool has_content; /* `content` was in the region at `order`; xs_region_state says if the content is still there */
    bool was_unsure;  /* the content was copied from a region whose state was UNSURE */
    struct xs_fingerprint content;
    uint64_t content_bytes, order;
    enum xs_look look; /* says if and why a fingerprint was taken of the copy that brought the content */

    int64_t last_download; /* transfer.id, 0: none */
    bool download_known;   /* the last download's content is `download` */
    struct xs_fingerprint download;
    uint64_t download_bytes;
    enum xs_look download_look;

    int64_t last_upload; /* transfer.id; 0: none. xs_region_upload_intact says if the uploaded bytes are still there */
    uint64_t upload_order;
    bool upload_known;
    struct xs_fingerprint upload;
    enum xs_look upload_look;

    /* Only the model uses the fields from here on. */
    struct xs_write *write; /* the latest write, if it wrote exactly this region and no byte of it is overwritten; else
                             * NULL */
    struct xs_allocation *owner;                     /* NULL: none known */
    bool all_written;                                /* every byte was written since the allocation began */
    struct xs_region *next;                          /* next in the list of its allocation's regions */
    struct xs_region *previous_holder, *next_holder; /* while has_content: neighbours in the list of the regions with
                                                      * this content */
    uint64_t key[2];
};

/* Returns the number of events that the model has applied so far. The fields named `order` are such numbers. */
uint64_t xs_residency_order(const struct xs_residency *residency);

/* Returns whether the region's known content is still there. */
enum xs_region_state xs_region_state(const struct xs_residency *residency, const struct xs_region *region);

/* Searches for another region of the same device that holds an upload's known content. `found` gets the first region
 * that surely holds it, else one that may hold it. Searches only the XS_REGIONS_LOOKED_AT latest regions. */
enum { XS_REGIONS_LOOKED_AT = 256 };
enum xs_region_state xs_region_holding(const struct xs_residency *residency, const struct xs_trace_event *upload,
                                       const struct xs_region **found);

/* Returns true if no write has overlapped the region since its last upload. */
bool xs_region_upload_intact(const struct xs_residency *residency, const struct xs_region *region);

/* A reference to a region. It may be kept after the region has ended: the struct of the region can still be read, but
 * its uid has changed. */
struct xs_region_ref {
    const struct xs_region *region;
    uint64_t uid;
};
static inline struct xs_region_ref xs_region_refer(const struct xs_region *region) {
    return (struct xs_region_ref){region, region ? region->uid : 0};
}
/* Returns the region while it lives, else NULL. */
static inline const struct xs_region *xs_region_live(struct xs_region_ref ref) {
    return ref.region && ref.region->uid == ref.uid ? ref.region : NULL;
}

/* Returns the live allocation with this id (allocation.id); NULL: unknown, or freed. */
struct xs_allocation *xs_allocation_by_id(const struct xs_residency *residency, int64_t id);

/* Returns the live allocation that an address lies in; NULL: none known. */
struct xs_allocation *xs_allocation_at(const struct xs_residency *residency, uint64_t address);

#endif

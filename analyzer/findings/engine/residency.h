/* The residency model knows what was written where on each device, what may have read it, and which content a region
 * holds. Definition: docs/rules/analysis.md, "The model". Detectors only read it; analyse.c alone changes it. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_RESIDENCY_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_RESIDENCY_H

#include "analyzer/base/spans.h"
#include "analyzer/trace/trace_event.h"

struct xs_residency;

/* A live allocation, registration or mapping. Kept until its XS_ON_FREE was delivered. */
struct xs_allocation {
    int64_t id;
    uint64_t address, bytes;
    enum xs_memory_kind kind;
    enum xs_origin origin;
    int32_t device; /* -1: host memory, or unknown */
    int32_t entry_point, thread, context, stream;
    uint32_t site;                         /* of the allocating call */
    int64_t enter_ns, return_ns;           /* of the allocating call */
    int64_t free_enter_ns, free_return_ns; /* INT64_MAX: never freed */
    int32_t free_entry_point, free_thread; /* 0: never freed */
    bool freed_by_call;                    /* set from FREE on: a call freed it, not the end of its context */
    bool touched;                    /* a transfer, memset, prefetch or launch argument named it, or its pages moved */
    bool launch_ran;                 /* updated for FREE and LIVE only: a kernel or graph was launched on its device */
    bool unseen_launched;            /* updated like launch_ran: such a launch had unseen arguments */
    bool is_pool;                    /* updated like launch_ran: a block of a program's own allocator; pools.h */
    uint64_t begin_order, use_order; /* order of its begin; and of what touched it last, 0: nothing did */
    struct xs_account *account;

    /* Only the model uses the fields from here on. */
    uint64_t touch_order;    /* order of the last launch that was given a pointer into it */
    bool any_launch_touches; /* kernels reach it without an argument: module variables, other processes' memory */
    bool is_shared;          /* outsiders may read and write it at any time */
    struct xs_written {      /* the bytes that were written since it began */
        uint64_t start, end; /* while written is one piece; then `more` holds it */
        struct xs_spans *more;
    } written;
    struct xs_region *regions; /* all of its regions */
};

/* A write is what an upload or memset (or device copy) left in memory, until every byte of it is overwritten. */
enum xs_write_kind { XS_WRITE_UPLOAD, XS_WRITE_MEMSET, XS_WRITE_COPY, XS_WRITE_OTHER };
struct xs_write {
    enum xs_write_kind kind;
    int64_t id;          /* transfer.id or memset.id */
    uint64_t order;      /* of its event, ascending */
    uint64_t start, end; /* addresses; the span of a box */
    uint64_t bytes;      /* bytes moved */
    uint64_t remaining;  /* bytes of the span that are not overwritten yet */
    int64_t allocation;  /* id, 0: none known */
    int32_t device;
    uint32_t site;
    int32_t thread, stream;
    bool read; /* a copy read from it, or it is no longer known */
    bool has_gaps;
    struct xs_allocation *owner; /* while the allocation lives; NULL: none known */
    bool timed, exposed_known;
    uint64_t device_ns, exposed_ns, host_ns;
    int64_t enter_ns;
    struct xs_account *account;
    struct xs_region *region; /* the region that it wrote exactly, while it is that region's latest write */
};

/* Says what is known of a region's bytes now. */
enum xs_region_state {
    XS_REGION_NOTHING, /* never known, or overwritten by other content ("gone") */
    XS_REGION_UNSURE,  /* holds `content`, unless a launch changed it */
    XS_REGION_SURE,
};

/* Device memory that an upload wrote or a download read: allocation, first byte, length and shape. */
struct xs_region {
    uint64_t uid;            /* never reused; 0: it ended with its allocation */
    uint64_t address, bytes; /* bytes: from the first to the last byte */
    int32_t device;
    int64_t allocation; /* id, 0: none known */

    bool has_content; /* `content` was known at `order`; xs_region_state says whether it still is */
    bool was_unsure;  /* copied from an unsure region */
    struct xs_fingerprint content;
    uint64_t content_bytes, order;
    enum xs_look look; /* of the copy that brought the content here, even if it was not looked at */

    int64_t last_download; /* transfer.id, 0: none */
    bool download_known;   /* the last download's content is `download` */
    struct xs_fingerprint download;
    uint64_t download_bytes;
    enum xs_look download_look;

    int64_t last_upload; /* transfer.id, 0: none. xs_region_upload_intact says whether it still counts */
    uint64_t upload_order;
    bool upload_known;
    struct xs_fingerprint upload;
    enum xs_look upload_look;

    /* Only the model uses the fields from here on. */
    struct xs_write *write; /* the latest write to exactly this region, while no byte of it is overwritten; else NULL */
    struct xs_allocation *owner;                     /* NULL: none known */
    bool all_written;                                /* every byte was written since the allocation */
    struct xs_region *next;                          /* in its allocation's list */
    struct xs_region *previous_holder, *next_holder; /* while has_content: list of the regions with this content */
    uint64_t key[2];
};

/* Returns how many events the model took so far: the order that its fields count in. */
uint64_t xs_residency_order(const struct xs_residency *residency);

/* Says whether the region's known content is still there. */
enum xs_region_state xs_region_state(const struct xs_residency *residency, const struct xs_region *region);

/* Looks for another region of the same device that holds an upload's known content. Gives the first region that surely
 * holds it, else one that may hold it. Looks only at the XS_REGIONS_LOOKED_AT latest regions. */
enum { XS_REGIONS_LOOKED_AT = 256 };
enum xs_region_state xs_region_holding(const struct xs_residency *residency, const struct xs_trace_event *upload,
                                       const struct xs_region **found);

/* Returns true while no other write overlapped the region since its last upload. */
bool xs_region_upload_intact(const struct xs_residency *residency, const struct xs_region *region);

/* A reference that may outlive its region. The region's memory stays readable, but its number changes when the region
 * ends. */
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

/* Returns the live allocation of a row id; NULL: unknown, or freed. */
struct xs_allocation *xs_allocation_by_id(const struct xs_residency *residency, int64_t id);

/* Returns the live allocation that an address lies in; NULL: none known. */
struct xs_allocation *xs_allocation_at(const struct xs_residency *residency, uint64_t address);

#endif

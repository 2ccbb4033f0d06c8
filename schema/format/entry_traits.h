/* Traits of functions of the CUDA driver and runtime: what the analysis has to know of a call beyond its category
 * (kinds.h). A trace has the functions' names only, so that imported traces have the same traits. */
#ifndef XFERSPY_SCHEMA_FORMAT_ENTRY_TRAITS_H
#define XFERSPY_SCHEMA_FORMAT_ENTRY_TRAITS_H

enum xs_entry_trait {
    XS_TRAIT_UPLOADS = 1u << 0,
    XS_TRAIT_DOWNLOADS = 1u << 1,
    XS_TRAIT_RECORDS_EVENT = 1u << 2,    /* marks a place in a stream, and is no work */
    XS_TRAIT_ORDERS_STREAMS = 1u << 3,   /* makes a stream wait for an event or a value, or lets other streams go on */
    XS_TRAIT_WRITES_VALUE = 1u << 4,     /* in stream order, at api_call.address */
    XS_TRAIT_READS_VALUE = 1u << 5,      /* in stream order, at api_call.address, until it is the one waited for */
    XS_TRAIT_PREFETCHES = 1u << 6,       /* managed memory at api_call.address; of a batch the first range only */
    XS_TRAIT_DECOMPRESSES = 1u << 7,     /* writes device memory at addresses that the trace does not have */
    XS_TRAIT_SHARES_MEMORY = 1u << 8,    /* hands memory to somebody outside, who may read and write it from then on */
    XS_TRAIT_DOES_ANYTHING = 1u << 9,    /* stands for functions that no table has (event.h, XS_ENTRY_UNKNOWN) */
    XS_TRAIT_CREATES_CONTEXT = 1u << 10, /* api_call.object; on the device api_call.argument */
    XS_TRAIT_DESTROYS_CONTEXT = 1u << 11,
    XS_TRAIT_RETAINS_PRIMARY = 1u << 12, /* the primary context of the device api_call.argument */
    XS_TRAIT_RELEASES_PRIMARY = 1u << 13,
    XS_TRAIT_RESETS_PRIMARY = 1u << 14,
};

/* Returns the traits of a function by its name, as the driver or the runtime exports it, with any suffix; 0: none. */
unsigned xs_entry_traits(const char *name);

#endif

/* Defines traits of the functions of the CUDA driver and runtime. Traits are what the analysis has to know about a call
 * in addition to the call's category (kinds.h). A trace stores only the functions' names, and traits are found by name,
 * so that imported traces have them as well. */
#ifndef XFERSPY_SCHEMA_FORMAT_ENTRY_TRAITS_H
#define XFERSPY_SCHEMA_FORMAT_ENTRY_TRAITS_H

enum xs_entry_trait {
    XS_TRAIT_UPLOADS = 1u << 0,
    XS_TRAIT_DOWNLOADS = 1u << 1,
    XS_TRAIT_RECORDS_EVENT = 1u << 2,  /* marks a position in a stream, and is no work */
    XS_TRAIT_ORDERS_STREAMS = 1u << 3, /* makes a stream wait for an event or a value, or lets other streams continue */
    XS_TRAIT_WRITES_VALUE = 1u << 4,   /* writes in stream order, at api_call.address */
    XS_TRAIT_READS_VALUE = 1u << 5,    /* reads in stream order, at api_call.address, until the value is as expected */
    XS_TRAIT_PREFETCHES = 1u << 6,    /* managed memory at api_call.address; for a batch this is only the first range */
    XS_TRAIT_DECOMPRESSES = 1u << 7,  /* writes device memory at addresses that the trace does not have */
    XS_TRAIT_SHARES_MEMORY = 1u << 8, /* from then on, another process or device may read and write the memory */
    XS_TRAIT_DOES_ANYTHING = 1u << 9, /* represents all functions that are in no table (event.h, XS_ENTRY_UNKNOWN) */
    XS_TRAIT_CREATES_CONTEXT = 1u << 10, /* the context api_call.object, on the device api_call.argument */
    XS_TRAIT_DESTROYS_CONTEXT = 1u << 11,
    XS_TRAIT_RETAINS_PRIMARY = 1u << 12, /* the primary context of the device api_call.argument */
    XS_TRAIT_RELEASES_PRIMARY = 1u << 13,
    XS_TRAIT_RESETS_PRIMARY = 1u << 14,
    XS_TRAIT_WAITS_FOR_EVENT = 1u << 15, /* makes a stream wait for the event api_call.object */
    XS_TRAIT_LOADS_CODE = 1u << 16,      /* loads a module or a library of kernels */
    XS_TRAIT_CREATES_STREAM = 1u << 17,  /* the stream api_call.object, with the flags api_call.argument */
    XS_TRAIT_DESTROYS_STREAM = 1u << 18,
};

/* Returns the traits of the function with this name, or 0 if it has none. The name may have any suffix that the driver
 * or the runtime exports. */
unsigned xs_entry_traits(const char *name);

#endif

/* Defines the table of traits; see entry_traits.h. */
#include "schema/format/entry_traits.h"

#include <stddef.h>
#include <string.h>

/* Each row has the text with which the names of all versions of a function begin, without "cu" or "cuda". */
static const struct {
    const char *beginning;
    unsigned traits;
} table[] = {
    {"MemcpyHtoD", XS_TRAIT_UPLOADS},
    {"MemcpyDtoH", XS_TRAIT_DOWNLOADS},
    {"EventRecord", XS_TRAIT_RECORDS_EVENT},
    {"StreamWaitEvent", XS_TRAIT_ORDERS_STREAMS | XS_TRAIT_WAITS_FOR_EVENT},
    {"StreamWriteValue", XS_TRAIT_ORDERS_STREAMS | XS_TRAIT_WRITES_VALUE},
    {"StreamWaitValue", XS_TRAIT_ORDERS_STREAMS | XS_TRAIT_READS_VALUE},
    {"StreamBatchMemOp", XS_TRAIT_ORDERS_STREAMS},
    {"WaitExternalSemaphores", XS_TRAIT_ORDERS_STREAMS},
    {"MemPrefetch", XS_TRAIT_PREFETCHES},
    {"MemDiscardAndPrefetch", XS_TRAIT_PREFETCHES},
    {"MemBatchDecompress", XS_TRAIT_DECOMPRESSES},
    {"IpcGetMemHandle", XS_TRAIT_SHARES_MEMORY},
    {"MemExportToShareableHandle", XS_TRAIT_SHARES_MEMORY},
    {"MemPoolExportPointer", XS_TRAIT_SHARES_MEMORY},
    {"MemGetHandleForAddressRange", XS_TRAIT_SHARES_MEMORY},
    {"PointerSetAttribute", XS_TRAIT_SHARES_MEMORY},
    {"UnknownFunction", XS_TRAIT_DOES_ANYTHING},
    {"CtxCreate", XS_TRAIT_CREATES_CONTEXT},
    {"CtxDestroy", XS_TRAIT_DESTROYS_CONTEXT},
    {"DevicePrimaryCtxRetain", XS_TRAIT_RETAINS_PRIMARY},
    {"DevicePrimaryCtxRelease", XS_TRAIT_RELEASES_PRIMARY},
    {"DevicePrimaryCtxReset", XS_TRAIT_RESETS_PRIMARY},
    {"ModuleLoad", XS_TRAIT_LOADS_CODE},
    {"LibraryLoad", XS_TRAIT_LOADS_CODE},
    {"StreamCreate", XS_TRAIT_CREATES_STREAM},
    {"StreamDestroy", XS_TRAIT_DESTROYS_STREAM},
};

unsigned xs_entry_traits(const char *name) {
    size_t prefix = !strncmp(name, "cuda", 4) ? 4 : !strncmp(name, "cu", 2) ? 2 : 0;
    for (size_t i = 0; prefix && i < sizeof table / sizeof *table; i++)
        if (!strncmp(name + prefix, table[i].beginning, strlen(table[i].beginning)))
            return table[i].traits;
    return 0;
}

/* cuGetProcAddress: which exported symbol a name means for a CUDA version and a kind of default stream. */
#include "sim.h"

#include <string.h>

static const struct xs_entry *newest(const char *name, int version, bool *known) {
    const struct xs_entry *found = NULL;
    *known = false;
    for (size_t i = 0; i < xs_entry_count; i++) {
        const struct xs_entry *entry = &xs_entries[i];
        if (strcmp(entry->base, name) != 0)
            continue;
        *known = true;
        if (entry->since <= version && (found == NULL || entry->since > found->since))
            found = entry;
    }
    return found;
}

CUresult xs_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                CUdriverProcAddressQueryResult *symbolStatus) {
    const cuuint64_t both = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (symbol == NULL || pfn == NULL || (flags & ~both) != 0 || (flags & both) == both || cudaVersion < 0)
        return CUDA_ERROR_INVALID_VALUE;
    bool known;
    const struct xs_entry *entry = newest(symbol, cudaVersion, &known);
    *pfn = NULL;
    if (symbolStatus != NULL)
        *symbolStatus = entry != NULL ? CU_GET_PROC_ADDRESS_SUCCESS
                        : known       ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    /* A missing symbol is no error to this version: driver 580 returns success, a null pointer and the status. */
    if (entry == NULL)
        return CUDA_SUCCESS;
    bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
    *pfn = per_thread && entry->suffixed != NULL ? entry->suffixed : entry->plain;
    return CUDA_SUCCESS;
}

CUresult xs_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
    CUresult result = xs_cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
    return result == CUDA_SUCCESS && *pfn == NULL ? CUDA_ERROR_NOT_FOUND : result;
}

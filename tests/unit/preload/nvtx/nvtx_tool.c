/* This is another tool, which its user has named to NVTX. */
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

static int NVTX_API push(const char *message) {
    (void)message;
    return 4711;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
    const NvtxExportTableCallbacks *tables = get_export_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (tables->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size))
        *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
    return 1;
}

/* Handles process checkpoints beside CUPTI; see checkpoints.h. */
#include "preload/cupti/checkpoints.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/core/dynamic_section.h"
#include "preload/core/loader_list.h"
#include "preload/core/notes.h"
#include "preload/cupti/cupti_internal.h"

#define PREFIX "cuCheckpointProcess"
#define DRIVER "libcuda.so"

static bool needs_driver(const struct xs_dynamic *d) {
    for (const ElfW(Dyn) *entry = d->entries; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && !strncmp(d->strings + entry->d_un.d_val, DRIVER, sizeof DRIVER - 1))
            return true;
    return false;
}

/* Returns the name of a checkpoint function that a table of the loader refers to; NULL: it refers to none. `table` and
 * `bytes` are the tags of the table and of its size. */
static const char *named_in(const struct xs_dynamic *d, unsigned table, unsigned bytes) {
    const ElfW(Rela) *rows = xs_dynamic_address(d, table);
    for (size_t i = 0; rows && i < d->values[bytes] / sizeof *rows; i++) {
        size_t symbol = ELF64_R_SYM(rows[i].r_info);
        const char *name = symbol ? d->strings + d->symbols[symbol].st_name : "";
        if (!strncmp(name, PREFIX, sizeof PREFIX - 1))
            return name;
    }
    return NULL;
}

static int find_import(struct dl_phdr_info *info, size_t size, void *found) {
    const char **name = found;
    struct xs_dynamic d = xs_dynamic_of(info);
    (void)size;
    if (!needs_driver(&d))
        return 0;
    *name = named_in(&d, DT_JMPREL, DT_PLTRELSZ); /* functions that are called through the PLT */
    if (!*name)
        *name = named_in(&d, DT_RELA, DT_RELASZ); /* all other addresses */
    return *name != NULL;
}

const char *xs_checkpoints_imported(void) {
    const char *name = NULL;
    return xs_loader_walk(find_import, &name) ? name : NULL;
}

static _Atomic(const char *) refused;

void xs_checkpoint_look(int result, const char *entry_point) {
    const char *none = NULL;
    if (result == CUDA_ERROR_NOT_SUPPORTED && xs_cupti_was_attached() &&
        atomic_compare_exchange_strong(&refused, &none, entry_point))
        xs_note("cupti", XS_CHECKPOINT_REFUSED, entry_point);
}

const char *xs_checkpoint_refused(void) { return atomic_load(&refused); }

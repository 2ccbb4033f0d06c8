/* Keeps the table of modules. A look-up in the table takes no lock. There are two indexes: one is written while the
 * other is read, so even a signal handler that interrupts the writing finds a complete index. */
#define _GNU_SOURCE
#include "preload/callsite/native_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/callsite/native.h"
#include "preload/core/compiler.h"
#include "preload/core/loader_list.h"
#include "preload/core/mix.h"
#include "preload/core/race_detector.h"

enum {
    MODULES_MAX = 16384,
    POOL_BYTES = 256 * 1024,
    BUILD_ID_BYTES_MAX = 64,
    INDEX_BYTES_HASHED = 1024,
    LOOK_UP_TRIES = 16,
};

struct slot {
    _Atomic uint64_t start, end;
    struct xs_module *_Atomic module;
};
struct index {
    _Atomic unsigned count;
    struct slot slots[MODULES_MAX];
};
static struct index indexes[2]; /* only the memory for modules that exist is ever touched */
static _Atomic unsigned epoch;  /* number of changes; its last bit is the number of the index to read */
_Atomic uint32_t xs_native_replaced;
static XS_TLS bool is_busy;      /* the calling thread holds the loader's lock, or is inside dlclose */
static struct xs_module *newest; /* the module that was found last; `older` leads to all others that ever existed */
static uint32_t last_number;
static char *pool;
static size_t pool_left;
static unsigned long long known_loads, known_unloads; /* the loader's counters when the index was made */

static struct xs_module *search(const struct index *index, uint64_t pc) {
    unsigned low = 0, high = atomic_load_explicit(&index->count, memory_order_acquire);
    while (low < high) {
        unsigned middle = (low + high) / 2;
        const struct slot *slot = &index->slots[middle];
        if (pc < atomic_load_explicit(&slot->start, memory_order_acquire))
            high = middle;
        else if (pc >= atomic_load_explicit(&slot->end, memory_order_acquire))
            low = middle + 1;
        else
            return atomic_load_explicit(&slot->module, memory_order_acquire);
    }
    return NULL;
}

static struct xs_module *look_up(uint64_t pc) {
    for (unsigned i = 0; i < LOOK_UP_TRIES; i++) {
        unsigned before = atomic_load_explicit(&epoch, memory_order_acquire);
        struct xs_module *module = search(&indexes[before & 1], pc);
        if (atomic_load_explicit(&epoch, memory_order_acquire) == before)
            return module;
    }
    return NULL;
}

static void *take(size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes > pool_left) {
        void *p = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return NULL;
        pool = p;
        pool_left = POOL_BYTES;
    }
    void *result = pool;
    pool += bytes;
    pool_left -= bytes;
    return result;
}

/* Hashes whole words, because hashing takes most of the time of a refresh if there are hundreds of modules. */
static uint64_t hash_words(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, p + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        hash = xs_mix_word(hash, word);
    }
    return hash;
}

static bool is_within(const ElfW(Phdr) * segment, uint64_t address, uint64_t bytes) {
    return segment->p_type == PT_LOAD && (segment->p_flags & PF_R) && address >= segment->p_vaddr &&
           bytes <= segment->p_memsz && address - segment->p_vaddr <= segment->p_memsz - bytes;
}

/* Returns the mapped segment that contains a part of the file; NULL: none does. */
static const ElfW(Phdr) * segment_of(const struct dl_phdr_info *info, const ElfW(Phdr) * part) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (is_within(&info->dlpi_phdr[i], part->p_vaddr, part->p_memsz))
            return &info->dlpi_phdr[i];
    return NULL;
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
static const char *at(const struct dl_phdr_info *info, uint64_t address) {
    return (const char *)(info->dlpi_addr + address);
}

static uint32_t build_id(const struct dl_phdr_info *info, const char **id) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *notes = &info->dlpi_phdr[i];
        if (notes->p_type != PT_NOTE || !segment_of(info, notes))
            continue;
        uint64_t align = notes->p_align == 8 ? 8 : 4, offset = 0;
        ElfW(Nhdr) note;
        while (offset + sizeof note <= notes->p_memsz) {
            memcpy(&note, at(info, notes->p_vaddr + offset), sizeof note);
            uint64_t name = offset + sizeof note, content = name + ((note.n_namesz + align - 1) & ~(align - 1));
            offset = content + ((note.n_descsz + align - 1) & ~(align - 1));
            if (content + note.n_descsz > notes->p_memsz)
                break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= BUILD_ID_BYTES_MAX &&
                memcmp(at(info, notes->p_vaddr + name), "GNU", 4) == 0) {
                *id = at(info, notes->p_vaddr + content);
                return note.n_descsz;
            }
        }
    }
    return 0;
}

/* Writes the path of a module, and returns its length. The loader has no name for the program, and its name of a
 * library is the argument of dlopen, which may be a relative path. */
static size_t path_of(const struct dl_phdr_info *info, char path[2 * PATH_MAX]) {
    int kept = errno;
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    long bytes = 0;
    if (!*name)
        bytes = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, PATH_MAX);
    else if (*name != '/' && strchr(name, '/') && (bytes = syscall(SYS_getcwd, path, PATH_MAX)) > 0)
        path[bytes - 1] = '/'; /* replaces the terminator */
    errno = kept;
    size_t before = bytes > 0 ? (size_t)bytes : 0, length = strnlen(name, PATH_MAX - 1);
    memcpy(path + before, name, length);
    return before + length;
}

struct gathering {
    struct index *to;
    unsigned count;
    char path[2 * PATH_MAX];
};
static struct gathering gathering; /* protected by the loader's lock; too large for a stack */

static bool is_same(const struct xs_module *m, const struct xs_module *wanted) {
    return m->identity == wanted->identity && m->definition.bias == wanted->definition.bias &&
           m->definition.start == wanted->definition.start && m->definition.end == wanted->definition.end;
}

/* Finds the earlier module with the same content and addresses, because a module that is still loaded, or loaded again,
 * keeps its number. Most are still loaded. NULL: the module is new. */
static struct xs_module *same_as(const struct xs_module *wanted) {
    struct xs_module *m = look_up(wanted->definition.start);
    if (m && is_same(m, wanted))
        return m;
    for (m = newest; m && !is_same(m, wanted); m = m->older) {
    }
    return m;
}

static struct xs_module *remember(const struct dl_phdr_info *info, struct xs_module *wanted) {
    const char *id = NULL;
    struct xs_define_module *d = &wanted->definition;
    d->build_id_bytes = build_id(info, &id);
    size_t path_bytes = path_of(info, gathering.path);
    d->path_bytes = (uint32_t)path_bytes;
    wanted->identity =
        hash_words(UINT64_C(0xcbf29ce484222325), info->dlpi_phdr, info->dlpi_phnum * sizeof *info->dlpi_phdr);
    wanted->identity = hash_words(wanted->identity, id, d->build_id_bytes);
    if (!id && wanted->index) { /* without a build id, two builds differ in this index */
        wanted->identity =
            hash_words(wanted->identity, at(info, wanted->index - info->dlpi_addr),
                       wanted->index_bytes < INDEX_BYTES_HASHED ? wanted->index_bytes : INDEX_BYTES_HASHED);
    }
    wanted->identity = hash_words(wanted->identity, gathering.path, path_bytes);
    struct xs_module *module = same_as(wanted);
    if (module || !(module = take(sizeof *module + d->build_id_bytes + path_bytes)))
        return module;
    memcpy(module, wanted, sizeof *module);
    if (id)
        memcpy(module->text, id, d->build_id_bytes);
    memcpy(module->text + d->build_id_bytes, gathering.path, path_bytes);
    module->number = ++last_number;
    module->older = newest;
    newest = module;
    return module;
}

/* Fills in a module, except for its path and build id. False: it has no code. */
static bool describe(const struct dl_phdr_info *info, struct xs_module *module) {
    *module = (struct xs_module){.definition.start = UINT64_MAX, .definition.bias = info->dlpi_addr};
    struct xs_define_module *d = &module->definition;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i], *segment = NULL;
        uint64_t start = info->dlpi_addr + h->p_vaddr;
        if (h->p_type == PT_LOAD && (h->p_flags & PF_X)) {
            d->start = start < d->start ? start : d->start;
            d->end = start + h->p_memsz > d->end ? start + h->p_memsz : d->end;
        } else if (h->p_type == PT_GNU_EH_FRAME && (segment = segment_of(info, h))) {
            module->index = start;
            module->index_bytes = h->p_memsz;
            module->readable_start = info->dlpi_addr + segment->p_vaddr;
            module->readable_end = module->readable_start + segment->p_memsz;
        }
    }
    return d->end != 0;
}

static int gather(struct dl_phdr_info *info, size_t bytes, void *arg) {
    struct xs_module wanted, *module;
    (void)arg;
    (void)bytes;
    known_loads = info->dlpi_adds;
    known_unloads = info->dlpi_subs;
    if (describe(info, &wanted) && gathering.count < MODULES_MAX && (module = remember(info, &wanted))) {
        struct slot *slot = &gathering.to->slots[gathering.count++];
        atomic_store_explicit(&slot->start, module->definition.start, memory_order_release);
        atomic_store_explicit(&slot->end, module->definition.end, memory_order_release);
        atomic_store_explicit(&slot->module, module, memory_order_release);
    }
    return 0;
}

static void move(struct slot *to, const struct slot *from) {
    atomic_store_explicit(&to->start, atomic_load_explicit(&from->start, memory_order_relaxed), memory_order_release);
    atomic_store_explicit(&to->end, atomic_load_explicit(&from->end, memory_order_relaxed), memory_order_release);
    atomic_store_explicit(&to->module, atomic_load_explicit(&from->module, memory_order_relaxed), memory_order_release);
}

/* Sorts by Shellsort, because qsort may allocate memory. */
static void sort(struct slot *slots, unsigned count) {
    for (unsigned gap = count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (unsigned i = gap; i < count; i++) {
            struct slot moved;
            move(&moved, &slots[i]);
            unsigned j = i;
            for (; j >= gap && atomic_load_explicit(&slots[j - gap].start, memory_order_relaxed) >
                                   atomic_load_explicit(&moved.start, memory_order_relaxed);
                 j -= gap)
                move(&slots[j], &slots[j - gap]);
            move(&slots[j], &moved);
        }
    }
}

/* True if the trace defines another module at some of this module's addresses. */
static bool replaces_another(const struct xs_module *module) {
    const struct xs_define_module *d = &module->definition;
    for (const struct xs_module *m = newest; m; m = m->older)
        if (m != module && atomic_load_explicit(&m->is_defined, memory_order_relaxed) && m->definition.start < d->end &&
            d->start < m->definition.end)
            return true;
    return false;
}

/* True if any module that is only in the new index replaces another one. */
static bool does_any_replace(const struct index *old, const struct index *new) {
    unsigned count = atomic_load_explicit(&new->count, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++) {
        const struct xs_module *module = atomic_load_explicit(&new->slots[i].module, memory_order_relaxed);
        if (search(old, module->definition.start) != module && replaces_another(module))
            return true;
    }
    return false;
}

static void refresh(void) {
    unsigned next = atomic_load_explicit(&epoch, memory_order_relaxed) + 1;
    gathering.to = &indexes[next & 1];
    gathering.count = 0;
    /* Threads may still be reading this index, which was current before the last change. The epoch will show them that
     * it has changed. */
    atomic_store_explicit(&gathering.to->count, 0, memory_order_release);
    dl_iterate_phdr(gather, NULL);
    sort(gathering.to->slots, gathering.count);
    atomic_store_explicit(&gathering.to->count, gathering.count, memory_order_release);
    if (does_any_replace(&indexes[(next - 1) & 1], gathering.to))
        atomic_fetch_add_explicit(&xs_native_replaced, 1, memory_order_release);
    atomic_store_explicit(&epoch, next, memory_order_release);
    xs_rules_drop();
}

struct use {
    uint64_t pc;
    void (*function)(const struct xs_module *module, void *arg);
    void *arg;
    bool is_done;
};

static bool is_current(const struct dl_phdr_info *info) {
    return atomic_load_explicit(&epoch, memory_order_relaxed) != 0 && info->dlpi_adds == known_loads &&
           info->dlpi_subs == known_unloads;
}

/* The loader calls this function for the first module, under its lock, so that nothing is unmapped meanwhile. The other
 * modules are not needed, because the loader's counters come with each module. */
static int use_if_current(struct dl_phdr_info *info, size_t bytes, void *arg) {
    struct use *use = arg;
    (void)bytes;
    if (is_current(info)) {
        use->function(look_up(use->pc), use->arg);
        use->is_done = true;
    }
    return 1;
}

/* Finds the module without the table, if other threads change the loader's list faster than the table can be made. */
static int use_if_it_is_there(struct dl_phdr_info *info, size_t bytes, void *arg) {
    struct use *use = arg;
    struct xs_module module;
    (void)bytes;
    if (!describe(info, &module) || use->pc < module.definition.start || use->pc >= module.definition.end)
        return 0;
    use->function(&module, use->arg);
    use->is_done = true;
    return 1;
}

static void use_under_lock(struct use *use) {
    dl_iterate_phdr(use_if_current, use);
    if (use->is_done)
        return;
    refresh();
    dl_iterate_phdr(use_if_current, use);
    if (!use->is_done && !dl_iterate_phdr(use_if_it_is_there, use))
        use->function(NULL, use->arg);
}

bool xs_modules_use(uint64_t pc, void (*use)(const struct xs_module *, void *), void *arg) {
    struct use u = {.pc = pc, .function = use, .arg = arg};
    if (is_busy)
        return false;
    is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    bool is_locked_by_us = xs_loader_lock(); /* also prevents that modules are unloaded meanwhile */
    if (is_locked_by_us) {
        xs_race_detector_ignore();
        use_under_lock(&u);
        xs_race_detector_watch();
        xs_loader_unlock();
    }
    atomic_signal_fence(memory_order_seq_cst);
    is_busy = false;
    return is_locked_by_us;
}

static void nothing(const struct xs_module *module, void *arg) {
    (void)module;
    (void)arg;
}

uint32_t xs_native_module(uint64_t pc, struct xs_event **e) {
    struct xs_module *module = look_up(pc);
    if (!module && xs_modules_use(pc, nothing, NULL))
        module = look_up(pc); /* the table was made anew if it was not current */
    if (!module)
        return 0;
    if (!atomic_exchange_explicit(&module->is_defined, true, memory_order_relaxed)) {
        const struct xs_define_module *d = &module->definition;
        if (!xs_define(e, XS_DEFINE_MODULE, module->number, d, sizeof *d + d->build_id_bytes + d->path_bytes))
            atomic_store_explicit(&module->is_defined, false, memory_order_relaxed);
    }
    return module->number;
}

static XS_TLS unsigned unloading; /* depth of dlclose calls on this thread: a library's destructor may call dlclose */

_Atomic unsigned xs_unloads_under_way;

void xs_native_unloading(void) {
    atomic_fetch_add_explicit(&xs_unloads_under_way, 1, memory_order_seq_cst);
    unloading++;
    is_busy = true;
}

/* Makes the table anew if a library was unloaded. This costs little, because most calls of dlclose unload nothing, and
 * in most programs there is no table yet. */
void xs_native_unloaded(void) {
    if (--unloading == 0) {
        is_busy = false;
        if (atomic_load_explicit(&epoch, memory_order_relaxed))
            xs_modules_use(0, nothing, NULL);
    }
    atomic_fetch_sub_explicit(&xs_unloads_under_way, 1, memory_order_seq_cst);
}

void xs_native_forget(void) {
    is_busy = unloading > 0;
    atomic_store_explicit(&xs_unloads_under_way, unloading, memory_order_relaxed);
    for (struct xs_module *m = newest; m; m = m->older)
        atomic_store_explicit(&m->is_defined, false, memory_order_relaxed);
}

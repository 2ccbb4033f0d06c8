/* Keeps the functions that are in no table of xferspy. This needs no lock: an atomic exchange takes a free entry, and
 * other threads find the entry only after it was filled. */
#define _GNU_SOURCE
#include "preload/driver/unknown.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/notes.h"
#include "preload/core/state.h"

struct xs_unknown xs_unknown[XS_UNKNOWN_MOST];
static _Atomic bool too_many;

enum noted { XS_ELSEWHERE, XS_NEWER };
static const struct named {
    const char *name;
    enum noted noted;
    enum xs_unknown_effect effect;
} named[] = {
#define XS_NAMED(name, noted, effect) {#name, noted, effect},
#include "preload/driver/unknown_names.def"
#undef XS_NAMED
};

static bool begins_with(const char *name, const char *start) { return strncmp(name, start, strlen(start)) == 0; }

/* Finds what is known about a function by its name without the suffix of a variant (unknown_names.def). A function
 * without a row counts as XS_FOR_GOOD: its work may run after it has returned, even after later copies, or again and
 * again, and the functions that a newer version of cuGetProcAddress returns have no wrapper. */
static struct named known_of(const char *name) {
    size_t length = strlen(name), suffix = sizeof "_ptsz" - 1;
    if (length > suffix && (!strcmp(name + length - suffix, "_ptsz") || !strcmp(name + length - suffix, "_ptds")))
        length -= suffix;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strlen(named[i].name) == length && strncmp(named[i].name, name, length) == 0)
            return named[i];
    return (struct named){name, XS_NEWER, XS_FOR_GOOD};
}

struct request {
    void *real;
    const char *name;
    enum xs_unknown_asked asked;
    const void *driver;
    int index;
};

static void fill(struct xs_unknown *slot, void *real, const char *name, struct named known) {
    snprintf(slot->name, sizeof slot->name, "%s", name);
    slot->is_newer = known.noted == XS_NEWER;
    slot->launches = begins_with(name, "cuLaunch");
    slot->effect = known.effect;
    atomic_store_explicit(&slot->real, real, memory_order_release);
}

/* Takes an entry for the function, or returns the one that it has. If two threads do this at the same time, the
 * function may get two entries with the same content. */
static int take_slot(void *real, const char *name, struct named known) {
    for (int i = 0; i < XS_UNKNOWN_MOST; i++) {
        if (!atomic_exchange(&xs_unknown[i].is_taken, true))
            fill(&xs_unknown[i], real, name, known);
        if (atomic_load_explicit(&xs_unknown[i].real, memory_order_acquire) == real)
            return i;
    }
    return XS_NO_STUB;
}

static int run_out(const struct named *known, const char *name) {
    if (!atomic_exchange(&too_many, true)) {
        xs_note("functions",
                "more than %d functions of a newer driver were looked up: %s is the first one whose calls are not seen",
                XS_UNKNOWN_MOST, name);
    }
    if (known->effect == XS_HARMLESS)
        return XS_NO_STUB;
    xs_contents_unknown_from_here(XS_CONTENTS_UNKNOWN_FOR_GOOD);
    return XS_UNSEEN;
}

/* Uses the exported name of the address, because cuGetProcAddress takes the same name for all versions of a
 * function. */
static void look_at(void *arg) {
    struct request *request = arg;
    Dl_info at = {0}, driver = {0}, own = {0};
    ElfW(Sym) *symbol = NULL;
    bool is_known = dladdr1(request->real, &at, (void **)&symbol, RTLD_DL_SYMENT) != 0;
    bool is_drivers = is_known && dladdr(request->driver, &driver) && at.dli_fbase == driver.dli_fbase;
    bool is_exact = is_known && symbol && at.dli_saddr == request->real && at.dli_sname;
    if (is_known && dladdr((const void *)xs_unknown_stub_for, &own) && at.dli_fbase == own.dli_fbase)
        return;
    if (request->asked == XS_ASKED_BY_DLSYM && !(is_drivers && is_exact && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC))
        return;
    bool has_other_name = request->asked == XS_ASKED_BY_PROC_ADDRESS && is_drivers && is_exact;
    const char *name = has_other_name ? at.dli_sname : request->name;
    struct named known = known_of(name);
    if (known.effect == XS_PASSES)
        return;
    request->index = take_slot(request->real, name, known);
    if (request->index < 0)
        request->index = run_out(&known, name);
}

static int find(const void *real) {
    for (int i = 0; i < XS_UNKNOWN_MOST; i++) {
        const void *there = atomic_load_explicit(&xs_unknown[i].real, memory_order_acquire);
        if (there == real)
            return i;
        if (!there && !atomic_load_explicit(&xs_unknown[i].is_taken, memory_order_relaxed))
            break;
    }
    return XS_NO_STUB;
}

int xs_unknown_stub_for(void *real, const char *name, enum xs_unknown_asked asked, const void *driver) {
    struct request request = {real, name, asked, driver, find(real)};
    if (request.index < 0)
        xs_on_scratch_or_here(look_at, &request);
    return request.index;
}

unsigned xs_unknown_list(bool called, char *text, size_t bytes) {
    unsigned count = 0;
    size_t length = 0;
    *text = '\0';
    for (int i = 0; i < XS_UNKNOWN_MOST; i++) {
        const struct xs_unknown *slot = &xs_unknown[i];
        if (!atomic_load_explicit(&slot->real, memory_order_acquire) || !slot->is_newer ||
            atomic_load_explicit(&slot->was_called, memory_order_relaxed) != called)
            continue;
        int added = snprintf(text + length, bytes - length, "%s%s", count ? "," : "", slot->name);
        if (added < 0 || (size_t)added >= bytes - length) {
            text[length] = '\0';
            break;
        }
        length += (size_t)added;
        count++;
    }
    return count;
}

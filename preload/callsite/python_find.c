/* Finds the interpreter in the program itself, in one of its libraries, or in a library that was loaded later by a
 * program that embeds Python. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "preload/callsite/python_copy.h"
#include "preload/callsite/python_layout.h"
#include "preload/core/alternate_stack.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/core/loader_list.h"
#include "preload/core/notes.h"
#include "schema/path.h"

struct xs_python xs_python;

static const struct xs_python_layout layouts[] = {
#define XS_PYTHON_VERSION(version, shape, ...) {version, XS_PYTHON_##shape, __VA_ARGS__},
#include "preload/callsite/python_versions.def"
};

/* ---- the offsets that the interpreter publishes, from 3.13 on ---- */

/* The words of struct _Py_DebugOffsets: cookie, version, free_threaded, runtime_state (size, finalizing,
 * interpreters_head), then structs whose number of fields depends on the version. In 3.13 interpreter_state has 13
 * fields and interpreter_frame has 6; in 3.14 they have 16 and 8. */
struct said {
    uint64_t word[64];
    unsigned thread, frame, code; /* indexes of the first words of these structs */
};
enum { SAID_VERSION = 1, SAID_FREE_THREADED = 2, SAID_FINALIZING = 4, SAID_INTERPRETER = 6 };
enum { THREAD_CURRENT = 4, THREAD_ID = 5, THREAD_FIELDS = 9 };
enum { FRAME_PREVIOUS = 1, FRAME_CODE = 2, FRAME_AT = 3, FRAME_OWNER = 5 };
enum { CODE_FILENAME = 1, CODE_NAME, CODE_QUALNAME, CODE_LINES, CODE_FIRST_LINE, CODE_BODY = 9 };

static bool read_said(struct said *s, uintptr_t runtime, unsigned version) {
    if (!xs_python_probe(s->word, runtime, sizeof s->word) || memcmp(s->word, "xdebugpy", 8) != 0 ||
        s->word[SAID_VERSION] >> 16 != version)
        return false;
    bool is_313 = version == 0x030d;
    s->thread = SAID_INTERPRETER + (is_313 ? 13 : 16);
    s->frame = s->thread + THREAD_FIELDS;
    s->code = s->frame + (is_313 ? 6 : 8);
    return true;
}

static bool is_offset(uint64_t word) { return word < 4096; }

/* Copies the published offsets into the layout. False: one of them is impossible. */
static bool take_said(struct xs_python_layout *l, const struct said *s) {
    const uint64_t *thread = &s->word[s->thread], *frame = &s->word[s->frame], *code = &s->word[s->code];
    const struct {
        uint16_t *to;
        uint64_t from;
    } takes[] = {
        {&l->thread_id, thread[THREAD_ID]},
        {&l->current, thread[THREAD_CURRENT]},
        {&l->f_previous, frame[FRAME_PREVIOUS]},
        {&l->f_code, frame[FRAME_CODE]},
        {&l->f_at, frame[FRAME_AT]},
        {&l->f_owner, frame[FRAME_OWNER]},
        {&l->filename, code[CODE_FILENAME]},
        {&l->name, code[CODE_NAME]},
        {&l->qualname, code[CODE_QUALNAME]},
        {&l->lines, code[CODE_LINES]},
        {&l->first_line, code[CODE_FIRST_LINE]},
        {&l->body, code[CODE_BODY]},
    };
    for (size_t i = 0; i < sizeof takes / sizeof takes[0]; i++) {
        if (!is_offset(takes[i].from))
            return false;
        *takes[i].to = (uint16_t)takes[i].from;
    }
    /* This offset is not published. Between this field and the code there are an int and co_extra (cpython/code.h of
     * 3.13 and 3.14). */
    l->traceable = (uint16_t)(l->body - 16);
    bool fits = l->f_owner < XS_PYTHON_COPY_STRUCT && l->f_previous + 8 <= XS_PYTHON_COPY_STRUCT &&
                l->f_code + 8 <= XS_PYTHON_COPY_STRUCT && l->f_at + 8 <= XS_PYTHON_COPY_STRUCT;
    return fits && l->qualname && l->f_owner > l->f_at && l->body >= 64 && l->body % 8 == 0;
}

/* ---- one candidate ---- */

static bool refuse(struct xs_python *p, const char *version, const char *why) {
    int length = (int)strcspn(version, " ");
    xs_note("python", "no Python frames: CPython %.*s %s", length > 32 ? 32 : length, version, why);
    atomic_store_explicit(&p->state, XS_PYTHON_OFF, memory_order_release);
    return true;
}

static unsigned parse_version(const char *text) {
    char *end;
    unsigned long major = strtoul(text, &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    return major < 256 && minor < 256 ? (unsigned)(major << 8 | minor) : 0;
}

static const struct xs_python_layout *layout_of(unsigned version) {
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].version == version)
            return &layouts[i];
    return NULL;
}

/* True if the library of this handle contains an interpreter. The state then tells whether it can be read. */
static bool take(void *handle) {
    struct xs_python *p = &xs_python;
    const char *(*get_version)(void) = (const char *(*)(void))xs_real_dlsym(handle, "Py_GetVersion");
    uintptr_t runtime = (uintptr_t)xs_real_dlsym(handle, "_PyRuntime");
    p->this_thread = (void *(*)(void))xs_real_dlsym(handle, "PyGILState_GetThisThreadState");
    p->is_initialized = (int (*)(void))xs_real_dlsym(handle, "Py_IsInitialized");
    p->latest_interpreter = (void *(*)(void))xs_real_dlsym(handle, "PyInterpreterState_Head");
    p->main_interpreter = (void *(*)(void))xs_real_dlsym(handle, "PyInterpreterState_Main");
    if (!get_version || !p->this_thread || !p->is_initialized)
        return false;
    const char *text = get_version();
    unsigned version = parse_version(text);
    const struct xs_python_layout *layout = layout_of(version);
    p->code_type = (uintptr_t)xs_real_dlsym(handle, "PyCode_Type");
    p->is_finalizing = (int (*)(void))xs_real_dlsym(handle, "Py_IsFinalizing"); /* 3.13 on */
    if (!p->is_finalizing)
        p->is_finalizing = (int (*)(void))xs_real_dlsym(handle, "_Py_IsFinalizing");
    if (!layout)
        return refuse(p, text, "is not among the versions that are known, 3.9 to 3.14");
    if (!runtime || !p->code_type ||
        !p->is_finalizing) /* it is another interpreter with CPython's interface, or it was stripped */
        return refuse(p, text, "does not export what it takes to read its frames");
    if (strstr(text, "free-threading"))
        return refuse(p, text, "is a free-threaded build, whose frames are not read");
    p->layout = *layout;
    p->finalizing = 0;
    if (version >= 0x030d) {
        struct said said;
        if (!read_said(&said, runtime, version) || said.word[SAID_FREE_THREADED] || !take_said(&p->layout, &said))
            return refuse(p, text, "does not say where it keeps its frames");
        p->finalizing = is_offset(said.word[SAID_FINALIZING]) ? runtime + said.word[SAID_FINALIZING] : 0;
    }
    atomic_store_explicit(&p->state, XS_PYTHON_UNCHECKED, memory_order_release);
    return true;
}

/* ---- where to search ---- */

struct names {
    char name[8][512];
    unsigned count;
    unsigned long long loads; /* the loader's count of loaded libraries */
};

static int collect(struct dl_phdr_info *info, size_t size, void *data) {
    struct names *n = data;
    if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof info->dlpi_adds)
        n->loads = info->dlpi_adds;
    if (strncmp(xs_base_name(info->dlpi_name), "libpython", 9) == 0 && n->count < 8 &&
        strlen(info->dlpi_name) < sizeof n->name[0])
        strcpy(n->name[n->count++], info->dlpi_name);
    return 0;
}

static unsigned long long loads_before;

/* Keeps the interpreter's library loaded, because its functions are called from now on, also by a thread of ours when
 * the program makes no call. For an interpreter in the program itself this changes nothing. */
static void keep_loaded(void) {
    Dl_info info;
    if (dladdr((void *)xs_python.is_initialized, &info) && info.dli_fname)
        xs_python.library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    dlerror();
}

/* Searches for the interpreter. A search for a symbol waits for a dlopen or dlclose of another thread to end, and that
 * call may be waiting for the calling thread, for example if a library's constructor joins a thread, or a destructor
 * ends its workers. So symbols are searched at the session's start, and later only if a library has the name of an
 * interpreter. */
static void look(void *unused) {
    (void)unused;
    struct names names = {.count = 0};
    if (!xs_loader_walk(collect, &names))
        return;
    if (names.loads && names.loads == loads_before)
        return;
    bool is_first = loads_before == 0;
    loads_before = names.loads;
    if (!is_first && names.count == 0)
        return;
    if (take(RTLD_DEFAULT)) {
        keep_loaded();
        return;
    }
    for (unsigned i = 0; i < names.count; i++) {
        /* The library was loaded with RTLD_LOCAL. If it contains an interpreter, the handle is kept, because its
         * functions are called from now on. */
        void *handle = dlopen(names.name[i], RTLD_LAZY | RTLD_NOLOAD);
        if (handle && take(handle))
            return;
        if (handle)
            dlclose(handle);
    }
    dlerror(); /* the application's next dlerror() must not return errors of these searches */
}

/* ---- when to search ---- */

static atomic_flag looking = ATOMIC_FLAG_INIT;
static _Atomic uint64_t look_again_ns;
static _Atomic unsigned wrong_checks;
static XS_TLS unsigned walks_to_skip;

static uint64_t monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Searches for the interpreter, but only at some of its calls, and at most once a second, because a search takes the
 * loader's lock. */
static void look_now_and_then(void) {
    enum { WALKS = 256 };
    if (walks_to_skip > 0) {
        walks_to_skip--;
        return;
    }
    walks_to_skip = WALKS;
    uint64_t now = monotonic_ns();
    if (now < atomic_load_explicit(&look_again_ns, memory_order_relaxed) ||
        atomic_flag_test_and_set_explicit(&looking, memory_order_acquire))
        return;
    if (atomic_load_explicit(&xs_python.state, memory_order_relaxed) == XS_PYTHON_ABSENT) {
        xs_on_scratch(look, NULL);
        atomic_store_explicit(&look_again_ns, now + 1000000000, memory_order_relaxed);
    }
    atomic_flag_clear_explicit(&looking, memory_order_release);
}

bool xs_python_present(void) {
    if (atomic_load_explicit(&xs_python.state, memory_order_acquire) == XS_PYTHON_ABSENT)
        look_now_and_then();
    int state = atomic_load_explicit(&xs_python.state, memory_order_acquire);
    return state == XS_PYTHON_UNCHECKED || state == XS_PYTHON_READY;
}

bool xs_python_is_ready(void) {
    return atomic_load_explicit(&xs_python.state, memory_order_acquire) == XS_PYTHON_READY;
}

static void check(void *fit) { *(enum xs_python_fit *)fit = xs_python_check(); }

bool xs_python_prepare(void) {
    enum { TRIES = 3 };
    struct xs_python *p = &xs_python;
    if (!xs_python_present())
        return false;
    if (atomic_load_explicit(&p->state, memory_order_acquire) == XS_PYTHON_READY)
        return true;
    enum xs_python_fit fit = XS_PYTHON_NO_FRAMES;
    xs_on_scratch(check, &fit);
    switch (fit) {
    case XS_PYTHON_FITS:
        atomic_store_explicit(&p->state, XS_PYTHON_READY, memory_order_release);
        return true;
    case XS_PYTHON_WRONG:
        /* In a signal handler, frames may be half made. If only such frames were found, the next check decides. */
        if (atomic_fetch_add(&wrong_checks, 1) + 1 == TRIES) {
            xs_note("python", "no Python frames: the frames of CPython %u.%u are not where they are in other builds",
                    p->layout.version >> 8u, p->layout.version & 0xffu);
            atomic_store_explicit(&p->state, XS_PYTHON_OFF, memory_order_release);
        }
        return false;
    default:
        return false;
    }
}

void xs_python_find_forget(void) {
    atomic_flag_clear_explicit(&looking, memory_order_relaxed);
    atomic_store_explicit(&look_again_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&wrong_checks, 0, memory_order_relaxed);
    loads_before = 0;
    walks_to_skip = 0;
}

/* The tests of stacks call these functions by ctypes. They walk over the interpreter of the process, and keep here what
 * the walk defines. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include "preload/callsite/python.h"
#include "preload/core/notes.h"
#include "schema/format/event.h"

enum { LIMIT_MAX = 1024, DEFINITIONS_MAX = 1 << 17 };

XS_TLS struct xs_guard xs_guard;

void *xs_real_dlsym(void *handle, const char *name) { return dlsym(handle, name); }

static char notes[4096];
void xs_note(const char *topic, const char *format, ...) {
    size_t n = strlen(notes);
    va_list arguments;
    va_start(arguments, format);
    int bytes = snprintf(notes + n, sizeof notes - n, "%s: ", topic);
    if (bytes > 0 && (size_t)bytes < sizeof notes - n)
        vsnprintf(notes + n + bytes, sizeof notes - n - (size_t)bytes, format, arguments);
    va_end(arguments);
}
XS_EXPORT const char *stack_notes(void) { return notes; }

/* ---- definitions ---- */

/* The texts lie in memory that is only handed out and never freed, because signal handlers define texts, too. */
enum { TEXT_BYTES = 1 << 28 };
static char *text_memory;
static _Atomic size_t text_bytes;
static char *_Atomic definitions[DEFINITIONS_MAX];
static _Atomic unsigned defined_twice, refuse_definitions;

__attribute__((constructor)) static void map_memory(void) {
    text_memory = mmap(NULL, TEXT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    const struct xs_define_code *code = data;
    const char *text = (const char *)(code + 1);
    if (*e || what != XS_DEFINE_CODE || id == 0 || id >= DEFINITIONS_MAX ||
        bytes != sizeof *code + code->file_bytes + code->function_bytes)
        abort();
    if (atomic_load(&refuse_definitions))
        return false;
    size_t room = code->function_bytes + code->file_bytes + 16u;
    char *line = text_memory + atomic_fetch_add(&text_bytes, room), *none = NULL;
    memcpy(line, text + code->file_bytes, code->function_bytes);
    line[code->function_bytes] = '\t';
    memcpy(line + code->function_bytes + 1, text, code->file_bytes);
    snprintf(line + code->function_bytes + 1 + code->file_bytes, 15, "\t%u", code->first_line);
    if (!atomic_compare_exchange_strong(&definitions[id], &none, line))
        atomic_fetch_add(&defined_twice, 1);
    return true;
}
XS_EXPORT unsigned stack_defined_twice(void) { return atomic_load(&defined_twice); }
XS_EXPORT void stack_refuse_definitions(unsigned refuse) { atomic_store(&refuse_definitions, refuse); }
XS_EXPORT void stack_forget(void) {
    xs_python_forget();
    for (unsigned i = 0; i < DEFINITIONS_MAX; i++)
        atomic_store(&definitions[i], NULL);
}

/* ---- stacks ---- */

static void describe(FILE *to, const struct xs_python_frame *frame) {
    uint32_t line;
    struct xs_event *none = NULL;
    uint32_t number = xs_python_code(frame, &line, &none);
    const char *text = atomic_load(&definitions[number]);
    fprintf(to, "%s\t%u\t%d\n", text ? text : "-\t-\t0", line, frame->is_entry);
}

/* Returns a line for each frame, with function, file, first line, line, and is_entry; the innermost frame comes first.
 * The text ends with "cut" if the stack is cut. It is valid until the next call. */
XS_EXPORT const char *stack_take(unsigned limit) {
    static XS_TLS char *text;
    struct xs_python_frame frames[LIMIT_MAX];
    size_t bytes;
    bool is_cut;
    unsigned n = xs_python_walk(frames, limit < LIMIT_MAX ? limit : LIMIT_MAX, &is_cut);
    free(text);
    text = NULL;
    FILE *to = open_memstream(&text, &bytes);
    for (unsigned i = 0; i < n; i++)
        describe(to, &frames[i]);
    fputs(is_cut ? "cut\n" : "", to);
    fclose(to);
    return text;
}

/* Returns the stack of another thread in the form of stack_take; "lost" if it changed meanwhile. */
static bool define_other(void *to, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    struct xs_event *none = NULL;
    (void)to;
    return xs_define(&none, what, id, data, bytes);
}
XS_EXPORT const char *stack_take_other(uint64_t thread, uint64_t pthread, unsigned limit) {
    static XS_TLS char *text;
    static XS_TLS struct xs_python_copy *copy;
    struct xs_python_frame frames[LIMIT_MAX];
    const struct xs_definer definer = {define_other, NULL};
    size_t bytes;
    bool is_cut = false, is_gone = false;
    copy = copy ? copy : calloc(1, xs_python_copy_bytes);
    int n = xs_python_walk_other(thread, pthread, frames, limit < LIMIT_MAX ? limit : LIMIT_MAX, copy, &is_cut);
    free(text);
    text = NULL;
    FILE *to = open_memstream(&text, &bytes);
    for (int i = 0; i < n; i++) {
        uint32_t line, number = xs_python_code_of_other(&frames[i], copy, &line, &definer);
        const char *of_code = atomic_load(&definitions[number]);
        is_gone |= frames[i].code && !number;
        fprintf(to, "%s\t%u\t%d\n", of_code ? of_code : "-\t-\t0", line, frames[i].is_entry);
    }
    fputs(is_cut ? "cut\n" : "", to);
    fclose(to);
    return n < 0 || is_gone ? "lost" : text;
}

/* A thread reads the stack of another thread again and again, until the process ends. */
static struct spied { uint64_t thread, pthread; } spied;
static void *spy(void *unused) {
    for (;;)
        stack_take_other(spied.thread, spied.pthread, 64);
    return unused;
}
XS_EXPORT int stack_spy_for_ever(uint64_t thread, uint64_t pthread) {
    pthread_t native;
    spied = (struct spied){thread, pthread};
    return pthread_create(&native, NULL, spy, NULL);
}

/* Calls a ctypes callback: Python inside C inside Python. */
XS_EXPORT int stack_call_back(int (*function)(int), int argument) { return function(argument); }

/* Returns the number of C calls of the interpreter on the native stack; -1: not known. */
XS_EXPORT int stack_interpreter_calls(void) {
    void *addresses[4096];
    void *function = dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault");
    int n = backtrace(addresses, 4096), calls = 0;
    for (int i = 0; i < n; i++) {
        Dl_info info;
        calls += function && dladdr((char *)addresses[i] - 1, &info) && info.dli_saddr == function;
    }
    return function ? calls : -1;
}

/* Takes the stack `count` times. Returns how often it differs from the first time. */
XS_EXPORT int stack_hammer(int count) {
    struct xs_python_frame first[64], again[64];
    bool is_cut;
    unsigned n = xs_python_walk(first, 64, &is_cut);
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        unsigned m = xs_python_walk(again, 64, &is_cut);
        bool same = n == m;
        for (unsigned k = 0; same && k < n; k++) {
            struct xs_event *none = NULL;
            uint32_t line;
            same = first[k].code == again[k].code && first[k].identity == again[k].identity &&
                   first[k].position == again[k].position && xs_python_code(&again[k], &line, &none) != 0;
        }
        wrong += !same;
    }
    return wrong;
}

/* Returns the time of one walk in ns, with or without the numbers of its frames. */
XS_EXPORT double stack_ns(int count, int with_codes) {
    struct xs_python_frame frames[64];
    struct timespec start, end;
    bool is_cut;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < count; i++) {
        unsigned n = xs_python_walk(frames, 64, &is_cut);
        for (unsigned k = 0; with_codes && k < n; k++) {
            struct xs_event *none = NULL;
            uint32_t line;
            xs_python_code(&frames[k], &line, &none);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / count;
}

/* ---- calls from where Python does not call ---- */

static _Atomic unsigned signal_frames;

static void on_signal(int number) {
    (void)number;
    struct xs_python_frame frames[64];
    struct xs_event *none = NULL;
    bool is_cut;
    uint32_t line;
    unsigned n = xs_python_walk(frames, 64, &is_cut);
    for (unsigned i = 0; i < n; i++)
        xs_python_code(&frames[i], &line, &none);
    atomic_fetch_add(&signal_frames, n);
}

/* Installs a handler that takes stacks wherever it interrupts the interpreter, each time after so many microseconds; 0:
 * stops this. Returns how many frames all of them had so far. */
XS_EXPORT unsigned stack_signals(int each_us) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, each_us}, {0, each_us}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
    return atomic_load(&signal_frames);
}

static char at_capsule[1 << 16];

/* This destructor of a capsule runs while the frame that held the capsule is freed. */
XS_EXPORT void stack_capsule_gone(void *capsule) {
    (void)capsule;
    snprintf(at_capsule, sizeof at_capsule, "calls\t%d\n%s", stack_interpreter_calls(), stack_take(64));
}
XS_EXPORT const char *stack_at_capsule(void) { return at_capsule; }

static void at_end(void) { stack_take(64); }

/* Takes a stack after the interpreter is gone. */
XS_EXPORT void stack_at_exit(void) { atexit(at_end); }

__attribute__((destructor)) static void unload(void) { stack_take(64); }

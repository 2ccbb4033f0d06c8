/* Calls dlsym in all the ways whose answer depends on the caller, and prints the answers. test_dlsym.c runs it with and
 * without libxferspy.so; both must print the same. `dlsym_calls registers` and `threads` print what they found wrong,
 * `dlsym_calls owner` and `closer` the name of the library whose dlsym and dlclose it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY_BUILD linked
#include "dlsym_library.h"
#include "preserved.h"

#define THREADS 8
#define CALLS_A_THREAD 100000

/* Exported by the program; the second as a program may that has libcurl in it. */
__attribute__((visibility("default"))) int in_program_and_library;
__attribute__((visibility("default"))) int cu_symbol_of_program;

static void *look_up_from_program(void *handle, const char *name) {
    void *volatile address = dlsym(handle, name);
    return address;
}

static const char *base(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

static void print_answer(const char *caller, const char *scope, const char *name, void *address) {
    Dl_info info;
    const char *pending = dlerror();
    char error[512];
    snprintf(error, sizeof error, "%s", pending ? pending : "no error"); /* the next dlerror frees it */
    printf("%s, %s, %s: ", caller, scope, name);
    if (!address)
        printf("none");
    else if (!dladdr(address, &info))
        printf("in no library");
    else
        printf("%s+%#tx", base(info.dli_fname), (char *)address - (char *)info.dli_fbase);
    printf(" (%s)%s\n", error, dlerror() ? " twice" : "");
}

static const char *const names[] = {
    "malloc",         "strlen", "cos", "environ", "in_program_and_library", "symbol_of_linked", "symbol_of_loaded",
    "no_such_symbol", "",       "c",   NULL};

/* Names that xferspy looks at more closely, although they do not belong to CUDA: names of libcurl and ncurses, for
 * example. */
static const char *const cu_names[] = {"cu",
                                       "cu_symbol_of_program",
                                       "cu_symbol_of_linked",
                                       "cu_symbol_of_loaded",
                                       "cu_no_such_symbol",
                                       "cuNoSuchSymbol",
                                       "cuMemcpyHtoD_v9",
                                       "cuptiNoSuchSymbol",
                                       "cuda_no_such_symbol",
                                       NULL};

static void *loaded, *libm, *program;

static int answers(const char *const *list) {
    loaded = dlopen(LOADED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    libm = dlopen("libm.so.6", RTLD_NOW);
    program = dlopen(NULL, RTLD_NOW);
    void *(*look_up_from_loaded)(void *, const char *) = NULL;
    void *function = loaded ? dlsym(loaded, "look_up_from_loaded") : NULL;
    memcpy(&look_up_from_loaded, &function, sizeof function);
    if (!look_up_from_loaded || !libm || !program) {
        printf("%s\n", dlerror());
        return 1;
    }
    const struct {
        const char *name;
        void *(*look_up)(void *, const char *);
    } callers[] = {{"program", look_up_from_program}, {"linked", LIBRARY_LOOK_UP}, {"loaded", look_up_from_loaded}};
    const struct {
        const char *name;
        void *handle;
    } scopes[] = {{"default", RTLD_DEFAULT}, {"next", RTLD_NEXT}, {"libm", libm}, {"all", program}, {"loaded", loaded}};
    for (size_t c = 0; c < 3; c++) {
        for (size_t s = 0; s < 5; s++)
            for (const char *const *name = list; *name; name++)
                print_answer(callers[c].name, scopes[s].name, *name, callers[c].look_up(scopes[s].handle, *name));
    }
    /* An error that was not asked for goes with the next success, as after any dlsym. */
    look_up_from_program(libm, list == names ? "no_such_symbol" : "cuNoSuchSymbol");
    print_answer("program", "default after an error", "strlen", dlsym(RTLD_DEFAULT, "strlen"));
    return 0;
}

static int registers(void) {
    static const char *const mixed[] = {"strlen", "no_such_symbol", "cuNoSuchSymbol", "cu_symbol_of_program"};
    unsigned wrong = 0;
    program = dlopen(NULL, RTLD_NOW);
    for (unsigned blocks = 0; blocks < 400; blocks++) {
        const char *name = mixed[blocks % 4];
        bool preserved;
        void *expected = dlsym(program, name);
        wrong += preserved_call(dlsym, program, name, blocks, &preserved) != expected || !preserved;
        preserved_call(dlsym, blocks % 8 < 4 ? RTLD_NEXT : RTLD_DEFAULT, name, blocks, &preserved);
        wrong += !preserved;
    }
    printf("wrong: %u\n", wrong);
    return wrong != 0;
}

static void *many_calls(void *arg) {
    static const char *const mixed[] = {"strlen", "no_such_symbol", "in_program_and_library", "cuNoSuchSymbol"};
    void *first[4][2];
    uintptr_t wrong = 0;
    (void)arg;
    for (unsigned i = 0; i < CALLS_A_THREAD; i++) {
        unsigned n = i % 4, from_library = i / 4 % 2;
        void *found = from_library ? LIBRARY_LOOK_UP(RTLD_NEXT, mixed[n]) : look_up_from_program(program, mixed[n]);
        if (i < 8)
            first[n][from_library] = found;
        wrong += found != first[n][from_library];
    }
    wrong += !first[0][0] || !first[0][1] || first[1][0] || first[3][0];
    wrong += first[2][0] != &in_program_and_library || first[2][1] != NULL;
    return (void *)wrong;
}

static int threads(void) {
    pthread_t thread[THREADS];
    uintptr_t wrong = 0;
    program = dlopen(NULL, RTLD_NOW);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, many_calls, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        wrong += (uintptr_t)result;
    }
    printf("wrong: %lu\n", (unsigned long)wrong);
    return wrong != 0;
}

static void print_closing(const char *what, void *handle) {
    if (!handle) {
        printf("%s: was not open\n", what);
        return;
    }
    int r = dlclose(handle);
    const char *error = dlerror();
    printf("%s: %d (%s)%s\n", what, r, error ? error : "no error", dlerror() ? " twice" : "");
}

/* dlclose: results, errors, and when the library goes. */
static int closes(void) {
    for (int i = 0; i < 2; i++) {
        void *first = dlopen(LOADED_LIBRARY, RTLD_NOW), *second = dlopen(LOADED_LIBRARY, RTLD_NOW);
        printf("loaded twice: %d\n", first && first == second);
        (void)dlsym(RTLD_DEFAULT, "no_such_symbol"); /* an error that is pending */
        print_closing("first", first);
        second = dlopen(LOADED_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
        printf("still there: %d\n", second == first);
        print_closing("second", second);
        print_closing("third", first);
        second = dlopen(LOADED_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
        printf("still there: %d\n", second != NULL);
        dlerror();
    }
    print_closing("the program", dlopen(NULL, RTLD_NOW));
    return 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "names";
    if (strcmp(what, "owner") == 0) {
        Dl_info info;
        return dladdr((void *)dlsym, &info) && puts(base(info.dli_fname)) >= 0 ? 0 : 1;
    }
    if (strcmp(what, "closer") == 0) {
        Dl_info info;
        return dladdr((void *)dlclose, &info) && puts(base(info.dli_fname)) >= 0 ? 0 : 1;
    }
    if (strcmp(what, "closes") == 0)
        return closes();
    if (strcmp(what, "registers") == 0)
        return registers();
    return strcmp(what, "threads") == 0 ? threads() : answers(strcmp(what, "cu-names") == 0 ? cu_names : names);
}

/* Tests the modules of addresses: what is said about them, and that nothing about an unloaded library is believed of
 * the next one. */
#include "native_unit.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static struct seen seen;
static void see_it(void *arg) {
    see(arg);
    __asm__ volatile(""); /* not by a jump */
}

/* Unloads a library in the same way as preload/intercept/dlclose.c. */
static void unload(void *library) {
    xs_native_unloading();
    assert_int_equal(dlclose(library), 0);
    xs_native_unloaded();
}

typedef void call_back(void (*f)(void *), void *arg);
static void *load(const char *path, call_back **function) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    *function = (call_back *)dlsym(library, "call_back");
    assert_non_null(*function);
    return library;
}

static void tells_what_they_are(void **state) {
    char program[4096];
    (void)state;
    uint32_t own = xs_native_module((uint64_t)(uintptr_t)tells_what_they_are, NULL);
    uint32_t libc = xs_native_module((uint64_t)(uintptr_t)getpid, NULL);
    assert_true(own && libc && own != libc);
    assert_int_equal(xs_native_module((uint64_t)(uintptr_t)unload, NULL), own);
    assert_int_equal(modules_seen[own].times, 1);
    ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(bytes > 0);
    program[bytes] = '\0';
    assert_string_equal(modules_seen[own].path, program);
    assert_true(modules_seen[libc].path[0] == '/' && strstr(modules_seen[libc].path, "libc.so"));
    assert_true(modules_seen[libc].definition.build_id_bytes >= 8);
    Dl_info where;
    assert_true(dladdr((void *)(uintptr_t)getpid, &where));
    assert_int_equal(modules_seen[libc].definition.bias, where.dli_fbase);
    assert_true(modules_seen[own].definition.start <= (uint64_t)(uintptr_t)tells_what_they_are &&
                (uint64_t)(uintptr_t)tells_what_they_are < modules_seen[own].definition.end);
}

static void knows_the_kernels_and_nothing_elsewhere(void **state) {
    int local;
    (void)state;
    assert_int_equal(xs_native_module(0, NULL), 0);
    assert_int_equal(xs_native_module(0x1000, NULL), 0);
    assert_int_equal(xs_native_module(UINT64_MAX, NULL), 0);
    assert_int_equal(xs_native_module((uint64_t)&local, NULL), 0);
    uint64_t kernels = getauxval(AT_SYSINFO_EHDR);
    if (kernels) {
        uint32_t number = xs_native_module(kernels + sizeof(ElfW(Ehdr)), NULL);
        assert_true(number);
        assert_string_equal(modules_seen[number].path, "linux-vdso.so.1");
    }
}

static void defines_another_time_what_was_refused(void **state) {
    call_back *function;
    (void)state;
    void *library = load(LIBRARY_b, &function);
    is_definition_refused = true;
    uint32_t number = xs_native_module((uint64_t)(uintptr_t)function, NULL);
    is_definition_refused = false;
    assert_int_equal(modules_seen[number].times, 0);
    assert_int_equal(xs_native_module((uint64_t)(uintptr_t)function, NULL), number);
    assert_int_equal(modules_seen[number].times, 1);
    unload(library);
}

/* A child has another trace. */
static void a_child_defines_for_itself(void **state) {
    (void)state;
    uint32_t own = xs_native_module((uint64_t)(uintptr_t)load, NULL);
    unsigned times = modules_seen[own].times;
    pid_t child = fork();
    if (child == 0) {
        xs_native_forget();
        bool is_same = xs_native_module((uint64_t)(uintptr_t)load, NULL) == own;
        see(&seen);
        _exit(is_same && modules_seen[own].times == times + 1 && is_as_backtrace(&seen) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(modules_seen[own].times, times);
}

static void believes_nothing_of_a_library_that_went(void **state) {
    call_back *first, *second;
    (void)state;
    void *library = load(LIBRARY_a, &first);
    first(see_it, &seen);
    assert_true(is_as_backtrace(&seen));
    uint32_t number = xs_native_module((uint64_t)(uintptr_t)first, NULL);
    assert_true(number && strstr(modules_seen[number].path, "native_a"));
    uint32_t replaced = xs_native_replaced;
    unload(library);
    assert_int_equal(xs_native_module((uint64_t)(uintptr_t)first, NULL), 0);
    assert_int_equal(xs_native_replaced, replaced); /* its stacks stay what they were */
    library = load(LIBRARY_b, &second);
    second(see_it, &seen);
    assert_true(is_as_backtrace(&seen));
    bool is_over_it = ((uintptr_t)first ^ (uintptr_t)second) < 4096;
    assert_true(!is_over_it || xs_native_replaced != replaced); /* a stack with these addresses is another one now */
    uint32_t other = xs_native_module((uint64_t)(uintptr_t)second, NULL);
    assert_true(other && other != number && strstr(modules_seen[other].path, "native_b"));
    unload(library);
    /* The first library is loaded again, and gets its number if it is at its old place. */
    library = load(LIBRARY_a, &second);
    second(see_it, &seen);
    assert_true(is_as_backtrace(&seen));
    uint32_t again = xs_native_module((uint64_t)(uintptr_t)second, NULL);
    assert_int_equal(again == number, first == second);
    unload(library);
}

/* The C library itself, for example, unloads a library, and nobody announces this. */
static void notices_what_went_unannounced(void **state) {
    call_back *first, *second;
    (void)state;
    void *library = load(LIBRARY_a, &first);
    first(see_it, &seen);
    assert_int_equal(dlclose(library), 0);
    library = load(LIBRARY_b, &second);
    second(see_it, &seen);
    assert_true(seen.by[XS_UNWIND_AUTO].count > 0); /* a stale rule may have misled this one */
    assert_int_equal(xs_native_module(0x1000, NULL), 0);
    second(see_it, &seen);
    assert_true(is_as_backtrace(&seen));
    unload(library);
}

static void needs_no_symbols(void **state) {
    call_back *function;
    (void)state;
    void *library = load(LIBRARY_stripped, &function);
    function(see_it, &seen);
    assert_true(is_as_backtrace(&seen));
    unload(library);
}

/* Threads walk through libraries while these libraries and others come and go. */
enum { THREADS = 3, ROUNDS = 300 };
static _Atomic unsigned wrong;

static void *come_and_go(void *arg) {
    static const char *const libraries[] = {LIBRARY_a, LIBRARY_b, LIBRARY_stripped};
    const char *path = libraries[(uintptr_t)arg];
    struct seen *mine = malloc(sizeof *mine);
    for (unsigned i = 0; i < ROUNDS; i++) {
        void *library = dlopen(path, RTLD_NOW);
        call_back *function = library ? (call_back *)dlsym(library, "call_back") : NULL;
        if (!function) {
            wrong++;
            continue;
        }
        function(see_it, mine);
        wrong += !is_as_backtrace(mine);
        uint32_t number = xs_native_module((uint64_t)(uintptr_t)function, NULL);
        wrong += !number || strcmp(modules_seen[number].path, path) != 0;
        xs_native_unloading();
        wrong += dlclose(library) != 0;
        xs_native_unloaded();
    }
    free(mine);
    return NULL;
}

static void are_right_while_others_come_and_go(void **state) {
    pthread_t threads[THREADS];
    (void)state;
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, (void *)i), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_what_they_are),
        cmocka_unit_test(knows_the_kernels_and_nothing_elsewhere),
        cmocka_unit_test(defines_another_time_what_was_refused),
        cmocka_unit_test(a_child_defines_for_itself),
        cmocka_unit_test(believes_nothing_of_a_library_that_went),
        cmocka_unit_test(notices_what_went_unannounced),
        cmocka_unit_test(needs_no_symbols),
        cmocka_unit_test(are_right_while_others_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

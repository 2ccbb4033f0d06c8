/* Tests the trampoline alone, under another name, with a route and a "glibc" that belong to the test. */
#include "unit.h"

#include "preload/intercept/dlsym.h"
#include "preserved.h"

/* The dlsym of dlsym_trampoline.c, which was renamed when it was built into this test. */
void *trampoline_dlsym(void *handle, const char *name);

static struct call {
    void *handle;
    const char *name;
    void *caller;
    bool aligned;
} route, glibc;
static int handled;
static void *answer;

/* A function's frame begins on 16 bytes if its caller had the stack right. */
#define IS_ALIGNED ((uintptr_t)__builtin_frame_address(0) % 16 == 0)

static void *stand_in_for_glibc(void *handle, const char *name) {
    glibc = (struct call){handle, name, __builtin_return_address(0), IS_ALIGNED};
    return &glibc;
}

int xs_dlsym_route(void *handle, const char *name, void **result, const void *caller) {
    route = (struct call){handle, name, (void *)(uintptr_t)caller, IS_ALIGNED};
    *result = handled ? answer : (void *)stand_in_for_glibc;
#if defined(__x86_64__)
    /* Destroys everything that a callee may destroy. */
    __asm__ volatile("movq $-1, %%rcx\n movq $-1, %%rdx\n movq $-1, %%rsi\n movq $-1, %%rdi\n movq $-1, %%r8\n"
                     "movq $-1, %%r9\n movq $-1, %%r10\n movq $-1, %%r11" ::
                         : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
#endif
    return handled;
}

__attribute__((noinline)) static void *call_from_here(void *handle, const char *name) {
    void *volatile result = trampoline_dlsym(handle, name); /* no tail call: the return address is to be in here */
    return result;
}

static void handled_call_gives_the_answer(void **state) {
    static const char name[] = "cuInit";
    (void)state;
    handled = 1;
    answer = (void *)(uintptr_t)0x123456789abcdef0;
    memset(&glibc, 0, sizeof glibc);
    assert_ptr_equal(trampoline_dlsym((void *)(uintptr_t)0x77, name), answer);
    assert_ptr_equal(route.handle, (void *)(uintptr_t)0x77);
    assert_ptr_equal(route.name, name);
    assert_true(route.aligned);
    assert_null(glibc.caller);
    assert_true((uintptr_t)route.caller > (uintptr_t)call_from_here);
    assert_true((uintptr_t)route.caller < (uintptr_t)call_from_here + 1024);
    answer = NULL;
    assert_null(trampoline_dlsym((void *)(uintptr_t)0x77, name));
}

/* glibc takes RTLD_NEXT's meaning from the return address: it must lie in the function that called dlsym. */
static void other_call_is_a_jump(void **state) {
    static const char name[] = "malloc";
    (void)state;
    handled = 0;
    assert_ptr_equal(call_from_here((void *)-1l, name), &glibc);
    assert_ptr_equal(glibc.handle, (void *)-1l);
    assert_ptr_equal(glibc.name, name);
    assert_true(glibc.aligned);
    assert_true((uintptr_t)glibc.caller > (uintptr_t)call_from_here);
    assert_true((uintptr_t)glibc.caller < (uintptr_t)call_from_here + 1024); /* it is far shorter */
    assert_ptr_equal(trampoline_dlsym(NULL, NULL), &glibc);
}

static void registers_and_stack_are_preserved(void **state) {
    (void)state;
    if (!HAVE_PRESERVED_CALL)
        skip();
    for (unsigned blocks = 0; blocks < 300; blocks++) {
        bool preserved;
        handled = (int)(blocks % 2);
        answer = &route;
        void *result = preserved_call(trampoline_dlsym, &answer, "name", blocks, &preserved);
        assert_ptr_equal(result, handled ? (void *)&route : (void *)&glibc);
        assert_true(preserved);
        assert_true(route.aligned && (handled || glibc.aligned));
        assert_true(handled || (glibc.handle == &answer && strcmp(glibc.name, "name") == 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handled_call_gives_the_answer),
        cmocka_unit_test(other_call_is_a_jump),
        cmocka_unit_test(registers_and_stack_are_preserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

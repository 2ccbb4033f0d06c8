/* Where an upload's content can be found again, and whether other work may have changed it since. */
#include "unit.h"

#include <pthread.h>
#include <unistd.h>

#include "preload/driver/driver_context.h"
#include "preload/repair/origins.h"
#include "preload/repair/repair_plan.h"
#include "preload/repair/stream_order.h"

static int contexts[2];
#define CONTEXT(i) ((CUcontext)(void *)&contexts[i])
CUcontext xs_context_ask(int8_t *device) {
    *device = 0;
    return CONTEXT(0);
}

/* The one allocation that there is. */
static struct xs_memory_range allocation;
bool xs_map_find(uint64_t address, struct xs_memory_range *out) {
    *out = allocation;
    return address >= allocation.start && address < allocation.end;
}

static CUstream stream(uintptr_t number) { return (CUstream)(number << 12); }

static struct xs_repair_copy copy_of(uint64_t ordinal, bool is_upload, CUstream in) {
    return (struct xs_repair_copy){.id = {0, ordinal},
                                   .is_upload = is_upload,
                                   .host = 0x10000,
                                   .device = 0x700000,
                                   .bytes = 4096,
                                   .stream = in,
                                   .range = allocation,
                                   .context = CONTEXT(0)};
}

static void setup(const char *lines) {
    char path[] = "origins-XXXXXX", why[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, lines, strlen(lines)), strlen(lines));
    close(file);
    assert_true(xs_plan_read(path, why));
    unlink(path);
    allocation = (struct xs_memory_range){.start = 0x700000, .end = 0x800000, .id = 5, .kind = XS_MEM_DEVICE};
    assert_true(xs_origins_start());
}

static const char *find(uint64_t ordinal, size_t bytes, unsigned context, struct xs_repair_origin *origin) {
    struct xs_repair_copy copy = {.bytes = bytes, .context = CONTEXT(context), .host = 0x10000};
    struct xs_copy_id place = {0, ordinal};
    const char *why = xs_origins_at(&place, &copy, origin);
    return why ? why : "found";
}

static void places_of_the_plan_are_remembered(void **state) {
    (void)state;
    struct xs_repair_origin origin;
    struct xs_repair_copy copy;
    setup("xferspy-plan 1\nstay-on-device 0 9 4096 from 0 3\nstay-on-device 0 8 4096 from 0 1\n"
          "stay-on-device 1 8 4096 from 0 3\n");
    assert_string_equal(find(3, 4096, 0, &origin), "the origin was not seen");
    copy = copy_of(2, false, NULL);
    xs_origins_saw(&copy, 7);
    assert_string_equal(find(2, 4096, 0, &origin), "the origin was not seen");
    copy = copy_of(3, false, NULL);
    xs_origins_saw(&copy, 7);
    assert_string_equal(find(3, 4096, 0, &origin), "found");
    assert_int_equal(origin.device, 0x700000);
    assert_int_equal(origin.moment, 7);
    assert_string_equal(find(3, 4097, 0, &origin), "the origin has fewer bytes");
    assert_string_equal(find(3, 4096, 1, &origin), "memory of another context");
    allocation.id = 6;
    assert_string_equal(find(3, 4096, 0, &origin), "the origin was freed");
    allocation.id = 5;
    xs_origins_failed(&copy);
    assert_string_equal(find(3, 4096, 0, &origin), "the origin was not seen");
    copy.range = (struct xs_memory_range){0}; /* its end cannot be seen */
    xs_origins_saw(&copy, 7);
    assert_string_equal(find(3, 4096, 0, &origin), "the origin was not seen");
}

static void without_a_plan_the_latest_counts(void **state) {
    (void)state;
    struct xs_repair_origin origin;
    allocation = (struct xs_memory_range){.start = 0x700000, .end = 0x800000, .id = 5, .kind = XS_MEM_DEVICE};
    xs_plan_mode = XS_PLAN_ABSENT;
    assert_true(xs_origins_start());
    struct xs_repair_copy copy = copy_of(0, true, NULL), other = copy_of(1, false, NULL);
    assert_non_null(xs_origins_of_host(&copy, &origin));
    xs_origins_saw(&copy, 1);
    assert_null(xs_origins_of_host(&copy, &origin));
    other.device = 0x701000;
    xs_origins_saw(&other, 2);
    assert_null(xs_origins_of_host(&copy, &origin));
    assert_int_equal(origin.device, 0x701000);
    copy.host++;
    assert_non_null(xs_origins_of_host(&copy, &origin));
}

static void *launch_elsewhere(void *in) {
    struct xs_repair_call call = {.category = XS_CAT_LAUNCH, .has_stream = true, .stream = in};
    xs_streams_saw(&call);
    return NULL;
}

static void other_work_is_that_of_other_streams_and_threads(void **state) {
    (void)state;
    pthread_t thread;
    struct xs_repair_copy copy = copy_of(0, true, stream(1));
    struct xs_repair_call call = {.category = XS_CAT_LAUNCH, .has_stream = true, .stream = stream(1)};
    uint64_t moment = xs_streams_now();
    xs_streams_saw(&call);
    xs_streams_saw_copy(&copy);
    assert_false(xs_streams_are_several());
    assert_false(xs_streams_others_since(moment, &copy));

    struct xs_repair_copy download = copy_of(0, false, stream(2)); /* writes no device memory, but is another stream */
    xs_streams_saw_copy(&download);
    assert_true(xs_streams_are_several());
    assert_false(xs_streams_others_since(moment, &copy));

    call.category = XS_CAT_SYNC;
    call.stream = stream(3);
    xs_streams_saw(&call);
    assert_false(xs_streams_others_since(moment, &copy));

    call.category = XS_CAT_MEMSET;
    xs_streams_saw(&call);
    assert_true(xs_streams_others_since(moment, &copy));
    moment = xs_streams_now();
    assert_false(xs_streams_others_since(moment, &copy));

    assert_int_equal(pthread_create(&thread, NULL, launch_elsewhere, stream(1)), 0);
    pthread_join(thread, NULL);
    assert_true(xs_streams_others_since(moment, &copy));

    moment = xs_streams_now();
    call = (struct xs_repair_call){.category = XS_CAT_LAUNCH}; /* on several devices at once */
    xs_streams_saw(&call);
    assert_true(xs_streams_others_since(moment, &copy));
}

static void default_streams_are_told_apart(void **state) {
    (void)state;
    struct xs_repair_copy legacy = copy_of(0, true, NULL), own = legacy;
    own.is_per_thread = true;
    assert_true(xs_streams_is_legacy(&legacy));
    assert_false(xs_streams_is_legacy(&own));
    assert_ptr_equal(xs_stream_handle(legacy.stream, legacy.is_per_thread), CU_STREAM_LEGACY);
    assert_ptr_equal(xs_stream_handle(own.stream, own.is_per_thread), CU_STREAM_PER_THREAD);
    uint64_t moment = xs_streams_now();
    xs_streams_saw_copy(&own);
    assert_true(xs_streams_others_since(moment, &legacy));
    assert_false(xs_streams_others_since(moment, &own));
}

static void more_streams_than_entries(void **state) {
    (void)state;
    struct xs_repair_copy copy = copy_of(0, true, stream(1));
    for (uintptr_t i = 0; i < 400; i++) {
        struct xs_repair_copy one = copy_of(0, true, stream(1000 + i));
        xs_streams_saw_copy(&one);
    }
    uint64_t moment = xs_streams_now();
    assert_false(xs_streams_others_since(moment, &copy));
    struct xs_repair_copy last = copy_of(0, true, stream(1399));
    xs_streams_saw_copy(&last);
    assert_true(xs_streams_others_since(moment, &copy));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_the_plan_are_remembered),
        cmocka_unit_test(without_a_plan_the_latest_counts),
        cmocka_unit_test(other_work_is_that_of_other_streams_and_threads),
        cmocka_unit_test(default_streams_are_told_apart),
        cmocka_unit_test(more_streams_than_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

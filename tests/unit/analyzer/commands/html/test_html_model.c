/* Tests the data that the page draws: segments are joined without losing a call, and buffers have the right contents.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/commands/html/buffers.h"
#include "analyzer/commands/html/timeline_lanes_internal.h"

static void calls_go_together_within_a_step(void **state) {
    static const int64_t key[3] = {1, 0, 0};
    struct xs_html_lanes lanes = {.step_ns = 100};
    (void)state;
    for (int64_t i = 0; i < 1000; i++) {
        struct xs_html_segment one = {.start_ns = i * 7,
                                      .end_ns = i * 7 + 3,
                                      .busy_ns = 3,
                                      .bytes = 10,
                                      .row = i + 1,
                                      .count = 1,
                                      .what = (int32_t)(i / 500),
                                      .kind = (uint8_t)(i % 2)};
        xs_html_lane_add(&lanes, xs_html_lane_of(&lanes, XS_HTML_THREADS, key), &one);
    }
    struct xs_html_segment long_one = {.start_ns = 7000, .end_ns = 9000, .busy_ns = 2000, .count = 1, .kind = 0};
    xs_html_lane_add(&lanes, &lanes.lanes[0], &long_one);
    assert_int_equal(lanes.count, 1);
    assert_in_range(lanes.segments, 140, 170); /* 7000 in steps of 100, twice */
    assert_int_equal(lanes.segments, lanes.lanes[0].count);
    uint64_t count = 0, busy = 0, bytes = 0;
    for (size_t i = 0; i < lanes.lanes[0].count; i++) {
        const struct xs_html_segment *s = &lanes.lanes[0].items[i];
        assert_true(s->count == 1 || s->end_ns - s->start_ns <= 100);
        count += s->count;
        busy += s->busy_ns;
        bytes += s->bytes;
    }
    assert_int_equal(count, 1001);
    assert_int_equal(busy, 5000);
    assert_int_equal(bytes, 10000);
    assert_int_equal(lanes.last_ns, 9000);
    xs_html_lanes_free(&lanes);
}

/* Calls of one entry point and stack are one leaf, even if other calls come between them. */
static void calls_of_one_stack_are_one_leaf(void **state) {
    struct xs_html_flame flame = {0};
    (void)state;
    for (int64_t i = 0; i < 3000; i++) {
        uint32_t leaf = xs_html_flame_leaf(&flame, i % 3, i % 7, (int32_t)(i % 3), (uint32_t)(i % 3));
        flame.leaves[leaf].transfers++;
    }
    assert_int_equal(flame.count, 21);
    uint64_t transfers = 0;
    for (size_t i = 0; i < flame.count; i++) {
        assert_int_equal(flame.leaves[i].index, flame.leaves[i].entry_point);
        transfers += flame.leaves[i].transfers;
    }
    assert_int_equal(transfers, 3000);
    xs_html_flame_free(&flame);
    assert_int_equal(flame.count, 0);
}

static void lanes_beyond_the_limit_share_one(void **state) {
    struct xs_html_lanes lanes = {0};
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < 1000; i++) {
            int64_t key[3] = {i, 0, 0};
            struct xs_html_segment one = {.start_ns = i, .end_ns = i + 1, .count = 1};
            xs_html_lane_add(&lanes, xs_html_lane_of(&lanes, XS_HTML_STREAMS, key), &one);
        }
    }
    assert_int_equal(lanes.count, XS_HTML_LANES_A_GROUP + 1);
    assert_true(lanes.lanes[lanes.count - 1].others);
    assert_int_equal(lanes.lanes[lanes.count - 1].count, 2 * (1000 - XS_HTML_LANES_A_GROUP));
    assert_int_equal(lanes.lanes[0].count, 2);
    xs_html_lanes_free(&lanes);
}

/* CUPTI numbers contexts and their streams, beginning with small numbers. */
static void each_stream_of_each_context_has_its_lane(void **state) {
    static const int64_t low[3] = {0, 2, 7}, high[3] = {0, 1, 38};
    struct xs_html_lanes lanes = {0};
    (void)state;
    size_t first = (size_t)(xs_html_lane_of(&lanes, XS_HTML_STREAMS, low) - lanes.lanes);
    assert_int_not_equal(first, (size_t)(xs_html_lane_of(&lanes, XS_HTML_STREAMS, high) - lanes.lanes));
    xs_html_lanes_free(&lanes);
}

/* --- buffers --- */

enum { ADDRESS = 0x1000, BYTES = 100 };

static void happens(struct xs_html_buffers *b, int64_t at_ns, int what, uint64_t offset, uint64_t bytes,
                    uint64_t content) {
    xs_grow(&b->events, b->event_count, &b->event_capacity, sizeof *b->events);
    b->events[b->event_count] = (struct xs_html_buffer_event){.at_ns = at_ns,
                                                              .row = (int64_t)b->event_count + 1,
                                                              .address = ADDRESS + offset,
                                                              .bytes = bytes,
                                                              .content = {content, content},
                                                              .what = (uint8_t)what,
                                                              .known = content != 0};
    b->event_count++;
}

static void one_buffer(struct xs_html_buffers *b) {
    *b = (struct xs_html_buffers){0};
    xs_grow(&b->buffers, 0, &b->capacity, sizeof *b->buffers);
    b->buffers[b->count++] =
        (struct xs_html_buffer){.id = 1, .address = ADDRESS, .bytes = BYTES, .begin_ns = 0, .end_ns = INT64_MAX};
}

static void expect_piece(const struct xs_html_buffers *b, size_t i, int64_t start_ns, int64_t end_ns, uint64_t offset,
                         uint64_t bytes, int32_t content) {
    assert_true(i < b->buffers[0].count);
    const struct xs_html_piece *p = &b->buffers[0].items[i];
    assert_int_equal(p->start_ns, start_ns);
    assert_int_equal(p->end_ns, end_ns);
    assert_int_equal(p->offset, offset);
    assert_int_equal(p->bytes, bytes);
    assert_int_equal(p->content, content);
}

static void a_content_stays_while_it_is_brought_again(void **state) {
    struct xs_html_buffers b;
    (void)state;
    one_buffer(&b);
    happens(&b, 10, XS_HTML_BY_UPLOAD, 0, BYTES, 7);
    happens(&b, 20, XS_HTML_BY_UPLOAD, 0, BYTES, 7);
    happens(&b, 30, XS_HTML_READ, 0, BYTES, 7);
    happens(&b, 40, XS_HTML_BY_UPLOAD, 0, BYTES, 8);
    happens(&b, 50, XS_HTML_BY_UPLOAD, 0, BYTES, 7);
    xs_html_buffers_play(&b, 100);
    assert_int_equal(b.buffers[0].count, 3);
    expect_piece(&b, 0, 10, 40, 0, BYTES, 0);
    assert_int_equal(b.buffers[0].items[0].writes, 2);
    assert_int_equal(b.buffers[0].items[0].reads, 1);
    expect_piece(&b, 1, 40, 50, 0, BYTES, 1);
    expect_piece(&b, 2, 50, 100, 0, BYTES, 0); /* the first content again, by the same number */
    xs_html_buffers_free(&b);
}

static void a_write_in_the_middle_leaves_both_ends(void **state) {
    struct xs_html_buffers b;
    (void)state;
    one_buffer(&b);
    happens(&b, 10, XS_HTML_BY_UPLOAD, 0, BYTES, 7);
    happens(&b, 20, XS_HTML_BY_UPLOAD, 40, 20, 8);
    xs_html_buffers_play(&b, 100);
    assert_int_equal(b.buffers[0].count, 4);
    expect_piece(&b, 0, 10, 20, 0, BYTES, 0);
    uint64_t bytes = 0;
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(b.buffers[0].items[i].start_ns, 20);
        assert_int_equal(b.buffers[0].items[i].end_ns, 100);
        bytes += b.buffers[0].items[i].bytes;
        /* a part of a content is not that content */
        assert_int_equal(b.buffers[0].items[i].content,
                         b.buffers[0].items[i].offset == 40 ? 1 : XS_HTML_CONTENT_UNKNOWN);
    }
    assert_int_equal(bytes, BYTES);
    xs_html_buffers_free(&b);
}

static void kernels_change_what_downloads_show(void **state) {
    struct xs_html_buffers b;
    (void)state;
    one_buffer(&b);
    happens(&b, 10, XS_HTML_BY_UPLOAD, 0, BYTES, 7);
    happens(&b, 20, XS_HTML_LAUNCH, 0, 0, 0);
    happens(&b, 30, XS_HTML_READ, 0, BYTES, 7); /* it did not change it */
    happens(&b, 40, XS_HTML_LAUNCH, 0, 0, 0);
    happens(&b, 50, XS_HTML_READ, 0, BYTES, 9);
    happens(&b, 60, XS_HTML_READ, 200, BYTES, 9); /* out of the buffer: a damaged trace */
    happens(&b, 70, XS_HTML_BY_UPLOAD, 90, UINT64_MAX, 9);
    xs_html_buffers_play(&b, 100);
    expect_piece(&b, 0, 10, 50, 0, BYTES, 0);
    assert_int_equal(b.buffers[0].items[0].changed_ns, 20);
    expect_piece(&b, 1, 50, 70, 0, BYTES, 1);
    assert_int_equal(b.buffers[0].items[1].how, XS_HTML_BY_DOWNLOAD);
    for (size_t i = 0; i < b.buffers[0].count; i++)
        assert_true(b.buffers[0].items[i].offset + b.buffers[0].items[i].bytes <= BYTES);
    xs_html_buffers_free(&b);
}

static void many_contents_are_bounded_and_counted(void **state) {
    struct xs_html_buffers b;
    (void)state;
    one_buffer(&b);
    for (int64_t i = 0; i < 100000; i++)
        happens(&b, i, XS_HTML_BY_UPLOAD, 0, BYTES, (uint64_t)i + 1);
    xs_html_buffers_play(&b, 100000);
    assert_in_range(b.buffers[0].count, XS_HTML_PIECES / 2, XS_HTML_PIECES * 2);
    uint64_t writes = 0;
    for (size_t i = 0; i < b.buffers[0].count; i++)
        writes += b.buffers[0].items[i].writes;
    assert_int_equal(writes, 100000);
    assert_int_equal(b.content_count, XS_HTML_CONTENTS);
    xs_html_buffers_free(&b);
}

static void calls_of_a_finding_are_counted_and_their_moments_bounded(void **state) {
    enum { CALLS = 100000, STEP = CALLS / XS_HTML_USE_TIMES };
    struct xs_html_uses uses = {0};
    (void)state;
    for (int64_t i = 0; i < CALLS; i++)
        xs_html_use_add(&uses, 7, i, STEP);
    xs_html_use_add(&uses, 9, 5, STEP);
    xs_html_use_add(&uses, 9, 3, STEP);
    xs_html_use_add(&uses, 11, 3, -1);
    assert_int_equal(uses.count, 3);
    assert_int_equal(uses.items[0].calls, CALLS);
    assert_in_range(uses.items[0].count, XS_HTML_USE_TIMES, XS_HTML_USE_TIMES * 2);
    assert_int_equal(uses.items[0].times[0], 0);
    assert_in_range(uses.items[0].times[uses.items[0].count - 1], CALLS - 2 * STEP, CALLS);
    assert_int_equal(uses.items[1].count, 2); /* few are all there, however close */
    assert_int_equal(uses.items[2].calls, 1);
    assert_int_equal(uses.items[2].count, 0);
    xs_html_uses_free(&uses);
}

/* A finding with few calls is also listed at the buffer; only its moments are left out. */
static void every_finding_is_written_and_moments_of_the_first_few(void **state) {
    enum { FINDINGS = XS_HTML_USES_WITH_TIMES + 1 };
    struct xs_html_uses uses = {0};
    char *text = NULL, *end;
    size_t bytes, moments = 0;
    (void)state;
    for (uint32_t finding = 0; finding < FINDINGS; finding++)
        for (uint32_t call = 0; call < (finding < FINDINGS - 1 ? 2U : 1U); call++)
            xs_html_use_add(&uses, finding, 5, 0);
    struct xs_json json = {.file = open_memstream(&text, &bytes), .compact = true};
    xs_json_object(&json, NULL);
    xs_html_uses_json(&uses, "findings", XS_HTML_USES_WITH_TIMES, &json);
    xs_json_end(&json, '}');
    fclose(json.file);
    for (const char *at = text; (at = strstr(at, "[5,0]")); at++)
        moments++;
    assert_int_equal(moments, FINDINGS - 1);
    assert_non_null(end = strstr(text, "[16,1,[]]"));
    assert_string_equal(end, "[16,1,[]]]}\n");
    free(text);
    xs_html_uses_free(&uses);
}

static void a_piece_knows_whose_calls_brought_it(void **state) {
    struct xs_html_buffers b;
    (void)state;
    one_buffer(&b);
    happens(&b, 10, XS_HTML_BY_UPLOAD, 0, BYTES, 1);
    happens(&b, 20, XS_HTML_BY_UPLOAD, 0, BYTES, 1);
    happens(&b, 30, XS_HTML_BY_UPLOAD, 0, BYTES, 2);
    for (size_t i = 0; i < 3; i++)
        b.events[i].site = (int32_t)i;
    xs_html_buffers_play(&b, 100);
    assert_int_equal(b.buffers[0].count, 2);
    assert_int_equal(b.buffers[0].items[0].site, -1); /* two places brought the same */
    assert_int_equal(b.buffers[0].items[1].site, 2);
    xs_html_buffers_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_go_together_within_a_step),
        cmocka_unit_test(calls_of_one_stack_are_one_leaf),
        cmocka_unit_test(lanes_beyond_the_limit_share_one),
        cmocka_unit_test(each_stream_of_each_context_has_its_lane),
        cmocka_unit_test(a_content_stays_while_it_is_brought_again),
        cmocka_unit_test(a_write_in_the_middle_leaves_both_ends),
        cmocka_unit_test(kernels_change_what_downloads_show),
        cmocka_unit_test(many_contents_are_bounded_and_counted),
        cmocka_unit_test(calls_of_a_finding_are_counted_and_their_moments_bounded),
        cmocka_unit_test(every_finding_is_written_and_moments_of_the_first_few),
        cmocka_unit_test(a_piece_knows_whose_calls_brought_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

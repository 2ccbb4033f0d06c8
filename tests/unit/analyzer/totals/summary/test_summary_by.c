/* Tests totals by site, function and the rest, and what the findings save in each. SQL puts the stacks into the played
 * traces. */
#include "diagnosed.h"

#include "analyzer/totals/summary/summary_by.h"

enum { A = 0x10000, B = 0x90000, BYTES = 0x10000, HOST = 0x500000 };
static struct played played, *p = &played;

/* Three stacks: two of line 12 with different callers, one of line 14. */
#define STACKS                                                                                                         \
    "INSERT INTO python_code VALUES "                                                                                  \
    "(1,'/app/train.py','step',1),(2,'/app/train.py','main',1),(3,'/app/other.py','run',1);"                           \
    "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,0,2,0),(2,0,2,0),(3,0,2,0);"                   \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (6144,1,0,1,12,0),(6145,1,1,2,30,1),"          \
    "(10240,2,0,1,12,0),(10241,2,1,3,7,1),(14336,3,0,1,14,0),(14337,3,1,2,31,1);"

static void play_uploads(int count) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < count; i++)
        play_up(p, A, BYTES, 1, i ? 1 : 0, HOST); /* all but the first are no-ops */
}

static uint64_t saved_by_causes(const struct xs_diagnosis *diagnosis) {
    uint64_t ns = 0;
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        ns += diagnosis->causes[i].saves.most_ns;
    return ns;
}

static void compute_by(struct xs_by *by, enum xs_by_key key, struct xs_diagnosis **diagnosis) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    struct xs_marks claims = {0};
    struct xs_analysis_options options = {.on_instance = xs_by_claim, .data = &claims};
    if (xs_trace_open(p->path, &trace, message) < 0 || xs_diagnose(&trace, &options, diagnosis, message) < 0 ||
        xs_by_compute(&trace, *diagnosis, &claims, key, by, message) < 0)
        fail_msg("%s", message);
    xs_marks_free(&claims);
    xs_trace_close(&trace);
}

static void totals_add_up_by_every_key(void **state) {
    (void)state;
    play_uploads(7);
    p->thread = 2;
    p->stream = 0x70;
    play_down(p, A, BYTES, 1, HOST);
    play_analyse(p, STACKS "UPDATE transfer SET stack = 1 + id % 3 WHERE id < 7;"
                           "INSERT INTO nvtx_range VALUES (1,NULL,NULL,'epoch'),(2,1,NULL,'batch'),(3,1,NULL,'batch');"
                           "UPDATE transfer SET nvtx_range = id % 4");
    static const size_t rows[XS_BY_KEYS] = {4, 2, 2, 2, 3, 2, 2, 1};
    for (int key = 0; key < XS_BY_KEYS; key++) {
        struct xs_diagnosis *diagnosis = NULL;
        struct xs_by by;
        uint64_t transfers = 0, bytes = 0, device_ns = 0, saves_ns = 0;
        compute_by(&by, (enum xs_by_key)key, &diagnosis);
        for (size_t i = 0; i < by.count; i++) {
            transfers += by.rows[i].transfers;
            bytes += by.rows[i].bytes;
            device_ns += by.rows[i].device_ns;
            saves_ns += by.rows[i].saves_ns;
            assert_true(!i || by.rows[i - 1].device_ns >= by.rows[i].device_ns);
        }
        assert_int_equal(by.count, rows[key]);
        assert_int_equal(transfers, 8);
        assert_int_equal(bytes, 8 * BYTES);
        assert_int_equal(device_ns, 8 * 16000);
        assert_in_range(saves_ns, saved_by_causes(diagnosis) - 8, saved_by_causes(diagnosis)); /* whole ns each */
        xs_by_free(&by);
        xs_diagnosis_free(diagnosis);
    }
    play_end(p);
}

/* Makes the trace look as if it had reached its largest size: sums replace a part of the rows of each shape. */
#define THIN_OUT                                                                                                       \
    "INSERT INTO thinned (source, shape, entry_point, kind, stack, device, rows, bytes, host_ns, timed, device_ns)"    \
    " SELECT 'transfer', shape, 0, 0, 0, 0, count(*), sum(bytes), sum(host_ns), count(*), 16000 * count(*)"            \
    " FROM (SELECT r.shape, coalesce(r.bytes, s.bytes) AS bytes, coalesce(r.host_ns, r.return_ns - r.enter_ns) AS"     \
    " host_ns FROM transfer_row r JOIN transfer_shape s ON s.id = r.shape WHERE r.id IN (2, 3, 6, 8)) GROUP BY shape;" \
    "DELETE FROM device_copy_row WHERE correlation IN (SELECT correlation FROM transfer_row WHERE id IN (2, 3, 6, "    \
    "8));"                                                                                                             \
    "DELETE FROM transfer_row WHERE id IN (2, 3, 6, 8);"                                                               \
    "INSERT INTO meta VALUES ('thinned.rows', 8), ('thinned.one_in', 4), ('thinned.from_ns', 0), ('thinned.to_ns',"    \
    " 1000000000)"

static void totals_count_what_was_thinned(void **state) {
    static const char stacks[] = STACKS "UPDATE transfer SET stack = 1 + id % 3, nvtx_range = id % 4;"
                                        "INSERT INTO nvtx_range VALUES (1,NULL,NULL,'epoch'),(2,1,NULL,'batch'),"
                                        "(3,1,NULL,'other');";
    static char thinned[sizeof stacks + sizeof THIN_OUT];
    (void)state;
    snprintf(thinned, sizeof thinned, "%s%s", stacks, THIN_OUT);
    for (int key = 0; key < XS_BY_KEYS; key++) {
        struct xs_diagnosis *diagnoses[2] = {NULL, NULL};
        struct xs_by by[2];
        for (int is_thinned = 0; is_thinned < 2; is_thinned++) {
            play_uploads(7);
            p->thread = 2;
            p->stream = 0x70;
            play_down(p, A, BYTES, 1, HOST);
            play_analyse(p, is_thinned ? thinned : stacks);
            compute_by(&by[is_thinned], (enum xs_by_key)key, &diagnoses[is_thinned]);
            play_end(p);
        }
        assert_int_equal(by[0].count, by[1].count);
        for (size_t i = 0; i < by[0].count; i++) {
            assert_int_equal(by[0].rows[i].transfers, by[1].rows[i].transfers);
            assert_int_equal(by[0].rows[i].bytes, by[1].rows[i].bytes);
            assert_int_equal(by[0].rows[i].timed, by[1].rows[i].timed);
            assert_int_equal(by[0].rows[i].device_ns, by[1].rows[i].device_ns);
            assert_int_equal(by[0].rows[i].host_ns, by[1].rows[i].host_ns);
        }
        const struct xs_site_totals *all = &diagnoses[0]->findings->at_sites, *rest = &diagnoses[1]->findings->at_sites;
        for (size_t site = 0; site < all->count; site++) {
            assert_int_equal(all->of[site].transfers, rest->of[site].transfers);
            assert_int_equal(all->of[site].bytes, rest->of[site].bytes);
            assert_int_equal(all->of[site].device_ns, rest->of[site].device_ns);
            assert_int_equal(all->of[site].host_ns, rest->of[site].host_ns);
        }
        for (int i = 0; i < 2; i++) {
            xs_by_free(&by[i]);
            xs_diagnosis_free(diagnoses[i]);
        }
    }
}

/* A run saves what its transfers save, and no more if other findings have the transfers, too. */
static void a_run_is_shared_by_its_transfers(void **state) {
    struct xs_diagnosis *diagnosis = NULL;
    struct xs_by by;
    uint64_t saves_ns = 0;
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < 40; i++)
        play_up(p, A + (uint64_t)i * 256, 256, i + 1, NOT_MEASURED, HOST + (uint64_t)i * 256);
    play_analyse(p, STACKS "UPDATE transfer SET stack = 1 + id % 2");
    assert_non_null(played_finding(p, "small-transfers"));
    compute_by(&by, XS_BY_SITE, &diagnosis);
    for (size_t i = 0; i < by.count; i++)
        saves_ns += by.rows[i].saves_ns;
    assert_true(saves_ns > 0);
    assert_true(saves_ns <= saved_by_causes(diagnosis));
    xs_by_free(&by);
    xs_diagnosis_free(diagnosis);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_add_up_by_every_key),
        cmocka_unit_test(totals_count_what_was_thinned),
        cmocka_unit_test(a_run_is_shared_by_its_transfers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests a job of several traces: exact numbers, from summaries and findings made by hand. */
#include "unit.h"

#include "analyzer/commands/job/job.h"
#include "analyzer/commands/job/job_words.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/site.h"

static const uint64_t SECOND = 1000000000u;
static char unknown_name[] = "unknown", up_name[] = "cuMemcpyHtoD_v2", down_name[] = "cuMemcpyDtoH_v2";

/* Describes one rank: its findings save up_ns and down_ns; 0: it has no such finding. */
struct rank {
    const char *path, *host;
    int64_t rank, start_s;
    uint64_t run_s, up_ns, down_ns;
    bool kernels_known;
    const char *bus;
};

static void add(struct xs_job *job, const struct rank *r) {
    struct xs_entry_point points[] = {{.name = unknown_name}, {.id = 1, .name = up_name}, {.id = 2, .name = down_name}};
    struct xs_sites sites = {.entry_points = points, .count = 3};
    struct xs_finding items[2] = {{.site = 1, .instances = 3, .transfers = 3, .bytes = 300, .timed_instances = 3},
                                  {.site = 2, .instances = 1, .transfers = 1, .bytes = 10, .timed_instances = 1}};
    struct xs_diagnosed diagnosed[2] = {{.finding = &items[0]}, {.finding = &items[1]}};
    struct xs_findings findings = {.items = items, .sites = &sites, .exposed_known = r->kernels_known};
    struct xs_diagnosis diagnosis = {.findings = &findings, .items = diagnosed};
    char host[32], bus[32], empty[] = "", name[] = "GPU", program[] = "app";
    snprintf(host, sizeof host, "%s", r->host);
    snprintf(bus, sizeof bus, "%s", r->bus);
    struct xs_device_summary device = {
        .name = name, .pci_bus_id = bus, .known = true, .copy_busy_ns = 5, .kernel_busy_ns = 1};
    struct xs_summary summary = {.devices = &device, .device_count = 1};
    summary.run = (struct xs_run){.command = empty, .executable = program, .cwd = empty, .host = host, .status = empty};
    summary.run.rank = r->rank;
    summary.run.world_size = 8;
    summary.run.start_unix_ns = r->start_s * (int64_t)SECOND;
    summary.run.duration_ns = r->run_s * SECOND;
    summary.all = (struct xs_totals){.count = 4, .bytes = 310, .device_ns = r->up_ns, .timed_count = 4};
    diagnosed[0].saves.most_ns = r->up_ns;
    diagnosed[1].saves.most_ns = r->down_ns;
    diagnosed[0].folded = diagnosed[1].folded = r->rank != 1;
    if (r->up_ns)
        diagnosis.count++;
    else
        diagnosed[0] = diagnosed[1];
    diagnosis.count += r->down_ns != 0;
    diagnosis.together.most_ns = r->up_ns + r->down_ns;
    xs_job_add(job, r->path, r->path, &summary, &diagnosis, "");
}

/* The processes are not added in the order of their ranks; one has no rank. */
static const struct rank four[] = {{"b/2.db", "h1", 2, 100, 10, 700, 0, true, "2"},
                                   {"a/0.db", "h0", 0, 100, 10, 100, 50, true, "1"},
                                   {"c/x.db", "h0", -1, 101, 12, 0, 900, true, "1"},
                                   {"b/1.db", "h0", 1, 99, 10, 300, 0, true, "2"}};

static void make(struct xs_job *job, const struct rank *ranks, size_t count) {
    *job = (struct xs_job){0};
    for (size_t i = 0; i < count; i++)
        add(job, &ranks[i]);
    xs_job_finish(job);
}

static void spreads(void **state) {
    const uint64_t odd[] = {7, 1, 4}, even[] = {8, 2, 4, 4}, large[] = {UINT64_MAX, UINT64_MAX};
    const size_t processes[] = {5, 6, 9};
    (void)state;
    struct xs_job_spread s = xs_job_spread_of(odd, processes, 3);
    assert_int_equal(s.min, 1);
    assert_int_equal(s.median, 4);
    assert_int_equal(s.max, 7);
    assert_int_equal(s.mean, 4);
    assert_int_equal(s.sum, 12);
    assert_int_equal(s.least, 6);
    assert_int_equal(s.most, 5);
    s = xs_job_spread_of(even, NULL, 4);
    assert_int_equal(s.median, 4);
    assert_int_equal(s.mean, 4);
    assert_int_equal(s.least, 1);
    s = xs_job_spread_of(large, NULL, 2);
    assert_true(s.sum == UINT64_MAX && s.mean == UINT64_MAX && s.median == UINT64_MAX);
    assert_int_equal(xs_job_spread_of(NULL, NULL, 0).count, 0);
}

static void processes_are_in_the_order_of_ranks(void **state) {
    static const char *const labels[] = {"0", "1", "2", "x.db"};
    struct xs_job job;
    (void)state;
    make(&job, four, 4);
    assert_int_equal(job.process_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(job.processes[i].label, labels[i]);
        assert_int_equal(job.processes[i].is_ranked, i < 3);
    }
    assert_int_equal(job.host_count, 2);
    assert_int_equal(job.program_count, 1);
    assert_int_equal(job.world_size, 8);
    assert_int_equal(job.slowest, 3);
    /* 99 s to 113 s */
    assert_int_equal(job.start_unix_ns, 99 * SECOND);
    assert_int_equal(job.wall_ns, 14 * SECOND);
    assert_true(xs_job_is_concurrent(&job));
    assert_string_equal(xs_job_known(&job, "b/1.db"), "b/1.db");
    assert_null(xs_job_known(&job, "b/3.db"));
    xs_job_free(&job);
}

static void findings_of_one_place_are_one(void **state) {
    struct xs_job job;
    (void)state;
    make(&job, four, 4);
    assert_int_equal(job.finding_count, 2);
    /* downloads: the unranked process gets the most back */
    const struct xs_job_finding *down = &job.findings[0], *up = &job.findings[1];
    assert_string_equal(down->entry_point, down_name);
    assert_int_equal(down->share_count, 2);
    assert_int_equal(down->shares[0].process, 0);
    assert_int_equal(down->shares[1].process, 3);
    assert_int_equal(down->saves_ns.max, 900);
    assert_int_equal(down->saves_ns.most, 3);
    assert_int_equal(down->instances, 2);
    assert_true(down->folded);
    assert_string_equal(up->entry_point, up_name);
    assert_int_equal(up->share_count, 3);
    assert_int_equal(up->saves_ns.min, 100);
    assert_int_equal(up->saves_ns.median, 300);
    assert_int_equal(up->saves_ns.max, 700);
    assert_int_equal(up->saves_ns.most, 2);
    assert_int_equal(up->bytes, 900);
    assert_false(up->folded); /* not in rank 1 */
    xs_job_free(&job);
}

static void gains_do_not_add_up(void **state) {
    struct xs_job job;
    (void)state;
    make(&job, four, 4);
    const struct xs_job_spread *back = &job.columns[XS_JOB_SAVES];
    assert_int_equal(back->max, 900);
    assert_int_equal(back->most, 3);
    assert_int_equal(back->mean, (150 + 300 + 700 + 900) / 4);
    assert_int_equal(back->median, 500);
    xs_job_free(&job);
}

static void devices_count_once_a_host(void **state) {
    struct xs_job job;
    (void)state;
    make(&job, four, 4);
    assert_int_equal(job.device_count, 3); /* 1 and 2 of h0, 2 of h1 */
    for (size_t i = 0; i < job.device_count; i++) {
        bool shared = !strcmp(job.devices[i].host, "h0") && !strcmp(job.devices[i].pci_bus_id, "1");
        assert_int_equal(job.devices[i].process_count, shared ? 2 : 1);
        if (shared) {
            assert_int_equal(job.devices[i].processes[0], 0);
            assert_int_equal(job.devices[i].processes[1], 3);
        }
    }
    xs_job_free(&job);
}

/* Rank 3 is far from the others; rank 2 differs by less than a tenth. */
static void one_is_far_from_the_others(void **state) {
    static const struct rank ranks[] = {{"0", "h", 0, 1, 100, 1000, 0, false, "1"},
                                        {"1", "h", 1, 1, 100, 1000, 0, false, "1"},
                                        {"2", "h", 2, 1, 100, 1090, 0, false, "1"},
                                        {"3", "h", 3, 1, 100, 1200, 0, false, "1"}};
    struct xs_job job;
    (void)state;
    make(&job, ranks, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_false(job.processes[i].outlier[XS_JOB_WALL]);
        assert_int_equal(job.processes[i].outlier[XS_JOB_DEVICE], false); /* usual: 4.5 x 45 */
    }
    xs_job_free(&job);
    struct rank changed[4];
    memcpy(changed, ranks, sizeof changed);
    changed[3].up_ns = 1300; /* 255 from the median 1045 */
    make(&job, changed, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(job.processes[i].outlier[XS_JOB_DEVICE], i == 3);
    xs_job_free(&job);
    make(&job, changed + 1, 3); /* too few to say */
    assert_false(job.processes[2].outlier[XS_JOB_DEVICE]);
    /* without kernels nothing is known to be exposed */
    assert_int_equal(job.columns[XS_JOB_EXPOSED].count, 0);
    xs_job_free(&job);
}

static void runs_of_different_days_are_told(void **state) {
    static const struct rank ranks[] = {{"0", "h", -1, 1, 10, 1, 0, false, "1"},
                                        {"1", "h", -1, 1000, 10, 1, 0, false, "1"}};
    struct xs_job job;
    (void)state;
    make(&job, ranks, 2);
    assert_false(xs_job_is_concurrent(&job));
    xs_job_free(&job);
    make(&job, ranks, 0);
    assert_int_equal(job.process_count, 0);
    xs_job_free(&job);
}

/* A rank that two processes have names neither. */
static void ambiguous_ranks_go_by_file(void **state) {
    static const struct rank ranks[] = {{"a/r.db", "h", 0, 1, 10, 1, 0, false, "1"},
                                        {"b/r.db", "h", 0, 2, 10, 1, 0, false, "1"},
                                        {"b/s.db", "h", 1, 2, 10, 1, 0, false, "1"}};
    struct xs_job job;
    (void)state;
    make(&job, ranks, 3);
    assert_string_equal(job.processes[0].label, "a/r.db");
    assert_string_equal(job.processes[1].label, "b/r.db");
    assert_string_equal(job.processes[2].label, "1");
    xs_job_free(&job);
}

static void who(void **state) {
    static const size_t some[] = {0, 1, 2, 4, 6, 7}, one[] = {7};
    size_t all[8];
    struct rank ranks[9];
    struct xs_job job;
    struct xs_string text = {0};
    char paths[9][16];
    (void)state;
    for (int i = 0; i < 9; i++) {
        snprintf(paths[i], sizeof paths[i], "%d.db", i);
        ranks[i] = (struct rank){paths[i], "h", i, 1, 10, 1, 0, false, "1"};
        if (i < 8)
            all[i] = (size_t)i;
    }
    make(&job, ranks, 8);
    xs_job_who(&text, &job, some, 6);
    assert_string_equal(text.data, "ranks 0-2, 4, 6, 7");
    text.length = 0;
    xs_job_who(&text, &job, one, 1);
    assert_string_equal(text.data, "rank 7 only");
    text.length = 0;
    xs_job_who(&text, &job, all, 8);
    assert_string_equal(text.data, "all 8 ranks");
    xs_string_free(&text);
    xs_job_free(&job);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spreads),
        cmocka_unit_test(processes_are_in_the_order_of_ranks),
        cmocka_unit_test(findings_of_one_place_are_one),
        cmocka_unit_test(gains_do_not_add_up),
        cmocka_unit_test(devices_count_once_a_host),
        cmocka_unit_test(one_is_far_from_the_others),
        cmocka_unit_test(runs_of_different_days_are_told),
        cmocka_unit_test(ambiguous_ranks_go_by_file),
        cmocka_unit_test(who),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

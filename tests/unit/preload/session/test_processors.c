/* Tests which processors are free, on machines with cores of one, two and four threads. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/session/processors.h"

enum { CPUS = 8 };
static char topology[] = "/tmp/xferspy-topology-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(topology) ? 0 : -1;
}

/* Sets the list of each processor; NULL: the kernel has none. */
static void lists(const char *(*list_of)(int cpu)) {
    for (int cpu = 0; cpu < CPUS; cpu++) {
        char path[128];
        snprintf(path, sizeof path, "%s/cpu%d", topology, cpu);
        mkdir(path, 0700);
        strcat(path, "/topology");
        mkdir(path, 0700);
        strcat(path, "/thread_siblings_list");
        unlink(path);
        FILE *f = list_of(cpu) ? fopen(path, "w") : NULL;
        if (f) {
            fprintf(f, "%s\n", list_of(cpu));
            assert_int_equal(fclose(f), 0);
        }
    }
}

static int remove_folder(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", topology);
    return system(command);
}

static const char *no_list(int cpu) {
    (void)cpu;
    return NULL;
}
static const char *halves(int cpu) { /* as Linux numbers them on most servers */
    static const char *const lists_of[] = {"0,4", "1,5", "2,6", "3,7"};
    return lists_of[cpu % 4];
}
static const char *neighbours(int cpu) {
    static const char *const lists_of[] = {"0-1", "2-3", "4-5", "6-7"};
    return lists_of[cpu / 2];
}
static const char *fours(int cpu) { return cpu < 4 ? "0-1,2-3" : "4-7,900-99999"; }
static const char *nonsense(int cpu) { return cpu % 2 ? "x" : "3-1,99999999999999999999,-"; }

static cpu_set_t set_of(const char *digits) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (; *digits; digits++)
        CPU_SET((size_t)(*digits - '0'), &set);
    return set;
}

static void expect(const char *all, const char *busy, int busiest, bool is_free, const char *to) {
    cpu_set_t of_all = set_of(all), of_busy = set_of(busy), chosen, expected = set_of(to);
    assert_int_equal(xs_processors_free(topology, &of_all, &of_busy, busiest, &chosen), is_free);
    char text[CPUS + 1] = "";
    for (size_t cpu = 0; cpu < CPUS; cpu++)
        if (CPU_ISSET(cpu, &chosen))
            text[strlen(text)] = (char)('0' + cpu);
    assert_string_equal(text, to);
    assert_true(CPU_EQUAL(&chosen, &expected));
}

static void of_one_thread(void **state) {
    (void)state;
    lists(no_list);
    expect("01234567", "", -1, true, "01234567");
    expect("01234567", "03", 3, true, "124567");
    expect("01", "1", 1, true, "0");
    expect("01", "01", 1, false, "0");
    expect("1", "1", 1, false, "1");
    lists(nonsense);
    expect("01234567", "03", 3, true, "124567");
}

static void of_two_threads(void **state) {
    (void)state;
    lists(halves);
    expect("01234567", "1", 1, true, "023467");
    expect("01234567", "124", 1, true, "37");
    expect("01234567", "0123", 1, true, "4567"); /* no core is free */
    expect("01234567", "01234567", 6, false, "0123457");
    expect("15", "1", 1, true, "5"); /* bound to one core */
    lists(neighbours);
    expect("01234567", "1", 1, true, "234567");
    expect("0246", "13", 1, true, "46"); /* bound, and the program to others */
}

static void of_four_threads(void **state) {
    (void)state;
    lists(fours);
    expect("01234567", "2", 2, true, "4567");
    expect("01234567", "7", 7, true, "0123");
    expect("01234567", "27", 7, true, "013456");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_one_thread),
        cmocka_unit_test(of_two_threads),
        cmocka_unit_test(of_four_threads),
    };
    return cmocka_run_group_tests_name("processors", tests, make_folder, remove_folder);
}

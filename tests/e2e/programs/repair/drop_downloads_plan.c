/* drop-downloads with a plan: the downloads of the plan are not made, and the log says whether the program read or wrote
 * the memory that they would have filled.
 *
 * link: cuda
 * only: sim unsanitized
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-downloads XFERSPY_REPAIR_PLAN=$dir/plan XFERSPY_REPAIR_LOG=$dir/log
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * Without a plan, or while the run is recorded, it is not made at all, and `all` does not mean it.
 * $ run() { env LD_PRELOAD=$xferspy_lib XFERSPY_QUIET=on XFERSPY_REPAIR_LOG=$dir/log XFERSPY_OUTPUT=$dir/x.db "$@"; }
 * $ drop() { rm -f $dir/log; run XFERSPY_REPAIR=drop-downloads "$@"; grep -o '"name".*' $dir/log; }
 * $ plan=XFERSPY_REPAIR_PLAN=$dir/plan off=XFERSPY_ENABLE=off
 * $ drop $off $program none; drop $plan $program none
 * $ rm $dir/log; run XFERSPY_REPAIR=all $off $program; grep -c drop-downloads $dir/log; rm -f $dir/x.db
 * data ok
 * "name":"drop-downloads","off":"only `xferspy try' makes it, because it needs a plan and a run without capture"}]}
 * data ok
 * "name":"drop-downloads","off":"only `xferspy try' makes it, because it needs a plan and a run without capture"}]}
 * data ok
 * 0
 *
 * Each case in the mode apply. `accessed` and `unsure` count places.
 * $ drop() { rm -f $dir/log; env LD_PRELOAD=$xferspy_lib XFERSPY_QUIET=on XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-downloads \
 * $     XFERSPY_REPAIR_PLAN=$dir/plan XFERSPY_REPAIR_LOG=$dir/log "$@" | grep -v 'data ok'; }
 * $ said() { sed -E "s/.*\"applied\":([0-9]+).*\"accessed\":([0-9]+),\"unsure\":([0-9]+).*\"refused\":(.*)\}\]\}/\1, \2, \3 \4/" $dir/log; }
 * $ echo "left out, accessed, unsure"; for case in $($program list); do drop $program $case; echo "$case: $(said)"; done
 * left out, accessed, unsure
 * unread: 2, 0, 0 {}
 * read: 2, 1, 0 {}
 * freed: 2, 0, 0 {}
 * overwritten: 2, 0, 0 {}
 * overwritten-in-part: 2, 0, 1 {"only a part was written again":1}
 * uploaded: 2, 1, 0 {}
 * unregistered: 2, 1, 0 {}
 * neighbour: 2, 1, 0 {}
 * remapped: 2, 0, 1 {"the program changed the mapping of the memory":1}
 * forked: 2, 0, 1 {"another process may have read it":1}
 * too-small: 2, 0, 1 {"only a part was written again":1,"less than 256 KiB":1}
 * advised: 0, 0, 0 {"not in ordinary memory of the program":2}
 * waits: 2, 0, 0 {}
 *
 * The same in the mode verify: all downloads are made, and those that nobody read are `checked`.
 * $ drop() { rm -f $dir/log; env LD_PRELOAD=$xferspy_lib XFERSPY_QUIET=on XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-downloads \
 * $     XFERSPY_REPAIR_PLAN=$dir/plan XFERSPY_REPAIR_LOG=$dir/log MODE=verify "$@" | grep -v 'data ok'; }
 * $ said() { sed -E 's/.*"applied":0.*"checked":([0-9]+),"accessed":([0-9]+),"unsure":0.*"refused":(.*)\}\]\}/\1, \2 \3/' $dir/log; }
 * $ echo "checked, accessed"; for case in $($program list); do drop $program $case; echo "$case: $(said)"; done
 * checked, accessed
 * unread: 2, 0 {}
 * read: 1, 1 {}
 * freed: 2, 0 {}
 * overwritten: 2, 0 {}
 * overwritten-in-part: 1, 0 {"only a part was written again":1}
 * uploaded: 1, 1 {}
 * unregistered: 1, 1 {}
 * neighbour: 1, 1 {}
 * remapped: 1, 0 {"the program changed the mapping of the memory":1}
 * forked: 1, 0 {"another process may have read it":1}
 * too-small: 1, 0 {"only a part was written again":1,"less than 256 KiB":1}
 * advised: 0, 0 {"not in ordinary memory of the program":2}
 * waits: 2, 0 {}
 *
 */
#define _GNU_SOURCE
#include <cuda.h>

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../check.h"

enum { PAGE = 4096, BYTES = 1 << 20, SMALL = 200000 };

static CUdeviceptr device;
static volatile unsigned char seen;

/* Another processor may keep back some pages that were just written, and these count as accessed. */
static void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    OK(sched_setaffinity(0, sizeof one, &one));
}

/* Downloads number 0 and 1 are planned in each case; so is number 4, which is too small. */
static void write_plan(void) {
    const char *mode = getenv("MODE");
    FILE *to = fopen(getenv("XFERSPY_REPAIR_PLAN"), "w");
    REQUIRE(to != NULL);
    fprintf(to, "xferspy-plan 1\nmode %s\ndrop-downloads 0 0-1 %d\ndrop-downloads 0 4 %d\n", mode ? mode : "apply",
            BYTES, SMALL);
    REQUIRE(fclose(to) == 0);
}

static unsigned char *map(size_t bytes) {
    unsigned char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    (void)madvise(pages, bytes, MADV_NOHUGEPAGE);
    memset(pages, 1, bytes);
    return pages;
}

static unsigned char *pinned(void) {
    void *memory;
    OK(cuMemHostAlloc(&memory, BYTES, 0));
    memset(memory, 1, BYTES);
    return memory;
}

static void down(unsigned char *to, size_t bytes) { OK(cuMemcpyDtoH(to, device, bytes)); }

/* Two downloads of the plan. */
static unsigned char *both(unsigned char *to) {
    down(to, BYTES);
    down(to, BYTES);
    return to;
}

static void unread(void) { both(map(BYTES)); }

static void read_once(void) {
    unsigned char *memory = map(BYTES);
    down(memory, BYTES);
    seen = memory[BYTES / 2];
    down(memory, BYTES);
}

static void freed(void) { OK(cuMemFreeHost(both(pinned()))); }

/* The program's next copy brings all bytes, and the program may read them. */
static void overwritten(void) {
    unsigned char *memory = both(pinned());
    down(memory, BYTES);
    e2e_expect_value(memory, BYTES, 7);
}

/* Half of the place still has what was there before, whoever reads it. */
static void overwritten_in_part(void) {
    unsigned char *memory = both(map(BYTES));
    down(memory, BYTES / 2);
    e2e_expect_value(memory, BYTES / 2, 7);
}

static void uploaded(void) { OK(cuMemcpyHtoD(device, both(pinned()) + BYTES / 2, PAGE)); }

/* Memory that the program locked itself stays there when the lock is taken back. */
static void unregistered(void) {
    unsigned char *memory = map(BYTES);
    OK(cuMemHostRegister(memory, BYTES, 0));
    both(memory);
    OK(cuMemHostUnregister(memory));
    seen = memory[0];
}

/* What lies beside the place in its last page counts as the place. */
static void neighbour(void) { seen = both(map(BYTES + PAGE) + 64)[BYTES + 64]; }

static void remapped(void) {
    unsigned char *memory = both(map(BYTES));
    const void *again = mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    REQUIRE(again == memory);
}

static void forked(void) {
    const unsigned char *memory = both(map(BYTES));
    pid_t child = fork();
    if (child == 0) {
        seen = memory[0];
        _exit(0);
    }
    REQUIRE(waitpid(child, NULL, 0) == child);
}

static void too_small(void) {
    unsigned char *memory = both(map(BYTES));
    for (int i = 2; i < 5; i++)
        down(memory + BYTES - SMALL, SMALL);
}

/* Advice of the program's own. */
static void advised(void) {
    unsigned char *memory = map(BYTES);
    REQUIRE(madvise(memory, BYTES, MADV_RANDOM) == 0);
    both(memory);
}

/* A download that is left out waits for what was queued before. */
static void waits(void) {
    unsigned char *memory = map(BYTES);
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemcpyDtoHAsync(memory, device, BYTES, stream));
    OK(cuStreamQuery(stream));
    OK(cuMemsetD8(device, 7, BYTES));
    down(memory, BYTES);
    OK(cuStreamQuery(NULL));
    OK(cuStreamDestroy(stream));
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{"unread", unread},
             {"read", read_once},
             {"freed", freed},
             {"overwritten", overwritten},
             {"overwritten-in-part", overwritten_in_part},
             {"uploaded", uploaded},
             {"unregistered", unregistered},
             {"neighbour", neighbour},
             {"remapped", remapped},
             {"forked", forked},
             {"too-small", too_small},
             {"advised", advised},
             {"waits", waits}};

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : "unread";
    const size_t count = sizeof cases / sizeof *cases;
    if (strcmp(wanted, "list") == 0) {
        for (size_t i = 0; i < count; i++)
            puts(cases[i].name);
        return 0;
    }
    if (getenv("XFERSPY_REPAIR_PLAN"))
        write_plan();
    stay_on_one_processor();
    e2e_context();
    if (sysconf(_SC_PAGESIZE) != PAGE)
        return E2E_SKIP;
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemsetD8(device, 7, BYTES));
    for (size_t i = 0; i < count; i++)
        if (strcmp(cases[i].name, wanted) == 0)
            cases[i].run();
    puts("data ok");
    return 0;
}

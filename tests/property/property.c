/* Runs random programs and writes what must be found of them.
 *
 *   property SEED PROGRAMS FOLDER [ONLY [SCALE]]
 *
 * Programs 0 to PROGRAMS - 1 of the seed, or ONLY that one if it is not negative, on all devices there are. Into
 * FOLDER: `expected` and `allowed` (reference.h), `undecided` (FINDING|REASON|COUNT), and `programs`, a log of what
 * each did with the first ordinals of each.
 *
 * With SCALE (struct program) they are for repairs: all bytes are compared, and nothing is said of findings. */
#include "program.h"

#include <string.h>

static FILE *file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    REQUIRE(out != NULL);
    return out;
}

int main(int argc, char **argv) {
    static struct machine machine;
    static struct host_buffer host[HOST_BUFFERS];
    static struct program program = {.machine = &machine, .host = host};
    if (argc < 4) {
        fprintf(stderr, "usage: property SEED PROGRAMS FOLDER [ONLY [SCALE]]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    int programs = atoi(argv[2]), only = argc > 4 ? atoi(argv[4]) : -1;
    struct verdicts out = {.expected = file(argv[3], "expected"), .allowed = file(argv[3], "allowed")};
    FILE *undecided = file(argv[3], "undecided");
    program.log = file(argv[3], "programs");

    machine_start(&machine);
    program.scale = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
    host_buffers_start(host, HOST_BYTES);
    for (int i = 0; i < programs; i++) {
        if (only >= 0 && i != only)
            continue;
        out.program = i;
        program_run(&program, seed, i);
        if (program.scale == 0)
            reference_findings(program.events, program.count, &out);
        program_clear(&program);
    }
    for (int i = 0; i < UNDECIDED_KINDS; i++)
        if (out.undecided[i] > 0)
            fprintf(undecided, "%s|%ld\n", reference_undecided[i], out.undecided[i]);
    host_buffers_end(host);
    machine_end(&machine);
    fclose(out.expected);
    fclose(out.allowed);
    fclose(undecided);
    fclose(program.log);
    puts("data ok");
    return 0;
}

/* Performs a random program on the simulated GPU, with the virtual clock preloaded, and says how long it took.
 *
 *   replay_perform SEED NUMBER SET...
 *   replay_perform --steps SEED NUMBER SET
 *
 * The first prints a line "SETUP TOTAL" for each set of dropped uploads, in ns: of what comes before the steps, and of
 * all. Each set has a process of its own, except for the last. With --steps there is a line "ENTER RETURN" for each
 * step, in ns since the start.
 *
 * One thread calls CUDA: the virtual clock is one for the process. */
#include <cuda.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/e2e/programs/check.h"
#include "tests/replay/steps.h"
#include "tests/sim/clock/virtual_clock.h"

static const char ptx[] = ".version 7.0\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".visible .entry xs_spin(.param .u64 ns)\n"
                          "{\n"
                          "    ret;\n"
                          "}\n";

struct machine {
    CUcontext context;
    CUfunction spin;
    CUstream streams[STREAMS];
    CUevent events[EVENTS];
    CUdeviceptr buffer, slots[SLOTS];
    void *pinned, *pageable;
};

static void launch(struct machine *m, int stream, uint64_t ns) {
    void *arguments[] = {&ns};
    OK(cuLaunchKernel(m->spin, 1, 1, 1, 32, 1, 1, 0, m->streams[stream], arguments, NULL));
}

/* A trace does not say which streams are non-blocking. These calls show it, because they run beside the legacy default
 * stream. */
static void show_streams(struct machine *m) {
    launch(m, 0, 50000);
    for (int i = FIRST_NON_BLOCKING; i < STREAMS; i++)
        launch(m, i, 1000);
    OK(cuCtxSynchronize());
}

static void start(struct machine *m) {
    CUmodule module;
    m->context = e2e_context();
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&m->spin, module, "xs_spin"));
    for (int i = 1; i < STREAMS; i++)
        OK(cuStreamCreate(&m->streams[i], i < FIRST_NON_BLOCKING ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < EVENTS; i++)
        OK(cuEventCreate(&m->events[i], CU_EVENT_DISABLE_TIMING));
    OK(cuMemAlloc(&m->buffer, BUFFER_BYTES));
    OK(cuMemAllocHost(&m->pinned, BUFFER_BYTES));
    m->pageable = malloc(BUFFER_BYTES);
    REQUIRE(m->pageable != NULL);
    show_streams(m);
}

static void copy(struct machine *m, const struct step *s) {
    void *host = s->is_pinned ? m->pinned : m->pageable;
    CUstream stream = m->streams[s->stream];
    if (s->kind == STEP_UPLOAD && s->is_async)
        OK(cuMemcpyHtoDAsync(m->buffer, host, s->bytes, stream));
    else if (s->kind == STEP_UPLOAD)
        OK(cuMemcpyHtoD(m->buffer, host, s->bytes));
    else if (s->is_async)
        OK(cuMemcpyDtoHAsync(host, m->buffer, s->bytes, stream));
    else
        OK(cuMemcpyDtoH(host, m->buffer, s->bytes));
}

static void perform(struct machine *m, const struct step *s) {
    switch (s->kind) {
    case STEP_UPLOAD:
    case STEP_DOWNLOAD:
        copy(m, s);
        break;
    case STEP_MEMSET:
        if (s->is_async)
            OK(cuMemsetD8Async(m->buffer, 0, s->bytes, m->streams[s->stream]));
        else
            OK(cuMemsetD8(m->buffer, 0, s->bytes));
        break;
    case STEP_KERNEL:
        launch(m, s->stream, s->ns);
        break;
    case STEP_RECORD:
        OK(cuEventRecord(m->events[s->event], m->streams[s->stream]));
        break;
    case STEP_WAIT_EVENT:
        OK(cuStreamWaitEvent(m->streams[s->stream], m->events[s->event], 0));
        break;
    case STEP_SYNC_STREAM:
        OK(cuStreamSynchronize(m->streams[s->stream]));
        break;
    case STEP_SYNC_EVENT:
        OK(cuEventSynchronize(m->events[s->event]));
        break;
    case STEP_SYNC_DEVICE:
        OK(cuCtxSynchronize());
        break;
    case STEP_ALLOCATE:
        OK(cuMemAlloc(&m->slots[s->slot], s->bytes));
        break;
    case STEP_FREE:
        OK(cuMemFree(m->slots[s->slot]));
        break;
    case STEP_WORK:
        xs_virtual_clock_advance(s->ns);
        break;
    case STEP_KINDS:
        break;
    }
}

static void run(const struct steps *steps, uint64_t dropped, bool with_steps) {
    struct machine machine = {0};
    uint64_t began = xs_virtual_clock_now();
    start(&machine);
    uint64_t setup = xs_virtual_clock_now() - began;
    for (int i = 0; i < steps->count; i++) {
        const struct step *s = &steps->items[i];
        uint64_t enter = xs_virtual_clock_now() - began;
        if (s->upload < 0 || !(dropped >> s->upload & 1))
            perform(&machine, s);
        if (with_steps)
            printf("%" PRIu64 " %" PRIu64 "\n", enter, xs_virtual_clock_now() - began);
    }
    if (!with_steps)
        printf("%" PRIu64 " %" PRIu64 "\n", setup, xs_virtual_clock_now() - began);
    fflush(stdout);
    free(machine.pageable);
}

int main(int argc, char **argv) {
    bool with_steps = argc > 1 && strcmp(argv[1], "--steps") == 0;
    char **arguments = argv + 1 + with_steps;
    if (argc - with_steps < 4) {
        fprintf(stderr, "usage: replay_perform [--steps] SEED NUMBER SET...\n");
        return 2;
    }
    REQUIRE(xs_virtual_clock_now != NULL);
    uint64_t seed = strtoull(arguments[0], NULL, 10), number = strtoull(arguments[1], NULL, 10);
    struct steps steps;
    steps_make(&steps, seed, number);
    for (char **set = arguments + 2; *set; set++) {
        uint64_t dropped = steps_dropped(&steps, seed, number, atoi(*set));
        pid_t child = set[1] ? fork() : 0; /* before CUDA is used: each child has a driver of its own */
        REQUIRE(child >= 0);
        if (child == 0) {
            run(&steps, dropped, with_steps);
            return 0;
        }
        int status;
        REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return 0;
}

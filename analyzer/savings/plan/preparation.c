/* Counts the samples before and after uploads; see preparation.h. */
#include "analyzer/savings/plan/preparation.h"

#include <string.h>

#include "analyzer/savings/plan/plan_repairs.h"
#include "analyzer/savings/plan/statement.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/site.h"

/* Fewer samples than this do not show shares of the time. */
enum { LEAST_SAMPLES = 8 };

/* Files of libraries that read data from elsewhere, or wait for it. */
static const char *const readers[] = {"/torch/utils/data/", "/torch/serialization.py", "/numpy/lib/npyio.py",
                                      "/numpy/lib/_npyio_impl.py"};

/* True if a frame of a library works on arrays in memory, like frames of PyTorch, CuPy, JAX and NumPy. Frames of other
 * libraries may wait or read files. */
static bool works_on_arrays(const struct xs_frame *frame) {
    if (!frame->file)
        return false;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strstr(frame->file, readers[i]))
            return false;
    return xs_library_framework(frame->file) != XS_FRAMEWORK_NONE || strstr(frame->file, "/numpy/");
}

static bool is_same(const char *a, const char *b) { return a && b && !strcmp(a, b); }

/* True if the stack is in the function that uploads, at the upload's line or an earlier line. A stack in a function
 * that this function calls does not count, unless an array library has that function. A later line belongs to the work
 * after the upload. */
static bool is_in_function(const struct xs_sites *sites, int64_t stack, const struct xs_frame *upload) {
    size_t count = 0;
    const struct xs_frame *frames = xs_callsites_frames(sites->callsites, stack, &count);
    for (size_t i = 0; i < count; i++) {
        if (xs_frame_is_users(&frames[i]))
            return is_same(frames[i].function, upload->function) && is_same(frames[i].file, upload->file) &&
                   frames[i].line && frames[i].line <= upload->line;
        if (frames[i].python && !works_on_arrays(&frames[i]))
            return false;
    }
    return false;
}

struct seen {
    bool only_awake;
    size_t here, all;
};

static void look(const struct xs_plan *plan, uint32_t upload, int64_t from_ns, int64_t to_ns, struct seen *seen) {
    const struct xs_model_call *call = &plan->model->calls[upload];
    const struct xs_sites *sites = plan->findings->sites;
    const struct xs_frame *place = xs_site_place_frame(sites, call->site);
    int64_t thread = plan->model->thread_ids[call->thread];
    for (size_t i = xs_pause_samples_from(&plan->samples, thread, from_ns); i < plan->samples.count; i++) {
        const struct xs_pause_sample *sample = &plan->samples.items[i];
        if (sample->thread != thread || sample->at_ns >= to_ns)
            return;
        seen->all++;
        if (sample->is_awake || !seen->only_awake)
            seen->here += place && is_in_function(sites, sample->stack, place);
    }
}

static double share_of(const struct seen *seen) {
    return seen->all < LEAST_SAMPLES ? 0 : (double)seen->here / (double)seen->all;
}

uint32_t xs_preparation_next(const struct xs_plan *plan, uint32_t upload) {
    uint32_t next = plan->model->calls[upload].next;
    while (next != XS_PLAN_NONE && xs_statement_continues(plan, upload, next))
        next = plan->model->calls[next].next;
    return next;
}

void xs_preparation_look(struct xs_plan *plan, const struct xs_repairable *items, size_t count, enum xs_plan_end end) {
    bool only_awake = plan->counts_only_awake && end == XS_PLAN_LEAST;
    struct seen before = {.only_awake = only_awake}, after = before;
    for (size_t i = 0; i < count && plan->samples.count && plan->findings->sites->callsites; i++) {
        uint32_t upload = xs_plan_call_of(plan, xs_plan_number(plan, &items[i]));
        if (upload == XS_PLAN_NONE)
            continue;
        int64_t enter_ns = plan->model->calls[upload].enter_ns;
        look(plan, upload, enter_ns - xs_model_length(items[i].device_ns), enter_ns, &before);
        uint32_t next = xs_preparation_next(plan, upload);
        if (next != XS_PLAN_NONE)
            look(plan, upload, plan->model->calls[plan->model->calls[next].previous].return_ns,
                 plan->model->calls[next].enter_ns, &after);
    }
    plan->preparation = (struct xs_preparation){.before = share_of(&before), .after = share_of(&after)};
}

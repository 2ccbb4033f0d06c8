/* Chooses a row of remedies_by_framework.def; see remedies.h. */
#include "analyzer/words/remedies.h"

#include <string.h>

#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/site.h"

static const struct {
    const char *finding, *verdict;
    enum xs_framework framework;
    enum xs_remedy_way way;
    const char *text;
} table[] = {
#define XS_REMEDY(finding, verdict, framework, way, text)                                                              \
    {finding, verdict, XS_FRAMEWORK_##framework, XS_REMEDY_##way, text},
#include "analyzer/words/remedies_by_framework.def"
#undef XS_REMEDY
};

/* Returns the text of a row for this verdict alone, else for all verdicts; NULL: there is none. */
static const char *find(const char *finding, const char *verdict, enum xs_framework framework, enum xs_remedy_way way) {
    const char *of_all = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].framework != framework || strcmp(table[i].finding, finding) != 0 ||
            (table[i].way != way && (table[i].way != XS_REMEDY_ANY || way >= XS_REMEDY_VALUE)))
            continue;
        if (*table[i].verdict && verdict && !strcmp(table[i].verdict, verdict))
            return table[i].text;
        if (!*table[i].verdict && !of_all)
            of_all = table[i].text;
    }
    return of_all;
}

const char *xs_remedy_in(unsigned detector, unsigned verdict, enum xs_framework framework, enum xs_remedy_way way) {
    const struct xs_detector *d = xs_detectors[detector];
    const char *name = verdict < XS_VERDICTS ? d->verdicts[verdict].name : NULL;
    const char *text = find(d->id, name, framework, way);
    if (!text && way >= XS_REMEDY_VALUE)
        return xs_remedy_in(detector, verdict, framework, way == XS_REMEDY_VALUES ? XS_REMEDY_VALUE : XS_REMEDY_DOWN);
    if (!text && framework != XS_FRAMEWORK_NATIVE)
        text = find(d->id, name, XS_FRAMEWORK_NONE, way);
    return text ? text : xs_detector_remedy(d, verdict);
}

/* Returns the direction of a finding's copies, or XS_REMEDY_ANY if the entry point can copy in every direction. */
static enum xs_remedy_way way_of(const struct xs_findings *findings, const struct xs_finding *f) {
    unsigned traits = xs_site_traits(findings, f->site);
    if (traits & XS_TRAIT_UPLOADS)
        return XS_REMEDY_UP;
    if (!(traits & XS_TRAIT_DOWNLOADS))
        return XS_REMEDY_ANY;
    if (!f->transfers || f->bytes / f->transfers > XS_SCALAR_BYTES)
        return XS_REMEDY_DOWN;
    return 2 * f->neighbours >= f->instances ? XS_REMEDY_VALUES : XS_REMEDY_VALUE;
}

/* The remedy in confidential computing. There every copy, from any memory, is encrypted through a buffer of the driver,
 * and cudaHostAlloc returns managed memory (NVIDIA's deployment guide, "Developer Considerations"). */
static const char not_by_pinning[] =
    "Copy less, or in larger pieces: this GPU refuses to page-lock a program's "
    "memory, as in confidential computing, and there memory of cudaHostAlloc is no faster.";

static const char library_copies[] =
    "A library makes these copies within the host's memory: give it arrays that are on "
    "the device already, or fetch its results less often.";

static enum xs_framework framework_at(const struct xs_findings *findings, uint32_t site) {
    const struct xs_frame *frame = xs_site_frame(findings, site);
    return frame && frame->python ? xs_site_framework(findings->sites, site) : XS_FRAMEWORK_NATIVE;
}

/* Operations whose result has as many elements as a mask chooses. They read this number back to allocate the result.
 * Operations that find unique values also read a number back, but have no mask. */
static const char *const of_unknown_size[] = {"aten::index",         "aten::index_put_", "aten::nonzero",
                                              "aten::masked_select", "cupy.nonzero",     "cupy.ndarray.__getitem__",
                                              "cupy.argwhere",       "cupy.flatnonzero"};

/* Returns the remedy if such an operation reads a few bytes back; NULL: it is none. */
static const char *remedy_of_size(const struct xs_diagnosed *d) {
    bool is_value = xs_detectors[d->finding->detector]->repair == XS_REPAIR_READ_ONCE;
    for (size_t i = 0; i < sizeof of_unknown_size / sizeof *of_unknown_size && d->context && is_value; i++)
        if (!strcmp(d->context->operator_name, of_unknown_size[i]) || !strcmp(d->context->call, of_unknown_size[i]))
            return d->context->framework == XS_FRAMEWORK_CUPY
                       ? "Do without the mask's size, which is read back: use `cupy.where()`, multiply by the mask, or "
                         "sum by group with `cupy.bincount()` or `cupyx.scatter_add()`."
                       : "Do without the mask's size, which is read back: use `torch.where()`, multiply by the mask, "
                         "or "
                         "sum by group with `index_add_()` or `scatter_add_()`.";
    return NULL;
}

const char *xs_remedy_of(const struct xs_findings *findings, const struct xs_diagnosed *diagnosed) {
    const struct xs_finding *finding = diagnosed->finding;
    const char *of_size = remedy_of_size(diagnosed);
    if (of_size)
        return of_size;
    enum xs_repair_kind repair = xs_detector_repair(xs_detectors[finding->detector], finding->verdict);
    if (findings->pinning_refused && repair == XS_REPAIR_PIN)
        return not_by_pinning;
    const struct xs_frame *frame = xs_site_frame(findings, finding->site);
    if (repair == XS_REPAIR_HOST_COPY && frame && frame->library)
        return library_copies;
    enum xs_framework framework = framework_at(findings, finding->site);
    uint32_t other = diagnosed->released_at ? diagnosed->released_at : finding->launched_at;
    if (other && (framework == XS_FRAMEWORK_NATIVE || framework == XS_FRAMEWORK_NONE))
        framework = framework_at(findings, other);
    return xs_remedy_in(finding->detector, finding->verdict, framework, way_of(findings, finding));
}

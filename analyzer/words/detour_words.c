/* Writes detours over the host in words; see detour_words.h. */
#include "analyzer/words/detour_words.h"

#include "analyzer/base/units.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/words/place.h"
#include "analyzer/words/saving_words.h"

const struct xs_detour *xs_detour_of(const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *diagnosed) {
    return diagnosed->detour ? &diagnosis->detours[diagnosed->detour - 1] : NULL;
}

bool xs_detour_is_repaired(const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *diagnosed) {
    const struct xs_detour *detour = xs_detour_of(diagnosis, diagnosed);
    return detour && diagnosed->finding->site == detour->down_site && diagnosed->saves.most_ns >= detour->most_ns &&
           xs_detector_repair(xs_detectors[diagnosed->finding->detector], diagnosed->finding->verdict) ==
               XS_REPAIR_WORK_ON_DEVICE;
}

static bool is_of_upload(const struct xs_detour *detour, const struct xs_finding *finding) {
    return finding->site == detour->up_site;
}

void xs_say_detour_work(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                        const struct xs_diagnosed *diagnosed) {
    const struct xs_finding *finding = diagnosed->finding;
    const struct xs_detour *detour = xs_detour_of(diagnosis, diagnosed);
    XS_SCOPED_STRING place = {0};
    if (!detour)
        return;
    bool of_upload = is_of_upload(detour, finding);
    uint32_t other = of_upload ? detour->down_site : detour->up_site;
    const struct xs_frame *frame = xs_site_frame(diagnosis->findings, other);
    if (frame && frame->file && frame->line) {
        xs_string_format(&place, "%s", xs_place_word(frame));
        xs_place_line(&place, frame, diagnosis->findings->sites->cwd);
    } else {
        xs_place_of_site(&place, diagnosis->findings, other);
    }
    const char *all = XS_NS_TEXT(detour->host_ns);
    const char *each = XS_NS_TEXT(detour->host_ns / detour->trips);
    const char *times = XS_COUNT_TEXT(detour->trips);
    xs_string_format(text, "Between %s %s%s the host works for %s: %s times %s.",
                     of_upload ? "the download" : "this download and the upload", place.data,
                     of_upload ? " and this upload" : "", all, times, each);
}

void xs_say_detour_gain(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                        const struct xs_diagnosed *diagnosed) {
    const struct xs_detour *detour = xs_detour_of(diagnosis, diagnosed);
    if (!detour || xs_detour_is_repaired(diagnosis, diagnosed))
        return;
    xs_string_format(text, "If it computes there what it uploads, compute it on the GPU: ");
    xs_say_gain(text, XS_UP_TO, detour->most_ns, &diagnosis->findings->recorded);
    xs_string_format(text, ", both copies included.");
}

void xs_say_detour(struct xs_string *text, const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *diagnosed) {
    if (!xs_detour_of(diagnosis, diagnosed))
        return;
    xs_say_detour_work(text, diagnosis, diagnosed);
    if (!xs_detour_is_repaired(diagnosis, diagnosed))
        xs_string_format(text, " ");
    xs_say_detour_gain(text, diagnosis, diagnosed);
}

void xs_detour_json(struct xs_json *json, const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *diagnosed) {
    const struct xs_finding *finding = diagnosed->finding;
    const struct xs_detour *detour = xs_detour_of(diagnosis, diagnosed);
    if (!detour)
        return;
    bool of_upload = is_of_upload(detour, finding);
    xs_json_object(json, "detour");
    xs_json_text(json, "with", of_upload ? "download" : "upload");
    xs_place_json_object(json, xs_site_frame(diagnosis->findings, of_upload ? detour->down_site : detour->up_site),
                         true);
    xs_json_count(json, "times", detour->trips);
    xs_json_count(json, "host_ns", detour->host_ns);
    xs_json_count(json, "saves_at_most_ns", detour->most_ns);
    xs_json_end(json, '}');
}

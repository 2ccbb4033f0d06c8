/* See unread_words.h. */
#include "analyzer/words/unread_words.h"

#include "analyzer/base/units.h"
#include "analyzer/findings/engine/detector.h"

/* Says what follows from it that nobody read any of these downloads. */
static const char *what_follows(enum xs_repair_kind repair) {
    switch (repair) {
    case XS_REPAIR_DROP_BOTH:
    case XS_REPAIR_PEER_COPY:
        return " Both ways go.";
    case XS_REPAIR_WORK_ON_DEVICE:
        return " The host's work is not about their data: drop the downloads.";
    case XS_REPAIR_READ_LATER:
        return " Drop them; then the host does not have to wait.";
    default:
        return "";
    }
}

void xs_say_unread(struct xs_string *text, const struct xs_findings *findings, const struct xs_finding *f) {
    const struct xs_unread unread = xs_finding_unread(findings, f);
    enum xs_repair_kind repair = xs_detector_repair(xs_detectors[f->detector], f->verdict);
    if (unread.unread && unread.unread == unread.known)
        xs_string_format(text, "Nobody read the %s download%s of these that %s watched.%s", XS_COUNT_TEXT(unread.known),
                         unread.known == 1 ? "" : "s", unread.known == 1 ? "was" : "were", what_follows(repair));
    else if (unread.unread)
        xs_string_format(text, "Nobody read %s of the %s downloads of these that were watched.",
                         XS_COUNT_TEXT(unread.unread), XS_COUNT_TEXT(unread.known));
}

void xs_say_unread_wait(struct xs_string *text, const struct xs_unread *unread) {
    if (unread->unread && unread->unread == unread->known)
        xs_string_format(text, "nobody read what %s of them brought, so such waits are not needed",
                         XS_COUNT_TEXT(unread->known));
    else if (unread->unread)
        xs_string_format(text, "nobody read what %s of the %s watched ones brought", XS_COUNT_TEXT(unread->unread),
                         XS_COUNT_TEXT(unread->known));
}

void xs_unread_json(struct xs_json *json, const struct xs_unread *unread) {
    if (!unread->known)
        return;
    xs_json_object(json, "downloads_read");
    xs_json_count(json, "known", unread->known);
    xs_json_count(json, "unread", unread->unread);
    xs_json_end(json, '}');
}

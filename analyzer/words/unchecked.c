/* Writes sentences about copies that were not checked; see unchecked.h. */
#include "analyzer/words/unchecked.h"

#include "analyzer/base/units.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/saving_words.h"

enum { MUCH = 100 }; /* a hundredth of the run, which is also the limit of `check` without rules */

struct xs_unchecked xs_unchecked_total(const struct xs_findings *findings, const bool *without) {
    struct xs_unchecked total = {0};
    for (size_t i = 0; i < findings->unchecked_count;) {
        uint32_t site = findings->unchecked[i].site;
        struct xs_unchecked most = {0};
        for (; i < findings->unchecked_count && findings->unchecked[i].site == site; i++) {
            const struct xs_unchecked *u = &findings->unchecked[i];
            if (!(without && without[u->detector]) &&
                (!most.copies || u->ns > most.ns || (u->ns == most.ns && u->copies > most.copies)))
                most = *u;
        }
        total.copies += most.copies;
        total.downloads += most.downloads;
        total.bytes = xs_sum(total.bytes, most.bytes);
        total.ns = xs_sum(total.ns, most.ns);
    }
    return total;
}

void xs_unchecked_copies(struct xs_string *text, const struct xs_unchecked *unchecked) {
    static const char *const words[][2] = {{"copies", "copy"}, {"uploads", "upload"}, {"downloads", "download"}};
    const char *const *what = words[unchecked->downloads == unchecked->copies ? 2 : !unchecked->downloads];
    xs_string_format(text, "%s %s (%s, %s", XS_COUNT_TEXT(unchecked->copies), what[unchecked->copies == 1],
                     XS_BYTES_TEXT(unchecked->bytes), XS_NS_TEXT(unchecked->ns));
}

static bool found_something(const struct xs_diagnosis *diagnosis) {
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        if (diagnosis->causes[i].saves.most_ns)
            return true;
    return false;
}

void xs_say_unchecked(struct xs_string *text, const struct xs_diagnosis *diagnosis) {
    struct xs_unchecked total = xs_unchecked_total(diagnosis->findings, NULL);
    if (!total.ns || (found_something(diagnosis) && total.ns < diagnosis->findings->recorded.ns / MUCH))
        return;
    xs_unchecked_copies(text, &total);
    if (diagnosis->findings->recorded.ns && total.ns <= diagnosis->findings->recorded.ns)
        xs_string_format(text, ", %s %s", XS_SHARE_TEXT(total.ns, diagnosis->findings->recorded.ns),
                         xs_share_is_of(&diagnosis->findings->recorded));
    xs_string_format(text, ") could not be checked: %s", XS_UNCHECKED_REMEDY);
}

bool xs_nothing_found_is_unsure(const struct xs_diagnosis *diagnosis) {
    return !found_something(diagnosis) && xs_unchecked_total(diagnosis->findings, NULL).ns;
}

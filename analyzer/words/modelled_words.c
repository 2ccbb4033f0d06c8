/* Writes words and numbers about modelled device times; see modelled_words.h. */
#include "analyzer/words/modelled_words.h"

#include "analyzer/base/units.h"
#include "analyzer/trace/windows/device_windows.h"

static const char *const sum_names[XS_SUM_COUNT] = {[XS_SUM_H2D] = "h2d",
                                                    [XS_SUM_D2H] = "d2h",
                                                    [XS_SUM_OTHER_COPIES] = "other copies",
                                                    [XS_SUM_MEMSETS] = "memsets",
                                                    [XS_SUM_KERNELS] = "kernels"};
static const char *const sum_labels[XS_SUM_COUNT] = {[XS_SUM_H2D] = "uploads",
                                                     [XS_SUM_D2H] = "downloads",
                                                     [XS_SUM_OTHER_COPIES] = "other copies",
                                                     [XS_SUM_MEMSETS] = "memsets",
                                                     [XS_SUM_KERNELS] = "kernels"};

/* Returns the windows of device times; NULL if the summary has no trace, because it was made without one. */
static const struct xs_device_windows *windows_of(const struct xs_summary *summary) {
    return summary->trace ? summary->trace->windows : NULL;
}

/* True if it is known how far a sum may differ from the true value. It is not known if rows were thinned out, because
 * their calls have no modelled times. */
static bool is_known(const struct xs_summary *summary, const struct xs_device_estimate *e) {
    return e->known && !summary->thinned.rows;
}

bool xs_modelled_any(const struct xs_summary *summary) {
    const struct xs_device_windows *w = windows_of(summary);
    uint64_t count = w ? w->transfers_modelled : 0;
    for (unsigned i = 0; w && i < XS_SUM_COUNT; i++)
        count += w->sums[i].modelled;
    return count || (w && !summary->looked_at.limited);
}

void xs_modelled_say(struct xs_string *text, const struct xs_summary *summary, enum xs_modelled_form form) {
    const char *device = form == XS_MODELLED_SENTENCE ? "Device" : "device";
    const char *stop = form == XS_MODELLED_SENTENCE ? "." : "";
    const struct xs_device_windows *w = windows_of(summary);
    const struct xs_coverage *c = &summary->coverage;
    if (!xs_modelled_any(summary))
        return;
    if (summary->looked_at.limited && c->host_transfers) { /* a sentence about two kinds of windows, and shares of two
                                                              times, would confuse */
        xs_string_format(text, "%s times are of %s of the %s transfers recorded; the rest is modelled (%s)%s", device,
                         XS_COUNT_TEXT(c->matched), XS_COUNT_TEXT(c->host_transfers), XS_MODELLED_MARK, stop);
        return;
    }
    const char *share = XS_SHARE_TEXT(w->recorded_ns, summary->recorded.ns);
    if (w->items.count == 1)
        xs_string_format(text, "%s times were recorded in 1 window", device);
    else
        xs_string_format(text, "%s times were recorded in %zu windows", device, w->items.count);
    if (*share && w->recorded_ns <= summary->recorded.ns)
        xs_string_format(text, ", %s %s", share, xs_share_is_of(&summary->recorded));
    xs_string_format(text, "; the rest is modelled (%s)%s", XS_MODELLED_MARK, stop);
}

void xs_modelled_say_sums(struct xs_string *text, const struct xs_summary *summary) {
    const struct xs_device_windows *w = windows_of(summary);
    bool any = false;
    for (unsigned i = 0; w && i < XS_SUM_COUNT; i++) {
        const struct xs_device_estimate *e = &w->sums[i];
        char least[XS_UNIT_BYTES], most[XS_UNIT_BYTES];
        if (!is_known(summary, e) || !e->modelled)
            continue;
        xs_format_two_ns(least, e->least_ns, most, e->most_ns);
        xs_string_format(text, "%s %s took %s to %s", any ? "," : "With what is modelled,", sum_labels[i], least, most);
        any = true;
    }
    if (any && w->overlap >= 0 && w->overlap_most > 0)
        xs_string_format(text, ", and %.0f to %.0f %% of that copying ran beside kernels", w->overlap_least * 100,
                         w->overlap_most * 100);
    if (any)
        xs_string_format(text, " (95 %% confidence).");
}

bool xs_modelled_bounds(const struct xs_summary *summary, bool kernels, uint64_t value_ns, uint64_t *least_ns,
                        uint64_t *most_ns) {
    const struct xs_device_windows *w = windows_of(summary);
    double least = 0, most = 0, sum = 0;
    bool known = true, any = false;
    *least_ns = *most_ns = value_ns;
    for (unsigned i = kernels ? XS_SUM_KERNELS : 0; w && i < (kernels ? XS_SUM_COUNT : XS_SUM_MEMSETS); i++) {
        const struct xs_device_estimate *e = &w->sums[i];
        double ns = (double)e->measured_ns + (double)e->modelled_ns;
        any |= e->modelled > 0;
        known &= is_known(summary, e) || !e->modelled;
        sum += ns;
        least += e->known ? (double)e->least_ns : ns;
        most += e->known ? (double)e->most_ns : ns;
    }
    if (!any || !known || sum <= 0)
        return !any;
    /* the bounds are in proportion to the sum's bounds, because a part can differ as much as the sum */
    *least_ns = (uint64_t)((double)value_ns * least / sum);
    *most_ns = (uint64_t)((double)value_ns * most / sum);
    return true;
}

static void sum_json(struct xs_json *json, const char *name, const struct xs_device_estimate *e, bool known) {
    xs_json_object(json, NULL);
    xs_json_text(json, "of", name);
    xs_json_count(json, "measured", e->measured);
    xs_json_count(json, "measured_ns", e->measured_ns);
    xs_json_count(json, "modelled", e->modelled);
    xs_json_count(json, "modelled_ns", e->modelled_ns);
    xs_json_known_count(json, "least_ns", known, e->least_ns);
    xs_json_known_count(json, "most_ns", known, e->most_ns);
    xs_json_end(json, '}');
}

void xs_modelled_json(struct xs_json *json, const struct xs_summary *summary) {
    const struct xs_device_windows *w = windows_of(summary);
    if (!w)
        return;
    xs_json_object(json, "device_windows");
    xs_json_count(json, "windows", w->items.count);
    xs_json_count(json, "recorded_ns", w->recorded_ns);
    xs_json_count(json, "detachments", w->detachments);
    xs_json_count(json, "transfers_measured", w->transfers_measured);
    xs_json_count(json, "transfers_modelled", w->transfers_modelled);
    xs_json_array(json, "sums");
    for (unsigned i = 0; i < XS_SUM_COUNT; i++)
        if (w->sums[i].measured || w->sums[i].modelled)
            sum_json(json, sum_names[i], &w->sums[i], is_known(summary, &w->sums[i]));
    xs_json_end(json, ']');
    if (w->overlap >= 0) {
        xs_json_object(json, "copy_overlap");
        xs_json_number(json, "measured", w->overlap);
        xs_json_number(json, "least", w->overlap_least);
        xs_json_number(json, "most", w->overlap_most);
        xs_json_end(json, '}');
    } else {
        xs_json_null(json, "copy_overlap");
    }
    xs_json_end(json, '}');
}

/* Writes the words for savings and amounts that several printers need; see saving_words.h. */
#include "analyzer/words/saving_words.h"

#include "analyzer/base/units.h"

void xs_say_total(struct xs_string *text, bool up_to, uint64_t ns) {
    xs_string_format(text, "All repaired: saves %s%s", up_to ? XS_UP_TO : "", XS_NS_TEXT(ns));
}

const char *xs_share_column(const struct xs_recorded_time *recorded) {
    return recorded->in_part ? "of recorded" : "of run";
}

void xs_say_recorded(struct xs_string *text, const struct xs_recorded_time *recorded) {
    xs_string_format(text, "%s%s%s", recorded->in_part ? "the " : "", XS_NS_TEXT(recorded->ns),
                     recorded->in_part ? " recorded" : "");
}

static void say_part_of_run(struct xs_string *text, uint64_t ns, const struct xs_recorded_time *recorded) {
    const char *part = XS_NS_TEXT(recorded->ns);
    if (ns > recorded->ns)
        xs_string_format(text, ", some of it at the same time: %s were recorded", part);
    else
        xs_string_format(text, " of the %s recorded (%s)", part, XS_SHARE_TEXT(ns, recorded->ns));
    xs_string_format(text, ", of a run of %s", XS_NS_TEXT(recorded->run_ns));
}

void xs_say_of_run(struct xs_string *text, const char *of, uint64_t ns, const struct xs_recorded_time *recorded) {
    uint64_t run_ns = recorded->run_ns;
    if (recorded->in_part)
        say_part_of_run(text, ns, recorded);
    else if (ns > run_ns && run_ns)
        xs_string_format(text, ", some of it at the same time: the run took %s", XS_NS_TEXT(run_ns));
    else if (run_ns)
        xs_string_format(text, "%s%s (%s)", of, XS_NS_TEXT(run_ns), XS_SHARE_TEXT(ns, run_ns));
}

bool xs_saving_is_interval(const struct xs_saving *saves) {
    return saves->known && (double)saves->least_ns < 0.9 * (double)saves->most_ns;
}

uint64_t xs_saving_least(uint64_t least_ns, uint64_t most_ns) { return least_ns >= most_ns / 100 ? least_ns : 0; }

static void say_least(struct xs_string *text, const struct xs_saving *saves) {
    uint64_t least_ns = xs_saving_least(saves->least_ns, saves->most_ns);
    if (xs_saving_is_interval(saves) && least_ns)
        xs_string_format(text, " (%s or more)", XS_NS_TEXT(least_ns));
}

void xs_say_saving(struct xs_string *text, const struct xs_saving *saves) {
    xs_string_format(text, "%s%s", xs_saving_is_interval(saves) ? XS_UP_TO : "", XS_NS_TEXT(saves->most_ns));
    say_least(text, saves);
}

void xs_say_total_of_run(struct xs_string *text, const struct xs_diagnosis *diagnosis) {
    char run[XS_UNIT_BYTES], left[XS_UNIT_BYTES], share[XS_UNIT_BYTES];
    const struct xs_recorded_time *recorded = &diagnosis->findings->recorded;
    uint64_t ns = diagnosis->together.most_ns, whole_ns = recorded->ns;
    if (!ns)
        return;
    xs_say_total(text, xs_saving_is_interval(&diagnosis->together), ns);
    say_least(text, &diagnosis->together);
    xs_format_two_ns(run, whole_ns, left, whole_ns > ns ? whole_ns - ns : 0);
    if (whole_ns > ns) {
        bool is_small = *xs_format_share(share, ns, whole_ns) == '<';
        xs_string_format(text, ", %s%s%s would become %s (%s%s)", recorded->in_part ? "the " : "", run,
                         recorded->in_part ? " recorded" : "", left, is_small ? "by " : "-", share);
    }
    xs_string_add(text, ".", 1);
}

void xs_say_share(struct xs_string *text, const char *before, uint64_t ns, const struct xs_recorded_time *recorded) {
    char share[XS_UNIT_BYTES];
    if (recorded->ns && ns > recorded->ns)
        xs_string_format(text, "%ssome of it at the same time", before);
    else if (*xs_format_share(share, ns, recorded->ns))
        xs_string_format(text, "%s%s %s", before, share, xs_share_is_of(recorded));
}

void xs_say_gain(struct xs_string *text, const char *bound, uint64_t ns, const struct xs_recorded_time *recorded) {
    xs_string_format(text, "saves %s%s", bound, XS_NS_TEXT(ns));
    xs_say_share(text, ", ", ns, recorded);
}

struct xs_amount xs_amount_in_all(const struct xs_sample *sample, uint64_t instances, uint64_t transfers,
                                  uint64_t bytes) {
    double times = sample->is_of_contents && instances ? sample->estimate / (double)instances : 1;
    if (times <= 1)
        return (struct xs_amount){.instances = instances, .transfers = transfers, .bytes = bytes, .times = 1};
    return (struct xs_amount){.instances = (uint64_t)((double)instances * times + 0.5),
                              .transfers = (uint64_t)((double)transfers * times + 0.5),
                              .bytes = (uint64_t)((double)bytes * times),
                              .about = true,
                              .times = times};
}

uint64_t xs_amount_ns(const struct xs_amount *amount, uint64_t ns) {
    return amount->about ? (uint64_t)((double)ns * amount->times) : ns;
}

void xs_say_count(struct xs_string *text, const struct xs_amount *amount) {
    xs_string_format(text, "%s%s", amount->about ? "about " : "", XS_COUNT_TEXT(amount->instances));
}

void xs_say_amount(struct xs_string *text, const struct xs_amount *amount) {
    xs_say_count(text, amount);
    if (amount->transfers > amount->instances)
        xs_string_format(text, " (%s transfers)", XS_COUNT_TEXT(amount->transfers));
    if (amount->bytes)
        xs_string_format(text, ", %s", XS_BYTES_TEXT(amount->bytes));
}

void xs_say_rest(struct xs_string *text, size_t causes, size_t beneath, size_t advice) {
    if (causes)
        xs_string_format(text, "%zu more cause%s", causes, causes > 1 ? "s" : "");
    if (beneath)
        xs_string_format(text, "%s%zu finding%s beneath the causes", text->length ? ", " : "", beneath,
                         beneath > 1 ? "s" : "");
    if (advice)
        xs_string_format(text, "%s%zu piece%s of advice", text->length ? ", " : "", advice, advice > 1 ? "s" : "");
}

void xs_say_other_causes(struct xs_string *text, size_t causes, uint64_t ns, size_t advice) {
    if (causes)
        xs_string_format(text, "%zu smaller cause%s (saving %s)", causes, causes > 1 ? "s" : "", XS_NS_TEXT(ns));
    if (advice)
        xs_string_format(text, "%s%zu piece%s of advice", causes ? " and " : "", advice, advice > 1 ? "s" : "");
    if (causes + advice)
        xs_string_format(text, " %s not shown", causes + advice > 1 ? "are" : "is");
}

void xs_say_simulated(struct xs_string *text, const char *who, const char *times) {
    xs_string_format(text, "SIMULATED GPU%s%s: %s are a model's, not measurements", who ? " in " : "", who ? who : "",
                     times);
}

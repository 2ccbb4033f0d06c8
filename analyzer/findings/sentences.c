/* What several printers say; see sentences.h. */
#include "analyzer/findings/sentences.h"

#include "analyzer/base/units.h"

void xs_say_total(struct xs_string *text, uint64_t gives_back_ns) {
    char ns[XS_UNIT_BYTES];
    xs_string_format(text, "Removing all of these would give back up to %s", xs_format_ns(ns, gives_back_ns));
}

/* Threads, devices, a wait for a copy: what is given back may be more than the run. */
static void at_the_same_time(struct xs_string *text) { xs_string_format(text, ", some of it at the same time"); }

void xs_say_of_run(struct xs_string *text, const char *of, uint64_t ns, uint64_t run_ns) {
    char run[XS_UNIT_BYTES], share[XS_UNIT_BYTES];
    if (ns > run_ns && run_ns) {
        at_the_same_time(text);
        xs_string_format(text, ": the run took %s", xs_format_ns(run, run_ns));
    } else if (run_ns) {
        xs_string_format(text, "%s%s (%s)", of, xs_format_ns(run, run_ns), xs_format_share(share, ns, run_ns));
    }
}

void xs_say_total_of_run(struct xs_string *text, const struct xs_findings *findings) {
    uint64_t ns = findings->total.gives_back_ns;
    if (!ns)
        return;
    xs_say_total(text, ns);
    xs_say_of_run(text, " of ", ns, findings->run_ns);
    xs_string_add(text, ".", 1);
}

void xs_say_side_by_side(struct xs_string *text, enum xs_say_form form, bool beside, bool in_a_job, uint64_t ns) {
    static const char *const leads[][2] = {
        [XS_SAY_TEXT] = {"This would give back at", "Beside that at"}, [XS_SAY_MARKDOWN] = {"At", "Beside that, at"}};
    char bound[XS_UNIT_BYTES];
    xs_string_format(text, "%s most %s%s by running copies and kernels side by side%s", leads[form][beside],
                     xs_format_ns(bound, ns), in_a_job ? " in one process" : "",
                     form == XS_SAY_TEXT ? " (upper bound)" : "");
}

void xs_say_gain(struct xs_string *text, const char *bound, uint64_t ns, uint64_t run_ns) {
    char back[XS_UNIT_BYTES], share[XS_UNIT_BYTES];
    xs_string_format(text, "gives back %s%s", bound, xs_format_ns(back, ns));
    if (run_ns && ns > run_ns)
        at_the_same_time(text);
    else if (*xs_format_share(share, ns, run_ns))
        xs_string_format(text, ", %s of the run", share);
}

void xs_say_amount(struct xs_string *text, uint64_t instances, uint64_t transfers, uint64_t bytes) {
    char buffer[XS_UNIT_BYTES];
    xs_string_format(text, "%s", xs_format_count(buffer, instances));
    if (transfers > instances)
        xs_string_format(text, " (%s transfers)", xs_format_count(buffer, transfers));
    if (bytes)
        xs_string_format(text, ", %s", xs_format_bytes(buffer, bytes));
}

void xs_say_rest(struct xs_string *text, size_t more, size_t folded, size_t advice) {
    const char *comma = text->length ? ", " : "";
    if (more)
        xs_string_format(text, "%s%zu more finding%s", comma, more, more > 1 ? "s" : "");
    comma = text->length ? ", " : "";
    if (folded)
        xs_string_format(text, "%s%zu smaller finding%s", comma, folded, folded > 1 ? "s" : "");
    comma = text->length ? ", " : "";
    if (advice)
        xs_string_format(text, "%s%zu more of advice", comma, advice);
}

void xs_say_simulated(struct xs_string *text, const char *who, const char *times) {
    xs_string_format(text, "SIMULATED GPU%s%s: %s are a model's, not measurements", who ? " in " : "", who ? who : "",
                     times);
}

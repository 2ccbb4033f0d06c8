/* Prints a part of the report as text: how much time profiling cost the program, for what, and why it is more than the
 * budget. */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/words/saving_words.h"

#define FULL_SPOOL "waits for a full spool"
#define CONTENTION "the library's own thread, because no processor was free"

static void print_parts(const struct xs_cost *c, struct xs_out *out) {
    const struct {
        const char *what;
        uint64_t ns;
        bool always;
    } parts[] = {{"the start", c->begin_ns, true},
                 {"its calls", c->wrappers_ns, true},
                 {"device times", c->device_times_ns, true},
                 {"fingerprints", xs_sum(c->fingerprint_call_ns, c->fingerprint_start_ns), true},
                 {"page migrations", c->migrations_ns, false},
                 {FULL_SPOOL, c->spool_stall_ns, false},
                 {CONTENTION, c->contention_ns, false},
                 {"the end", xs_sum(c->exit_ns, c->close_ns), true}};
    XS_SCOPED_STRING text = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].always || parts[i].ns)
            xs_string_format(&text, "%s%s to %s", text.length ? ", " : "", XS_NS_TEXT(parts[i].ns), parts[i].what);
    bool shared = c->busiest_calls < c->calls;
    xs_out_line(out, XS_STYLE_PLAIN, "%s lost %s.", shared ? "All its threads together" : "It", text.data);
}

/* Returns, as text, the share of the run, including its end, that was lost. */
static const char *share_of(char *buffer, uint64_t ns, const struct xs_summary *s) {
    return xs_format_share(buffer, ns, xs_sum(s->run.duration_ns, s->cost.close_ns));
}

/* Of a ledger, XFERSPY_BUDGET is ignored. */
#define LEDGER_PERCENT 0.5
static double budget_of(const struct xs_summary *s) {
    return s->looked_at.is_ledger ? LEDGER_PERCENT : (double)s->cost.budget_percent;
}

/* True if the printed share is over the budget. 2.04 % is printed as "2.0 %", and is therefore not over 2 %. */
static bool is_over_budget(const struct xs_summary *s, uint64_t ns) {
    char share[XS_UNIT_BYTES];
    share_of(share, ns, s);
    return budget_of(s) > 0 && strtod(share + (*share == '>'), NULL) > budget_of(s);
}

static const char *const part_names[] = {[XS_COST_PROCESS] = "the start and the end",
                                         [XS_COST_CALLS] = "its calls",
                                         [XS_COST_DEVICE_TIMES] = "device times",
                                         [XS_COST_FINGERPRINTS] = "fingerprints",
                                         [XS_COST_MIGRATIONS] = "page migrations",
                                         [XS_COST_FULL_SPOOL] = FULL_SPOOL,
                                         [XS_COST_CONTENTION] = CONTENTION};
_Static_assert(sizeof part_names / sizeof *part_names == XS_COST_PARTS, "a name for each part");

struct xs_cost_excess xs_report_cost_excess(const struct xs_summary *s) {
    uint64_t ns[XS_COST_PARTS], spent_ns = xs_spent_ns(s);
    struct xs_cost_excess excess = {.is_over = xs_bare_is_known(s) && is_over_budget(s, spent_ns)};
    if (!excess.is_over)
        return excess;
    xs_cost_parts(s, ns);
    excess.once_ns = ns[XS_COST_PROCESS] < spent_ns ? ns[XS_COST_PROCESS] : spent_ns;
    excess.is_short = !is_over_budget(s, spent_ns - excess.once_ns);
    for (; excess.count < XS_COST_MOST; excess.count++) {
        unsigned most = 0;
        for (unsigned i = 1; i < XS_COST_PARTS; i++)
            most = ns[i] > ns[most] ? i : most;
        if (!ns[most])
            break;
        excess.most[excess.count] = (enum xs_cost_part)most;
        excess.most_ns[excess.count] = ns[most];
        ns[most] = 0;
    }
    return excess;
}

static void print_short(const struct xs_summary *s, uint64_t once_ns, struct xs_out *out) {
    char share[XS_UNIT_BYTES], rest[XS_UNIT_BYTES];
    xs_out_line(out, XS_STYLE_PLAIN,
                "That is more than the budget because the run is short: the start and the end take %s however long a "
                "process runs, which is %s of this run. All else is %s.",
                XS_NS_TEXT(once_ns), share_of(share, once_ns, s), share_of(rest, xs_spent_ns(s) - once_ns, s));
}

/* Prints why the cost is over the budget: the two largest parts. */
static void print_excess(const struct xs_summary *s, struct xs_out *out) {
    char share[XS_UNIT_BYTES];
    const struct xs_cost_excess excess = xs_report_cost_excess(s);
    XS_SCOPED_STRING text = {0};
    if (excess.is_short)
        print_short(s, excess.once_ns, out);
    if (!excess.is_over || excess.is_short)
        return;
    for (unsigned n = 0; n < excess.count; n++)
        xs_string_format(&text, "%s%s (%s, %s%s)", n ? " and " : "", part_names[excess.most[n]],
                         XS_NS_TEXT(excess.most_ns[n]), share_of(share, excess.most_ns[n], s),
                         excess.most[n] == XS_COST_PROCESS ? ", however long a process runs" : "");
    xs_out_line(out, XS_STYLE_PLAIN, "That is more than the budget, mostly because of %s.", text.data);
}

/* Prints how much time of the run was lost by profiling, and for what. A part of the time at the end is not in the
 * measured run. */
static void print_budget(const struct xs_summary *s, struct xs_out *out) {
    const struct xs_cost *c = &s->cost;
    char share[XS_UNIT_BYTES], budget[48] = "no budget";
    char more[XS_UNIT_BYTES + 32] = "";
    if (!c->budgeted)
        return;
    if (budget_of(s) > 0)
        snprintf(budget, sizeof budget, "the budget is %g %%", budget_of(s));
    if (c->close_ns)
        snprintf(more, sizeof more, ", and %s more as it ended", XS_NS_TEXT(c->close_ns));
    const char *run = XS_NS_TEXT(s->run.duration_ns);
    if (xs_bare_is_known(s)) {
        xs_out_line(out, XS_STYLE_PLAIN,
                    "The program lost about %s of the run's %s%s (%s%s; %s). The run would take %s without xferspy.",
                    XS_NS_TEXT(xs_own_ns(s)), run, more, share_of(share, xs_spent_ns(s), s),
                    c->close_ns ? " together" : "", budget, XS_NS_TEXT(xs_bare_ns(s)));
        print_excess(s, out);
    } else {
        xs_out_line(out, XS_STYLE_WARN,
                    "The program lost a large part of the run's %s (%s): what it would take without xferspy is not "
                    "known.",
                    run, budget);
    }
    print_parts(c, out);
}

void xs_report_cost(const struct xs_summary *s, struct xs_out *out) {
    const struct xs_cost *c = &s->cost;
    char share[XS_UNIT_BYTES];
    if (!c->known)
        return;
    xs_out_heading(out, XS_COST_HEADING);
    print_budget(s, out);
    xs_out_line(
        out, XS_STYLE_PLAIN,
        "xferspy took %s at the start, %s at the end, and %s of CPU time in its own thread. It recorded %s events "
        "in a spool of %s.",
        XS_NS_TEXT(c->begin_ns), XS_NS_TEXT(xs_sum(c->exit_ns, c->close_ns)), XS_NS_TEXT(c->drain_cpu_ns),
        XS_COUNT_TEXT(c->events), XS_BYTES_TEXT(c->spool_bytes));
    if (c->samples)
        xs_out_line(out, XS_STYLE_PLAIN,
                    "%s of that CPU time went into %s samples of what threads did between their calls.",
                    XS_NS_TEXT(c->samples_ns), XS_COUNT_TEXT(c->samples));
    if (c->watched_downloads)
        xs_out_line(
            out, XS_STYLE_PLAIN,
            "That thread looked for %s (%s) at what the host read of downloads. Meanwhile, page faults and calls "
            "of mmap had to wait.",
            XS_NS_TEXT(c->host_reads_ns), share_of(share, c->host_reads_ns, s));
    if (c->fingerprint_launches)
        xs_out_line(out, XS_STYLE_PLAIN,
                    "Fingerprints took %s at the start, %s in the program's calls, %s on the device in %s kernels, and "
                    "%s of its memory.",
                    XS_NS_TEXT(c->fingerprint_start_ns), XS_NS_TEXT(c->fingerprint_call_ns),
                    XS_NS_TEXT(c->fingerprint_kernel_ns), XS_COUNT_TEXT(c->fingerprint_launches),
                    XS_BYTES_TEXT(c->fingerprint_device_bytes));
    else if (c->fingerprint_call_ns)
        xs_out_line(out, XS_STYLE_PLAIN, "Fingerprints took %s in the program's calls.",
                    XS_NS_TEXT(c->fingerprint_call_ns));
    if (c->spool_stalls)
        xs_out_line(out, XS_STYLE_WARN,
                    "The program waited %s times, %s in all, for a full spool: raise XFERSPY_SPOOL_MIB.",
                    XS_COUNT_TEXT(c->spool_stalls), XS_NS_TEXT(c->spool_stall_ns));
}

/* Says what a saving is based on: why it is an interval, what page-locking costs, how well the replay fits the run; see
 * findings_words.h. */
#include <math.h>

#include "analyzer/base/units.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/saving_words.h"

static void add(struct xs_string *text, const char *sentence) {
    xs_string_format(text, "%s%s", text->length ? " " : "", sentence);
}

/* Says that the time around a copy is known only roughly. */
static const char *around_a_copy(const struct xs_findings *findings, const struct xs_finding *f) {
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    if (!findings->exposed_known) /* in this case the range has another reason */
        return NULL;
    if (frame && frame->python)
        return "It saves most if everything that the Python statement does around the call goes away with it, "
               "page-locked "
               "memory included.";
    return "It saves most if the page-locked memory of these copies is no longer needed.";
}

/* Says that a statement of Python may still run in the repaired program. */
static const char *of_statement(const struct xs_findings *findings, const struct xs_finding *f) {
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    return findings->exposed_known && frame && frame->python
               ? "It saves least if the Python statement still runs, as `.item()` does for a tensor of the host, and "
                 "most if everything that it does around the call goes away."
               : NULL;
}

/* Returns the repair that explains the interval. If nobody reads the downloads, they are just dropped. */
static enum xs_repair_kind repair_of(const struct xs_findings *findings, const struct xs_finding *f) {
    enum xs_repair_kind repair = xs_detector_repair(xs_detectors[f->detector], f->verdict);
    bool may_be_read =
        repair == XS_REPAIR_DROP_BOTH || repair == XS_REPAIR_READ_LATER || repair == XS_REPAIR_WORK_ON_DEVICE;
    return may_be_read && xs_finding_is_unread(findings, f) ? XS_REPAIR_DROP : repair;
}

static const char *why_of_repair(const struct xs_findings *findings, const struct xs_finding *f) {
    switch (repair_of(findings, f)) {
    case XS_REPAIR_DROP_BOTH:
    case XS_REPAIR_PEER_COPY:
        return "The downloads are saved, too, only if the host does not need their data.";
    case XS_REPAIR_PIN:
        return "It saves least if existing memory has to be page-locked (this price is deducted), and most if the "
               "memory "
               "is allocated page-locked.";
    case XS_REPAIR_UNPIN:
        return "It saves most if the data is copied from or to memory that exists already. New pageable memory costs "
               "time when it is first touched.";
    case XS_REPAIR_OVERLAP:
        return "How much can be copied early depends on when the program has the data. It can be more than the time of "
               "the copies or kernels, because the pauses between them and the waits inside calls go away, too.";
    case XS_REPAIR_PREFETCH:
        return "Recording a fault makes its kernel slower. It saves least if that took as long as on an H200, and new "
               "pages take as long to make as there; and most if both took no time. Kernels whose faults were not "
               "recorded are assumed to be like the others.";
    case XS_REPAIR_KEEP_ON_DEVICE:
        return "It saves least if the host uses the pages between the kernels, so that it copies them, and they are "
               "sent before each kernel. It saves most if the host does not use them. Where migrations were not "
               "recorded, they are assumed to be as elsewhere.";
    case XS_REPAIR_READ_LATER:
        return "It saves least if the host still needs the data, and most if it does not.";
    case XS_REPAIR_READ_ONCE:
        return of_statement(findings, f);
    case XS_REPAIR_WORK_ON_DEVICE:
        return "It saves most if the device does this work in nearly no time. It saves least if the device takes a "
               "quarter of the host's time, or if another thread has to do it. It saves nothing if this thread has to "
               "do it, and the device needs the result.";
    case XS_REPAIR_PREPARE_ON_DEVICE:
        return "It saves most if the device does the host's work before the uploads in nearly no time, and needs none "
               "of their bytes. It saves least if only the work goes away that samples show while the thread ran: a "
               "thread that sleeps waits for something, such as a file.";
    case XS_REPAIR_GRAPH:
        return "It saves most if a graph's kernels follow each other without a pause.";
    case XS_REPAIR_OWN_STREAM:
        return "It saves least if the device runs one copy and one kernel at a time, and most if all kernels and "
               "copies "
               "of the threads run side by side and no thread needs the work of another one.";
    case XS_REPAIR_HOST_COPY:
        return "How long the processor takes to copy depends on whether the data is in its caches.";
    case XS_REPAIR_DROP:
    case XS_REPAIR_GATHER:
    case XS_REPAIR_MEMSET:
    case XS_REPAIR_DEVICE_COPY:
        return around_a_copy(findings, f);
    case XS_REPAIR_SHORTEN:
        return f->potential ? "It saves most if the memory does not change between the launches, so that one copy is "
                              "enough, and the kernels only wait for the link. It saves nothing if it changes before "
                              "each launch."
                            : NULL;
    case XS_REPAIR_OF_DETECTOR:
    case XS_REPAIR_KEEP:
    case XS_REPAIR_NOT_ALLOCATE:
    case XS_REPAIR_NOT_WAIT:
        break;
    }
    return NULL;
}

/* A reason why a saving is an interval: its name in JSON, and its sentence. NULL sentence: say_of_run has it. */
struct reason {
    const char *name, *sentence;
};
enum { MOST_REASONS = 6 };

static const char *const names_by_repair[] = {
    [XS_REPAIR_DROP_BOTH] = "downloads_may_be_needed",
    [XS_REPAIR_PEER_COPY] = "downloads_may_be_needed",
    [XS_REPAIR_PIN] = "page_locking",
    [XS_REPAIR_UNPIN] = "memory_may_be_new",
    [XS_REPAIR_OVERLAP] = "when_data_is_there",
    [XS_REPAIR_KEEP_ON_DEVICE] = "host_may_use_pages",
    [XS_REPAIR_READ_LATER] = "host_may_need_data",
    [XS_REPAIR_READ_ONCE] = "statement_may_stay",
    [XS_REPAIR_SHORTEN] = "memory_may_change",
    [XS_REPAIR_WORK_ON_DEVICE] = "host_may_do_the_work",
    [XS_REPAIR_PREPARE_ON_DEVICE] = "bytes_may_be_needed",
    [XS_REPAIR_GRAPH] = "pauses_between_kernels",
    [XS_REPAIR_PREFETCH] = "when_pages_are_made",
    [XS_REPAIR_OWN_STREAM] = "threads_may_be_ordered",
    [XS_REPAIR_HOST_COPY] = "data_may_be_cached",
    [XS_REPAIR_DROP] = "time_around_copies",
    [XS_REPAIR_GATHER] = "time_around_copies",
    [XS_REPAIR_MEMSET] = "time_around_copies",
    [XS_REPAIR_DEVICE_COPY] = "time_around_copies",
};

static const char *name_of_repair(enum xs_repair_kind repair) {
    const char *name = repair < sizeof names_by_repair / sizeof *names_by_repair ? names_by_repair[repair] : NULL;
    return name ? name : "of_repair";
}

/* Fills `reasons` and returns how many there are. */
static size_t find_reasons(const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *d,
                           struct reason reasons[MOST_REASONS]) {
    const struct xs_finding *f = d->finding;
    size_t count = 0;
    if (!d->saves.known || d->saves.least_ns >= d->saves.most_ns)
        return 0;
    if (d->saves.bounds && !diagnosis->replayed) {
        reasons[count++] = (struct reason){"run_not_replayed", NULL};
        return count;
    }
    if (d->saves.bounds && diagnosis->replay_fit.parts) {
        reasons[count++] =
            (struct reason){"not_in_parts", "It was not replayed, because the replayed parts of the run have none of "
                                            "its calls, or many other findings are larger: it saves between nothing "
                                            "and the whole time of its calls."};
        return count;
    }
    if (d->saves.bounds) {
        reasons[count++] =
            (struct reason){"not_replayed", "It was not replayed, because there are many larger ones: it saves between "
                                            "nothing and the whole time of its calls."};
        return count;
    }
    enum xs_repair_kind repair = repair_of(diagnosis->findings, f);
    const char *why = why_of_repair(diagnosis->findings, f);
    if (xs_detectors[f->detector]->unsure_verdicts >> f->verdict & 1)
        reasons[count++] = (struct reason){
            "may_be_needed", "Something that the trace does not show may need it; then nothing is saved."};
    if (why)
        reasons[count++] = (struct reason){name_of_repair(repair), why};
    if (d->preparation)
        reasons[count++] = (struct reason){
            "work_before_uploads",
            "It saves most if the host's work before the uploads makes their bytes, and is then needless, too."};
    if (repair == XS_REPAIR_PEER_COPY)
        reasons[count++] =
            (struct reason){"peer_copies_not_measured", "If the trace has no peer copies, those that replace the "
                                                        "uploads take between no time and the time of pinned uploads."};
    if (!diagnosis->findings->exposed_known)
        reasons[count++] = (struct reason){
            "kernels_not_recorded",
            "Kernels were not recorded, so a part of this time may be a wait for them, which is not saved."};
    if (diagnosis->replay_fit.parts)
        reasons[count++] = (struct reason){"run_replayed_in_parts", NULL};
    return count;
}

/* Says why all savings of the run are intervals: because it was not replayed, or only parts of it were. */
static void say_of_run(struct xs_string *text, const struct xs_diagnosis *diagnosis) {
    const struct xs_replay_fit *fit = &diagnosis->replay_fit;
    if (diagnosis->replayed && fit->parts)
        xs_string_format(text,
                         "%sThe run is long, so %s of its %s parts were replayed: the interval has the saving of the "
                         "run with 95 %% certainty.",
                         text->length ? " " : "", XS_COUNT_TEXT(fit->parts), XS_COUNT_TEXT(fit->parts_of_run));
    else
        xs_say_bounds(text, diagnosis);
}

void xs_finding_why_interval(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                             const struct xs_diagnosed *d) {
    struct reason reasons[MOST_REASONS];
    size_t count = find_reasons(diagnosis, d, reasons);
    for (size_t i = 0; i < count; i++)
        if (reasons[i].sentence)
            add(text, reasons[i].sentence);
        else
            say_of_run(text, diagnosis);
}

void xs_finding_why_interval_json(struct xs_json *json, const struct xs_diagnosis *diagnosis,
                                  const struct xs_diagnosed *d) {
    struct reason reasons[MOST_REASONS];
    size_t count = find_reasons(diagnosis, d, reasons);
    xs_json_array(json, "saves_interval_reasons");
    for (size_t i = 0; i < count; i++)
        xs_json_text(json, NULL, reasons[i].name);
    xs_json_end(json, ']');
}

void xs_saving_text(struct xs_string *text, uint64_t least_ns, uint64_t most_ns) {
    xs_say_saving(text, &(struct xs_saving){.known = true, .least_ns = least_ns, .most_ns = most_ns});
}

void xs_finding_pinning(struct xs_string *text, const struct xs_diagnosed *d) {
    if (d->pinning_ns)
        xs_string_format(text, "once %s for page-locking (%s)", XS_NS_TEXT(d->pinning_ns),
                         d->pinning_assumed ? "assumed" : "from this trace");
}

void xs_finding_sample(struct xs_string *text, const struct xs_finding *f) {
    const struct xs_sample *s = &f->sample;
    xs_finding_checked(text, f);
    if (!text->length)
        return;
    if (s->checked >= s->of)
        xs_string_format(text, "; the others could not be checked");
    else
        xs_string_format(text, ", %s of these have it: about %s in all, %s to %s with 95 %% certainty",
                         XS_COUNT_TEXT(s->hits), XS_COUNT_TEXT((uint64_t)(s->estimate + 0.5)),
                         XS_COUNT_TEXT((uint64_t)s->low), XS_COUNT_TEXT((uint64_t)(s->high + 0.999)));
}

/* Adds "0.03 %", or that it is less than any share that is shown. */
static void add_error(struct xs_string *text, double error) {
    if (error < 0.0001)
        xs_string_format(text, "less than 0.01 %%");
    else
        xs_string_format(text, "%.*f %%", error < 0.01 ? 2 : 1, error * 100);
}

void xs_say_bounds(struct xs_string *text, const struct xs_diagnosis *diagnosis) {
    const struct xs_replay_fit *fit = &diagnosis->replay_fit;
    if (diagnosis->replayed || !diagnosis->cause_count)
        return;
    if (!fit->calls) {
        add(text, "The trace has no calls that could be replayed");
    } else {
        add(text, "A replay without any change differs from this run by ");
        add_error(text, diagnosis->replay_error);
    }
    xs_string_format(text, ": savings are bounds, between nothing and all that was measured.");
}

void xs_replay_text(const struct xs_diagnosis *diagnosis, struct xs_out *out) {
    const struct xs_replay_fit *fit = &diagnosis->replay_fit;
    XS_SCOPED_STRING text = {0};
    xs_out_fact(out, "model", "%s calls, %s operations of devices", XS_COUNT_TEXT(fit->calls),
                XS_COUNT_TEXT(fit->operations));
    if (fit->parts)
        xs_out_fact(out, "parts", "%s of the run's %s, because it is long", XS_COUNT_TEXT(fit->parts),
                    XS_COUNT_TEXT(fit->parts_of_run));
    if (fit->unmatched)
        xs_out_fact(out, "left out", "%s device records without a call", XS_COUNT_TEXT(fit->unmatched));
    if (fit->calls) {
        xs_out_fact(out, "run", "%s measured, %s replayed without any change", XS_NS_TEXT(fit->measured_ns),
                    XS_NS_TEXT(fit->replayed_ns));
        add_error(&text, diagnosis->replay_error);
        xs_out_fact(out, "error",
                    "%s of the run: the largest difference between a measured and a replayed time: those at which "
                    "calls return, and the end of the run",
                    text.data);
    }
    text.length = 0;
    xs_say_bounds(&text, diagnosis);
    if (text.length)
        xs_out_fact(out, "believed", "no. %s", text.data);
    else
        xs_out_fact(out, "believed", "%s",
                    diagnosis->replayed ? "yes, the error is under 5 %" : "no, there is nothing to replay");
    text.length = 0;
    xs_say_total_of_run(&text, diagnosis);
    if (text.length)
        xs_out_fact(out, "together", "%s", text.data);
}

/* --- JSON --- */

void xs_saving_json(struct xs_json *json, const char *key, const struct xs_saving *saving) {
    if (!saving->known) {
        xs_json_null(json, key);
        return;
    }
    xs_json_object(json, key);
    xs_json_count(json, "least_ns", saving->least_ns);
    xs_json_count(json, "most_ns", saving->most_ns);
    xs_json_bool(json, "up_to", xs_saving_is_interval(saving));
    xs_json_end(json, '}');
}

void xs_sample_json(struct xs_json *json, const struct xs_sample *sample) {
    if (!sample->is_of_contents) {
        xs_json_null(json, "sample");
        return;
    }
    xs_json_object(json, "sample");
    xs_json_count(json, "checked", sample->checked);
    xs_json_count(json, "of", sample->of);
    xs_json_count(json, "hits", sample->hits);
    xs_json_count(json, "unknown", sample->unknown);
    xs_json_number(json, "instances", round(sample->estimate * 10) / 10);
    xs_json_number(json, "instances_low", floor(sample->low * 10) / 10);
    xs_json_number(json, "instances_high", ceil(sample->high * 10) / 10);
    xs_json_number(json, "claimed_ns", round(sample->ns));
    xs_json_number(json, "claimed_low_ns", floor(sample->low_ns));
    xs_json_number(json, "claimed_high_ns", ceil(sample->high_ns));
    xs_json_end(json, '}');
}

void xs_replay_json(struct xs_json *json, const struct xs_diagnosis *diagnosis) {
    const struct xs_replay_fit *fit = &diagnosis->replay_fit;
    xs_json_object(json, "replay");
    xs_json_bool(json, "believed", diagnosis->replayed);
    xs_json_number(json, "error", fit->calls ? diagnosis->replay_error : NAN);
    xs_json_number(json, "largest_error", XS_REPLAY_LARGEST_ERROR);
    xs_json_count(json, "measured_ns", fit->measured_ns);
    xs_json_known_count(json, "replayed_ns", fit->calls > 0, fit->replayed_ns);
    xs_json_count(json, "calls", fit->calls);
    xs_json_count(json, "operations", fit->operations);
    xs_json_count(json, "unmatched_records", fit->unmatched);
    xs_json_known_count(json, "parts", fit->parts > 0, fit->parts);
    xs_json_known_count(json, "parts_of_run", fit->parts > 0, fit->parts_of_run);
    xs_json_end(json, '}');
}

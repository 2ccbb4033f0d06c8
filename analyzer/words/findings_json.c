/* Writes findings as JSON. Keys are stable, and docs/use/report.md lists them; null: not known. */
#include <math.h>

#include "analyzer/findings/engine/detector.h"
#include "analyzer/words/context_words.h"
#include "analyzer/words/detour_words.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/remedies.h"
#include "analyzer/words/unchecked.h"
#include "analyzer/words/unread_words.h"

void xs_times_json(struct xs_json *json, const char *key, const struct xs_times *times, bool device, bool exposed) {
    xs_json_object(json, key);
    xs_json_known_count(json, "device_ns", device, times->device_ns);
    xs_json_known_count(json, "exposed_ns", exposed, times->exposed_ns);
    xs_json_count(json, "host_ns", times->host_ns);
    xs_json_end(json, '}');
}

void xs_kind_json(struct xs_json *json, unsigned detector, unsigned verdict, const char *remedy) {
    const struct xs_detector *d = xs_detectors[detector];
    XS_SCOPED_STRING kind = {0};
    xs_finding_kind(&kind, detector, verdict);
    xs_json_text(json, "finding", kind.data);
    xs_json_text(json, "id", d->id);
    xs_json_text(json, "verdict", verdict < XS_VERDICTS ? d->verdicts[verdict].name : NULL);
    xs_json_text(json, "title", d->title);
    xs_json_text(json, "remedy", remedy);
}

static void put_name(struct xs_json *json, const struct xs_diagnosis *diagnosis, size_t index) {
    const struct xs_finding *f = diagnosis->items[index].finding;
    XS_SCOPED_STRING name = {0};
    xs_finding_name(&name, diagnosis, index);
    xs_json_count(json, "rank", index + 1);
    xs_json_text(json, "name", name.data);
    xs_kind_json(json, f->detector, f->verdict, xs_remedy_of(diagnosis->findings, &diagnosis->items[index]));
    xs_json_text(json, "site", xs_site_name(diagnosis->findings, f->site));
}

void xs_call_site_json(const struct xs_findings *findings, uint32_t site, struct xs_json *json) {
    xs_place_json_object(json, xs_site_frame(findings, site), true);
}

/* Writes the binaries whose lines are not known, each with the reason. */
static void put_unread(const struct xs_callsites *callsites, struct xs_json *json) {
    struct xs_unread_module module;
    xs_json_array(json, "unread_modules");
    for (uint32_t next = 0; callsites && xs_callsites_unread(callsites, &next, &module);) {
        xs_json_object(json, NULL);
        xs_json_text(json, "path", module.path);
        xs_json_bool(json, "library", module.library);
        xs_json_text(json, "reason", module.reason);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

/* Writes how many stacks were recorded, and why some call sites have no line. */
static void put_call_sites(const struct xs_findings *findings, struct xs_json *json) {
    const struct xs_callsites *callsites = findings->sites ? findings->sites->callsites : NULL;
    xs_json_object(json, "call_sites");
    xs_json_bool(json, "recorded", findings->sites && findings->sites->places);
    xs_json_count(json, "places", findings->sites ? findings->sites->place_count : 0);
    uint64_t without_line;
    xs_json_count(json, "native_places", xs_native_places(findings->sites, &without_line));
    xs_json_count(json, "native_places_without_line", without_line);
    put_unread(callsites, json);
    xs_json_count(json, "damaged_rows", callsites ? xs_callsites_damaged(callsites) : 0);
    xs_json_array(json, "notes");
    for (size_t i = 0; callsites && xs_callsites_note(callsites, i); i++)
        xs_json_text(json, NULL, xs_callsites_note(callsites, i));
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

static void put_saving(const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *d, struct xs_json *json) {
    XS_SCOPED_STRING why = {0};
    xs_saving_json(json, "saves", &d->saves);
    xs_finding_why_interval_json(json, diagnosis, d);
    xs_finding_why_interval(&why, diagnosis, d);
    xs_json_text(json, "saves_interval_because", why.length ? why.data : NULL);
    xs_json_count(json, "page_locking_ns", d->pinning_ns);
    xs_json_bool(json, "page_locking_assumed", d->pinning_assumed);
}

static bool leads_a_cause(const struct xs_diagnosis *diagnosis, size_t index) {
    return index < diagnosis->cause_count; /* finding k of the list is the first one of cause k */
}

static void put_variants(const struct xs_diagnosed *d, struct xs_json *json) {
    const struct xs_finding *f = d->finding;
    if (f->verdict == XS_SEVERAL_VERDICTS) {
        xs_json_array(json, "variants");
        for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++) {
            if (!xs_finding_has_verdict(f, verdict))
                continue;
            xs_json_object(json, NULL);
            xs_json_text(json, "verdict", xs_detectors[f->detector]->verdicts[verdict].name);
            xs_json_count(json, "instances", f->variants[verdict].instances);
            xs_json_count(json, "instances_in_all", xs_variant_in_all(&f->variants[verdict]));
            xs_json_end(json, '}');
        }
        xs_json_end(json, ']');
    }
    if (d->turns.contents) {
        xs_json_object(json, "turns");
        xs_json_count(json, "contents", d->turns.contents);
        if (d->turns.buffers)
            xs_json_count(json, "buffers", d->turns.buffers);
        xs_json_count(json, "bytes", d->turns.bytes);
        xs_json_bool(json, "one_size", d->turns.one_size);
        xs_json_end(json, '}');
    }
}

/* Writes times of all copies. Checking contents makes the call of a copy longer, so the time of checked calls says
 * nothing about the others. */
static void put_times_in_all(const struct xs_finding *f, const struct xs_amount *all, const char *key,
                             const struct xs_times *times, struct xs_json *json) {
    xs_json_object(json, key);
    xs_json_known_count(json, "device_ns", f->timed_instances > 0,
                        xs_finding_ns_in_all(f, f->timed_instances, times->device_ns));
    xs_json_known_count(json, "exposed_ns", f->exposed_instances > 0,
                        xs_finding_ns_in_all(f, f->exposed_instances, times->exposed_ns));
    xs_json_known_count(json, "host_ns", !all->about, times->host_ns);
    xs_json_end(json, '}');
}

/* Writes the totals including an estimate for the copies whose contents were not checked. */
static void put_in_all(const struct xs_finding *f, struct xs_json *json) {
    const struct xs_amount all = xs_finding_in_all(f);
    xs_json_object(json, "in_all");
    xs_json_bool(json, "is_estimate", all.about);
    xs_json_count(json, "instances", all.instances);
    xs_json_count(json, "instances_low", xs_finding_low(f));
    xs_json_count(json, "instances_high", xs_finding_high(f));
    xs_json_count(json, "transfers", all.transfers);
    xs_json_count(json, "bytes", all.bytes);
    put_times_in_all(f, &all, "cost", &f->cost, json);
    put_times_in_all(f, &all, "removable", &f->removable, json);
    xs_json_end(json, '}');
}

/* Writes what is estimated of the run of a ledger. */
static void put_in_run(const struct xs_finding *f, struct xs_json *json) {
    if (!f->in_run.transfers)
        return;
    xs_json_object(json, "in_run");
    xs_json_count(json, "transfers", f->in_run.transfers);
    xs_json_count(json, "instances", (uint64_t)(f->in_run.instances + 0.5));
    xs_json_count(json, "instances_low", (uint64_t)f->in_run.low);
    xs_json_count(json, "instances_high", (uint64_t)ceil(f->in_run.high));
    xs_json_end(json, '}');
}

static void put_other_line(const struct xs_findings *findings, const char *key, uint32_t site, struct xs_json *json) {
    if (!site)
        return;
    XS_SCOPED char *line = xs_place_source(findings->sites, xs_site_frame(findings, site));
    xs_json_object(json, key);
    xs_json_text(json, "site", xs_site_name(findings, site));
    xs_call_site_json(findings, site, json);
    xs_json_text(json, "source_line", line);
    xs_json_end(json, '}');
}

/* Writes where the memory of a finding is released, and where its kernels are launched, as far as it is known. */
static void put_other_lines(const struct xs_findings *findings, const struct xs_diagnosed *d, struct xs_json *json) {
    put_other_line(findings, "released", d->released_at, json);
    put_other_line(findings, "launched_at", d->finding->launched_at, json);
}

/* Writes the key "worked_at" if it is known where the host worked. */
static void put_worked_at(const struct xs_findings *findings, const struct xs_diagnosed *d, struct xs_json *json) {
    if (!d->worked_at)
        return;
    const struct xs_frame *frame = xs_callsites_place_frame(findings->sites->callsites, d->worked_at);
    XS_SCOPED char *line = xs_place_source(findings->sites, frame);
    xs_json_object(json, "worked_at");
    xs_place_json_object(json, frame, true);
    xs_json_text(json, "source_line", line);
    xs_json_end(json, '}');
}

void xs_finding_json(const struct xs_diagnosis *diagnosis, size_t index, struct xs_json *json) {
    const struct xs_diagnosed *d = &diagnosis->items[index];
    const struct xs_finding *f = d->finding;
    put_name(json, diagnosis, index);
    xs_json_count(json, "instances", f->instances);
    xs_json_count(json, "transfers", f->transfers);
    xs_json_count(json, "bytes", f->bytes);
    put_in_all(f, json);
    put_in_run(f, json);
    put_variants(d, json);
    xs_json_count(json, "timed_instances", f->timed_instances);
    xs_json_count(json, "exposed_instances", f->exposed_instances);
    if (f->modelled_instances)
        xs_json_count(json, "modelled_instances", f->modelled_instances);
    xs_times_json(json, "cost", &f->cost, f->timed_instances > 0, f->exposed_instances > 0);
    xs_times_json(json, "removable", &f->removable, f->timed_instances > 0, f->exposed_instances > 0);
    if (f->apart.device_ns || f->apart.host_ns)
        xs_times_json(json, "apart", &f->apart, f->apart.device_known, f->apart.exposed_known);
    else
        xs_json_null(json, "apart");
    put_saving(diagnosis, d, json);
    xs_json_bool(json, "in_total", leads_a_cause(diagnosis, index));
    xs_json_bool(json, "advice", f->advice);
    xs_json_bool(json, "folded", d->folded);
    xs_json_int(json, "first_ns", f->first_ns);
    xs_json_int(json, "last_ns", f->last_ns);
    xs_sample_json(json, &f->sample);
    xs_call_site_json(diagnosis->findings, f->site, json);
    XS_SCOPED char *line = xs_place_source(diagnosis->findings->sites, xs_site_frame(diagnosis->findings, f->site));
    xs_json_text(json, "source_line", line);
    put_other_lines(diagnosis->findings, d, json);
    put_worked_at(diagnosis->findings, d, json);
    xs_context_json(json, d);
    xs_detour_json(json, diagnosis, d);
    const struct xs_unread unread = xs_finding_unread(diagnosis->findings, f);
    xs_unread_json(json, &unread);
}

static void put_total(const struct xs_diagnosis *diagnosis, struct xs_json *json) {
    const struct xs_total *t = &diagnosis->findings->total;
    xs_json_object(json, "findings_total");
    xs_json_known_count(json, "device_ns", diagnosis->findings->timed > 0, t->device_ns);
    xs_json_known_count(json, "exposed_ns", diagnosis->findings->exposed_known, t->exposed_ns);
    xs_json_count(json, "host_ns", t->host_ns);
    xs_json_count(json, "transfers", t->transfers);
    xs_json_count(json, "run_ns", diagnosis->findings->recorded.run_ns);
    xs_json_count(json, "recorded_ns", diagnosis->findings->recorded.ns);
    xs_json_count(json, "floor_ns", diagnosis->findings->floor_ns);
    xs_json_end(json, '}');
}

static void put_causes(const struct xs_diagnosis *diagnosis, struct xs_json *json) {
    xs_json_array(json, "causes");
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        const struct xs_cause *cause = &diagnosis->causes[i];
        const struct xs_diagnosed *d = &diagnosis->items[cause->findings[0]];
        const struct xs_finding *first = d->finding;
        unsigned repairs = 0;
        xs_json_object(json, NULL);
        xs_json_count(json, "rank", i + 1);
        xs_saving_json(json, "saves", &cause->saves);
        xs_json_bool(json, "folded", cause->folded);
        xs_json_text(json, "remedy", xs_remedy_of(diagnosis->findings, d));
        xs_call_site_json(diagnosis->findings, first->site, json);
        put_other_lines(diagnosis->findings, d, json);
        xs_json_array(json, "findings");
        for (size_t k = 0; k < cause->count; k++) {
            xs_json_object(json, NULL);
            put_name(json, diagnosis, cause->findings[k]);
            xs_saving_json(json, "saves", &diagnosis->items[cause->findings[k]].saves);
            xs_json_bool(json, "alternative", xs_cause_offers(diagnosis, cause, k, &repairs));
            xs_json_end(json, '}');
        }
        xs_json_end(json, ']');
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_saving_json(json, "together", &diagnosis->together);
    xs_replay_json(json, diagnosis);
}

void xs_undecided_json(const struct xs_findings *findings, struct xs_json *json) {
    xs_json_array(json, "undecided");
    for (size_t i = 0; i < findings->undecided_count; i++) {
        const struct xs_undecided *u = &findings->undecided[i];
        xs_json_object(json, NULL);
        xs_json_text(json, "finding", xs_detectors[u->detector]->id);
        xs_json_text(json, "reason", u->reason);
        xs_json_count(json, "count", u->count);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_unchecked_sums(const struct xs_unchecked *u, struct xs_json *json) {
    xs_json_count(json, "copies", u->copies);
    xs_json_count(json, "downloads", u->downloads);
    xs_json_count(json, "bytes", u->bytes);
    xs_json_count(json, "ns", u->ns);
}

static void put_unchecked(const struct xs_findings *findings, struct xs_json *json) {
    struct xs_unchecked total = xs_unchecked_total(findings, NULL);
    xs_json_object(json, "unchecked");
    put_unchecked_sums(&total, json);
    xs_json_array(json, "places");
    for (size_t i = 0; i < findings->unchecked_count; i++) {
        const struct xs_unchecked *u = &findings->unchecked[i];
        xs_json_object(json, NULL);
        xs_json_text(json, "finding", xs_detectors[u->detector]->id);
        xs_json_text(json, "site", xs_site_name(findings, u->site));
        xs_call_site_json(findings, u->site, json);
        put_unchecked_sums(u, json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

static void put_fingerprints(const struct xs_content_coverage *c, struct xs_json *json) {
    xs_json_object(json, "fingerprints");
    xs_json_text(json, "mode", *c->mode ? c->mode : NULL);
    xs_json_count(json, "transfers", c->eligible);
    xs_json_count(json, "taken", c->taken);
    xs_json_count(json, "lost", c->lost);
    xs_json_text(json, "none_because", xs_no_contents_names[xs_content_coverage_none(c)]);
    xs_json_array(json, "skipped");
    for (unsigned i = 0; i < XS_SKIP_COUNT; i++) {
        if (!c->skipped[i])
            continue;
        xs_json_object(json, NULL);
        xs_json_text(json, "reason", i ? xs_skip_names[i] : NULL);
        xs_json_count(json, "count", c->skipped[i]);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_count(json, "kernel_launches", c->kernels);
    xs_json_count(json, "kernel_launches_unseen", c->kernels_unseen);
    xs_json_count(json, "graph_launches", c->graphs);
    xs_json_end(json, '}');
}

void xs_link_json(const struct xs_link_model *link, struct xs_json *json) {
    static const char *const names[XS_LINK_CLASSES] = {[XS_LINK_H2D_PAGEABLE] = "h2d_pageable",
                                                       [XS_LINK_H2D_PINNED] = "h2d_pinned",
                                                       [XS_LINK_D2H_PAGEABLE] = "d2h_pageable",
                                                       [XS_LINK_D2H_PINNED] = "d2h_pinned",
                                                       [XS_LINK_D2D] = "d2d",
                                                       [XS_LINK_MEMSET] = "memset"};
    xs_json_object(json, "link_model");
    xs_json_text(json, "fitted_to", link->from_host_times ? "host_ns" : "device_ns");
    xs_json_known_count(json, "peak_bytes_per_s", link->peak_bytes_per_s > 0, link->peak_bytes_per_s);
    xs_json_array(json, "classes");
    for (unsigned i = 0; i < XS_LINK_CLASSES; i++) {
        const struct xs_link_line *line = &link->lines[i];
        if (!line->known)
            continue;
        xs_json_object(json, NULL);
        xs_json_text(json, "class", names[i]);
        xs_json_bool(json, "assumed", line->assumed);
        xs_json_bool(json, "rate_assumed", line->rate_assumed);
        xs_json_count(json, "samples", line->samples);
        xs_json_number(json, "fixed_ns", round(line->a_ns));
        xs_json_number(json, "bytes_per_s", line->b_ns_per_byte > 0 ? round(1e9 / line->b_ns_per_byte) : NAN);
        xs_json_number(json, "best_bytes_per_s", line->best_bytes_per_s > 0 ? round(line->best_bytes_per_s) : NAN);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

void xs_findings_json(const struct xs_diagnosis *diagnosis, const struct xs_content_coverage *contents,
                      struct xs_json *json) {
    xs_json_array(json, "findings");
    for (size_t i = 0; i < diagnosis->count; i++) {
        xs_json_object(json, NULL);
        xs_finding_json(diagnosis, i, json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    put_causes(diagnosis, json);
    put_total(diagnosis, json);
    xs_undecided_json(diagnosis->findings, json);
    put_unchecked(diagnosis->findings, json);
    put_fingerprints(contents, json);
    xs_link_json(&diagnosis->findings->link, json);
    put_call_sites(diagnosis->findings, json);
}

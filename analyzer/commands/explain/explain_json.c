/* Prints `explain` as JSON. Keys are stable, and docs/use/report.md lists them. */
#include "analyzer/commands/explain/evidence.h"
#include "analyzer/commands/explain/explain.h"
#include "analyzer/commands/explain/explain_stacks.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/totals/summary/repaired.h"
#include "analyzer/words/findings_words.h"

static int put_between(const struct xs_explain *explain, const struct xs_facts *facts, struct xs_json *json,
                       char *message) {
    struct xs_between between;
    int status = xs_between_read(explain->trace, &facts[0], &facts[1], &between, message);
    if (status < 0 || !between.known) {
        xs_json_null(json, "between");
        return status;
    }
    xs_json_object(json, "between");
    xs_json_count(json, "launches", between.launches);
    if (between.allocation > 0) {
        xs_json_int(json, "allocation", between.allocation);
        xs_json_count(json, "launches_given", between.launches_given);
        xs_json_count(json, "launches_unseen", between.launches_unseen);
        xs_json_count(json, "copies_to", between.copies_to);
        xs_json_count(json, "copies_from", between.copies_from);
        xs_json_count(json, "memsets", between.memsets);
    } else {
        xs_json_null(json, "allocation");
    }
    xs_json_end(json, '}');
    return XS_OK;
}

static int put_evidence(const struct xs_explain *explain, const struct xs_instance *instance, struct xs_json *json,
                        char *message) {
    struct xs_facts facts[XS_EVIDENCE_ROWS] = {0};
    int status = XS_OK;
    xs_json_array(json, "evidence");
    for (unsigned i = 0; i < instance->evidence_count && status >= 0; i++) {
        const struct xs_evidence *e = &instance->evidence[i];
        status = xs_facts_read(explain->trace, e, &facts[i], message);
        xs_json_object(json, NULL);
        xs_json_text(json, "kind", xs_evidence_table_names[e->table]);
        xs_json_int(json, "row", e->row);
        xs_json_text(json, "role", e->role);
        xs_facts_json(&facts[i], json);
        if (xs_fact_known(&facts[i], "stack_id"))
            xs_stack_json(explain->diagnosis->findings, xs_fact_number(&facts[i], "stack_id", 0), json);
        if (xs_fact_known(&facts[i], "nvtx_range_id"))
            xs_range_json(explain->diagnosis->findings, xs_fact_number(&facts[i], "nvtx_range_id", 0), json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    if (status >= 0 && instance->evidence_count > 1)
        status = put_between(explain, facts, json, message);
    for (unsigned i = 0; i < instance->evidence_count; i++)
        xs_facts_free(&facts[i]);
    return status;
}

/* Writes all columns of the rows that the instance names. */
static int put_instance(const struct xs_explain *explain, const char *key, const struct xs_diagnosed *d,
                        const struct xs_instance *instance, struct xs_json *json, char *message) {
    xs_json_object(json, key);
    xs_json_int(json, "at_ns", instance->at_ns);
    xs_json_count(json, "transfers", instance->transfers);
    xs_json_count(json, "bytes", instance->bytes);
    xs_times_json(json, "cost", &instance->cost, instance->cost.device_known, instance->cost.exposed_known);
    xs_times_json(json, "removable", &instance->removable, instance->removable.device_known,
                  instance->removable.exposed_known);
    xs_json_count(json, "saves_ns", xs_finding_share_ns(d, xs_times_rank_ns(&instance->removable)));
    int status = put_evidence(explain, instance, json, message);
    xs_json_end(json, '}');
    return status;
}

/* Writes the first instances, in order of time, and the instance that costs most. */
static int put_first(const struct xs_explain *explain, const struct xs_diagnosed *d, struct xs_json *json,
                     char *message) {
    const struct xs_finding *f = d->finding;
    int status = XS_OK;
    xs_json_array(json, "first_instances");
    for (size_t i = 0; i < f->first_count && status >= 0; i++)
        status = put_instance(explain, NULL, d, &f->first[i], json, message);
    xs_json_end(json, ']');
    if (status >= 0 && f->largest_count)
        return put_instance(explain, "largest_instance", d, &f->largest[0], json, message);
    xs_json_null(json, "largest_instance");
    return status;
}

static void put_row(struct xs_json *json, const char *kind_key, const char *row_key,
                    const struct xs_listed_instance *kept, uint32_t row) {
    bool has = row < kept->evidence_count;
    xs_json_text(json, kind_key, has ? xs_evidence_table_names[kept->tables[row]] : NULL);
    xs_json_known_int(json, row_key, has, kept->rows[row]);
}

static void put_instances(const struct xs_explain *explain, struct xs_json *json, const char *key) {
    xs_json_array(json, key);
    for (size_t i = 0; i < explain->kept_count; i++) {
        const struct xs_listed_instance *kept = &explain->kept[i];
        struct xs_string kind = {0};
        if (!xs_explain_wants(explain, kept))
            continue;
        xs_finding_kind(&kind, kept->detector, kept->verdict);
        xs_json_object(json, NULL);
        xs_json_take(json, "finding", &kind);
        xs_json_text(json, "site", xs_site_name(explain->diagnosis->findings, kept->site));
        xs_call_site_json(explain->diagnosis->findings, kept->site, json);
        put_row(json, "kind", "row", kept, 0);
        put_row(json, "other_kind", "other_row", kept, 1);
        xs_json_int(json, "at_ns", kept->at_ns);
        xs_json_count(json, "transfers", kept->transfers);
        xs_json_count(json, "bytes", kept->bytes);
        xs_json_known_count(json, "device_ns", kept->device_known, kept->device_ns);
        xs_json_known_count(json, "exposed_ns", kept->exposed_known, kept->exposed_ns);
        if (kept->modelled)
            xs_json_bool(json, "modelled", true);
        xs_json_count(json, "host_ns", kept->host_ns);
        xs_json_count(json, "saves_ns", xs_explain_share_ns(explain, kept));
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static int put_one(const struct xs_explain *explain, struct xs_json *json, char *message) {
    int status;
    xs_json_object(json, "explained");
    xs_finding_json(explain->diagnosis, (size_t)explain->chosen, json);
    xs_json_text(json, "definition",
                 xs_detectors[explain->diagnosis->items[explain->chosen].finding->detector]->definition);
    status = put_first(explain, &explain->diagnosis->items[explain->chosen], json, message);
    if (status >= 0)
        status = xs_stacks_json(explain, json, message);
    if (explain->all)
        put_instances(explain, json, "all_instances"); /* the key `instances` has their number */
    xs_json_end(json, '}');
    return status;
}

static void put_model(const struct xs_explain *explain, struct xs_json *json) {
    xs_replay_json(json, explain->diagnosis);
    xs_saving_json(json, "together", &explain->diagnosis->together);
    xs_link_json(&explain->diagnosis->findings->link, json);
}

/* Writes the chosen finding, or all findings. */
static int put_findings(const struct xs_explain *explain, struct xs_json *json, char *message) {
    struct xs_repaired repaired;
    xs_repaired_read(&repaired, explain->trace);
    xs_repaired_json(&repaired, json);
    if (explain->chosen >= 0)
        return put_one(explain, json, message);
    xs_findings_json(explain->diagnosis, &explain->contents, json);
    return XS_OK;
}

int xs_explain_json(const struct xs_explain *explain, enum xs_explain_part part, struct xs_json *json, char *message) {
    int status = XS_OK;
    xs_json_document(json, "xferspy-explain", XS_EXPLAIN_JSON_VERSION);
    xs_json_text(json, "trace", explain->trace->path);
    xs_filter_json(explain->diagnosis->findings, json);
    if (part == XS_EXPLAIN_UNDECIDED)
        xs_undecided_json(explain->diagnosis->findings, json);
    else if (part == XS_EXPLAIN_INSTANCES)
        put_instances(explain, json, "instances");
    else if (part == XS_EXPLAIN_MODEL)
        put_model(explain, json);
    else
        status = put_findings(explain, json, message);
    xs_json_end(json, '}');
    return status;
}

/* Writes the call sites of the page; see sites.h. */
#include "analyzer/commands/html/sites.h"

#include "analyzer/commands/html/details.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/place.h"

/* Returns the index + 1 of a site's row; 0: not shown. */
static uint64_t row_of_site(const struct xs_html_sites *sites, uint32_t site) {
    const uint64_t *row = xs_hash_find(&sites->by_row, (uintptr_t)xs_site_place_frame(sites->sites, site),
                                       (uintptr_t)xs_site_entry(sites->sites, site)->name);
    return row ? *row : 0;
}

static void add_sampled(struct xs_html_sites *sites, const struct xs_diagnosis *diagnosis) {
    for (size_t i = 0; i < diagnosis->count && i < XS_HTML_FINDINGS; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        uint64_t before = 0;
        if (!xs_sample_is_part(&f->sample))
            continue;
        while (xs_hash_find(&sites->sampled, f->site, before))
            before++;
        *xs_hash_put(&sites->sampled, f->site, before) = i;
    }
}

void xs_html_sites_begin(struct xs_html_sites *sites, const struct xs_diagnosis *diagnosis, const struct xs_by *by) {
    *sites = (struct xs_html_sites){.sites = diagnosis->findings->sites, .by = by};
    for (size_t i = 0; i < by->count && i < XS_HTML_SITES_SHOWN; i++)
        *xs_hash_put(&sites->by_row, (uintptr_t)by->rows[i].frame, (uintptr_t)by->rows[i].entry_point) = i + 1;
    add_sampled(sites, diagnosis);
    for (size_t site = 0; site < diagnosis->site_count; site++) {
        uint64_t ns = diagnosis->saves_at[site], row = ns ? row_of_site(sites, (uint32_t)site) : 0;
        uint64_t *saves = &sites->saves_ns[row ? row - 1 : XS_HTML_SITES_SHOWN];
        *saves = xs_sum(*saves, ns);
    }
}

void xs_html_sites_end(struct xs_html_sites *sites) {
    xs_hash_free(&sites->by_number);
    xs_hash_free(&sites->by_row);
    xs_hash_free(&sites->sampled);
}

const uint64_t *xs_html_sites_sampled(const struct xs_html_sites *sites, uint32_t number, uint64_t i) {
    return xs_hash_find(&sites->sampled, number, i);
}

int32_t xs_html_site_index(struct xs_html_sites *sites, int64_t entry_point, int64_t stack, uint32_t *number) {
    uint32_t site = xs_site_of(sites->sites, entry_point, stack);
    uint64_t *known = xs_hash_find(&sites->by_number, site, 0);
    *number = site;
    if (known)
        return (int32_t)*known - 2;
    uint64_t value = row_of_site(sites, site) + 1;
    *xs_hash_put(&sites->by_number, site, 0) = value;
    return (int32_t)value - 2;
}

void xs_html_words_json(struct xs_json *json, const char *key, struct xs_string *text) {
    if (key || text->length)
        xs_json_text(json, key, text->length ? text->data : NULL);
    xs_string_free(text);
}

void xs_html_place_json(const struct xs_sites *sites, const struct xs_frame *frame, struct xs_json *json) {
    struct xs_string text = {0};
    XS_SCOPED char *source = frame ? xs_place_source(sites, frame) : NULL;
    if (frame)
        xs_place_text(&text, sites, frame);
    xs_html_words_json(json, "label", &text);
    xs_json_text(json, "source", source);
}

static void put_totals(const struct xs_by_row *row, uint64_t saves_ns, struct xs_json *json) {
    xs_json_count(json, "transfers", row->transfers);
    xs_json_count(json, "bytes", row->bytes);
    xs_json_count(json, "timed", row->timed);
    xs_json_count(json, "device_ns", row->device_ns);
    xs_json_count(json, "host_ns", row->host_ns);
    xs_json_count(json, "saves_ns", saves_ns);
}

void xs_html_sites_json(const struct xs_html_sites *sites, struct xs_json *json) {
    const struct xs_by *by = sites->by;
    struct xs_by_row rest = {0};
    size_t left_out = 0;
    xs_json_array(json, "sites");
    for (size_t i = 0; i < by->count; i++) {
        const struct xs_by_row *row = &by->rows[i];
        if (i < XS_HTML_SITES_SHOWN) {
            xs_json_object(json, NULL);
            xs_json_text(json, "entry_point", row->entry_point);
            if (row->frame)
                xs_place_json(json, row->frame);
            if (row->frame)
                xs_place_through_json(json, row->frame);
            xs_html_place_json(sites->sites, row->frame, json);
            put_totals(row, sites->saves_ns[i], json);
            xs_json_end(json, '}');
            continue;
        }
        left_out++;
        rest.transfers = xs_sum(rest.transfers, row->transfers);
        rest.bytes = xs_sum(rest.bytes, row->bytes);
        rest.timed = xs_sum(rest.timed, row->timed);
        rest.device_ns = xs_sum(rest.device_ns, row->device_ns);
        rest.host_ns = xs_sum(rest.host_ns, row->host_ns);
    }
    xs_json_end(json, ']');
    xs_json_object(json, "sites_left_out");
    xs_json_count(json, "sites", left_out);
    put_totals(&rest, sites->saves_ns[XS_HTML_SITES_SHOWN], json);
    xs_json_end(json, '}');
}

/* Reads the events of the buffers; see buffers.h. */
#include "analyzer/commands/html/buffers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"

/* The input, and the results. */
struct reading {
    struct xs_html_buffers *buffers;
    const struct xs_trace *trace;
    struct xs_html_sites *sites;
    const struct xs_marks *marks;
    struct xs_string ids; /* "1, 5, 9": the chosen allocations */
    int64_t end_ns;
    char *message;
};

static int choose(struct xs_html_buffers *b, const struct xs_trace *trace, struct xs_sites *sites, char *message) {
    enum { ID, ADDRESS, BYTES, DEVICE, BEGIN, END, ENTRY, STACK, TRANSFERS, MOVED };
    struct xs_scan scan;
    uint64_t damaged = 0;
    xs_scan_begin(
        &scan, trace,
        "SELECT a.id, a.address, a.bytes, a.device, a.return_ns, a.free_enter_ns, a.entry_point, a.stack, s.n, "
        "s.moved FROM (SELECT allocation, sum(n) AS n, total(moved) AS moved FROM "
        "(SELECT dst_allocation AS allocation, count(*) AS n, total(bytes) AS moved FROM transfer "
        "WHERE " XS_RAN " GROUP BY dst_allocation UNION ALL "
        "SELECT src_allocation, count(*), total(bytes) FROM transfer WHERE " XS_RAN
        " GROUP BY src_allocation) WHERE allocation IS NOT NULL GROUP BY allocation) s "
        "JOIN allocation a ON a.id = s.allocation WHERE a.kind = 4 ORDER BY s.moved DESC, a.id",
        message, &damaged);
    while (xs_scan_row(&scan)) {
        b->all++;
        if (b->count >= XS_HTML_BUFFERS || !xs_scan_count_or_null(&scan, BYTES))
            continue;
        xs_grow(&b->buffers, b->count, &b->capacity, sizeof *b->buffers);
        b->buffers[b->count++] = (struct xs_html_buffer){
            .id = xs_scan_int(&scan, ID),
            .address = (uint64_t)xs_scan_int(&scan, ADDRESS),
            .bytes = xs_scan_count(&scan, BYTES),
            .device = xs_scan_null(&scan, DEVICE) ? -1 : xs_scan_int(&scan, DEVICE),
            .begin_ns = xs_scan_int(&scan, BEGIN),
            .end_ns = xs_scan_null(&scan, END) ? INT64_MAX : xs_scan_int(&scan, END),
            .site = xs_site_of(sites, xs_scan_int(&scan, ENTRY), xs_scan_int(&scan, STACK)),
            .transfers = xs_scan_count(&scan, TRANSFERS),
            .moved = xs_scan_count(&scan, MOVED),
        };
    }
    return xs_scan_end(&scan);
}

static void list(const struct xs_html_buffers *b, struct xs_string *text) {
    for (size_t i = 0; i < b->count; i++)
        xs_string_format(text, "%s%" PRId64, i ? ", " : "", b->buffers[i].id);
}

static int64_t use_step(const struct xs_html_buffer *buffer, int64_t end_ns) {
    int64_t last = buffer->end_ns < end_ns ? buffer->end_ns : end_ns;
    return last > buffer->begin_ns ? (last - buffer->begin_ns) / XS_HTML_USE_TIMES : 0;
}

/* Notes that the findings of a row concern the buffer at this time. */
static void note(struct reading *r, struct xs_html_buffer *buffer, enum xs_evidence_table table, int64_t row,
                 uint32_t site, int64_t at_ns) {
    struct xs_marked marked = {0};
    xs_marks_of(r->marks, table, row, site, &marked);
    for (unsigned i = 0; i < marked.count; i++)
        xs_html_use_add(&buffer->findings, marked.findings[i], at_ns, use_step(buffer, r->end_ns));
}

/* Adds an event to the buffer of an allocation, and returns the buffer; NULL: this buffer is not shown. */
static struct xs_html_buffer *add_event(struct xs_html_buffers *b, int64_t allocation,
                                        struct xs_html_buffer_event event) {
    for (size_t i = 0; i < b->count; i++) {
        if (b->buffers[i].id != allocation)
            continue;
        if (b->event_count >= XS_HTML_BUFFER_EVENTS) {
            b->buffers[i].events_left_out = true;
            return &b->buffers[i];
        }
        event.buffer = (uint16_t)i;
        xs_grow(&b->events, b->event_count, &b->event_capacity, sizeof *b->events);
        b->events[b->event_count++] = event;
        return &b->buffers[i];
    }
    return NULL;
}

static void add_transfer(struct reading *r, int64_t allocation, const struct xs_html_buffer_event *event,
                         uint32_t site) {
    struct xs_html_buffer *buffer = add_event(r->buffers, allocation, *event);
    if (!buffer)
        return;
    note(r, buffer, XS_EVIDENCE_TRANSFER, event->row, site, event->at_ns);
    if (event->site >= 0)
        xs_html_use_add(&buffer->sites, (uint32_t)event->site, event->at_ns, -1);
}

static int read_transfers(struct reading *r) {
    enum { ID, AT, BYTES, DIRECTION, SOURCE, SOURCE_ADDRESS, TO, TO_ADDRESS, LOW, HIGH, ENTRY, STACK };
    XS_SCOPED_STRING sql = {0};
    struct xs_scan scan;
    uint64_t damaged = 0;
    xs_string_format(
        &sql,
        "SELECT t.id, t.enter_ns, t.bytes, t.direction, t.src_allocation, t.src_address, t.dst_allocation, "
        "t.dst_address, f.content_low, f.content_high, t.entry_point, t.stack FROM transfer t "
        "LEFT JOIN fingerprint f ON f.id = t.fingerprint WHERE " XS_RAN
        " AND t.bytes > 0 AND (t.dst_allocation IN (%s) OR t.src_allocation IN (%s))",
        r->ids.data, r->ids.data);
    xs_scan_begin(&scan, r->trace, sql.data, r->message, &damaged);
    while (xs_scan_row(&scan)) {
        uint32_t site = 0;
        struct xs_html_buffer_event event = {
            .at_ns = xs_scan_int(&scan, AT),
            .row = xs_scan_int(&scan, ID),
            .bytes = xs_scan_count(&scan, BYTES),
            .known = !xs_scan_null(&scan, LOW),
            .content = {(uint64_t)xs_scan_int(&scan, LOW), (uint64_t)xs_scan_int(&scan, HIGH)}};
        event.site = xs_html_site_index(r->sites, xs_scan_int(&scan, ENTRY), xs_scan_int(&scan, STACK), &site);
        if (!xs_scan_null(&scan, TO)) {
            event.address = (uint64_t)xs_scan_int(&scan, TO_ADDRESS);
            event.what = xs_scan_int(&scan, DIRECTION) == XS_DIR_H2D ? XS_HTML_BY_UPLOAD : XS_HTML_BY_COPY;
            add_transfer(r, xs_scan_int(&scan, TO), &event, site);
        }
        if (!xs_scan_null(&scan, SOURCE)) {
            event.address = (uint64_t)xs_scan_int(&scan, SOURCE_ADDRESS);
            event.what = XS_HTML_READ;
            add_transfer(r, xs_scan_int(&scan, SOURCE), &event, site);
        }
    }
    return xs_scan_end(&scan);
}

/* Reads memsets, and launches that got a pointer into a buffer. */
static int read_others(struct reading *r) {
    enum { ID, AT, BYTES, ADDRESS, OF };
    static const struct {
        uint8_t what;
        const char *sql;
    } queries[] = {{XS_HTML_BY_MEMSET, "SELECT id, enter_ns, bytes, address, allocation FROM memset WHERE " XS_RAN
                                       " AND bytes > 0 AND allocation IN (%s)"},
                   {XS_HTML_LAUNCH, "SELECT l.id, l.enter_ns, 0, 0, a.allocation FROM argument a JOIN launch l ON "
                                    "l.arguments = a.argument_set WHERE " XS_RAN " AND a.allocation IN (%s)"}};
    int status = XS_OK;
    for (size_t i = 0; i < sizeof queries / sizeof *queries && status >= 0; i++) {
        XS_SCOPED_STRING sql = {0};
        struct xs_scan scan;
        uint64_t damaged = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* from the table above */
        xs_string_format(&sql, queries[i].sql, r->ids.data);
#pragma GCC diagnostic pop
        xs_scan_begin(&scan, r->trace, sql.data, r->message, &damaged);
        while (xs_scan_row(&scan)) {
            struct xs_html_buffer_event event = {.at_ns = xs_scan_int(&scan, AT),
                                                 .row = xs_scan_int(&scan, ID),
                                                 .bytes = xs_scan_count_or_null(&scan, BYTES),
                                                 .address = (uint64_t)xs_scan_int(&scan, ADDRESS),
                                                 .site = -1,
                                                 .what = queries[i].what};
            struct xs_html_buffer *buffer = add_event(r->buffers, xs_scan_int(&scan, OF), event);
            if (buffer && event.what == XS_HTML_BY_MEMSET)
                note(r, buffer, XS_EVIDENCE_MEMSET, event.row, 0, event.at_ns);
        }
        status = xs_scan_end(&scan);
    }
    return status;
}

int xs_html_buffers_read(struct xs_html_buffers *b, const struct xs_trace *trace, struct xs_html_sites *sites,
                         const struct xs_marks *marks, int64_t end_ns, char *message) {
    struct reading r = {
        .buffers = b, .trace = trace, .sites = sites, .marks = marks, .end_ns = end_ns, .message = message};
    int status = choose(b, trace, sites->sites, message);
    if (status < 0 || !b->count)
        return status;
    list(b, &r.ids);
    for (size_t i = 0; i < b->count; i++)
        note(&r, &b->buffers[i], XS_EVIDENCE_ALLOCATION, b->buffers[i].id, 0, b->buffers[i].begin_ns);
    status = read_transfers(&r);
    if (status >= 0)
        status = read_others(&r);
    xs_string_free(&r.ids);
    if (status >= 0)
        xs_html_buffers_play(b, end_ns);
    return status;
}

static void put_buffer(struct xs_html_buffer *buffer, const struct xs_sites *sites, struct xs_json *json) {
    char address[24];
    snprintf(address, sizeof address, "0x%" PRIx64, buffer->address);
    xs_json_object(json, NULL);
    xs_json_int(json, "allocation", buffer->id);
    xs_json_int(json, "device", buffer->device);
    xs_json_text(json, "address", address);
    xs_json_count(json, "bytes", buffer->bytes);
    xs_json_count(json, "transfers", buffer->transfers);
    xs_json_count(json, "moved_bytes", buffer->moved);
    xs_json_int(json, "begin_ns", buffer->begin_ns);
    if (buffer->end_ns == INT64_MAX)
        xs_json_null(json, "end_ns");
    else
        xs_json_int(json, "end_ns", buffer->end_ns);
    xs_json_bool(json, "events_left_out", buffer->events_left_out);
    xs_json_text(json, "entry_point", xs_site_entry(sites, buffer->site)->name);
    xs_html_place_json(sites, xs_site_place_frame(sites, buffer->site), json);
    xs_html_uses_json(&buffer->findings, "findings", XS_HTML_USES_WITH_TIMES, json);
    xs_html_uses_json(&buffer->sites, "sites", 0, json);
    xs_json_array(json, "pieces"); /* start, end, changed, offset, bytes, writes, reads, row, content, how, site */
    for (size_t i = 0; i < buffer->count; i++) {
        const struct xs_html_piece *p = &buffer->items[i];
        const int64_t numbers[] = {p->start_ns,
                                   p->end_ns,
                                   p->changed_ns,
                                   (int64_t)p->offset,
                                   (int64_t)p->bytes,
                                   (int64_t)p->writes,
                                   (int64_t)p->reads,
                                   p->row,
                                   p->content,
                                   p->how,
                                   p->site};
        xs_json_array(json, NULL);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            xs_json_int(json, NULL, numbers[k]);
        xs_json_end(json, ']');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

void xs_html_buffers_json(const struct xs_html_buffers *b, const struct xs_sites *sites, struct xs_json *json) {
    xs_json_object(json, "residency");
    xs_json_count(json, "allocations", b->all);
    xs_json_array(json, "contents");
    for (size_t i = 0; i < b->content_count; i++) {
        char digits[40];
        snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64, b->contents[i].digits[1],
                 b->contents[i].digits[0]);
        xs_json_text(json, NULL, digits);
    }
    xs_json_end(json, ']');
    xs_json_array(json, "buffers");
    for (size_t i = 0; i < b->count; i++)
        put_buffer(&b->buffers[i], sites, json);
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

void xs_html_buffers_free(struct xs_html_buffers *b) {
    for (size_t i = 0; i < b->count; i++) {
        free(b->buffers[i].items);
        xs_html_uses_free(&b->buffers[i].findings);
        xs_html_uses_free(&b->buffers[i].sites);
    }
    free(b->buffers);
    free(b->events);
    free(b->contents);
    xs_hash_free(&b->content_index);
    *b = (struct xs_html_buffers){0};
}

/* Reads the rows that findings name; see evidence.h. There is one query per table. The names of its columns are the
 * keys of the JSON. */
#include "analyzer/commands/explain/evidence.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/device_windows.h"
#include "schema/format/kinds.h"

enum { KERNEL_BYTES = 1024 }; /* room for a name as the source has it */

#define ADDRESS "iif(r.address IS NULL, NULL, printf('0x%x', r.address)) AS address"
#define SRC_ADDRESS "iif(r.src_address IS NULL, NULL, printf('0x%x', r.src_address)) AS src_address"
#define DST_ADDRESS "iif(r.dst_address IS NULL, NULL, printf('0x%x', r.dst_address)) AS dst_address"
#define FUNCTION "iif(r.function IS NULL, NULL, printf('0x%x', r.function)) AS function"
#define CALL "r.enter_ns AS enter_ns, r.return_ns - r.enter_ns AS host_ns, th.tid AS tid, r.stream AS stream"
/* Columns of a call in tables that also have its stack and NVTX range. */
#define CALL_FROM CALL ", r.stack AS stack_id, r.nvtx_range AS nvtx_range_id"
#define CALL_JOINS " LEFT JOIN entry_point e ON e.id = r.entry_point LEFT JOIN thread th ON th.id = r.thread"

static const char *const queries[] = {
    [XS_EVIDENCE_TRANSFER] =
        "SELECT e.name AS entry_point, d.name AS direction, r.bytes AS bytes, sk.name AS src_kind, "
        "dk.name AS dst_kind, " SRC_ADDRESS ", " DST_ADDRESS ", r.src_allocation AS src_allocation, "
        "r.src_address - sa.address AS src_offset_bytes, "
        "r.dst_allocation AS dst_allocation, r.dst_address - da.address AS dst_offset_bytes, "
        "r.src_device AS src_device, r.dst_device AS dst_device, " CALL_FROM ", r.is_async AS is_async, "
        "r.batch_index AS batch_index, (SELECT min(c.start_ns) FROM device_copy c "
        "WHERE c.correlation = r.correlation AND c.graph_node IS NULL) AS start_ns, "
        "CASE WHEN r.batch_index IS NULL THEN (SELECT sum(c.end_ns - c.start_ns) FROM device_copy c "
        "WHERE c.correlation = r.correlation AND c.graph_node IS NULL) END AS device_ns, "
        "CASE WHEN f.id IS NOT NULL THEN printf('%016x%016x', f.content_high, f.content_low) END AS content, "
        "CASE WHEN f.before_low IS NOT NULL THEN printf('%016x%016x', f.before_high, f.before_low) END AS before, "
        "f.leaves AS leaves, f.changed_leaves AS changed_leaves, "
        "CASE WHEN f.constant_value IS NOT NULL THEN printf('0x%08x', f.constant_value & 4294967295) END "
        "AS constant_value, CASE f.on_device WHEN 1 THEN 'device' WHEN 0 THEN 'host' END AS taken_on, "
        "CASE WHEN r.fingerprint IS NULL THEN s.name WHEN f.id IS NULL THEN 'lost with the process' END AS missing, "
        "h.watched_bytes AS watched_bytes, h.read_bytes AS read_bytes, h.pieces AS pieces, "
        "h.read_pieces AS read_pieces, hd.name AS read_doubt "
        "FROM transfer r" CALL_JOINS " LEFT JOIN direction d ON d.id = r.direction "
        "LEFT JOIN memory_kind sk ON sk.id = r.src_kind LEFT JOIN memory_kind dk ON dk.id = r.dst_kind "
        "LEFT JOIN allocation sa ON sa.id = r.src_allocation LEFT JOIN allocation da ON da.id = r.dst_allocation "
        "LEFT JOIN fingerprint f ON f.id = r.fingerprint LEFT JOIN fingerprint_skip s ON s.id = r.skip "
        "LEFT JOIN host_read h ON h.id = r.host_read LEFT JOIN host_read_doubt hd ON hd.id = h.doubt WHERE r.id = ?1",
    [XS_EVIDENCE_MEMSET] =
        "SELECT e.name AS entry_point, " ADDRESS
        ", r.bytes AS bytes, k.name AS memory_kind, r.allocation AS allocation, "
        "r.device AS device, r.value AS value, r.element_bytes AS element_bytes, " CALL_FROM ", "
        "r.is_async AS is_async FROM memset r" CALL_JOINS " LEFT JOIN memory_kind k ON k.id = r.kind WHERE r.id = ?1",
    [XS_EVIDENCE_ALLOCATION] =
        "SELECT e.name AS entry_point, " ADDRESS ", r.bytes AS bytes, k.name AS memory_kind, o.name AS origin, "
        "r.device AS device, " CALL_FROM ", fe.name AS free_entry_point, r.free_enter_ns AS free_enter_ns, "
        "r.free_return_ns - r.free_enter_ns AS free_host_ns FROM allocation r" CALL_JOINS
        " LEFT JOIN memory_kind k ON k.id = r.kind LEFT JOIN origin o ON o.id = r.origin "
        "LEFT JOIN entry_point fe ON fe.id = r.free_entry_point WHERE r.id = ?1",
    [XS_EVIDENCE_LAUNCH] =
        "SELECT e.name AS entry_point, k.name AS launch_kind, " FUNCTION ", (SELECT n.name FROM device_kernel dk "
        "JOIN kernel_name n ON n.id = dk.name WHERE dk.correlation = r.correlation LIMIT 1) AS kernel, "
        "r.arguments IS NOT NULL AS arguments_seen, " CALL " FROM launch r" CALL_JOINS
        " LEFT JOIN launch_kind k ON k.id = r.kind WHERE r.id = ?1",
    [XS_EVIDENCE_SYNC] = "SELECT e.name AS entry_point, k.name AS scope, " CALL_FROM " FROM sync r" CALL_JOINS
                         " LEFT JOIN sync_scope k ON k.id = r.scope WHERE r.id = ?1",
    [XS_EVIDENCE_API_CALL] =
        "SELECT e.name AS entry_point, " ADDRESS ", r.bytes AS bytes, r.argument AS argument, " CALL
        " FROM api_call r" CALL_JOINS " WHERE r.id = ?1",
    [XS_EVIDENCE_MIGRATION] =
        "SELECT k.name AS migration_kind, " ADDRESS ", r.bytes AS bytes, r.start_ns AS enter_ns, "
        "r.end_ns - r.start_ns AS device_ns, r.src_device AS src_device, r.dst_device AS dst_device "
        "FROM device_migration r LEFT JOIN migration_kind k ON k.id = r.kind WHERE r.id = ?1",
};

int xs_facts_read(const struct xs_trace *trace, const struct xs_evidence *evidence, struct xs_facts *facts,
                  char *message) {
    struct xs_scan scan;
    *facts = (struct xs_facts){0};
    if ((size_t)evidence->table >= sizeof queries / sizeof *queries)
        return XS_OK;
    xs_scan_begin(&scan, trace, queries[evidence->table], message, NULL);
    if (scan.statement)
        sqlite3_bind_int64(scan.statement, 1, evidence->row);
    if (xs_scan_row(&scan)) {
        facts->found = true;
        int columns = sqlite3_column_count(scan.statement);
        for (int i = 0; i < columns && facts->count < XS_FACTS; i++) {
            struct xs_fact *fact = &facts->items[facts->count++];
            int type = sqlite3_column_type(scan.statement, i);
            snprintf(fact->key, sizeof fact->key, "%s", sqlite3_column_name(scan.statement, i));
            fact->known = type != SQLITE_NULL;
            if (type == SQLITE_INTEGER)
                fact->number = xs_scan_int(&scan, i);
            else if (fact->known)
                fact->text = xs_scan_name(&scan, i);
        }
    }
    if (evidence->table == XS_EVIDENCE_TRANSFER && facts->count < XS_FACTS &&
        xs_is_modelled_row(trace, XS_NUMBERED_TRANSFER, evidence->row))
        facts->items[facts->count++] = (struct xs_fact){.key = "modelled", .number = 1, .known = true};
    return xs_scan_end(&scan);
}

void xs_facts_cut(struct xs_facts *facts, int columns) {
    for (size_t i = 0; i < facts->count; i++) {
        struct xs_fact *fact = &facts->items[i];
        struct xs_string cut = {0};
        char readable[KERNEL_BYTES];
        if (!fact->text)
            continue;
        const char *text =
            strcmp(fact->key, "kernel") ? fact->text : xs_demangle(fact->text, readable, sizeof readable);
        xs_string_add_cut(&cut, text, columns);
        free(fact->text);
        fact->text = cut.data;
    }
}

void xs_facts_free(struct xs_facts *facts) {
    for (size_t i = 0; i < facts->count; i++)
        free(facts->items[i].text);
    *facts = (struct xs_facts){0};
}

static const struct xs_fact *find(const struct xs_facts *facts, const char *key) {
    for (size_t i = 0; i < facts->count; i++)
        if (!strcmp(facts->items[i].key, key))
            return &facts->items[i];
    return NULL;
}

const char *xs_fact_text(const struct xs_facts *facts, const char *key) {
    const struct xs_fact *fact = find(facts, key);
    return fact ? fact->text : NULL;
}

bool xs_fact_known(const struct xs_facts *facts, const char *key) {
    const struct xs_fact *fact = find(facts, key);
    return fact && fact->known;
}

int64_t xs_fact_number(const struct xs_facts *facts, const char *key, int64_t fallback) {
    const struct xs_fact *fact = find(facts, key);
    return fact && fact->known && !fact->text ? fact->number : fallback;
}

void xs_facts_json(const struct xs_facts *facts, struct xs_json *json) {
    for (size_t i = 0; i < facts->count; i++) {
        const struct xs_fact *fact = &facts->items[i];
        if (fact->text)
            xs_json_text(json, fact->key, fact->text);
        else
            xs_json_known_int(json, fact->key, fact->known, fact->number);
    }
}

int xs_between_read(const struct xs_trace *trace, const struct xs_facts *now, const struct xs_facts *then,
                    struct xs_between *between, char *message) {
    static const char sql[] =
        "SELECT * FROM (SELECT count(*), sum(l.arguments IN (SELECT argument_set FROM argument WHERE allocation = ?1)),"
        " sum(l.arguments IS NULL) FROM launch l LEFT JOIN context c ON c.id = l.context"
        " WHERE l.enter_ns > ?2 AND l.enter_ns < ?3 AND " XS_RAN
        " AND l.kind <> ?4 AND (c.device IS NULL OR c.device = ?5 OR ?5 < 0)),"
        " (SELECT sum(dst_allocation = ?1), sum(src_allocation = ?1) FROM transfer"
        " WHERE enter_ns > ?2 AND enter_ns < ?3 AND bytes > 0 AND " XS_RAN "),"
        " (SELECT count(*) FROM memset WHERE allocation = ?1 AND enter_ns > ?2 AND enter_ns < ?3 AND " XS_RAN ")";
    struct xs_scan scan;
    const char *direction = xs_fact_text(now, "direction");
    bool is_upload = direction && !strcmp(direction, "h2d");
    int64_t a = xs_fact_number(now, "enter_ns", 0), b = xs_fact_number(then, "enter_ns", 0);
    const int64_t values[] = {xs_fact_number(now, is_upload ? "dst_allocation" : "src_allocation", 0), a < b ? a : b,
                              a < b ? b : a, XS_LAUNCH_HOST_FUNCTION,
                              xs_fact_number(now, is_upload ? "dst_device" : "src_device", -1)};
    *between = (struct xs_between){.known = now->found && then->found, .allocation = values[0]};
    if (!between->known)
        return XS_OK;
    xs_scan_begin(&scan, trace, sql, message, NULL);
    for (int i = 0; i < (int)(sizeof values / sizeof *values) && scan.statement; i++)
        sqlite3_bind_int64(scan.statement, i + 1, values[i]);
    if (xs_scan_row(&scan)) {
        between->launches = xs_scan_count_or_null(&scan, 0);
        between->launches_given = xs_scan_count_or_null(&scan, 1);
        between->launches_unseen = xs_scan_count_or_null(&scan, 2);
        between->copies_to = xs_scan_count_or_null(&scan, 3);
        between->copies_from = xs_scan_count_or_null(&scan, 4);
        between->memsets = xs_scan_count_or_null(&scan, 5);
    }
    return xs_scan_end(&scan);
}

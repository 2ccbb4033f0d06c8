/* Reads the rows that findings name; see evidence.h. There is one query per table. The names of its columns are the
 * keys of the JSON. */
#include "analyzer/commands/explain/evidence.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/device_windows.h"
#include "analyzer/words/place.h"
#include "schema/format/kinds.h"

enum { KERNEL_BYTES = 1024 }; /* room for a name as the source has it */

#define HEX(column) "CASE WHEN " column " IS NOT NULL THEN printf('0x%x', " column ") END"
#define CALL(row)                                                                                                      \
    row ".enter_ns AS enter_ns, " row ".return_ns - " row ".enter_ns AS host_ns, th.tid AS tid, " row                  \
        ".stream AS stream"
/* Columns of a call in tables that also have its stack and NVTX range. */
#define CALL_FROM(row) CALL(row) ", " row ".stack AS stack_id, " row ".nvtx_range AS nvtx_range_id"
#define CALL_JOINS(row)                                                                                                \
    " LEFT JOIN entry_point e ON e.id = " row ".entry_point LEFT JOIN thread th ON th.id = " row ".thread"

static const char *const queries[] = {
    [XS_EVIDENCE_TRANSFER] =
        "SELECT e.name AS entry_point, d.name AS direction, t.bytes AS bytes, sk.name AS src_kind, dk.name AS dst_kind,"
        " " HEX("t.src_address") " AS src_address, " HEX(
            "t.dst_address") " AS dst_address,"
                             " t.src_allocation AS src_allocation, t.src_address - sa.address AS src_offset_bytes,"
                             " t.dst_allocation AS dst_allocation, t.dst_address - da.address AS dst_offset_bytes,"
                             " t.src_device AS src_device, t.dst_device AS dst_device, " CALL_FROM(
                                 "t") ", t.is_async AS is_async,"
                                      " t.batch_index AS batch_index,"
                                      " (SELECT min(c.start_ns) FROM device_copy c WHERE c.correlation = t.correlation "
                                      "AND c.graph_node IS NULL)"
                                      " AS start_ns,"
                                      " CASE WHEN t.batch_index IS NULL THEN (SELECT sum(c.end_ns - c.start_ns) FROM "
                                      "device_copy c"
                                      " WHERE c.correlation = t.correlation AND c.graph_node IS NULL) END AS device_ns,"
                                      " CASE WHEN f.id IS NOT NULL THEN printf('%016x%016x', f.content_high, "
                                      "f.content_low) END AS content,"
                                      " CASE WHEN f.before_low IS NOT NULL THEN printf('%016x%016x', f.before_high, "
                                      "f.before_low) END AS before,"
                                      " f.leaves AS leaves, f.changed_leaves AS changed_leaves,"
                                      " CASE WHEN f.constant_value IS NOT NULL THEN printf('0x%08x', f.constant_value "
                                      "& 4294967295) END"
                                      " AS constant_value,"
                                      " CASE f.on_device WHEN 1 THEN 'device' WHEN 0 THEN 'host' END AS taken_on,"
                                      " CASE WHEN t.fingerprint IS NULL THEN s.name WHEN f.id IS NULL THEN 'lost with "
                                      "the process' END AS missing"
                                      " FROM transfer t" CALL_JOINS(
                                          "t") " LEFT JOIN direction d ON d.id = t.direction"
                                               " LEFT JOIN memory_kind sk ON sk.id = t.src_kind LEFT JOIN memory_kind "
                                               "dk ON dk.id = t.dst_kind"
                                               " LEFT JOIN allocation sa ON sa.id = t.src_allocation LEFT JOIN "
                                               "allocation da ON da.id = t.dst_allocation"
                                               " LEFT JOIN fingerprint f ON f.id = t.fingerprint LEFT JOIN "
                                               "fingerprint_skip s ON s.id = t.skip WHERE t.id = ",
    [XS_EVIDENCE_MEMSET] = "SELECT e.name AS entry_point, " HEX(
        "m.address") " AS address, m.bytes AS bytes, k.name AS memory_kind,"
                     " m.allocation AS allocation, m.device AS device, m.value AS value, m.element_bytes AS "
                     "element_bytes,"
                     " " CALL_FROM("m") ", m.is_async AS is_async FROM memset m" CALL_JOINS(
                         "m") " LEFT JOIN memory_kind k ON k.id = m.kind WHERE m.id = ",
    [XS_EVIDENCE_ALLOCATION] = "SELECT e.name AS entry_point, " HEX(
        "a.address") " AS address, a.bytes AS bytes, k.name AS memory_kind,"
                     " o.name AS origin, a.device AS device, " CALL_FROM(
                         "a") ", fe.name AS free_entry_point,"
                              " a.free_enter_ns AS free_enter_ns, a.free_return_ns - a.free_enter_ns AS free_host_ns "
                              "FROM allocation a" CALL_JOINS(
                                  "a") " LEFT JOIN memory_kind k ON k.id = a.kind LEFT JOIN origin o ON o.id = a.origin"
                                       " LEFT JOIN entry_point fe ON fe.id = a.free_entry_point WHERE a.id = ",
    [XS_EVIDENCE_LAUNCH] = "SELECT e.name AS entry_point, k.name AS launch_kind, " HEX(
        "l.function") " AS function,"
                      " (SELECT n.name FROM device_kernel dk JOIN kernel_name n ON n.id = dk.name WHERE dk.correlation "
                      "= l.correlation"
                      " LIMIT 1) AS kernel, l.arguments IS NOT NULL AS arguments_seen, " CALL(
                          "l") " FROM launch l" CALL_JOINS("l") " LEFT JOIN launch_kind k ON k.id = l.kind WHERE l.id "
                                                                "= ",
    [XS_EVIDENCE_SYNC] = "SELECT e.name AS entry_point, k.name AS scope, " CALL_FROM("s") " FROM sync s" CALL_JOINS(
        "s") " LEFT JOIN sync_scope k ON k.id = s.scope WHERE s.id = ",
    [XS_EVIDENCE_API_CALL] = "SELECT e.name AS entry_point, " HEX(
        "c.address") " AS address, c.bytes AS bytes, c.argument AS argument,"
                     " " CALL("c") " FROM api_call c" CALL_JOINS("c") " WHERE c.id = ",
    [XS_EVIDENCE_MIGRATION] = "SELECT k.name AS migration_kind, " HEX(
        "m.address") " AS address, m.bytes AS bytes, m.start_ns AS enter_ns,"
                     " m.end_ns - m.start_ns AS device_ns, m.src_device AS src_device, m.dst_device AS dst_device"
                     " FROM device_migration m LEFT JOIN migration_kind k ON k.id = m.kind WHERE m.id = ",
};

/* Returns the key of a column. Keys must be valid after the statement is finalized, so each alias is copied once. */
static const char *static_key(const char *name) {
    static const char *const keys[] = {"entry_point",
                                       "direction",
                                       "bytes",
                                       "src_kind",
                                       "dst_kind",
                                       "src_address",
                                       "dst_address",
                                       "src_allocation",
                                       "dst_allocation",
                                       "src_device",
                                       "src_offset_bytes",
                                       "dst_offset_bytes",
                                       "dst_device",
                                       "enter_ns",
                                       "host_ns",
                                       "tid",
                                       "stream",
                                       "is_async",
                                       "batch_index",
                                       "start_ns",
                                       "device_ns",
                                       "content",
                                       "before",
                                       "leaves",
                                       "constant_value",
                                       "changed_leaves",
                                       "taken_on",
                                       "missing",
                                       "address",
                                       "memory_kind",
                                       "launch_kind",
                                       "migration_kind",
                                       "allocation",
                                       "device",
                                       "value",
                                       "element_bytes",
                                       "origin",
                                       "free_entry_point",
                                       "free_enter_ns",
                                       "free_host_ns",
                                       "function",
                                       "kernel",
                                       "arguments_seen",
                                       "scope",
                                       "argument",
                                       "stack_id",
                                       "nvtx_range_id"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(keys[i], name))
            return keys[i];
    return "other";
}

int xs_facts_read(const struct xs_trace *trace, const struct xs_evidence *evidence, struct xs_facts *facts,
                  char *message) {
    struct xs_scan scan;
    *facts = (struct xs_facts){0};
    if ((size_t)evidence->table >= sizeof queries / sizeof *queries)
        return XS_OK;
    char *sql = sqlite3_mprintf("%s%lld", queries[evidence->table], (long long)evidence->row);
    if (!sql)
        xs_out_of_memory();
    xs_scan_begin(&scan, trace, sql, message, NULL);
    if (xs_scan_row(&scan)) {
        facts->found = true;
        int columns = sqlite3_column_count(scan.statement);
        for (int i = 0; i < columns && facts->count < XS_FACTS; i++) {
            struct xs_fact *fact = &facts->items[facts->count++];
            int type = sqlite3_column_type(scan.statement, i);
            fact->key = static_key(sqlite3_column_name(scan.statement, i));
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
    sqlite3_free(sql);
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
        if (!fact->known)
            xs_json_null(json, fact->key);
        else if (fact->text)
            xs_json_text(json, fact->key, fact->text);
        else
            xs_json_int(json, fact->key, fact->number);
    }
}

static int count_rows(const struct xs_trace *trace, char *sql, uint64_t *counts, int columns, char *message) {
    struct xs_scan scan;
    uint64_t damaged = 0;
    if (!sql)
        xs_out_of_memory();
    xs_scan_begin(&scan, trace, sql, message, &damaged);
    if (xs_scan_row(&scan))
        for (int i = 0; i < columns; i++)
            counts[i] = xs_scan_count_or_null(&scan, i);
    sqlite3_free(sql);
    return xs_scan_end(&scan);
}

int xs_between_read(const struct xs_trace *trace, const struct xs_facts *now, const struct xs_facts *then,
                    struct xs_between *between, char *message) {
    uint64_t launches[3] = {0}, copies[2] = {0};
    const char *direction = xs_fact_text(now, "direction");
    bool is_upload = direction && !strcmp(direction, "h2d");
    long long of = xs_fact_number(now, is_upload ? "dst_allocation" : "src_allocation", 0);
    long long on = xs_fact_number(now, is_upload ? "dst_device" : "src_device", -1);
    long long a = xs_fact_number(now, "enter_ns", 0), b = xs_fact_number(then, "enter_ns", 0);
    long long from = a < b ? a : b, to = a < b ? b : a;
    *between = (struct xs_between){.known = now->found && then->found, .allocation = of};
    if (!between->known)
        return XS_OK;
    int status = count_rows(
        trace,
        sqlite3_mprintf(
            "SELECT count(*), sum(l.arguments IN (SELECT argument_set FROM argument WHERE allocation = %lld)),"
            " sum(l.arguments IS NULL) FROM launch l LEFT JOIN context c ON c.id = l.context"
            " WHERE l.enter_ns > %lld AND l.enter_ns < %lld AND " XS_RAN
            " AND l.kind <> %d AND (c.device IS NULL OR c.device = %lld OR %lld < 0)",
            of, from, to, XS_LAUNCH_HOST_FUNCTION, on, on),
        launches, 3, message);
    if (status >= 0)
        status =
            count_rows(trace,
                       sqlite3_mprintf("SELECT sum(dst_allocation = %lld), sum(src_allocation = %lld) FROM transfer"
                                       " WHERE enter_ns > %lld AND enter_ns < %lld AND bytes > 0 AND " XS_RAN,
                                       of, of, from, to),
                       copies, 2, message);
    if (status >= 0)
        status = count_rows(trace,
                            sqlite3_mprintf("SELECT count(*) FROM memset WHERE allocation = %lld AND enter_ns > %lld"
                                            " AND enter_ns < %lld AND " XS_RAN,
                                            of, from, to),
                            &between->memsets, 1, message);
    between->launches = launches[0];
    between->launches_given = launches[1];
    between->launches_unseen = launches[2];
    between->copies_to = copies[0];
    between->copies_from = copies[1];
    return status;
}

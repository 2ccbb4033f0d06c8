/* Defines the SQL statements that read a timeline; see sources.h. */
#include "analyzer/totals/timeline/sources.h"

#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/ran.h"

/* clang-format off */
#define CALL(stack, bytes, correlation) \
  "t.enter_ns, t.return_ns, t.id, " correlation ", " bytes ", t.entry_point, " stack ", t.thread, t.stream, "
#define NO_TRANSFER "NULL, NULL, NULL, NULL, NULL, NULL"
#define TRANSFER \
  CALL("t.stack", "t.bytes", "t.correlation") "t.direction, t.src_kind, t.dst_kind, t.batch_index, t.is_async, t.skip"
/* Cuts a name of the trace, before SQLite sorts the rows: else each row would carry a hostile name of megabytes. */
#define NAME(of) "substr(" of ", 1, 4096)"
#define NAMED(rows, range) "coalesce(" NAME("e.name") ", 'unknown'), " rows ", " range ", "
#define FAILED \
  "CASE WHEN t.result <> 0 THEN t.result END AS result, CASE WHEN t.is_captured THEN 1 END AS is_captured, "
#define ASYNC "CASE WHEN t.is_async THEN 1 END AS is_async, "
#define ENTRY "LEFT JOIN entry_point e ON e.id = t.entry_point "
#define STREAM "LEFT JOIN stream s ON s.id = t.stream "

#define WORK(bytes, device, queue, node, what, copies) \
  "t.start_ns, t.end_ns, t.id, t.correlation, " bytes ", " device ", " queue ", " node ", " what ", " copies
#define QUEUE "t.cupti_context, t.cupti_stream"
#define NO_CALL "NULL, NULL, NULL, NULL, NULL, "
/* Gives one row per correlation, even if several calls have it. */
#define LAUNCHED(table, other) \
  "LEFT JOIN (SELECT correlation, min(id) AS id, count(*) AS n, min(entry_point) AS entry_point," \
  " min(stream) AS stream" other \
  " FROM " table " WHERE correlation IS NOT NULL GROUP BY correlation) c ON c.correlation = t.correlation" \
  " LEFT JOIN stream s ON s.id = c.stream"
#define WITH_STACK ", min(stack) AS stack"

const struct xs_timeline_source xs_timeline_sources[XS_TIMELINE_KINDS] = {
  [XS_TIMELINE_TRANSFER] = {
    .category = "transfer", .evidence = XS_EVIDENCE_TRANSFER, .table = "transfer", .columns = TRANSFER, .ran = XS_RAN,
    .named = NAMED("1", "t.nvtx_range") NAME("d.name") " AS direction, t.bytes, " NAME("sk.name") " AS src_kind, " NAME("dk.name") " AS dst_kind,"
      " s.handle AS stream, " ASYNC FAILED
      "CASE WHEN f.id IS NOT NULL THEN printf('%016x%016x', f.content_high, f.content_low) END AS content,"
      " t.id AS transfer",
    .joins = ENTRY STREAM "LEFT JOIN direction d ON d.id = t.direction LEFT JOIN memory_kind sk ON sk.id = t.src_kind"
      " LEFT JOIN memory_kind dk ON dk.id = t.dst_kind LEFT JOIN fingerprint f ON f.id = t.fingerprint",
    .where = "t.batch_index IS NULL"},
  /* all copies of a batch call have the times of the call, so they are one slice */
  [XS_TIMELINE_BATCH] = {
    .category = "transfer", .evidence = XS_EVIDENCE_TRANSFER, .table = "transfer", .columns = TRANSFER, .ran = XS_RAN,
    .named = NAMED("count(*)", "t.nvtx_range") "count(*) AS copies, CAST(total(t.bytes) AS INTEGER) AS bytes, " ASYNC
      FAILED "min(t.id) AS transfer",
    .joins = ENTRY, .where = "t.batch_index IS NOT NULL", .group = "t.enter_ns, t.thread, t.correlation"},
  [XS_TIMELINE_MEMSET] = {
    .category = "memset", .evidence = XS_EVIDENCE_MEMSET, .table = "memset",
    .columns = CALL("t.stack", "t.bytes", "t.correlation") NO_TRANSFER, .ran = XS_RAN,
    .named = NAMED("1", "t.nvtx_range") "t.bytes, t.value, " NAME("k.name") " AS kind, s.handle AS stream, " FAILED
      "t.id AS memset",
    .joins = ENTRY STREAM "LEFT JOIN memory_kind k ON k.id = t.kind"},
  [XS_TIMELINE_LAUNCH] = {
    .category = "launch", .evidence = XS_EVIDENCE_LAUNCH, .table = "launch",
    .columns = CALL("NULL", "0", "t.correlation") NO_TRANSFER, .ran = XS_RAN,
    .named = NAMED("1", "-1") NAME("k.name") " AS kind, s.handle AS stream,"
      " CASE WHEN t.return_ns IS NULL THEN 'not measured' END AS duration, " FAILED "t.id AS launch",
    .joins = ENTRY STREAM "LEFT JOIN launch_kind k ON k.id = t.kind"},
  [XS_TIMELINE_SYNC] = {
    .category = "sync", .evidence = XS_EVIDENCE_SYNC, .table = "sync",
    .columns = CALL("t.stack", "0", "NULL") NO_TRANSFER, .ran = "t.result = 0",
    .named = NAMED("1", "t.nvtx_range") NAME("k.name") " AS scope, s.handle AS stream,"
      " CASE WHEN t.result <> 0 THEN t.result END AS result, t.id AS sync",
    .joins = ENTRY STREAM "LEFT JOIN sync_scope k ON k.id = t.scope"},
  [XS_TIMELINE_API_CALL] = {
    .category = "call", .evidence = XS_EVIDENCE_API_CALL, .table = "api_call",
    .columns = CALL("NULL", "t.bytes", "NULL") NO_TRANSFER, .ran = XS_RAN,
    .named = NAMED("1", "-1") "t.bytes, " FAILED "t.id AS api_call", .joins = ENTRY},
  [XS_TIMELINE_ALLOCATION] = {
    .category = "allocation", .evidence = XS_EVIDENCE_ALLOCATION, .table = "allocation",
    .columns = CALL("t.stack", "t.bytes", "NULL") NO_TRANSFER, .ran = "t.thread IS NOT NULL AND t.enter_ns IS NOT NULL",
    .named = NAMED("1", "t.nvtx_range") "t.bytes, " NAME("k.name") " AS kind, " NAME("o.name") " AS origin, t.device, t.id AS allocation",
    .joins = ENTRY "LEFT JOIN memory_kind k ON k.id = t.kind LEFT JOIN origin o ON o.id = t.origin",
    .where = "t.enter_ns IS NOT NULL"},
  /* the end of a context frees many allocations at the same time; they are one slice, and no finding is about it */
  [XS_TIMELINE_FREE] = {
    .category = "free", .evidence = XS_EVIDENCE_ALLOCATION, .table = "allocation",
    .columns = "t.free_enter_ns, t.free_return_ns, t.id, NULL, t.bytes, t.free_entry_point, t.free_stack,"
      " t.free_thread, t.free_stream, " NO_TRANSFER,
    .ran = "t.free_thread IS NOT NULL AND t.free_return_ns IS NOT NULL",
    .named = NAMED("0", "t.free_nvtx_range") "count(*) AS allocations, CAST(total(t.bytes) AS INTEGER) AS bytes,"
      " min(t.id) AS allocation",
    .joins = "LEFT JOIN entry_point e ON e.id = t.free_entry_point", .where = "t.free_enter_ns IS NOT NULL",
    .group = "t.free_enter_ns, t.free_thread, t.free_entry_point"},

  [XS_TIMELINE_COPY] = {
    .category = "copy", .evidence = XS_EVIDENCE_TRANSFER, .table = "device_copy",
    .columns = WORK("t.bytes", "coalesce(t.device, t.dst_device, t.src_device)", QUEUE, "t.graph_node",
      XS_KIND_OF_COPY("t."), "t.copies"),
    .named = "coalesce(" NAME("k.name") ", 'copy') || CASE k.id WHEN 1 THEN ' ' || coalesce(" NAME("sk.name") ", '')"
      " WHEN 2 THEN ' ' || coalesce(" NAME("dk.name") ", '') ELSE '' END, c.id, c.n, c.entry_point, c.stack, s.handle,"
      " t.bytes AS bytes,"
      " CASE WHEN t.end_ns > t.start_ns THEN CAST(t.bytes * 1e9 / (t.end_ns - t.start_ns) AS INTEGER) END"
      " AS bytes_per_s, " NAME("sk.name") " AS src_kind, " NAME("dk.name") " AS dst_kind,"
      " CASE WHEN t.copies > 1 THEN t.copies END AS copies, t.graph, t.graph_node,"
      " CASE WHEN t.graph_node IS NULL THEN c.id END AS transfer",
    .joins = "LEFT JOIN copy_kind k ON k.id = " XS_KIND_OF_COPY("t.") " LEFT JOIN device_memory_kind sk ON sk.id = t.src_kind"
      " LEFT JOIN device_memory_kind dk ON dk.id = t.dst_kind " LAUNCHED("transfer", WITH_STACK)},
  [XS_TIMELINE_KERNEL] = {
    .category = "kernel", .evidence = XS_TIMELINE_NO_EVIDENCE, .table = "device_kernel",
    .columns = WORK("0", "t.device", QUEUE, "t.graph_node", "t.name", "NULL"),
    .named = NAME("n.name") ", NULL, 0, NULL, NULL, s.handle, t.grid_x || ' ' || t.grid_y || ' ' || t.grid_z AS grid,"
      " t.block_x || ' ' || t.block_y || ' ' || t.block_z AS block, t.graph, t.graph_node, c.id AS launch",
    .joins = "LEFT JOIN kernel_name n ON n.id = t.name " LAUNCHED("launch", "")},
  [XS_TIMELINE_DEVICE_MEMSET] = {
    .category = "memset", .evidence = XS_EVIDENCE_MEMSET, .table = "device_memset",
    .columns = WORK("t.bytes", "t.device", QUEUE, "t.graph_node", "NULL", "NULL"),
    .named = "'memset', c.id, c.n, c.entry_point, c.stack, s.handle, t.bytes AS bytes, t.value, t.graph, t.graph_node,"
      " CASE WHEN t.graph_node IS NULL THEN c.id END AS memset",
    .joins = LAUNCHED("memset", WITH_STACK)},
  /* migrations belong to no stream */
  [XS_TIMELINE_MIGRATION] = {
    .category = "migration", .evidence = XS_EVIDENCE_MIGRATION, .table = "device_migration",
    .columns = "t.start_ns, t.end_ns, t.id, NULL, t.bytes, max(coalesce(t.src_device, -1), coalesce(t.dst_device, -1)),"
      " -1, -1, NULL, NULL, NULL",
    .named = "'migration ' || coalesce(" NAME("k.name") ", ''), t.id, 1, NULL, NULL, NULL, t.bytes AS bytes, t.address",
    .joins = "LEFT JOIN migration_kind k ON k.id = t.kind"},
};
/* clang-format on */

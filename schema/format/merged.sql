-- What a merged file has beside the tables of schema.sql, which have a column `trace` before all others there, or
-- (trace, row) where they have no number of their own: which traces are in it, and the views for people over all of them.

CREATE TABLE merged_trace (id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,                             -- what follows the colon in JOB.db:NAME
  rank INTEGER, world_size INTEGER, host TEXT, pid INTEGER, executable TEXT, command TEXT, -- as in meta
  start_unix_ns INTEGER, duration_ns INTEGER, status TEXT, schema_version INTEGER,
  file TEXT NOT NULL);                                   -- that it was merged from, without its folder

CREATE VIEW device_copy_by_call AS
  SELECT trace, correlation, count(*) AS records, sum(copies) AS copies, sum(bytes) AS bytes,
         min(start_ns) AS start_ns, max(end_ns) AS end_ns, sum(end_ns - start_ns) AS device_ns
  FROM device_copy WHERE graph_node IS NULL GROUP BY trace, correlation;

CREATE VIEW transfers AS
  SELECT t.trace, m.name AS trace_name, m.rank, t.id, e.name AS entry_point, d.name AS direction, t.bytes,
         sk.name AS src_kind, dk.name AS dst_kind, t.src_address, t.dst_address,
         t.src_allocation, t.dst_allocation, t.src_device, t.dst_device,
         th.tid, t.context, t.stream, t.is_async, t.is_captured, t.result, t.batch_index,
         t.enter_ns, t.return_ns, t.return_ns - t.enter_ns AS host_ns,
         c.start_ns, c.end_ns, CASE WHEN t.batch_index IS NULL THEN c.device_ns END AS device_ns, t.correlation,
         t.fingerprint, t.stack, t.nvtx_range
  FROM transfer t JOIN merged_trace m ON m.id = t.trace
  JOIN entry_point e ON e.trace = t.trace AND e.id = t.entry_point
  JOIN direction d ON d.trace = t.trace AND d.id = t.direction
  JOIN memory_kind sk ON sk.trace = t.trace AND sk.id = t.src_kind
  JOIN memory_kind dk ON dk.trace = t.trace AND dk.id = t.dst_kind
  JOIN thread th ON th.trace = t.trace AND th.id = t.thread
  LEFT JOIN device_copy_by_call c ON c.trace = t.trace AND c.correlation = t.correlation;

CREATE VIEW fingerprints AS
  SELECT t.trace, t.id AS transfer, d.name AS direction, t.bytes,
         CASE WHEN f.id IS NOT NULL THEN printf('%016x%016x', f.content_high, f.content_low) END AS content,
         CASE WHEN f.before_low IS NOT NULL THEN printf('%016x%016x', f.before_high, f.before_low) END AS before,
         f.leaves, f.changed_leaves, f.constant_value, CASE f.on_device WHEN 1 THEN 'device' WHEN 0 THEN 'host' END AS taken_on,
         CASE WHEN t.fingerprint IS NULL THEN s.name WHEN f.id IS NULL THEN 'lost' END AS missing
  FROM transfer t JOIN direction d ON d.trace = t.trace AND d.id = t.direction
  LEFT JOIN fingerprint f ON f.trace = t.trace AND f.id = t.fingerprint
  LEFT JOIN fingerprint_skip s ON s.trace = t.trace AND s.id = t.skip;

CREATE VIEW allocations AS
  SELECT a.trace, a.id, e.name AS entry_point, a.address, a.bytes, k.name AS kind,
         o.name AS origin, a.device, a.context, a.stream, a.enter_ns, a.return_ns,
         f.name AS free_entry_point, a.free_enter_ns, a.free_return_ns, a.free_return_ns - a.enter_ns AS lifetime_ns
  FROM allocation a LEFT JOIN entry_point e ON e.trace = a.trace AND e.id = a.entry_point
  LEFT JOIN memory_kind k ON k.trace = a.trace AND k.id = a.kind
  LEFT JOIN origin o ON o.trace = a.trace AND o.id = a.origin
  LEFT JOIN entry_point f ON f.trace = a.trace AND f.id = a.free_entry_point;

CREATE VIEW memsets AS
  SELECT m.trace, m.id, e.name AS entry_point, m.address, m.bytes, m.value, m.element_bytes,
         k.name AS kind, m.device, m.stream, m.is_async, m.is_captured, m.result, m.enter_ns, m.return_ns,
         c.start_ns, c.end_ns, m.correlation
  FROM memset m JOIN entry_point e ON e.trace = m.trace AND e.id = m.entry_point
  JOIN memory_kind k ON k.trace = m.trace AND k.id = m.kind
  LEFT JOIN device_memset c ON c.trace = m.trace AND c.correlation = m.correlation AND c.graph_node IS NULL;

CREATE VIEW kernels AS
  SELECT k.trace, k.id, n.name, k.device, k.start_ns, k.end_ns, k.end_ns - k.start_ns AS device_ns,
         k.grid_x, k.grid_y, k.grid_z, k.block_x, k.block_y, k.block_z, k.correlation, k.graph_node
  FROM device_kernel k JOIN kernel_name n ON n.trace = k.trace AND n.id = k.name;

CREATE VIEW syncs AS
  SELECT s.trace, s.id, e.name AS entry_point, c.name AS scope, th.tid, s.stream, s.enter_ns, s.return_ns,
         s.return_ns - s.enter_ns AS host_ns, s.result
  FROM sync s JOIN entry_point e ON e.trace = s.trace AND e.id = s.entry_point
  JOIN sync_scope c ON c.trace = s.trace AND c.id = s.scope
  JOIN thread th ON th.trace = s.trace AND th.id = s.thread;

CREATE VIEW stacks AS
  SELECT f.trace, f.stack, CASE WHEN f.code IS NULL THEN 'native' ELSE 'python' END AS language, f.depth,
         coalesce(c.file, m.path) AS file, c.function, f.line, f.address, f.address - m.load_bias AS file_address
  FROM stack_frame f LEFT JOIN module m ON m.trace = f.trace AND m.id = f.module
  LEFT JOIN python_code c ON c.trace = f.trace AND c.id = f.code;

CREATE VIEW summary_by_direction AS
  SELECT trace, trace_name, rank, direction, src_kind, dst_kind, count(*) AS transfers, sum(bytes) AS bytes,
         sum(host_ns) AS host_ns, sum(device_ns) AS device_ns
  FROM transfers WHERE result = 0 AND is_captured = 0 GROUP BY trace, direction, src_kind, dst_kind;

CREATE VIEW summary_by_entry_point AS
  SELECT trace, trace_name, rank, entry_point, direction, count(*) AS transfers, sum(bytes) AS bytes,
         sum(host_ns) AS host_ns
  FROM transfers WHERE result = 0 AND is_captured = 0 GROUP BY trace, entry_point, direction;

CREATE VIEW summary_by_kernel AS
  SELECT trace, name, count(*) AS launches, sum(device_ns) AS device_ns FROM kernels GROUP BY trace, name;

CREATE VIEW graph_copies AS
  SELECT c.trace, c.id, k.name AS kind, c.bytes, c.start_ns, c.end_ns, c.graph, c.graph_node, l.id AS launch
  FROM device_copy c JOIN copy_kind k ON k.trace = c.trace AND k.id = c.kind
  LEFT JOIN launch l ON l.trace = c.trace AND l.correlation = c.correlation
  WHERE c.graph_node IS NOT NULL;

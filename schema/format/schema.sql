-- The xferspy trace, schema version 1. One file a process.
--
-- Times are nanoseconds since the start of capture (meta start_unix_ns gives that moment in Unix time), on the
-- clock that meta clock names; `enter_ns`/`return_ns` are host times around the driver call, `start_ns`/`end_ns`
-- are device times from CUPTI converted to the same clock. Addresses and handles are 64-bit values stored as signed
-- integers. NULL means: does not apply, or was not seen. Only features of SQLite 3.7.17 (2013) are used.
--
-- A trace is read only if its schema is this text, letter for letter, with the comments inside of the statements. So every
-- change below is a new version. The number in the first line is the only place that has it.

CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value);

-- Something that capture could not do, or did less of, and why. One row a reason.
CREATE TABLE note (id INTEGER PRIMARY KEY, at_ns INTEGER, topic TEXT NOT NULL, text TEXT NOT NULL);

CREATE TABLE entry_point (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category INTEGER NOT NULL REFERENCES category);
CREATE TABLE thread (id INTEGER PRIMARY KEY, tid INTEGER NOT NULL, name TEXT);
CREATE TABLE device (id INTEGER PRIMARY KEY, name TEXT, uuid TEXT, pci_bus_id TEXT, compute_capability TEXT,
  memory_bytes INTEGER, link_generation INTEGER, link_width INTEGER, link_peak_bytes_per_s INTEGER,
  simulated INTEGER NOT NULL DEFAULT 0);
CREATE TABLE context (id INTEGER PRIMARY KEY, handle INTEGER NOT NULL, device INTEGER REFERENCES device);
-- Handle 0 or 1 is the legacy default stream; 2 the per-thread default stream, with a row for every thread.
-- A handle used again after its stream was destroyed keeps its row.
CREATE TABLE stream (id INTEGER PRIMARY KEY, handle INTEGER NOT NULL, context INTEGER REFERENCES context,
  thread INTEGER REFERENCES thread);

-- What is most of a trace is in two tables each: a row for every call or record, with little but its times, and a shape
-- for what many of them share. A row's shape and the row together are the row of the view without _row: `transfer`,
-- `launch`, `device_copy`, `device_kernel`. A column that both have is the row's, unless it is NULL there: that is how
-- what differs from call to call needs no shape of its own. `return_ns` is `enter_ns + host_ns` and `end_ns` is
-- `start_ns + device_ns`, where the row does not have them. The build adds these views, and triggers by which they can be
-- written, at the end of this text (make_schema.cmake).

-- Host side: one row a transfer asked of the driver, in the order the threads' events were drained.
CREATE TABLE transfer_shape (id INTEGER PRIMARY KEY,
  entry_point INTEGER REFERENCES entry_point, thread INTEGER REFERENCES thread,
  direction INTEGER REFERENCES direction, bytes INTEGER,
  src_address INTEGER, dst_address INTEGER,
  src_kind INTEGER REFERENCES memory_kind, dst_kind INTEGER REFERENCES memory_kind,
  src_device INTEGER, dst_device INTEGER,
  src_allocation INTEGER REFERENCES allocation, dst_allocation INTEGER REFERENCES allocation,
  context INTEGER REFERENCES context, stream INTEGER REFERENCES stream,
  is_async INTEGER, is_captured INTEGER, result INTEGER,
  width_bytes INTEGER, height INTEGER, depth INTEGER,    -- 2D and 3D copies: the box that was moved
  src_pitch_bytes INTEGER, dst_pitch_bytes INTEGER, src_slice_rows INTEGER, dst_slice_rows INTEGER,
  skip INTEGER REFERENCES fingerprint_skip,              -- why no fingerprint was taken
  stack INTEGER REFERENCES stack,                        -- where it was called from, NULL: not recorded
  nvtx_range INTEGER REFERENCES nvtx_range);             -- the innermost that was open, NULL: none
CREATE TABLE transfer_row (id INTEGER PRIMARY KEY, shape INTEGER NOT NULL REFERENCES transfer_shape,
  enter_ns INTEGER NOT NULL, host_ns INTEGER, return_ns INTEGER, correlation INTEGER,
  fingerprint INTEGER REFERENCES fingerprint,            -- NULL: none was taken. No such row: it was lost with the process
  batch_index INTEGER,                                   -- place within a batch call; all its copies share enter_ns
  bytes INTEGER, src_address INTEGER, dst_address INTEGER,
  src_allocation INTEGER REFERENCES allocation, dst_allocation INTEGER REFERENCES allocation,
  host_read INTEGER REFERENCES host_read);               -- NULL: not watched. No such row: the watch came to no result

-- Which pages of a download the host read or wrote after the copy, until the memory was written again by a copy, freed, or
-- the program ended. Only some downloads are watched, in whole pages, which may have other data at both ends.
CREATE TABLE host_read (id INTEGER PRIMARY KEY,
  watched_bytes INTEGER,                                 -- NULL: could not be watched, for the reason in doubt
  read_bytes INTEGER,                                    -- at most this much was read; NULL: not known, because of doubt
  pieces INTEGER,                                        -- the watched bytes in so many pieces of about the same size
  read_pieces INTEGER,                                   -- bit i: something of piece i was read
  doubt INTEGER REFERENCES host_read_doubt,              -- why it is not known what was read; NULL: it is known
  edge_read_bytes INTEGER);                              -- so much of read_bytes is in pages that may have other data

-- What a transfer moved: a 128-bit fingerprint of an upload's or a download's bytes; of an upload also of what its
-- destination held before, where that was measured. A leaf is 4 KiB of the moved bytes.
CREATE TABLE fingerprint (id INTEGER PRIMARY KEY,
  content_low INTEGER NOT NULL, content_high INTEGER NOT NULL, before_low INTEGER, before_high INTEGER,
  leaves INTEGER NOT NULL, changed_leaves INTEGER,       -- leaves that an upload changed, NULL: not known
  constant_value INTEGER,                                -- the 32-bit value that all of it repeats, NULL: none
  on_device INTEGER NOT NULL);                           -- computed there, else on the host

CREATE TABLE memset (id INTEGER PRIMARY KEY,
  entry_point INTEGER NOT NULL REFERENCES entry_point, thread INTEGER NOT NULL REFERENCES thread,
  address INTEGER NOT NULL, bytes INTEGER NOT NULL, value INTEGER NOT NULL, element_bytes INTEGER NOT NULL,
  kind INTEGER NOT NULL REFERENCES memory_kind, device INTEGER, allocation INTEGER REFERENCES allocation,
  context INTEGER REFERENCES context, stream INTEGER REFERENCES stream,
  is_async INTEGER NOT NULL, is_captured INTEGER NOT NULL, result INTEGER NOT NULL,
  enter_ns INTEGER NOT NULL, return_ns INTEGER NOT NULL, correlation INTEGER,
  width_bytes INTEGER, height INTEGER, pitch_bytes INTEGER,
  stack INTEGER REFERENCES stack, nvtx_range INTEGER REFERENCES nvtx_range);

-- One row an allocation, registration or mapping that succeeded. free_* are NULL while it lives.
CREATE TABLE allocation (id INTEGER PRIMARY KEY,
  entry_point INTEGER REFERENCES entry_point, thread INTEGER REFERENCES thread,
  address INTEGER, bytes INTEGER, kind INTEGER REFERENCES memory_kind, origin INTEGER REFERENCES origin,
  device INTEGER, context INTEGER REFERENCES context, stream INTEGER REFERENCES stream,
  enter_ns INTEGER, return_ns INTEGER,
  free_entry_point INTEGER REFERENCES entry_point, free_thread INTEGER REFERENCES thread,
  free_stream INTEGER REFERENCES stream, free_enter_ns INTEGER, free_return_ns INTEGER,
  stack INTEGER REFERENCES stack, nvtx_range INTEGER REFERENCES nvtx_range,
  free_stack INTEGER REFERENCES stack, free_nvtx_range INTEGER REFERENCES nvtx_range);

CREATE TABLE launch_shape (id INTEGER PRIMARY KEY,
  entry_point INTEGER REFERENCES entry_point, thread INTEGER REFERENCES thread,
  kind INTEGER REFERENCES launch_kind, function INTEGER, -- handle of the function, graph or callback
  context INTEGER REFERENCES context, stream INTEGER REFERENCES stream,
  grid_x INTEGER, grid_y INTEGER, grid_z INTEGER, block_x INTEGER, block_y INTEGER, block_z INTEGER,
  shared_bytes INTEGER, is_captured INTEGER, result INTEGER,
  arguments INTEGER REFERENCES argument_set);            -- NULL: not seen
CREATE TABLE launch_row (id INTEGER PRIMARY KEY, shape INTEGER NOT NULL REFERENCES launch_shape,
  enter_ns INTEGER NOT NULL, host_ns INTEGER,            -- NULL of kernel launches: not measured, to stay cheap
  return_ns INTEGER, correlation INTEGER, arguments INTEGER REFERENCES argument_set,
  stack INTEGER REFERENCES stack);                       -- NULL of most: taken at some launches of a thread only

-- Which allocations the arguments of a launch point into; launches that agree in that share a set.
CREATE TABLE argument_set (id INTEGER PRIMARY KEY);
CREATE TABLE argument (argument_set INTEGER NOT NULL REFERENCES argument_set, allocation INTEGER NOT NULL REFERENCES allocation);

-- Calls that made the host wait.
CREATE TABLE sync (id INTEGER PRIMARY KEY,
  entry_point INTEGER NOT NULL REFERENCES entry_point, thread INTEGER NOT NULL REFERENCES thread,
  scope INTEGER NOT NULL REFERENCES sync_scope, object INTEGER,
  context INTEGER REFERENCES context, stream INTEGER REFERENCES stream,
  result INTEGER NOT NULL, enter_ns INTEGER NOT NULL, return_ns INTEGER NOT NULL,
  stack INTEGER REFERENCES stack, nvtx_range INTEGER REFERENCES nvtx_range);

-- Every other call of a known entry point: prefetch, advise, stream memory operations, capture, context life, ...,
-- and the allocations and frees that failed. docs/rules/trace-format.md says what object, address, bytes and argument mean.
CREATE TABLE api_call (id INTEGER PRIMARY KEY,
  entry_point INTEGER NOT NULL REFERENCES entry_point, thread INTEGER NOT NULL REFERENCES thread,
  object INTEGER, address INTEGER, bytes INTEGER, argument INTEGER,
  context INTEGER REFERENCES context, stream INTEGER REFERENCES stream,
  is_captured INTEGER NOT NULL, result INTEGER NOT NULL, enter_ns INTEGER NOT NULL, return_ns INTEGER NOT NULL,
  correlation INTEGER);

-- Where calls came from. Equal stacks have one row. Its frames are in two sequences, each from 0, the innermost: native ones with
-- an address, which is that of the next instruction, and Python's with a code. is_entry: the interpreter's C function was
-- entered with this Python frame, so the next one belongs to another native frame of the interpreter.
CREATE TABLE stack (id INTEGER PRIMARY KEY, native_frames INTEGER NOT NULL, python_frames INTEGER NOT NULL,
  is_cut INTEGER NOT NULL,                               -- outer frames are missing
  python_thread INTEGER REFERENCES thread,               -- whose Python frames these are, at that moment, because the
                                                         -- calling thread has none; NULL: the calling thread's own
  is_asleep INTEGER);                                    -- did python_thread sleep then? NULL: does not apply
CREATE TABLE stack_frame (id INTEGER PRIMARY KEY,        -- stack * 4096 + depth, and 2048 more of a Python frame
  stack INTEGER NOT NULL REFERENCES stack, depth INTEGER NOT NULL,
  address INTEGER, module INTEGER REFERENCES module,     -- a native frame; module NULL: in none
  code INTEGER REFERENCES python_code, line INTEGER, is_entry INTEGER);
-- An executable or library that frames lie in. An address less load_bias is one of the file.
CREATE TABLE module (id INTEGER PRIMARY KEY, path TEXT NOT NULL, build_id TEXT,
  start_address INTEGER NOT NULL, end_address INTEGER NOT NULL, load_bias INTEGER NOT NULL);
CREATE TABLE python_code (id INTEGER PRIMARY KEY, file TEXT NOT NULL, function TEXT NOT NULL, first_line INTEGER NOT NULL);
-- What a thread did while it made no CUDA call for some milliseconds: its Python stack at a moment, read from beside it.
CREATE TABLE host_sample (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL REFERENCES thread, at_ns INTEGER NOT NULL,
  ns INTEGER NOT NULL,                                   -- how much time of the thread the sample stands for
  stack INTEGER NOT NULL REFERENCES stack,
  is_asleep INTEGER);                                    -- did the thread sleep at that moment? NULL: not known
CREATE TABLE nvtx_range (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES nvtx_range, domain TEXT, name TEXT NOT NULL);
-- What was found in the binaries for addresses of the file: function, file and line, and of an inlined call one row each,
-- inline_depth 0 the innermost. function NULL: nothing is known.
CREATE TABLE symbol (id INTEGER PRIMARY KEY, module INTEGER NOT NULL REFERENCES module, address INTEGER NOT NULL,
  inline_depth INTEGER NOT NULL, function TEXT, file TEXT, line INTEGER);
-- Text of the lines of the program that calls came from, as it was when the program ran: Python's is written at the end of
-- capture, that of other code when the addresses are looked up. It is any text, and no more of a file is here than these lines.
CREATE TABLE source_file (id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,                                    -- as python_code.file or symbol.file has it
  bytes INTEGER, mtime_ns INTEGER);                      -- of the file that the lines were read from; mtime_ns: Unix time
CREATE TABLE source_line (id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES source_file, line INTEGER NOT NULL,
  text TEXT NOT NULL);                                   -- without the end of the line

-- Device side, from CUPTI's activity records. `correlation` is the host call's. graph_node is set for the nodes
-- of a launched graph; their correlation is the graph launch's. context and stream are CUPTI's own numbers.
CREATE TABLE device_copy_shape (id INTEGER PRIMARY KEY,
  kind INTEGER REFERENCES copy_kind, src_kind INTEGER REFERENCES device_memory_kind,
  dst_kind INTEGER REFERENCES device_memory_kind, bytes INTEGER,
  device INTEGER, src_device INTEGER, dst_device INTEGER, cupti_context INTEGER, cupti_stream INTEGER,
  is_async INTEGER, copies INTEGER, graph INTEGER, graph_node INTEGER);
CREATE TABLE device_copy_row (id INTEGER PRIMARY KEY, shape INTEGER NOT NULL REFERENCES device_copy_shape,
  correlation INTEGER NOT NULL, start_ns INTEGER, device_ns INTEGER, end_ns INTEGER, bytes INTEGER);
CREATE TABLE device_memset (id INTEGER PRIMARY KEY, correlation INTEGER NOT NULL, value INTEGER, bytes INTEGER NOT NULL,
  memory_kind INTEGER REFERENCES device_memory_kind, start_ns INTEGER, end_ns INTEGER, device INTEGER,
  cupti_context INTEGER, cupti_stream INTEGER, graph INTEGER, graph_node INTEGER);
CREATE TABLE kernel_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL);      -- as the compiler mangled it
CREATE TABLE device_kernel_shape (id INTEGER PRIMARY KEY,
  name INTEGER REFERENCES kernel_name, device INTEGER, cupti_context INTEGER, cupti_stream INTEGER,
  grid_x INTEGER, grid_y INTEGER, grid_z INTEGER, block_x INTEGER, block_y INTEGER, block_z INTEGER,
  graph INTEGER, graph_node INTEGER);
CREATE TABLE device_kernel_row (id INTEGER PRIMARY KEY, shape INTEGER NOT NULL REFERENCES device_kernel_shape,
  correlation INTEGER NOT NULL, start_ns INTEGER, device_ns INTEGER, end_ns INTEGER);
CREATE TABLE device_sync (id INTEGER PRIMARY KEY, correlation INTEGER NOT NULL, kind INTEGER NOT NULL,
  start_ns INTEGER, end_ns INTEGER, cupti_context INTEGER, cupti_stream INTEGER, cupti_event INTEGER);
-- Pages of managed memory that moved, or faulted.
CREATE TABLE device_migration (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL REFERENCES migration_kind,
  address INTEGER, bytes INTEGER, start_ns INTEGER, end_ns INTEGER, src_device INTEGER, dst_device INTEGER,
  stream INTEGER, process INTEGER);

-- What is no longer here as rows, because the trace reached its largest size: sums of the rows that were dropped. A call
-- that is dropped and its device records are dropped together. `shape` is of the table of shapes that belongs to `source`;
-- the other columns of the key are those of tables without shapes. 0 in the key: does not apply.
CREATE TABLE thinned (id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,                                  -- the table or view that had the rows
  shape INTEGER NOT NULL, entry_point INTEGER NOT NULL, kind INTEGER NOT NULL, stack INTEGER NOT NULL, device INTEGER NOT NULL,
  rows INTEGER NOT NULL, bytes INTEGER NOT NULL,
  host_ns INTEGER NOT NULL,                              -- inside the calls; of a batch call once
  timed INTEGER NOT NULL, device_ns INTEGER NOT NULL,    -- how many had device times, and their sum
  UNIQUE (source, shape, entry_point, kind, stack, device));

-- How far each chunk of the spool has been taken over; empty in a finished trace. Written in the transaction that
-- takes the events over, so that recovery after a kill neither loses nor repeats one.
CREATE TABLE spool_progress (chunk INTEGER PRIMARY KEY, generation INTEGER NOT NULL, drained_bytes INTEGER NOT NULL);

-- Names of the numbers above; filled from schema/format/kinds.h.
CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE direction (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE memory_kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE origin (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE launch_kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE sync_scope (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE copy_kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE device_memory_kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE migration_kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE fingerprint_skip (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE host_read_doubt (id INTEGER PRIMARY KEY, name TEXT NOT NULL);

-- Views for people. The build makes those of a merged file from them: a join is written as ON a.x = b.y, where a is the
-- table that is joined, and the first column of a view has an alias if there is a join.

-- Device time of each host call's copies: a batch call of n copies may have one record or several.
CREATE VIEW device_copy_by_call AS
  SELECT correlation, count(*) AS records, sum(copies) AS copies, sum(bytes) AS bytes,
         min(start_ns) AS start_ns, max(end_ns) AS end_ns, sum(end_ns - start_ns) AS device_ns
  FROM device_copy WHERE graph_node IS NULL GROUP BY correlation;

-- Every transfer with names instead of numbers, and its device time where CUPTI gave one.
CREATE VIEW transfers AS
  SELECT t.id, e.name AS entry_point, d.name AS direction, t.bytes, sk.name AS src_kind, dk.name AS dst_kind,
         t.src_address, t.dst_address,
         t.src_allocation, t.dst_allocation, t.src_device, t.dst_device,
         th.tid, t.context, t.stream, t.is_async, t.is_captured, t.result, t.batch_index,
         t.enter_ns, t.return_ns, t.return_ns - t.enter_ns AS host_ns,
         c.start_ns, c.end_ns, CASE WHEN t.batch_index IS NULL THEN c.device_ns END AS device_ns, t.correlation,
         t.fingerprint, t.stack, t.nvtx_range
  FROM transfer t JOIN entry_point e ON e.id = t.entry_point JOIN direction d ON d.id = t.direction
  JOIN memory_kind sk ON sk.id = t.src_kind JOIN memory_kind dk ON dk.id = t.dst_kind
  JOIN thread th ON th.id = t.thread LEFT JOIN device_copy_by_call c ON c.correlation = t.correlation;

-- What is known of the contents: 32 hexadecimal digits each; equal digits and bytes, equal content.
CREATE VIEW fingerprints AS
  SELECT t.id AS transfer, d.name AS direction, t.bytes,
         CASE WHEN f.id IS NOT NULL THEN printf('%016x%016x', f.content_high, f.content_low) END AS content,
         CASE WHEN f.before_low IS NOT NULL THEN printf('%016x%016x', f.before_high, f.before_low) END AS before,
         f.leaves, f.changed_leaves, f.constant_value, CASE f.on_device WHEN 1 THEN 'device' WHEN 0 THEN 'host' END AS taken_on,
         CASE WHEN t.fingerprint IS NULL THEN s.name WHEN f.id IS NULL THEN 'lost' END AS missing
  FROM transfer t JOIN direction d ON d.id = t.direction LEFT JOIN fingerprint f ON f.id = t.fingerprint
  LEFT JOIN fingerprint_skip s ON s.id = t.skip;

CREATE VIEW allocations AS
  SELECT a.id, e.name AS entry_point, a.address, a.bytes, k.name AS kind,
         o.name AS origin, a.device, a.context, a.stream, a.enter_ns, a.return_ns,
         f.name AS free_entry_point, a.free_enter_ns, a.free_return_ns, a.free_return_ns - a.enter_ns AS lifetime_ns
  FROM allocation a LEFT JOIN entry_point e ON e.id = a.entry_point LEFT JOIN memory_kind k ON k.id = a.kind
  LEFT JOIN origin o ON o.id = a.origin LEFT JOIN entry_point f ON f.id = a.free_entry_point;

CREATE VIEW memsets AS
  SELECT m.id, e.name AS entry_point, m.address, m.bytes, m.value, m.element_bytes,
         k.name AS kind, m.device, m.stream, m.is_async, m.is_captured, m.result, m.enter_ns, m.return_ns,
         c.start_ns, c.end_ns, m.correlation
  FROM memset m JOIN entry_point e ON e.id = m.entry_point JOIN memory_kind k ON k.id = m.kind
  LEFT JOIN device_memset c ON c.correlation = m.correlation AND c.graph_node IS NULL;

CREATE VIEW kernels AS
  SELECT k.id, n.name, k.device, k.start_ns, k.end_ns, k.end_ns - k.start_ns AS device_ns, k.grid_x, k.grid_y, k.grid_z,
         k.block_x, k.block_y, k.block_z, k.correlation, k.graph_node
  FROM device_kernel k JOIN kernel_name n ON n.id = k.name;

CREATE VIEW syncs AS
  SELECT s.id, e.name AS entry_point, c.name AS scope, th.tid, s.stream, s.enter_ns, s.return_ns,
         s.return_ns - s.enter_ns AS host_ns, s.result
  FROM sync s JOIN entry_point e ON e.id = s.entry_point JOIN sync_scope c ON c.id = s.scope
  JOIN thread th ON th.id = s.thread;

-- The frames of all stacks, innermost first: native and Python's each by themselves.
CREATE VIEW stacks AS
  SELECT f.stack, CASE WHEN f.code IS NULL THEN 'native' ELSE 'python' END AS language, f.depth,
         coalesce(c.file, m.path) AS file, c.function, f.line, f.address, f.address - m.load_bias AS file_address
  FROM stack_frame f LEFT JOIN module m ON m.id = f.module LEFT JOIN python_code c ON c.id = f.code;

-- Transfers that ran (neither failed nor only captured into a graph), by direction and memory kinds.
CREATE VIEW summary_by_direction AS
  SELECT direction, src_kind, dst_kind, count(*) AS transfers, sum(bytes) AS bytes,
         sum(host_ns) AS host_ns, sum(device_ns) AS device_ns
  FROM transfers WHERE result = 0 AND is_captured = 0 GROUP BY direction, src_kind, dst_kind;

CREATE VIEW summary_by_entry_point AS
  SELECT entry_point, direction, count(*) AS transfers, sum(bytes) AS bytes, sum(host_ns) AS host_ns
  FROM transfers WHERE result = 0 AND is_captured = 0 GROUP BY entry_point, direction;

CREATE VIEW summary_by_kernel AS
  SELECT name, count(*) AS launches, sum(device_ns) AS device_ns FROM kernels GROUP BY name;

-- Copies made by launched graphs; they have no host call of their own.
CREATE VIEW graph_copies AS
  SELECT c.id, k.name AS kind, c.bytes, c.start_ns, c.end_ns, c.graph, c.graph_node, l.id AS launch
  FROM device_copy c JOIN copy_kind k ON k.id = c.kind LEFT JOIN launch l ON l.correlation = c.correlation
  WHERE c.graph_node IS NOT NULL;

-- Do host and device agree? Transfers that ran and moved something should each have a device record, and every record
-- that is not of a graph a host call.
CREATE VIEW coverage AS
  SELECT (SELECT count(*) FROM transfer) AS host_transfers,
         (SELECT count(*) FROM transfer WHERE is_captured = 1) AS host_captured,
         (SELECT count(*) FROM transfer WHERE result <> 0) AS host_failed,
         (SELECT coalesce(sum(copies), 0) FROM device_copy WHERE graph_node IS NULL) AS device_copies,
         (SELECT coalesce(sum(copies), 0) FROM device_copy WHERE graph_node IS NOT NULL) AS device_copies_graph,
         (SELECT count(*) FROM transfer WHERE is_captured = 0 AND result = 0 AND bytes > 0 AND correlation IN
           (SELECT correlation FROM device_copy WHERE graph_node IS NULL)) AS matched,
         (SELECT count(*) FROM transfer WHERE is_captured = 0 AND result = 0 AND bytes > 0 AND
           (correlation IS NULL OR correlation NOT IN
             (SELECT correlation FROM device_copy WHERE graph_node IS NULL))) AS without_record,
         (SELECT count(*) FROM device_copy WHERE graph_node IS NULL AND correlation NOT IN
           (SELECT correlation FROM transfer WHERE correlation IS NOT NULL)) AS without_event,
         -- where CUPTI names another memory kind than the wrapper's map of ranges; batches are left out
         (SELECT count(*) FROM transfer t JOIN device_copy c ON c.correlation = t.correlation
           WHERE t.batch_index IS NULL AND c.graph_node IS NULL AND c.kind <> 10 AND c.src_kind <> 0 AND c.dst_kind <> 0
           AND (CASE t.src_kind WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 2 WHEN 4 THEN 3 WHEN 5 THEN 4 WHEN 6 THEN 5 END
                  <> CASE c.src_kind WHEN 6 THEN 3 WHEN 7 THEN 5 ELSE c.src_kind END
             OR CASE t.dst_kind WHEN 1 THEN 1 WHEN 2 THEN 2 WHEN 3 THEN 2 WHEN 4 THEN 3 WHEN 5 THEN 4 WHEN 6 THEN 5 END
                  <> CASE c.dst_kind WHEN 6 THEN 3 WHEN 7 THEN 5 ELSE c.dst_kind END)) AS kind_mismatch;

-- What holds of every trace, whatever the program: each query finds nothing. A line that begins with a blank goes on
-- with the query of the line before.
SELECT 'transfer', id FROM transfer WHERE enter_ns > return_ns OR enter_ns < 0
SELECT 'memset', id FROM memset WHERE enter_ns > return_ns OR enter_ns < 0
SELECT 'launch', id FROM launch WHERE enter_ns > return_ns OR enter_ns < 0
SELECT 'sync', id FROM sync WHERE enter_ns > return_ns OR enter_ns < 0
SELECT 'api_call', id FROM api_call WHERE enter_ns > return_ns OR enter_ns < 0
SELECT 'allocation', id FROM allocation WHERE enter_ns > return_ns OR free_enter_ns < return_ns
    OR free_enter_ns > free_return_ns
SELECT 'device_copy', id FROM device_copy WHERE end_ns < start_ns OR bytes < 0 OR copies < 1
SELECT 'device_kernel', id FROM device_kernel WHERE end_ns < start_ns
SELECT 'device_memset', id FROM device_memset WHERE end_ns < start_ns
-- A thread's events are in the order of its calls.
SELECT 'order', a.id, b.id FROM transfer a JOIN transfer b ON b.id = (SELECT min(id) FROM transfer WHERE id > a.id
    AND thread = a.thread) WHERE a.id <= 2000 AND b.enter_ns < a.enter_ns
-- A copy lies in an allocation that lived when it was asked for.
SELECT 'lifetime', t.id FROM transfer t JOIN allocation a ON a.id IN (t.src_allocation, t.dst_allocation)
    WHERE a.enter_ns > t.return_ns OR a.free_return_ns < t.enter_ns
SELECT 'within', t.id FROM transfer t JOIN allocation a ON a.id = t.dst_allocation WHERE a.kind <> 5
    AND (t.dst_address < a.address OR t.dst_address >= a.address + a.bytes)
SELECT 'within', t.id FROM transfer t JOIN allocation a ON a.id = t.src_allocation WHERE a.kind <> 5
    AND (t.src_address < a.address OR t.src_address >= a.address + a.bytes)
-- Host and device agree where they can be joined; a batch call has as many bytes as its copies, and a copy between
-- devices that may not access each other goes in two legs.
SELECT 'bytes', t.correlation, sum(t.bytes), c.bytes FROM transfer t
    JOIN device_copy_by_call c ON c.correlation = t.correlation WHERE t.is_captured = 0 AND t.result = 0
    GROUP BY t.correlation HAVING sum(t.bytes) <> c.bytes AND NOT (max(t.direction) = 4 AND sum(t.bytes) * 2 = c.bytes)
SELECT 'double', correlation FROM transfer WHERE correlation IS NOT NULL AND batch_index IS NULL GROUP BY correlation
    HAVING count(*) > 1
-- While CUPTI was there for the whole run, every copy that ran has its record, and every record its call. Where device
-- times were recorded in windows, copies without a correlation id lie outside of them, but none lies in the first. They
-- can lie before it, too: CUPTI is attached some time after a program has opened a window on a busy machine.
SELECT 'without record', id, bytes FROM transfers LEFT JOIN (SELECT substr(value, 1, instr(value, '+') - 1) AS begin_us,
    CAST(substr(value, instr(value, '+') + 1) AS INTEGER) AS length_us FROM meta WHERE key = 'cupti.windows')
    WHERE result = 0 AND is_captured = 0 AND bytes > 0 AND device_ns IS NULL AND batch_index IS NULL
    AND (correlation IS NOT NULL OR begin_us IS NULL OR (enter_ns > 1000 * (begin_us + 1)
    AND return_ns < 1000 * (begin_us + length_us))) AND 2 = (SELECT count(*) FROM meta
    WHERE (key = 'cupti.status' AND value = 'active') OR (key = 'status' AND value = 'complete'))
SELECT 'without call', id, bytes FROM device_copy WHERE graph_node IS NULL AND correlation NOT IN (SELECT correlation
    FROM transfer WHERE correlation IS NOT NULL) AND 2 = (SELECT count(*) FROM meta
    WHERE (key = 'cupti.status' AND value = 'active') OR (key = 'status' AND value = 'complete'))
    AND 'thinned.rows' NOT IN (SELECT key FROM meta)
-- Our own map of memory and CUPTI say the same of both sides of a copy; a batch's copies may be of several kinds.
SELECT 'kind', t.id, t.src_kind, d.src_kind, t.dst_kind, d.dst_kind FROM transfer t
    JOIN device_copy d ON d.correlation = t.correlation WHERE d.graph_node IS NULL AND t.batch_index IS NULL
    AND ((t.src_kind = 1) <> (d.src_kind = 1) OR (t.src_kind IN (2, 3)) <> (d.src_kind = 2)
    OR (t.src_kind = 5) <> (d.src_kind = 4) OR (t.src_kind = 6) <> (d.src_kind IN (5, 7))
    OR (t.dst_kind = 1) <> (d.dst_kind = 1) OR (t.dst_kind IN (2, 3)) <> (d.dst_kind = 2)
    OR (t.dst_kind = 5) <> (d.dst_kind = 4) OR (t.dst_kind = 6) <> (d.dst_kind IN (5, 7)))
-- Every number has its name.
SELECT 'entry point', id FROM transfer WHERE entry_point NOT IN (SELECT id FROM entry_point)
    OR thread NOT IN (SELECT id FROM thread)
SELECT 'context', id FROM transfer WHERE context NOT IN (SELECT id FROM context)
    OR stream NOT IN (SELECT id FROM stream)
SELECT 'allocation', id FROM transfer WHERE src_allocation NOT IN (SELECT id FROM allocation)
    OR dst_allocation NOT IN (SELECT id FROM allocation)
SELECT 'spool_progress', count(*) FROM spool_progress HAVING count(*) > 0
-- A line of source is of a file, and once.
SELECT 'source', id FROM source_line WHERE file NOT IN (SELECT id FROM source_file) OR line < 1
SELECT 'source', file, line FROM source_line GROUP BY file, line HAVING count(*) > 1
-- What a launch's arguments point to is in the trace, allocations that lived then, each once; what was not written says
-- so.
SELECT 'arguments', id FROM launch WHERE arguments IS NOT NULL AND arguments NOT IN (SELECT id FROM argument_set)
    AND 'complete' = (SELECT value FROM meta WHERE key = 'status')
SELECT 'argument', argument_set, allocation FROM argument WHERE allocation NOT IN (SELECT id FROM allocation)
    AND 'complete' = (SELECT value FROM meta WHERE key = 'status')
SELECT 'argument', argument_set, allocation FROM argument GROUP BY 1, 2, 3 HAVING count(*) > 1
SELECT 'argument of a dead', l.id, a.id FROM launch l JOIN argument g ON g.argument_set = l.arguments
    JOIN allocation a ON a.id = g.allocation WHERE a.enter_ns > l.enter_ns OR a.free_return_ns < l.enter_ns
-- Beside a fingerprint stands only that its copy was not chosen by chance.
SELECT 'fingerprint', id FROM transfer WHERE (fingerprint IS NULL) = (skip IS NULL)
    AND NOT (fingerprint IS NOT NULL AND skip = 22)
-- Only downloads are watched. What is known of a watch fits together, and what is not known has a reason.
SELECT 'watched', id FROM transfer WHERE host_read IS NOT NULL AND direction <> 2
SELECT 'watch', host_read FROM transfer WHERE host_read IS NOT NULL GROUP BY host_read HAVING count(*) > 1
SELECT 'host read', id FROM host_read WHERE (doubt IS NULL) <> (read_bytes IS NOT NULL)
    OR (doubt IS NULL) <> (pieces IS NOT NULL AND read_pieces IS NOT NULL) OR read_bytes NOT BETWEEN 0 AND watched_bytes
    OR (read_bytes = 0) <> (read_pieces = 0) OR pieces NOT BETWEEN 1 AND 16 OR read_pieces >> pieces <> 0
    OR (doubt IS NULL) <> (edge_read_bytes IS NOT NULL) OR edge_read_bytes NOT BETWEEN 0 AND read_bytes
    OR doubt NOT IN (SELECT id FROM host_read_doubt WHERE id > 0)
-- A sample is of a thread and a stack that are there, and its thread slept, or did not, or this is not known.
SELECT 'sample', id FROM host_sample WHERE is_asleep NOT IN (0, 1) OR thread NOT IN (SELECT id FROM thread)
    OR stack NOT IN (SELECT id FROM stack)
-- Every call that has one says where it came from, and its stack is there with all its frames, the first of them the
-- application's.
SELECT 'no stack', id FROM transfer WHERE stack IS NULL AND 'none' <> (SELECT value FROM meta
    WHERE key = 'option.stack')
SELECT 'stack', id FROM transfer WHERE stack IS NOT NULL AND stack NOT IN (SELECT id FROM stack)
    AND 'complete' = (SELECT value FROM meta WHERE key = 'status')
SELECT 'frames', s.id FROM stack s WHERE s.native_frames <> (SELECT count(*) FROM stack_frame f
    WHERE f.id BETWEEN s.id * 4096 AND s.id * 4096 + 4095 AND f.code IS NULL) OR s.python_frames <> (SELECT count(*)
    FROM stack_frame f WHERE f.id BETWEEN s.id * 4096 AND s.id * 4096 + 4095 AND f.code IS NOT NULL)
SELECT 'own frame', f.id, m.path FROM stack_frame f JOIN module m ON m.id = f.module WHERE m.path LIKE '%/libxferspy.so'
SELECT 'module', id FROM stack_frame WHERE ((module IS NOT NULL AND module NOT IN (SELECT id FROM module))
    OR (code IS NOT NULL AND code NOT IN (SELECT id FROM python_code))) AND 'complete' = (SELECT value FROM meta
    WHERE key = 'status')
SELECT 'outside', f.id FROM stack_frame f JOIN module m ON m.id = f.module WHERE f.address < m.start_address
    OR f.address > m.end_address

-- A batch call of three copies (1, 2 and 4 MiB); between its rows lies one of another thread, which has batches of its
-- own.
INSERT INTO entry_point VALUES (901, 'cuMemcpyBatchAsync_v2', 0);
INSERT INTO thread VALUES (901, 9001, 'batches'), (902, 9002, 'others');
INSERT INTO transfer (id, entry_point, thread, direction, bytes, src_kind, dst_kind, is_async, is_captured, result,
    enter_ns,
  return_ns, correlation, batch_index) VALUES
 (9001, 901, 901, 1, 1048576, 2, 4, 1, 0, 0, 2000000, 2010000, 90001, 0),
 (9002, 901, 902, 1, 65536, 2, 4, 1, 0, 0, 2000000, 2015000, 90002, 0),
 (9003, 901, 901, 1, 2097152, 2, 4, 1, 0, 0, 2000000, 2010000, 90001, 1),
 (9004, 901, 902, 1, 65536, 2, 4, 1, 0, 0, 2000000, 2015000, 90002, 1),
 (9005, 901, 901, 1, 4194304, 2, 4, 1, 0, 0, 2000000, 2010000, 90001, 2);

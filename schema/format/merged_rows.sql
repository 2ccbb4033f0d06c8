-- The views of a merged file over the rows and shapes of all its traces.

CREATE VIEW transfer AS
  SELECT r.trace, r.id, s.entry_point, s.thread, s.direction, coalesce(r.bytes, s.bytes) AS bytes,
         coalesce(r.src_address, s.src_address) AS src_address,
         coalesce(r.dst_address, s.dst_address) AS dst_address, s.src_kind, s.dst_kind, s.src_device, s.dst_device,
         coalesce(r.src_allocation, s.src_allocation) AS src_allocation,
         coalesce(r.dst_allocation, s.dst_allocation) AS dst_allocation, s.context, s.stream, s.is_async,
         s.is_captured, s.result, r.enter_ns, coalesce(r.return_ns, r.enter_ns + r.host_ns) AS return_ns,
         r.correlation, r.batch_index, s.width_bytes, s.height, s.depth, s.src_pitch_bytes, s.dst_pitch_bytes,
         s.src_slice_rows, s.dst_slice_rows, r.fingerprint, s.skip, s.stack, s.nvtx_range
  FROM transfer_row r LEFT JOIN transfer_shape s ON s.trace = r.trace AND s.id = r.shape;
CREATE VIEW launch AS
  SELECT r.trace, r.id, s.entry_point, s.thread, s.kind, s.function, s.context, s.stream, s.grid_x, s.grid_y,
         s.grid_z, s.block_x, s.block_y, s.block_z, s.shared_bytes, s.is_captured, s.result, r.enter_ns,
         coalesce(r.return_ns, r.enter_ns + r.host_ns) AS return_ns, r.correlation,
         coalesce(r.arguments, s.arguments) AS arguments
  FROM launch_row r LEFT JOIN launch_shape s ON s.trace = r.trace AND s.id = r.shape;
CREATE VIEW device_copy AS
  SELECT r.trace, r.id, r.correlation, s.kind, s.src_kind, s.dst_kind, coalesce(r.bytes, s.bytes) AS bytes,
         r.start_ns, coalesce(r.end_ns, r.start_ns + r.device_ns) AS end_ns, s.device, s.src_device, s.dst_device,
         s.cupti_context, s.cupti_stream, s.is_async, s.copies, s.graph, s.graph_node
  FROM device_copy_row r LEFT JOIN device_copy_shape s ON s.trace = r.trace AND s.id = r.shape;
CREATE VIEW device_kernel AS
  SELECT r.trace, r.id, r.correlation, s.name, r.start_ns, coalesce(r.end_ns, r.start_ns + r.device_ns) AS end_ns,
         s.device, s.cupti_context, s.cupti_stream, s.grid_x, s.grid_y, s.grid_z, s.block_x, s.block_y, s.block_z,
         s.graph, s.graph_node
  FROM device_kernel_row r LEFT JOIN device_kernel_shape s ON s.trace = r.trace AND s.id = r.shape;

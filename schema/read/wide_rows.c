/* Traces of schema version 4 and older have one wide row a transfer, launch, copy and kernel. Who copies tables finds
 * them here as rows and shapes, a shape for each row. Nothing was ever thinned in them. */
#include "schema/read/trace_internal.h"

const char xs_wide_rows_sql[] =
    "CREATE TEMP VIEW transfer_shape AS SELECT id, entry_point, thread, direction, bytes, src_address, dst_address,"
    " src_kind, dst_kind, src_device, dst_device, src_allocation, dst_allocation, context, stream, is_async,"
    " is_captured, result, width_bytes, height, depth, src_pitch_bytes, dst_pitch_bytes, src_slice_rows,"
    " dst_slice_rows, skip, stack, nvtx_range FROM transfer;"
    "CREATE TEMP VIEW transfer_row AS SELECT id, id AS shape, enter_ns, NULL AS host_ns, correlation, fingerprint,"
    " batch_index, return_ns, NULL AS bytes, NULL AS src_address, NULL AS dst_address, NULL AS src_allocation,"
    " NULL AS dst_allocation FROM transfer;"
    "CREATE TEMP VIEW launch_shape AS SELECT id, entry_point, thread, kind, function, context, stream, grid_x, grid_y,"
    " grid_z, block_x, block_y, block_z, shared_bytes, is_captured, result, arguments FROM launch;"
    "CREATE TEMP VIEW launch_row AS SELECT id, id AS shape, enter_ns, NULL AS host_ns, correlation, return_ns,"
    " NULL AS arguments FROM launch;"
    "CREATE TEMP VIEW device_copy_shape AS SELECT id, kind, src_kind, dst_kind, bytes, device, src_device, dst_device,"
    " cupti_context, cupti_stream, is_async, copies, graph, graph_node FROM device_copy;"
    "CREATE TEMP VIEW device_copy_row AS SELECT id, id AS shape, correlation, start_ns, NULL AS device_ns, end_ns,"
    " NULL AS bytes FROM device_copy;"
    "CREATE TEMP VIEW device_kernel_shape AS SELECT id, name, device, cupti_context, cupti_stream, grid_x, grid_y,"
    " grid_z, block_x, block_y, block_z, graph, graph_node FROM device_kernel;"
    "CREATE TEMP VIEW device_kernel_row AS SELECT id, id AS shape, correlation, start_ns, NULL AS device_ns, end_ns"
    " FROM device_kernel;"
    "CREATE TEMP TABLE thinned (id INTEGER PRIMARY KEY, source, shape, entry_point, kind, stack, device, rows, bytes,"
    " host_ns, timed, device_ns);";

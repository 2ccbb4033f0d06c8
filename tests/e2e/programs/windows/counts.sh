# For the expectations of the programs in this folder: has the trace what the program says that it did?

# calls_of NAME: SQL that counts the calls of one entry point
calls_of() {
    echo "SELECT count(*) FROM api_call WHERE result = 0
        AND entry_point IN (SELECT id FROM entry_point WHERE name LIKE '$1')"
}
# launches_of KIND IS_CAPTURED
launches_of() {
    echo "SELECT count(*) FROM launch WHERE result = 0 AND is_captured = $2
        AND kind = (SELECT id FROM launch_kind WHERE name = '$1')"
}
# transfers_of DIRECTION IS_CAPTURED
transfers_of() { echo "SELECT count(*) FROM transfers WHERE result = 0 AND direction = '$1' AND is_captured = $2"; }

# query_of NAME: SQL that counts in the trace what the program counted under that name; nothing where no trace has it
query_of() {
    case $1 in
    device_uploads) echo "SELECT count(*) FROM device_copy WHERE kind = 1" ;;
    device_downloads) echo "SELECT count(*) FROM device_copy WHERE kind = 2" ;;
    device_kernels) echo "SELECT count(*) FROM device_kernel" ;;
    device_memsets) echo "SELECT count(*) FROM device_memset" ;;
    uploads) transfers_of h2d 0 ;;
    downloads) transfers_of d2h 0 ;;
    memsets) echo "SELECT count(*) FROM memset WHERE result = 0 AND is_captured = 0" ;;
    launches) launches_of kernel 0 ;;
    graph_launches) launches_of graph 0 ;;
    captured_uploads) transfers_of h2d 1 ;;
    captured_downloads) transfers_of d2h 1 ;;
    captured_launches) launches_of kernel 1 ;;
    captures) calls_of 'cuStreamEndCapture%' ;;
    instantiations) calls_of 'cuGraphInstantiate%' ;;
    graph_uploads) calls_of 'cuGraphUpload%' ;;
    allocations) echo "SELECT count(*) FROM allocation" ;;
    frees) echo "SELECT count(*) FROM allocation WHERE free_enter_ns IS NOT NULL" ;;
    esac
}

# compare_counts: a line for each count in which the only trace differs from the program, and then how many were the
# same. Of what the device did the trace may have less: device times may have been recorded for a part of the run.
compare_counts() {
    local name counted found query same=0
    while read -r name counted; do
        query=$(query_of "$name")
        [ -n "$query" ] || continue
        found=$(q "$traces" "$query")
        case $name in
        device_*) [ "$found" -le "$counted" ] && found=$counted ;;
        esac
        if [ "$found" = "$counted" ]; then
            same=$((same + 1))
        else
            echo "$name: $counted, and $found in the trace"
        fi
    done < "$XFERSPY_TEST_DIR/counts"
    echo "$same counts are the same"
}

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

# lost_records: kinds of work of which a call has a correlation id, and the device has not as many records of it as it
# should: a graph of these programs is an upload, a kernel and a download. Then those of which a record has no call.
lost_records() {
    local call="result = 0 AND is_captured = 0 AND correlation IS NOT NULL" graph kernel
    graph="$call AND kind = (SELECT id FROM launch_kind WHERE name = 'graph')"
    kernel="$call AND kind = (SELECT id FROM launch_kind WHERE name = 'kernel')"
    q "$traces" "SELECT 'kernel lost', count(*) AS n FROM launch
            WHERE $kernel AND correlation NOT IN (SELECT correlation FROM device_kernel) HAVING n > 0
        UNION ALL SELECT 'kernel of a graph lost', count(*) AS n FROM launch
            WHERE $graph AND correlation NOT IN (SELECT correlation FROM device_kernel) HAVING n > 0
        UNION ALL SELECT 'copies of a graph lost', count(*) AS n FROM launch WHERE $graph AND correlation NOT IN
            (SELECT correlation FROM device_copy GROUP BY correlation HAVING count(*) = 2) HAVING n > 0
        UNION ALL SELECT 'copy lost', count(*) AS n FROM transfer
            WHERE $call AND correlation NOT IN (SELECT correlation FROM device_copy) HAVING n > 0
        UNION ALL SELECT 'memset lost', count(*) AS n FROM memset
            WHERE $call AND correlation NOT IN (SELECT correlation FROM device_memset) HAVING n > 0
        UNION ALL SELECT 'kernel without a launch', count(*) AS n FROM device_kernel
            WHERE correlation NOT IN (SELECT correlation FROM launch WHERE $call) HAVING n > 0
        UNION ALL SELECT 'copy without a call', count(*) AS n FROM device_copy
            WHERE correlation NOT IN (SELECT correlation FROM transfer WHERE $call)
            AND correlation NOT IN (SELECT correlation FROM launch WHERE $graph) HAVING n > 0
        UNION ALL SELECT 'memset without a call', count(*) AS n FROM device_memset
            WHERE correlation NOT IN (SELECT correlation FROM memset WHERE $call) HAVING n > 0"
}

# lost_calls: kinds of calls that were made within a window, as it is in the trace, and have no correlation id. What the
# clocks may differ by is left out. With XFERSPY_CUPTI=off there is no window.
lost_calls() {
    local windows table kinds='' calls
    [ "$(q "$traces" "SELECT value FROM meta WHERE key = 'cupti.status'")" = off ] && return
    windows=$(q "$traces" "SELECT value FROM meta WHERE key = 'cupti.windows'")
    for table in launch transfer memset; do
        [ $table = launch ] && kinds="AND kind IN (SELECT id FROM launch_kind WHERE name IN ('kernel', 'graph'))"
        q "$traces" "SELECT enter_ns, '$table' FROM $table WHERE correlation IS NULL AND result = 0 AND is_captured = 0
            $kinds ORDER BY enter_ns" |
            awk -F '|' -v windows="${windows:-0+100000000000}" '
                BEGIN { many = split(windows, window, ","); at = 1; edge = 20000 }
                { for (; at <= many; at++) {
                        split(window[at], of, "+")
                        if ($1 < (of[1] + of[2]) * 1000 - edge) break
                    }
                    if (at <= many && $1 > of[1] * 1000 + edge) lost++ }
                END { if (lost) print $2 " without a correlation id within a window: " lost }'
        kinds=''
    done
}

# compare_counts: a line for each count in which the only trace differs from the program, and then how many were the
# same. Of what the device did the trace may have less: device times may have been recorded for a part of the run. Of
# what was done within the windows it has all.
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
    lost_records
    lost_calls
    echo "$same counts are the same"
}

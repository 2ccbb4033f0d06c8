# For run-test and run-windows: questions to a trace. Wants $here, $xferspy, and $base, a folder for what goes wrong.

# q TRACE SQL [OPTION...]: the rows, columns separated by |, NULL as nothing
q() {
    "$xferspy" query --format tsv "${@:3}" "$1" "$2" 2>> "$base/query.stderr" | tail -n +2 | tr '\t' '|'
    local result=${PIPESTATUS[0]}
    [ "$result" = 0 ] || echo "xferspy query: exit status $result: $(tail -n 1 "$base/query.stderr")"
}

# broken_invariants TRACE: what the queries of invariants.sql find. Each query should find nothing. One question asks
# whether any of them finds something, because a start of xferspy for each took most of the time of many tests. Only if
# so they are put one by one.
broken_invariants() {
    local queries sql any='' found left=
    mapfile -t queries < <(awk '/^ / { sub(/^ +/, " "); query = query $0; next }
        { if (query) print query; query = /^--/ ? "" : $0 }
        END { if (query) print query }' "$here/invariants.sql") # one a line
    for sql in "${queries[@]}"; do
        any+="${any:+ UNION ALL }SELECT 'some are broken' WHERE EXISTS ($sql)"
    done
    any=$(q "$1" "$any" --no-limit)
    [ -n "$any" ] || return 0
    for sql in "${queries[@]}"; do
        found=$(q "$1" "$sql" | head -n 5)
        [ -z "$found" ] || left+=$(printf '%s\n%s\n' "$sql" "$found")$'\n'
    done
    printf '%s\n' "${left:-$any}"
}

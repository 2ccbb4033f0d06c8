# For run-test and run-windows: questions to a trace. Wants $here, $xferspy, and $base, a folder for what goes wrong.

# q TRACE SQL: the rows, columns separated by |, NULL as nothing
q() {
    "$xferspy" query --format tsv "$1" "$2" 2>> "$base/query.stderr" | tail -n +2 | tr '\t' '|'
    local result=${PIPESTATUS[0]}
    [ "$result" = 0 ] || echo "xferspy query: exit status $result: $(tail -n 1 "$base/query.stderr")"
}

# broken_invariants TRACE: what the queries of invariants.sql find, each of which should find nothing
broken_invariants() {
    local sql found
    awk '/^ / { sub(/^ +/, " "); query = query $0; next }
        { if (query) print query; query = /^--/ ? "" : $0 }
        END { if (query) print query }' "$here/invariants.sql" |
        while IFS= read -r sql; do # one a line
            found=$(q "$1" "$sql" | head -n 5)
            [ -z "$found" ] || printf '%s\n%s\n' "$sql" "$found"
        done
}

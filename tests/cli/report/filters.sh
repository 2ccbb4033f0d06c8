# Filters of report and explain, as a user types them. What passes which is in
# tests/unit/analyzer/findings/engine/test_filter.c.
. "$SOURCE/lib.sh"
make_trace t.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
gain() { # of JSON options: what all that passes would save
    run "$XFERSPY" report --json "$@"
    expect_status 0
    sed -n '/"together": {/,/}/s/.*"most_ns": \([0-9]*\).*/\1/p' stdout | head -n 1
}
passing() { run "$XFERSPY" report --json "$@"; sed -n 's/.*"transfers_passing": \([0-9]*\).*/\1/p' stdout; }
# Options of both kinds together, in words and in numbers.
run "$XFERSPY" report --site=train.py:12 --direction=h2d t.db
expect_status 0; expect_no_err
expect_out "  filter    direction h2d, called from train.py:12: 10 of 37 transfers pass, "
expect_out "noop-upload"; expect_not "scalar-readback"; expect_not "Coverage"; expect_not "Cost of profiling"
run "$XFERSPY" report --site=train.py:1 t.db; expect_out ": 0 of 37 transfers pass"
expect_out "None that pass the filter."; expect_out "nothing that passes the filter."
run "$XFERSPY" report --site='*/reader.c' --by=function t.db; expect_out "read_back"; expect_not "train.py"
# Any frame of the program fits, not the innermost alone, and none of a library.
run "$XFERSPY" report --site=main --by=function t.db; expect_status 0
expect_out "called from main: 22 of 37 transfers pass"; expect_out "step "; expect_out "load_tables"
expect_not "read_back"
run "$XFERSPY" report --site=loader.py:8 t.db; expect_out "called from loader.py:8: 2 of 37 transfers pass"
run "$XFERSPY" report --site=copy_kernel_cuda t.db; expect_out "called from copy_kernel_cuda: 0 of 37 transfers pass"
run "$XFERSPY" report --nvtx=batch --by=nvtx t.db; expect_out "epoch / batch"; expect_not "(in no range)"
run "$XFERSPY" report --finding=noop-upload t.db; expect_out "noop-upload"; expect_not "large copies"
expect_out "  filter    finding noop-upload: "; expect_out "by 1 cause: noop-upload"
run "$XFERSPY" report --sections=findings,cost --direction=d2h t.db; expect_not "Transfers"; expect_out "Causes"
run "$XFERSPY" report --sections=causes t.db; expect_out "Causes"; expect_not "Transfers"
run "$XFERSPY" report --sections=all t.db; expect_out "Largest"; expect_out "Slowest"; expect_out "Coverage"
run "$XFERSPY" report --json t.db; expect_out '"filter": null'
# Together the parts are the whole: of directions, of times, of sizes; every finding here is about one transfer, or a
# run of one direction.
all=$(gain --direction=h2d,d2h,d2d,peer,h2h t.db)
up=$(gain --direction=h2d t.db); down=$(gain --direction=d2h t.db)
other=$(gain --direction=d2d --direction=peer,h2h t.db)
[ "$all" -gt 0 ] && [ $((up + down + other)) -eq "$all" ] || show "directions: $up + $down + $other, not $all"
small=$(gain --max-size=65535 t.db); large=$(gain --min-size=64K t.db)
[ $((small + large)) -eq "$all" ] || show "sizes: $small + $large, not $all"
# Of times, only uploads: the last readback of each part stays.
early=$(gain --until=50% --direction=h2d t.db); late=$(gain --since=50% --direction=h2d t.db)
[ $((early + late)) -eq "$up" ] || show "times: $early + $late, not $up"
# of real ones parts may share what they claim, and are never more than the whole, but for the order in which a replay
# with other streams runs, and for the last readback of a part, which stays; a detour is found in the whole run only
for trace in "$GOLDEN"/*.db; do
    whole=$(gain "$trace"); least=$((whole - whole / 200))
    ! grep -q '"detour": {' stdout || least=0
    first=$(gain --until=40% "$trace"); rest=$(gain --since=40% "$trace")
    most=$((whole + whole / 200))
    [ "$first" -le "$most" ] && [ "$rest" -le "$most" ] && [ $((first + rest)) -ge "$least" ] ||
        show "$trace: $first and $rest of $whole"
    ran=$(passing --since=0s "$trace")
    [ $(($(passing --until=40% "$trace") + $(passing --since=40% "$trace"))) -eq "$ran" ] || show "$trace: transfers"
done
# --by adds up to what passes, and claims what the total does.
run "$XFERSPY" report --json --by=site --direction=h2d t.db
[ "$(awk '/"by": /,0' stdout | sed -n 's/.*"saves_ns": \([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')" \
    -eq "$up" ] || show "by site is not $up"
# explain takes the same.
run "$XFERSPY" explain --site=train.py:12 t.db noop-upload; expect_status 0
expect_out "filter    called from train.py:12"
run "$XFERSPY" explain --direction=d2h t.db noop-upload; expect_status 1; expect_err "no finding \`noop-upload'"
run "$XFERSPY" explain --until=0s t.db noop-upload; expect_status 1; expect_err "none passes the filter"
run "$XFERSPY" explain --format=tsv --until=0s t.db; expect_status 0
[ "$(wc -l <stdout)" -eq 1 ] || show "a heading and no rows"
# What cannot be meant is refused in a line that says what can.
while read -r option; do
    run "$XFERSPY" report "$option" t.db
    expect_status 2; expect_no_out; expect_err "$option: use "
done <<'OPTIONS'
--since=5
--until=-1s
--direction=up
--direction=h2d,
--min-size=1Q
--max-size=
--stream=x
--device=gpu
--finding=noop
--finding=pageable/x
--finding=pageable#2
--site=
--sections=x
--sections=
--format=html
OPTIONS
for option in --since=200% --until=100.5%; do
    run "$XFERSPY" report "$option" t.db; expect_status 2; expect_no_out
    expect_err "$option: a share of the run is at most 100%"
done
run "$XFERSPY" report --since=2s --until=1s t.db; expect_status 2; expect_err "--until has to come after --since"
run "$XFERSPY" report --min-size=2K --max-size=1K t.db; expect_status 2; expect_err "--min-size is more than --max-size"
run "$XFERSPY" report --sections=cost --by=site t.db; expect_status 2; expect_err "--sections and --by"
make_trace v.db "$SOURCE/fixtures/simple.sql"
# each by itself
run "$XFERSPY" report --sections=findings t.db v.db; expect_status 0; expect_out "== v.db =="; expect_not "A job of"
run "$XFERSPY" report --help
for option in since until skip-steps steps direction min-size max-size stream device thread site nvtx finding sections \
    format; do
    expect_out "--$option="
done
# A pattern of hostile text is shown escaped.
run "$XFERSPY" report "--site=$(printf 'a\033[31mb\nc')" t.db; expect_status 0; expect_out 'called from a\x1b[31mb\nc'
# Traces that lack what is asked about.
for name in empty without_cupti nonsense; do
    make_trace $name.db "$SOURCE/fixtures/$name.sql" 2>/dev/null ||
        make_trace $name.db "$SOURCE/fixtures/simple.sql" "$SOURCE/fixtures/$name.sql"
    run "$XFERSPY" report --since=10% --site=x --thread=1 --stream=1 --device=0 --nvtx=x $name.db; expect_status 0
    expect_out "filter"
done

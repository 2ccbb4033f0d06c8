# A report for a pull request, read by the renderer that code hosts use: what it is made of, and that no text of a trace
# is more than text there.
. "$SOURCE/lib.sh"
. "$SOURCE/job_traces.sh"
need cmark-gfm
need_python
pages=0
# render NEEDS...: of stdout, with everything that GitHub has and its sanitizer not yet run. All pages are looked at in
# the end.
render() {
    pages=$((pages + 1))
    cmark-gfm --unsafe -e table -e autolink -e strikethrough -e tasklist <stdout >$pages.html 2>stderr ||
        show "cmark-gfm"
    printf '%s\n' "$@" >$pages.needs
    echo "$step" >$pages.step
}

make_trace findings.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql"
run "$XFERSPY" report --format=markdown findings.db
expect_status 0; expect_no_err
render "h2 1" "table 1" "details 4" "summary 4" "pre 4" "header cause" "header saves"
expect_out "## Transfers: saves 18.1 ms of the run's 100 ms (18 %), by 5 causes; start with number 1, scalar-readback"
expect_out '| 1 | scalar-readback | 9.09 ms | 9.1 % |'; expect_out '`reader/reader.c:77`'
grep -q $(printf '\033') stdout && show "colours"
run "$XFERSPY" report --format=markdown --details findings.db; render "details 6"
run "$XFERSPY" report --format=markdown --sections=findings findings.db; render "details 0" "table 1"
echo "UPDATE transfer SET fingerprint = NULL, skip = 21 WHERE id IN (7, 16, 25);" >sampled.sql
make_trace sampled.db "$SOURCE/fixtures/findings.sql" sampled.sql
run "$XFERSPY" report --format=markdown sampled.db; render; expect_out ". About 7.04 ms on the device ("
run "$XFERSPY" report --format=markdown --by=site findings.db; expect_status 0; render "pre 1"
expect_out "Transfers by call site"
run "$XFERSPY" report --format=markdown --site='<b>*`' findings.db; expect_status 0; render
expect_out 'Filter: ``called from <b>*`:'
make_trace simple.db "$SOURCE/fixtures/simple.sql"
make_trace simulated.db "$SOURCE/fixtures/simulated.sql"
make_trace empty.db "$SOURCE/fixtures/empty.sql"
run "$XFERSPY" report --format=markdown simulated.db; render
expect_out "SIMULATED GPU: times below are a model's, not measurements"
run "$XFERSPY" report --format=markdown empty.db; render "table 0"
expect_out "## Transfers: nothing: no transfer ran"
run "$XFERSPY" report --format=markdown --each simple.db empty.db; expect_status 0; render "h2 2"
run "$XFERSPY" report --format=markdown --sections=findings simple.db findings.db; expect_status 0
render "h2 2" "details 0"
run "$XFERSPY" report --format=markdown simple.db missing.db; expect_status 1; expect_err missing.db
render "h2 1" "header in"
# Several traces are a job: one page.
make_ranks ranks
run "$XFERSPY" report --format=markdown ranks
expect_status 0; expect_no_err; render "h2 1" "table 1" "details 1" "pre 1" "header in" "header saves"
expect_out "## Transfers: saves 18.1 ms of 100 ms (18 %) in the process that gains most"
expect_out '| 2 | noop-upload | 7.65 ms | 7.6 % | 27 | 216 MiB | ranks 0-2 | `train.py:12` |'
expect_out "16.6 ms in rank 3 (the slowest process), 17.7 ms on average"; expect_out "3 more: \`--details\` lists them."
run "$XFERSPY" report --format=markdown --details ranks; render "h2 1"; expect_not " more: "
run "$XFERSPY" report --format=markdown --site='<b>*`' ranks simulated.db; expect_status 0; render "h2 1" "table 0"
expect_out 'Filter: ``called from <b>*`:'; expect_out "SIMULATED GPU in simulated.db only"
run "$XFERSPY" report --format=markdown empty.db simple.db; expect_status 0; render "h2 1"
for trace in "$GOLDEN"/*.db; do
    run "$XFERSPY" report --format=markdown "$trace"; expect_status 0; expect_no_err; render "h2 1"
done

# Hostile text in every column that a report shows.
bad() { # one text after the other into every text column
    cat <<END
UPDATE meta SET value = '$1' WHERE key IN ('command', 'executable', 'host', 'cwd', 'cupti.status', 'cupti.text', 'status', 'option.fingerprint');
UPDATE device SET name = '$1'; UPDATE entry_point SET name = '$1' WHERE name NOT LIKE 'cuMemcpy%'; UPDATE module SET path = '/$1';
UPDATE symbol SET function = '$1', file = '/x/$1'; UPDATE python_code SET file = '/y/$1', function = '$1'; UPDATE nvtx_range SET name = '$1';
UPDATE thread SET name = '$1'; INSERT INTO note(topic, text) VALUES ('$1', '$1'), ('a', '$1' || char(10) || '# head' || char(10) || '| a |');
END
}
n=0
while IFS= read -r text; do
    n=$((n + 1))
    bad "$text" >bad.sql
    make_trace bad$n.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" bad.sql
    cp bad$n.db '*b* `<b>|.db'
    run "$XFERSPY" report --format=markdown --details ranks '*b* `<b>|.db'
    expect_status 0; render "a 0" "h2 1" "img 0" "script 0" "em 0" "del 0" "h1 0" "details 1"
    for options in "" --details --by=site --by=nvtx; do
        # shellcheck disable=SC2086 # no option is one of none
        run "$XFERSPY" report --format=markdown $options bad$n.db
        expect_status 0; render "a 0" "h2 1" "img 0" "script 0" "em 0" "del 0" "h1 0"
    done
    rm bad$n.db
done <<'TEXTS'
<script>alert(1)</script>
<img src=x onerror=alert(1)>
</summary></details><a href="x">y</a>
</code></pre><script>x</script>
[x](javascript:alert(1)) ![y](http://example.com/p.png)
`x` ``y`` ```z
` ``
```
~~~
|a|b|\|c\\|
*em* **strong** _em_ __s__ ~~del~~ \
http://example.com www.example.com a@example.com
@everyone #1 GH-1 :tada:
&lt;script&gt; &#60;b&#62; <!-- x
- [x] task
$x$ $$y$$
 padded 
TEXTS
[ "$n" -eq 17 ] || show "17 texts"
# A name of 200 KB is cut.
echo "UPDATE symbol SET function = replace(hex(zeroblob(100000)), '0', 'x|\`'); UPDATE nvtx_range SET name = replace(hex(zeroblob(100000)), '0', 'x')" >long.sql
make_trace long.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" long.sql
run "$XFERSPY" report --format=markdown --details long.db; expect_status 0; render
[ "$(wc -c <stdout)" -le 65536 ] || show "more than a comment can hold"
echo "UPDATE entry_point SET name = replace(hex(zeroblob(100000)), '0', 'x')" >long.sql
make_trace names.db "$SOURCE/fixtures/findings.sql" "$SOURCE/fixtures/callsites.sql" long.sql
run "$XFERSPY" report --json names.db; expect_status 0
[ "$(wc -c <stdout)" -le 1000000 ] || show "a name is written whole for each thing that has it"
step="the pages"
"$python" "$SOURCE/report/markdown_page.py" $pages >stdout 2>stderr || show "a page is not what it should be"

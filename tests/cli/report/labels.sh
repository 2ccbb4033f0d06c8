# Labels of a trace: in the report, in OpenMetrics, and in SQL over a merged file; none is left in an anonymized copy.
. "$SOURCE/lib.sh"
need_python
cat >labels.sql <<'END'
INSERT INTO meta VALUES ('label.team', 'vision'), ('label.k8s.io/app', 'a "b"'), ('label.k8s_io/app', 'lost'),
 ('label.user', 'ann'), ('labels.given', 'team,k8s.io/app');
END
sed "s/'vision'/'speech'/" labels.sql >other.sql
echo "UPDATE meta SET value = value + 1 WHERE key IN ('rank', 'pid', 'start_unix_ns')" >second.sql
make_trace a.db "$SOURCE/fixtures/simple.sql" labels.sql
make_trace b.db "$SOURCE/fixtures/simple.sql" other.sql second.sql
make_trace plain.db "$SOURCE/fixtures/simple.sql"

run "$XFERSPY" report a.db; expect_status 0; expect_out 'k8s.io/app=a "b", team=vision'; expect_not "ann"
[ "$(grep -c '^ *labels ' stdout)" = 1 ] || show "one line"
run "$XFERSPY" report plain.db; expect_status 0
! grep -q '^ *labels ' stdout || show "labels of a trace that was given none"
run "$XFERSPY" report --json a.db; expect_status 0
json 'd["traces"][0]["run"]["labels"] == {"team": "vision", "k8s.io/app": "a \"b\"", "k8s_io/app": "lost",
    "user": "ann", "host": "node07", "rank": "0", "local_rank": "0", "world_size": "8",
    "gpu": "NVIDIA H100 80GB HBM3"}'

# A label is in one series of a run. Two keys with the same name there are one, because a name may not come twice.
run "$XFERSPY" export --format=openmetrics a.db; expect_status 0
expect_out ',label_k8s_io_app="a \"b\"",'; expect_out ',label_team="vision",label_user="ann",'; expect_not "lost"
[ "$(grep -c label_team stdout)" = 1 ] || show "in more than one series"

count=$("$XFERSPY" query --format=csv a.db "SELECT count(*) FROM transfers" | tail -1)
run "$XFERSPY" merge -o job.db a.db b.db; expect_status 0
run "$XFERSPY" query --format=csv job.db "SELECT m.value AS team, count(*) FROM transfers t
    LEFT JOIN meta m ON m.trace = t.trace AND m.key = 'label.team' GROUP BY 1"
expect_status 0; expect_out "speech,$count"; expect_out "vision,$count"
run "$XFERSPY" report --json job.db:1; expect_status 0
json 'd["traces"][0]["run"]["labels"]["team"] == "speech"'

run "$XFERSPY" anonymize a.db -o sent.db; expect_status 0
run "$XFERSPY" query sent.db "SELECT count(*) FROM meta WHERE key LIKE 'label%'"; expect_status 0; expect_out "0"
run "$XFERSPY" report --json sent.db; expect_status 0
json 'set(d["traces"][0]["run"]["labels"]) == {"host", "rank", "local_rank", "world_size", "gpu"}'
json 'd["traces"][0]["run"]["labels"]["host"] == "host_1"'

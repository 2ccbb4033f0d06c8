"""Reads OpenMetrics with the parser of prometheus_client; with a trace, compares with `report --json`.

metrics.py METRICS [TRACE XFERSPY]"""
import json
import subprocess
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

with open(sys.argv[1], encoding="utf-8", errors="strict", newline="") as file:
    families = {family.name: family for family in text_string_to_metric_families(file.read())}
assert len(families) > 20, families.keys()
for family in families.values():
    assert family.name.startswith("xferspy_") and family.documentation, family
    assert not family.unit or family.name.endswith("_" + family.unit), family
    for sample in family.samples:
        assert {"host", "executable", "pid"} <= set(sample.labels) and sample.value >= 0, sample
        for value in sample.labels.values():
            assert len(value) < 20000 and not any(ord(c) < 32 for c in value), sample
if len(sys.argv) > 2:
    json_text = subprocess.run([sys.argv[3], "report", "--json", sys.argv[2]], stdout=subprocess.PIPE,
                               check=True).stdout
    report = json.loads(json_text)["traces"][0]
    value = lambda name: families[name].samples[0].value
    assert value("xferspy_transfers") == report["transfers"]["total"]["count"], report["transfers"]
    saved = report["together"]["most_ns"]
    assert abs(value("xferspy_saved_time_seconds") - saved / 1e9) < 1e-9 * max(1, saved / 1e9)
print(len(families), "families")

"""Whether the account of idle time adds up in a report's JSON: all rows of a device are its idle time, and its busy and
its idle time are the time that is accounted for. Prints the number of devices."""
import json
import sys

devices = 0
for trace in json.load(open(sys.argv[1]))["traces"]:
    idle = trace["idle"]
    if idle is None:
        continue
    span = idle["end_ns"] - idle["start_ns"]
    for device in idle["devices"]:
        rows = [row for row in idle["rows"] if row["device"] == device["device"]]
        assert sum(row["ns"] for row in rows) == device["idle_ns"], (trace["trace"], device)
        assert device["idle_ns"] + device["busy_ns"] == span, (trace["trace"], device, span)
        assert all(row["longest_ns"] <= row["ns"] and row["times"] > 0 for row in rows)
        devices += 1
    sizes = [row["ns"] for row in idle["rows"]]
    assert sizes == sorted(sizes, reverse=True)
    for wait in trace["waits"] or []:
        assert wait["times"] > 0 and wait["busy_ns"] <= wait["waited_ns"], wait
    gains = [wait["saves_ns"] for wait in trace["waits"] or []]
    assert gains == sorted(gains, reverse=True)
    together = [wait["together_ns"] for wait in trace["waits"] or []]
    assert together == sorted(together), together
print(devices)

"""make_fleet.py GOLDEN FOLDER RANKS: traces of RANKS processes of three programs over five days, copies of golden
traces with other hosts, process numbers, times and labels.

On the third day, a new commit of `train` repairs its upload, and a new commit of the program of PyTorch brings one. The
program host_round_trip_wasteful does not change."""
import os
import shutil
import sqlite3
import sys

DAY_NS = 86400 * 10**9
FIRST_NS = 1767225600 * 10**9  # 2026-01-01
PROGRAMS = (  # trace before and after the third day, team, commits
    ("guide_cpp_before", "guide_cpp_after", "vision", "aaaa000000000001", "aaaa000000000002"),
    ("guide_pytorch_after", "guide_pytorch_before", "speech", "bbbb000000000001", "bbbb000000000002"),
    ("h100_lines", "h100_lines", "vision", "cccc000000000001", "cccc000000000001"),
)


def main():
    golden, folder, ranks = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.makedirs(folder)
    for number in range(ranks):
        before, after, team, old, new = PROGRAMS[number % len(PROGRAMS)]
        day = number // len(PROGRAMS) % 5
        path = os.path.join(folder, f"{number:04}.db")
        shutil.copyfile(os.path.join(golden, f"{before if day < 2 else after}.db"), path)
        db = sqlite3.connect(path)
        job = number // 15
        meta = {"start_unix_ns": FIRST_NS + day * DAY_NS + number * 10**9, "pid": 1000 + number,
                "host": f"node{number % 7:02}", "rank": number % 8, "world_size": 8, "label.team": team,
                "label.slurm_job_id": str(4000 + job), "label.git_commit": old if day < 2 else new}
        if number % 2:
            meta["label.slurm_cluster"] = "a100"
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        db.commit()
        db.close()


main()

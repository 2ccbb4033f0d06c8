"""Forgeries of the pointer to a spool in memory, and of what it leads to; they join CASES of cases.py. Beside the trace
lies a copy of the spool's header then, which says in which folder the spool lies, and under which number
(schema/spool/spool_location.h)."""

import os
import re
import shutil
import stat

from cases import CHUNK, HEAD, beside, case, change, put, scribble, scribble_spool

FOLDER_BYTES, NUMBER_BYTES = 96, 33
DAMAGED = "the spool with its last events is damaged"
NOT_HERE = "its last events are not here"
TAKEN_OVER = "400 events that it left were recovered"


class Pointer:
    """What a pointer says, and where in it."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = bytearray(file.read())
        found = re.search(rb"([0-9a-f]{32})\0(/[^\0]*/xferspy-[0-9]+)\0", self.data)
        self.number, self.folder = found.group(1).decode(), found.group(2).decode()
        self.number_at, self.folder_at = found.start(1), found.start(2)
        self.trace_at = self.folder_at + FOLDER_BYTES
        self.spool = f"{self.folder}/{self.number}.spool"


def point(folder, at, to, bytes_=0):
    """Writes over a part of the pointer."""
    pointer = Pointer(beside(folder, ".spool"))
    with open(beside(folder, ".spool"), "r+b") as file:
        file.seek(getattr(pointer, at))
        file.write(to.ljust(bytes_, b"\0"))
    return pointer


def pointer_case(name, warned, **more):
    return case(f"pointer-{name}", kind="memory", warned=warned, **more)


pointer_case("sound", TAKEN_OVER)(lambda folder, random: None)


def elsewhere(folder, random, name):
    """The spool is there, too, and so is its number; but it is in no folder for spools."""
    there = os.path.join(os.path.abspath(folder), name, f"xferspy-{os.geteuid()}")
    os.makedirs(there, 0o700)
    pointer = point(folder, "folder_at", there.encode()[:FOLDER_BYTES - 1], FOLDER_BYTES)
    shutil.copyfile(pointer.spool, f"{there}/{pointer.number}.spool")


pointer_case("to-a-folder-elsewhere", NOT_HERE)(lambda folder, random: elsewhere(folder, random, "d"))
pointer_case("to-a-folder-by-dots", NOT_HERE)(lambda folder, random: point(
    folder, "folder_at", f"/dev/shm/../shm/xferspy-{os.geteuid()}".encode(), FOLDER_BYTES))
pointer_case("to-no-folder", NOT_HERE, long_only=True)(
    lambda folder, random: point(folder, "folder_at", b"", FOLDER_BYTES))
pointer_case("to-escapes", NOT_HERE)(
    lambda folder, random: point(folder, "folder_at", b"/\x1b[2J\n\xff\x80<b>", FOLDER_BYTES))
pointer_case("number-of-dots", DAMAGED)(lambda folder, random: point(
    folder, "number_at", b"../../../../../../../../etc/passwd"[-32:], NUMBER_BYTES))
pointer_case("number-empty", DAMAGED, long_only=True)(
    lambda folder, random: point(folder, "number_at", b"", NUMBER_BYTES))
pointer_case("number-of-nothing", DAMAGED)(
    lambda folder, random: point(folder, "number_at", b"0123456789abcdef" * 2, NUMBER_BYTES))
pointer_case("number-endless", DAMAGED)(lambda folder, random: point(folder, "number_at", b"a" * NUMBER_BYTES))
pointer_case("folder-endless", DAMAGED)(lambda folder, random: point(folder, "folder_at", b"/" * FOLDER_BYTES))
pointer_case("trace-endless", DAMAGED, long_only=True)(lambda folder, random: point(folder, "trace_at", b"/" * 4096))
pointer_case("trace-long", TAKEN_OVER, long_only=True)(
    lambda folder, random: point(folder, "trace_at", b"/" * 4095, 4096))
pointer_case("cut", DAMAGED)(lambda folder, random: os.truncate(beside(folder, ".spool"), random.randrange(8, HEAD)))
pointer_case("long", TAKEN_OVER, long_only=True)(lambda folder, random: os.truncate(beside(folder, ".spool"), 1 << 40))


def rubbish_behind_the_magic(folder, random):
    data = Pointer(beside(folder, ".spool")).data
    put(beside(folder, ".spool"), data[:8] + random.randbytes(random.choice([10, len(data) - 8, 200000])))


pointer_case("rubbish", DAMAGED)(rubbish_behind_the_magic)
for number in range(4):
    case(f"pointer-scribbled-{number}", kind="memory", long_only=number > 1)(
        lambda folder, random: scribble_spool(folder, random, 4096))


def in_the_place_of_the_spool(make):
    def make_it(folder, random):
        pointer = Pointer(beside(folder, ".spool"))
        moved = os.path.join(os.path.abspath(folder), "moved")
        shutil.copyfile(pointer.spool, moved)
        os.unlink(pointer.spool)
        make(pointer.spool, moved)
    return make_it


def a_device(path, moved):
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        os.symlink("/dev/zero", path)


def a_pointer_again(path, moved):
    with open(moved, "rb") as file:
        data = file.read(HEAD)
    put(path, b"XSSPPTR1" + data[8:])


for name, warned, make in (
        ("link", NOT_HERE, lambda path, moved: os.symlink(moved, path)),
        ("hard-link", NOT_HERE, lambda path, moved: (shutil.copyfile(moved, path), os.link(path, path + ".spool"))),
        ("folder", NOT_HERE, lambda path, moved: os.mkdir(path)),
        ("fifo", DAMAGED, lambda path, moved: os.mkfifo(path)),
        ("device", None, a_device),
        ("pointer", DAMAGED, a_pointer_again),
        ("nothing", NOT_HERE, lambda path, moved: None),
        ("empty-file", DAMAGED, lambda path, moved: put(path, b"")),
        ("rubbish", DAMAGED, lambda path, moved: put(path, b"\x5a" * 300000))):
    pointer_case(f"to-a-{name}", warned, long_only=name in ("nothing", "empty-file", "rubbish"))(
        in_the_place_of_the_spool(make))


def change_spool(folder, change_it):
    """`change_it` has the spool's first bytes, and returns what takes their place."""
    pointer = Pointer(beside(folder, ".spool"))
    with open(pointer.spool, "r+b") as file:
        head = bytearray(file.read(HEAD))
        file.seek(0)
        file.write(change_it(head, pointer))


def other_number(head, pointer):
    return head.replace(pointer.number.encode(), pointer.number.encode()[::-1])


pointer_case("spool-has-another-number", DAMAGED)(lambda folder, random: change_spool(folder, other_number))
pointer_case("trace-has-another-number", DAMAGED)(
    lambda folder, random: change(folder, "UPDATE meta SET value = 'no number' WHERE key = 'spool.id'"))
pointer_case("spool-cut", None)(lambda folder, random: os.truncate(
    Pointer(beside(folder, ".spool")).spool, random.choice([0, 100, HEAD, HEAD + CHUNK // 2])))
for number in range(4):
    case(f"pointer-spool-scribbled-{number}", kind="memory", long_only=number > 1)(
        lambda folder, random: scribble(folder, random, Pointer(beside(folder, ".spool")).spool))
if os.geteuid() == 0:
    pointer_case("to-a-spool-of-another-user", NOT_HERE)(
        lambda folder, random: os.chown(Pointer(beside(folder, ".spool")).spool, 65534, 65534))

    @pointer_case("of-another-users-trace", NOT_HERE)  # the copy of the trace was given this user's spool
    def strangers(folder, random):
        """All but the spool is a stranger's, who has learned the number of this user's."""
        for name in ("", "-wal", "-shm", ".spool"):
            if os.path.exists(beside(folder, name)):
                os.chown(beside(folder, name), 65534, 65534)

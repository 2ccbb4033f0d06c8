"""The forgeries: each is a function that changes a sound trace `t.db` in a folder of its own, or what lies beside it.
What is expected of every command: see forgeries.py. CASES has them by name; the comment behind a name says what the
attack did once, where it did something."""

import os
import shutil
import socket
import sqlite3
import stat
import struct

CASES = {}


class Case:
    def __init__(self, make, words, kind, long_only, recovered, warned, also):
        self.make, self.words, self.kind, self.long_only, self.recovered = make, words, kind, long_only, recovered
        self.warned, self.also = warned, also


def case(name, words=None, kind="finished", long_only=False, recovered=False, warned=None, also=()):
    """`words`: every command that reads the trace refuses it with a line that has them; None: it may be read. `kind`:
    what it is made of: "finished", "killed" (with events in the spool), "memory" (killed, and the spool is in memory)
    or "import" (an export of Nsight Systems). `recovered`: SQLite ends the transaction of its journal before anything
    can be read, also where the trace is refused then. `warned`: the trace is read, and one line, which has these words,
    says what became of the rest of its events. `also`: commands that are run in any case."""

    def add(make):
        assert name not in CASES, name
        CASES[name] = Case(make, words, kind, long_only, recovered, warned, also)
        return make

    return add


def change(folder, script):
    database = sqlite3.connect(os.path.join(folder, "t.db"))
    database.executescript(script)
    database.commit()
    database.close()


def tables_of(folder):
    database = sqlite3.connect(os.path.join(folder, "t.db"))
    names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")]
    database.close()
    return names


def stored_transfers(folder):
    """The table that has the transfers: versions before 5 have no rows and shapes."""
    return "transfer_row" if "transfer_row" in tables_of(folder) else "transfer"


def columns_of(database, table):
    return [(row[1], row[2].upper()) for row in database.execute(f'PRAGMA table_info("{table}")')]


def beside(folder, suffix):
    return os.path.join(folder, "t.db" + suffix)


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)


SCHEMA = "its schema is not xferspy's"
ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT "


# --- schemas ---

def as_view(folder, random, body):
    table = random.choice(tables_of(folder))
    database = sqlite3.connect(os.path.join(folder, "t.db"))
    names = ", ".join(f'{body} AS "{name}"' for name, _ in columns_of(database, table))
    database.close()
    change(folder, f'DROP TABLE "{table}"; CREATE VIEW "{table}" AS {ENDLESS}{names} FROM r')


for number in range(4):
    case(f"view-endless-{number}", SCHEMA, long_only=number > 0)(lambda folder, random: as_view(folder, random, "i"))
case("view-huge", SCHEMA)(lambda folder, random: as_view(folder, random, "hex(zeroblob(100000000))"))
case("view-tokenizer", SCHEMA)(lambda folder, random: as_view(folder, random, "fts3_tokenizer('simple')"))
case("view-of-ours-endless", SCHEMA)(lambda folder, random: change(
    folder, f"DROP VIEW transfers; CREATE VIEW transfers AS {ENDLESS}i AS id, 1 AS direction FROM r"))
case("view-of-itself", SCHEMA)(lambda folder, random: change(
    folder, "CREATE VIEW a AS SELECT 1 AS x; CREATE VIEW b AS SELECT * FROM a; PRAGMA writable_schema = ON;"
    "UPDATE sqlite_master SET sql = 'CREATE VIEW a AS SELECT * FROM b' WHERE name = 'a'"))


def trigger(folder, random, event):
    table = random.choice([stored_transfers(folder), "meta", "thread", "entry_point", "spool_progress"])
    change(folder, f"CREATE TRIGGER bad AFTER {event} ON {table} BEGIN INSERT INTO note (topic, text) "
           f"{ENDLESS}'x', hex(zeroblob(10000)) FROM r LIMIT 200000; DELETE FROM device; END")


for kind in ("finished", "killed"):
    for event in ("INSERT", "UPDATE", "DELETE"):
        case(f"trigger-{event.lower()}-{kind}", SCHEMA, kind, long_only=event == "DELETE")(
            lambda folder, random, event=event: trigger(folder, random, event))


def rewrite(folder, table, old, new):
    database = sqlite3.connect(os.path.join(folder, "t.db"))
    database.execute("PRAGMA writable_schema = ON")
    done = database.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = ?", (old, new, table))
    assert done.rowcount == 1
    database.commit()
    database.close()


case("generated-column", SCHEMA)(lambda folder, random: rewrite(
    folder, "note", "text TEXT NOT NULL)", "text AS (hex(zeroblob(100000000))))"))
case("generated-column-more", SCHEMA)(lambda folder, random: rewrite(
    folder, "meta", "value)", "value, more AS (hex(zeroblob(100000000))))"))
case("generated-column-killed", SCHEMA, "killed")(lambda folder, random: rewrite(
    folder, "meta", "value)", "value, more AS (hex(zeroblob(100000000))))"))
case("check-constraint", SCHEMA, "killed")(lambda folder, random: rewrite(
    folder, "meta", "value)", "value, CHECK (length(hex(zeroblob(100000000))) > 1))"))
case("default-expression", SCHEMA, "killed")(lambda folder, random: rewrite(
    folder, "meta", "value)", "value DEFAULT (hex(zeroblob(100000000))))"))
case("virtual-table", SCHEMA)(lambda folder, random: change(
    folder, "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(id, at_ns, topic, text)"))
case("virtual-table-beside", SCHEMA)(lambda folder, random: change(folder, "CREATE VIRTUAL TABLE more USING fts3(a)"))
case("virtual-table-fake", SCHEMA)(lambda folder, random: change(
    folder, "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING dbstat(main)')"))
case("index-expression", SCHEMA)(lambda folder, random: change(
    folder, f"CREATE INDEX more ON {stored_transfers(folder)} (hex(bytes))"))
case("index-partial", SCHEMA)(
    lambda folder, random: change(
        folder, f"CREATE INDEX more ON {stored_transfers(folder)} (bytes) WHERE hex(zeroblob(1000)) > 'a'"))
case("table-missing", SCHEMA)(lambda folder, random: change(folder, f'DROP TABLE "{random.choice(tables_of(folder))}"'))
case("table-more", SCHEMA)(lambda folder, random: change(folder, "CREATE TABLE more (a)"))
case("schema-no-sql", "")(lambda folder, random: change(
    folder, "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = NULL WHERE name = 'note'"))
case("schema-nonsense", "")(lambda folder, random: change(
    folder, "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = x'00ff' || sql WHERE name = 'note'"))
case("schema-long", "")(lambda folder, random: change(
    folder, "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x (a' || printf('%.*c', 12000000, 'b') || ')')"))
case("schema-deep", "")(lambda folder, random: change(
    folder, "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES ('view', 'x', 'x', 0, 'CREATE VIEW x AS SELECT ' || replace(printf('%.*c', 900000, '('), '(', '(') || '1')"))
case("schema-many", "")(lambda folder, random: change(
    folder, "PRAGMA writable_schema = ON; WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 20000)"
    " INSERT INTO sqlite_master SELECT 'view', 'x' || i, 'x' || i, 0, 'CREATE VIEW x' || i || ' AS SELECT 1' FROM r"))


def swap_roots(folder, random):
    """The texts are ours, but the rows of one table are read as those of another."""
    names = random.sample(tables_of(folder), 6)
    change(folder, "PRAGMA writable_schema = ON;" + "".join(
        f"UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = '{b}') WHERE name = '{a}';"
        for a, b in zip(names, names[1:])))


for number in range(3):
    case(f"roots-shared-{number}", long_only=number > 1)(swap_roots)
case("root-is-schema")(lambda folder, random: change(
    folder, f"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 1 WHERE name IN ('note', '{stored_transfers(folder)}')"))
case("root-none")(lambda folder, random: change(
    folder, f"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 0 WHERE name = '{random.choice(tables_of(folder))}'"))
case("root-far")(lambda folder, random: change(
    folder, f"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 2147483647 WHERE name = '{random.choice(tables_of(folder))}'"))
case("index-root-of-table")(lambda folder, random: change(
    folder, "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE"
    f" name = '{stored_transfers(folder)}')"
    " WHERE name = 'sqlite_autoindex_meta_1'"))


# --- rows ---

def fill(folder, random, values):
    """Every column of every row and table holds one of these."""
    database = sqlite3.connect(os.path.join(folder, "t.db"))
    database.text_factory = bytes
    for table in tables_of(folder):
        for name, declared in columns_of(database, table):
            # not what says what the file is
            rows = "key NOT IN ('schema_version')" if table == "meta" else "1"
            for row in range(7):
                try:
                    database.execute(f'UPDATE OR IGNORE "{table}" SET "{name}" = ? WHERE {rows} AND rowid % 7 = ? AND ? % 3 <> 0',
                                     (random.choice(values), row, random.randrange(9)))
                except sqlite3.Error:
                    pass # a key of integers holds nothing else
    database.commit()
    database.close()


EXTREMES = [2**63 - 1, -(2**63), -1, 0, 2**62, 2**32, 2**31, -5, 65536]
for number in range(3):
    case(f"extremes-{number}", long_only=number > 1)(lambda folder, random: fill(folder, random, EXTREMES))
    case(f"wrong-types-{number}", long_only=number > 1)(
        lambda folder, random: fill(folder, random, ["text", b"\xff\x00", 1.5e300, -0.5, b"", "9" * 400]))
case("everything-wrong")(lambda folder, random: fill(folder, random, EXTREMES + ["text", b"\xff\x00", 1.5e300, None]))


def without_not_null(folder, random):
    database = sqlite3.connect(os.path.join(folder, "t.db"))
    database.executescript("CREATE TEMP TABLE kept AS SELECT name, sql FROM sqlite_master; PRAGMA writable_schema = ON;"
                           "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE type = 'table'; PRAGMA writable_schema = RESET;")
    for table in tables_of(folder):
        for name, _ in columns_of(database, table):
            if random.randrange(2) and table != "meta":
                database.execute(f'UPDATE "{table}" SET "{name}" = NULL WHERE rowid % 2 = 0 AND "{name}" IS NOT NULL AND'
                                 f' (SELECT pk FROM pragma_table_info(\'{table}\') WHERE name = \'{name}\') = 0')
    database.executescript("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = (SELECT sql FROM kept WHERE kept.name = sqlite_master.name) WHERE type = 'table';")
    database.commit()
    database.close()


case("nulls")(without_not_null)

# Rows that all match each other: what reads them together takes the product of both.
ROWS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < %d) "
case("join-explodes")(lambda folder, random: change(folder, (
    "UPDATE transfer SET correlation = 5;" + ROWS + "INSERT INTO device_copy (correlation, kind, bytes, start_ns, end_ns, device, copies)"
    " SELECT 5, 1, 10, i, i + 1, 0, 1 FROM r;" + ROWS +
    "INSERT INTO device_kernel (correlation, name, start_ns, end_ns, device)"
    " SELECT 5, 1, i, i + 1, 0 FROM r;" + ROWS + "INSERT INTO launch (entry_point, thread, kind, is_captured, result, enter_ns, return_ns, correlation)"
    " SELECT 1, 1, 1, 0, 0, i, i + 1, 5 FROM r;") % (20000, 20000, 20000)))
# The only statement of a command but `query` that is known to need SQLite's steps bounded is one of `html`.
case("arguments-explode", also=("html -o O T",))(lambda folder, random: change(folder, (
    "INSERT OR REPLACE INTO argument_set (id) VALUES (1);" + ROWS + "INSERT INTO argument (argument_set, allocation)"
    " SELECT 1, (SELECT dst_allocation FROM transfer WHERE dst_allocation IS NOT NULL LIMIT 1) FROM r;" + ROWS +
    "INSERT INTO launch (entry_point, thread, kind, is_captured, result, enter_ns, return_ns, correlation, arguments)"
    " SELECT 1, 1, 1, 0, 0, i, i + 1, i, 1 FROM r") % (12000, 12000)))
case("many-findings", long_only=True)(lambda folder, random: change(folder, (
    ROWS + "INSERT INTO allocation (kind, bytes, enter_ns, return_ns) SELECT 4, 1 << 40, i, i FROM r") % 50000))
case("ranges-in-themselves")(lambda folder, random: change(
    folder, "INSERT OR REPLACE INTO nvtx_range VALUES (1, 1, NULL, 'a'), (2, 3, NULL, 'b'), (3, 2, NULL, 'c'); UPDATE transfer SET nvtx_range = 1 + id % 3"))
case("stack-wide")(lambda folder, random: change(folder, (
    "INSERT OR REPLACE INTO stack(id,native_frames,python_frames,is_cut) VALUES (1, 2000000000, 2000000000, 0);" + ROWS +
    "INSERT OR REPLACE INTO stack_frame (id, stack, depth, address) SELECT 4096 * 1 + i, 1, i, i FROM r; UPDATE transfer SET stack = 1") % 100000))


def huge_text(folder, random, bytes_):
    change(folder, f"INSERT INTO note (at_ns, topic, text) VALUES (1, printf('%.*c', {bytes_}, 'x'), printf('%.*c', {bytes_}, 'y'));"
           f"UPDATE meta SET value = printf('%.*c', {bytes_}, 'z') WHERE key IN ('command', 'executable', 'host');")


case("version-negative", "no xferspy has a schema -1")(lambda folder, random: change(
    folder, "PRAGMA user_version = -1"))
case("name-of-14-mib", also=("report --json T", "html -o O T"))(lambda folder, random: change(
    folder, "UPDATE entry_point SET name = replace(hex(zeroblob(7000000)), '00', 'A!')"
    " WHERE id = (SELECT entry_point FROM transfer GROUP BY 1 ORDER BY count(*) DESC LIMIT 1)"))
case("text-of-15-mib")(lambda folder, random: huge_text(folder, random, 15 << 20))
case("text-of-20-mib")(lambda folder, random: huge_text(folder, random, 20 << 20))


def loop_of_pages(folder, random):
    """A text of 100 MB in a file of 200 KB: its overflow pages name each other."""
    path = os.path.join(folder, "t.db")
    text = b"LOOP" * 12000
    database = sqlite3.connect(path)
    database.execute("INSERT INTO note (at_ns, topic, text) VALUES (1, 'x', CAST(? AS TEXT))", (text,))
    database.commit()
    database.close()
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        pages = [at for at in range(0, len(data), 4096) if data[at + 4:at + 4096].count(b"LOOP") > 1000]
        assert len(pages) > 4, pages
        for at in pages:
            data[at:at + 4] = struct.pack(">I", random.choice(pages) // 4096 + 1)
        kind = 2 * len(text) + 13
        old = struct.pack("BBB", 0x80 | kind >> 14, 0x80 | (kind >> 7) & 127, kind & 127)
        assert data.count(old) >= 1
        data = data.replace(old, b"\xff\xff\x7f")  # the text's length: a megabyte
        file.seek(0)
        file.write(data)


case("pages-in-a-circle")(loop_of_pages)


def scribble(folder, random, path=None):
    path = path or os.path.join(folder, "t.db")
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for _ in range(random.choice([1, 5, 50])):
            file.seek(random.randrange(100, size - 8))
            file.write(random.randbytes(random.choice([1, 2, 4])))


for number in range(4):
    case(f"scribbled-{number}", long_only=number > 1)(scribble)
    case(f"scribbled-killed-{number}", kind="killed", long_only=number > 1)(scribble)


@case("sparse-trace")
def sparse_trace(folder, random):
    os.truncate(os.path.join(folder, "t.db"), 1 << 40)


# --- what lies beside it ---

def journal_of(victim, pages=0):
    """As SQLite's pager.c reads it: no page, and the name of a super-journal at its end."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), victim.encode()
    head = (magic + struct.pack(">IIIII", pages, 0, 0, 512, 4096)).ljust(512, b"\0")
    return head + struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)) + magic


def super_journal(folder, random):
    put(beside(folder, "-journal"), journal_of(os.path.join(os.path.abspath(folder), "victim.txt")))


def short_journal(folder, random):
    """It says that the trace had one page once."""
    header = bytes.fromhex("d9d505f920a163d7") + struct.pack(">IIIII", 0, 0, 1, 512, 4096)
    put(beside(folder, "-journal"), header.ljust(512, b"\0"))


case("short-journal")(short_journal)  # cut the trace off to a page
case("super-journal", "names another file")(super_journal)  # deleted the victim
case("super-journal-killed", "names another file", "killed")(super_journal)


def foreign_owner(suffix):
    def make(folder, random):
        if suffix == "-journal":
            super_journal(folder, random)
        else:
            put(beside(folder, suffix), random.randbytes(50000))
        os.chown(beside(folder, suffix), 65534, 65534)
    return make


def link(suffix):
    return lambda folder, random: (
        os.path.lexists(beside(folder, suffix)) and os.unlink(beside(folder, suffix)),
        os.symlink(os.path.join(os.path.abspath(folder), "victim.txt"), beside(folder, suffix)))


def other(suffix, make):
    def make_it(folder, random):
        if os.path.lexists(beside(folder, suffix)):
            os.unlink(beside(folder, suffix))
        make(beside(folder, suffix))
    return make_it


def listen(path):
    here = os.getcwd()
    os.chdir(os.path.dirname(path))
    try:
        socket.socket(socket.AF_UNIX).bind(os.path.basename(path))
    finally:
        os.chdir(here)


OTHERS = {"fifo": os.mkfifo, "folder": os.mkdir, "device": lambda path: os.symlink("/dev/zero", path), "socket": listen,
          "dangling": lambda path: os.symlink("nowhere", path), "loop": lambda path: os.symlink(path, path)}
BOUNDED = {("fifo", ".spool"), ("fifo", "-wal"), ("folder", "-journal"), ("folder", "-shm"), ("device", ".spool"),
           ("device", "-journal")}
for suffix in ("-journal", "-wal", "-shm", ".spool"):
    for kind in ("finished", "killed"):
        case(f"garbage{suffix}-{kind}", kind=kind)(
            lambda folder, random, suffix=suffix: put(beside(folder, suffix),
                                                      random.randbytes(random.choice([10, 3000, 200000]))))
        case(f"empty{suffix}-{kind}", kind=kind, long_only=True)(
            lambda folder, random, suffix=suffix: put(beside(folder, suffix), b""))
        case(f"link{suffix}-{kind}", kind=kind, long_only=kind == "finished")(link(suffix))
    if os.geteuid() == 0:
        case(f"foreign{suffix}-killed", kind="killed")(foreign_owner(suffix))
    for name, make in OTHERS.items():
        case(f"{name}{suffix}", kind="killed", long_only=(name, suffix) not in BOUNDED)(other(suffix, make))
for name, make in OTHERS.items():
    case(f"{name}-as-trace", "")(other("", make))


@case("evil-schema-in-log", SCHEMA)
def evil_log(folder, random):
    """The file itself is ours; its log, which is valid, makes it another."""
    path = os.path.join(folder, "t.db")
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA wal_autocheckpoint = 0")
    database.execute("CREATE TRIGGER bad AFTER INSERT ON note BEGIN DELETE FROM meta; END")
    database.commit()
    shutil.copyfile(path, path + ".kept")
    shutil.copyfile(path + "-wal", path + "-wal.kept")
    database.close()
    os.replace(path + ".kept", path)
    os.replace(path + "-wal.kept", path + "-wal")


@case("evil-schema-in-journal", SCHEMA, recovered=True)
def evil_journal(folder, random):
    """A hot journal plays back a first page that is not ours."""
    path = os.path.join(folder, "t.db")
    shutil.copyfile(path, path + ".sound")
    database = sqlite3.connect(path)
    database.execute("CREATE TRIGGER bad AFTER INSERT ON note BEGIN DELETE FROM meta; END")
    database.commit()
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA cache_size = 1")
    database.execute("PRAGMA cache_spill = 1")
    database.execute("BEGIN IMMEDIATE")
    database.execute("DROP TRIGGER bad")
    database.execute("UPDATE meta SET value = value")
    for _ in range(50):
        database.execute("INSERT INTO note (at_ns, topic, text) VALUES (1, 'x', hex(randomblob(9000)))")
    shutil.copyfile(path + "-journal", path + "-journal.kept")
    shutil.copyfile(path, path + ".kept")
    database.rollback()
    database.close()
    os.replace(path + ".kept", path)
    os.replace(path + "-journal.kept", path + "-journal")
    os.unlink(path + ".sound")


@case("log-of-another", kind="killed")
def log_of_another(folder, random):
    path = os.path.join(folder, "other.db")
    database = sqlite3.connect(path)
    database.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    shutil.copyfile(path + "-wal", beside(folder, "-wal"))
    shutil.copyfile(path + "-shm", beside(folder, "-shm"))
    database.close()
    os.unlink(path)


# --- the spool ---

CHUNK, HEAD = 65536, 8192


def sparse_spool(folder, random, claimed):
    """The header claims, and the file's length has, a million chunks; four are there. Took 19 GB."""
    with open(beside(folder, ".spool"), "r+b") as file:
        head = bytearray(file.read(HEAD))
        count = [at for at in range(0, 512, 4) if struct.unpack_from("<I", head, at)[0] == 64]
        limit = [at for at in range(0, 512, 4) if struct.unpack_from("<I", head, at)[0] == ((8 << 20) - HEAD) // CHUNK]
        assert count and limit, (count, limit)
        for at in count + limit:
            struct.pack_into("<I", head, at, claimed)
        file.seek(0)
        file.write(head)
        file.truncate(HEAD + claimed * CHUNK)


case("sparse-spool-of-64-gib", kind="killed")(lambda folder, random: sparse_spool(folder, random, 1 << 20))
case("sparse-spool-of-1-tib", kind="killed")(lambda folder, random: sparse_spool(folder, random, 1 << 24))


def scribble_spool(folder, random, most):
    with open(beside(folder, ".spool"), "r+b") as file:
        for _ in range(random.choice([1, 3, 30])):
            file.seek(random.randrange(0, most) & ~3)
            file.write(struct.pack("<I", random.choice([0, 1, 2**31, 2**32 - 1, 65536, random.randrange(2**32)])))


for number in range(4):
    case(f"spool-head-{number}", kind="killed", long_only=number > 1)(
        lambda folder, random: scribble_spool(folder, random, 512))
    case(f"spool-chunks-{number}", kind="killed", long_only=number > 1)(
        lambda folder, random: scribble_spool(folder, random, HEAD + 4 * CHUNK))
case("spool-cut", kind="killed")(
    lambda folder, random: os.truncate(beside(folder, ".spool"), random.randrange(0, HEAD + 3 * CHUNK)))


# --- exports of Nsight Systems ---

case("import-view", "", "import")(lambda folder, random: change(
    folder, f"DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS {ENDLESS}i AS start, i AS end FROM r"))
case("import-generated", "", "import")(lambda folder, random: change(
    folder, "DROP TABLE StringIds; CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value AS (hex(zeroblob(30000000))));"
    + ROWS % 5000 + "INSERT INTO StringIds SELECT i FROM r"))
case("import-super-journal", "names another file", "import")(super_journal)
case("import-scribbled", None, "import")(scribble)

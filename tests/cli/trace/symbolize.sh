# Lines of call sites: against what binutils say about the same binaries, and what happens where those are elsewhere,
# have changed or are no binaries at all.
. "$SOURCE/lib.sh"
need cc c++ addr2line dwz nm objcopy objdump readelf strip
unset XFERSPY_DEBUG_PATH DEBUGINFOD_URLS 2>/dev/null
here=$(pwd -P)

cat >plain.c <<'END'
#include <stdio.h>
static int __attribute__((noinline)) leaf(int x) { return printf("%d\n", x); }
int middle(int x) {
    return leaf(x) +
           leaf(x + 1);
}
int main(int argc, char **argv) {
    (void)argv;
    return middle(argc) & 1;
}
END
# No lambda or anonymous namespace here: addr2line of binutils 2.40 gives those the name of the function around them.
cat >inlined.cc <<'END'
#include <cstdio>
#include <vector>
namespace app {
template <typename T> struct Buffer {
    std::vector<T> data;
    inline __attribute__((always_inline)) void push(T value) {
        data.push_back(value);
        puts("pushed");
    }
    __attribute__((noinline)) void twice(T value) {
        push(value);
        push(value);
    }
};
inline __attribute__((always_inline)) void both(Buffer<int> &a, Buffer<double> &b) {
    a.twice(1);
    b.push(2.0);
}
}
int main() {
    app::Buffer<int> a;
    app::Buffer<double> b;
    app::both(a, b);
    return (int)b.data.size() & 1;
}
END
cc -g -O1 -fno-inline -o plain "$here/plain.c" || exit 99
c++ -g -O2 -o inlined "$here/inlined.cc" || exit 99
c++ -gdwarf-4 -gz -O2 -o inlined4 "$here/inlined.cc" || exit 99

build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
return_addresses() { # those of all calls
    objdump -d --no-show-raw-insn "$1" | sed -nE '/\s(callq?|bl)\s/{n;s/^ +([0-9a-f]+):.*/\1/p}' | sort -u
}
# trace_of OUT PATH BUILD_ID ADDRESSES: each address a stack of one frame, in a module that was loaded far from 0
trace_of() {
    {
        echo "BEGIN; INSERT INTO module VALUES (7,'$2',$3,93824990838784,93824999999999,93824990838784);"
        awk '{ printf "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (%d,1,0,0);\n", NR
               printf "INSERT INTO stack_frame VALUES (%d,%d,0,93824990838784+0x%s,7,NULL,NULL,NULL);\n", NR*4096, NR, $1 }
             END { print "COMMIT;" }' "$4"
    } >"$1.sql"
    make_trace "$1" "$SOURCE/fixtures/simple.sql" "$1.sql"
}
symbols() { # of a trace, as lines "address function file:line", innermost first
    "$XFERSPY" query --format=tsv "$1" "SELECT printf('%x', address), coalesce(function,'??'), coalesce(file,'??') || ':' ||
      coalesce(line,0) FROM symbol ORDER BY address, inline_depth" | sed 1d | tr '\t' ' '
}
binutils() { # the same by addr2line; a call lies before its return address. The rest of a split function is no call.
    while read -r address; do
        addr2line -f -i -e "$1" "$(printf '%x' $((0x$address - 1)))" |
            sed -E 's/ \(discriminator [0-9]+\)//; s/:\?$/:0/' |
            c++filt -p | paste -d' ' - - | sed -E "s/^/$address /; s,/\./,/,; s/ [^ /]+:0$/ ??:0/"
    done <"$2" | grep -v ' ?? ??:0$' |
        awk '{ call = $0; sub(/ [^ ]*$/, "", call); if (call != last) print; last = call }'
}
check_against_binutils() { # TRACE BINARY ADDRESSES
    symbols "$1" | sort >got
    binutils "$2" "$3" | sort >expected
    cmp -s got expected || { diff got expected >stdout; show "$1: differs from addr2line"; }
    [ -s got ] || show "$1: nothing resolved"
}

# From the binary itself: C, and C++ with inlined calls and templates, in two versions of DWARF, and packed.
for program in plain inlined inlined4; do
    return_addresses $program >$program.addresses
    trace_of $program.db "$here/$program" "'$(build_id $program)'" $program.addresses
    run "$XFERSPY" symbolize $program.db
    expect_status 0; expect_no_err; expect_out "$program.db: "; expect_out " addresses resolved"
    expect_not "has changed"
    check_against_binutils $program.db $program $program.addresses
done
symbols inlined.db | grep -q ' app::Buffer<int>::push .*inlined.cc:8$' || show "the inlined call is missing"
symbols plain.db | grep -q ' middle .*plain.c:4$' || show "the call's own line is missing"

# Names that the debug information has only in part.
cat >nameless.cc <<'END'
#include <cstdio>
namespace app { namespace {
__attribute__((noinline)) int hidden(int x) { return puts("hidden") + x; }
} }
int main(int argc, char **) {
    auto later = [](int x) __attribute__((noinline)) { return app::hidden(x) + 1; };
    return later(argc) & 1;
}
END
c++ -g -O1 -o nameless nameless.cc && return_addresses nameless >nameless.addresses
trace_of nameless.db "$here/nameless" NULL nameless.addresses
run "$XFERSPY" symbolize nameless.db; expect_status 0
symbols nameless.db >stdout
expect_out " app::(anonymous namespace)::hidden $here/nameless.cc:3"; expect_out "::operator() $here/nameless.cc:6"
expect_out " main::{lambda(int)"

# A second time there is nothing new, and the file stays as it is.
sum=$(cksum <inlined.db)
run "$XFERSPY" symbolize inlined.db; expect_status 0; expect_out ": 0 addresses resolved"
[ "$sum" = "$(cksum <inlined.db)" ] || show "the trace was changed"
symbols inlined.db | sort >before
run "$XFERSPY" symbolize --force inlined.db; expect_status 0; expect_not ": 0 addresses"
symbols inlined.db | sort | cmp -s - before || show "--force doubled or lost rows"

# Traces in a merged file: each gets its own rows, and nothing of the others changes.
symbols plain.db | sort >plain.before
for program in plain inlined; do
    trace_of fresh-$program.db "$here/$program" "'$(build_id $program)'" $program.addresses
    echo "UPDATE meta SET value = $(wc -c <$program) WHERE key = 'pid'; DELETE FROM meta WHERE key = 'rank'" >pid.sql
    make_trace fresh-$program.db "$SOURCE/fixtures/simple.sql" fresh-$program.db.sql pid.sql
done
run "$XFERSPY" merge -o both.db fresh-plain.db fresh-inlined.db; expect_status 0; expect_no_err
run "$XFERSPY" symbolize both.db:fresh-inlined; expect_status 0; expect_no_err; expect_out " addresses resolved"
symbols both.db:fresh-inlined | sort | cmp -s - before || show "not the same as in a trace by itself"
[ -z "$(symbols both.db:fresh-plain)" ] || show "the other trace got symbols"
run "$XFERSPY" symbolize --force both.db; expect_status 0; expect_no_err
symbols both.db:fresh-inlined | sort | cmp -s - before || show "--force doubled or lost rows in a merged file"
symbols both.db:fresh-plain | sort | cmp -s - plain.before || show "not the same as in a trace by itself (plain)"

# Debug information elsewhere: by .gnu_debuglink beside the binary and in .debug, by build id, by a folder that is
# named.
objcopy --only-keep-debug inlined inlined.debug
strip -o stripped inlined
objcopy --add-gnu-debuglink=inlined.debug stripped
id=$(build_id inlined)
separate() { # separate NAME OPTION...: the trace of the stripped binary has the same lines
    name=$1; shift
    trace_of "$name.db" "$here/stripped" "'$id'" inlined.addresses
    run "$XFERSPY" symbolize "$@" "$name.db"; expect_status 0; expect_no_err
    symbols "$name.db" | sort | cmp -s - before || { symbols "$name.db" >stdout; show "$name"; }
}
separate beside
mkdir -p .debug && mv inlined.debug .debug/
separate folder
mkdir -p "ids/.build-id/$(echo "$id" | cut -c1-2)" &&
    mv .debug/inlined.debug "ids/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
separate by-id --debug-path="$here/nowhere:$here/ids"
export XFERSPY_DEBUG_PATH="$here/ids"
separate environment
unset XFERSPY_DEBUG_PATH
mkdir named && cp inlined named/stripped
separate named --debug-path="$here/named"
# A debug file of another program does not count: only the symbol table is left.
cp plain .debug/inlined.debug
trace_of wrong.db "$here/stripped" "'$id'" inlined.addresses
run "$XFERSPY" symbolize wrong.db; expect_status 0
symbols wrong.db | grep -q 'inlined.cc' && show "lines of another program's debug file"
rm .debug/inlined.debug
# What two debug files share is in a third.
cp inlined shared1; cp inlined shared2
dwz -m "$here/shared.dwz" shared1 shared2 2>dwz.log && readelf -S shared1 | grep -q debugaltlink ||
    { cat dwz.log; show "dwz shares nothing"; }
trace_of dwz.db "$here/shared1" "'$id'" inlined.addresses
run "$XFERSPY" symbolize dwz.db; expect_status 0
symbols dwz.db | sort | cmp -s - before || { symbols dwz.db >stdout; show "dwz"; }

# Without debug information: the symbol table, without that the dynamic one.
cc -O1 -rdynamic -o exported plain.c && return_addresses exported >exported.addresses
nm exported | awk '$3 == "middle"' | grep -q . || exit 99
trace_of exported.db "$here/exported" "'$(build_id exported)'" exported.addresses
run "$XFERSPY" symbolize exported.db; expect_status 0
symbols exported.db >stdout; expect_out " leaf"; expect_out " middle ??:0"
strip exported
run "$XFERSPY" symbolize --force exported.db; expect_status 0
trace_of exported.db "$here/exported" "'$(build_id exported)'" exported.addresses
run "$XFERSPY" symbolize exported.db; expect_status 0
symbols exported.db >stdout; expect_out " middle ??:0"; expect_not "leaf"

# A binary that was built again has other lines: none are shown. Nor for one that is gone, and both are said once.
trace_of changed.db "$here/plain" "'00112233445566778899aabbccddeeff00112233'" plain.addresses
run "$XFERSPY" symbolize changed.db; expect_status 0; expect_out "plain has changed since the run"
[ -z "$(symbols changed.db)" ] || show "lines of a changed binary"
trace_of gone.db "$here/no such program" NULL plain.addresses
run "$XFERSPY" symbolize gone.db; expect_status 0; expect_out "no such program is not here"
[ "$(grep -c 'is not here' stdout)" -eq 1 ] || show "said more than once"
# What was kept is still there when the binary is gone; --force takes nothing away that it cannot give.
symbols plain.db >kept; mv plain plain.away
run "$XFERSPY" symbolize --force plain.db; expect_status 0; expect_out "is not here"
symbols plain.db | cmp -s - kept || show "--force lost what it could not find again"
mv plain.away plain

# Modules that are no binaries, or not to be opened, neither hang nor crash.
mkfifo fifo; mkdir folder; : >empty; echo "no ELF" >text; head -c 3000 inlined >cut; ln -s loop loop
{ head -c 20000 inlined; head -c 20000 /dev/urandom; } >torn
long=$(printf '%05000d' 0)
n=10
for file in /dev/zero /dev/tty "$here/fifo" "$here/folder" "$here/empty" "$here/text" "$here/cut" "$here/torn" \
    "$here/loop" "" "[heap]" "$long"; do
    for id in NULL "'../../../../etc'" "'$long'"; do
        n=$((n + 1))
        echo "INSERT INTO module VALUES ($n,'$file',$id,0,0,0); INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES ($n,1,0,0);"
        echo "INSERT INTO stack_frame VALUES ($n*4096,$n,0,4500,$n,NULL,NULL,NULL);"
    done
done >hostile.sql
make_trace hostile.db "$SOURCE/fixtures/simple.sql" hostile.sql
run bounded 20 "$XFERSPY" symbolize hostile.db; expect_status 0; expect_no_err
expect_out "/dev/zero cannot be read"; expect_out "/fifo cannot be read"; expect_out "/loop is not here"
run bounded 20 "$XFERSPY" report --json hostile.db; expect_out '"reason": "unreadable"'; expect_out '"reason": "gone"'
run "$XFERSPY" report --json changed.db; expect_out '"reason": "changed"'
# Rows that cannot be: frames of stacks that are not there, ids and lines out of range, a module and a range in itself.
cat >odd.sql <<END
INSERT INTO module VALUES (-9223372036854775808,x'ff00fe',x'00',-1,-1,9223372036854775807),(2,'$here/plain',NULL,0,0,0);
INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (-1,70000,-5,7),(1,1,1,0),(9223372036854775807,1,0,0);
INSERT INTO stack_frame VALUES (1,1,0,4660,2,NULL,-5,NULL),(2,5,0,1,2,NULL,NULL,NULL),(3,1,-1,NULL,NULL,99,99999999999,7),
 (4,-1,0,-1,-9223372036854775808,NULL,NULL,NULL),(5,1,1,1,1,1,1,1),(6,9223372036854775807,0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO python_code VALUES (1,'a','b',1),(-1,x'ff','',-1);
INSERT INTO nvtx_range VALUES (1,1,NULL,'self'),(2,3,NULL,'a'),(3,2,NULL,'b');
INSERT INTO symbol VALUES (1,2,4660,-1,NULL,NULL,-1),(2,2,4660,0,'f','g',-1),(3,77,1,1,'f','g',1);
END
make_trace odd.db "$SOURCE/fixtures/simple.sql" odd.sql
run "$XFERSPY" symbolize odd.db; expect_status 0; expect_out "damaged"
echo "CREATE TRIGGER t AFTER INSERT ON symbol BEGIN DELETE FROM transfer; END;" >trigger.sql
make_trace trigger.db "$SOURCE/fixtures/simple.sql" inlined.db.sql trigger.sql
sum=$(cksum <trigger.db)
run "$XFERSPY" symbolize trigger.db; expect_error_of "trigger.db: not read: its schema is not xferspy's: trigger t is none of a trace's"
[ "$sum" = "$(cksum <trigger.db)" ] || show "a trigger ran"

# Traces without stacks, old ones, ones that cannot be written, and mistakes.
make_trace none.db "$SOURCE/fixtures/simple.sql"
run "$XFERSPY" symbolize none.db; expect_status 0; expect_no_err; expect_out "no stacks"
run "$XFERSPY" symbolize missing.db; expect_error_of missing.db
trace_of readonly.db "$here/plain" NULL plain.addresses; chmod a-w readonly.db
if [ ! -w readonly.db ]; then run "$XFERSPY" symbolize readonly.db; expect_error_of readonly.db; fi
mkdir kept; trace_of in.db "$here/plain" NULL plain.addresses; mv in.db kept/; chmod a-w kept
if [ ! -w kept ]; then
    run "$XFERSPY" symbolize kept/in.db; expect_error_of "kept/in.db: symbols could not be written: its folder"
fi
chmod u+w kept

# Kernels have the names of their source where people read; the trace and JSON keep what the driver calls them.
need_python
cp "$GOLDEN/h100_no_overlap.db" kernels.db; chmod u+w kernels.db
"$python" -c "
import sqlite3
with sqlite3.connect('kernels.db') as trace:
    trace.execute('UPDATE kernel_name SET name = ?', ('_ZN3app4workIfEEvPT_',))"
run "$XFERSPY" explain kernels.db no-overlap; expect_status 0
expect_out ", kernel, app::work<float>"; expect_not _ZN3app
run "$XFERSPY" explain --json kernels.db no-overlap; expect_out '"kernel": "_ZN3app4workIfEEvPT_"'
run "$XFERSPY" html -o kernels.html kernels.db; expect_status 0
grep -q 'app::work<float>\|app::work\\u003cfloat' kernels.html || show "the page's timeline"

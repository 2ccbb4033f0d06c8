/* Reads the text of lines from source files; lines.h says when that is allowed. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/lines/lines_internal.h"
#include "analyzer/trace/source_text.h"
#include "schema/safe_open/side_files.h"
#include "schema/source/source_file.h"

/* Limits that protect against a trace or a binary that was made to keep this program busy. */
enum { LINES_MAX = 4096, TEXT_BYTES_MAX = 4 << 20, READ_BYTES_MAX = 256 << 20, FILES_MAX = 4096 };
enum { BIRTH_SECONDS = 10 }; /* capture creates its trace within two seconds, or makes none */

struct reader {
    const struct xs_trace *trace;
    enum xs_lines_reason reason;
    bool is_own;
    int64_t start_unix_ns;
    char cwd[4096];
    struct xs_source_file open; /* the source file that was read last */
    const char *open_path;      /* its name; NULL: none */
    const char *open_module;    /* the binary that named it */
    bool is_open;
    size_t read_bytes, files;
};

bool xs_lines_is_own(const struct xs_trace *trace) {
    struct statx st;
    int64_t start_s = xs_trace_meta_int(trace, "start_unix_ns", 0) / 1000000000;
    if (trace->merged_id >= 0 || start_s <= 0 ||
        statx(AT_FDCWD, trace->file, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &st) != 0)
        return false;
    int64_t late_s = (int64_t)st.stx_btime.tv_sec - start_s;
    /* root may write to any file, so the mode is checked, too */
    bool writable = (st.stx_mode & S_IWUSR) && xs_side_files_can_be_made(trace->file);
    return S_ISREG(st.stx_mode) && writable && st.stx_uid == geteuid() && (st.stx_mask & STATX_BTIME) &&
           late_s >= -BIRTH_SECONDS && late_s <= BIRTH_SECONDS;
}

/* True if a file has a name as source code has. A binary can name any file as its source, and a stranger's binary may
 * be on this disk. A file with such a name is no key, no token and no list of passwords. */
static bool is_source_name(const char *path) {
    static const char *const ends[] = {".c",   ".cc",  ".cpp", ".cxx", ".c++", ".cu",  ".cuh",  ".h",   ".hh",  ".hpp",
                                       ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tcc", ".tpp",  ".def", ".hip", ".rs",
                                       ".f",   ".for", ".f77", ".f90", ".f95", ".f03", ".f08",  ".f18", ".pyx", ".pxd",
                                       ".pxi", ".jl",  ".go",  ".zig", ".d",   ".m",   ".mm",   ".s",   ".asm", ".adb",
                                       ".ads", ".pas", ".nim", ".hs",  ".ml",  ".cl",  ".swift"};
    const char *name = strrchr(path, '/'), *end = strrchr(name ? name : path, '.');
    for (size_t i = 0; end && i < sizeof ends / sizeof *ends; i++)
        if (!strcasecmp(end, ends[i]))
            return true;
    return false;
}

static int64_t in_ns(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

/* Returns the latest time of change (Unix time in ns) that a source file may have. If the file is newer than the binary
 * or the run, its text may differ from what was built. INT64_MIN: no text is read for this frame. */
static int64_t not_after(const struct reader *reader, const struct xs_frame *frame) {
    struct stat binary;
    if (!frame->module || stat(frame->module, &binary) != 0 || (binary.st_uid != geteuid() && binary.st_uid != 0))
        return INT64_MIN;
    /* If the user did not request the lines, a binary is used only if it existed before the run, so that it did not
     * come with the trace. */
    if (reader->reason == XS_LINES_READ && in_ns(binary.st_ctim) > reader->start_unix_ns)
        return INT64_MIN;
    int64_t made_ns = in_ns(binary.st_mtim);
    return made_ns < reader->start_unix_ns ? made_ns : reader->start_unix_ns;
}

/* True if the file of a frame may be read. The names of Python's files and of those in the table `symbol` come from the
 * trace, so these files are not read here; capture has stored the lines of Python. The folder for relative names comes
 * from the trace, too, so it is used only if this user recorded the trace. */
static bool may_read(const struct reader *reader, const struct xs_frame *frame) {
    if (!frame || frame->library || !frame->file || !frame->line || reader->start_unix_ns <= 0)
        return false;
    if (frame->file[0] != '/' && (*reader->cwd != '/' || !reader->is_own))
        return false;
    return !frame->stored && !frame->python && is_source_name(frame->file);
}

static bool open_file(struct reader *reader, const struct xs_frame *frame) {
    if (reader->open_path && !strcmp(reader->open_path, frame->file) && reader->open_module == frame->module)
        return reader->is_open;
    xs_source_file_free(&reader->open);
    reader->open_path = frame->file;
    reader->open_module = frame->module;
    reader->is_open = false;
    if (reader->read_bytes >= READ_BYTES_MAX || reader->files++ >= FILES_MAX)
        return false;
    XS_SCOPED_STRING path = {0};
    bool relative = frame->file[0] != '/';
    xs_string_format(&path, "%s%s%s", relative ? reader->cwd : "", relative ? "/" : "", frame->file);
    int64_t limit_ns = not_after(reader, frame);
    reader->is_open =
        limit_ns != INT64_MIN && xs_source_file_read(path.data, limit_ns, &reader->open) == XS_SOURCE_READ;
    if (reader->is_open)
        reader->read_bytes += (size_t)reader->open.identity.bytes;
    return reader->is_open;
}

static char *read_line(struct reader *reader, const struct xs_frame *frame) {
    size_t at = 0, bytes = 0;
    uint32_t at_line = 1;
    if (!open_file(reader, frame))
        return NULL;
    const char *line = xs_source_file_line(&reader->open, frame->line, &at, &at_line, &bytes);
    return line ? xs_strndup(line, bytes) : NULL;
}

static int by_place(const void *a, const void *b) {
    const struct xs_line_text *x = a, *y = b;
    return strcmp(x->path, y->path) ?: xs_compare(x->line, y->line);
}

/* Removes repeated lines. Several places can have the same line, for instance if the line was inlined into two
 * functions. */
static void drop_repeated(struct xs_lines *lines) {
    uint32_t kept = 0;
    xs_sort(lines->texts, lines->text_count, sizeof *lines->texts, by_place);
    for (uint32_t i = 0; i < lines->text_count; i++)
        if (kept && !by_place(&lines->texts[kept - 1], &lines->texts[i]))
            free(lines->texts[i].text);
        else
            lines->texts[kept++] = lines->texts[i];
    lines->text_count = kept;
}

/* True if the run's option says that no text is wanted. The user can still request the text afterwards. */
static bool is_unwanted(const struct reader *reader) {
    char word[8];
    const char *value = xs_trace_meta_text(reader->trace, "option.source_lines", word, sizeof word, "on");
    return reader->reason != XS_LINES_ASKED && !strcmp(value, "off");
}

void xs_lines_read_texts(const struct xs_trace *trace, enum xs_lines_reason reason, struct xs_lines *lines) {
    struct reader *reader = xs_realloc(NULL, sizeof *reader);
    size_t bytes = 0;
    *reader = (struct reader){.trace = trace,
                              .reason = reason,
                              .is_own = reason == XS_LINES_RECORDED || xs_lines_is_own(trace),
                              .start_unix_ns = xs_trace_meta_int(trace, "start_unix_ns", 0)};
    xs_trace_meta_text(trace, "cwd", reader->cwd, sizeof reader->cwd, "");
    struct xs_source_text *stored = is_unwanted(reader) ? NULL : xs_source_text_open(trace);
    for (uint32_t i = 1; stored && i <= xs_callsites_place_count(lines->callsites); i++) {
        const struct xs_frame *frame = xs_callsites_place_frame(lines->callsites, i);
        if (!may_read(reader, frame) || xs_source_text_has(stored, frame))
            continue;
        struct xs_line_text text = {.path = frame->file, .line = frame->line, .text = read_line(reader, frame)};
        if (!text.text)
            continue;
        text.identity = reader->open.identity;
        xs_grow(&lines->texts, lines->text_count, &lines->text_capacity, sizeof *lines->texts);
        lines->texts[lines->text_count++] = text;
        bytes += strlen(text.text);
        if (lines->text_count >= LINES_MAX || bytes >= TEXT_BYTES_MAX)
            break;
    }
    xs_source_text_close(stored);
    xs_source_file_free(&reader->open);
    free(reader);
    drop_repeated(lines);
}

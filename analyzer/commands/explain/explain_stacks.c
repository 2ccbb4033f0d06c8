/* Prints call stacks as functions and lines; see explain_stacks.h. */
#include "analyzer/commands/explain/explain_stacks.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/interned.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/place.h"

enum {
    STACKS_SHOWN = 3,
    LIBRARIES_NAMED = 2,
    NAME_COLUMNS = 120,
    LIBRARY_BYTES = 64,
    FRAMES_SHOWN = 48 /* largest number of lines of one stack without --full-stack */
};

/* --- the stacks of a finding --- */

struct stack_count {
    int64_t stack;
    uint64_t instances;
};

struct stack_counts {
    struct stack_count *items;
    size_t count, capacity;
    struct xs_hash by_stack; /* to index + 1 */
};

static void count_stack(struct stack_counts *counts, int64_t stack) {
    uint64_t *place = xs_hash_put(&counts->by_stack, (uint64_t)stack, 0);
    if (!*place) {
        xs_grow(&counts->items, counts->count, &counts->capacity, sizeof *counts->items);
        counts->items[counts->count++] = (struct stack_count){stack, 0};
        *place = counts->count;
    }
    counts->items[*place - 1].instances++;
}

static void stack_counts_free(struct stack_counts *counts) {
    free(counts->items);
    xs_hash_free(&counts->by_stack);
}

/* Prepares a statement for the stack of a row; NULL if the table has no stacks. */
static int prepare(const struct xs_trace *trace, enum xs_evidence_table table, sqlite3_stmt **statement,
                   char *message) {
    static const bool has_stacks[] = {[XS_EVIDENCE_TRANSFER] = true,
                                      [XS_EVIDENCE_MEMSET] = true,
                                      [XS_EVIDENCE_ALLOCATION] = true,
                                      [XS_EVIDENCE_SYNC] = true,
                                      [XS_EVIDENCE_MIGRATION] = false};
    char sql[64];
    if (!has_stacks[table])
        return XS_OK;
    snprintf(sql, sizeof sql, "SELECT stack FROM %s WHERE id = ?", xs_evidence_table_names[table]);
    if (sqlite3_prepare_v2(trace->db, sql, -1, statement, NULL) == SQLITE_OK)
        return XS_OK;
    snprintf(message, XS_TRACE_MESSAGE_BYTES, "%s: %s", trace->path, xs_trace_why(trace));
    return XS_ERROR_CORRUPT;
}

/* Returns the stack of a row; 0: none recorded. */
static int64_t stack_of_row(sqlite3_stmt *statement, int64_t row) {
    sqlite3_bind_int64(statement, 1, row);
    int64_t stack = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return stack;
}

/* Orders by frequency. The first item, which is the stack of the first instance, stays first. */
static int most_frequent(const void *a, const void *b) {
    const struct stack_count *x = a, *y = b;
    return xs_compare_uint64(y->instances, x->instances) ?: xs_compare(x->stack, y->stack);
}

static bool is_of(const struct xs_seen *seen, const struct xs_finding *f) {
    unsigned verdict = seen->what >> 20 & 0xff;
    return seen->what == xs_seen_what(seen->what >> 28, verdict, f->detector) && xs_finding_has_verdict(f, verdict);
}

/* Counts the stacks of the finding. Instances of one call at the same line have different stacks if their outer callers
 * differ. */
static int count_stacks(const struct xs_explain *explain, struct stack_counts *counts, char *message) {
    const struct xs_finding *f = explain->diagnosis->items[explain->chosen].finding;
    enum { TABLES = XS_EVIDENCE_MIGRATION + 1 };
    sqlite3_stmt *statements[TABLES] = {NULL};
    int status = XS_OK;
    if (!xs_site_parts(explain->diagnosis->findings->sites, f->site).place)
        return status;
    for (unsigned table = 0; table < TABLES && status >= 0; table++)
        status = prepare(explain->trace, (enum xs_evidence_table)table, &statements[table], message);
    for (size_t i = 0; i < explain->seen_count && status >= 0; i++) {
        const struct xs_seen *seen = &explain->seen[i];
        unsigned table = seen->what >> 28;
        if (seen->site != f->site || !is_of(seen, f) || !statements[table])
            continue;
        int64_t stack = stack_of_row(statements[table], seen->row);
        if (stack > 0)
            count_stack(counts, stack);
    }
    for (unsigned table = 0; table < TABLES; table++)
        sqlite3_finalize(statements[table]);
    if (counts->count > 1)
        xs_sort(counts->items + 1, counts->count - 1, sizeof *counts->items, most_frequent);
    return status;
}

/* --- as text --- */

/* Writes the name of a library frame's library: the file of native code, or the package of Python code. */
static void library_name(char name[LIBRARY_BYTES], const struct xs_frame *frame) {
    static const char *const roots[] = {"/site-packages/", "/dist-packages/"};
    const char *text = frame->module ? frame->module : frame->file ? frame->file : "an unknown library";
    for (size_t i = 0; !frame->module && i < sizeof roots / sizeof *roots; i++) {
        const char *root = strstr(text, roots[i]);
        if (root) {
            text = root + strlen(roots[i]);
            snprintf(name, LIBRARY_BYTES, "%.*s", (int)strcspn(text, "/"), text);
            return;
        }
    }
    if (!frame->module && strstr(text, "/python"))
        text = "Python";
    snprintf(name, LIBRARY_BYTES, "%s", xs_base_name(text));
}

/* Prints "12 frames of libtorch_cuda.so, torch and others". */
static void fold_line(const struct xs_frame *frames, size_t count, struct xs_out *out) {
    char names[LIBRARIES_NAMED][LIBRARY_BYTES];
    size_t named = 0, others = 0;
    for (size_t i = 0; i < count; i++) {
        char name[LIBRARY_BYTES];
        bool known = false;
        library_name(name, &frames[i]);
        for (size_t k = 0; k < named; k++)
            known |= !strcmp(names[k], name);
        if (known)
            continue;
        if (named < LIBRARIES_NAMED)
            memcpy(names[named++], name, sizeof name);
        else
            others++;
    }
    xs_out_indented(out, XS_FACT_LABEL + 4, "... %zu frame%s of %s%s%s%s", count, count > 1 ? "s" : "", names[0],
                    named < 2 ? ""
                    : others  ? ", "
                              : " and ",
                    named > 1 ? names[1] : "", others ? " and others" : "");
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* Returns how many frames, from this one on, are the same line, because of recursion. They are printed as one line. */
static size_t repeated(const struct xs_frame *frames, size_t count) {
    size_t n = 1;
    while (n < count && frames[n].line == frames->line && frames[n].inlined == frames->inlined &&
           same_text(frames[n].function, frames->function) && same_text(frames[n].file, frames->file) &&
           same_text(frames[n].module, frames->module) && (frames->line || frames[n].address == frames->address))
        n++;
    return n;
}

static void frame_text(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame,
                       size_t times) {
    const char *module = frame->module ? xs_base_name(frame->module) : NULL;
    if (frame->function)
        xs_string_add_cut(text, frame->function, NAME_COLUMNS);
    else
        xs_string_format(text, "0x%" PRIx64, frame->address);
    xs_string_add(text, "  ", 2);
    if (frame->file)
        xs_place_file(text, frame->file, sites->cwd);
    else
        xs_string_add_cut(text, module ? module : "?", NAME_COLUMNS);
    if (frame->file && frame->line)
        xs_string_format(text, ":%" PRIu32, frame->line);
    if (frame->inlined)
        xs_string_format(text, " (inlined)");
    if (times > 1)
        xs_string_format(text, "  (x %zu)", times);
}

/* Walks through a stack, line by line. */
struct walk {
    const struct xs_explain *explain;
    const struct xs_frame *frames;
    size_t count, next; /* number of frames, and index of the first frame that is not printed yet */
    size_t shown;       /* number of frames that have a separate line */
    const struct xs_frame *user;
};

struct line {
    enum { FRAME, FOLDED, LEFT_OUT, END } kind;
    size_t first, count; /* the frames that the line is about */
};

static struct walk begin_walk(const struct xs_explain *explain, int64_t stack) {
    const struct xs_callsites *callsites = explain->diagnosis->findings->sites->callsites;
    struct walk walk = {.explain = explain, .user = xs_callsites_user_frame(callsites, stack)};
    walk.frames = xs_callsites_frames(callsites, stack, &walk.count);
    return walk;
}

static struct line next_line(struct walk *walk) {
    struct line line = {.kind = FOLDED, .first = walk->next};
    bool whole = walk->explain->full_stack;
    while (!whole && walk->next < walk->count && walk->frames[walk->next].library &&
           &walk->frames[walk->next] != walk->user)
        walk->next++;
    line.count = walk->next - line.first;
    if (line.count)
        return line;
    line.count = walk->count - walk->next;
    line.kind = !line.count ? END : walk->shown++ == FRAMES_SHOWN && !whole ? LEFT_OUT : FRAME;
    if (line.kind == FRAME)
        line.count = repeated(&walk->frames[walk->next], line.count);
    walk->next += line.count;
    return line;
}

static void print_frames(const struct xs_explain *explain, int64_t stack, struct xs_out *out) {
    const struct xs_sites *sites = explain->diagnosis->findings->sites;
    struct walk walk = begin_walk(explain, stack);
    for (struct line line = next_line(&walk); line.kind != END; line = next_line(&walk)) {
        XS_SCOPED_STRING text = {0};
        char label[24];
        if (line.kind == FOLDED) {
            fold_line(&walk.frames[line.first], line.count, out);
        } else if (line.kind == LEFT_OUT) {
            xs_out_indented(out, XS_FACT_LABEL + 4, "... %zu more: --full-stack", line.count);
            return;
        } else {
            snprintf(label, sizeof label, "#%zu", line.first);
            frame_text(&text, sites, &walk.frames[line.first], line.count);
            xs_out_fact(out, label, "%s", text.data);
        }
    }
    if (xs_callsites_cut(sites->callsites, stack))
        xs_out_indented(out, XS_FACT_LABEL + 4, "... and more that were not recorded");
}

/* Returns a number for the printed form of a stack. Stacks that differ only in folded frames get the same number.
 * `lines` is a tree of lines: a node is the path of all lines up to this one. */
static uint64_t number_printed(const struct xs_explain *explain, int64_t stack, struct xs_texts *texts,
                               struct xs_hash *lines) {
    const struct xs_sites *sites = explain->diagnosis->findings->sites;
    struct walk walk = begin_walk(explain, stack);
    uint64_t number = xs_callsites_cut(sites->callsites, stack);
    for (struct line line = next_line(&walk); line.kind == FRAME || line.kind == FOLDED; line = next_line(&walk)) {
        if (line.kind == FOLDED)
            continue;
        XS_SCOPED_STRING text = {0};
        frame_text(&text, sites, &walk.frames[line.first], line.count);
        uint64_t *node = xs_hash_put(lines, number, (uint64_t)(uintptr_t)xs_texts_keep(texts, text.data));
        if (!*node)
            *node = lines->count + 1; /* 0 and 1 are the roots */
        number = *node;
    }
    return number;
}

/* Joins stacks with equal printed forms. Such stacks differ only in folded frames, or in addresses of the same line. */
static void join_same(const struct xs_explain *explain, struct stack_counts *counts) {
    struct xs_texts texts = {0};
    struct xs_hash lines = {0}, printed = {0}; /* printed: to index + 1 */
    size_t kept = 0;
    for (size_t i = 0; i < counts->count; i++) {
        uint64_t number = number_printed(explain, counts->items[i].stack, &texts, &lines);
        uint64_t *place = xs_hash_put(&printed, number, 0);
        if (*place) {
            counts->items[*place - 1].instances += counts->items[i].instances;
        } else {
            counts->items[kept++] = counts->items[i];
            *place = kept;
        }
    }
    counts->count = kept;
    xs_texts_free(&texts);
    xs_hash_free(&lines);
    xs_hash_free(&printed);
    if (kept > 1)
        xs_sort(counts->items + 1, kept - 1, sizeof *counts->items, most_frequent);
}

int xs_stacks_text(const struct xs_explain *explain, struct xs_out *out, char *message) {
    struct stack_counts counts = {0};
    uint64_t total = 0, rest = 0;
    int status = count_stacks(explain, &counts, message);
    join_same(explain, &counts);
    for (size_t i = 0; i < counts.count; i++) {
        total += counts.items[i].instances;
        rest += i < STACKS_SHOWN ? 0 : counts.items[i].instances;
    }
    for (size_t i = 0; i < counts.count && i < STACKS_SHOWN && status >= 0; i++) {
        fprintf(out->file, "\n%sCalled from%s", xs_style_on(out, XS_STYLE_HEADING),
                xs_style_off(out, XS_STYLE_HEADING));
        if (counts.count > 1)
            fprintf(out->file, ", stack %zu of %zu (%s of %s instances)", i + 1, counts.count,
                    XS_COUNT_TEXT(counts.items[i].instances), XS_COUNT_TEXT(total));
        putc('\n', out->file);
        print_frames(explain, counts.items[i].stack, out);
    }
    if (rest && status >= 0) {
        putc('\n', out->file);
        xs_out_line(out, XS_STYLE_DIM, "%zu more stack%s, of %s instance%s.", counts.count - STACKS_SHOWN,
                    counts.count - STACKS_SHOWN > 1 ? "s" : "", XS_COUNT_TEXT(rest), rest > 1 ? "s" : "");
    }
    stack_counts_free(&counts);
    return status;
}

/* --- as JSON --- */

void xs_stack_json(const struct xs_findings *findings, int64_t stack, struct xs_json *json) {
    const struct xs_callsites *callsites = findings->sites ? findings->sites->callsites : NULL;
    size_t count = 0;
    const struct xs_frame *frames = callsites ? xs_callsites_frames(callsites, stack, &count) : NULL;
    if (!frames) {
        xs_json_null(json, "stack");
        return;
    }
    xs_json_array(json, "stack");
    for (size_t i = 0; i < count; i++) {
        xs_json_object(json, NULL);
        xs_place_json(json, &frames[i]);
        xs_json_count(json, "address", frames[i].address);
        xs_json_bool(json, "inlined", frames[i].inlined);
        xs_json_bool(json, "library", frames[i].library);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

void xs_range_json(const struct xs_findings *findings, int64_t range, struct xs_json *json) {
    const struct xs_callsites *callsites = findings->sites ? findings->sites->callsites : NULL;
    xs_json_text(json, "nvtx_range", callsites ? xs_callsites_range(callsites, range) : NULL);
}

int xs_stacks_json(const struct xs_explain *explain, struct xs_json *json, char *message) {
    struct stack_counts counts = {0};
    int status = count_stacks(explain, &counts, message);
    xs_json_count(json, "distinct_stacks", counts.count);
    xs_json_array(json, "stacks");
    for (size_t i = 0; i < counts.count && i < STACKS_SHOWN && status >= 0; i++) {
        xs_json_object(json, NULL);
        xs_json_int(json, "stack_id", counts.items[i].stack);
        xs_json_count(json, "instances", counts.items[i].instances);
        xs_json_bool(json, "cut",
                     xs_callsites_cut(explain->diagnosis->findings->sites->callsites, counts.items[i].stack));
        xs_stack_json(explain->diagnosis->findings, counts.items[i].stack, json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    stack_counts_free(&counts);
    return status;
}

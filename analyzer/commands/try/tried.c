/* Reads a kept result; see tried.h. */
#include "analyzer/commands/try/tried.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/common/json_document.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/commands/try/try.h"
#include "analyzer/words/findings_words.h"

enum { MOST_ITEMS = 1000, NAME_BYTES = 200 };

/* The judgement about the repair that follows from the comparison. A gain counts only if the output is the same. */
enum judgement {
    SAME,
    DIFFERS,
    ENDS_OTHERWISE, /* the program ends with another exit status or signal */
    NOT_COMPARED,   /* no line could be compared */
};

enum change { FASTER, SLOWER, CANNOT_TELL };

/* Opens the file in the folder of the trace, if it belongs to the same user. */
static FILE *open_kept(const struct xs_trace *trace) {
    XS_SCOPED_STRING path = {0};
    struct stat st, of_trace;
    xs_string_format(&path, "%s" XS_TRIED_SUFFIX, trace->file);
    int fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    bool good =
        fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && stat(trace->file, &of_trace) == 0 && st.st_uid == of_trace.st_uid;
    FILE *file = good ? fdopen(fd, "r") : NULL;
    if (!file)
        close(fd);
    return file;
}

static bool is_of(const struct xs_json_document *document, const struct xs_trace *trace) {
    XS_SCOPED char *identity = xs_trace_identity(trace);
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, "SELECT ?1 ->> 'identity'");
    const char *written = row && sqlite3_step(row) == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0) : NULL;
    bool same = identity && written && !strcmp(identity, written);
    return same;
}

/* Returns the comparison of outputs; an unknown value counts as a difference. */
static struct xs_tried_output output_of(sqlite3_stmt *row, int column, bool *good) {
    const char *name = (const char *)sqlite3_column_text(row, column);
    struct xs_tried_output output = {.result = XS_OUTPUT_DIFFERS,
                                     .exits_differ = sqlite3_column_int(row, column + 1) != 0,
                                     .lines = xs_json_document_count(row, column + 2, good),
                                     .varying = xs_json_document_count(row, column + 3, good),
                                     .ignored = xs_json_document_count(row, column + 4, good)};
    for (int i = XS_OUTPUT_SAME; name && i <= XS_OUTPUT_TOO_LONG; i++)
        if (!strcmp(name, xs_output_result_names[i]))
            output.result = (enum xs_output_result)i;
    return output;
}

static void read_item(struct xs_tried *tried, sqlite3_stmt *row) {
    const char *finding = (const char *)sqlite3_column_text(row, 0);
    const char *only = (const char *)sqlite3_column_text(row, 14);
    bool good = true;
    for (int i = 1; i <= 3; i++)
        good = good && sqlite3_column_type(row, i) == SQLITE_INTEGER;
    uint64_t runs = xs_json_document_count(row, 4, &good), before_ns = xs_json_document_count(row, 11, &good);
    const struct xs_tried_output output = output_of(row, 5, &good);
    if (!good || (finding && strlen(finding) > NAME_BYTES))
        return;
    tried->items = xs_realloc(tried->items, (tried->count + 1) * sizeof *tried->items);
    tried->items[tried->count++] = (struct xs_tried_item){.finding = finding ? xs_strdup(finding) : NULL,
                                                          .delta_ns = sqlite3_column_int64(row, 1),
                                                          .low_ns = sqlite3_column_int64(row, 2),
                                                          .high_ns = sqlite3_column_int64(row, 3),
                                                          .before_ns = before_ns,
                                                          .runs = runs,
                                                          .tried = xs_json_document_count(row, 12, &good),
                                                          .causes = xs_json_document_count(row, 13, &good),
                                                          .only = only ? xs_strdup(only) : NULL,
                                                          .is_partly = sqlite3_column_int(row, 10) > 0,
                                                          .output = output};
}

#define TIME(key) "json_extract(value, '$.measured.' || json_extract(value, '$.measured.time') || '." key "')"
#define OUTPUT(key) "value ->> '$.measured.output." key "'"
#define TIMES TIME("delta_ns") ", " TIME("delta_low_ns") ", " TIME("delta_high_ns")
#define BEFORE TIME("before.median_ns")
#define RUNS "json_extract(value, '$.measured.rounds')"
#define LINES OUTPUT("lines") ", " OUTPUT("varying_lines") ", " OUTPUT("ignored_lines")
#define LEFT_OUT "json_array_length(value, '$.left_out')"
#define ITEM TIMES ", " RUNS ", " OUTPUT("result") ", " OUTPUT("exits_differ") ", " LINES ", " LEFT_OUT ", " BEFORE
#define TRIED "(SELECT count(*) FROM json_each(?1, '$.causes') WHERE json_extract(value, '$.state') = 'measured')"
#define CAUSES "json_array_length(?1, '$.causes')"
#define NUMBER "CAST(json_extract(value, '$.cause') AS INTEGER)"
#define SOME "(SELECT count(DISTINCT " NUMBER ") FROM json_each(?1, '$.causes')) < json_extract(?1, '$.report_causes')"
#define ONLY                                                                                                           \
    "(SELECT group_concat(number) FROM (SELECT DISTINCT " NUMBER " AS number FROM json_each(?1, '$.causes')"           \
    " WHERE json_extract(value, '$.state') = 'measured' ORDER BY number LIMIT 100) WHERE " SOME ")"

static void read_items(struct xs_tried *tried, const struct xs_json_document *document, const char *sql) {
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, sql);
    while (row && sqlite3_step(row) == SQLITE_ROW && tried->count < MOST_ITEMS)
        read_item(tried, row);
}

void xs_tried_read(struct xs_tried *tried, const struct xs_trace *trace) {
    struct xs_json_document document = {0};
    *tried = (struct xs_tried){0};
    FILE *file = trace->merged_id < 0 ? open_kept(trace) : NULL;
    if (!file)
        return;
    if (!xs_json_document_read(file, &document) &&
        !xs_json_document_is(&document, XS_TRY_FORMAT, XS_TRY_JSON_VERSION, "", "") && is_of(&document, trace)) {
        read_items(tried, &document,
                   "SELECT json_extract(value, '$.finding'), " ITEM ", 1, 1, NULL"
                   " FROM json_each(?1, '$.causes') WHERE json_extract(value, '$.state') = 'measured'");
        read_items(tried, &document,
                   "SELECT NULL, " ITEM ", " TRIED ", " CAUSES ", " ONLY
                   " FROM json_each(json_array(json_extract(?1, '$.together'))) "
                   "WHERE json_extract(value, '$.state') = 'measured'");
    }
    xs_json_document_free(&document);
    fclose(file);
}

void xs_tried_free(struct xs_tried *tried) {
    for (size_t i = 0; i < tried->count; i++) {
        free(tried->items[i].finding);
        free(tried->items[i].only);
    }
    free(tried->items);
    *tried = (struct xs_tried){0};
}

const struct xs_tried_item *xs_tried_of(const struct xs_tried *tried, const struct xs_diagnosis *diagnosis,
                                        size_t index) {
    XS_SCOPED_STRING name = {0};
    const struct xs_tried_item *found = NULL;
    if (index != SIZE_MAX && tried->count)
        xs_finding_name(&name, diagnosis, index);
    for (size_t i = 0; i < tried->count && !found; i++) {
        const struct xs_tried_item *item = &tried->items[i];
        if (index == SIZE_MAX ? !item->finding : item->finding && !strcmp(item->finding, name.data))
            found = item;
    }
    return found;
}

const struct xs_tried_item *xs_tried_of_cause(const struct xs_tried *tried, const struct xs_diagnosis *diagnosis,
                                              const struct xs_cause *cause) {
    const struct xs_tried_item *item = NULL;
    for (size_t i = 0; i < cause->count && !item; i++)
        item = xs_tried_of(tried, diagnosis, cause->findings[i]);
    return item;
}

/* True if outputs are compared. An empty output is compared, because it must stay empty; an output whose lines are all
 * ignored is not. */
static bool is_compared(const struct xs_tried_output *output) {
    bool any = output->lines ? output->varying < output->lines : !output->ignored;
    return output->result != XS_OUTPUT_VARIES && output->result != XS_OUTPUT_TOO_LONG && any;
}

static enum judgement judge(const struct xs_tried_output *output) {
    if (output->result == XS_OUTPUT_DIFFERS)
        return DIFFERS;
    if (output->exits_differ)
        return ENDS_OTHERWISE;
    return is_compared(output) ? SAME : NOT_COMPARED;
}

void xs_tried_say_output(struct xs_string *text, const struct xs_tried_output *output) {
    static const char *const words[] = {[SAME] = "output the same",
                                        [DIFFERS] = "OUTPUT DIFFERS",
                                        [ENDS_OTHERWISE] = "ends otherwise",
                                        [NOT_COMPARED] = "output not compared"};
    enum judgement judgement = judge(output);
    xs_string_format(text, "%s", words[judgement]);
    if (judgement == SAME && output->varying)
        xs_string_format(text, " but for %s line%s", XS_COUNT_TEXT(output->varying),
                         output->varying == 1 ? " that varies" : "s that vary");
}

/* Returns the change of a trial. The interval contains 0 if, and only if, the runs do not show a change. */
static enum change change_of(const struct xs_tried_item *item) {
    return item->high_ns < 0 ? FASTER : item->low_ns > 0 ? SLOWER : CANNOT_TELL;
}

/* Adds the change, in the same words as the prediction that is printed with it. */
void xs_tried_say_change(struct xs_string *text, const struct xs_tried_item *item) {
    static const char *const words[] = {
        [FASTER] = "saves ", [SLOWER] = "slower by ", [CANNOT_TELL] = "no clear change"};
    enum change change = change_of(item);
    xs_string_format(text, "%s%s", words[change],
                     change == CANNOT_TELL ? "" : XS_NS_TEXT(xs_without_sign(item->delta_ns)));
}

static void say_interval(struct xs_string *text, const struct xs_tried_item *item) {
    const char *low = XS_NS_TEXT(xs_without_sign(item->low_ns));
    const char *high = XS_NS_TEXT(xs_without_sign(item->high_ns));
    enum change change = change_of(item);
    if (change == CANNOT_TELL)
        xs_string_format(text, "(%s less to %s more)", low, high);
    else /* a gain is a negative time, so its smaller end is `high` */
        xs_string_format(text, "(%s to %s)", change == FASTER ? high : low, change == FASTER ? low : high);
}

/* Adds "; only causes 1, 3 and 4 were tried", from "1,3,4". */
static void say_only(struct xs_string *text, const char *numbers) {
    bool several = strchr(numbers, ',') != NULL;
    xs_string_format(text, several ? "; only causes " : "; only cause ");
    for (const char *comma; (comma = strchr(numbers, ',')); numbers = comma + 1)
        xs_string_format(text, "%.*s%s", (int)(comma - numbers), numbers, strchr(comma + 1, ',') ? ", " : " and ");
    xs_string_format(text, several ? "%s were tried" : "%s was tried", numbers);
}

void xs_tried_say_rest(struct xs_string *text, const struct xs_tried_item *item) {
    say_interval(text, item);
    xs_string_format(text, " of %s, %" PRIu64 " run%s each, ", XS_NS_TEXT(item->before_ns), item->runs,
                     item->runs == 1 ? "" : "s");
    xs_tried_say_output(text, &item->output);
    if (item->is_partly)
        xs_string_format(text, "; a part of these copies cannot be tried");
    if (item->only)
        say_only(text, item->only);
    else if (item->tried < item->causes)
        xs_string_format(text, "; %" PRIu64 " of the %" PRIu64 " causes could be tried", item->tried, item->causes);
}

void xs_tried_say(struct xs_string *text, const struct xs_tried_item *item) {
    xs_string_format(text, "tried: ");
    xs_tried_say_change(text, item);
    xs_string_add(text, " ", 1);
    xs_tried_say_rest(text, item);
}

/* Writes for the trial of all repairs how many causes were tried, and which ones, if the user limited the trial to some
 * causes. */
static void put_causes(struct xs_json *json, const struct xs_tried_item *item) {
    xs_json_count(json, "causes", item->causes);
    xs_json_count(json, "causes_tried", item->tried);
    if (!item->only) {
        xs_json_null(json, "only_causes");
        return;
    }
    xs_json_array(json, "only_causes");
    for (char *end = item->only; *end; end += *end == ',')
        xs_json_int(json, NULL, strtoll(end, &end, 10));
    xs_json_end(json, ']');
}

void xs_tried_json(struct xs_json *json, const struct xs_tried *tried) {
    static const char *const changes[] = {[FASTER] = "faster", [SLOWER] = "slower", [CANNOT_TELL] = "cannot-tell"};
    static const char *const judgements[] = {
        [SAME] = "same", [DIFFERS] = "differs", [ENDS_OTHERWISE] = "ends-otherwise", [NOT_COMPARED] = "not-compared"};
    if (!tried->count) {
        xs_json_null(json, "tried");
        return;
    }
    xs_json_array(json, "tried");
    for (size_t i = 0; i < tried->count; i++) {
        const struct xs_tried_item *item = &tried->items[i];
        struct xs_string text = {0};
        xs_json_object(json, NULL);
        xs_json_text(json, "finding", item->finding);
        xs_json_int(json, "delta_ns", item->delta_ns);
        xs_json_int(json, "delta_low_ns", item->low_ns);
        xs_json_int(json, "delta_high_ns", item->high_ns);
        xs_json_text(json, "result", changes[change_of(item)]);
        xs_json_count(json, "before_ns", item->before_ns);
        xs_json_count(json, "runs", item->runs);
        xs_json_text(json, "output", judgements[judge(&item->output)]);
        xs_json_count(json, "varying_lines", item->output.varying);
        xs_json_bool(json, "is_partly", item->is_partly);
        if (!item->finding)
            put_causes(json, item);
        xs_tried_say(&text, item);
        xs_json_take(json, "text", &text);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

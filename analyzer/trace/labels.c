/* Reads the labels of a trace; see labels.h. */
#include "analyzer/trace/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/scan.h"
#include "schema/labels.h"

/* More rows than capture ever writes: those that are given and those that a trace has by itself. */
enum { LABELS_MOST = 2 * XS_LABELS_MOST };

static void add(struct xs_labels *labels, const char *key, char *value, bool is_given) {
    labels->items = xs_realloc(labels->items, (labels->count + 1) * sizeof *labels->items);
    labels->items[labels->count++] = (struct xs_trace_label){xs_strdup(key), value, is_given};
}

/* True if the list, which has commas between its words, has this word. */
static bool has_word(const char *list, const char *word) {
    size_t bytes = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == bytes && strncmp(at, word, bytes) == 0)
            return true;
    return false;
}

static void read_meta(const struct xs_trace *trace, struct xs_labels *labels) {
    char message[XS_TRACE_MESSAGE_BYTES], given[XS_LABELS_MOST * XS_LABEL_KEY_BYTES];
    const char *list = xs_trace_meta_text(trace, XS_META_LABELS_GIVEN, given, sizeof given, "");
    struct xs_scan scan;
    xs_scan_format(&scan, trace, message, NULL,
                   "SELECT key, value FROM meta WHERE key > '" XS_META_LABEL "' AND key < 'label/' ORDER BY key LIMIT"
                   " %d",
                   LABELS_MOST);
    while (xs_scan_row(&scan)) {
        const char *key = xs_scan_text(&scan, 0) + strlen(XS_META_LABEL);
        if (*key)
            add(labels, key, xs_scan_name(&scan, 1), has_word(list, key));
    }
    (void)xs_scan_end(&scan);
}

static void add_own(struct xs_labels *labels, const char *key, const char *value) {
    if (*value && !xs_labels_value(labels, key))
        add(labels, key, xs_strdup(value), false);
}

/* Adds what a trace has elsewhere, because it was there before there were labels. */
static void read_others(const struct xs_trace *trace, struct xs_labels *labels) {
    static const char *const numbers[] = {"rank", "local_rank", "world_size"};
    char text[256], message[XS_TRACE_MESSAGE_BYTES];
    add_own(labels, "host", xs_trace_meta_text(trace, "host", text, sizeof text, ""));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t number = xs_trace_meta_int(trace, numbers[i], -1);
        snprintf(text, sizeof text, "%lld", (long long)number);
        add_own(labels, numbers[i], number >= 0 ? text : "");
    }
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT name FROM device ORDER BY id LIMIT 1", message, NULL);
    if (xs_scan_row(&scan)) {
        char *name = xs_scan_name(&scan, 0);
        add_own(labels, "gpu", name);
        free(name);
    }
    (void)xs_scan_end(&scan);
}

static int compare(const void *a, const void *b) {
    return strcmp(((const struct xs_trace_label *)a)->key, ((const struct xs_trace_label *)b)->key);
}

void xs_labels_read(const struct xs_trace *trace, struct xs_labels *labels) {
    *labels = (struct xs_labels){0};
    read_meta(trace, labels);
    read_others(trace, labels);
    if (labels->count)
        qsort(labels->items, labels->count, sizeof *labels->items, compare);
}

void xs_labels_free(struct xs_labels *labels) {
    for (size_t i = 0; i < labels->count; i++) {
        free(labels->items[i].key);
        free(labels->items[i].value);
    }
    free(labels->items);
    *labels = (struct xs_labels){0};
}

const char *xs_labels_value(const struct xs_labels *labels, const char *key) {
    for (size_t i = 0; i < labels->count; i++)
        if (strcmp(labels->items[i].key, key) == 0)
            return labels->items[i].value;
    return NULL;
}

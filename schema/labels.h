/* Reads lists of labels: facts about a run that the user gives (XFERSPY_LABELS), so that many traces can be grouped by
 * them. The library writes them into the trace, and `xferspy run` checks them before the program starts. */
#ifndef XFERSPY_SCHEMA_LABELS_H
#define XFERSPY_SCHEMA_LABELS_H

enum { XS_LABEL_KEY_BYTES = 64, XS_LABEL_VALUE_BYTES = 256, XS_LABELS_MOST = 64 };

/* A trace has a label as a row of meta, whose key begins with this text. */
#define XS_META_LABEL "label."
#define XS_META_LABELS_GIVEN "labels.given" /* the keys of the labels that the user gave, with commas between them */

struct xs_label {
    char key[XS_LABEL_KEY_BYTES], value[XS_LABEL_VALUE_BYTES];
};

/* Reads the first label of a list such as "team=vision,night=3". A key begins with a letter or _, and goes on with
 * letters, digits, _ . - and /. A value is any text without a comma and without control characters. Moves `*list` to
 * the next label. Returns NULL if a label was read, or the reason why the list is not valid. `*list` must not be
 * empty. */
const char *xs_label_read(const char **list, struct xs_label *label);

/* Returns the reason why a list is not valid; NULL: it is valid, or empty. */
const char *xs_labels_refused(const char *list);

#endif

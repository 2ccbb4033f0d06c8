/* Reads and writes the labels of a run; see labels.h. */
#include "preload/session/labels.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/session/git_head.h"
#include "preload/session/redact_session.h"
#include "preload/session/say.h"
#include "schema/labels.h"

enum { VARIABLES = 4 };
static const struct row {
    const char *key, *condition, *variables[VARIABLES + 1];
} rows[] = {
#define XS_LABEL(key, condition, ...) {key, condition, {__VA_ARGS__}},
#include "preload/session/labels.def"
#undef XS_LABEL
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *given = "";
static bool is_in_pod;
static struct {
    const char *variable; /* NULL: none of the row's variables is set */
    char value[XS_LABEL_VALUE_BYTES];
} found[ROWS];

void xs_labels_read(char *list) {
    static bool said;
    const char *why = xs_labels_refused(list);
    if (why) {
        xs_complain(&said, "XFERSPY_LABELS is ignored: %s", why);
        *list = '\0';
    }
    given = list;
    is_in_pod = getenv("KUBERNETES_SERVICE_HOST") != NULL;
    for (unsigned i = 0; i < ROWS; i++) {
        found[i].variable = NULL;
        if (rows[i].condition && !getenv(rows[i].condition))
            continue;
        for (const char *const *name = rows[i].variables; *name && !found[i].variable; name++) {
            const char *value = getenv(*name);
            if (!value || !*value)
                continue;
            snprintf(found[i].value, sizeof found[i].value, "%s", value);
            found[i].variable = *name;
        }
    }
}

/* A label that the user gives replaces one that the trace has by itself. */
static bool is_given(const char *key) {
    struct xs_label label;
    for (const char *list = given; *list && !xs_label_read(&list, &label);)
        if (strcmp(label.key, key) == 0)
            return true;
    return false;
}

static void write_label(struct xs_store *store, const char *key, const char *value, const char *variable) {
    char meta[sizeof XS_META_LABEL + XS_LABEL_KEY_BYTES];
    snprintf(meta, sizeof meta, XS_META_LABEL "%s", key);
    xs_store_meta_text(store, meta, xs_redact_hides(variable, value) ? XS_REDACT_HIDDEN : value);
}

static void write_own(struct xs_store *store, const char *key, const char *value, const char *variable) {
    if (*value && !is_given(key))
        write_label(store, key, value, variable);
}

/* Leaves out a label whose key has to be hidden, because the key is a text of the user's, too. */
static void write_given(struct xs_store *store) {
    char keys[XS_LABELS_MOST * XS_LABEL_KEY_BYTES] = "";
    size_t length = 0;
    struct xs_label label;
    for (const char *list = given; *list && !xs_label_read(&list, &label);) {
        if (xs_redact_hides(NULL, label.key))
            continue;
        write_label(store, label.key, label.value, "XFERSPY_LABELS");
        length += (size_t)snprintf(keys + length, sizeof keys - length, "%s%s", length ? "," : "", label.key);
    }
    if (length)
        xs_store_meta_text(store, XS_META_LABELS_GIVEN, keys);
}

void xs_labels_write(struct xs_store *store) {
    for (unsigned i = 0; i < ROWS; i++)
        if (found[i].variable)
            write_own(store, rows[i].key, found[i].value, found[i].variable);
    write_given(store);
}

/* ---- files ---- */

/* Writes the first line of a file, unless the environment already gave the label. */
static void write_line(struct xs_store *store, const char *key, const char *path) {
    char text[XS_LABEL_VALUE_BYTES];
    for (unsigned i = 0; i < ROWS; i++)
        if (found[i].variable && strcmp(rows[i].key, key) == 0)
            return;
    if (xs_git_read_file(path, text, sizeof text) == 0)
        return;
    text[strcspn(text, "\r\n")] = '\0';
    write_own(store, key, text, NULL);
}

/* Values of the downward API are files where a volume of the pod says so. The names are those of docs/use/labels.md.
 * The namespace has a file in every pod with a service account. */
static void write_pod(struct xs_store *store, const char *root) {
    static const char *const files[][2] = {
        {"k8s_namespace", "/var/run/secrets/kubernetes.io/serviceaccount/namespace"},
        {"k8s_namespace", "/etc/podinfo/namespace"},
        {"k8s_pod", "/etc/podinfo/name"},
        {"k8s_node", "/etc/podinfo/node"},
        {"k8s_image", "/etc/podinfo/image"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s%s", root, files[i][1]) < (int)sizeof path)
            write_line(store, files[i][0], path);
    }
}

void xs_labels_write_files(struct xs_store *store, const char *root) {
    struct xs_git_head head;
    char folder[4096];
    ssize_t bytes = readlink("/proc/self/cwd", folder, sizeof folder - 1);
    folder[bytes > 0 ? bytes : 0] = '\0';
    if (bytes > 0 && xs_git_head(folder, &head)) {
        write_own(store, "git_commit", head.commit, NULL);
        write_own(store, "git_branch", head.branch, NULL);
    }
    if (is_in_pod)
        write_pod(store, root);
}

/* Reads lists of labels; see labels.h. */
#include "schema/labels.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static bool is_key(const char *key, size_t bytes) {
    for (size_t i = 1; i < bytes; i++)
        if (!is_letter(key[i]) && !(key[i] >= '0' && key[i] <= '9') && !strchr(".-/", key[i]))
            return false;
    return bytes > 0 && is_letter(key[0]);
}

static bool has_control_character(const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return true;
    return false;
}

const char *xs_label_read(const char **list, struct xs_label *label) {
    size_t bytes = strcspn(*list, ","), key_bytes = strcspn(*list, "=,");
    const char *value = *list + key_bytes + 1;
    if (key_bytes == bytes)
        return "a label is KEY=VALUE, with a comma before the next one";
    size_t value_bytes = bytes - key_bytes - 1;
    if (!is_key(*list, key_bytes))
        return "a key begins with a letter or _, and then has letters, digits, _ . - or /";
    if (key_bytes >= sizeof label->key)
        return "a key has 63 bytes at most";
    if (!value_bytes)
        return "a label needs a value";
    if (value_bytes >= sizeof label->value)
        return "a value has 255 bytes at most";
    if (has_control_character(value, value_bytes))
        return "a value has no control characters";
    memcpy(label->key, *list, key_bytes);
    label->key[key_bytes] = '\0';
    memcpy(label->value, value, value_bytes);
    label->value[value_bytes] = '\0';
    *list += bytes + ((*list)[bytes] == ',');
    return NULL;
}

const char *xs_labels_refused(const char *list) {
    struct xs_label label;
    const char *why = NULL;
    unsigned count = 0;
    for (; *list && !why; count++)
        why = xs_label_read(&list, &label);
    return why || count <= XS_LABELS_MOST ? why : "a run has 64 labels at most";
}

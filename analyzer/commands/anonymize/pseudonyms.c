/* Makes pseudonyms; see pseudonyms.h. */
#include "analyzer/commands/anonymize/pseudonyms.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/findings/steps/step_ranges.h"
#include "schema/source/library.h"

enum { NAME_BYTES = 256, HARDWARE_BYTES = 96, WORD_BYTES = 40, API_BYTES = 64 };
#define FOLDER "/anonymous/"

#define WORD(name, word) word,
static const char *const words[] = {XS_ANONYMOUS_KINDS(WORD)};

/* Returns the extension of a file's name if it is a known one. It may stay, because it only shows the language. */
static const char *extension_of(const char *path) {
    static const char *const known[] = {".c", ".cc",  ".cpp", ".cxx", ".cu", ".cuh",
                                        ".h", ".hpp", ".py",  ".pyx", ".rs", ".f90"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (!strcmp(dot, known[i]))
            return known[i];
    return "";
}

static bool is_same_binary(const char *a, const char *b) {
    bool glue_a, glue_b;
    bool library_a = xs_library_binary(a, &glue_a), library_b = xs_library_binary(b, &glue_b);
    return library_a == library_b && glue_a == glue_b && xs_library_framework(a) == xs_library_framework(b);
}

/* Makes a name by the pattern in libraries.def that the original matches, without the part that * matches:
 * "libcudart.so" in a separate folder. */
static bool name_by_table(char *name, const char *path, const char *base, uint64_t number) {
    bool is_shared = strstr(base, ".so") != NULL;
    for (size_t i = 0; i < xs_library_row_count; i++) {
        const char *pattern = xs_library_rows[i].pattern;
        size_t length = strcspn(pattern, "*");
        bool star = pattern[length] != 0;
        if ((xs_library_rows[i].what != XS_LIBRARY_FILE && xs_library_rows[i].what != XS_LIBRARY_GLUE) ||
            strncmp(base, pattern, length) != 0 || (!star && base[length] && !strchr(".-", base[length])))
            continue;
        if (is_shared)
            snprintf(name, NAME_BYTES, FOLDER "%" PRIu64 "/%.*s%s.so", number, (int)length, pattern, star ? "_" : "");
        else
            snprintf(name, NAME_BYTES, FOLDER "%" PRIu64 "/%.*s", number, (int)length, pattern);
        if (is_same_binary(name, path))
            return true;
    }
    return false;
}

/* Tries names until xferspy classifies one like the original: first a name by the file's name, then one by the folder
 * or package that contains the file, at last an unknown name. */
static void name_binary(char *name, const char *path, uint64_t number) {
    const char *slash = strrchr(path, '/');
    if (path[0] == '[') {
        snprintf(name, NAME_BYTES, "[binary_%" PRIu64 "]", number);
        return;
    }
    snprintf(name, NAME_BYTES, FOLDER "binary_%" PRIu64, number);
    if (is_same_binary(name, path) || name_by_table(name, path, slash ? slash + 1 : path, number))
        return;
    for (size_t i = 0; i < xs_library_row_count; i++) {
        const char *pattern = xs_library_rows[i].pattern;
        if (xs_library_rows[i].what == XS_LIBRARY_FOLDER && strstr(path, pattern))
            snprintf(name, NAME_BYTES, "/anonymous%sbinary_%" PRIu64, pattern, number);
        else if (xs_library_rows[i].what == XS_LIBRARY_PACKAGE && !strchr(pattern, '*') && strstr(path, pattern))
            snprintf(name, NAME_BYTES, FOLDER "site-packages/%s/binary_%" PRIu64 ".so", pattern, number);
        else
            continue;
        if (is_same_binary(name, path))
            return;
    }
    /* a library of a package with a version in its name */
    snprintf(name, NAME_BYTES, FOLDER "site-packages/cupy/binary_%" PRIu64 ".so", number);
}

static void name_file(char *name, const char *path, uint64_t number) {
    for (size_t i = 0; i < xs_library_row_count; i++) {
        if (xs_library_rows[i].what != XS_LIBRARY_FOLDER || !strstr(path, xs_library_rows[i].pattern))
            continue;
        snprintf(name, NAME_BYTES, "/anonymous%s%sfile_%" PRIu64 "%s", xs_library_rows[i].pattern,
                 xs_library_rows[i].pattern[strlen(xs_library_rows[i].pattern) - 1] == '/' ? "" : "_", number,
                 extension_of(path));
        if (xs_library_function(NULL, name))
            return;
    }
    snprintf(name, NAME_BYTES, FOLDER "file_%" PRIu64 "%s", number, extension_of(path));
}

static void name_python_file(char *name, const char *path, uint64_t number) {
    if (!xs_library_python(path)) {
        snprintf(name, NAME_BYTES, path[0] == '<' ? "<file_%" PRIu64 ">" : FOLDER "file_%" PRIu64 ".py", number);
        return;
    }
    for (size_t i = 0; i < xs_library_row_count; i++) {
        const char *pattern = xs_library_rows[i].pattern;
        if (xs_library_rows[i].what != XS_LIBRARY_PACKAGE || strchr(pattern, '*'))
            continue;
        snprintf(name, NAME_BYTES, "/site-packages/%s/", pattern);
        char other[NAME_BYTES];
        snprintf(other, sizeof other, "/dist-packages/%s/", pattern);
        if (!strstr(path, name) && !strstr(path, other))
            continue;
        snprintf(name, NAME_BYTES, FOLDER "site-packages/%s/file_%" PRIu64 ".py", pattern, number);
        return;
    }
    snprintf(name, NAME_BYTES, FOLDER "lib/python3/file_%" PRIu64 ".py", number);
}

/* Names a function. A library's function is recognised by how its name begins; the rest may be anything, such as a
 * template's arguments. */
static void name_function(char *name, const char *function, uint64_t number) {
    static const char *const interpreter[] = {"_PyEval_EvalFrame", "PyEval_EvalFrame", "_TAIL_CALL_"};
    bool anywhere = xs_library_function(function, "-"), without_line = xs_library_function(function, NULL);
    for (size_t i = 0; i < sizeof interpreter / sizeof *interpreter; i++) {
        if (!strncmp(function, interpreter[i], strlen(interpreter[i]))) {
            snprintf(name, NAME_BYTES, "%s_%" PRIu64, interpreter[i], number);
            return;
        }
    }
    for (size_t i = 0; (anywhere || without_line) && i < xs_library_row_count; i++) {
        if (xs_library_rows[i].what != (anywhere ? XS_LIBRARY_FUNCTION : XS_LIBRARY_RUNTIME))
            continue;
        size_t length = strcspn(xs_library_rows[i].pattern, "*");
        if (strncmp(function, xs_library_rows[i].pattern, length) != 0)
            continue;
        snprintf(name, NAME_BYTES, "%.*s%s_%" PRIu64, (int)length, xs_library_rows[i].pattern,
                 xs_library_rows[i].pattern[length] ? "Function" : "function", number);
        if (xs_library_function(name, "-") == anywhere && xs_library_function(name, NULL) == without_line)
            return;
    }
    snprintf(name, NAME_BYTES, "function_%" PRIu64, number);
}

static uint64_t hash_of(const char *text, size_t bytes, uint64_t seed) {
    uint64_t hash = xs_mix(seed ^ bytes);
    for (; bytes >= 8; text += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = xs_mix(hash ^ word) * 0x9e3779b97f4a7c15u + seed;
    }
    uint64_t rest = 0;
    // NOLINTNEXTLINE(bugprone-not-null-terminated-result): a number, no text
    memcpy(&rest, text, bytes);
    return xs_mix(hash ^ rest ^ (uint64_t)bytes << 56);
}

/* Returns the number of a range's kind, counted from 1. */
static uint64_t kind_of_range(struct xs_pseudonyms *pseudonyms, const char *text) {
    char kind[XS_STEP_RANGE_NAME];
    xs_step_range_kind_name(text, kind);
    size_t bytes = strlen(kind);
    uint64_t *known = xs_hash_put(&pseudonyms->range_kinds, hash_of(kind, bytes, pseudonyms->key[0]),
                                  hash_of(kind, bytes, pseudonyms->key[1]));
    if (!*known)
        *known = ++pseudonyms->range_kind_count;
    return *known;
}

/* Names a range. Steps of a run are found by the names of ranges. Names that differ only in numbers therefore still
 * differ only in numbers, other names get other letters, and a library's range is still recognised. */
static void name_range(char *name, struct xs_pseudonyms *pseudonyms, const char *text, uint64_t number) {
    char letters[16], digits[24] = "";
    size_t first = sizeof letters - 1;
    const char *of_library = "";
    letters[first] = '\0';
    for (uint64_t left = kind_of_range(pseudonyms, text); left; left = (left - 1) / 26)
        letters[--first] = (char)('a' + (left - 1) % 26);
    if (strpbrk(text, "0123456789#"))
        snprintf(digits, sizeof digits, "_%" PRIu64, number);
    for (size_t i = 0; i < xs_library_row_count && !*of_library; i++)
        if (xs_library_rows[i].what == XS_LIBRARY_RANGE &&
            !strncmp(text, xs_library_rows[i].pattern, strlen(xs_library_rows[i].pattern)))
            of_library = xs_library_rows[i].pattern;
    if (!*of_library && xs_library_range(NULL, text)) /* an operator's range is recognised by the text after its name */
        snprintf(name, NAME_BYTES, "range_%s, seq = %" PRIu64 ", op_id = %" PRIu64, letters + first, number, number);
    else
        snprintf(name, NAME_BYTES, "%srange_%s%s", of_library, letters + first, digits);
}

static bool is_plain(const char *text, size_t bytes, size_t limit, const char *others) {
    if (!bytes || bytes > limit)
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (!isalnum((unsigned char)text[i]) && !(text[i] && strchr(others, text[i])))
            return false;
    return true;
}

static bool is_api(const char *text, size_t bytes) {
    return is_plain(text, bytes, API_BYTES, "_") && text[0] == 'c' && text[1] == 'u' &&
           (isupper((unsigned char)text[2]) || (!strncmp(text, "cuda", 4) && isupper((unsigned char)text[4])));
}

static bool are_apis(const char *text, size_t bytes) {
    for (size_t at = 0, length; at < bytes; at += length + 1) {
        const char *comma = memchr(text + at, ',', bytes - at);
        length = comma ? (size_t)(comma - text) - at : bytes - at;
        if (!is_api(text + at, length))
            return false;
    }
    return true;
}

static bool is_words(const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (isupper((unsigned char)text[i]) || isdigit((unsigned char)text[i]))
            return false;
    return is_plain(text, bytes, WORD_BYTES, " -_");
}

static void name_first_word(char *name, const char *text, uint64_t number) {
    size_t length = strcspn(text, " ");
    if (is_plain(text, length, 16, ""))
        snprintf(name, NAME_BYTES, "%.*s", (int)length, text);
    else
        snprintf(name, NAME_BYTES, "system_%" PRIu64, number);
}

static void (*const makers[XS_ANONYMOUS_KIND_COUNT])(char *name, const char *text, uint64_t number) = {
    [XS_ANONYMOUS_BINARY] = name_binary,           [XS_ANONYMOUS_FILE] = name_file,
    [XS_ANONYMOUS_PYTHON_FILE] = name_python_file, [XS_ANONYMOUS_FUNCTION] = name_function,
    [XS_ANONYMOUS_FIRST_WORD] = name_first_word,
};

static void make(char *name, struct xs_pseudonyms *pseudonyms, enum xs_anonymous_kind kind, const char *text,
                 uint64_t number) {
    if (makers[kind])
        makers[kind](name, text, number);
    else if (kind == XS_ANONYMOUS_RANGE)
        name_range(name, pseudonyms, text, number);
    else if (kind == XS_ANONYMOUS_BUILD_ID)
        snprintf(name, NAME_BYTES, "%040" PRIu64, number);
    else if (kind == XS_ANONYMOUS_NOTE)
        snprintf(name, NAME_BYTES, "%s", words[kind]);
    else
        snprintf(name, NAME_BYTES, "%s_%" PRIu64, words[kind], number);
}

/* True if the text may stay as it is. */
static bool stays(enum xs_anonymous_kind kind, const char *text, size_t bytes) {
    return !bytes || (kind == XS_ANONYMOUS_API && is_api(text, bytes)) ||
           (kind == XS_ANONYMOUS_APIS && are_apis(text, bytes)) ||
           (kind == XS_ANONYMOUS_DOMAIN && strlen(text) == bytes && xs_library_range(text, "")) ||
           (kind == XS_ANONYMOUS_HARDWARE && is_plain(text, bytes, HARDWARE_BYTES, " -_.,()@+")) ||
           (kind == XS_ANONYMOUS_WORD && is_words(text, bytes)) ||
           (kind == XS_ANONYMOUS_LIST && strspn(text, "0123456789+,") == bytes);
}

/* Texts are compared by 128 bits of keyed hashes. The key is only in memory, so the author of a file cannot make texts
 * that collide. */
const char *xs_pseudonym(struct xs_pseudonyms *pseudonyms, enum xs_anonymous_kind kind, const char *text,
                         size_t bytes) {
    char name[NAME_BYTES];
    uint64_t seed = xs_mix((uint64_t)kind + 1);
    uint64_t *place = xs_hash_put(&pseudonyms->by_text, hash_of(text, bytes, pseudonyms->key[0] ^ seed),
                                  hash_of(text, bytes, pseudonyms->key[1] + seed));
    if (!*place) {
        if (stays(kind, text, bytes)) {
            snprintf(name, sizeof name, "%.*s", (int)bytes, text);
        } else {
            enum xs_anonymous_kind counter = kind == XS_ANONYMOUS_PYTHON_FILE ? XS_ANONYMOUS_FILE : kind;
            make(name, pseudonyms, kind, text, ++pseudonyms->counts[counter]);
        }
        *place = (uint64_t)(uintptr_t)xs_texts_keep(&pseudonyms->texts, name);
    }
    return (const char *)(uintptr_t)*place;
}

void xs_pseudonyms_free(struct xs_pseudonyms *pseudonyms) {
    xs_hash_free(&pseudonyms->by_text);
    xs_hash_free(&pseudonyms->range_kinds);
    xs_texts_free(&pseudonyms->texts);
    *pseudonyms = (struct xs_pseudonyms){0};
}

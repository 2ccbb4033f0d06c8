/* Decides by the pattern of XFERSPY_REDACT what has to be hidden, and writes the command line accordingly. */
#include "preload/session/redact_session.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "preload/core/glibc_dlsym.h"

static enum { NOTHING, MATCHES, EVERYTHING } hides;
static regex_t compiled;
static struct xs_redact_functions functions;

/* Looks up regcomp and regexec in the C library itself. Other regular expression libraries have functions of the same
 * names whose flags have other values, and in a program that is linked to such a library those would be found first. */
static bool find_functions(void) {
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *compile = libc ? xs_real_dlsym(libc, "regcomp") : NULL, *match = libc ? xs_real_dlsym(libc, "regexec") : NULL;
    void *release = libc ? xs_real_dlsym(libc, "regfree") : NULL;
    memcpy(&functions.compile, &compile, sizeof compile);
    memcpy(&functions.match, &match, sizeof match);
    memcpy(&functions.release, &release, sizeof release);
    return compile && match && release;
}

const char *xs_redact_start(const char *pattern) {
    if (hides == MATCHES)
        functions.release(&compiled);
    hides = NOTHING;
    if (!*pattern)
        return NULL;
    hides = EVERYTHING;
    const char *why =
        find_functions() ? xs_redact_compile(&functions, pattern, &compiled) : "cannot be used with this C library";
    hides = why ? EVERYTHING : MATCHES;
    return why;
}

static bool matches(const char *text) {
    return hides == EVERYTHING || (hides == MATCHES && xs_redact_matches(&functions, &compiled, text));
}

bool xs_redact_hides(const char *variable, const char *value) {
    return hides != NOTHING && *value && ((variable && matches(variable)) || matches(value));
}

/* ---- the command line ---- */

struct text {
    char *at;
    size_t left; /* including the NUL */
};

static void put(struct text *t, const char *part, size_t bytes) {
    bytes = bytes < t->left ? bytes : t->left - 1;
    memcpy(t->at, part, bytes);
    t->at += bytes;
    t->left -= bytes;
    *t->at = '\0';
}

static void put_text(struct text *t, const char *part) { put(t, part, strlen(part)); }

/* Appends a word, with quotes if a shell needs them. */
static void put_word(struct text *t, const char *word) {
    bool plain = *word != '\0';
    for (const char *p = word; *p; p++)
        plain = plain && (isalnum((unsigned char)*p) || strchr("_-+=:,./@%^", *p));
    if (plain) {
        put_text(t, word);
        return;
    }
    put_text(t, "'");
    for (const char *p = word; *p && t->left > 8; p++)
        put(t, *p == '\'' ? "'\\''" : p, *p == '\'' ? 4 : 1);
    put_text(t, "'");
}

/* True if the word is a name without a value, such as `--name`, so that the next word may be its value. */
static bool is_name(const char *word) { return word[0] == '-' && !strchr(word, '='); }

/* Writes a placeholder for a word. The name in `--name=value` is kept if it matches the pattern itself, and `--name` is
 * always kept. Of `-pvalue` only the letter is kept, because nothing marks the end of the name. */
static void put_hidden(struct text *t, char *word, bool as_value) {
    char *equals = strchr(word, '=');
    if (as_value || word[0] != '-' || word[1] == '\0') {
        put_text(t, XS_REDACT_HIDDEN);
    } else if (word[1] != '-') {
        put(t, word, isalnum((unsigned char)word[1]) ? 2 : 1);
        put_text(t, word[2] || !isalnum((unsigned char)word[1]) ? XS_REDACT_HIDDEN : "");
    } else if (!equals) {
        put_word(t, word);
    } else {
        *equals = '\0';
        bool in_name = matches(word);
        if (in_name) {
            put_word(t, word);
            put_text(t, "=");
        }
        put_text(t, XS_REDACT_HIDDEN);
        *equals = '=';
    }
}

/* True if the pattern matches a word. The whole word and also the name alone are checked, because a pattern with a $
 * may match the name in --name=value but not the whole word. */
static bool word_matches(char *word) {
    char *equals = word[0] == '-' ? strchr(word, '=') : NULL;
    bool found = matches(word);
    if (equals && !found) {
        *equals = '\0';
        found = matches(word);
        *equals = '=';
    }
    return found;
}

size_t xs_redact_command(char *out, size_t bytes, char *line, size_t length, bool is_cut, const char *program) {
    struct text t = {out, bytes};
    bool is_value = false; /* the previous word was a name, and this word is its value */
    *out = '\0';
    for (size_t i = 0, next; i < length && t.left > 1; i = next) {
        char *word = line + i;
        next = i + strlen(word) + 1;
        bool is_hit = hides != NOTHING && word_matches(word);
        /* the end of a word that was cut off is not known, so it is hidden */
        bool is_rest = hides != NOTHING && is_cut && next > length;
        if (i > 0)
            put_text(&t, " ");
        bool whole = is_value || is_rest || hides == EVERYTHING;
        if (i == 0 && is_hit)
            put_word(&t, program);
        else if (i > 0 && (is_hit || whole))
            put_hidden(&t, word, whole);
        else
            put_word(&t, word);
        is_value = i > 0 && is_hit && is_name(word);
    }
    return (size_t)(t.at - out);
}

/* Makes the trace's name from its template. */
#define _GNU_SOURCE
#include "preload/session/naming.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
    char *at, *end, *number,
        *literal_end; /* `number`, `literal_end`: the positions of %n and of the first %, or NULL */
    bool cut, is_wrong;
};

/* Appends a text. If `safe`, it is the value of a %, and is changed so that it cannot lead into another directory. */
static void put(struct text *t, const char *value, bool safe) {
    bool dots = safe && value[strspn(value, ".")] == '\0';
    for (; *value; value++) {
        if (t->at == t->end) {
            t->cut = true;
            return;
        }
        *t->at++ = dots || (safe && *value == '/') ? '_' : *value;
    }
}

static void put_executable(struct text *t) {
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/');
    put(t, slash ? slash + 1 : (n > 0 ? path : "unknown"), true);
}

/* Expands %q{VAR}; returns the position after it, or NULL if it is malformed. */
static const char *put_variable(struct text *t, const char *p) {
    char name[256];
    const char *close = p[1] == '{' ? strchr(p, '}') : NULL;
    size_t n = close ? (size_t)(close - p - 2) : 0;
    if (!close || n == 0 || n >= sizeof name)
        return NULL;
    memcpy(name, p + 2, n);
    name[n] = '\0';
    const char *value = getenv(name);
    put(t, value ? value : "", true);
    return close + 1;
}

/* Expands the % before `p`; returns the position after it, or NULL for an unknown one. */
static const char *put_template(struct text *t, const char *p) {
    char value[256] = "";
    switch (*p) {
    case 'p':
        snprintf(value, sizeof value, "%ld", (long)getpid());
        break;
    case 'h':
        gethostname(value, sizeof value - 1);
        break;
    case 'r':
        snprintf(value, sizeof value, "%ld", xs_rank(NULL) >= 0 ? xs_rank(NULL) : 0);
        break;
    case 'e':
        put_executable(t);
        return p + 1;
    case 'q':
        return put_variable(t, p);
    case 'n':
        t->is_wrong |= t->number != NULL;
        t->number = t->at;
        return p + 1;
    default:
        return NULL;
    }
    put(t, value, true);
    return p + 1;
}

/* Expands a template, or one part of it. */
static int put_all(struct text *t, const char *p) {
    while (*p) {
        if (*p == '%' && p[1] != '%') {
            t->literal_end = t->literal_end ? t->literal_end : t->at;
            p = put_template(t, p + 1);
            if (!p)
                return XS_ERROR_INVALID;
        } else {
            p += *p == '%';
            put(t, (char[]){*p++, '\0'}, false);
        }
    }
    return 0;
}

int xs_trace_name(const char *template, struct xs_trace_name *name) {
    struct text t = {.at = name->path, .end = name->path + sizeof name->path - 1};
    size_t length = strlen(template);
    /* The path is made absolute because the application may change its directory before the drain thread opens the
     * file. */
    if (template[0] != '/') {
        char cwd[4096];
        if (getcwd(cwd, sizeof cwd)) {
            put(&t, cwd, false);
            put(&t, "/", false);
        }
    }
    bool is_folder = length == 0 || template[length - 1] == '/';
    const char *preset = xs_rank(NULL) >= 0 ? "xferspy-%e.%h.r%r.%p.db" : "xferspy-%e.%p.db";
    if (put_all(&t, template) != 0 || (is_folder && put_all(&t, preset) != 0))
        return XS_ERROR_INVALID;
    *t.at = '\0';
    name->number_at = t.number ? (size_t)(t.number - name->path) : XS_NO_NUMBER;
    name->literal_bytes = (size_t)((t.literal_end ? t.literal_end : t.at) - name->path);
    return t.cut || t.is_wrong || (t.number && strchr(t.number, '/')) ? XS_ERROR_INVALID : 0;
}

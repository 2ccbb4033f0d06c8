/* Makes the trace's name out of its template, and finds the rank that a launcher gave to this process. */
#define _GNU_SOURCE
#include "preload/session/naming.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order in which they are believed: the most specific launcher first. */
static const char *const rank_variables[] = {"RANK",      "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                             "PMIX_RANK", "MV2_COMM_WORLD_RANK",  "SLURM_PROCID"};
static const char *const size_variables[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                             "SLURM_NTASKS"};
static const char *const local_variables[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                              "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"};

static long first_number(const char *const *names, size_t count, const char **which) {
    for (size_t i = 0; i < count; i++) {
        const char *text = getenv(names[i]);
        char *end;
        if (!text || !*text) {
            continue;
        }
        errno = 0;
        long value = strtol(text, &end, 10);
        if (*end == '\0' && errno == 0 && value >= 0) {
            if (which) {
                *which = names[i];
            }
            return value;
        }
    }
    return -1;
}

#define FIRST_NUMBER(names, which) first_number(names, sizeof(names) / sizeof *(names), which)
long xs_rank(const char **variable) { return FIRST_NUMBER(rank_variables, variable); }
long xs_world_size(const char **variable) { return FIRST_NUMBER(size_variables, variable); }
long xs_local_rank(const char **variable) { return FIRST_NUMBER(local_variables, variable); }

struct text {
    char *at, *end;
    bool cut;
};

/* A value put for a % may not lead into another directory. */
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

/* %q{VAR}: returns the position after it, NULL when it is not well formed. */
static const char *put_variable(struct text *t, const char *p) {
    char name[256];
    const char *close = p[1] == '{' ? strchr(p, '}') : NULL;
    size_t n = close ? (size_t)(close - p - 2) : 0;
    if (!close || n == 0 || n >= sizeof name) {
        return NULL;
    }
    memcpy(name, p + 2, n);
    name[n] = '\0';
    const char *value = getenv(name);
    put(t, value ? value : "", true);
    return close + 1;
}

/* One % and what follows; returns the position after it, NULL for an unknown one. */
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
    case '%':
        put(t, "%", false);
        return p + 1;
    default:
        return NULL;
    }
    put(t, value, true);
    return p + 1;
}

int xs_trace_name(const char *template, char *path, size_t bytes) {
    struct text t = {.at = path, .end = path + bytes - 1};
    if (!*template) {
        template = xs_rank(NULL) >= 0 ? "xferspy-%e.%h.r%r.%p.db" : "xferspy-%e.%p.db";
    }
    /* The drain thread opens the file, possibly after the application changed its directory. */
    if (template[0] != '/') {
        char cwd[4096];
        if (getcwd(cwd, sizeof cwd)) {
            put(&t, cwd, false);
            put(&t, "/", false);
        }
    }
    for (const char *p = template; p && *p;) {
        if (*p == '%') {
            p = put_template(&t, p + 1);
            if (!p) {
                return XS_ERROR_INVALID;
            }
        } else {
            put(&t, (char[]){*p++, '\0'}, false);
        }
    }
    *t.at = '\0';
    return t.cut ? XS_ERROR_INVALID : 0;
}

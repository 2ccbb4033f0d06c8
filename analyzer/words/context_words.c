/* Writes the words for what a framework did; see context_words.h. */
#include "analyzer/words/context_words.h"

#include "analyzer/base/units.h"

enum { SIZES_COLUMNS = 60 };

static const char *const framework_keys[XS_FRAMEWORKS] = {
    [XS_FRAMEWORK_PYTORCH] = "pytorch",
    [XS_FRAMEWORK_CUPY] = "cupy",
    [XS_FRAMEWORK_JAX] = "jax",
    [XS_FRAMEWORK_NUMBA] = "numba",
};

static const char *const host_copy_keys[] = {
    [XS_HOST_COPY_CUPY] = "cupy",
    [XS_HOST_COPY_LOADER] = "loader",
    [XS_HOST_COPY_LOADER_THREAD] = "loader_thread",
};

/* Adds the innermost known name, and what called it. */
static void say_names(struct xs_string *text, const struct xs_framework_context *c) {
    const char *names[] = {c->operator_name, c->node, c->call};
    const char *before = "in ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!*names[i])
            continue;
        xs_string_format(text, "%s", before);
        xs_string_add_cut(text, names[i], XS_FRAMEWORK_NAME);
        before = " of ";
    }
}

void xs_say_context(struct xs_string *text, const struct xs_diagnosed *diagnosed) {
    const struct xs_framework_context *c = diagnosed->context;
    if (!c)
        return;
    size_t start = text->length;
    say_names(text, c);
    if (*c->sizes) {
        xs_string_format(text, "%ssizes ", text->length > start ? ", " : "");
        xs_string_add_cut(text, c->sizes, SIZES_COLUMNS);
        xs_string_format(text, "%s", c->sizes_vary ? " and others" : "");
    }
    if (c->phase)
        xs_string_format(text, "%s%s", text->length > start ? ", " : "", xs_framework_phase_words[c->phase]);
}

void xs_say_host_copy(struct xs_string *text, const struct xs_diagnosed *diagnosed) {
    const struct xs_framework_context *c = diagnosed->context;
    if (!c || !c->host_copy)
        return;
    if (c->host_copy == XS_HOST_COPY_LOADER_THREAD)
        xs_string_format(text, "before that, a thread of a DataLoader probably copied the batch into pinned memory");
    else if (c->uploads)
        xs_string_format(text, "before each upload %s into pinned memory (%s, median of %s)",
                         c->host_copy == XS_HOST_COPY_CUPY ? "CuPy probably copies the array"
                                                           : "a DataLoader probably copies the batch",
                         XS_NS_TEXT(c->before_ns), XS_COUNT_TEXT(c->uploads));
}

void xs_say_framework(struct xs_string *text, const struct xs_diagnosed *diagnosed) {
    XS_SCOPED_STRING host_copy = {0};
    xs_say_context(text, diagnosed);
    xs_say_host_copy(&host_copy, diagnosed);
    if (host_copy.length)
        xs_string_format(text, "%s%s", text->length ? "; " : "", host_copy.data);
}

static void put_text(struct xs_json *json, const char *key, const char *text) {
    xs_json_text(json, key, *text ? text : NULL);
}

static void put_host_copy(struct xs_json *json, const struct xs_framework_context *c) {
    if (!c->host_copy || (c->host_copy != XS_HOST_COPY_LOADER_THREAD && !c->uploads)) {
        xs_json_null(json, "host_copy");
        return;
    }
    xs_json_object(json, "host_copy");
    xs_json_text(json, "by", host_copy_keys[c->host_copy]);
    xs_json_bool(json, "inferred", true);
    xs_json_known_count(json, "before_ns", c->uploads > 0, c->before_ns);
    xs_json_count(json, "uploads", c->uploads);
    xs_json_end(json, '}');
}

void xs_context_json(struct xs_json *json, const struct xs_diagnosed *diagnosed) {
    const struct xs_framework_context *c = diagnosed->context;
    if (!c) {
        xs_json_null(json, "framework");
        return;
    }
    xs_json_object(json, "framework");
    xs_json_text(json, "name", framework_keys[c->framework]);
    put_text(json, "operator", c->operator_name);
    put_text(json, "autograd", c->node);
    put_text(json, "call", c->call);
    xs_json_text(json, "phase", xs_framework_phase_keys[c->phase]);
    put_text(json, "sizes", c->sizes);
    xs_json_bool(json, "sizes_vary", c->sizes_vary);
    put_host_copy(json, c);
    xs_json_end(json, '}');
}

/* Sums up the totals by stack; see flame.h. */
#include "analyzer/commands/html/flame.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/interned.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/html/sites.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/place.h"

uint32_t xs_html_flame_leaf(struct xs_html_flame *flame, int64_t entry_point, int64_t stack, int32_t index,
                            uint32_t site) {
    uint64_t *known = xs_hash_put(&flame->by_key, (uint64_t)entry_point, (uint64_t)stack);
    if (!*known) {
        *known = flame->count + 1;
        xs_grow(&flame->leaves, flame->count, &flame->capacity, sizeof *flame->leaves);
        flame->leaves[flame->count++] =
            (struct xs_html_leaf){.entry_point = entry_point, .stack = stack, .site = site, .index = index};
    }
    return (uint32_t)*known - 1;
}

void xs_html_flame_free(struct xs_html_flame *flame) {
    free(flame->leaves);
    xs_hash_free(&flame->by_key);
    *flame = (struct xs_html_flame){0};
}

/* The different frames, numbered in the order of first use. */
struct frames {
    const struct xs_frame **items;
    size_t count, capacity;
    struct xs_texts texts;
    struct xs_hash by_text; /* to index + 1 */
};

static size_t number_of(struct frames *frames, const struct xs_frame *frame) {
    XS_SCOPED_STRING text = {0};
    xs_string_format(&text, "%s\n%s\n%" PRIu32 "\n%s", frame->function ? frame->function : "",
                     frame->file ? frame->file : "", frame->line, frame->module ? frame->module : "");
    if (!frame->function && !frame->line)
        xs_string_format(&text, "\n%" PRIx64, frame->address);
    uint64_t *known = xs_hash_put(&frames->by_text, (uintptr_t)xs_texts_keep(&frames->texts, text.data), 0);
    if (!*known) {
        *known = frames->count + 1;
        xs_grow(&frames->items, frames->count, &frames->capacity, sizeof(*frames->items));
        frames->items[frames->count++] = frame;
    }
    return (size_t)*known - 1;
}

/* Returns the saving of a stack. Savings are known per site; they are divided among the stacks of a site in proportion
 * to the time inside their calls. */
static uint64_t saves(const struct xs_diagnosis *diagnosis, const struct xs_html_leaf *leaf, const uint64_t *of_site) {
    uint64_t ns = xs_saves_at(diagnosis, leaf->site);
    if (!ns)
        return 0;
    return (uint64_t)((double)ns * ((double)leaf->calls_ns + 1) / (double)of_site[leaf->site]);
}

static void put_leaf(struct frames *frames, const struct xs_diagnosis *diagnosis, const struct xs_html_leaf *leaf,
                     const uint64_t *of_site, struct xs_json *json) {
    size_t count = 0;
    const struct xs_callsites *callsites = diagnosis->findings->sites ? diagnosis->findings->sites->callsites : NULL;
    const struct xs_frame *stack = callsites ? xs_callsites_frames(callsites, leaf->stack, &count) : NULL;
    size_t shown = count < XS_HTML_LEAF_FRAMES ? count : XS_HTML_LEAF_FRAMES;
    xs_json_object(json, NULL);
    xs_json_array(json, "frames");
    for (size_t i = shown; stack && i > 0; i--)
        xs_json_count(json, NULL, number_of(frames, &stack[i - 1]));
    xs_json_end(json, ']');
    xs_json_text(json, "entry_point", xs_site_entry(diagnosis->findings->sites, leaf->site)->name);
    xs_json_int(json, "site", leaf->index);
    xs_json_count(json, "transfers", leaf->transfers);
    xs_json_count(json, "bytes", leaf->bytes);
    xs_json_count(json, "device_ns", leaf->device_ns);
    xs_json_count(json, "host_ns", leaf->host_ns);
    xs_json_count(json, "saves_ns", saves(diagnosis, leaf, of_site));
    xs_json_end(json, '}');
}

static int by_time(const void *a, const void *b) {
    const struct xs_html_leaf *x = a, *y = b;
    uint64_t mine = xs_sum(x->calls_ns, x->device_ns), others = xs_sum(y->calls_ns, y->device_ns);
    return xs_compare_uint64(others, mine) ?: xs_compare(x->stack, y->stack);
}

void xs_html_flame_json(struct xs_html_flame *flame, const struct xs_diagnosis *diagnosis, struct xs_json *json) {
    struct frames frames = {0};
    XS_SCOPED uint64_t *of_site = xs_realloc(NULL, (diagnosis->site_count + 1) * sizeof *of_site);
    size_t shown = flame->count < XS_HTML_LEAVES ? flame->count : XS_HTML_LEAVES;
    for (size_t i = 0; i < diagnosis->site_count; i++)
        of_site[i] = 0;
    for (size_t i = 0; i < flame->count; i++)
        if (flame->leaves[i].site < diagnosis->site_count)
            of_site[flame->leaves[i].site] += flame->leaves[i].calls_ns + 1;
    xs_sort(flame->leaves, flame->count, sizeof *flame->leaves, by_time);
    xs_json_object(json, "flame");
    xs_json_count(json, "left_out", flame->count - shown);
    xs_json_array(json, "leaves");
    for (size_t i = 0; i < shown; i++)
        put_leaf(&frames, diagnosis, &flame->leaves[i], of_site, json);
    xs_json_end(json, ']');
    xs_json_array(json, "frames");
    for (size_t i = 0; i < frames.count; i++) {
        xs_json_object(json, NULL);
        xs_place_json(json, frames.items[i]);
        xs_json_bool(json, "library", frames.items[i]->library);
        xs_json_count(json, "address", frames.items[i]->address);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
    free(frames.items);
    xs_texts_free(&frames.texts);
    xs_hash_free(&frames.by_text);
}

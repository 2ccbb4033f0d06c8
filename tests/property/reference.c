/* The reference: docs/rules/analysis.md, "The model" and "Findings of content", word by word and without any
 * cleverness. */
#include "reference.h"

#include <stdlib.h>
#include <string.h>

const char *const reference_undecided[UNDECIDED_KINDS] = {
    "duplicate-upload|small contents may be equal by chance",
    "round-trip|small contents may be equal by chance",
    "unused-upload|launch arguments not seen",
    "redundant-memset|launch arguments not seen",
};

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool same_region(const struct region *a, const struct region *b) {
    return a->allocation == b->allocation && a->offset == b->offset && a->bytes == b->bytes;
}

static bool overlap(const struct region *a, const struct region *b) {
    return a->allocation >= 0 && a->allocation == b->allocation && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

static bool writes(const struct event *e) {
    return e->kind == UPLOAD || e->kind == DEVICE_COPY || e->kind == PEER_COPY || e->kind == MEMSET;
}

static bool reads(const struct event *e) {
    return e->kind == DOWNLOAD || e->kind == DEVICE_COPY || e->kind == PEER_COPY;
}

static bool may_touch(const struct event *launch, const struct region *region) {
    if (launch->kind != LAUNCH)
        return false;
    return launch->arguments_seen ? launch->arguments >> region->allocation & 1 : launch->device == region->device;
}

static bool frees(const struct event *e, const struct region *region) {
    return e->kind == FREE && e->to.allocation == region->allocation;
}

static bool constant(const unsigned char *content, size_t bytes) {
    for (size_t i = 4; i < bytes; i++)
        if (content[i] != content[i % 4])
            return false;
    return bytes >= 8;
}

static bool small(const unsigned char *content, size_t bytes) { return bytes < 64 || constant(content, bytes); }

static size_t moved(const struct event *e) { return e->kind == UPLOAD ? e->to.bytes : e->from.bytes; }

static bool same_content(const struct event *a, const struct event *b) {
    return moved(a) == moved(b) && memcmp(a->content, b->content, moved(a)) == 0;
}

/* Was every byte of the destination written since its allocation? */
static bool has_before(const struct event *events, int at) {
    const struct region *to = &events[at].to;
    unsigned char *written = calloc(1, to->bytes);
    for (int i = 0; i < at; i++) {
        const struct event *e = &events[i];
        if (may_touch(e, to)) { /* this includes a launch from before the allocation; see the next line */
            memset(written, 1, to->bytes);
        } else if (e->kind == ALLOCATE && e->to.allocation == to->allocation) {
            memset(written, 0, to->bytes);
        } else if (writes(e) && overlap(&e->to, to)) {
            size_t start = e->to.offset > to->offset ? e->to.offset - to->offset : 0;
            size_t end = e->to.offset + e->to.bytes - to->offset;
            memset(written + start, 1, (end < to->bytes ? end : to->bytes) - start);
        }
    }
    bool all = memchr(written, 0, to->bytes) == NULL;
    free(written);
    return all;
}

/* ---- what a region holds before an event ------------------------------------------------------------------------- */

enum sureness { GONE, UNSURE, SURE };

static enum sureness known(const struct event *events, int at, const struct region *region,
                           const struct event **content) {
    enum sureness sure = GONE;
    *content = NULL;
    for (int i = 0; i < at; i++) {
        const struct event *e = &events[i];
        if ((e->kind == UPLOAD && same_region(&e->to, region)) ||
            (e->kind == DOWNLOAD && same_region(&e->from, region))) {
            sure = SURE;
            *content = e;
        } else if ((e->kind == DEVICE_COPY || e->kind == PEER_COPY) && same_region(&e->to, region)) {
            sure = known(events, i, &e->from, content);
        } else if (writes(e) && overlap(&e->to, region)) {
            sure = GONE;
        } else if (sure == SURE && may_touch(e, region)) {
            sure = UNSURE;
        }
    }
    return sure;
}

static bool live(const struct event *events, int at, const struct region *region) {
    for (int i = 0; i < at; i++)
        if (frees(&events[i], region))
            return false;
    return true;
}

/* ---- uploads ----------------------------------------------------------------------------------------------------- */

static void found(struct verdicts *out, FILE *file, const char *finding, const struct event *e) {
    fprintf(file, "%s\t%s %d\t%d\n", finding, e->kind == MEMSET ? "memset" : "transfer", e->ordinal, out->program);
}

/* How sure it is that a region, if it lives and is another one on the same device, holds what the upload brings. */
static enum sureness holds(const struct event *events, int at, const struct region *region) {
    const struct event *u = &events[at], *content;
    if (region->allocation < 0 || region->device != u->to.device || same_region(region, &u->to) ||
        !live(events, at, region))
        return GONE;
    enum sureness sure = known(events, at, region, &content);
    return sure != GONE && same_content(content, u) ? sure : GONE;
}

static void duplicate_upload(const struct event *events, int at, bool is_noop, struct verdicts *out) {
    const struct event *u = &events[at];
    bool is_small = small(u->content, u->to.bytes);
    bool overwritten = false, counts = false, matches = false;
    enum sureness other = GONE, one;
    for (int i = 0; i < at; i++) {
        const struct event *e = &events[i];
        if (!is_small && (one = holds(events, at, &e->to)) > other)
            other = one;
        if (!is_small && (one = holds(events, at, &e->from)) > other)
            other = one;
        if (e->kind != UPLOAD || e->to.device != u->to.device || !same_content(e, u))
            continue;
        matches = true;
        bool here = same_region(&e->to, &u->to);
        if (is_small && !here && e->host != u->host)
            continue;
        counts = true;
        overwritten |= here;
        if (e->host == u->host && (one = holds(events, at, &e->to)) > other)
            other = one;
    }
    if (counts) /* where pre was not measured it is one of these, or unknown */
        found(out, out->allowed, "duplicate-upload/unknown", u);
    if (counts && !is_noop) {
        found(out, out->expected,
              overwritten       ? "duplicate-upload/overwritten"
              : other == SURE   ? "duplicate-upload/elsewhere"
              : other == UNSURE ? "duplicate-upload/unknown"
                                : "duplicate-upload/freed",
              u);
        found(out, out->allowed, "duplicate-upload/overwritten", u);
        found(out, out->allowed, "duplicate-upload/elsewhere", u);
        found(out, out->allowed, "duplicate-upload/freed", u);
    } else if (matches && !is_noop) {
        out->undecided[UNDECIDED_DUPLICATE]++;
    }
}

static void round_trip(const struct event *events, int at, bool *consumed, struct verdicts *out) {
    const struct event *u = &events[at];
    bool matches = false;
    int latest = -1;
    for (int i = 0; i < at; i++) {
        const struct event *e = &events[i];
        if (e->kind != DOWNLOAD || !same_content(e, u))
            continue;
        bool counts = !small(u->content, u->to.bytes) || same_region(&e->from, &u->to) || (e->host == u->host);
        if (counts)
            found(out, out->allowed,
                  e->from.device == u->to.device ? "round-trip/same-device" : "round-trip/cross-device", u);
        if (consumed[i])
            continue;
        matches = true;
        if (counts)
            latest = i;
    }
    if (latest >= 0) {
        consumed[latest] = true;
        found(out, out->expected,
              events[latest].from.device == u->to.device ? "round-trip/same-device" : "round-trip/cross-device", u);
    } else if (matches) {
        out->undecided[UNDECIDED_ROUND_TRIP]++;
    }
}

static void upload(const struct event *events, int at, bool *consumed, struct verdicts *out) {
    const struct event *u = &events[at];
    size_t bytes = u->to.bytes, leaves = 0, changed = 0;
    bool measured = has_before(events, at), is_noop = measured && memcmp(u->before, u->content, bytes) == 0;
    if (is_noop)
        found(out, out->expected, "noop-upload", u);
    duplicate_upload(events, at, is_noop, out);
    round_trip(events, at, consumed, out);
    if (bytes >= 64 && constant(u->content, bytes))
        found(out, out->expected, "constant-content", u);
    for (size_t start = 0; start < bytes; start += 4096, leaves++)
        changed += memcmp(u->before + start, u->content + start, bytes - start < 4096 ? bytes - start : 4096) != 0;
    if (measured && changed > 0 && changed * 4 < leaves)
        found(out, out->expected, "mostly-unchanged", u);
}

/* ---- downloads --------------------------------------------------------------------------------------------------- */

static void download(const struct event *events, int at, struct verdicts *out) {
    const struct event *d = &events[at], *previous = NULL, *uploaded = NULL;
    for (int i = 0; i < at; i++) {
        const struct event *e = &events[i];
        if (e->kind == DOWNLOAD && same_region(&e->from, &d->from))
            previous = e;
        if (e->kind == UPLOAD && same_region(&e->to, &d->from))
            uploaded = e;
        else if (writes(e) && overlap(&e->to, &d->from))
            uploaded = NULL;
    }
    if (previous != NULL && same_content(previous, d))
        found(out, out->expected, "repeat-download", d);
    if (uploaded != NULL && same_content(uploaded, d))
        found(out, out->expected, "bounce", d);
}

/* ---- writes that nothing read ------------------------------------------------------------------------------------ */

static bool any_left(const unsigned char *left, const struct region *mine, const struct region *span) {
    if (!overlap(mine, span))
        return false;
    for (size_t i = 0; i < mine->bytes; i++)
        if (left[i] && mine->offset + i >= span->offset && mine->offset + i < span->offset + span->bytes)
            return true;
    return false;
}

/* Takes what `span` overwrites out of `left`; returns whether anything is left. */
static bool overwrite(unsigned char *left, const struct region *mine, const struct region *span) {
    for (size_t i = 0; i < mine->bytes; i++)
        if (mine->offset + i >= span->offset && mine->offset + i < span->offset + span->bytes)
            left[i] = 0;
    return memchr(left, 1, mine->bytes) != NULL;
}

static void unused(const struct event *events, int count, int at, struct verdicts *out) {
    const struct event *w = &events[at];
    bool is_upload = w->kind == UPLOAD, ran = false, unseen = false;
    unsigned char *left = malloc(w->to.bytes);
    memset(left, 1, w->to.bytes);
    for (int i = at + 1; i < count; i++) {
        const struct event *e = &events[i];
        if ((reads(e) && any_left(left, &w->to, &e->from)) || (may_touch(e, &w->to) && e->arguments_seen))
            break;
        bool ends = is_upload && frees(e, &w->to);
        if (writes(e) && overlap(&e->to, &w->to))
            ends = !overwrite(left, &w->to, &e->to);
        if (ends && unseen) {
            out->undecided[is_upload ? UNDECIDED_UPLOAD : UNDECIDED_MEMSET]++;
        } else if (ends) {
            const char *finding = is_upload ? ran ? "unused-upload/likely" : "unused-upload/certain"
                                  : ran     ? "redundant-memset/likely"
                                            : "redundant-memset/certain";
            found(out, out->expected, finding, w);
        }
        if (ends || frees(e, &w->to))
            break;
        unseen |= may_touch(e, &w->to);
        ran |= (e->kind == LAUNCH && e->device == w->to.device) || (reads(e) && e->from.device == w->to.device);
    }
    free(left);
}

void reference_findings(const struct event *events, int count, struct verdicts *out) {
    bool *consumed = calloc((size_t)count, sizeof *consumed);
    for (int i = 0; i < count; i++) {
        if (events[i].kind == UPLOAD)
            upload(events, i, consumed, out);
        if (events[i].kind == DOWNLOAD)
            download(events, i, out);
        if (events[i].kind == UPLOAD || events[i].kind == MEMSET)
            unused(events, count, i, out);
    }
    free(consumed);
}

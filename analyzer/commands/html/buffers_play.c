/* Makes a buffer's pieces from its events. A write ends the content that it overwrites. A launch that got a pointer
 * into the buffer may have changed the whole buffer. If a download has other bytes than the known ones, a launch did
 * change it. */
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"
#include "analyzer/commands/html/buffers.h"

enum { LIVE = 96 }; /* largest number of pieces of a buffer at one time */

struct play {
    struct xs_html_buffers *all;
    struct xs_html_buffer *buffer;
    struct xs_html_piece live[LIVE];
    size_t count;
    int64_t step_ns; /* shorter pieces are joined */
};

static int by_time(const void *a, const void *b) {
    const struct xs_html_buffer_event *x = a, *y = b;
    return xs_compare(x->buffer, y->buffer) ?: xs_compare(x->at_ns, y->at_ns) ?: xs_compare(x->what, y->what)
        ?: xs_compare(x->row, y->row);
}

static int32_t content_of(struct xs_html_buffers *b, const struct xs_html_buffer_event *event) {
    if (!event->known)
        return XS_HTML_CONTENT_UNKNOWN;
    uint64_t low = event->content[0] ^ event->bytes * 0x9e3779b97f4a7c15u, high = event->content[1];
    const uint64_t *known = xs_hash_find(&b->content_index, low, high);
    if (known)
        return (int32_t)*known - 1;
    if (b->content_count >= XS_HTML_CONTENTS)
        return XS_HTML_CONTENT_UNKNOWN;
    xs_grow(&b->contents, b->content_count, &b->content_capacity, sizeof *b->contents);
    b->contents[b->content_count++] = (struct xs_html_content){{event->content[0], event->content[1]}};
    *xs_hash_put(&b->content_index, low, high) = b->content_count;
    return (int32_t)b->content_count - 1;
}

static bool same_place(const struct xs_html_piece *a, const struct xs_html_piece *b) {
    return a->offset == b->offset && a->bytes == b->bytes;
}

/* Adds a piece that has ended: as a new item, or as a part of an item at the same offsets that ended shortly before. */
static void finish(struct play *p, struct xs_html_piece piece, int64_t end_ns) {
    struct xs_html_buffer *buffer = p->buffer;
    piece.end_ns = end_ns;
    if (piece.end_ns < piece.start_ns)
        piece.end_ns = piece.start_ns;
    for (size_t i = buffer->count; p->step_ns && i > 0 && i + 16 > buffer->count; i--) {
        struct xs_html_piece *before = &buffer->items[i - 1];
        if (!same_place(before, &piece) || (uint64_t)piece.end_ns - (uint64_t)before->start_ns > (uint64_t)p->step_ns)
            continue;
        if (before->content != piece.content || before->content < 0) {
            before->content = XS_HTML_CONTENT_SEVERAL;
            before->how = XS_HTML_BY_SEVERAL;
            before->row = 0;
        }
        if (before->site != piece.site)
            before->site = -1;
        before->end_ns = piece.end_ns;
        before->changed_ns = before->changed_ns ? before->changed_ns : piece.changed_ns;
        before->writes += piece.writes;
        before->reads += piece.reads;
        return;
    }
    xs_grow(&buffer->items, buffer->count, &buffer->capacity, sizeof *buffer->items);
    buffer->items[buffer->count++] = piece;
}

static void add_live(struct play *p, const struct xs_html_piece *piece, int64_t now) {
    if (p->count == LIVE) { /* the oldest piece is ended, to make room */
        finish(p, p->live[0], now);
        p->live[0] = p->live[--p->count];
    }
    p->live[p->count++] = *piece;
}

/* Ends the pieces that [offset, offset + bytes) overlaps; their parts outside of this range continue. */
static void overwrite(struct play *p, uint64_t offset, uint64_t bytes, int64_t now) {
    uint64_t end = offset + bytes;
    for (size_t i = p->count; i-- > 0;) {
        struct xs_html_piece old = p->live[i], rest = old;
        uint64_t old_end = old.offset + old.bytes;
        if (old_end <= offset || old.offset >= end)
            continue;
        finish(p, old, now);
        p->live[i] = p->live[--p->count];
        rest.start_ns = now;
        rest.writes = rest.reads = 0;
        rest.content = XS_HTML_CONTENT_UNKNOWN; /* a part of a content has no fingerprint */
        if (old.offset < offset) {
            rest.bytes = offset - old.offset;
            add_live(p, &rest, now);
        }
        if (old_end > end) {
            rest.offset = end;
            rest.bytes = old_end - end;
            add_live(p, &rest, now);
        }
    }
}

static void take_write(struct play *p, const struct xs_html_buffer_event *event, uint64_t offset, uint64_t bytes) {
    struct xs_html_piece piece = {.start_ns = event->at_ns,
                                  .offset = offset,
                                  .bytes = bytes,
                                  .writes = event->what != XS_HTML_BY_DOWNLOAD,
                                  .reads = event->what == XS_HTML_BY_DOWNLOAD,
                                  .row = event->row,
                                  .content = content_of(p->all, event),
                                  .site = event->what == XS_HTML_BY_DOWNLOAD ? -1 : event->site,
                                  .how = event->what};
    for (size_t i = 0; i < p->count; i++) {
        struct xs_html_piece *live = &p->live[i];
        if (same_place(live, &piece) && live->content == piece.content && piece.content >= 0 && !live->changed_ns) {
            live->writes++; /* the same content was written again */
            if (live->site != piece.site)
                live->site = -1;
            return;
        }
    }
    overwrite(p, offset, bytes, event->at_ns);
    add_live(p, &piece, event->at_ns);
}

static void take_read(struct play *p, const struct xs_html_buffer_event *event, uint64_t offset, uint64_t bytes) {
    int32_t content = content_of(p->all, event);
    bool met = false;
    for (size_t i = 0; i < p->count; i++) {
        struct xs_html_piece *live = &p->live[i];
        if (live->offset + live->bytes <= offset || live->offset >= offset + bytes)
            continue;
        bool exact = live->offset == offset && live->bytes == bytes;
        if (!exact || content < 0 || live->content == content) {
            live->reads++;
            met = true;
        }
    }
    if (met || content < 0)
        return;
    struct xs_html_buffer_event seen = *event;
    seen.what = XS_HTML_BY_DOWNLOAD;
    take_write(p, &seen, offset, bytes);
}

static void take(struct play *p, const struct xs_html_buffer_event *event) {
    const struct xs_html_buffer *buffer = p->buffer;
    if (event->what == XS_HTML_LAUNCH) {
        for (size_t i = 0; i < p->count; i++)
            if (!p->live[i].changed_ns)
                p->live[i].changed_ns = event->at_ns;
        return;
    }
    if (event->address < buffer->address || event->address - buffer->address >= buffer->bytes)
        return;
    uint64_t offset = event->address - buffer->address, room = buffer->bytes - offset;
    uint64_t bytes = event->bytes < room ? event->bytes : room;
    if (event->what == XS_HTML_READ)
        take_read(p, event, offset, bytes);
    else
        take_write(p, event, offset, bytes);
}

static void play_one(struct xs_html_buffers *b, size_t index, size_t first, size_t end, int64_t end_ns) {
    struct play p = {.all = b, .buffer = &b->buffers[index]};
    int64_t last = p.buffer->end_ns == INT64_MAX ? end_ns : p.buffer->end_ns;
    int64_t span = last > p.buffer->begin_ns ? last - p.buffer->begin_ns : 0;
    p.step_ns = end - first > XS_HTML_PIECES ? span / XS_HTML_PIECES : 0;
    for (size_t i = first; i < end; i++)
        take(&p, &b->events[i]);
    for (size_t i = 0; i < p.count; i++)
        finish(&p, p.live[i], last);
    if (p.buffer->count > XS_HTML_PIECES * 4) { /* there are pieces at many offsets at the same time */
        p.buffer->count = XS_HTML_PIECES * 4;
        p.buffer->events_left_out = true;
    }
}

void xs_html_buffers_play(struct xs_html_buffers *b, int64_t end_ns) {
    size_t first = 0;
    xs_sort(b->events, b->event_count, sizeof *b->events, by_time);
    while (first < b->event_count) {
        size_t end = first;
        while (end < b->event_count && b->events[end].buffer == b->events[first].buffer)
            end++;
        play_one(b, b->events[first].buffer, first, end, end_ns);
        first = end;
    }
}

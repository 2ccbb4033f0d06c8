/* Keeps sums in memory, and parts of the run in the trace; see store_ledger.h. */
#include "schema/write/store_ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/write/ledger.h"
#include "schema/write/store_thin.h"
#include "schema/write/thin_tables.h"

struct part {
    int64_t from_ns, to_ns;              /* to_ns INT64_MAX: it has not ended */
    int64_t before[XS_THINNED_TABLES];   /* ids of each table's last row before the part */
    uint32_t least_correlation, largest; /* of its calls; 0: none */
    uint32_t calls;
};

struct entry {
    struct xs_ledger_key key; /* source NULL: free */
    struct xs_ledger_sum sum; /* since the last roll-up */
};

struct xs_ledger {
    struct part *parts;
    size_t count;
    uint64_t seen; /* parts of the program so far */
    struct entry *entries;
    uint32_t slots, used;
    bool is_written; /* meta has the list of the parts as it is */
    int64_t rolled_up_ns;
    int64_t rows; /* all calls and records that were added to sums */
    struct xs_thin_statements statements;
};

enum { FIRST_SLOTS = 256 };

void xs_ledger_free(struct xs_store *store) {
    if (!store->ledger)
        return;
    xs_thin_statements_free(&store->ledger->statements);
    free(store->ledger->parts);
    free(store->ledger->entries);
    free(store->ledger);
    store->ledger = NULL;
    xs_choice_free(store->choice);
    store->choice = NULL;
}

/* --- sums --- */

static uint64_t hash_of(const struct xs_ledger_key *key) {
    const uint64_t values[] = {(uint64_t)(uintptr_t)key->source,
                               (uint64_t)key->shape,
                               (uint64_t)key->entry_point,
                               (uint64_t)key->kind,
                               (uint64_t)key->stack,
                               (uint64_t)key->device};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        hash = (hash ^ values[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_same(const struct xs_ledger_key *a, const struct xs_ledger_key *b) {
    return a->source == b->source && a->shape == b->shape && a->entry_point == b->entry_point && a->kind == b->kind &&
           a->stack == b->stack && a->device == b->device;
}

static struct entry *slot_of(struct entry *entries, uint32_t slots, const struct xs_ledger_key *key) {
    uint32_t i = (uint32_t)hash_of(key) & (slots - 1);
    while (entries[i].key.source && !is_same(&entries[i].key, key))
        i = (i + 1) & (slots - 1);
    return &entries[i];
}

static bool grow(struct xs_ledger *ledger) {
    uint32_t slots = ledger->slots ? ledger->slots * 2 : FIRST_SLOTS;
    struct entry *entries = calloc(slots, sizeof *entries);
    if (!entries)
        return false;
    for (uint32_t i = 0; i < ledger->slots; i++)
        if (ledger->entries[i].key.source)
            *slot_of(entries, slots, &ledger->entries[i].key) = ledger->entries[i];
    free(ledger->entries);
    ledger->entries = entries;
    ledger->slots = slots;
    return true;
}

bool xs_ledger_is_full(const struct xs_store *store) { return store->ledger->used >= XS_LEDGER_SUMS; }

int xs_ledger_add(struct xs_store *store, const struct xs_ledger_key *key, const struct xs_ledger_sum *sum) {
    struct xs_ledger *ledger = store->ledger;
    if (ledger->used >= ledger->slots / 2 && !grow(ledger))
        return XS_ERROR_MEMORY;
    struct entry *entry = slot_of(ledger->entries, ledger->slots, key);
    ledger->used += !entry->key.source;
    entry->key = *key;
    entry->sum.rows += sum->rows;
    entry->sum.bytes += sum->bytes;
    entry->sum.host_ns += sum->host_ns;
    entry->sum.timed += sum->timed;
    entry->sum.device_ns += sum->device_ns;
    ledger->rows += sum->rows;
    return XS_OK;
}

static int write_sum(struct xs_store *store, const struct entry *entry) {
    struct xs_row row = xs_row_start(
        store, "INSERT INTO thinned (source, shape, entry_point, kind, stack, device, rows, bytes, host_ns, timed,"
               " device_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
               " ON CONFLICT (source, shape, entry_point, kind, stack, device) DO UPDATE SET"
               " rows = rows + excluded.rows, bytes = bytes + excluded.bytes, host_ns = host_ns + excluded.host_ns,"
               " timed = timed + excluded.timed, device_ns = device_ns + excluded.device_ns");
    xs_put_text(&row, entry->key.source);
    xs_put(&row, entry->key.shape);
    xs_put(&row, entry->key.entry_point);
    xs_put(&row, entry->key.kind);
    xs_put(&row, entry->key.stack);
    xs_put(&row, entry->key.device);
    xs_put(&row, entry->sum.rows);
    xs_put(&row, entry->sum.bytes);
    xs_put(&row, entry->sum.host_ns);
    xs_put(&row, entry->sum.timed);
    xs_put(&row, entry->sum.device_ns);
    return xs_row_insert(&row);
}

static int write_sums(struct xs_store *store) {
    struct xs_ledger *ledger = store->ledger;
    int status = XS_OK;
    for (uint32_t i = 0; i < ledger->slots && !status; i++) {
        struct entry *entry = &ledger->entries[i];
        if (entry->sum.rows) {
            status = write_sum(store, entry);
            entry->sum = (struct xs_ledger_sum){0};
        }
    }
    return status;
}

/* --- parts --- */

static bool has(const struct part *part, int64_t ns) { return ns >= part->from_ns && ns < part->to_ns; }

bool xs_ledger_keeps(struct xs_store *store, int64_t ns, uint32_t correlation) {
    struct xs_ledger *ledger = store->ledger;
    size_t i = ledger ? ledger->count : 0;
    if (!ledger)
        return true;
    while (i > 0 && ns < ledger->parts[i - 1].from_ns)
        i--;
    struct part *part = i > 0 ? &ledger->parts[i - 1] : NULL;
    if (!part || !has(part, ns))
        return false;
    if (correlation) {
        if (!part->least_correlation || correlation < part->least_correlation)
            part->least_correlation = correlation;
        part->largest = correlation > part->largest ? correlation : part->largest;
    }
    if (++part->calls == XS_LEDGER_CALLS) {
        part->to_ns = ns + 1;
        ledger->is_written = false;
    }
    return true;
}

bool xs_store_ledger_part_is_full(const struct xs_store *store, uint64_t count) {
    const struct xs_ledger *ledger = store->ledger;
    return ledger->count && ledger->seen == count && ledger->parts[ledger->count - 1].calls >= XS_LEDGER_CALLS;
}

/* CUPTI hands records over about a second late at most, so only the latest parts matter. */
bool xs_ledger_keeps_record(const struct xs_store *store, uint32_t correlation) {
    const struct xs_ledger *ledger = store->ledger;
    if (!ledger)
        return true;
    for (size_t i = ledger->count; i > 0 && i + 2 > ledger->count; i--) {
        const struct part *part = &ledger->parts[i - 1];
        if (part->least_correlation && correlation >= part->least_correlation && correlation <= part->largest)
            return true;
    }
    return false;
}

int xs_store_ledger_part(struct xs_store *store, uint64_t count, int64_t from_ns, int64_t to_ns) {
    struct xs_ledger *ledger = store->ledger;
    struct part *latest = ledger->count ? &ledger->parts[ledger->count - 1] : NULL;
    if (count == ledger->seen) {
        bool ends = latest && latest->to_ns == INT64_MAX && to_ns != INT64_MAX;
        latest = ends ? latest : NULL;
        if (latest)
            latest->to_ns = to_ns;
        ledger->is_written = ledger->is_written && !ends;
        return XS_OK;
    }
    if (latest && latest->to_ns > from_ns) /* its end was not noticed, because the next part came too soon */
        latest->to_ns = from_ns;
    ledger->seen = count;
    ledger->is_written = false;
    if (ledger->count == XS_LEDGER_PARTS) /* xs_store_ledger_keep_size makes room before there are so many */
        return XS_OK;
    struct part *parts = realloc(ledger->parts, (ledger->count + 1) * sizeof *parts);
    if (!parts)
        return XS_ERROR_MEMORY;
    ledger->parts = parts;
    parts[ledger->count] = (struct part){.from_ns = from_ns, .to_ns = to_ns};
    for (unsigned i = 0; i < XS_THINNED_TABLES; i++)
        parts[ledger->count].before[i] = xs_thin_last(store, &ledger->statements, i);
    ledger->count++;
    return XS_OK;
}

/* --- dropping parts --- */

static int drop_slice(struct xs_store *store, unsigned table, int64_t from, int64_t to) {
    struct xs_thin_statements *statements = &store->ledger->statements;
    xs_choice_slice(store->choice, &(struct xs_choice_range){.of = xs_thinned_tables[table].of, .has_all_calls = true});
    int status = xs_thin_run(store, statements, table, XS_THIN_ADD_UP, from, to);
    for (unsigned i = XS_THIN_ALSO; !status && xs_choice_gone(store->choice) && i < XS_THIN_STEPS; i++)
        status = xs_thin_run(store, statements, table, i, from, to);
    store->thinned_rows += status ? 0 : xs_choice_gone(store->choice);
    return status;
}

/* Drops the rows of one part, which are those that were written before the next part began. */
static int drop_rows(struct xs_store *store, const struct part *part, const struct part *next) {
    int status = XS_OK;
    for (unsigned table = 0; table < XS_THINNED_TABLES; table++) {
        int64_t from = part->before[table], end = next->before[table];
        while (!status && from < end) {
            int64_t to = from + XS_CHOICE_ROWS < end ? from + XS_CHOICE_ROWS : end;
            status = drop_slice(store, table, from, to);
            from = to;
        }
    }
    return status;
}

/* Drops every other part, but neither the first nor the two latest ones: their records may still come. */
static int drop_parts(struct xs_store *store) {
    struct xs_ledger *ledger = store->ledger;
    size_t kept = 1;
    int status = XS_OK;
    for (size_t i = 1; i < ledger->count; i++) {
        bool goes = i % 2 == 1 && i + 2 < ledger->count;
        if (goes && !status)
            status = drop_rows(store, &ledger->parts[i], &ledger->parts[i + 1]);
        if (!goes || status)
            ledger->parts[kept++] = ledger->parts[i];
    }
    ledger->count = kept;
    ledger->is_written = false;
    return status;
}

int xs_store_ledger_keep_size(struct xs_store *store, uint64_t most_bytes) {
    struct xs_ledger *ledger = store->ledger;
    bool is_large = xs_thin_used_bytes(store) > most_bytes - most_bytes / 4 || ledger->count >= XS_LEDGER_PARTS - 1;
    if (!is_large || ledger->count < 4)
        return XS_OK;
    int status = xs_store_begin(store);
    status = status ? status : drop_parts(store);
    if (status) {
        xs_store_rollback(store);
        return status;
    }
    return xs_store_commit(store);
}

/* --- rolling up --- */

static int write_parts(struct xs_store *store) {
    struct xs_ledger *ledger = store->ledger;
    char *text = malloc(XS_LEDGER_TEXT_BYTES);
    size_t length = 0;
    int64_t recorded_ns = 0;
    bool opens = false;
    if (!text)
        return XS_ERROR_MEMORY;
    memcpy(text, "0+0", sizeof "0+0");
    for (size_t i = 0; i < ledger->count; i++) {
        const struct part *part = &ledger->parts[i];
        bool is_open = part->to_ns == INT64_MAX;
        int64_t from = part->from_ns > 0 ? part->from_ns / 1000 : 0,
                to = (is_open ? ledger->rolled_up_ns : part->to_ns) / 1000 + 1;
        if (to <= from)
            continue;
        opens |= is_open;
        int n = snprintf(text + length, XS_LEDGER_TEXT_BYTES - length, "%s%lld+%lld", length ? "," : "",
                         (long long)from, (long long)(to - from));
        length += n > 0 && (size_t)n < XS_LEDGER_TEXT_BYTES - length ? (size_t)n : 0;
        recorded_ns += (to - from) * 1000;
    }
    text[length ? length : strlen(text)] = '\0';
    int status = xs_store_meta_text(store, "range.windows", text);
    status = status ? status : xs_store_meta_int(store, "range.count", (int64_t)ledger->count);
    status = status ? status : xs_store_meta_int(store, "range.recorded_ns", recorded_ns);
    free(text);
    ledger->is_written = !opens;
    return status;
}

int xs_store_ledger_add_up(struct xs_store *store) {
    if (!store->ledger)
        return XS_OK;
    int status = write_sums(store);
    return status ? status : xs_store_meta_int(store, XS_META_THINNED_ROWS, store->ledger->rows + store->thinned_rows);
}

int xs_store_ledger_roll_up(struct xs_store *store, int64_t now_ns) {
    struct xs_ledger *ledger = store->ledger;
    int status = xs_store_begin(store);
    if (status)
        return status;
    ledger->rolled_up_ns = now_ns;
    status = xs_store_ledger_add_up(store);
    if (!status && !ledger->is_written)
        status = write_parts(store);
    status = status ? status : xs_store_meta_int(store, XS_META_LEDGER_ROLLED_UP_NS, now_ns);
    store->is_held = false;
    if (!status)
        status = xs_store_commit(store);
    else
        xs_store_rollback(store);
    store->is_held = true;
    if (!status) /* otherwise the log would take more room on the disk than the trace; a reader can prevent it */
        (void)sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return status;
}

int xs_ledger_close(struct xs_store *store) {
    int64_t last = store->ledger ? store->ledger->rolled_up_ns : 0;
    int status = store->ledger ? xs_store_ledger_roll_up(store, last) : XS_OK;
    xs_ledger_free(store);
    return status;
}

static int64_t number_of(struct xs_store *store, const char *key) {
    char text[24];
    return xs_store_meta_read(store, key, text, sizeof text) ? strtoll(text, NULL, 10) : -1;
}

/* Reads the list of the parts. Parts that are damaged, or out of order, are left out: their calls become sums. */
static int read_parts(struct xs_store *store) {
    struct xs_ledger *ledger = store->ledger;
    char *text = calloc(1, XS_LEDGER_TEXT_BYTES), *at = text;
    bool is_there = text && xs_store_meta_read(store, "range.windows", text, XS_LEDGER_TEXT_BYTES);
    ledger->parts = calloc(XS_LEDGER_PARTS, sizeof *ledger->parts);
    while (is_there && ledger->parts && *at && ledger->count < XS_LEDGER_PARTS) {
        int64_t from_ns = strtoll(at, &at, 10) * 1000, length_us = *at == '+' ? strtoll(at + 1, &at, 10) : 0;
        int64_t last_ns = ledger->count ? ledger->parts[ledger->count - 1].to_ns : 0;
        if (from_ns >= last_ns && length_us > 0 && length_us < INT64_MAX / 1000 - from_ns / 1000)
            ledger->parts[ledger->count++] = (struct part){.from_ns = from_ns, .to_ns = from_ns + length_us * 1000};
        at += strcspn(at, ",");
        at += *at == ',';
    }
    free(text);
    return text && ledger->parts ? XS_OK : XS_ERROR_MEMORY;
}

int xs_store_ledger_resume(struct xs_store *store) {
    int64_t rolled_up_ns = number_of(store, XS_META_LEDGER_ROLLED_UP_NS), rows = number_of(store, XS_META_THINNED_ROWS);
    if (rolled_up_ns < 0)
        return XS_OK;
    store->ledger = calloc(1, sizeof *store->ledger);
    if (!store->ledger)
        return XS_ERROR_MEMORY;
    store->ledger->rolled_up_ns = rolled_up_ns;
    store->ledger->rows = rows > 0 ? rows : 0;
    store->ledger->is_written = true;
    return read_parts(store);
}

int xs_store_ledger_start(struct xs_store *store) {
    store->ledger = calloc(1, sizeof *store->ledger);
    store->choice = xs_choice_new(store->db);
    if (!store->ledger || !store->choice)
        return XS_ERROR_MEMORY;
    xs_choice_take_all(store->choice);
    store->is_held = true;
    return xs_store_ledger_roll_up(store, 0);
}

/* Walking a table's b-tree in the file; see pages.h. Every offset is checked against the page it lies in. */
#include "analyzer/trace/pages.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"

enum { DEPTH = 20, INTERIOR = 5, LEAF = 13, NO_SLOT = XS_PAGES_COLUMNS }; /* NO_SLOT's value is nobody's */

struct level {
    unsigned char *page;
    unsigned header, cells, next; /* header: offset of the b-tree header; next: cell, or child */
    uint32_t rightmost;           /* of an interior page */
    bool leaf;
};

/* What the header of a record says about its columns. Records of a table have few different headers, and each is looked
 * into once: then there is nothing to decode but the numbers that are wanted, none waiting for another. */
enum { PLANS = 64, PLAN_HEADER = 56, NUMBERS = XS_PAGES_COLUMNS + 1 };
struct plan {
    uint8_t header[PLAN_HEADER];
    unsigned header_bytes; /* 0: no plan */
    unsigned body_bytes;   /* up to the last column that is wanted */
    unsigned number_count, constant_count;
    struct {
        uint16_t offset;
        uint8_t slot, shift; /* of the big-endian word at the offset */
    } numbers[NUMBERS];
    struct {
        uint8_t slot, value;
    } constants[NUMBERS];
    uint8_t types[NUMBERS];
};

struct xs_pages {
    sqlite3_file *file; /* SQLite's own: another descriptor's close would drop its locks */
    uint32_t page_bytes, usable_bytes, page_count;
    uint64_t visited; /* more pages than the file has: a loop */
    unsigned depth;
    struct level levels[DEPTH];
    unsigned columns;                    /* of the table, up to the last one that is wanted */
    uint8_t slots[XS_PAGES_COLUMNS * 2]; /* by the table's column; NO_SLOT: not wanted */
    uint8_t id_slot;
    struct plan *plans;        /* PLANS of them, by the hash of their header */
    const struct plan *latest; /* whose types and constants are in `values`; NULL: none */
    struct xs_values values;
};

static unsigned big2(const unsigned char *p) { return (unsigned)p[0] << 8 | p[1]; }
static uint32_t big4(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* --- opening --- */

static bool read_at(const struct xs_pages *pages, void *buffer, uint32_t bytes, int64_t offset) {
    return pages->file->pMethods->xRead(pages->file, buffer, (int)bytes, offset) == SQLITE_OK;
}

static bool has_companion(const char *path) {
    static const char *const companions[] = {"-wal", "-journal"};
    char beside[4200];
    struct stat st;
    for (int i = 0; i < 2; i++) {
        int length = snprintf(beside, sizeof beside, "%s%s", path, companions[i]);
        if (length < 0 || (size_t)length >= sizeof beside || (stat(beside, &st) == 0 && st.st_size > 0))
            return true;
    }
    return false;
}

/* Finished, in rollback mode, and nobody's journal beside it. */
static bool read_header(struct xs_pages *pages, sqlite3 *db) {
    unsigned char header[100];
    sqlite3_int64 bytes = 0;
    const char *path = sqlite3_db_filename(db, "main");
    if (!path || !*path || has_companion(path) ||
        sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &pages->file) != SQLITE_OK || !pages->file ||
        !pages->file->pMethods || pages->file->pMethods->xFileSize(pages->file, &bytes) != SQLITE_OK ||
        !read_at(pages, header, sizeof header, 0))
        return false;
    pages->page_bytes = big2(header + 16) == 1 ? 65536 : big2(header + 16);
    pages->usable_bytes = pages->page_bytes - header[20];
    if (memcmp(header, "SQLite format 3", 16) != 0 || header[18] != 1 || pages->page_bytes < 512 ||
        (pages->page_bytes & (pages->page_bytes - 1)) || pages->usable_bytes < 480)
        return false;
    int64_t count = bytes / (int64_t)pages->page_bytes;
    pages->page_count = count > UINT32_MAX - 1 ? UINT32_MAX - 1 : (uint32_t)count;
    return true;
}

/* The place in a list "a, b, c" of names; NO_SLOT: not in it. */
static uint8_t slot_of(const char *columns, const char *name) {
    size_t length = strlen(name);
    unsigned slot = 0;
    for (const char *p = columns; slot < XS_PAGES_COLUMNS; slot++) {
        size_t span = strcspn(p, ", ");
        if (span == length && memcmp(p, name, length) == 0)
            return (uint8_t)slot;
        p += span;
        if (!*p)
            break;
        p += strspn(p, ", ");
    }
    return NO_SLOT;
}

static bool read_columns(struct xs_pages *pages, sqlite3 *db, const char *table, const char *columns) {
    sqlite3_stmt *statement;
    char sql[128];
    int code;
    pages->id_slot = NO_SLOT;
    snprintf(sql, sizeof sql, "PRAGMA main.table_info(%s)", table);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return false;
    unsigned column = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && column < sizeof pages->slots) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        const char *type = (const char *)sqlite3_column_text(statement, 2);
        uint8_t slot = name ? slot_of(columns, name) : NO_SLOT;
        bool is_id = sqlite3_column_int(statement, 5) && type && sqlite3_stricmp(type, "INTEGER") == 0;
        if (is_id)
            pages->id_slot = slot;
        pages->slots[column] = is_id ? NO_SLOT : slot;
        column++;
        if (!is_id && slot != NO_SLOT)
            pages->columns = column;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_DONE && column > 0;
}

static uint32_t root_of(sqlite3 *db, const char *table) {
    sqlite3_stmt *statement;
    int64_t root = 0;
    if (sqlite3_prepare_v2(db,
                           "SELECT rootpage FROM main.sqlite_master WHERE type = 'table' AND name = ?"
                           " AND sql NOT LIKE '%WITHOUT ROWID%'",
                           -1, &statement, NULL) != SQLITE_OK)
        return 0;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW)
        root = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return root > 0 && root <= UINT32_MAX ? (uint32_t)root : 0;
}

static bool push(struct xs_pages *pages, uint32_t number) {
    if (number < 1 || number > pages->page_count || pages->depth == DEPTH || ++pages->visited > pages->page_count)
        return false;
    struct level *level = &pages->levels[pages->depth];
    if (!level->page)
        level->page = xs_realloc(NULL, pages->page_bytes + 16u); /* room for reads of eight bytes at its end */
    if (!read_at(pages, level->page, pages->page_bytes, (int64_t)(number - 1) * pages->page_bytes))
        return false;
    level->header = number == 1 ? 100 : 0;
    const unsigned char *head = level->page + level->header;
    level->leaf = head[0] == LEAF;
    level->cells = big2(head + 3);
    level->next = 0;
    if (!level->leaf && head[0] != INTERIOR)
        return false;
    level->rightmost = level->leaf ? 0 : big4(head + 8);
    if (level->header + (level->leaf ? 8 : 12) + 2 * level->cells > pages->usable_bytes)
        return false;
    pages->depth++;
    return true;
}

struct xs_pages *xs_pages_begin(const struct xs_trace *trace, const char *table, const char *columns) {
    uint32_t root = trace->is_live ? 0 : root_of(trace->db, table);
    if (!root)
        return NULL;
    struct xs_pages *pages = xs_realloc(NULL, sizeof *pages);
    memset(pages, 0, sizeof *pages);
    pages->plans = calloc(PLANS + 1, sizeof *pages->plans); /* the last one is for headers that are too long */
    if (!pages->plans)
        xs_out_of_memory();
    if (read_header(pages, trace->db) && read_columns(pages, trace->db, table, columns) && push(pages, root))
        return pages;
    xs_pages_end(pages);
    return NULL;
}

void xs_pages_end(struct xs_pages *pages) {
    if (!pages)
        return;
    for (unsigned i = 0; i < DEPTH; i++)
        free(pages->levels[i].page);
    free(pages->plans);
    free(pages);
}

/* --- rows --- */

/* A varint that begins before `end`; NULL where it runs over. */
static const unsigned char *varint(const unsigned char *p, const unsigned char *end, uint64_t *value) {
    uint64_t result = 0;
    for (int i = 0; i < 9 && p < end; i++) {
        unsigned char byte = *p++;
        if (i == 8) {
            *value = result << 8 | byte;
            return p;
        }
        result = result << 7 | (byte & 0x7f);
        if (!(byte & 0x80)) {
            *value = result;
            return p;
        }
    }
    return NULL;
}

/* Bytes of the serial types below 10; 7 is a floating point number, 8 and 9 are the constants 0 and 1. */
static const uint8_t serial_bytes[10] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

/* Text and blobs, and what is damage. Returns the body's next byte, NULL: unexpected. */
static const unsigned char *skip_long(const unsigned char **header, const unsigned char *header_end,
                                      const unsigned char *body, const unsigned char *end) {
    uint64_t type;
    *header = varint(*header, header_end, &type);
    if (!*header || type < 12 || (type - 12) / 2 > (uint64_t)(end - body))
        return NULL;
    return body + (type - 12) / 2;
}

static void plan_column(struct plan *plan, uint8_t slot, uint8_t type, unsigned offset) {
    bool is_number = type > 0 && type < 7;
    if (slot == NO_SLOT)
        return;
    plan->types[slot] = type == 0 ? XS_VALUE_NULL : type == 7 || type >= 10 ? XS_VALUE_OTHER : XS_VALUE_INTEGER;
    if (is_number) {
        plan->numbers[plan->number_count].offset = (uint16_t)offset;
        plan->numbers[plan->number_count].slot = slot;
        plan->numbers[plan->number_count++].shift = (uint8_t)(64 - 8 * serial_bytes[type]);
    } else {
        plan->constants[plan->constant_count].slot = slot;
        plan->constants[plan->constant_count++].value = type == 9;
    }
}

/* Looks into a header at [start, header_end), `p` being its first type; the record ends at `end`, in the same page. */
static bool make_plan(const struct xs_pages *pages, struct plan *plan, const unsigned char *start,
                      const unsigned char *p, const unsigned char *header_end, const unsigned char *end) {
    const unsigned char *body = header_end;
    *plan = (struct plan){0};
    if (pages->id_slot != NO_SLOT)
        plan->types[pages->id_slot] = XS_VALUE_INTEGER;
    for (unsigned column = 0; column < pages->columns; column++) {
        uint8_t type = p < header_end ? *p : 0; /* a row of before a column was added ends */
        plan_column(plan, pages->slots[column], type, (unsigned)(body - header_end));
        if (type >= 10) {
            body = skip_long(&p, header_end, body, end);
            if (!body)
                return false;
            continue;
        }
        p += p < header_end;
        body += serial_bytes[type];
        if (body > end)
            return false;
    }
    plan->body_bytes = (unsigned)(body - header_end);
    plan->header_bytes = (unsigned)(header_end - start);
    if (plan->header_bytes <= PLAN_HEADER)
        memcpy(plan->header, start, plan->header_bytes);
    return true;
}

/* Headers that are kept only: an empty one, which is damage, would be every unused plan's. */
static bool is_plan_of(const struct plan *plan, const unsigned char *header, unsigned bytes) {
    return bytes && bytes <= PLAN_HEADER && plan->header_bytes == bytes && memcmp(plan->header, header, bytes) == 0;
}

/* The place that a header's plan belongs in. */
static struct plan *plan_place(const struct xs_pages *pages, const unsigned char *header, unsigned bytes) {
    uint64_t hash = bytes;
    if (bytes > PLAN_HEADER)
        return &pages->plans[PLANS];
    for (unsigned i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, header + i, sizeof word); /* a page has room behind it */
        if (bytes - i < 8)
            word &= (1ull << 8 * (bytes - i)) - 1;
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    }
    return &pages->plans[(hash ^ hash >> 32) >> 13 & (PLANS - 1)];
}

/* Decodes the record in [start, end), which lies in one page. */
static bool decode(struct xs_pages *pages, const unsigned char *start, const unsigned char *end) {
    struct xs_values *values = &pages->values;
    uint64_t header_bytes;
    const unsigned char *p = varint(start, end, &header_bytes);
    if (!p || header_bytes > (uint64_t)(end - start))
        return false;
    const unsigned char *body = start + header_bytes;
    const struct plan *plan = pages->latest;
    if (!plan || !is_plan_of(plan, start, (unsigned)header_bytes)) {
        struct plan *place = plan_place(pages, start, (unsigned)header_bytes);
        pages->latest = NULL;
        if (!is_plan_of(place, start, (unsigned)header_bytes) && !make_plan(pages, place, start, p, body, end)) {
            place->header_bytes = 0;
            return false;
        }
        plan = pages->latest = place;
        memcpy(values->type, plan->types, sizeof plan->types);
        for (unsigned i = 0; i < plan->constant_count; i++)
            values->number[plan->constants[i].slot] = plan->constants[i].value;
    }
    if (plan->body_bytes > (uint64_t)(end - body))
        return false;
    for (unsigned i = 0; i < plan->number_count; i++) {
        uint64_t word;
        memcpy(&word, body + plan->numbers[i].offset, sizeof word); /* a page has room behind it */
        values->number[plan->numbers[i].slot] = (int64_t)__builtin_bswap64(word) >> plan->numbers[i].shift;
    }
    return true;
}

/* The next cell of a leaf into the values. */
static bool read_cell(struct xs_pages *pages, struct level *level) {
    unsigned offset = big2(level->page + level->header + 8 + 2 * level->next++);
    const unsigned char *end = level->page + pages->usable_bytes, *p = level->page + offset;
    uint64_t payload, id;
    if (p >= end || !(p = varint(p, end, &payload)) || !(p = varint(p, end, &id)) ||
        payload > pages->usable_bytes - 35 || payload > (uint64_t)(end - p)) /* longer ones go on in other pages */
        return false;
    if (pages->id_slot != NO_SLOT)
        pages->values.number[pages->id_slot] = (int64_t)id;
    return decode(pages, p, p + payload);
}

int xs_pages_row(struct xs_pages *pages) {
    while (pages->depth) {
        struct level *level = &pages->levels[pages->depth - 1];
        if (level->leaf) {
            if (level->next < level->cells)
                return read_cell(pages, level) ? 1 : -1;
            pages->depth--;
        } else if (level->next <= level->cells) {
            uint32_t child = level->rightmost;
            if (level->next < level->cells) {
                unsigned offset = big2(level->page + level->header + 12 + 2 * level->next);
                if (offset + 4 > pages->usable_bytes)
                    return -1;
                child = big4(level->page + offset);
            }
            level->next++;
            if (!push(pages, child))
                return -1;
        } else {
            pages->depth--;
        }
    }
    return 0;
}

const struct xs_values *xs_pages_values(const struct xs_pages *pages) { return &pages->values; }

/* Writes JSON lines: one object per row, integers as integers, `findings` as an array. */
#include <string.h>

#include "analyzer/base/json.h"
#include "analyzer/commands/export/export_rows.h"

struct writer {
    struct xs_json json;
    struct xs_string text;
    struct xs_text_room room;
};

static void names(struct xs_json *json, const struct xs_cell *cell) {
    xs_json_array(json, cell->name);
    for (const char *name = cell->text; *name;) {
        size_t length = strcspn(name, " ");
        xs_json_text_bytes(json, NULL, name, length);
        name += length + (name[length] == ' ');
    }
    xs_json_end(json, ']');
}

static void row(void *data, const struct xs_cell *cells, unsigned count) {
    struct writer *w = data;
    xs_json_object(&w->json, NULL);
    for (unsigned i = 0; i < count; i++) {
        const struct xs_cell *cell = &cells[i];
        switch (cell->kind) {
        case XS_CELL_INT:
            xs_json_int(&w->json, cell->name, cell->number);
            break;
        case XS_CELL_REAL:
            xs_json_number(&w->json, cell->name, cell->real);
            break;
        case XS_CELL_TEXT:
            w->text.length = 0;
            xs_text_room_add(&w->room, &w->text, cell->text, cell->bytes);
            xs_json_text_bytes(&w->json, cell->name, w->text.data, w->text.length);
            break;
        case XS_CELL_NAMES:
            names(&w->json, cell);
            break;
        default:
            xs_json_null(&w->json, cell->name);
        }
    }
    xs_json_end(&w->json, '}');
}

int xs_export_jsonl(const struct xs_export *e) {
    struct writer w = {.json = {.file = e->out->file, .compact = true}, .room = xs_text_room_of(e)};
    const struct xs_row_sink sink = {.data = &w, .row = row};
    int status = xs_export_rows(e, &sink);
    xs_string_free(&w.text);
    return status;
}

/* Writes CSV by RFC 4180: a header line, CRLF, quotes where a field needs them; NULL is an empty field. Text is escaped
 * as everywhere else (\n, \x1b), so a row is one line. */
#include <inttypes.h>
#include <math.h>

#include "analyzer/base/csv.h"
#include "analyzer/commands/export/export_rows.h"

struct writer {
    FILE *file;
    bool formulas;
    struct xs_string clean, escaped;
    struct xs_text_room room;
};

static void field(struct writer *w, const struct xs_cell *cell) {
    w->clean.length = w->escaped.length = 0;
    if (cell->kind == XS_CELL_NAMES)
        xs_export_utf8(&w->clean, cell->text, cell->bytes);
    else
        xs_text_room_add(&w->room, &w->clean, cell->text, cell->bytes);
    xs_string_add(&w->escaped, "", 0);
    xs_string_escape(&w->escaped, w->clean.data, w->clean.length);
    xs_csv_field(w->file, w->escaped.data, w->formulas);
}

static void columns(void *data, const struct xs_cell *cells, unsigned count) {
    struct writer *w = data;
    for (unsigned i = 0; i < count; i++)
        fprintf(w->file, "%s%s", i ? "," : "", cells[i].name);
    fputs("\r\n", w->file);
}

static void row(void *data, const struct xs_cell *cells, unsigned count) {
    struct writer *w = data;
    for (unsigned i = 0; i < count; i++) {
        if (i)
            putc(',', w->file);
        if (cells[i].kind == XS_CELL_INT)
            fprintf(w->file, "%" PRId64, cells[i].number);
        else if (cells[i].kind == XS_CELL_REAL && isfinite(cells[i].real)) /* as in JSON, a NaN or infinite value is
                                                                            * left empty */
            fprintf(w->file, "%.17g", cells[i].real);
        else if (cells[i].kind != XS_CELL_NULL && cells[i].kind != XS_CELL_REAL)
            field(w, &cells[i]);
    }
    fputs("\r\n", w->file);
}

int xs_export_csv(const struct xs_export *e) {
    struct writer w = {.file = e->out->file, .formulas = e->formulas, .room = xs_text_room_of(e)};
    const struct xs_row_sink sink = {.data = &w, .columns = columns, .row = row};
    int status = xs_export_rows(e, &sink);
    xs_string_free(&w.clean);
    xs_string_free(&w.escaped);
    return status;
}

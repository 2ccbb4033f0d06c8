/* Asks a trace that is being written for what a message about a broken rule needs (XFERSPY_GUARD). */
#include <stdio.h>
#include <string.h>

#include "schema/path.h"
#include "schema/source/library.h"
#include "schema/write/store_internal.h"

enum { FRAMES_MOST = 6 };

struct place {
    char *text;
    size_t bytes, length;
    unsigned frames;
};

static void add(struct place *place, const char *file, const char *function, int64_t number, bool is_python) {
    char frame[512];
    if (place->frames == FRAMES_MOST)
        return;
    if (is_python)
        snprintf(frame, sizeof frame, "%.300s:%lld in %.160s", file, (long long)number, function);
    else
        snprintf(frame, sizeof frame, "%.300s+0x%llx", xs_base_name(file), (unsigned long long)number);
    size_t left = place->bytes - place->length;
    int length = snprintf(place->text + place->length, left, "%s%s", place->frames ? " < " : "", frame);
    if (length < 0 || (size_t)length >= left) { /* no half frames */
        place->text[place->length] = '\0';
        place->frames = FRAMES_MOST;
        return;
    }
    place->length += (size_t)length;
    place->frames++;
}

static bool is_of_library(const char *file, bool is_python) {
    bool glue;
    return is_python ? xs_library_python(file) : xs_library_binary(file, &glue);
}

/* Adds the frames of one language, innermost first: those of the program or, if `has_libraries`, all. */
static void add_frames(struct xs_store *store, uint32_t stack, bool is_python, bool has_libraries,
                       struct place *place) {
    enum { FILE_NAME, FUNCTION, NUMBER };
    static const char python[] = "SELECT c.file, c.function, f.line FROM stack_frame f JOIN python_code c ON c.id ="
                                 " f.code WHERE f.id >= ?1 * 4096 + 2048 AND f.id < ?1 * 4096 + 4096 ORDER BY f.id",
                      native[] =
                          "SELECT m.path, NULL, f.address - m.load_bias - 1 FROM stack_frame f JOIN module m ON m.id"
                          " = f.module WHERE f.id >= ?1 * 4096 AND f.id < ?1 * 4096 + 2048 ORDER BY f.id";
    sqlite3_stmt *rows = NULL;
    if (sqlite3_prepare_v2(store->db, is_python ? python : native, -1, &rows, NULL) == SQLITE_OK)
        sqlite3_bind_int64(rows, 1, stack);
    while (rows && sqlite3_step(rows) == SQLITE_ROW) {
        const char *file = (const char *)sqlite3_column_text(rows, FILE_NAME);
        const char *function = (const char *)sqlite3_column_text(rows, FUNCTION);
        if (file && (has_libraries || !is_of_library(file, is_python)))
            add(place, file, function ? function : "", sqlite3_column_int64(rows, NUMBER), is_python);
    }
    sqlite3_finalize(rows);
}

void xs_store_place(struct xs_store *store, uint32_t stack, char *text, size_t bytes) {
    struct place place = {.text = text, .bytes = bytes};
    *text = '\0';
    for (unsigned i = 0; i < 4 && !place.frames;
         i++) /* Python before native code, the program's own before libraries' */
        add_frames(store, stack, i % 2 == 0, i >= 2, &place);
}

/* Results arrive in another order than the copies were made, so those before the latest are looked at again. The row of
 * a copy may come later than its result, so a look is repeated some times although nothing is new. */
bool xs_store_same_upload(struct xs_store *store, struct xs_store_upload *upload) {
    enum { AGAIN = 4096, ROWS = 65536, LOOKS = 10 };
    static const char latest[] = "SELECT max(id) FROM fingerprint",
                      sql[] = "SELECT s.entry_point, coalesce(r.bytes, s.bytes), s.stack FROM fingerprint f CROSS JOIN"
                              " transfer_row r CROSS JOIN transfer_shape s ON s.id = r.shape WHERE f.id > ?1 AND"
                              " f.before_low = f.content_low AND f.before_high = f.content_high AND r.fingerprint ="
                              " f.id AND r.id > (SELECT max(id) FROM transfer_row) - ?2 LIMIT 1";
    sqlite3_stmt *rows = NULL;
    int64_t newest = 0, from = upload->seen > AGAIN ? upload->seen - AGAIN : 0;
    if (sqlite3_prepare_v2(store->db, latest, -1, &rows, NULL) == SQLITE_OK && sqlite3_step(rows) == SQLITE_ROW)
        newest = sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    upload->looks = newest == upload->seen ? upload->looks + 1 : 0;
    upload->seen = newest;
    if (upload->looks > LOOKS || sqlite3_prepare_v2(store->db, sql, -1, &rows, NULL) != SQLITE_OK)
        return false;
    sqlite3_bind_int64(rows, 1, from);
    sqlite3_bind_int64(rows, 2, ROWS);
    bool is_found = sqlite3_step(rows) == SQLITE_ROW;
    if (is_found) {
        upload->entry_point = (unsigned)sqlite3_column_int(rows, 0);
        upload->bytes = sqlite3_column_int64(rows, 1);
        upload->stack = (uint32_t)sqlite3_column_int64(rows, 2);
    }
    sqlite3_finalize(rows);
    return is_found;
}

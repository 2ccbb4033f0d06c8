/* Writes sentences about what the run's time was spent on; see where_words.h. */
#include "analyzer/words/where_words.h"

#include "analyzer/base/units.h"

/* Adds "f faults of managed memory 3 % (recorded for 22 % of the run)". */
static void say_part(struct xs_string *text, const struct xs_where *where, unsigned part, bool with_letters) {
    xs_string_format(text, "%s", text->length ? ", " : "");
    if (with_letters)
        xs_string_format(text, "%c ", xs_where_letters[part]);
    xs_string_format(text, "%s %u %%", xs_where_labels[part], where->percent[part]);
    if (part == XS_WHERE_FAULT && where->faults_in_part)
        xs_string_format(text, " (recorded for %s of the run)",
                         XS_SHARE_TEXT(where->faults_recorded_ns, where->run_ns));
}

/* Writes the largest part first; of equal parts, the one with the lower number. */
void xs_where_say(struct xs_string *text, const struct xs_where *where, bool with_letters) {
    for (unsigned percent = 100; percent > 0 && where->known; percent--)
        for (unsigned i = 0; i < XS_WHERE_PARTS; i++)
            if (where->percent[i] == percent)
                say_part(text, where, i, with_letters);
}

/* Each part ends at its share of the columns, so the bar shows all parts. */
void xs_where_bar(struct xs_string *text, const struct xs_where *where, unsigned columns) {
    unsigned shown = 0, sum = 0;
    if (!where->known)
        return;
    xs_string_add(text, "[", 1);
    for (unsigned i = 0; i < XS_WHERE_PARTS; i++) {
        sum += where->percent[i];
        for (; shown < (sum * columns + 50) / 100; shown++)
            xs_string_add(text, &xs_where_letters[i], 1);
    }
    xs_string_add(text, "]", 1);
}

void xs_where_json(const struct xs_where *where, struct xs_json *json) {
    if (!where->known) {
        xs_json_null(json, "where");
        return;
    }
    xs_json_object(json, "where");
    xs_json_int(json, "tid", where->tid);
    xs_json_count(json, "run_ns", where->run_ns);
    xs_json_array(json, "parts");
    for (unsigned i = 0; i < XS_WHERE_PARTS; i++) {
        xs_json_object(json, NULL);
        xs_json_text(json, "part", xs_where_keys[i]);
        xs_json_text(json, "label", xs_where_labels[i]);
        xs_json_count(json, "ns", where->parts[i]);
        xs_json_count(json, "percent", where->percent[i]);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_count(json, "copy_beside_kernels_ns", where->copy_beside_kernels_ns);
    xs_json_end(json, '}');
}

/* Describes lines of the user's program for people: "solver.py:42 in step", and the text of that line if available. */
#ifndef XFERSPY_ANALYZER_WORDS_PLACE_H
#define XFERSPY_ANALYZER_WORDS_PLACE_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/site.h"

/* Shortens a file's name: a file below the run's folder `cwd` is written relative to this folder, and a relative path
 * that does not begin with "../" is written as it is. Of any other path, only the last two parts are written. */
void xs_place_file(struct xs_string *text, const char *file, const char *cwd);

/* Writes "solver.py:42", or the file alone if the line is not known. The frame must have a file. */
void xs_place_line(struct xs_string *text, const struct xs_frame *frame, const char *cwd);

/* Writes "solver.py:42 in step", "step in libsolver.so+0x1f40", "libsolver.so+0x1f40", and for a line that copies
 * through a helper function "solver.cu:42 in step, through buffer.h:27". If the frame is a frame of another thread,
 * writes "while main was at solver.py:42 in step", or the same with "another thread" instead of "main". The text is
 * escaped. Writes nothing if `frame` is NULL. */
void xs_place_text(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame);
/* Writes ", through buffer.h:27", escaped; nothing if the frame has no helper function, or is NULL. */
void xs_place_through(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame);
/* Writes the text of xs_place_text, preceded by "at " if the text does not begin with "while": "at solver.py:42 in
 * step", or "while main was at solver.py:42 in step". Writes nothing if `frame` is NULL. */
void xs_place_at(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame);
/* Returns the words that precede a frame in a text: "at " (also if `frame` is NULL), "while main was at " or "while
 * another thread was at ". */
const char *xs_place_word(const struct xs_frame *frame);
/* Returns the word to write before a text of xs_place_text: "" if the text begins with "while", else "at ". */
const char *xs_place_at_before(const char *text);

/* Writes "at solver.py:42 in step (cuMemcpyHtoD_v2)", or, if the site has no frame, "at cuMemcpyHtoD_v2". */
void xs_place_of_site(struct xs_string *text, const struct xs_findings *findings, uint32_t site);

/* Returns the text of the source line as it was when the program ran (analyzer/trace/source_text.h). The caller frees
 * it. NULL: the trace does not have it. */
char *xs_place_source(const struct xs_sites *sites, const struct xs_frame *frame);
/* Prints a source line, "42 | x = batch.to(device)", cut at the width of the output; nothing if `line` is NULL. */
void xs_place_source_line(const char *line, const struct xs_frame *frame, int indent, struct xs_out *out);

/* Writes the keys of a frame (function, file, line, module, python) into the open object, and `python_thread` if it is
 * another thread's frame. */
void xs_place_json(struct xs_json *json, const struct xs_frame *frame);
/* Writes the key "through": an object with the keys of the frame's helper function; nothing without a helper. */
void xs_place_through_json(struct xs_json *json, const struct xs_frame *frame);
/* Writes the key "call_site": the frame and its helper as an object; null without a frame. If `is_place` is true and
 * there is no source line, the object also has the address, because only the address distinguishes this call site from
 * others. */
void xs_place_json_object(struct xs_json *json, const struct xs_frame *frame, bool is_place);

#endif

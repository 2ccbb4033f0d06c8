/* Lines of the user's program, for people: "solver.py:42 in step", and the text of that line where it can be had. */
#ifndef XFERSPY_ANALYZER_FINDINGS_PLACE_H
#define XFERSPY_ANALYZER_FINDINGS_PLACE_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/engine/findings.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/site.h"

/* Shortens a file's name: a file below the run's folder is named from that folder on, any other file by the last two
 * parts of its path. */
void xs_place_file(struct xs_string *text, const char *file, const char *cwd);
const char *xs_place_base_name(const char *path); /* the last part */

/* "solver.py:42 in step", "step in libsolver.so+0x1f40", "libsolver.so+0x1f40"; escaped. Nothing of a frame NULL. */
void xs_place_text(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame);
/* "at solver.py:42 in step (cuMemcpyHtoD_v2)", or without a frame "at cuMemcpyHtoD_v2". */
void xs_place_of_site(struct xs_string *text, const struct xs_findings *findings, uint32_t site);

/* The line as it was when the program ran, without the blanks around it, to be freed. NULL: not known, or the file is
 * gone, cannot be read, or was changed since: it is newer than the run's start, or than the binary that was made from
 * it. */
char *xs_place_source(const struct xs_sites *sites, const struct xs_frame *frame);
/* The same as a line of output, "42 | x = batch.to(device)", cut at the width; nothing where there is none. */
void xs_place_source_line(const struct xs_sites *sites, const struct xs_frame *frame, int indent, struct xs_out *out);

/* What is the same of a place in another build or version of a program: function, the file's last part and the line's
 * text, with tabs between. */
void xs_place_key(struct xs_string *text, const struct xs_sites *sites, const struct xs_frame *frame);

/* The keys of a frame: function, file, line, module, python; into the object that is open. */
void xs_place_json(struct xs_json *json, const struct xs_frame *frame);
/* "call_site": the same as an object; of no frame null. `is_place`: with the address, where there is no line and it is
 * what tells the place from others. */
void xs_place_json_object(struct xs_json *json, const struct xs_frame *frame, bool is_place);

#endif

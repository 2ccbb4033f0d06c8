/* Describes a finding's framework context (analyzer/trace/framework/framework_context.h), for people and as JSON. */
#ifndef XFERSPY_ANALYZER_WORDS_CONTEXT_WORDS_H
#define XFERSPY_ANALYZER_WORDS_CONTEXT_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

/* Writes "in aten::to of torch.nn.Module.to, sizes [[64, 512], []], called by autograd's backward pass"; nothing if no
 * context is known. The text is escaped. */
void xs_say_context(struct xs_string *text, const struct xs_diagnosed *diagnosed);

/* Writes a clause that says who (CuPy, or a DataLoader) copied the uploads' data into page-locked memory before the
 * uploads, and how long the copying took; nothing if no such copying is known. */
void xs_say_host_copy(struct xs_string *text, const struct xs_diagnosed *diagnosed);

/* Writes the context and the host copy in one line. */
void xs_say_framework(struct xs_string *text, const struct xs_diagnosed *diagnosed);

/* Writes the key "framework": an object with what is known, or null. */
void xs_context_json(struct xs_json *json, const struct xs_diagnosed *diagnosed);

#endif

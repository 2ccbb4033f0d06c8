/* A finding's context in a framework (analyzer/trace/framework/context.h), for people and as JSON. */
#ifndef XFERSPY_ANALYZER_FINDINGS_CONTEXT_WORDS_H
#define XFERSPY_ANALYZER_FINDINGS_CONTEXT_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"

/* "in aten::to of torch.nn.Module.to, sizes [[64, 512], []], called by autograd's backward pass"; nothing where nothing
 * is known. Escaped. */
void xs_say_context(struct xs_string *text, const struct xs_finding *finding);

/* Who copied the data of uploads into page-locked memory before, and what time passes there, in a clause; nothing where
 * nobody is known. */
void xs_say_host_copy(struct xs_string *text, const struct xs_finding *finding);

/* Both in one line. */
void xs_say_framework(struct xs_string *text, const struct xs_finding *finding);

/* "framework": what is known, or null. */
void xs_context_json(struct xs_json *json, const struct xs_finding *finding);

#endif

/* Chooses what to do about a finding, in the terms of the line's author: for Python the calls of PyTorch, CuPy, JAX or
 * Numba, else CUDA's. The table is remedies_by_framework.def. */
#ifndef XFERSPY_ANALYZER_WORDS_REMEDIES_H
#define XFERSPY_ANALYZER_WORDS_REMEDIES_H

#include "analyzer/findings/engine/findings.h"
#include "schema/source/library.h"

/* VALUE: a download of a few bytes, as programs request by `.item()`. VALUES: such downloads that lie side by side,
 * read one after the other. */
/* Says what a GPU in confidential computing does on cudaHostRegister. */

enum xs_remedy_way { XS_REMEDY_ANY, XS_REMEDY_UP, XS_REMEDY_DOWN, XS_REMEDY_VALUE, XS_REMEDY_VALUES };

/* Stands for no framework: lines that call CUDA themselves. */
#define XS_FRAMEWORK_NATIVE XS_FRAMEWORKS

/* Returns a finding's remedy by its site: the framework's words, else Python's, else the detector's. Static text. */
const char *xs_remedy_of(const struct xs_findings *findings, const struct xs_finding *finding);

/* Returns the remedy for a line of Python that calls this framework (XS_FRAMEWORK_NONE: none known), or for a native
 * line. Static text. */
const char *xs_remedy_in(unsigned detector, unsigned verdict, enum xs_framework framework, enum xs_remedy_way way);

#endif

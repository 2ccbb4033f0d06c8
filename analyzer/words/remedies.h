/* What to do about a finding, in the words of who wrote the line that it is about: where that is Python, the calls of
 * PyTorch, CuPy, JAX or Numba, else CUDA's. The table is remedies.def. */
#ifndef XFERSPY_ANALYZER_FINDINGS_REMEDIES_H
#define XFERSPY_ANALYZER_FINDINGS_REMEDIES_H

#include "analyzer/findings/engine/findings.h"
#include "schema/source/library.h"

/* VALUE: down, of a few bytes, as a program asks for by `.item()`. VALUES: such ones that lie side by side, read one
 * after the other. */
/* What a GPU in confidential computing does when asked for cudaHostRegister. */
#define XS_REFUSES_TO_PIN "refuses to page-lock a program's memory"

enum xs_remedy_way { XS_REMEDY_ANY, XS_REMEDY_UP, XS_REMEDY_DOWN, XS_REMEDY_VALUE, XS_REMEDY_VALUES };

/* No framework: lines that call CUDA themselves. */
#define XS_FRAMEWORK_NATIVE XS_FRAMEWORKS

/* Of a finding, by its site: the framework's words, else Python's, else those of the detector. Static text. */
const char *xs_remedy_of(const struct xs_findings *findings, const struct xs_finding *finding);

/* For a line of Python that calls this framework (XS_FRAMEWORK_NONE: none that is known), or a native one. Static text.
 */
const char *xs_remedy_in(unsigned detector, unsigned verdict, enum xs_framework framework, enum xs_remedy_way way);

#endif

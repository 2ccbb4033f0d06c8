/* Chooses the text that says what to do about a finding, in the terms of the library that the line uses: the calls of
 * PyTorch, CuPy, JAX or Numba for Python, else CUDA's calls. The table is remedies_by_framework.def. */
#ifndef XFERSPY_ANALYZER_WORDS_REMEDIES_H
#define XFERSPY_ANALYZER_WORDS_REMEDIES_H

#include "analyzer/savings/causes/diagnosis.h"
#include "schema/source/library.h"

/* The kind of copies that a remedy is for. VALUE: a download of a few bytes, such as the download that `.item()` makes.
 * VALUES: several such downloads, one after the other, of values that are adjacent in memory. */

enum xs_remedy_way { XS_REMEDY_ANY, XS_REMEDY_UP, XS_REMEDY_DOWN, XS_REMEDY_VALUE, XS_REMEDY_VALUES };

/* This value is the framework of lines that call CUDA without a framework. */
#define XS_FRAMEWORK_NATIVE XS_FRAMEWORKS

/* Returns the remedy of a finding. A few cases have their own texts, for instance a framework's operation that reads a
 * value back. In other cases, the text is the one for the framework of the finding's site. If that site is in no
 * framework, the framework is that of the site where the finding's memory was released or where its kernels were
 * launched. If there is no text for the framework, the text is the one for Python, or else the detector's text. The
 * text is static. */
const char *xs_remedy_of(const struct xs_findings *findings, const struct xs_diagnosed *diagnosed);

/* Returns the remedy for a line of Python that calls this framework (XS_FRAMEWORK_NONE: none known), or for a native
 * line (XS_FRAMEWORK_NATIVE). The text is static. */
const char *xs_remedy_in(unsigned detector, unsigned verdict, enum xs_framework framework, enum xs_remedy_way way);

#endif

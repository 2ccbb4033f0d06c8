/* The groups of XS_TOGETHER begin at a line of the cache each. The linker keeps the order of the sources, so this file is
 * the first one. */
#include "preload/core/compiler.h"

#define XS_BEGIN(group) static char group XS_TOGETHER(group) __attribute__((aligned(64), used));
XS_BEGIN(read_mostly)
XS_BEGIN(contents)

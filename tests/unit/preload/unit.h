/* Included by every cmocka program of this folder. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_UNIT_H

#define _GNU_SOURCE /* strsep */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* needs the ones above it */

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif

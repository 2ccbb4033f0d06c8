/* Defines the texts for status values. */
#include "schema/error.h"

const char *xs_error_text(int status) {
    switch (status) {
    case XS_OK:
        return "success";
#define X(n, id, text)                                                                                                 \
    case n:                                                                                                            \
        return text;
        XS_ERRORS(X)
#undef X
    default:
        return "unknown error";
    }
}

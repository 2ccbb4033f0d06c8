/* Files beside the program; see installation.h. */
#include "analyzer/command/installation.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

char *xs_own_folder(void) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    return xs_strdup(dirname(path));
}

/* From the program's folder. */
static const char *const places[] = {
#ifdef XFERSPY_DOCDIR
    XFERSPY_DOCDIR, /* of the installation, where that is not the next one */
#endif
    "../share/doc/xferspy/docs", "../../../docs" /* of build/NAME/bin, in the sources */
};

char *xs_docs_page(const char *page) {
    char *own = xs_own_folder(), *found = NULL;
    for (size_t i = 0; own && !found && i < sizeof places / sizeof *places; i++) {
        struct xs_string path = {0};
        if (*places[i] == '/')
            xs_string_format(&path, "%s/%s", places[i], page);
        else
            xs_string_format(&path, "%s/%s/%s", own, places[i], page);
        found = realpath(path.data, NULL);
        xs_string_free(&path);
    }
    free(own);
#ifdef XFERSPY_DOCS_URL
    if (!found)
        found = xs_text_format("%s/%s", XFERSPY_DOCS_URL, page);
#endif
    return found;
}

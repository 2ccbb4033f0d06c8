/* Finds files that belong to the program; see installation.h. */
#include "analyzer/commands/common/installation.h"

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

/* Possible folders for docs/, relative to the program's folder, and for each a file that must exist. */
static const struct {
    const char *docs, *if_there;
} places[] = {
#ifdef XFERSPY_DOCDIR
    {XFERSPY_DOCDIR, NULL}, /* of the installation, if it is not the next one */
#endif
    {"../share/doc/xferspy/docs", NULL},
    {"../../../docs", "../CMakeCache.txt"}, /* for build/NAME/bin in the source tree */
};

/* Returns the path of a file if the file exists. A relative folder is relative to `own`. The caller frees the path. */
static char *there(const char *own, const char *folder, const char *name) {
    XS_SCOPED char *path =
        *folder == '/' ? xs_text_format("%s/%s", folder, name) : xs_text_format("%s/%s/%s", own, folder, name);
    return realpath(path, NULL);
}

char *xs_docs_page(const char *page) {
    char *own = xs_own_folder(), *found = NULL;
    for (size_t i = 0; own && !found && i < sizeof places / sizeof *places; i++) {
        XS_SCOPED char *needed = places[i].if_there ? there(own, ".", places[i].if_there) : NULL;
        if (needed || !places[i].if_there)
            found = there(own, places[i].docs, page);
    }
    free(own);
#ifdef XFERSPY_DOCS_URL
    if (!found)
        found = xs_text_format("%s/%s", XFERSPY_DOCS_URL, page);
#endif
    return found;
}

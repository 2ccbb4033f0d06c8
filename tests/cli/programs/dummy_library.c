/* Replaces libxferspy.so if a test only needs that it is preloaded. Says so when asked, and can leave a trace. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void loaded(void) {
    if (getenv("DUMMY_SAYS"))
        fprintf(stderr, "dummy preloaded, output=%s cupti=%s\n",
                getenv("XFERSPY_OUTPUT") ? getenv("XFERSPY_OUTPUT") : "-",
                getenv("XFERSPY_CUPTI") ? getenv("XFERSPY_CUPTI") : "-");
}

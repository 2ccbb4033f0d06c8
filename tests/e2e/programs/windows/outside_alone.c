/* XFERSPY_OUTSIDE=allocations is given without XFERSPY_WINDOW. One line says that it has no effect, and everything is
 * recorded.
 *
 * link: cuda
 * env: XFERSPY_OUTSIDE=allocations
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c 'XFERSPY_OUTSIDE=allocations leaves nothing out without a XFERSPY_WINDOW' $stderr
 * 1
 *
 * > SELECT (SELECT count(*) FROM launch), (SELECT count(*) FROM meta WHERE key LIKE 'range.%')
 * 10|0
 */
#include "asked.h"

int main(void) {
    asked_begin();
    asked_work(1);
    return asked_end();
}

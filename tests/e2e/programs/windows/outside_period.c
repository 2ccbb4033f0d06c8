/* Windows that come again and again are a sample of the device times of the whole run. So by default all calls are
 * recorded.
 *
 * link: cuda
 * env: XFERSPY_WINDOW=1ms/60min
 * stdout: data ok
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

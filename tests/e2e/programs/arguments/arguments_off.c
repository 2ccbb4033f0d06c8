/* XFERSPY_ARGUMENTS=off: no launch has arguments.
 *
 * link: cuda
 * env: XFERSPY_ARGUMENTS=off
 * stdout: data ok
 *
 * > SELECT count(*), count(arguments), (SELECT count(*) FROM argument_set), (SELECT count(*) FROM argument) FROM launch
 * 4|0|0|0
 *
 * > SELECT value FROM meta WHERE key = 'option.arguments'
 * off
 */
#include "few_launches.h"

int main(void) {
    few_launches();
    return 0;
}

/* Another thread ends the process while the first call is in the driver: the trace has nothing, and is whole.
 *
 * link: cuda
 * only: sim unsanitized
 * exit: 5
 *
 * > SELECT (SELECT count(*) FROM api_call), (SELECT count(*) FROM transfer)
 * 0|0
 *
 * $ grep -c ': 0 events in ' $stderr
 * 1
 *
 * Nothing but the trace is left behind:
 * $ ls $dir | grep -v '[.]db$'
 */
#define MEANWHILE end_from_another_thread()
static void end_from_another_thread(void);
#include "first_call.h"

static void *end(void *arg) {
    (void)arg;
    exit(5);
}

static void end_from_another_thread(void) {
    pthread_t thread;
    OK(pthread_create(&thread, NULL, end, NULL));
    OK(pthread_join(thread, NULL)); /* for ever: exit does not return */
}

int main(void) {
    call_first();
    copy_once();
    return 99;
}

/* The driver does not tell the parameters of kernels. Arguments count as not seen, except those in a buffer, and the
 * trace says why.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_SIM_PARAM_INFO=0
 * stdout: data ok
 *
 * > SELECT arguments IS NOT NULL, count(*) FROM launch GROUP BY 1
 * 0|3
 * 1|1
 *
 * > SELECT count(*), max(allocation) FROM argument
 * 1|1
 *
 * > SELECT topic, text FROM note WHERE topic = 'arguments'
 * arguments|not seen: this driver does not tell the parameters of kernels (CUDA 12.4 does)
 */
#include "few_launches.h"

int main(void) {
    few_launches();
    return 0;
}

/* Names and values that a terminal would obey are printed escaped.
 *
 * link: cuda
 * run: n="$dir/$(printf 'pro\033[31mgram')"; cp "$program" "$n" && XFERSPY_KERNELS="$(printf 'a\033]0;x\007b')" exec "$n"
 * env: XFERSPY_OUTPUT=$dir/%e.db
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c "$(printf '[\033\007]')" $stderr; grep -c 'KERNELS.*a.x1b]0;x.x07b' $stderr
 * 0
 * 1
 */
#include "../one_copy.h"

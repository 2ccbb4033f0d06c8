/* The program was built again after the run, before any command read the trace. The report says so and shows no line of
 * the program, because the lines would be wrong. If a folder with the right binary is named, the lines are shown.
 *
 * link: cuda
 * build: -g -O2
 * env: XFERSPY_FINGERPRINT=all
 * run: cd "$dir"; cp "$program" app && exec ./app
 * stdout: data ok
 *
 * The file at its place is now another program, which has other lines at these addresses, or none.
 * $ unnamed() { "$xferspy" explain --color=never "$1" | awk '$2 ~ /^noop-upload/ { sub(/ +(instead|part) of [0-9]+$/, ""); sub(/0x[0-9a-f]+$/, "ADDRESS"); print $(NF - 3) "|" $NF }' | sort; }
 * $ mkdir $dir/first; mv $dir/app $dir/first; cp "$(dirname "$program")/callsite_lines_fp" $dir/app
 * $ unnamed $traces
 * $ places noop-upload --debug-path=$dir/first $traces
 * 2|app+ADDRESS
 * 3|app+ADDRESS
 * 2|upload|OK(cuMemcpyHtoD(device, host, 1000)); // the first line
 * 3|upload|OK(cuMemcpyHtoD(device, host, 1000)); // the second line
 *
 * $ "$xferspy" report $traces | grep -o 'app has changed since the run'
 * $ "$xferspy" report $traces | grep -c 'lines_wasteful\|lines_chain\| in upload '
 * $ "$xferspy" symbolize $traces | grep -o 'app has changed since the run'
 * app has changed since the run
 * 0
 * app has changed since the run
 *
 * Lines that were written into the trace before remain.
 * $ "$xferspy" symbolize --debug-path=$dir/first $traces >/dev/null; explain $traces | grep -c 'noop-upload.*	upload	'
 * 2
 */
#include "lines_wasteful.h"

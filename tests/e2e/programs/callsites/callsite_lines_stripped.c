/* A stripped binary has the lines of the debug file that .gnu_debuglink names. Without that file, findings show the
 * place in the binary, and there are as many as before. If a folder with the file is named, they have lines again.
 *
 * link: cuda
 * build: -g -O2
 * only: sim
 * env: XFERSPY_FINGERPRINT=all
 * run: cd "$dir"; command -v objcopy >/dev/null || exit 77; objcopy --only-keep-debug "$program" app.debug; objcopy -S --add-gnu-debuglink=app.debug "$program" app && exec ./app
 * stdout: data ok
 *
 * $ unnamed() { "$xferspy" explain --color=never "$1" | awk '$2 ~ /^noop-upload/ { sub(/ +(instead|part) of [0-9]+$/, ""); sub(/0x[0-9a-f]+$/, "ADDRESS"); print $(NF - 3) "|" $NF }' | sort; }
 * $ mkdir $dir/away; mv $dir/app.debug $dir/away; unnamed $traces
 * $ places noop-upload --debug-path=$dir/away $traces
 * $ mv $dir/away/app.debug $dir; places noop-upload $traces
 * 2|app+ADDRESS
 * 3|app+ADDRESS
 * 2|upload|OK(cuMemcpyHtoD(device, host, 1000)); // the first line
 * 3|upload|OK(cuMemcpyHtoD(device, host, 1000)); // the second line
 * 2|upload|OK(cuMemcpyHtoD(device, host, 1000)); // the first line
 * 3|upload|OK(cuMemcpyHtoD(device, host, 1000)); // the second line
 */
#include "lines_wasteful.h"

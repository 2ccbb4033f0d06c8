/* The trace's name is that of a folder: nothing is made in it or beside it, and one line says why.
 *
 * link: cuda
 * run: mkdir -p "$dir/t.db"; "$program"; r=$?; ls "$dir/t.db" >> "$dir/inside"; rmdir "$dir/t.db"; exit $r
 * env: XFERSPY_OUTPUT=$dir/t.db
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -c 'not capturing: .*t.db is no regular file' $stderr; ls $dir; cat $dir/inside
 * 1
 * inside
 */
#include "../one_copy.h"

/* The program is linked to libcuda but never calls it, so there is no file and no line.
 *
 * link: cuda
 * traces: 0
 * stdout: linked
 *
 * $ ls $dir
 */
#include <cuda.h>
#include <stdio.h>

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 100)
        return (int)cuInit(0);
    puts("linked");
    return 0;
}

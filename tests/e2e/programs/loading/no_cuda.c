/* The process never touches CUDA and is not linked to it. xferspy makes no file, no thread, no open descriptor and no
 * line.
 *
 * traces: 0
 * stdout: threads 1, descriptors 3
 *
 * $ ls $dir
 */
#include <dirent.h>
#include <stdio.h>

static int entries(const char *path) {
    int n = 0;
    DIR *folder = opendir(path);
    while (folder != NULL) {
        struct dirent *entry = readdir(folder); /* cppcheck-suppress readdirCalled */
        if (entry == NULL)
            break;
        n += entry->d_name[0] != '.';
    }
    if (folder != NULL)
        closedir(folder);
    return n;
}

int main(void) {
    int threads = entries("/proc/self/task");
    printf("threads %d, descriptors %d\n", threads, entries("/proc/self/fd") - 1);
    return 0;
}

/* This program ends as chosen: `exit N`, `signal N`, `print` (its arguments and LD_PRELOAD). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "exit"))
        return atoi(argv[2]);
    if (argc > 2 && !strcmp(argv[1], "signal"))
        return raise(atoi(argv[2]));
    for (int i = 1; i < argc; i++)
        printf("[%s]", argv[i]);
    printf(" LD_PRELOAD=%s\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "");
    return 0;
}

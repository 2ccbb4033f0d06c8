/* Uses NVTX as any program does, by the header that is compiled in, or by a library of NVIDIA's that has it. Prints
 * what its calls return. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>

static void *on_a_thread(void *id) {
    nvtxRangeEnd(*(nvtxRangeId_t *)id);
    printf("thread: push %d", nvtxRangePushA("on a thread"));
    printf(", pop %d\n", nvtxRangePop());
    return NULL;
}

static void use_header(void) {
    pthread_t thread;
    nvtxEventAttributes_t a = {0};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    printf("push %d", nvtxRangePushA("outer"));
    printf(" %d", nvtxRangePushW(L"inner"));
    nvtxMarkA("a mark");
    printf(", pop %d", nvtxRangePop());
    printf(" %d\n", nvtxRangePop());
    nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
    nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "registered");
    a.message.registered = string;
    printf("domain %d, string %d, push %d", domain != NULL, string != NULL, nvtxDomainRangePushEx(domain, &a));
    printf(", pop %d\n", nvtxDomainRangePop(domain));
    nvtxDomainNameCategoryA(domain, 1, "category");
    nvtxRangeId_t id = nvtxRangeStartA("started");
    printf("start %d\n", id != 0);
    pthread_create(&thread, NULL, on_a_thread, &id);
    pthread_join(thread, NULL);
    nvtxDomainDestroy(domain);
}

static int use_library(const char *file) {
    void *library = dlopen(file, RTLD_NOW);
    int (*push)(const char *) = library ? (int (*)(const char *))dlsym(library, "nvtxRangePushA") : NULL;
    int (*pop)(void) = library ? (int (*)(void))dlsym(library, "nvtxRangePop") : NULL;
    if (!push || !pop) {
        printf("%s\n", dlerror());
        // cppcheck-suppress resourceLeak ; the program ends
        return 1;
    }
    printf("push %d", push("outer"));
    printf(" %d", push("inner"));
    printf(", pop %d", pop());
    printf(" %d\n", pop());
    dlclose(library);
    return 0;
}

static void print_environment(void) {
    nvtxRangePop(); /* NVTX has looked for a tool */
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "LD_PRELOAD=", 11) != 0)
            puts(*variable);
}

static void print_libraries(void) {
    char line[4096];
    unsigned found = 0;
    nvtxRangePop();
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        found += strstr(line, "libxferspy") != NULL;
    if (maps)
        fclose(maps);
    printf("libxferspy.so %s\n", found ? "is mapped" : "is not mapped");
}

static void use_in_a_child(void) {
    printf("push %d\n", nvtxRangePushA("around the fork"));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        printf("child: push %d", nvtxRangePushA("in the child"));
        printf(", pop %d", nvtxRangePop());
        printf(" %d\n", nvtxRangePop());
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("pop %d\n", nvtxRangePop());
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "header") == 0)
        use_header();
    else if (strcmp(what, "library") == 0 && argc > 2)
        return use_library(argv[2]);
    else if (strcmp(what, "environment") == 0)
        print_environment();
    else if (strcmp(what, "libraries") == 0)
        print_libraries();
    else if (strcmp(what, "fork") == 0)
        use_in_a_child();
    else
        return 2;
    return 0;
}

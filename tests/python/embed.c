/* This program loads an interpreter for itself, so its symbols are in no global scope. `python_embed LIBPYTHON` */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *stack_take(unsigned limit);
void stack_forget(void);

#define CHECK(condition) (void)((condition) || (fprintf(stderr, "embed.c:%d: %s\n", __LINE__, #condition), exit(1), 0))

static void *library;
static void *symbol(const char *name) {
    void *address = dlsym(library, name);
    CHECK(address);
    return address;
}

static char taken[4096];
static void *take(void *self, void *arguments) {
    (void)self, (void)arguments;
    snprintf(taken, sizeof taken, "%s", stack_take(64));
    ++*(long *)symbol("_Py_NoneStruct");
    return symbol("_Py_NoneStruct");
}

/* struct PyMethodDef */
static struct {
    const char *name;
    void *(*function)(void *, void *);
    int flags;
    const char *help;
} method = {"take", take, 4 /* METH_NOARGS */, NULL};

static void session(void) {
    ((void (*)(int))symbol("Py_InitializeEx"))(0);
    void *module = ((void *(*)(const char *))symbol("PyImport_AddModule"))("__main__");
    void *function = ((void *(*)(void *, void *, void *))symbol("PyCFunction_NewEx"))(&method, NULL, NULL);
    CHECK(((int (*)(void *, const char *, void *))symbol("PyObject_SetAttrString"))(module, "take", function) == 0);
    CHECK(((int (*)(const char *, void *))symbol("PyRun_SimpleStringFlags"))("def f():\n  take()\n\nf()\n", NULL) == 0);
    CHECK(strncmp(taken, "f\t<string>\t1\t2\t", 15) == 0);
    CHECK(strstr(taken, "<module>\t<string>\t"));
    CHECK(*stack_take(64) == '\0');
    CHECK(((int (*)(void))symbol("Py_FinalizeEx"))() == 0);
    CHECK(*stack_take(64) == '\0');
}

int main(int argc, char **argv) {
    CHECK(argc == 2 && *stack_take(64) == '\0');
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    stack_forget(); /* in place of waiting for a second */
    CHECK(*stack_take(64) == '\0');
    session();
    session();
    puts("embedded: ok");
    return 0;
}

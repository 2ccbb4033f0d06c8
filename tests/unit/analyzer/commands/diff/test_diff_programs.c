/* Tests by which names the programs of two sides are compared: an interpreter's are those of its scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/commands/diff/diff_programs.h"

static void an_interpreter_s_program_is_its_script(void **state) {
    static const struct {
        const char *executable, *before, *after;
        bool differ;
    } cases[] = {
        {"/bin/train", "train 5", "train 6", false},
        {"/usr/bin/python3.11", "python train.py", "python evaluate.py", true},
        {"/usr/bin/python3.11", "python train.py", "python train_new.py", false},
        {"/usr/bin/julia", "julia heat.jl", "julia solver.jl", true},
        {"/usr/bin/julia", "julia heat.jl 7", "julia old/heat.jl", false},
        {"/usr/bin/node", "node upload.js", "node render.js", true},
        {"/usr/bin/perl", "perl heat.pl", "perl solver.pl", true},
        {"/usr/bin/ruby", "ruby heat.rb", "ruby solver.rb", true},
        {"/opt/pypy3", "pypy3 heat.py", "pypy3 solver.py", true},
        {"/usr/bin/ipython", "ipython heat.py", "ipython solver.py", true},
        {"/usr/bin/python3", "python3 -u -X dev heat.py", "python3 solver.py", true},
        {"/usr/bin/python3", "python3 -m heat.main", "python3 -m solver.main", true},
        {"/usr/bin/python3", "python3 -m heat", "python3 -u -m heat", false},
        {"/usr/bin/python3", "python3 -c 'import heat'", "python3 -c 'import solver'", false}, /* they have no names */
        {"/usr/bin/python3", "python3", "python3 -i", false},
        {"/usr/bin/python3", "", "", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xs_side_run was = {.executable = cases[i].executable, .command = cases[i].before};
        struct xs_side_run is = {.executable = cases[i].executable, .command = cases[i].after};
        struct xs_side before = {.runs = &was, .run_count = 1}, after = {.runs = &is, .run_count = 1};
        const struct xs_diff diff = {.before = &before, .after = &after};
        if (xs_diff_names_differ(&diff) != cases[i].differ)
            fail_msg("\"%s\" and \"%s\" of %s", cases[i].before, cases[i].after, cases[i].executable);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_interpreter_s_program_is_its_script)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

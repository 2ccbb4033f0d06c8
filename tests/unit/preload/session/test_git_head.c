/* Tests which commit and which branch are found in repositories that the test makes file by file, and that nothing else
 * is taken for one. */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/session/git_head.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define OTHER "fedcba9876543210fedcba9876543210fedcba98"

static char root[64];

static int make_root(void **state) {
    (void)state;
    snprintf(root, sizeof root, "/tmp/xferspy-git-head-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int delete_root(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command); /* NOLINT(cert-env33-c): the folder's name is the test's own */
}

static const char *at(const char *path) {
    static char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    return full;
}

/* Makes the folders of the path, too. */
static void put(const char *path, const char *text) {
    char full[512];
    snprintf(full, sizeof full, "%s", at(path));
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *folder, const char *commit, const char *branch) {
    struct xs_git_head head;
    assert_true(xs_git_head(at(folder), &head));
    assert_string_equal(head.commit, commit);
    assert_string_equal(head.branch, branch);
}

static void branch_of_a_folder_above(void **state) {
    (void)state;
    put("r/.git/HEAD", "ref: refs/heads/topic/one\n");
    put("r/.git/refs/heads/topic/one", COMMIT "\n");
    put("r/src/deep/file", "");
    expect("r", COMMIT, "topic/one");
    expect("r/src/deep", COMMIT, "topic/one");
}

static void no_branch(void **state) {
    (void)state;
    put("r/.git/HEAD", COMMIT "\n");
    expect("r", COMMIT, "");
}

static void no_commit_yet(void **state) {
    (void)state;
    put("r/.git/HEAD", "ref: refs/heads/main\n");
    expect("r", "", "main");
}

static void packed(void **state) {
    (void)state;
    put("r/.git/HEAD", "ref: refs/heads/main\n");
    put("r/.git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n" OTHER " refs/heads/main2\n" COMMIT
                              " refs/heads/main\n^" OTHER "\n");
    expect("r", COMMIT, "main");
    put("r/.git/refs/heads/main", OTHER "\n"); /* this one is newer */
    expect("r", OTHER, "main");
}

/* Lines lie across the pieces in which the file is read. */
static void packed_among_many(void **state) {
    (void)state;
    put("r/.git/HEAD", "ref: refs/heads/z\n");
    FILE *file = fopen(at("r/.git/packed-refs"), "we");
    for (int i = 0; i < 20000; i++)
        fprintf(file, OTHER " refs/heads/%0*d\n", 1 + i % 97, i);
    fputs(COMMIT " refs/heads/z\n", file);
    fclose(file);
    expect("r", COMMIT, "z");
}

static void worktree_and_submodule(void **state) {
    char text[512];
    (void)state;
    put("r/.git/HEAD", "ref: refs/heads/main\n");
    put("r/.git/refs/heads/side", COMMIT "\n");
    put("r/.git/worktrees/w/HEAD", "ref: refs/heads/side\n");
    put("r/.git/worktrees/w/commondir", "../..\n");
    snprintf(text, sizeof text, "gitdir: %s/r/.git/worktrees/w\n", root);
    put("w/.git", text);
    expect("w", COMMIT, "side");
    put("r/.git/modules/m/HEAD", OTHER "\n");
    put("r/m/.git", "gitdir: ../.git/modules/m\n");
    expect("r/m", OTHER, "");
}

static void what_is_no_repository(void **state) {
    struct xs_git_head head;
    (void)state;
    put("plain/file", "");
    assert_false(xs_git_head(at("plain"), &head));
    assert_false(xs_git_head("", &head));
    assert_false(xs_git_head("relative", &head));
    assert_false(xs_git_head("/", &head));
}

/* A damaged one does not hide the one around it, and no file outside of it is read. */
static void damaged(void **state) {
    (void)state;
    static const char *const heads[] = {"", "ref: refs/heads/../../../outside\n", "ref: /etc/passwd\n", "0123\n", "x"};
    put("r/.git/HEAD", COMMIT "\n");
    put("r/in/outside", OTHER "\n");
    for (size_t i = 0; i < COUNT_OF(heads); i++) {
        put("r/in/.git/HEAD", heads[i]);
        expect("r/in", COMMIT, "");
    }
    put("r/in/.git/HEAD", "ref: refs/heads/main\n");
    put("r/in/.git/refs/heads/main", "no commit\n");
    expect("r/in", "", "main");
}

/* To open a FIFO would wait for somebody who writes to it. */
static void fifos_are_not_opened(void **state) {
    struct xs_git_head head;
    (void)state;
    put("r/.git/refs/heads/x", "");
    assert_int_equal(mkfifo(at("r/.git/HEAD"), 0600), 0);
    assert_false(xs_git_head(at("r"), &head));
}

int main(void) {
#define ROOTED(test) cmocka_unit_test_setup_teardown(test, make_root, delete_root)
    const struct CMUnitTest tests[] = {
        ROOTED(branch_of_a_folder_above),
        ROOTED(no_branch),
        ROOTED(no_commit_yet),
        ROOTED(packed),
        ROOTED(packed_among_many),
        ROOTED(worktree_and_submodule),
        ROOTED(what_is_no_repository),
        ROOTED(damaged),
        ROOTED(fifos_are_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

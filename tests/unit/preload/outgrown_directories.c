/* The memory map keeps directories that it has outgrown, because a reader may be in one; all of them together are
 * smaller than the one in use. LeakSanitizer calls the function below to learn what it must not report. */

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the name is the sanitizer's
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) {
    return "leak:roomy_directory\n";
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

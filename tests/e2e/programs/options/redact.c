/* XFERSPY_REDACT: a token among the arguments and in the environment is in no byte of the trace, of the files beside it
 * and of the spool, neither while the program runs nor afterwards. The same search finds it where the option is not
 * set. The program copies all these files, while they are in use, to a file FILE.seen.
 *
 * link: cuda
 * run: for out in shown hidden; do test $out = shown || export XFERSPY_REDACT='sek[r]et|rank$'; XFERSPY_OUTPUT=$dir/$out.db $program $out sekret-1 --api=sekret-2 --sekret-name 4711 --sekret-too=4712 -pSEKRET-3 a; done
 * env: RANK=3 WORLD_SIZE=7 XFERSPY_CUPTI_LIBRARY=/no/such/sekret-4/libcupti.so
 * stdout: data ok
 * stdout: data ok
 * traces: 2
 *
 * A spool is mostly zero bytes, which would be one very long line. The first lines are of the whole run, the second of what is left:
 * $ for out in shown hidden; do tr -s '\0' '\n' <$XFERSPY_TEST_DIR/$out.seen | grep -aqi sekret-1; echo $out $?; done
 * $ for out in shown hidden; do tr -s '\0' '\n' <$XFERSPY_TEST_DIR/$out.seen | grep -aqE 'sekret-[0-9]|SEKRET-3|471[12]'; echo $out $?; done
 * $ for out in shown hidden; do grep -aqE 'sekret-[0-9]|SEKRET-3|471[12]' $dir/$out.db; echo $out $?; done
 * shown 0
 * hidden 1
 * shown 0
 * hidden 1
 * shown 0
 * hidden 1
 *
 * What was searched has the trace, its log and the spool, whose header begins with its mark:
 * $ for out in shown hidden; do tr -s '\0' '\n' <$XFERSPY_TEST_DIR/$out.seen | grep -aoE 'SQLite format 3|CREATE TABLE meta|XSSPOOL1' | sort -u; done
 * CREATE TABLE meta
 * SQLite format 3
 * XSSPOOL1
 * CREATE TABLE meta
 * SQLite format 3
 * XSSPOOL1
 *
 * trace: shown.db
 * > SELECT key, value FROM meta WHERE key IN ('option.redact', 'option.cupti_library', 'rank', 'world_size') ORDER BY key
 * option.cupti_library|/no/such/sekret-4/libcupti.so
 * option.redact|
 * rank|3
 * world_size|7
 *
 * trace: hidden.db
 * needs: cupti
 * > SELECT key, value FROM meta WHERE key IN ('option.redact', 'option.cupti_library', 'cupti.text', 'rank', 'rank_source', 'world_size') ORDER BY key
 * cupti.text|[hidden]
 * option.cupti_library|[hidden]
 * option.redact|[hidden]
 * rank_source|RANK
 * world_size|7
 *
 * > SELECT substr(value, instr(value, ' ')) FROM meta WHERE key = 'command'
 *  hidden [hidden] [hidden] --sekret-name [hidden] --sekret-too=[hidden] -p[hidden] [hidden]
 *
 * > SELECT count(*) FROM note WHERE topic = 'redact'
 * 0
 */
#include <cuda.h>
#include <glob.h>
#include <limits.h>
#include <string.h>

#include "../check.h"

static void append(const char *path, FILE *out) {
    char buffer[65536];
    FILE *in = fopen(path, "re");
    for (size_t n; in && (n = fread(buffer, 1, sizeof buffer, in)) > 0;)
        fwrite(buffer, 1, n, out);
    if (in)
        fclose(in);
}

/* The trace and what lies beside it, and the files that are mapped and are xferspy's: the spool is one. */
static void keep_files(const char *name) {
    char path[PATH_MAX + 64], line[PATH_MAX + 256], *file;
    snprintf(path, sizeof path, "%s/%s.seen", getenv("XFERSPY_TEST_DIR"), name);
    FILE *out = fopen(path, "we");
    snprintf(path, sizeof path, "%s*", getenv("XFERSPY_OUTPUT"));
    glob_t found;
    if (glob(path, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            append(found.gl_pathv[i], out);
        globfree(&found);
    }
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        line[strcspn(line, "\n")] = '\0';
        file = strchr(line, '/');
        if (file && strstr(file, "xferspy") && !strstr(file, ".so"))
            append(file, out);
    }
    if (maps)
        fclose(maps);
    fclose(out);
}

int main(int argc, char **argv) {
    unsigned char host[4096], back[4096] = {0};
    CUdeviceptr device;

    (void)argc;
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    keep_files(argv[1]);
    OK(cuMemcpyDtoH(back, device, sizeof back));
    e2e_expect(back, sizeof back, 1);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}

/* `_exit` of a program that counts its lines: the counters are written first. Linked with --wrap=_exit
 * (XferspyCoverage.cmake). */
void __gcov_dump(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);

_Noreturn void __wrap__exit(int status) {
    __gcov_dump();
    __real__exit(status);
}

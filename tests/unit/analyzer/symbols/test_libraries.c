/* Tests whose code a frame is, and that names are written as people write them. */
#include "unit.h"

#include "analyzer/symbols/symbols.h"
#include "schema/source/library.h"

static const char *binary(const char *path) {
    bool glue;
    bool library = xs_library_binary(path, &glue);
    return glue ? "glue" : library ? "library" : "user";
}

static void binaries(void **state) {
    static const char *const libraries[] = {
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06",
        "/usr/local/cuda/lib64/libcudart.so.13",
        "/opt/venv/lib/python3.11/site-packages/cupy/.data/libcudart-d0da41ae.so.11.0",
        "/usr/local/cuda/lib64/libcublasLt.so.13",
        "/usr/lib/libcudnn_ops_infer.so.8",
        "/usr/lib/x86_64-linux-gnu/libc.so.6",
        "/lib64/libc-2.31.so",
        "/lib64/ld-linux-x86-64.so.2",
        "/usr/lib/libstdc++.so.6.0.30",
        "/usr/local/lib/libxferspy.so",
        "/build/libtorch_cuda.so",
        "/build/libc10_cuda.so",
        "/v/lib/python3.12/site-packages/torch/_C.cpython-312-x86_64-linux-gnu.so",
        "/v/lib/python3.12/site-packages/numpy/core/_multiarray_umath.cpython-312-x86_64-linux-gnu.so",
        "/v/lib/python3.12/site-packages/jaxlib/xla_extension.so",
        "/v/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2",
        "/usr/lib/python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so",
        "linux-vdso.so.1",
    };
    static const char *const glue[] = {"/usr/bin/python3.11",
                                       "/usr/bin/python3.13t",
                                       "/usr/bin/python",
                                       "/usr/lib/libpython3.11.so.1.0",
                                       "/usr/lib/python3.11/lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so",
                                       "/usr/lib/libffi.so.8"};
    static const char *const users[] = {
        "/home/me/app",
        "/home/me/libcudakernels.so",
        "/home/me/libcuda/solver",
        "/home/me/libc",
        "/home/me/python_bindings",
        "/home/me/python3_train",
        "/home/me/torch/app",
        "/v/lib/python3.12/site-packages/mypackage/ops.cpython-312-x86_64-linux-gnu.so",
        "/v/lib/python3.12/site-packages/torchlike/_C.so",
        "",
        ".so",
        "/",
        "/v/lib/python3.12/site-packages/torch/lib/../../../mine/dist-packages/app.so",
    };
    (void)state;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strcmp(binary(libraries[i]), "library") != 0)
            fail_msg("%s: %s", libraries[i], binary(libraries[i]));
    for (size_t i = 0; i < sizeof glue / sizeof *glue; i++)
        if (strcmp(binary(glue[i]), "glue") != 0)
            fail_msg("%s: %s", glue[i], binary(glue[i]));
    for (size_t i = 0; i < sizeof users / sizeof *users; i++)
        if (strcmp(binary(users[i]), "user") != 0)
            fail_msg("%s: %s", users[i], binary(users[i]));
}

static void frameworks(void **state) {
    static const struct {
        const char *path;
        enum xs_framework framework;
    } cases[] = {{"/build/libtorch_cuda.so", XS_FRAMEWORK_PYTORCH},
                 {"/v/lib/python3.12/site-packages/torch/_tensor.py", XS_FRAMEWORK_PYTORCH},
                 {"/v/lib/python3.12/site-packages/cupy/_core/core.cpython-312-x86_64-linux-gnu.so", XS_FRAMEWORK_CUPY},
                 {"/v/lib/python3.12/site-packages/cupyx/_pinned_array.py", XS_FRAMEWORK_CUPY},
                 {"/v/lib/python3.12/site-packages/jaxlib/xla_extension.so", XS_FRAMEWORK_JAX},
                 {"/v/lib/python3.12/site-packages/jax_plugins/xla_cuda13/__init__.py", XS_FRAMEWORK_JAX},
                 {"/v/lib/python3.12/site-packages/numba_cuda/numba/cuda/api.py", XS_FRAMEWORK_NUMBA},
                 {"/v/lib/python3.12/site-packages/numpy/lib/stack.py", XS_FRAMEWORK_NONE},
                 {"/opt/torch/lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2", XS_FRAMEWORK_NONE},
                 {"/usr/local/cuda/lib64/libcudart.so.13", XS_FRAMEWORK_NONE},
                 {"/home/me/torch/train.py", XS_FRAMEWORK_NONE},
                 {"<string>", XS_FRAMEWORK_NONE},
                 {"", XS_FRAMEWORK_NONE}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (xs_library_framework(cases[i].path) != cases[i].framework)
            fail_msg("%s: %d", cases[i].path, (int)xs_library_framework(cases[i].path));
}

static void functions(void **state) {
    (void)state;
    /* a function of the runtime that is linked into a program; it has no lines */
    assert_true(xs_library_function("cudaMemcpy", NULL));
    assert_true(xs_library_function("cudaMemcpyAsync_ptsz", NULL));
    assert_true(xs_library_function("__cudart1234", NULL));
    assert_true(xs_library_function("libcudart_static_ae71ae215855bab7db7b97b6475ebd7bf0eafcab", NULL));
    assert_true(xs_library_function("_start", NULL));
    /* a wrapper that the user wrote; it has lines */
    assert_false(xs_library_function("cudaMemcpyChecked", "/home/me/cuda_util.h"));
    assert_false(xs_library_function("cudacheck", NULL));
    /* templates of a library are the library's, in whatever binary they were compiled */
    assert_true(xs_library_function("thrust::THRUST_200302_800_NS::copy<int*>", "/opt/x/thrust/detail/copy.inl"));
    assert_true(xs_library_function("cub::DeviceReduce::Sum<int>", NULL));
    assert_true(xs_library_function("std::vector<app::Item>::push_back", "/usr/include/c++/12/bits/stl_vector.h"));
    assert_true(xs_library_function("__gnu_cxx::new_allocator<int>::allocate", NULL));
    assert_true(
        xs_library_function("cudaLaunchKernel<char>", "/usr/local/cuda/targets/x86_64-linux/include/cuda_runtime.h"));
    assert_true(xs_library_function("__device_stub__Z4stepPf", "/tmp/app.cudafe1.stub.c"));
    assert_false(xs_library_function("app::Table<std::string>::load", "/home/me/table.cc"));
    assert_false(xs_library_function("cuda::launch", "/home/me/launch.cc"));
    assert_false(xs_library_function("main", NULL));
    assert_false(xs_library_function(NULL, NULL));
    assert_false(xs_library_function("", ""));
}

static void python_files(void **state) {
    (void)state;
    assert_true(xs_library_python("/v/lib/python3.12/site-packages/torch/nn/modules/module.py"));
    assert_true(xs_library_python("/usr/lib/python3/dist-packages/numpy/core/numeric.py"));
    assert_true(xs_library_python("/usr/lib/python3.11/threading.py"));
    assert_true(xs_library_python("/opt/conda/lib/python3.13/concurrent/futures/thread.py"));
    assert_true(xs_library_python("<frozen runpy>"));
    assert_true(xs_library_python("<eval_with_key>.1"));
    assert_false(xs_library_python("/home/me/train.py"));
    assert_false(xs_library_python("train.py"));
    assert_false(xs_library_python("<string>"));
    assert_false(xs_library_python("<stdin>"));
    assert_false(xs_library_python("/v/lib/python3.12/site-packages/mytrainer/loop.py"));
    assert_false(xs_library_python("/v/lib/python3.12/site-packages/torchlike.py"));
    assert_false(xs_library_python("/home/me/torch/train.py"));
    assert_false(xs_library_python("/home/me/lib/pythonic/x.py"));
    assert_false(xs_library_python(""));
}

/* Names that PyTorch writes, and names of a program that are similar to them. */
static void ranges(void **state) {
    static const struct {
        const char *domain, *name;
        bool library;
    } cases[] = {
        {"NCCL", "ncclAllReduce", true},
        {"mine", "aten::to", false},
        {NULL, "aten::to", true},
        {NULL, "aten::addmm, seq = 5, op_id = 7, sizes = [[512], [64, 512], []], input_op_ids = [(1,0)]", true},
        {NULL, "autograd::engine::evaluate_function: AddmmBackward0", true},
        {NULL, "AddmmBackward0, seq = 5", true},
        {NULL, "torch::autograd::AccumulateGrad, op_id = 12", true},
        {NULL, "torchvision::nms, sizes = [[8, 4], [8]]", true},
        {NULL, "MyFunction, seq = 5, op_id = 7", true},
        {NULL, "MyFunction, seq = 5, sizes = [[3]]", true},
        {NULL, "Optimizer.step#SGD.step", true},
        {NULL, "", false},
        {NULL, "step 7, seq = 512", false},
        {NULL, "step, seq = 512", false},
        {NULL, "step 7, op_id = 3", false}, /* the program's own record_function("step 7") */
        {NULL, "step 7, seq = 5, op_id = 3", false},
        {NULL, ", seq = 5, op_id = 3", false},
        {NULL, "train, seq = 512, batch = 8", false},
        {NULL, "Backward, seq = 3", false},
        {NULL, "AddmmBackward0 and more, seq = 3", false},
        {NULL, "Solver::step", false},
        {NULL, "what aten::to does", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (xs_library_range(cases[i].domain, cases[i].name) != cases[i].library)
            fail_msg("%s", cases[i].name);
}

static void loops_of_the_interpreter(void **state) {
    (void)state;
    assert_true(xs_library_runs_python("_PyEval_EvalFrameDefault"));
    assert_true(xs_library_runs_python("_PyEval_EvalFrameDefault.cold"));
    assert_false(xs_library_runs_python("PyEval_EvalCode"));
    assert_false(xs_library_runs_python("main"));
}

static void names(void **state) {
    char buffer[256], small[8], bomb[700] = "_Z1fIiE";
    (void)state;
#ifdef XFERSPY_HAVE_SYMBOLS
    assert_string_equal(xs_demangle("_ZN3app6BufferIiE4pushEi", buffer, sizeof buffer), "app::Buffer<int>::push");
    assert_string_equal(xs_demangle("_ZN3app12_GLOBAL__N_14loadEv", buffer, sizeof buffer),
                        "app::(anonymous namespace)::load");
    assert_string_equal(xs_demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", buffer, sizeof buffer),
                        "core::fmt::Write::write_fmt");
    assert_string_equal(xs_demangle("_RNvNtCs1234_7mycrate3foo3bar", buffer, sizeof buffer), "mycrate::foo::bar");
    assert_string_equal(xs_demangle("_ZN3app6BufferIiE4pushEi", small, sizeof small), "app::Bu");
    /* each parameter is twice the one before */
    strcpy(bomb, "_Z1fI1aIiiE");
    for (int i = 0; i < 60; i++)
        snprintf(bomb + strlen(bomb), sizeof bomb - strlen(bomb), "1aIS%c_S%c_E", i ? '0' + i % 10 : '0', '0' + i % 10);
    strcat(bomb, "Evv");
    assert_true(strlen(xs_demangle(bomb, buffer, sizeof buffer)) < sizeof bomb);
#endif
    assert_string_equal(xs_demangle("main", buffer, sizeof buffer), "main");
    assert_string_equal(xs_demangle("_Zgarbage", buffer, sizeof buffer), "_Zgarbage");
    assert_string_equal(xs_demangle("_R", buffer, sizeof buffer), "_R");
    (void)small, (void)bomb;
}

/* The longest allowed names have the deepest nesting, and the stack is large enough for it. */
static void deep_names(void **state) {
    char buffer[256], *name = calloc(1, 5001);
    static const char *const starts[] = {"_Z1fP", "_ZN1aI", "_ZSt", "_RI", "_RNv"};
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        for (size_t length = 500; length <= 5000; length += 500) {
            memset(name, starts[i][strlen(starts[i]) - 1], length);
            memcpy(name, starts[i], strlen(starts[i]));
            name[length] = 0;
            assert_non_null(xs_demangle(name, buffer, sizeof buffer));
        }
    }
    free(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binaries),     cmocka_unit_test(frameworks), cmocka_unit_test(functions),
        cmocka_unit_test(python_files), cmocka_unit_test(ranges),     cmocka_unit_test(loops_of_the_interpreter),
        cmocka_unit_test(names),        cmocka_unit_test(deep_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests what a framework did, with the names that PyTorch 2 and CuPy 14 have in stacks, ranges and threads. */
#include "unit.h"

#include "analyzer/trace/framework/framework_context.h"

#define TORCH "/venv/lib/python3.12/site-packages/torch/"
#define CUPY "/venv/lib/python3.12/site-packages/cupy/"

/* --- names --- */

static void check_operator(const char *function, const char *expected) {
    char name[XS_FRAMEWORK_NAME];
    assert_int_equal(xs_framework_operator(name, function), *expected != '\0');
    assert_string_equal(name, expected);
}

static void operators(void **state) {
    (void)state;
    check_operator("at::_ops::copy_::call", "aten::copy_");
    check_operator("at::_ops::_to_copy::redispatch", "aten::_to_copy");
    check_operator("at::_ops::to_dtype_layout::call", "aten::to");
    check_operator("at::_ops::to_device::call", "aten::to");
    check_operator("at::_ops::add__Tensor::call", "aten::add_");
    check_operator("at::_ops::sum_dim_IntList::call", "aten::sum");
    check_operator("at::_ops::_foreach_add__ScalarList::call", "aten::_foreach_add_");
    check_operator("at::_ops::empty_memory_format::call", "aten::empty");
    check_operator("at::_ops::max_pool2d_with_indices::call", "aten::max_pool2d_with_indices");
    check_operator("at::_ops::_local_scalar_dense::call", "aten::_local_scalar_dense");
    check_operator("at::_ops::copy_::call(at::Tensor&, at::Tensor const&, bool)", "aten::copy_");
    check_operator("at::native::copy_", "");
    check_operator("at::_ops::copy_", "");
    check_operator("at::_ops::::call", "");
    check_operator("at::_ops::", "");
    check_operator("", "");
}

/* A name that does not fit is not cut, because a part of it would be another's. */
static void long_names(void **state) {
    char function[400] = "at::_ops::", name[XS_FRAMEWORK_NAME];
    (void)state;
    memset(function + strlen(function), 'x', 130);
    strcat(function, "::call");
    assert_false(xs_framework_operator(name, function));
    assert_string_equal(name, "");
    memset(function, 0, sizeof function);
    strcpy(function, "__pyx_f_4cupy_");
    memset(function + strlen(function), 'x', 130);
    assert_false(xs_framework_cython(name, function));
    assert_string_equal(name, "");
}

static void nodes(void **state) {
    char name[XS_FRAMEWORK_NAME];
    (void)state;
    assert_true(xs_framework_node(name, "torch::autograd::generated::AddmmBackward0::apply"));
    assert_string_equal(name, "AddmmBackward0");
    assert_true(xs_framework_node(name, "torch::autograd::generated::ToCopyBackward0::apply"));
    assert_string_equal(name, "ToCopyBackward0");
    assert_true(xs_framework_node(name, "torch::autograd::CopyBackwards::apply(std::vector<at::Tensor>&&)"));
    assert_string_equal(name, "CopyBackwards");
    assert_false(xs_framework_node(name, "torch::autograd::AccumulateGrad::apply"));
    assert_false(xs_framework_node(name, "torch::autograd::Engine::evaluate_function"));
    assert_false(xs_framework_node(name, "AddmmBackward0::apply"));
}

static void check_cython(const char *function, const char *expected) {
    char name[XS_FRAMEWORK_NAME];
    assert_int_equal(xs_framework_cython(name, function), *expected != '\0');
    assert_string_equal(name, expected);
}

static void cython(void **state) {
    (void)state;
    check_cython("__pyx_pw_4cupy_5_core_4core_17array", "cupy.array");
    check_cython("__pyx_pw_4cupy_5_core_4core_13_ndarray_base_131__matmul__", "cupy.ndarray.__matmul__");
    check_cython("__pyx_f_4cupy_5_core_16_routines_linalg_matmul", "cupy.matmul");
    check_cython("__pyx_pw_13cupy_backends_4cuda_4libs_6cublas_3create", "cupy_backends.cuda.libs.cublas.create");
    check_cython("__pyx_f_4cupy_4cuda_6memory_13MemoryPointer_copy_from_host_async",
                 "cupy.cuda.memory.MemoryPointer.copy_from_host_async");
    check_cython("__pyx_f_4cupy_5_core_4core__array_default", ""); /* private */
    check_cython("__Pyx_PyObject_FastCallDict", "");
    check_cython("__pyx_pw_", "");
    check_cython("__pyx_pw_4cupy", "");
    check_cython("__pyx_pw_99999999999999999999_x", "");
}

static void check_python(const char *file, const char *function, const char *expected) {
    char name[XS_FRAMEWORK_NAME];
    assert_int_equal(xs_framework_python(name, file, function), *expected != '\0');
    assert_string_equal(name, expected);
}

static void python(void **state) {
    (void)state;
    check_python(CUPY "_creation/from_data.py", "asarray", "cupy.asarray");
    check_python(CUPY "linalg/_solve.py", "solve", "cupy.linalg.solve");
    check_python(TORCH "cuda/__init__.py", "synchronize", "torch.cuda.synchronize");
    check_python(TORCH "_tensor.py", "Tensor.backward", "torch.Tensor.backward");
    check_python(TORCH "nn/modules/linear.py", "Linear.forward", "torch.nn.Linear.forward");
    check_python(TORCH "nn/modules/module.py", "Module._apply", "");
    check_python(TORCH "nn/modules/module.py", "Module.to.<locals>.convert", "");
    check_python("/home/user/train.py", "step", "");
    check_python("/venv/lib/python3.12/site-packages/", "step", "");
}

static void ranges(void **state) {
    static const char full[] =
        "aten::addmm, seq = 5, op_id = 7, sizes = [[512], [64, 512], []], input_op_ids = [(1,0)]";
    char name[XS_FRAMEWORK_NAME], sizes[XS_FRAMEWORK_SIZES], many[600] = "aten::cat, sizes = [";
    (void)state;
    xs_framework_range(name, sizes, full, strlen(full));
    assert_string_equal(name, "aten::addmm");
    assert_string_equal(sizes, "[[512], [64, 512], []]");
    xs_framework_range(name, sizes, full, strlen("aten::addmm, seq = 5, op_id = 7, sizes = [[512], [64"));
    assert_string_equal(sizes, "");
    xs_framework_range(name, sizes, "epoch", strlen("epoch"));
    assert_string_equal(name, "epoch");
    assert_string_equal(sizes, "");
    for (int i = 0; i < 60; i++)
        strcat(many, "[64], ");
    strcat(many, "[]]");
    xs_framework_range(name, sizes, many, strlen(many));
    assert_string_equal(name, "aten::cat");
    assert_string_equal(sizes, "");
}

/* --- contexts --- */

#define NATIVE(library_, name)                                                                                         \
    { .function = (name), .module = TORCH "lib/" library_, .library = true }
#define PYTHON(library_, file_, name)                                                                                  \
    { .function = (name), .file = (file_), .python = true, .library = (library_) }
#define ADD(context, frames) xs_framework_add_stack(&(context), frames, sizeof(frames) / sizeof *(frames))

static void to_in_a_forward_pass(void **state) {
    static const struct xs_frame frames[] = {
        NATIVE("libtorch_cuda.so", "at::native::copy_kernel_cuda"),
        NATIVE("libtorch_cpu.so", "at::_ops::copy_::call"),
        NATIVE("libtorch_cpu.so", "at::_ops::_to_copy::call"),
        NATIVE("libtorch_cpu.so", "at::_ops::to_dtype_layout::call"),
        NATIVE("libtorch_python.so", "torch::autograd::THPVariable_to"),
        PYTHON(false, "/app/model.py", "Net.forward"),
        NATIVE("libtorch_cpu.so", "at::_ops::add_Tensor::call"), /* not what the line called */
        PYTHON(true, TORCH "nn/modules/module.py", "Module._call_impl"),
        PYTHON(false, "/app/train.py", "<module>"),
    };
    struct xs_framework_context c = {0};
    (void)state;
    assert_false(xs_framework_is_known(&c));
    ADD(c, frames);
    assert_true(xs_framework_is_known(&c));
    assert_string_equal(c.operator_name, "aten::to");
    assert_string_equal(c.call, "");
    assert_int_equal(c.phase, XS_PHASE_FORWARD);
    assert_int_equal(c.framework, XS_FRAMEWORK_PYTORCH);
}

static void item_in_a_backward_pass(void **state) {
    static const struct xs_frame frames[] = {
        NATIVE("libtorch_cpu.so", "at::_ops::_local_scalar_dense::call"),
        NATIVE("libtorch_cpu.so", "at::_ops::item::call"),
        NATIVE("libtorch_cpu.so", "torch::autograd::generated::NormBackward0::apply"),
        NATIVE("libtorch_cpu.so", "torch::autograd::Engine::evaluate_function"),
        NATIVE("libtorch_cpu.so", "torch::autograd::Engine::thread_main"),
    };
    struct xs_framework_context c = {0};
    (void)state;
    ADD(c, frames);
    assert_string_equal(c.operator_name, "aten::item");
    assert_string_equal(c.node, "NormBackward0");
    assert_int_equal(c.phase, XS_PHASE_BACKWARD);
}

/* Whatever a Dataset's own code calls is the loader's work, too; and the innermost phase counts. */
static void phases(void **state) {
    static const struct xs_frame worker[] = {
        PYTHON(false, "/app/data.py", "Images.__getitem__"),
        PYTHON(true, TORCH "utils/data/_utils/fetch.py", "_MapDatasetFetcher.fetch"),
        PYTHON(true, TORCH "utils/data/_utils/worker.py", "_worker_loop"),
    };
    static const struct xs_frame step[] = {
        PYTHON(true, TORCH "optim/adam.py", "Adam.step"),
        PYTHON(true, TORCH "optim/optimizer.py", "Optimizer.profile_hook_step.<locals>.wrapper"),
        PYTHON(true, TORCH "amp/grad_scaler.py", "GradScaler.step"),
    };
    static const struct xs_frame own[] = {PYTHON(false, "/app/torch_like/optim/optimizer.py", "profile_hook_step")};
    struct xs_framework_context a = {0}, b = {0}, c = {0};
    (void)state;
    ADD(a, worker);
    assert_int_equal(a.phase, XS_PHASE_WORKER);
    assert_string_equal(a.call, "");
    ADD(b, step);
    assert_int_equal(b.phase, XS_PHASE_OPTIMIZER);
    assert_string_equal(b.call, "torch.amp.grad_scaler.GradScaler.step");
    ADD(c, own);
    assert_false(xs_framework_is_known(&c));
}

/* Names that emit_nvtx gives are what is left where no symbol is known. */
static void by_ranges_and_threads(void **state) {
    struct xs_framework_context c = {0}, of_stack = {.operator_name = "aten::_to_copy"}, thread = {0}, other = {0},
                                two = {0};
    (void)state;
    xs_framework_add_range(&c, "epoch / Optimizer.step#SGD.step / aten::to, seq = 3, sizes = [[64, 3], []] / "
                               "aten::copy_, sizes = [[64, 3], [64, 3]]");
    assert_string_equal(c.operator_name, "aten::to");
    assert_string_equal(c.sizes, "[[64, 3], []]");
    assert_int_equal(c.phase, XS_PHASE_OPTIMIZER);
    xs_framework_add_range(&two, "autograd::engine::evaluate_function: X / Optimizer.step#SGD.step");
    assert_int_equal(two.phase, XS_PHASE_OPTIMIZER);
    xs_framework_add_range(&of_stack, "aten::to, sizes = [[1]] / aten::_to_copy, sizes = [[2]]");
    assert_string_equal(of_stack.operator_name, "aten::_to_copy");
    assert_string_equal(of_stack.sizes, "[[2]]");
    xs_framework_add_thread(&thread, "pt_autograd_0");
    assert_int_equal(thread.phase, XS_PHASE_BACKWARD);
    xs_framework_add_thread(&c, "pt_autograd_0");
    assert_int_equal(c.phase, XS_PHASE_OPTIMIZER);
    xs_framework_add_thread(&other, "python3");
    assert_false(xs_framework_is_known(&other));
}

/* --- host copies --- */

#define POOL CUPY "cuda/pinned_memory.cpython-312-x86_64-linux-gnu.so"
#define CORE CUPY "_core/core.cpython-312-x86_64-linux-gnu.so"
#define CHECK_COPY(frames, expected)                                                                                   \
    assert_int_equal(xs_framework_host_copy(frames, sizeof(frames) / sizeof *(frames)), expected)

static void host_copies(void **state) {
    static const struct xs_frame cupy[] = {
        {.module = POOL, .library = true},
        {.module = CORE, .library = true},
        PYTHON(true, CUPY "_creation/from_data.py", "asarray"),
        PYTHON(false, "/app/train.py", "step"),
    };
    static const struct xs_frame cupyx[] = {
        {.module = POOL, .library = true},
        PYTHON(true, "/venv/lib/python3.12/site-packages/cupyx/_pinned_array.py", "empty_pinned"),
        PYTHON(false, "/app/train.py", "step"),
        {.module = CORE, .library = true},
    };
    static const struct xs_frame no_pool[] = {{.module = CORE, .library = true}};
    static const struct xs_frame thread[] = {
        NATIVE("libtorch_cuda.so", "at::cuda::CachingHostAllocatorImpl::allocate"),
        PYTHON(true, TORCH "utils/data/_utils/pin_memory.py", "pin_memory"),
        PYTHON(true, TORCH "utils/data/_utils/pin_memory.py", "_pin_memory_loop.<locals>.do_one_step"),
    };
    static const struct xs_frame same_thread[] = {
        PYTHON(true, TORCH "utils/data/_utils/pin_memory.py", "pin_memory"),
        PYTHON(true, TORCH "utils/data/dataloader.py", "_SingleProcessDataLoaderIter._next_data"),
        PYTHON(false, "/app/train.py", "epoch"),
    };
    static const struct xs_frame own[] = {PYTHON(false, "/app/train.py", "pin"),
                                          PYTHON(true, TORCH "utils/data/_utils/pin_memory.py", "pin_memory")};
    (void)state;
    CHECK_COPY(cupy, XS_HOST_COPY_CUPY);
    CHECK_COPY(cupyx, XS_HOST_COPY_NONE);
    CHECK_COPY(no_pool, XS_HOST_COPY_NONE);
    CHECK_COPY(thread, XS_HOST_COPY_LOADER_THREAD);
    CHECK_COPY(same_thread, XS_HOST_COPY_LOADER);
    CHECK_COPY(own, XS_HOST_COPY_NONE);
    assert_int_equal(xs_framework_host_copy(NULL, 0), XS_HOST_COPY_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators),
        cmocka_unit_test(long_names),
        cmocka_unit_test(nodes),
        cmocka_unit_test(cython),
        cmocka_unit_test(python),
        cmocka_unit_test(ranges),
        cmocka_unit_test(to_in_a_forward_pass),
        cmocka_unit_test(item_in_a_backward_pass),
        cmocka_unit_test(phases),
        cmocka_unit_test(by_ranges_and_threads),
        cmocka_unit_test(host_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names of frameworks as people know them, made from the names in stacks and NVTX ranges. Each function writes into
 * the caller's buffer of XS_FRAMEWORK_NAME bytes; it returns false and writes "" if the name is of another kind or
 * too long. The names come from a trace: escape them before printing. */
#ifndef XFERSPY_ANALYZER_TRACE_FRAMEWORK_FRAMEWORK_NAMES_H
#define XFERSPY_ANALYZER_TRACE_FRAMEWORK_FRAMEWORK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { XS_FRAMEWORK_NAME = 128 };

/* PyTorch's operator: "at::_ops::add__Tensor::call" is "aten::add_". PyTorch joins an operator and its overload into
 * one name ("to.dtype_layout" is "to_dtype_layout"); the overload is dropped where it can be recognised. */
bool xs_framework_operator(char *name, const char *function);

/* Autograd's function: "torch::autograd::generated::AddmmBackward0::apply" is "AddmmBackward0". */
bool xs_framework_node(char *name, const char *function);

/* Cython's function: "__pyx_pw_4cupy_5_core_4core_13_ndarray_base_131__matmul__" is "cupy.ndarray.__matmul__". */
bool xs_framework_cython(char *name, const char *function);

/* A Python function: "asarray" of ".../site-packages/cupy/_creation/from_data.py" is "cupy.asarray". False for a
 * function with a private name and for a file outside of packages. */
bool xs_framework_python(char *name, const char *file, const char *function);

/* An operator and its arguments as torch.autograd.profiler.emit_nvtx names a range: `name` is the part before the
 * first comma; with record_shapes, `sizes` (XS_FRAMEWORK_SIZES bytes) is "[[64, 512], []]" of "sizes = [[64, 512],
 * []]", and "" if there are none or they are too long. `length`: of the range's name. */
enum { XS_FRAMEWORK_SIZES = 256 };
void xs_framework_range(char *name, char *sizes, const char *range, size_t length);

#endif

/* Names of frameworks as people know them, from the names that stacks and NVTX ranges have. Everything is written into
 * the caller's buffer of XS_FRAMEWORK_NAME bytes; false and "" where the name is of another kind, or too long. The
 * names come from a trace: they are to be escaped where they are shown. */
#ifndef XFERSPY_ANALYZER_FRAMEWORK_NAMES_H
#define XFERSPY_ANALYZER_FRAMEWORK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { XS_FRAMEWORK_NAME = 128 };

/* PyTorch's operator: "at::_ops::add__Tensor::call" is "aten::add_". PyTorch makes one name of an operator and its
 * overload ("to.dtype_layout" is "to_dtype_layout"); the overload is left out where it can be told apart. */
bool xs_framework_operator(char *name, const char *function);

/* Autograd's function: "torch::autograd::generated::AddmmBackward0::apply" is "AddmmBackward0". */
bool xs_framework_node(char *name, const char *function);

/* Cython's function: "__pyx_pw_4cupy_5_core_4core_13_ndarray_base_131__matmul__" is "cupy.ndarray.__matmul__". */
bool xs_framework_cython(char *name, const char *function);

/* Python's: "asarray" of ".../site-packages/cupy/_creation/from_data.py" is "cupy.asarray". Not a function that is
 * private by its name, and no file outside of packages. */
bool xs_framework_python(char *name, const char *file, const char *function);

/* What torch.autograd.profiler.emit_nvtx made of an operator and its arguments: the name of a range up to the first
 * comma, and with record_shapes its "sizes = [[64, 512], []]" as "[[64, 512], []]" (XS_FRAMEWORK_SIZES bytes; "": none,
 * or too long). `length`: of the range's name. */
enum { XS_FRAMEWORK_SIZES = 256 };
void xs_framework_range(char *name, char *sizes, const char *range, size_t length);

#endif

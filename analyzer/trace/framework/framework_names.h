/* Converts the names in stacks and NVTX ranges into the names that users of a framework know. Each function writes into
 * the caller's buffer of XS_FRAMEWORK_NAME bytes; if the name is of another kind or too long, it writes "" and returns
 * false. The names come from a trace, so escape them before printing. */
#ifndef XFERSPY_ANALYZER_TRACE_FRAMEWORK_FRAMEWORK_NAMES_H
#define XFERSPY_ANALYZER_TRACE_FRAMEWORK_FRAMEWORK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { XS_FRAMEWORK_NAME = 128 };

/* Writes the name of PyTorch's operator: "at::_ops::add__Tensor::call" becomes "aten::add_". PyTorch joins an operator
 * and its overload into one name ("to.dtype_layout" is "to_dtype_layout"); the overload is removed if it can be
 * recognised. */
bool xs_framework_operator(char *name, const char *function);

/* Writes the name of autograd's function: "torch::autograd::generated::AddmmBackward0::apply" becomes
 * "AddmmBackward0". */
bool xs_framework_node(char *name, const char *function);

/* Writes the name of Cython's function: "__pyx_pw_4cupy_5_core_4core_13_ndarray_base_131__matmul__" becomes
 * "cupy.ndarray.__matmul__". */
bool xs_framework_cython(char *name, const char *function);

/* Writes the name of a Python function: "asarray" in ".../site-packages/cupy/_creation/from_data.py" becomes
 * "cupy.asarray". The function also returns false if the name of the Python function is private or the file is in no
 * installed package. */
bool xs_framework_python(char *name, const char *file, const char *function);

/* Splits the name of a range that torch.autograd.profiler.emit_nvtx made into an operator and the sizes of its
 * arguments. `name` gets the part before the first comma. `sizes` (XS_FRAMEWORK_SIZES bytes) gets "[[64, 512], []]"
 * from "sizes = [[64, 512], []]", which only record_shapes adds; it gets "" if there are no sizes or they are too long.
 * `length` is the length of the range's name. */
enum { XS_FRAMEWORK_SIZES = 256 };
void xs_framework_range(char *name, char *sizes, const char *range, size_t length);

#endif

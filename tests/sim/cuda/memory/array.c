/* Arrays and mipmapped arrays, laid out row after row. */
#include "sim.h"

#include <stdlib.h>

static size_t format_bytes(CUarray_format format) {
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

static CUresult make_array(const CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray *out) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS)
        result = xs_capture_unsafe();
    if (result != CUDA_SUCCESS)
        return result;
    size_t element = format_bytes(descriptor->Format) * descriptor->NumChannels;
    if (element == 0 || descriptor->Width == 0 || descriptor->NumChannels > 4 || descriptor->NumChannels == 3)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUarray_st *array = xs_handle_new(sizeof(*array));
    if (array == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    array->descriptor = *descriptor;
    array->context = context;
    array->element_bytes = element;
    array->pitch = descriptor->Width * element;
    array->rows = descriptor->Height > 0 ? descriptor->Height : 1;
    array->slices = descriptor->Depth > 0 ? descriptor->Depth : 1;
    array->bytes = array->pitch * array->rows * array->slices;
    result = xs_allocate_device(context, array->bytes, XS_ARRAY, &array->data);
    if (result != CUDA_SUCCESS) {
        xs_handle_free(array);
        return result;
    }
    *out = array;
    return CUDA_SUCCESS;
}

CUresult xs_array_span(CUarray array, size_t x_bytes, size_t y, size_t z, struct xs_span *out) {
    if (array == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (x_bytes > array->pitch || y > array->rows || z > array->slices)
        return CUDA_ERROR_INVALID_VALUE;
    size_t slice = array->pitch * array->rows;
    *out = (struct xs_span){.base = (char *)(array->data + x_bytes + y * array->pitch + z * slice),
                            .pitch = array->pitch,
                            .slice = slice,
                            .kind = XS_ARRAY,
                            .device = array->context->device};
    return CUDA_SUCCESS;
}

CUresult xs_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
    if (pHandle == NULL || pAllocateArray == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = pAllocateArray->Width,
                                          .Height = pAllocateArray->Height,
                                          .Format = pAllocateArray->Format,
                                          .NumChannels = pAllocateArray->NumChannels};
    return make_array(&descriptor, pHandle);
}

CUresult xs_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
    return pHandle == NULL || pAllocateArray == NULL ? CUDA_ERROR_INVALID_VALUE : make_array(pAllocateArray, pHandle);
}

CUresult xs_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    if (pArrayDescriptor == NULL || hArray == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR *from = &hArray->descriptor;
    *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){from->Width, from->Height, from->Format, from->NumChannels};
    return CUDA_SUCCESS;
}

CUresult xs_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    if (pArrayDescriptor == NULL || hArray == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pArrayDescriptor = hArray->descriptor;
    return CUDA_SUCCESS;
}

static void destroy(struct CUarray_st *array) {
    struct xs_allocation removed;
    xs_device_drain(array->context->device);
    if (xs_map_remove(array->data, 1u << XS_ARRAY, &removed))
        xs_release_allocation(&removed);
    xs_handle_free(array);
}

CUresult xs_cuArrayDestroy(CUarray hArray) {
    struct CUctx_st *context;
    CUresult result = xs_need_context(&context);
    if (result == CUDA_SUCCESS)
        result = xs_capture_unsafe();
    if (result != CUDA_SUCCESS)
        return result;
    if (hArray == NULL || hArray->borrowed)
        return CUDA_ERROR_INVALID_HANDLE;
    destroy(hArray);
    return CUDA_SUCCESS;
}

CUresult xs_cuMipmappedArrayCreate(CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                   unsigned int numMipmapLevels) {
    if (pHandle == NULL || pMipmappedArrayDesc == NULL || numMipmapLevels == 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUmipmappedArray_st *mipmap = xs_handle_new(sizeof(*mipmap));
    if (mipmap == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUDA_ARRAY3D_DESCRIPTOR descriptor = *pMipmappedArrayDesc;
    for (unsigned i = 0; i < numMipmapLevels && i < XS_COUNT(mipmap->level); i++) {
        CUresult result = make_array(&descriptor, &mipmap->level[i]);
        if (result != CUDA_SUCCESS) {
            xs_cuMipmappedArrayDestroy(mipmap);
            return result;
        }
        mipmap->level[i]->borrowed = true;
        mipmap->levels++;
        descriptor.Width = descriptor.Width > 1 ? descriptor.Width / 2 : 1;
        descriptor.Height = descriptor.Height > 1 ? descriptor.Height / 2 : descriptor.Height;
        descriptor.Depth = descriptor.Depth > 1 ? descriptor.Depth / 2 : descriptor.Depth;
    }
    *pHandle = mipmap;
    return CUDA_SUCCESS;
}

CUresult xs_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned int level) {
    if (pLevelArray == NULL || hMipmappedArray == NULL || level >= hMipmappedArray->levels)
        return CUDA_ERROR_INVALID_VALUE;
    *pLevelArray = hMipmappedArray->level[level];
    return CUDA_SUCCESS;
}

CUresult xs_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray) {
    if (hMipmappedArray == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    for (unsigned i = 0; i < hMipmappedArray->levels; i++)
        destroy(hMipmappedArray->level[i]);
    xs_handle_free(hMipmappedArray);
    return CUDA_SUCCESS;
}

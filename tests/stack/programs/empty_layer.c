/* A layer of the OpenCL loader that sees no call: what any layer costs. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <string.h>

cl_int clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *needed) {
    cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (name != CL_LAYER_API_VERSION || (value && size < sizeof version)) return CL_INVALID_VALUE;
    if (value) memcpy(value, &version, sizeof version);
    if (needed) *needed = sizeof version;
    return CL_SUCCESS;
}

cl_int clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target, cl_uint *own_entries, const struct _cl_icd_dispatch **own) {
    static struct _cl_icd_dispatch nothing;
    (void)entries, (void)target;
    *own_entries = sizeof nothing / sizeof(void *);
    *own = &nothing;
    return CL_SUCCESS;
}

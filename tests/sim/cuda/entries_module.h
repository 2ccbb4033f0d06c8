/* The driver entry points for modules, libraries, functions and launches: one row each.
 *
 * Each row is EARLY, BARE, PLAIN, PTDS or PTSZ (name, symbol, since, (parameters), (arguments)): the name for
 * cuGetProcAddress, the exported symbol, the first CUDA version that has it, and its signature. EARLY entry points work
 * before cuInit. BARE entry points have no parameters structure in CUPTI. PTDS and PTSZ entry points have a second
 * symbol with this suffix, for programs whose default stream is per thread. A file that includes this one must define
 * the five macros. */

PLAIN(cuModuleLoad, cuModuleLoad, 2000, (CUmodule * module, const char *fname), (module, fname))
PLAIN(cuModuleLoadData, cuModuleLoadData, 2000, (CUmodule * module, const void *image), (module, image))
PLAIN(cuModuleLoadDataEx, cuModuleLoadDataEx, 2010,
      (CUmodule * module, const void *image, unsigned int numOptions, CUjit_option *options, void **optionValues),
      (module, image, numOptions, options, optionValues))
PLAIN(cuModuleLoadFatBinary, cuModuleLoadFatBinary, 2000, (CUmodule * module, const void *fatCubin), (module, fatCubin))
PLAIN(cuModuleUnload, cuModuleUnload, 2000, (CUmodule hmod), (hmod))
PLAIN(cuModuleGetLoadingMode, cuModuleGetLoadingMode, 11070, (CUmoduleLoadingMode * mode), (mode))
PLAIN(cuModuleGetFunction, cuModuleGetFunction, 2000, (CUfunction * hfunc, CUmodule hmod, const char *name),
      (hfunc, hmod, name))
PLAIN(cuModuleGetGlobal, cuModuleGetGlobal_v2, 3020,
      (CUdeviceptr * dptr, size_t *bytes, CUmodule hmod, const char *name), (dptr, bytes, hmod, name))
PLAIN(cuModuleGetFunctionCount, cuModuleGetFunctionCount, 12040, (unsigned int *count, CUmodule mod), (count, mod))
PLAIN(cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 12040,
      (CUfunction * functions, unsigned int numFunctions, CUmodule mod), (functions, numFunctions, mod))
PLAIN(cuLibraryLoadData, cuLibraryLoadData, 12000,
      (CUlibrary * library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
       unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
       unsigned int numLibraryOptions),
      (library, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
       numLibraryOptions))
PLAIN(cuLibraryLoadFromFile, cuLibraryLoadFromFile, 12000,
      (CUlibrary * library, const char *fileName, CUjit_option *jitOptions, void **jitOptionsValues,
       unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
       unsigned int numLibraryOptions),
      (library, fileName, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues,
       numLibraryOptions))
PLAIN(cuLibraryUnload, cuLibraryUnload, 12000, (CUlibrary library), (library))
PLAIN(cuLibraryGetKernel, cuLibraryGetKernel, 12000, (CUkernel * pKernel, CUlibrary library, const char *name),
      (pKernel, library, name))
PLAIN(cuLibraryGetKernelCount, cuLibraryGetKernelCount, 12040, (unsigned int *count, CUlibrary lib), (count, lib))
PLAIN(cuLibraryEnumerateKernels, cuLibraryEnumerateKernels, 12040,
      (CUkernel * kernels, unsigned int numKernels, CUlibrary lib), (kernels, numKernels, lib))
PLAIN(cuLibraryGetModule, cuLibraryGetModule, 12000, (CUmodule * pMod, CUlibrary library), (pMod, library))
PLAIN(cuLibraryGetGlobal, cuLibraryGetGlobal, 12000,
      (CUdeviceptr * dptr, size_t *bytes, CUlibrary library, const char *name), (dptr, bytes, library, name))
PLAIN(cuLibraryGetManaged, cuLibraryGetManaged, 12000,
      (CUdeviceptr * dptr, size_t *bytes, CUlibrary library, const char *name), (dptr, bytes, library, name))
PLAIN(cuKernelGetFunction, cuKernelGetFunction, 12000, (CUfunction * pFunc, CUkernel kernel), (pFunc, kernel))
PLAIN(cuKernelGetLibrary, cuKernelGetLibrary, 12050, (CUlibrary * pLib, CUkernel kernel), (pLib, kernel))
PLAIN(cuKernelGetAttribute, cuKernelGetAttribute, 12000,
      (int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev), (pi, attrib, kernel, dev))
PLAIN(cuKernelSetAttribute, cuKernelSetAttribute, 12000,
      (CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev), (attrib, val, kernel, dev))
PLAIN(cuKernelSetCacheConfig, cuKernelSetCacheConfig, 12000, (CUkernel kernel, CUfunc_cache config, CUdevice dev),
      (kernel, config, dev))
PLAIN(cuKernelGetName, cuKernelGetName, 12030, (const char **name, CUkernel hfunc), (name, hfunc))
PLAIN(cuKernelGetParamInfo, cuKernelGetParamInfo, 12040,
      (CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize),
      (kernel, paramIndex, paramOffset, paramSize))
PLAIN(cuFuncGetModule, cuFuncGetModule, 11000, (CUmodule * hmod, CUfunction hfunc), (hmod, hfunc))
PLAIN(cuFuncGetAttribute, cuFuncGetAttribute, 2020, (int *pi, CUfunction_attribute attrib, CUfunction hfunc),
      (pi, attrib, hfunc))
PLAIN(cuFuncSetAttribute, cuFuncSetAttribute, 9000, (CUfunction hfunc, CUfunction_attribute attrib, int value),
      (hfunc, attrib, value))
PLAIN(cuFuncSetCacheConfig, cuFuncSetCacheConfig, 3000, (CUfunction hfunc, CUfunc_cache config), (hfunc, config))
PLAIN(cuFuncGetName, cuFuncGetName, 12030, (const char **name, CUfunction hfunc), (name, hfunc))
PLAIN(cuFuncGetParamInfo, cuFuncGetParamInfo, 12040,
      (CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize),
      (func, paramIndex, paramOffset, paramSize))
PLAIN(cuFuncIsLoaded, cuFuncIsLoaded, 12040, (CUfunctionLoadingState * state, CUfunction function), (state, function))
PLAIN(cuFuncLoad, cuFuncLoad, 12040, (CUfunction function), (function))
PTSZ(cuLaunchKernel, cuLaunchKernel, 4000,
     (CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
      unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
      void **kernelParams, void **extra),
     (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams, extra))
PTSZ(cuLaunchKernelEx, cuLaunchKernelEx, 11060,
     (const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra), (config, f, kernelParams, extra))
PTSZ(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000,
     (CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX,
      unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
      void **kernelParams),
     (f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams))
PTSZ(cuLaunchHostFunc, cuLaunchHostFunc, 10000, (CUstream hStream, CUhostFn fn, void *userData),
     (hStream, fn, userData))
PLAIN(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050,
      (int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize),
      (numBlocks, func, blockSize, dynamicSMemSize))
PLAIN(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000,
      (int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize, unsigned int flags),
      (numBlocks, func, blockSize, dynamicSMemSize, flags))
PLAIN(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 6050,
      (int *minGridSize, int *blockSize, CUfunction func, CUoccupancyB2DSize blockSizeToDynamicSMemSize,
       size_t dynamicSMemSize, int blockSizeLimit),
      (minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit))
PLAIN(cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock, 10020,
      (size_t * dynamicSmemSize, CUfunction func, int numBlocks, int blockSize),
      (dynamicSmemSize, func, numBlocks, blockSize))

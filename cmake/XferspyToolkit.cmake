# Looks for the CUDA toolkit. Sets
#   XFERSPY_HAVE_TOOLKIT       cuda.h of CUDA 13 or newer and cupti.h are there: libxferspy.so can be built
#   XFERSPY_CUDA_INCLUDE_DIRS  their folders
#   XFERSPY_HAVE_NVCC          CUDA sources can be compiled; the CUDA language is enabled
# and the interface target xferspy_cuda_headers. Nothing of the toolkit is ever linked into the library.
set(XFERSPY_HAVE_TOOLKIT OFF)
set(XFERSPY_HAVE_NVCC OFF)
set(XFERSPY_CUDA_INCLUDE_DIRS "")
set(minimum_cuda 13000)

if(NOT XFERSPY_CUDA_ROOT AND NOT "$ENV{XFERSPY_CUDA_ROOT}" STREQUAL "")
    set(XFERSPY_CUDA_ROOT "$ENV{XFERSPY_CUDA_ROOT}" CACHE PATH "CUDA toolkit, where it is not found by itself" FORCE)
endif()

# An explicit root is the only place looked at: a wrong one must not be papered over by another toolkit.
if(XFERSPY_CUDA_ROOT)
    set(cuda_roots "${XFERSPY_CUDA_ROOT}")
    set(CUDAToolkit_ROOT "${XFERSPY_CUDA_ROOT}")
else()
    set(cuda_roots "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}")
endif()
if(NOT CMAKE_CROSSCOMPILING)
    # The module of CMake 3.25, which Debian 12 has, takes it that each toolkit has a library that CUDA 13 has no more:
    # an error, but only in projects that ask for CMake 3.25.
    set(required_version "${CMAKE_MINIMUM_REQUIRED_VERSION}")
    set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
    find_package(CUDAToolkit QUIET)
    set(CMAKE_MINIMUM_REQUIRED_VERSION "${required_version}")
endif()
if(NOT XFERSPY_CUDA_ROOT)
    if(CUDAToolkit_FOUND)
        list(APPEND cuda_roots "${CUDAToolkit_TARGET_DIR}" "${CUDAToolkit_BIN_DIR}/..")
    endif()
    list(APPEND cuda_roots /usr/local/cuda /opt/cuda)
endif()
list(REMOVE_ITEM cuda_roots "")
list(REMOVE_DUPLICATES cuda_roots)

# What was found below another root is no longer true.
if(NOT "${XFERSPY_CUDA_ROOT}" STREQUAL "${XFERSPY_CUDA_ROOT_SEARCHED}")
    unset(XFERSPY_CUDA_H_DIR CACHE)
    unset(XFERSPY_CUPTI_H_DIR CACHE)
    unset(XFERSPY_NVCC CACHE)
endif()
set(XFERSPY_CUDA_ROOT_SEARCHED "${XFERSPY_CUDA_ROOT}" CACHE INTERNAL "")

# The headers do not depend on the machine they are for, so a cross build takes this machine's.
set(header_folders include targets/x86_64-linux/include targets/sbsa-linux/include targets/aarch64-linux/include)
set(find_options PATHS ${cuda_roots} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
find_path(XFERSPY_CUDA_H_DIR cuda.h ${find_options} PATH_SUFFIXES ${header_folders})
find_path(XFERSPY_CUPTI_H_DIR cupti.h ${find_options} PATH_SUFFIXES ${header_folders} extras/CUPTI/include)
mark_as_advanced(XFERSPY_CUDA_H_DIR XFERSPY_CUPTI_H_DIR)

if(NOT XFERSPY_CUDA_H_DIR OR NOT XFERSPY_CUPTI_H_DIR)
    set(why "cuda.h and cupti.h were not found in ${cuda_roots}")
else()
    file(STRINGS "${XFERSPY_CUDA_H_DIR}/cuda.h" cuda_version_line REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX REPLACE "[^0-9]*([0-9]+).*" "\\1" cuda_version "${cuda_version_line}")
    if(cuda_version GREATER_EQUAL minimum_cuda)
        set(XFERSPY_HAVE_TOOLKIT ON)
        set(XFERSPY_CUDA_INCLUDE_DIRS "${XFERSPY_CUDA_H_DIR}" "${XFERSPY_CUPTI_H_DIR}")
        list(REMOVE_DUPLICATES XFERSPY_CUDA_INCLUDE_DIRS)
    else()
        set(why "${XFERSPY_CUDA_H_DIR}/cuda.h is of version ${cuda_version}, ${minimum_cuda} is needed")
    endif()
endif()

if(NOT XFERSPY_HAVE_TOOLKIT)
    message(STATUS "CUDA toolkit: no. libxferspy.so, the simulated GPU and the end-to-end tests are left out: ${why}. "
        "Point XFERSPY_CUDA_ROOT or CUDA_HOME at a toolkit to have them.")
    return()
endif()

add_library(xferspy_cuda_headers INTERFACE)
target_include_directories(xferspy_cuda_headers SYSTEM INTERFACE ${XFERSPY_CUDA_INCLUDE_DIRS})

# nvcc is needed for CUDA sources of tests and examples only; whatever is wrong with it must not stop the rest.
if(NOT CMAKE_CROSSCOMPILING)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 80) # machine code for sm_80, and its PTX for everything newer
    endif()
    if(NOT DEFINED CMAKE_CUDA_RUNTIME_LIBRARY)
        set(CMAKE_CUDA_RUNTIME_LIBRARY Shared) # the simulated GPU stands in for a shared runtime, not for a static one
    endif()
    find_program(XFERSPY_NVCC nvcc PATHS ${cuda_roots} PATH_SUFFIXES bin NO_DEFAULT_PATH)
    mark_as_advanced(XFERSPY_NVCC)
    # By the environment: check_language() tries nothing once CMAKE_CUDA_COMPILER is set.
    if(XFERSPY_NVCC AND NOT DEFINED ENV{CUDACXX})
        set(ENV{CUDACXX} "${XFERSPY_NVCC}")
    endif()
    if(XFERSPY_NVCC OR NOT XFERSPY_CUDA_ROOT)
        include(CheckLanguage)
        if(NOT CMAKE_CUDA_COMPILER)
            unset(CMAKE_CUDA_COMPILER CACHE) # nvcc may have come since
        endif()
        check_language(CUDA)
    endif()
    if(CMAKE_CUDA_COMPILER)
        enable_language(CUDA)
        set(CMAKE_CUDA_STANDARD 17)
        set(XFERSPY_HAVE_NVCC ON)
    endif()
endif()
if(XFERSPY_HAVE_NVCC)
    message(STATUS "CUDA toolkit: headers ${XFERSPY_CUDA_INCLUDE_DIRS}, compiler ${CMAKE_CUDA_COMPILER}")
else()
    message(STATUS "CUDA toolkit: headers ${XFERSPY_CUDA_INCLUDE_DIRS}; no working nvcc, so CUDA sources are left out")
endif()

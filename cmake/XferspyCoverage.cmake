# XFERSPY_COVERAGE: everything of C counts which of its lines run, for scripts/coverage. gcc's counters are written by a
# destructor in each binary, so also by the destructor of libxferspy.so in a program that knows nothing of it.
option(XFERSPY_COVERAGE "Count which lines run (gcc), for scripts/coverage" OFF)
if(NOT XFERSPY_COVERAGE)
    return()
endif()
if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "XFERSPY_COVERAGE: the counters are gcc's, and the compiler is ${CMAKE_C_COMPILER_ID}")
endif()
# Not optimised, so that a line is a line; threads share the counters, so they are atomic.
add_compile_options("$<$<COMPILE_LANGUAGE:C>:--coverage;-fprofile-update=atomic;-O0>")
add_link_options("$<$<LINK_LANGUAGE:C>:--coverage>")

# `_exit` runs no destructors. The children of `xferspy` end by it, and write their counters first.
function(xferspy_coverage_of_children)
    target_sources(xferspy PRIVATE "${PROJECT_SOURCE_DIR}/cmake/coverage_exit.c")
    target_link_options(xferspy PRIVATE -Wl,--wrap=_exit)
endfunction()
cmake_language(DEFER CALL xferspy_coverage_of_children)

# Language, warnings and optimisation for every C target below. They are directory properties so that no target can be
# forgotten; CUDA sources keep nvcc's own.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Assertions cost a wrapper little but not nothing: Debug, which the tests use, has them.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

set(XFERSPY_WARNINGS -Wall -Wextra -Wshadow -Wconversion)
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${XFERSPY_WARNINGS}>")
if(XFERSPY_WERROR)
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-Werror>")
endif()
# No path of the building machine in what is shipped, nor the name of the build folder. The last that matches counts.
add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release>>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>"
    "$<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release>>:-ffile-prefix-map=${PROJECT_BINARY_DIR}=build>")
add_compile_definitions("$<$<COMPILE_LANGUAGE:C>:XFERSPY_VERSION=\"${PROJECT_VERSION}\">")
# Headers are named from the top: "schema/format/event.h".
include_directories("${PROJECT_SOURCE_DIR}")

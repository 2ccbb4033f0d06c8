# The page of `xferspy html`: bundles analyzer/commands/html/web by npm and esbuild. Sets XFERSPY_HAVE_HTML, and
# XFERSPY_HTML_PAGE to the folder with head.html and tail.html, which the target xferspy_html_page makes. Optional:
# without npm the program is built all the same.
option(XFERSPY_HTML "Build the page of `xferspy html`, where npm and Node.js are found" ON)
set(XFERSPY_HAVE_HTML OFF)
set(web "${PROJECT_SOURCE_DIR}/analyzer/commands/html/web")
set(XFERSPY_HTML_PAGE "${PROJECT_BINARY_DIR}/html")
if(NOT XFERSPY_HTML)
    message(STATUS "html: no, it is switched off (XFERSPY_HTML).")
    return()
endif()
# Programs of this machine, also where what is built is for another one.
find_program(XFERSPY_NODE NAMES node nodejs NO_CMAKE_FIND_ROOT_PATH)
find_program(XFERSPY_NPM NAMES npm NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(XFERSPY_NODE XFERSPY_NPM)
if(NOT XFERSPY_NODE OR NOT XFERSPY_NPM)
    message(STATUS "html: no. `xferspy html` is left out: npm and Node.js were not found; "
        "the packages are nodejs and npm.")
    return()
endif()

execute_process(COMMAND "${XFERSPY_NODE}" --version RESULT_VARIABLE failed OUTPUT_VARIABLE node_version
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "v" "" node_version "${node_version}")
if(failed OR node_version VERSION_LESS 18)
    message(STATUS "html: no. `xferspy html` is left out: Node.js 18 or newer is needed, "
        "${XFERSPY_NODE} is \"${node_version}\".")
    return()
endif()

# The modules are installed beside the page and not in the sources, and again only when the lock file changes.
file(SHA256 "${web}/package-lock.json" locked)
set(stamp "${XFERSPY_HTML_PAGE}/installed")
set(installed "")
if(EXISTS "${stamp}")
    file(READ "${stamp}" installed)
endif()
if(NOT installed STREQUAL locked)
    message(STATUS "html: installing the page's modules (npm ci)")
    file(MAKE_DIRECTORY "${XFERSPY_HTML_PAGE}")
    file(COPY "${web}/package.json" "${web}/package-lock.json" DESTINATION "${XFERSPY_HTML_PAGE}")
    execute_process(COMMAND "${XFERSPY_NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
        --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=60000
        WORKING_DIRECTORY "${XFERSPY_HTML_PAGE}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why TIMEOUT 300)
    if(failed)
        string(REGEX REPLACE "\n.*" "" why "${why}")
        message(STATUS "html: no. `xferspy html` is left out: npm ci failed (${why})")
        return()
    endif()
    # The bundler is a program of its own, which may not run here.
    execute_process(COMMAND "${XFERSPY_NODE}" -e "require('esbuild').transformSync('')"
        WORKING_DIRECTORY "${XFERSPY_HTML_PAGE}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET TIMEOUT 60)
    if(failed)
        message(STATUS "html: no. `xferspy html` is left out: esbuild does not run on this machine.")
        return()
    endif()
    file(WRITE "${stamp}" "${locked}")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${web}/package-lock.json")

file(GLOB sources CONFIGURE_DEPENDS "${web}/src/*.js" "${web}/src/*.css" "${web}/src/*.html"
    "${PROJECT_SOURCE_DIR}/docs/rules/findings/*.md")
add_custom_command(OUTPUT "${XFERSPY_HTML_PAGE}/head.html" "${XFERSPY_HTML_PAGE}/tail.html"
    COMMAND "${XFERSPY_NODE}" "${web}/build.mjs" "${XFERSPY_HTML_PAGE}"
    DEPENDS ${sources} "${web}/build.mjs" "${web}/guides.mjs" "${stamp}"
    COMMENT "Bundling the page of xferspy html" VERBATIM)
add_custom_target(xferspy_html_page DEPENDS "${XFERSPY_HTML_PAGE}/head.html" "${XFERSPY_HTML_PAGE}/tail.html")
set(XFERSPY_HAVE_HTML ON)

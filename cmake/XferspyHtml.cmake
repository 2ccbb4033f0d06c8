# The page of `xferspy html`: bundles analyzer/commands/html/web by npm and esbuild. Sets XFERSPY_HAVE_HTML, and
# XFERSPY_HTML_PAGE to the folder with head.html and tail.html, which the target xferspy_html_page makes. Optional:
# without npm the program is built all the same. The build alone uses the network, for `npm ci`; with
# XFERSPY_HTML_MODULES nothing does.
option(XFERSPY_HTML "Build the page of `xferspy html`, where npm and Node.js are found" ON)
set(XFERSPY_HTML_MODULES "" CACHE PATH "A node_modules as the page's package-lock.json says; empty: npm ci installs one")
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
if(NOT XFERSPY_NODE OR NOT (XFERSPY_NPM OR XFERSPY_HTML_MODULES))
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
set(stamp "${XFERSPY_HTML_PAGE}/installed")
add_custom_command(OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" "-DNODE=${XFERSPY_NODE}" "-DNPM=${XFERSPY_NPM}" "-DMODULES=${XFERSPY_HTML_MODULES}"
        "-DWEB=${web}" "-DTO=${XFERSPY_HTML_PAGE}" -P "${PROJECT_SOURCE_DIR}/cmake/install_modules.cmake"
    DEPENDS "${web}/package.json" "${web}/package-lock.json" "${PROJECT_SOURCE_DIR}/cmake/install_modules.cmake"
    COMMENT "Installing the modules of the page of xferspy html" VERBATIM)

file(GLOB sources CONFIGURE_DEPENDS "${web}/src/*.js" "${web}/src/*.css" "${web}/src/*.html"
    "${PROJECT_SOURCE_DIR}/docs/rules/findings/*.md")
add_custom_command(OUTPUT "${XFERSPY_HTML_PAGE}/head.html" "${XFERSPY_HTML_PAGE}/tail.html"
    COMMAND "${XFERSPY_NODE}" "${web}/build.mjs" "${XFERSPY_HTML_PAGE}"
    DEPENDS ${sources} "${web}/build.mjs" "${web}/guides.mjs" "${stamp}"
    COMMENT "Bundling the page of xferspy html" VERBATIM)
add_custom_target(xferspy_html_page DEPENDS "${XFERSPY_HTML_PAGE}/head.html" "${XFERSPY_HTML_PAGE}/tail.html")
set(XFERSPY_HAVE_HTML ON)

# What is installed, and where; in the components library, tools, docs and development. Man pages and completions are
# made of the program itself, so a build for another machine goes without them.
set(generated "${PROJECT_BINARY_DIR}/share")

# The date in man pages is the date of the sources, so that the same sources give the same pages.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    find_package(Git QUIET)
    if(GIT_FOUND)
        execute_process(COMMAND "${GIT_EXECUTABLE}" log -1 --format=%ct WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
            OUTPUT_VARIABLE epoch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(epoch)
            set(ENV{SOURCE_DATE_EPOCH} "${epoch}") # of this run of cmake alone; what follows may ask for it
        endif()
    endif()
endif()
string(TIMESTAMP source_date "%Y-%m-%d" UTC)

install(TARGETS xferspy RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
if(XFERSPY_HAVE_TOOLKIT)
    install(TARGETS xferspy_preload LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library)
endif()
# The pages in the folders that they have in the sources, and all that they link to: the examples, and what tests/ says
# in pages. tests/package looks for links that lead nowhere.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT docs)
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT docs FILES_MATCHING PATTERN "*.md"
    PATTERN "*.schema.json" PATTERN "*.png" PATTERN "*.cu" PATTERN "*.cuh" PATTERN "*.py"
    PATTERN "__pycache__" EXCLUDE)
file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/tests/*.md")
list(FILTER pages EXCLUDE REGEX "/node_modules/")
foreach(page IN LISTS pages)
    get_filename_component(folder "${page}" DIRECTORY)
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}" COMPONENT docs)
endforeach()
install(FILES LICENSE packaging/copyright DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT tools)
install(DIRECTORY packaging/licenses DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT tools)
# For those who read traces with code of their own: the tables, and the numbers in them.
install(FILES "${PROJECT_BINARY_DIR}/schema/generated/schema.sql" DESTINATION "${CMAKE_INSTALL_DATADIR}/xferspy"
    COMPONENT development)
# The package of Python, which PYTHONPATH can name; a wheel has it where Python looks.
install(DIRECTORY python DESTINATION "${CMAKE_INSTALL_DATADIR}/xferspy" COMPONENT development FILES_MATCHING
    PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
# For programs that ask the library while they run.
install(FILES preload/application/xferspy.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/xferspy" COMPONENT development)
install(FILES schema/format/kinds.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/xferspy" COMPONENT development)

if(CMAKE_CROSSCOMPILING OR XFERSPY_SANITIZE)
    message(STATUS "Man pages and completions: no, this build's program is for another machine or for a sanitizer.")
    return()
endif()

set(bash_completion "${generated}/bash-completion/completions/xferspy")
set(zsh_completion "${generated}/zsh/site-functions/_xferspy")
set(fish_completion "${generated}/fish/vendor_completions.d/xferspy.fish")
set(stamp "${generated}/stamp")
add_custom_command(OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${generated}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${generated}/man" "${generated}/bash-completion/completions"
        "${generated}/zsh/site-functions" "${generated}/fish/vendor_completions.d"
    COMMAND xferspy completion bash -o "${bash_completion}"
    COMMAND xferspy completion zsh -o "${zsh_completion}"
    COMMAND xferspy completion fish -o "${fish_completion}"
    COMMAND xferspy_man "${generated}/man" "${source_date}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS xferspy xferspy_man COMMENT "Man pages and completions" VERBATIM)
add_custom_target(xferspy_share ALL DEPENDS "${stamp}")

install(FILES "${bash_completion}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" COMPONENT tools)
install(FILES "${zsh_completion}" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" COMPONENT tools)
install(FILES "${fish_completion}" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT tools)
foreach(section 1 7)
    install(DIRECTORY "${generated}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}" COMPONENT tools
        FILES_MATCHING PATTERN "*.${section}")
endforeach()

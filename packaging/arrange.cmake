# Run by cpack when the files of a package lie in a folder, before they are packed: puts them where the kind of package
# wants them. Everything gets the time of the sources and permissions that follow from what it is, so that the same
# sources make the same package.
set(root "${CPACK_TEMPORARY_DIRECTORY}")

function(move from to)
    file(GLOB found "${root}/${from}")
    foreach(file IN LISTS found)
        file(MAKE_DIRECTORY "${root}/${to}")
        get_filename_component(name "${file}" NAME)
        file(RENAME "${file}" "${root}/${to}/${name}")
    endforeach()
endfunction()

function(run)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${root}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

if(CPACK_GENERATOR STREQUAL "RPM")
    # Where the loader of 64-bit systems looks without being told.
    move("usr/lib/libxferspy.so" usr/lib64)
    move("usr/lib/*/libxferspy.so" usr/lib64)
    file(REMOVE_RECURSE "${root}/usr/lib")
elseif(CPACK_GENERATOR STREQUAL "DEB")
    move("usr/share/zsh/site-functions/_xferspy" usr/share/zsh/vendor-completions)
    file(REMOVE_RECURSE "${root}/usr/share/zsh/site-functions")
    file(COPY_FILE "${root}/usr/share/doc/xferspy/CHANGELOG.md" "${root}/usr/share/doc/xferspy/changelog")
    run(gzip -9n usr/share/doc/xferspy/changelog)
endif()
if(CPACK_GENERATOR STREQUAL "DEB" AND CPACK_XFERSPY_SHLIBDEPS)
    # The libraries that the two need, as packages. The tool wants to be beside a debian/control.
    set(control "${CPACK_TEMPORARY_DIRECTORY}.control")
    file(WRITE "${control}/debian/control" "Source: xferspy\n\nPackage: xferspy\nArchitecture: any\n")
    file(GLOB binaries "${root}/usr/bin/*" "${root}/usr/lib/*.so" "${root}/usr/lib/*/*.so")
    execute_process(COMMAND "${CPACK_XFERSPY_SHLIBDEPS}" -O ${binaries} WORKING_DIRECTORY "${control}"
        OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE "${control}")
    if(NOT depends MATCHES "shlibs:Depends=([^\n]+)")
        message(FATAL_ERROR "dpkg-shlibdeps knows nothing that xferspy depends on: ${depends}")
    endif()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
endif()
if(CPACK_GENERATOR MATCHES "DEB|RPM")
    file(GLOB pages "${root}/usr/share/man/man*/*.[1-9]")
    if(pages)
        run(gzip -9n ${pages})
    endif()
endif()

run(chmod -R u=rwX,go=rX .)
if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "" AND NOT "${CPACK_XFERSPY_EPOCH}" STREQUAL "")
    set(ENV{SOURCE_DATE_EPOCH} "${CPACK_XFERSPY_EPOCH}") # rpmbuild reads it, too
endif()
if(NOT "$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
    run(find . -exec touch -h -d "@$ENV{SOURCE_DATE_EPOCH}" {} +)
endif()

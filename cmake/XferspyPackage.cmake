# deb, rpm and tar.gz, by `cpack` in the build folder (`make package`). One package with everything: the program is of
# little use without its library.
set(XFERSPY_MAINTAINER "The xferspy maintainers <maintainers@xferspy.invalid>" CACHE STRING "Who made the packages")

set(CPACK_PACKAGE_NAME xferspy)
set(CPACK_PACKAGE_VENDOR "xferspy")
set(CPACK_PACKAGE_CONTACT "${XFERSPY_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION_FILE "${PROJECT_SOURCE_DIR}/packaging/description")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
string(TOLOWER "${CMAKE_SYSTEM_NAME}" system)
set(CPACK_PACKAGE_FILE_NAME "xferspy-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/arrange.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/sort_tar.cmake")
set(CPACK_XFERSPY_EPOCH "$ENV{SOURCE_DATE_EPOCH}") # from XferspyInstall

find_program(XFERSPY_SHLIBDEPS dpkg-shlibdeps)
find_program(XFERSPY_RPMBUILD rpmbuild)
mark_as_advanced(XFERSPY_SHLIBDEPS XFERSPY_RPMBUILD)
set(CPACK_GENERATOR TGZ)
if(XFERSPY_SHLIBDEPS)
    list(APPEND CPACK_GENERATOR DEB)
endif()
if(XFERSPY_RPMBUILD)
    list(APPEND CPACK_GENERATOR RPM)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# dpkg-shlibdeps is asked by arrange.cmake: cpack's own way adds scripts that call ldconfig, where a trigger of dpkg
# does.
set(CPACK_XFERSPY_SHLIBDEPS "${XFERSPY_SHLIBDEPS}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/deb/triggers")
if(CMAKE_CROSSCOMPILING) # the tool knows the libraries of this machine
    set(CPACK_XFERSPY_SHLIBDEPS "")
    set(CPACK_DEBIAN_PACKAGE_DEPENDS libc6)
    string(REGEX REPLACE "^aarch64$" "arm64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE "${CMAKE_SYSTEM_PROCESSOR}")
    set(CPACK_RPM_PACKAGE_ARCHITECTURE "${CMAKE_SYSTEM_PROCESSOR}")
endif()

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
string(CONCAT CPACK_RPM_PACKAGE_LICENSE
    "Apache-2.0 AND LGPL-3.0-or-later AND LGPL-2.0-or-later AND GPL-2.0-or-later AND Zlib AND bzip2-1.0.6"
    " AND BSD-3-Clause AND BSD-2-Clause AND BSD-1-Clause AND 0BSD")
set(CPACK_RPM_PACKAGE_AUTOREQ ON)
set(CPACK_RPM_COMPRESSION_TYPE xz)
# No links to build ids, which belong to no package of a distribution; the same sources give the same file.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global _build_id_links none
%global debug_package %{nil}
%global _buildhost localhost
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1")
# Folders that belong to other packages.
foreach(folder lib64 include share share/man share/man/man1 share/man/man7 share/doc share/bash-completion
        share/bash-completion/completions share/zsh share/zsh/site-functions share/fish share/fish/vendor_completions.d)
    list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION "/usr/${folder}")
endforeach()
include(CPack)

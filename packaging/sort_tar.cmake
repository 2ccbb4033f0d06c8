# Run by cpack when a package is made. Its tar file has the files in the order in which the file system lists them, and
# the owner who built them: this makes it again, sorted and of root.
if(CPACK_GENERATOR STREQUAL "TGZ")
    get_filename_component(folder "${CPACK_TEMPORARY_DIRECTORY}" DIRECTORY)
    get_filename_component(name "${CPACK_TEMPORARY_DIRECTORY}" NAME)
    execute_process(COMMAND tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf - "${name}"
        COMMAND gzip -9n WORKING_DIRECTORY "${folder}" OUTPUT_FILE "${CPACK_PACKAGE_FILES}"
        COMMAND_ERROR_IS_FATAL ANY)
endif()

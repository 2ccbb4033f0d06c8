# Installs the modules of the page of `xferspy html`, in a step of the build:
# cmake -DNODE=PROGRAM -DNPM=PROGRAM -DWEB=FOLDER -DTO=FOLDER [-DMODULES=FOLDER] -P install_modules.cmake
# WEB has package-lock.json. TO gets `node_modules`, and the file `installed` when that can be used. MODULES, if not
# empty, is a finished `node_modules` and taken as it is.
function(give_up why)
    message(FATAL_ERROR "The page of `xferspy html` cannot be built: ${why}\n"
        "To build xferspy without it, configure with -DXFERSPY_HTML=OFF. To build it without a network, run "
        "`npm ci` on ${WEB} elsewhere and configure with -DXFERSPY_HTML_MODULES=PATH-OF-NODE_MODULES.")
endfunction()

file(COPY "${WEB}/package.json" "${WEB}/package-lock.json" DESTINATION "${TO}")
if(IS_SYMLINK "${TO}/node_modules")
    file(REMOVE "${TO}/node_modules")
endif()
if(MODULES)
    file(REMOVE_RECURSE "${TO}/node_modules")
    file(CREATE_LINK "${MODULES}" "${TO}/node_modules" SYMBOLIC)
else()
    execute_process(COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error
        --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=60000
        WORKING_DIRECTORY "${TO}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why)
    if(failed)
        give_up("npm ci failed.\n${why}")
    endif()
endif()
# The bundler is a program of its own, which may not run here.
execute_process(COMMAND "${NODE}" -e "require('esbuild').transformSync('')"
    WORKING_DIRECTORY "${TO}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why)
if(failed)
    give_up("esbuild does not run on this machine.\n${why}")
endif()
file(TOUCH "${TO}/installed")

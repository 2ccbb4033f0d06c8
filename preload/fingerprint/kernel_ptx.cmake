# Makes C of the kernel's PTX text: cmake -DINPUT=tree.ptx -DLOWERED=kernel.ptx -DOUTPUT=kernel_ptx.c -P kernel_ptx.cmake
# Without INPUT the text is empty: built without nvcc.
#
# A driver refuses PTX that is newer than itself, and nvcc writes the version of its own toolkit. So the text is relabelled
# as PTX 6.0 for sm_60, which drivers of CUDA 9 and newer take and every GPU from Pascal on. That is right as long as no
# instruction needs more. What needs exactly this much is shfl.sync, vote.sync and bar.warp.sync (6.0; sm_30), 64-bit
# atom.add, membar, ld.global.cg and mad.wide (older). The build hands the lowered text to ptxas, which checks every
# instruction against the two lines; and what nvcc may add one day without being asked is refused here by name.
set(text "")
if(INPUT)
    file(READ ${INPUT} text)
    foreach(line IN ITEMS version target)
        if(NOT text MATCHES "\n\\.${line} ")
            message(FATAL_ERROR "${INPUT}: no .${line} line")
        endif()
    endforeach()
    string(REGEX REPLACE "\n\\.version [^\n]*" "\n.version 6.0" text "${text}")
    string(REGEX REPLACE "\n\\.target [^\n]*" "\n.target sm_60" text "${text}")
    foreach(newer IN ITEMS "fence\\." "\\.(relaxed|acquire|release|acq_rel)" "L[12]::" "used_bytes_mask" "\\.b128")
        if(text MATCHES "${newer}")
            message(FATAL_ERROR "${INPUT}: \"${CMAKE_MATCH_0}\" is newer than PTX 6.0")
        endif()
    endforeach()
    # Bytes and comments that only say which compiler it was.
    string(REGEX REPLACE "(^|\n)//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "\n\n+" "\n" text "${text}")
    string(REGEX REPLACE "^\n" "" text "${text}")
endif()
file(WRITE ${LOWERED} "${text}")
file(READ ${LOWERED} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
       "${bytes}")
file(WRITE ${OUTPUT} "/* Generated from tree.cu; do not edit. */\n#include \"preload/fingerprint/kernel.h\"\n\n"
     "const char xs_fingerprint_ptx[] = {\n${bytes}0};\n")

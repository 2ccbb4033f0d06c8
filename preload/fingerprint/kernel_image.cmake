# Makes C of the kernel: cmake -DINPUT=hash_tree.ptx -DLOWERED=kernel.ptx -DFATBIN=kernel.fatbin -DOUTPUT=kernel_image.c
#     [-DPTXAS=ptxas -DFATBINARY=fatbinary] -P kernel_image.cmake
# Without INPUT everything is empty: built without nvcc.
#
# Its PTX text works everywhere but takes the driver a quarter of a second to compile, once a machine; so machine code
# for the GPUs of the last years is there, too, which takes a tenth of a millisecond.
#
# A driver refuses PTX that is newer than itself, and nvcc writes the version of its own toolkit. So the text is
# relabelled as PTX 6.0 for sm_60, which drivers of CUDA 9 and newer take and every GPU from Pascal on. That is right as
# long as no instruction needs more. What needs exactly this much is shfl.sync, vote.sync and bar.warp.sync (6.0;
# sm_30), 64-bit atom.add, membar, ld.global.cg and mad.wide (older). The build hands the lowered text to ptxas, which
# checks every instruction against the two lines; and what nvcc may add one day without being asked is refused here by
# name.
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

file(WRITE ${FATBIN} "")
if(INPUT AND PTXAS AND FATBINARY)
    set(images "")
    foreach(architecture IN ITEMS 75 80 86 89 90 100 120) # those that this ptxas does not know are left out
        execute_process(COMMAND ${PTXAS} -O3 -arch=sm_${architecture} ${LOWERED} -o ${FATBIN}.${architecture}
                        RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
        if(NOT refused)
            list(APPEND images --image3=kind=elf,sm=${architecture},file=${FATBIN}.${architecture})
        endif()
    endforeach()
    if(NOT images)
        message(FATAL_ERROR "${PTXAS} compiles ${LOWERED} for no GPU")
    endif()
    execute_process(COMMAND ${FATBINARY} --create ${FATBIN} -64 --compress-all ${images} COMMAND_ERROR_IS_FATAL ANY)
endif()

# By the assembler: as initialisers these would be a million characters of C, over which checkers brood for minutes.
file(SIZE ${FATBIN} code_bytes)
file(WRITE ${OUTPUT} "/* Generated from hash_tree.cu; do not edit. */
#include \"preload/fingerprint/kernel.h\"

__asm__(\".pushsection .rodata\\n\"
        \".balign 64\\n\"
        \".globl xs_fingerprint_fatbin\\n\"
        \".hidden xs_fingerprint_fatbin\\n\"
        \"xs_fingerprint_fatbin: .incbin \\\"${FATBIN}\\\"\\n\"
        \".byte 0\\n\"
        \".globl xs_fingerprint_ptx\\n\"
        \".hidden xs_fingerprint_ptx\\n\"
        \"xs_fingerprint_ptx: .incbin \\\"${LOWERED}\\\"\\n\"
        \".byte 0\\n\"
        \".popsection\");

const size_t xs_fingerprint_fatbin_bytes = ${code_bytes};
")

# Makes a C array of a text file: cmake -DINPUT=text.in -DOUTPUT=text.h -DNAME=text -P embed_text.cmake
# Bytes and not a string literal: C11 promises room for 4095 characters in one, and gcc -Wpedantic counts them.
file(READ "${INPUT}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
       "${bytes}")
get_filename_component(source "${INPUT}" NAME)
file(WRITE "${OUTPUT}" "/* Generated from ${source}; do not edit. */\nstatic const char ${NAME}[] = {\n${bytes}0};\n")

# Makes a C array of a text file: cmake -DINPUT=schema.sql -DOUTPUT=schema_sql.h -P embed_sql.cmake; its name is
# schema_sql. Bytes and not a string literal: C11 promises room for 4095 characters in one, and gcc -Wpedantic counts
# them.
get_filename_component(file ${INPUT} NAME)
get_filename_component(name ${OUTPUT} NAME_WE)
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
       "${bytes}")
file(WRITE ${OUTPUT} "/* Generated from ${file}; do not edit. */\nstatic const char ${name}[] = {\n${bytes}0};\n")

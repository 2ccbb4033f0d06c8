# Makes a C array of a text file: cmake -DINPUT=schema.sql -DOUTPUT=schema_sql.h -P embed_sql.cmake
# Bytes and not a string literal: C11 promises room for 4095 characters in one, and gcc -Wpedantic counts them.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
       "${bytes}")
file(WRITE ${OUTPUT} "/* Generated from schema.sql; do not edit. */\nstatic const char schema_sql[] = {\n${bytes}0};\n")

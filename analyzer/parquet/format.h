/* Numbers of the Parquet format (https://parquet.apache.org/docs/file-format), as far as this folder writes and reads
 * it. */
#ifndef XFERSPY_ANALYZER_PARQUET_FORMAT_H
#define XFERSPY_ANALYZER_PARQUET_FORMAT_H

#define XS_PARQUET_MAGIC "PAR1" /* at the beginning and at the end of a file */
enum { XS_PARQUET_MAGIC_BYTES = 4, XS_PARQUET_TAIL_BYTES = 8 /* the footer's length and the magic */ };

enum xs_parquet_physical { XS_PHYSICAL_BOOLEAN = 0, XS_PHYSICAL_INT64 = 2, XS_PHYSICAL_BYTE_ARRAY = 6 };
enum xs_parquet_repetition { XS_REPETITION_REQUIRED = 0, XS_REPETITION_OPTIONAL = 1 };
enum xs_parquet_converted { XS_CONVERTED_UTF8 = 0, XS_CONVERTED_TIMESTAMP_MICROS = 10 };
enum xs_parquet_encoding {
    XS_ENCODING_PLAIN = 0,
    XS_ENCODING_PLAIN_DICTIONARY = 2, /* the old name of RLE_DICTIONARY */
    XS_ENCODING_RLE = 3,
    XS_ENCODING_RLE_DICTIONARY = 8
};
enum xs_parquet_codec { XS_CODEC_NONE = 0, XS_CODEC_GZIP = 2 };
enum xs_parquet_page { XS_PAGE_DATA = 0, XS_PAGE_DICTIONARY = 2 };

/* Numbers of fields in the structs of the footer and of page headers (parquet.thrift). */
enum { XS_FILE_VERSION = 1, XS_FILE_SCHEMA, XS_FILE_ROWS, XS_FILE_GROUPS, XS_FILE_KEY_VALUES, XS_FILE_CREATED_BY };
enum {
    XS_ELEMENT_TYPE = 1,
    XS_ELEMENT_REPETITION = 3,
    XS_ELEMENT_NAME,
    XS_ELEMENT_CHILDREN,
    XS_ELEMENT_CONVERTED,
    XS_ELEMENT_LOGICAL = 10
};
enum { XS_LOGICAL_STRING = 1, XS_LOGICAL_TIMESTAMP = 8 };
enum { XS_TIMESTAMP_UTC = 1, XS_TIMESTAMP_UNIT, XS_UNIT_MICROS = 2 };
enum { XS_GROUP_COLUMNS = 1, XS_GROUP_BYTES, XS_GROUP_ROWS };
enum { XS_CHUNK_OFFSET = 2, XS_CHUNK_META };
enum {
    XS_META_TYPE = 1,
    XS_META_ENCODINGS,
    XS_META_PATH,
    XS_META_CODEC,
    XS_META_VALUES,
    XS_META_BYTES,
    XS_META_COMPRESSED_BYTES,
    XS_META_DATA_OFFSET = 9,
    XS_META_DICTIONARY_OFFSET = 11
};
enum { XS_KEY_VALUE_KEY = 1, XS_KEY_VALUE_VALUE };
enum {
    XS_PAGE_TYPE = 1,
    XS_PAGE_BYTES,
    XS_PAGE_COMPRESSED_BYTES,
    XS_PAGE_DATA_HEADER = 5,
    XS_PAGE_DICTIONARY_HEADER = 7
};
enum { XS_PAGE_VALUES = 1, XS_PAGE_ENCODING, XS_PAGE_DEFINITION_ENCODING, XS_PAGE_REPETITION_ENCODING };

/* Limits for files that others made. A file of this program is far below them. */
enum {
    XS_PARQUET_FOOTER_BYTES = 64 << 20,
    XS_PARQUET_PAGE_BYTES = 256 << 20,
    XS_PARQUET_GROUP_ROWS = 1 << 18,
    XS_PARQUET_COLUMNS = 1024
};

#endif

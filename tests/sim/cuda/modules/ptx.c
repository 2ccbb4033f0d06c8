/* Reads module images: finds the entries and the variables of PTX text, and recognises the binary formats it cannot
 * read. */
#include "module.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *p) {
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

static const char *token(const char *p, char *out, size_t room) {
    size_t n = 0;
    p = skip_space(p);
    while (is_name(*p)) {
        if (n + 1 < room)
            out[n++] = *p;
        p++;
    }
    out[n] = '\0';
    return p;
}

static size_t type_bytes(const char *type) {
    const char *digits = type + strcspn(type, "0123456789");
    int bits = atoi(digits);
    return bits >= 8 ? (size_t)bits / 8 : 0;
}

/* Comments go, and lines stay. */
static char *without_comments(const char *text) {
    char *out = strdup(text);
    for (char *p = out; p != NULL && *p != '\0'; p++) {
        if (p[0] == '/' && p[1] == '/') {
            while (*p != '\0' && *p != '\n')
                *p++ = ' ';
            p--;
        } else if (p[0] == '/' && p[1] == '*') {
            char *end = strstr(p, "*/");
            size_t length = end != NULL ? (size_t)(end - p) + 2 : strlen(p);
            memset(p, ' ', length);
            p += length - 1;
        }
    }
    return out;
}

/* Reads the elements after "=" into zeroed storage; an element that is not a number (an address of another variable)
 * stays zero. */
static void read_initial(const char *p, unsigned char *out, size_t element, size_t bytes) {
    for (size_t at = 0; at + element <= bytes && *p != ';' && *p != '\0';) {
        char word[64];
        p += strspn(p, " \t\r\n={},");
        bool negative = *p == '-';
        const char *end = token(p + negative, word, sizeof(word));
        if (end == p + negative)
            break;
        bool is_float = word[0] == '0' && (word[1] == 'f' || word[1] == 'd' || word[1] == 'F' || word[1] == 'D');
        uint64_t value = is_float ? strtoull(word + 2, NULL, 16) : strtoull(word, NULL, 0);
        value = negative ? ~value + 1 : value;
        memcpy(out + at, &value, element);
        at += element;
        p = end;
    }
}

/* A variable after its ".global" or ".const". */
static void read_variable(const char *p, bool managed, struct xs_image *image) {
    char word[256];
    size_t element = 0;
    for (p = token(p, word, sizeof(word)); word[0] == '.'; p = token(p, word, sizeof(word))) {
        if (strcmp(word, ".align") == 0) {
            char ignored[32];
            p = token(p, ignored, sizeof(ignored));
        } else if (strstr(word, "managed") != NULL) {
            managed = true;
        } else if (type_bytes(word) > 0) {
            element = type_bytes(word);
        }
    }
    if (element == 0 || word[0] == '\0')
        return;
    size_t count = 1;
    for (p = skip_space(p); *p == '['; p = skip_space(p)) {
        count *= strtoull(p + 1, NULL, 0);
        p += strcspn(p, "];") + 1;
    }
    unsigned char *initial = NULL;
    if (*p == '=' && element <= 8 && (initial = calloc(count, element)) != NULL)
        read_initial(p, initial, element, count * element);
    xs_image_declare(image, word, count * element, managed, initial);
    free(initial);
}

static bool at_word(const char *text, const char *p, size_t length) {
    return (p == text || !is_name(p[-1])) && !is_name(p[length]);
}

static void read_ptx(const char *text, struct xs_image *image) {
    for (const char *p = text; (p = strchr(p, '.')) != NULL; p++) {
        if (strncmp(p, ".entry", 6) == 0 && at_word(text, p, 6)) {
            char name[1024];
            token(p + 6, name, sizeof(name));
            struct CUfunc_st *function = xs_function_new(name);
            if (function != NULL) {
                function->next = image->functions;
                image->functions = function;
            }
        } else if (strncmp(p, ".global", 7) == 0 && at_word(text, p, 7)) {
            read_variable(p + 7, false, image);
        } else if (strncmp(p, ".const", 6) == 0 && at_word(text, p, 6)) {
            read_variable(p + 6, false, image);
        }
    }
}

CUresult xs_image_load(const void *data, struct xs_image *image) {
    uint32_t magic;
    *image = (struct xs_image){0};
    if (data == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&magic, data, sizeof(magic));
    const uint32_t fatbin_wrapper = 0x466243b1, fatbin = 0xba55ed50, elf = 0x464c457f;
    if (magic == fatbin_wrapper || magic == fatbin || magic == elf) {
        image->opaque = true;
        return CUDA_SUCCESS;
    }
    char *text = without_comments(data);
    if (text == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const char *start = skip_space(text);
    if (strncmp(start, ".version", 8) != 0) {
        free(text);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    if (strstr(start, ".target") == NULL) {
        free(text);
        return CUDA_ERROR_INVALID_PTX;
    }
    read_ptx(start, image);
    free(text);
    return CUDA_SUCCESS;
}

CUresult xs_image_load_file(const char *name, struct xs_image *image) {
    FILE *file = name != NULL ? fopen(name, "rbe") : NULL;
    if (file == NULL)
        return CUDA_ERROR_FILE_NOT_FOUND;
    size_t size = 0, room = 0;
    char *data = NULL;
    for (;;) {
        if (size + 4096 > room) {
            room = room == 0 ? 65536 : room * 2;
            char *grown = realloc(data, room);
            if (grown == NULL)
                break;
            data = grown;
        }
        size_t got = fread(data + size, 1, room - size - 1, file);
        if (got == 0)
            break;
        size += got;
    }
    fclose(file);
    if (data == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    data[size] = '\0';
    CUresult result = size < 4 ? CUDA_ERROR_INVALID_IMAGE : xs_image_load(data, image);
    free(data);
    return result;
}

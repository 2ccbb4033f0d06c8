/* Writes and reads the messages of control; see message.h. */
#include "schema/control/message.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK "ok"
#define NO "no"

const char *const xs_control_verbs[] = {[XS_CONTROL_STATUS] = "status",
                                        [XS_CONTROL_START] = "start",
                                        [XS_CONTROL_STOP] = "stop",
                                        [XS_CONTROL_SNAPSHOT] = "snapshot",
                                        NULL};
static const char *const times[] = {[XS_CONTROL_TIMES_NONE] = "none",
                                    [XS_CONTROL_TIMES_OFF] = "off",
                                    [XS_CONTROL_TIMES_COMING] = "coming",
                                    [XS_CONTROL_TIMES_ON] = "on",
                                    NULL};

/* ---- writing ---- */

static size_t put(char *line, size_t at, const char *text) {
    size_t bytes = strlen(text), room = XS_CONTROL_LINE_BYTES - 1 - at;
    bytes = bytes < room ? bytes : room;
    memcpy(line + at, text, bytes);
    line[at + bytes] = '\0';
    return at + bytes;
}

/* Adds "\tKEY=VALUE", or "\tVALUE" if the key is "". */
static size_t put_text(char *line, size_t at, const char *key, const char *value) {
    char escaped[4];
    at = put(line, at, "\t");
    at = put(line, at, key);
    at = put(line, at, *key ? "=" : "");
    for (; *value && at + sizeof escaped < XS_CONTROL_LINE_BYTES; value++) {
        unsigned char c = (unsigned char)*value;
        bool is_odd = c < ' ' || c == '%' || c == 127;
        snprintf(escaped, sizeof escaped, is_odd ? "%%%02X" : "%c", c);
        at = put(line, at, escaped);
    }
    return at;
}

static size_t put_number(char *line, size_t at, const char *key, uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return put_text(line, at, key, text);
}

size_t xs_control_write_request(const struct xs_control_request *request, char *line) {
    size_t at = put(line, 0, xs_control_verbs[request->verb]);
    return request->for_ns ? put_number(line, at, "for_ns", request->for_ns) : at;
}

size_t xs_control_write_reply(const struct xs_control_reply *reply, char *line) {
    if (*reply->refused)
        return put_text(line, put(line, 0, NO), "", reply->refused);
    size_t at = put(line, 0, OK);
    at = put_number(line, at, "pid", (uint64_t)reply->pid);
    at = put_text(line, at, "state", reply->is_recording ? "recording" : "asleep");
    at = put_number(line, at, "changeable", reply->is_changeable);
    at = put_text(line, at, "device_times", times[reply->device_times]);
    at = put_number(line, at, "events", reply->events);
    at = put_number(line, at, "windows", reply->windows);
    at = put_number(line, at, "recorded_ns", reply->recorded_ns);
    at = put_number(line, at, "left_ns", reply->left_ns);
    at = put_text(line, at, "program", reply->program);
    return put_text(line, at, "trace", reply->trace);
}

/* ---- reading ---- */

/* Copies a line, so that its words can be cut off. False: it is too long, or contains a NUL. */
static bool copy(char *to, const char *line, size_t bytes) {
    if (bytes >= XS_CONTROL_LINE_BYTES || memchr(line, '\0', bytes))
        return false;
    memcpy(to, line, bytes);
    to[bytes] = '\0';
    return true;
}

/* Cuts the next word off; NULL: there is none. */
static char *word(char **rest) { return *rest ? strsep(rest, "\t") : NULL; }

/* Cuts "KEY=VALUE" in two. A word without = is a key with the value "". */
static char *value_of(char *pair) {
    char *value = strchr(pair, '=');
    if (!value)
        return pair + strlen(pair);
    *value = '\0';
    return value + 1;
}

static bool read_number(const char *text, uint64_t *number) {
    char *end;
    if (!isdigit((unsigned char)*text) || strlen(text) > 19)
        return false;
    *number = strtoull(text, &end, 10);
    return !*end;
}

static int index_in(const char *const *words, const char *text) {
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

/* Copies a value, and replaces %XX by what it stands for. What has no room is left out. */
static void read_text(const char *value, char *to, size_t bytes) {
    size_t at = 0;
    for (; *value && at + 1 < bytes; at++) {
        const char digits[] = {value[0] == '%' ? value[1] : '\0', value[0] == '%' && value[1] ? value[2] : '\0', '\0'};
        bool is_escaped = isxdigit((unsigned char)digits[0]) && isxdigit((unsigned char)digits[1]);
        to[at] = is_escaped ? (char)strtoul(digits, NULL, 16) : *value;
        value += is_escaped ? 3 : 1;
    }
    to[at] = '\0';
}

const char *xs_control_read_request(const char *line, size_t bytes, struct xs_control_request *request) {
    char text[XS_CONTROL_LINE_BYTES], *rest = text;
    *request = (struct xs_control_request){0};
    if (!copy(text, line, bytes))
        return "the request is damaged";
    int verb = index_in(xs_control_verbs, word(&rest));
    if (verb < 0)
        return "the library of this process is of a version that does not know this command";
    request->verb = (enum xs_control_verb)verb;
    for (char *key; (key = word(&rest));) {
        const char *value = value_of(key);
        bool is_known = strcmp(key, "for_ns") == 0 && verb == XS_CONTROL_START;
        if (!is_known)
            return "the library of this process is of a version that does not know an option of this command";
        if (!read_number(value, &request->for_ns) || !request->for_ns)
            return "for_ns is no length of time";
    }
    return NULL;
}

static void read_pair(const char *key, const char *value, struct xs_control_reply *reply) {
    uint64_t number = 0;
    bool is_number = read_number(value, &number);
    const struct {
        const char *key;
        uint64_t *to;
    } numbers[] = {{"events", &reply->events},
                   {"windows", &reply->windows},
                   {"recorded_ns", &reply->recorded_ns},
                   {"left_ns", &reply->left_ns}};
    for (size_t i = 0; is_number && i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0)
            *numbers[i].to = number;
    if (strcmp(key, "pid") == 0 && number <= INT64_MAX)
        reply->pid = (int64_t)number;
    else if (strcmp(key, "state") == 0)
        reply->is_recording = strcmp(value, "recording") == 0;
    else if (strcmp(key, "changeable") == 0)
        reply->is_changeable = number != 0;
    else if (strcmp(key, "device_times") == 0 && index_in(times, value) >= 0)
        reply->device_times = (enum xs_control_times)index_in(times, value);
    else if (strcmp(key, "program") == 0)
        read_text(value, reply->program, sizeof reply->program);
    else if (strcmp(key, "trace") == 0)
        read_text(value, reply->trace, sizeof reply->trace);
}

bool xs_control_read_reply(const char *line, size_t bytes, struct xs_control_reply *reply) {
    char text[XS_CONTROL_LINE_BYTES], *rest = text;
    *reply = (struct xs_control_reply){.refused = ""};
    if (!copy(text, line, bytes))
        return false;
    const char *first = word(&rest);
    if (strcmp(first, NO) == 0) {
        read_text(rest ? rest : "no reason was given", reply->refused, sizeof reply->refused);
        return true;
    }
    if (strcmp(first, OK) != 0)
        return false;
    for (char *key; (key = word(&rest));) {
        const char *value = value_of(key);
        read_pair(key, value, reply);
    }
    return true;
}

bool xs_control_is_permitted(uint32_t peer, uint32_t own) { return peer == own || peer == 0; }

/* Reads the file xferspy.check; see config.h. */
#include "analyzer/commands/check/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/detector.h"

enum { LINE_BYTES = 8192, MOST_LINES = 100000 };

enum section { IN_CHECK, IN_SUPPRESS };

struct parser {
    struct xs_check_config *config;
    const char *path;
    unsigned line, section_line;
    int64_t now;
    enum section section;
    bool suppressing; /* the last suppression is not complete */
    bool has_rules;   /* this file has rules */
    char *message;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct parser *p, const char *format, ...) {
    va_list arguments;
    XS_SCOPED_STRING text = {0};
    va_start(arguments, format);
    xs_string_format(&text, "%s:%u: ", p->path, p->line);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    snprintf(p->message, XS_CHECK_CONFIG_MESSAGE_BYTES, "%s", text.data);
    return false;
}

void xs_check_config_begin(struct xs_check_config *config) { *config = (struct xs_check_config){.tolerance = -1}; }

void xs_check_config_free(struct xs_check_config *config) {
    xs_rules_free(&config->rules);
    for (size_t i = 0; i < config->suppression_count; i++) {
        struct xs_suppression *s = &config->suppressions[i];
        char *const texts[] = {s->origin, s->finding, s->function, s->file, s->text, s->reason, s->until};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free(texts[k]);
    }
    for (size_t i = 0; i < config->allowed_unknown_count; i++)
        free(config->allowed_unknown[i]);
    free(config->allowed_unknown);
    free(config->suppressions);
    free(config->rules_origin);
    free(config->baseline);
    *config = (struct xs_check_config){0};
}

/* --- days --- */

/* Parses a day, which must have the form "2026-12-31". False: it has another form, or there is no such day. */
static bool parse_day(const char *text, struct tm *tm) {
    for (int i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? text[i] != '-' : !isdigit((unsigned char)text[i]))
            return false;
    if (text[10])
        return false;
    *tm = (struct tm){.tm_year = atoi(text) - 1900, .tm_mon = atoi(text + 5) - 1, .tm_mday = atoi(text + 8)};
    struct tm same = *tm;
    return timegm(&same) != -1 && same.tm_mday == tm->tm_mday && same.tm_mon == tm->tm_mon;
}

/* True if a day is over everywhere on earth, because CI machines use UTC, and people do not. */
static bool has_expired(const struct tm *day, int64_t now) {
    struct tm copy = *day;
    return now >= (int64_t)timegm(&copy) + (24 + 12) * 3600;
}

/* --- suppressions --- */

static struct xs_suppression *last_suppression(struct parser *p) {
    return &p->config->suppressions[p->config->suppression_count - 1];
}

static bool begin_suppression(struct parser *p) {
    struct xs_check_config *config = p->config;
    struct xs_string origin = {0};
    config->suppressions =
        xs_realloc(config->suppressions, sizeof *config->suppressions * (config->suppression_count + 1));
    xs_string_format(&origin, "%s:%u", p->path, p->line);
    config->suppressions[config->suppression_count++] = (struct xs_suppression){.origin = origin.data};
    p->suppressing = true;
    p->section_line = p->line;
    return true;
}

static bool end_suppression(struct parser *p) {
    if (!p->suppressing)
        return true;
    const struct xs_suppression *s = last_suppression(p);
    bool everything = !s->finding && !s->function && !s->file && !s->text;
    p->suppressing = false;
    if (!everything && s->reason)
        return true;
    p->line = p->section_line;
    return wrong(p, "%s",
                 everything ? "this suppression is for everything; say which finding, function, file or text"
                            : "a suppression has to say why: reason = ...");
}

static bool set_text(struct parser *p, char **to, const char *key, const char *value) {
    if (*to)
        return wrong(p, "%s is given twice", key);
    *to = xs_strdup(value);
    return true;
}

static bool matches(const char *glob, const char *text) { return !glob || !fnmatch(glob, text, 0); }

/* True if a glob matches a detector's id, or the name of one of these verdicts (bits) after the id. */
static bool matches_detector(const char *glob, const struct xs_detector *d, unsigned verdicts) {
    bool matched = matches(glob, d->id);
    for (unsigned v = 0; v < XS_VERDICTS && d->verdicts[v].name; v++) {
        char kind[128];
        snprintf(kind, sizeof kind, "%s/%s", d->id, d->verdicts[v].name);
        matched = matched || (verdicts >> v & 1 && matches(glob, kind));
    }
    return matched;
}

/* True if a glob matches any kind of finding; otherwise it is misspelled. */
static bool is_some_kind(const char *glob) {
    bool matched = false;
    for (size_t i = 0; i < xs_detector_count; i++)
        matched = matched || matches_detector(glob, xs_detectors[i], ~0U);
    return matched;
}

static bool set_until(struct parser *p, struct xs_suppression *s, const char *value) {
    struct tm day;
    if (!parse_day(value, &day))
        return wrong(p, "until = %s: use a day, as in 2026-12-31", value);
    s->expired = has_expired(&day, p->now);
    return set_text(p, &s->until, "until", value);
}

static bool set_finding(struct parser *p, struct xs_suppression *s, const char *value) {
    char message[XS_RULE_MESSAGE_BYTES];
    if (is_some_kind(value))
        return set_text(p, &s->finding, "finding", value);
    if (strpbrk(value, "*?[") || xs_rule_name_known(value, message))
        return wrong(p, "finding = %s: there is no such finding", value);
    return wrong(p, "finding: %s", message);
}

static bool set_in_suppression(struct parser *p, const char *key, const char *value) {
    struct xs_suppression *s = last_suppression(p);
    const struct {
        const char *key;
        char **text;
    } texts[] = {{"function", &s->function}, {"file", &s->file}, {"text", &s->text}, {"reason", &s->reason}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(key, texts[i].key))
            return set_text(p, texts[i].text, key, value);
    if (!strcmp(key, "finding"))
        return set_finding(p, s, value);
    if (!strcmp(key, "until"))
        return set_until(p, s, value);
    return wrong(p, "a suppression has no `%s'; it has finding, function, file, text, reason and until", key);
}

/* --- [check] --- */

/* Returns the path of a file that the configuration names. The name is relative to the folder of the configuration, and
 * not to the current folder. */
static char *beside(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    struct xs_string full = {0};
    if (*name != '/' && slash)
        xs_string_add(&full, path, (size_t)(slash - path) + 1);
    xs_string_format(&full, "%s", name);
    return full.data;
}

static bool set_in_check(struct parser *p, const char *key, const char *value) {
    struct xs_check_config *config = p->config;
    char message[XS_RULE_MESSAGE_BYTES];
    if (!strcmp(key, "fail-on")) {
        p->has_rules = true;
        return xs_rules_add(&config->rules, value, message) || wrong(p, "%s", message);
    }
    if (!strcmp(key, "baseline")) {
        if (config->baseline)
            return wrong(p, "baseline is given twice");
        config->baseline = beside(p->path, value);
        return true;
    }
    if (!strcmp(key, "tolerance")) {
        if (!xs_share_parse(value, &config->tolerance))
            return wrong(p, "tolerance = %s: use a share, as in 10%%", value);
        return true;
    }
    if (!strcmp(key, "allow-unknown"))
        return xs_check_config_allow(config, value, message) || wrong(p, "%s", message);
    return wrong(p, "there is no `%s'; there are fail-on, baseline, tolerance and allow-unknown", key);
}

/* --- lines --- */

static char *strip(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

static bool parse_section(struct parser *p, const char *line) {
    if (!end_suppression(p))
        return false;
    if (!strcmp(line, "[check]"))
        p->section = IN_CHECK;
    else if (!strcmp(line, "[suppress]"))
        p->section = IN_SUPPRESS;
    else
        return wrong(p, "there is no section %s; there are [check] and [suppress]", line);
    return p->section == IN_CHECK || begin_suppression(p);
}

static bool parse_line(struct parser *p, char *line) {
    line = strip(line);
    if (!*line || *line == '#')
        return true;
    if (*line == '[')
        return parse_section(p, line);
    char *equals = strchr(line, '=');
    if (!equals)
        return wrong(p, "neither a section, as in [suppress], nor `key = value'");
    *equals = '\0';
    const char *key = strip(line), *value = strip(equals + 1);
    if (!*value)
        return wrong(p, "%s has no value", key);
    return p->section == IN_CHECK ? set_in_check(p, key, value) : set_in_suppression(p, key, value);
}

static bool parse_lines(struct parser *p, FILE *file) {
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, file)) {
        size_t length = strlen(line);
        p->line++;
        if (length + 1 == sizeof line || (length && line[length - 1] != '\n' && !feof(file)))
            return wrong(p, "this is no text file of lines under %d bytes", LINE_BYTES);
        if (p->line > MOST_LINES)
            return wrong(p, "too many lines");
        if (!parse_line(p, line))
            return false;
    }
    if (ferror(file)) {
        snprintf(p->message, XS_CHECK_CONFIG_MESSAGE_BYTES, "%s: %s", p->path, strerror(errno ? errno : EIO));
        return false;
    }
    return end_suppression(p);
}

/* Opens a file, or a pipe that a shell made, as in --config=<(...). It does not wait for a FIFO that has no writer; if
 * such a FIFO is empty, that is an error, EPIPE, and not a file without rules. */
static FILE *open_config(const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int flags = fd >= 0 ? fcntl(fd, F_GETFL) : -1;
    FILE *file = flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0 ? fdopen(fd, "r") : NULL;
    if (!file && fd >= 0)
        close(fd);
    if (!file || fstat(fd, &st) != 0 || !S_ISFIFO(st.st_mode))
        return file;
    int first = getc(file);
    if (ungetc(first, file) != EOF)
        return file;
    fclose(file);
    errno = EPIPE;
    return NULL;
}

bool xs_check_config_read(struct xs_check_config *config, const char *path, int64_t now, char *message) {
    struct parser p = {.config = config, .path = path, .now = now, .message = message};
    FILE *file = open_config(path);
    if (!file) {
        snprintf(message, XS_CHECK_CONFIG_MESSAGE_BYTES, "%s: %s", path,
                 errno == EPIPE ? "an empty pipe" : strerror(errno));
        return false;
    }
    errno = 0;
    bool good = parse_lines(&p, file);
    fclose(file);
    if (good && p.has_rules && !config->rules_origin)
        config->rules_origin = xs_strdup(path);
    return good;
}

bool xs_check_config_allow(struct xs_check_config *config, const char *list, char *message) {
    char *copy = xs_strdup(list), *rest = copy;
    bool good = true;
    for (char *word = strtok_r(copy, ",", &rest); word && good; word = strtok_r(NULL, ",", &rest)) {
        word = strip(word);
        bool all = !strcmp(word, "all");
        config->allow_unknown |= all;
        good = all || xs_rule_name_known(word, message);
        if (all || !good)
            continue;
        config->allowed_unknown =
            xs_realloc(config->allowed_unknown, sizeof(char *) * (config->allowed_unknown_count + 1));
        config->allowed_unknown[config->allowed_unknown_count++] = xs_strdup(word);
    }
    free(copy);
    return good;
}

bool xs_check_config_allows(const struct xs_check_config *config, const struct xs_rule *rule) {
    size_t name = strcspn(rule->text, ":");
    if (config->allow_unknown)
        return true;
    for (size_t i = 0; i < config->allowed_unknown_count; i++)
        if (strlen(config->allowed_unknown[i]) == name && !strncmp(config->allowed_unknown[i], rule->text, name))
            return true;
    return false;
}

/* True if a glob matches a finding. A detector's id matches all its verdicts. If a finding has several verdicts, each
 * of them matches the whole finding, because one repair is for all of them. */
static bool matches_kind(const char *glob, const struct xs_check_finding *f) {
    return matches(glob, f->kind) || matches_detector(glob, xs_detectors[f->detector], f->verdicts);
}

long xs_check_config_suppression(const struct xs_check_config *config, const struct xs_check_finding *f) {
    long expired = -1;
    for (size_t i = 0; i < config->suppression_count; i++) {
        const struct xs_suppression *s = &config->suppressions[i];
        if (!matches_kind(s->finding, f) || !matches(s->function, f->function) ||
            !(matches(s->file, f->file) || (f->path && matches(s->file, f->path))) || !matches(s->text, f->text))
            continue;
        if (!s->expired)
            return (long)i;
        expired = expired < 0 ? (long)i : expired;
    }
    return expired;
}

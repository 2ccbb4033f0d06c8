# markdown_page.py COUNT: looks at the pages 1.html to COUNT.html. Each has to have what its N.needs asks for, a line
# each ("table 1": one table; "header count": a column of that name), and nothing that a report does not write: another
# element or attribute, one that is not closed, a table's row of another width.
import collections
import html.parser
import sys

PLAIN = "h2 p ul li strong code pre table thead tbody tr th td details summary br".split()
COUNTED = "h1 h2 table details summary pre a img script em del".split()


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.counts, self.open, self.wrong = collections.Counter(), [], []
        self.headers, self.widths, self.top_items = [], [], 0

    def handle_starttag(self, tag, attributes):
        self.counts[tag] += 1
        if tag not in PLAIN:
            self.wrong.append(f"element {tag} {attributes}")
        for name, value in attributes:
            if (tag, name) not in (("td", "align"), ("th", "align"), ("code", "class"), ("pre", "lang")):
                self.wrong.append(f"attribute {name}={value} of {tag}")
        if tag == "tr":
            self.widths.append(0)
        if tag in ("td", "th"):
            self.widths[-1] += 1
        if tag == "li" and self.open[-1:] != ["ul"]:
            self.wrong.append("an item outside of a list")
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag == "br":
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        if self.open[-1:] == ["th"]:
            self.headers.append(data)

    def handle_comment(self, data):
        self.wrong.append(f"comment {data}")


def look_at(number):
    page = Page()
    with open(f"{number}.html", encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    page.wrong += [f"<{tag}> is not closed" for tag in page.open]
    if len(set(page.widths)) > 1:
        page.wrong.append(f"rows of {page.widths} cells")
    if page.counts["ul"] > 1 + 2 * page.counts["h2"]:
        page.wrong.append("too many lists")
    has = [f"{name} {page.counts[name]}" for name in COUNTED] + [f"header {header}" for header in page.headers]
    with open(f"{number}.needs", encoding="utf-8") as file:
        page.wrong += [f"no `{need}' in {has}" for need in file.read().splitlines() if need and need not in has]
    return page.wrong


wrong = 0
for page_number in range(1, int(sys.argv[1]) + 1):
    for what in look_at(page_number):
        with open(f"{page_number}.step", encoding="utf-8") as step:
            print(f"{page_number}.html of {step.read().strip()}: {what}")
        wrong += 1
sys.exit(bool(wrong))

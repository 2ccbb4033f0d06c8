# markdown_page.py PAGE.html: how many there are of each element, and what is wrong with the page: an element or an attribute that
# a report does not write, or one that is not closed.
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


page = Page()
with open(sys.argv[1], encoding="utf-8") as file:
    page.feed(file.read())
page.close()
page.wrong += [f"<{tag}> is not closed" for tag in page.open]
if len(set(page.widths)) > 1:
    page.wrong.append(f"rows of {page.widths} cells")
for name in COUNTED:
    print(name, page.counts[name])
for header in page.headers:
    print("header", header)
print("li elsewhere 0" if page.counts["ul"] <= 1 + 2 * page.counts["h2"] else "lists")
if page.widths:
    print("rows of one width")
for wrong in page.wrong:
    print("wrong:", wrong)
sys.exit(bool(page.wrong))

"""The magic `%%xferspy` of IPython and Jupyter."""
import html
import os
import tempfile

from IPython.core.magic import Magics as BaseMagics
from IPython.core.magic import cell_magic, magics_class
from IPython.display import HTML, display

from . import _library, _program

HEIGHT = 800  # of the page in the notebook, in pixels
NOTHING = "xferspy: nothing is recorded. Start Jupyter by `xferspy run -- jupyter lab`, and use CUDA in the cell."


@magics_class
class Magics(BaseMagics):
    cells = 0

    @cell_magic
    def xferspy(self, line, cell):
        """`%%xferspy` runs the cell as a region of its own, and shows the page of `xferspy html` about the run up to
        now. `%%xferspy text` prints the report on the cell alone instead; further words are options of the command."""
        words = line.split()
        is_text = words[:1] == ["text"]
        Magics.cells += 1
        name = "<cell %d>" % Magics.cells
        with _library.region(name):
            result = self.shell.run_cell(cell)
        path = _library.trace()
        if not path or not _library.snapshot():
            print(NOTHING)
        elif result.success and is_text:
            print(_program.run("report", "--nvtx=" + name, *words[1:], path))
        elif result.success:
            show_page(path, words)


def show_page(path, options):
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        _program.run("html", "-o", page, *options, path)
        with open(page, encoding="utf-8") as file:
            text = html.escape(file.read())
    display(HTML('<div><iframe srcdoc="%s" width="100%%" height="%d"></iframe></div>' % (text, HEIGHT)))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Pleat authors
"""scripts/check_docs is clean on the repository, and finds each kind of broken reference."""
import pathlib
import tempfile

from checks import ROOT, expect, run

GOOD = """# A page
[text](other.md#a-heading-with-code), ![picture](picture.png), [here](#a-page), [there](https://example.org/x#y)
and `scenes/sheet.json`, `frames/none.obj`, `scripts/run_%d`.
```
scripts/demo   # [no](link.md)
```
[Key]: other.md
"""



def check(page):
    """Exit code and output for a small repository with this page."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in ("docs/picture.png", "scenes/sheet.json", "scripts/demo"):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).touch()
        (folder / "docs/other.md").write_text("## A heading, with `code`\n", encoding="utf-8")
        (folder / "docs/page.md").write_text(page, encoding="utf-8")
        return run("check_docs", folder)


code, output = run("check_docs", ROOT)
expect(code == 0, f"check_docs is not clean:\n{output}")
code, output = check(GOOD)
expect(code == 0, f"a good page must be clean: {output}")
BROKEN = {
    "[text](none.md)": "docs/page.md:8: link to none.md: no such file",
    "![picture](none.png)": "link to none.png: no such file",
    "[text](other.md#none)": "link to other.md#none: no such heading",
    "[text](#none)": "link to #none: no such heading",
    "[Other]: none.md": "link to none.md: no such file",
    "see `scripts/none --all`": "scripts/none does not exist",
    "```\nbuild/pleat run scenes/none.json -o out\n```": "docs/page.md:9: scenes/none.json does not exist",
}
for line, words in BROKEN.items():
    code, output = check(GOOD + line + "\n")
    expect(code == 1 and words in output, f"check_docs must find '{words}': {output}")
print(f"{len(BROKEN)} problems planted and found")

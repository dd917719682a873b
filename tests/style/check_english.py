#!/usr/bin/env python3
"""Plain English in the pages: short sentences, no sentence that begins with "Of", no "is had", lines of 120 columns.

    check_english.py            the pages: docs, README.md, CONTRIBUTING.md
    check_english.py FILE ...   these; of code (C++, Python, shell) the comments, at 100 columns, and the length of every line

Code blocks, tables and comments of HTML are passed over. A source in brackets, recognised by its year, does not count as words.
english_exceptions.txt lists at most 20 lines: a file, or a file and the first words of a sentence. First the splitter is tried on EXAMPLES.
"""
import io
import re
import sys
import tokenize
from pathlib import Path

import tree

MOST_WORDS = 30
PAGE_COLUMNS, CODE_COLUMNS = 120, 100
MOST_EXCEPTIONS = 20
LIST = Path(__file__).with_name("english_exceptions.txt")
# How a sentence may begin: with a capital letter or a figure, with facet, or with a symbol and its verb.
BEGIN = r"[\"'(]?(?:[A-Z0-9]|facetc?\b|[a-z]\d* (?:is|are|has|follows|counts)\b)"
# A point after one of these ends no sentence; nor does one after an initial, a capital letter before a name.
SHORT = re.compile(r"[(\"']*(?:al|Acta|Am|Appl|Chem|Comp|Comput|Cryst|Fig|Geom|IEEE|Inst|Instrum|Int|J|Lett|Math|Meth|Methods|Nucl|Numer|Opt|Phys|"
                   r"Proc|Rep|Rev|Sci|Soc|Statist|Trans|cf|ch|chap|e\.g|etc|i\.e|pp|sec|vol|vs|\.)\.")
INITIAL = re.compile(r"[(\"']*(?:[A-Z]\.)+ (?!(?:A|All|An|Each|For|If|In|It|No|One|So|That|The|There|They|This|When|Where|With)\b)")
SOURCE = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\b(?:18|19|20)\d\d\b[^()]*(?:\([^()]*\)[^()]*)*\)")

# Text, its sentences, what is wrong with it.
EXAMPLES = [
    ("One. Two! Three?", ["One.", "Two!", "Three?"], []),
    ("See `a. b. C` and 1.5 nm. It ends.", ["See CODE and 1.5 nm.", "It ends."], []),
    ("By J. Smith et al. in Phys. Rev. B it holds. Next", ["By J. Smith et al. in Phys. Rev. B it holds.", "Next"], []),
    ("It is Taylor's. The F. D. Witherden rule needs q. The next needs F. This too.",
     ["It is Taylor's.", "The F. D. Witherden rule needs q.", "The next needs F.", "This too."], []),
    ("Wait ... then go on, x, .. and y.", ["Wait ... then go on, x, .. and y."], []),
    ("**Bold.** (It is.) [Link.](a.md) 3 follow.", ["Bold.", "(It is.)", "Link.", "3 follow."], []),
    ("It is so. facet knows. w is 3. abs it is.", ["It is so.", "facet knows.", "w is 3. abs it is."], []),
    ("Of these two remain.", ["Of these two remain."], ["begins with 'Of'"]),
    ("Offers count.", ["Offers count."], []),
    ("More memory is had by it.", ["More memory is had by it."], ["'is had'"]),
    ("word " * 30 + "(" + "source " * 9 + "1995).", None, []),
    ("word " * 31 + ".", None, ["31 words"]),
    ("word " * 31 + "(no source).", None, ["33 words"]),
]


def plain(text):
    """The words of Markdown: code spans are one word, links their text, sources in brackets nothing."""
    text = re.sub(r"``.+?``|`[^`]*`", "CODE", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^<>\s][^<>]*>|\*\*|(?<!\w)[*_]|[*_](?!\w)", "", text)
    return re.sub(r"\s+", " ", text).strip()


def sentences(text):
    """The sentences of a paragraph."""
    parts, begin = [], 0
    text = plain(text)
    for end in re.finditer(rf"[.!?][)\"']*(?= +{BEGIN})", text):
        word = text[:end.start() + 1].rsplit(" ", 1)[-1]
        if SHORT.fullmatch(word) or INITIAL.match(word + text[end.end():]):
            continue
        parts.append(text[begin:end.end()].strip())
        begin = end.end()
    return [part for part in [*parts, text[begin:].strip()] if part]


def faults(sentence):
    """What is wrong with a sentence."""
    words = len(re.findall(r"[^\s]*\w[^\s]*", SOURCE.sub("", sentence)))
    bad = [f"{words} words"] if words > MOST_WORDS else []
    bad += ["begins with 'Of'"] if re.match(r"\W*Of\b", sentence) else []
    return bad + [f"'{had[0]}'" for had in re.finditer(r"\b(?:is|are|was|were|be) had\b", sentence)]


def prose(lines):
    """(number, line) of the lines of a page that are no code, table or comment of HTML; None where one of these or a blank line stands."""
    fence, hidden, blank = False, False, True
    for number, line in enumerate(lines, 1):
        code = line.lstrip().startswith("```")
        fence ^= code
        hidden |= line.lstrip().startswith("<!--")
        passed = fence or code or hidden or (line.startswith("    ") and blank) or line.lstrip().startswith(("| ", "|-"))
        hidden &= "-->" not in line
        blank = not line.strip() or passed
        yield number, None if blank else line


def paragraphs(lines):
    """(first line, text) of each paragraph, heading and item of a page."""
    at, held = 0, []
    for number, line in [*prose(lines), (0, None)]:
        heading = line is not None and line.startswith("#")
        if held and (line is None or heading or re.match(r"\s*(?:[-*+]|\d+\.) ", line)):
            yield at, " ".join(held)
            held = []
        if line is not None:
            at = at if held else number
            held.append(re.sub(r"^\s*(?:[-*+]|\d+\.|#+) ", "", line).strip())
        if heading:
            yield at, held.pop()


def comments(name, text):
    """(first line, text) of each run of comment lines of code."""
    if name.endswith(".py"):
        found = [(t.start[0], t.string.lstrip("#")) for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    else:
        mark = r"(?:^|\s)#+ (.*)" if name.endswith((".sh", ".cmake", ".txt", ".toml")) else r"(?:^|\s)///?<? ?(.*)"
        found = [(number, said[1]) for number, line in enumerate(text.splitlines(), 1) if (said := re.search(mark, line))]
    at, held, last = 0, [], None
    for number, said in [*found, (None, "")]:
        if held and (number != last + 1 or not said.strip()):
            yield at, " ".join(held)
            held = []
        if number and said.strip():
            at = at if held else number
            held.append(said.strip())
        last = number if number else last


def lines_too_long(name, lines):
    """Lines beyond the columns allowed; of pages those of prose."""
    numbered, most = (prose(lines), PAGE_COLUMNS) if name.endswith(".md") else (enumerate(lines, 1), CODE_COLUMNS)
    return [(number, line) for number, line in numbered if line is not None and len(line) > most]


def check(name):
    """(file, line, what, sentence or line) of each fault of a file."""
    text = Path(name).read_text()
    lines = text.splitlines()
    texts = paragraphs(lines) if name.endswith(".md") else comments(name, text)
    for number, line in lines_too_long(name, lines):
        yield name, number, f"{len(line)} columns", line.strip()
    for number, paragraph in texts:
        for sentence in sentences(paragraph):
            for what in faults(sentence):
                yield name, number, what, sentence


def tried():
    """What the splitter and the rules make of EXAMPLES, where that is wrong."""
    bad = []
    for text, parts, wrong in EXAMPLES:
        found = sentences(text)
        if parts is not None and found != parts:
            bad.append(f"example {text!r}: sentences {found}, not {parts}")
        said = [what for sentence in found for what in faults(sentence)]
        if said != wrong:
            bad.append(f"example {text[:60]!r}: faults {said}, not {wrong}")
    page = "# A\nOne\ntwo.\n- three\n\n| Of | is had |\n```\nOf code\n```\n    Of formulas\n<!-- Of\nis had -->\nfour\n".split("\n")
    if (found := list(paragraphs(page))) != [(1, "A"), (2, "One two."), (4, "three"), (13, "four")]:
        bad.append(f"example page: {found}")
    code = "// One\n// two.\nint a; // three\n\n/// Four\n"
    if (found := list(comments("a.h", code))) != [(1, "One two. three"), (5, "Four")]:
        bad.append(f"example code: {found}")
    return bad


def main():
    exceptions = LIST.read_text().splitlines()
    bad = tried() + ([f"{LIST.name}: more than {MOST_EXCEPTIONS} lines"] if len(exceptions) > MOST_EXCEPTIONS else [])
    names = sys.argv[1:] or [name for name in tree.files("*.md") if name in ("README.md", "CONTRIBUTING.md") or name.startswith("docs/")]
    used = set()
    for name in names:
        for file, number, what, text in check(name):
            allowed = {e for e in exceptions if file == e or (e.startswith(file + " ") and text.startswith(e[len(file) + 1:]))}
            used |= allowed
            if not allowed:
                bad.append(f"{file}:{number}: {what}: {text[:110]}")
    if not sys.argv[1:]:
        bad += [f"{LIST.name}: nothing is wrong with this now, take it off: {e}" for e in exceptions if e not in used]
    return tree.faults(bad)


if __name__ == "__main__":
    sys.exit(main())

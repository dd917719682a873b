#!/usr/bin/env python3
"""Plain English in pages and comments: short sentences, none that begins with `Of`, no `is had`; pages of 120 columns.

    check_english.py            the pages (docs, README.md, CONTRIBUTING.md) and the comments of CHECKED
    check_english.py FILE ...   these: a page, or code (C++, Python, CMake, shell)

Code blocks, tables and comments of HTML are passed over; so are formulas, tables and lists of columns in comments.
A source in brackets, recognised by its year, does not count as words.
english_exceptions.txt lists at most 20 lines: a file, or a file and the first words of a sentence. First the splitter is tried on EXAMPLES.
"""
import io
import re
import sys
import tokenize
from pathlib import Path

import tree

MOST_WORDS = 30
PAGE_COLUMNS = 120
# The folders whose comments are read.
CHECKED = ["codegen", "dsl", "runtime", "schedules", "tests"]
CODE = (".cpp", ".h", ".def", ".py", ".cmake", "CMakeLists.txt", ".sh")
MOST_EXCEPTIONS = 20
LIST = Path(__file__).with_name("english_exceptions.txt")
# How a sentence may begin: with a capital letter or a figure, with facet, or with a symbol and its verb.
BEGIN = r"[\"'(]?(?:[A-Z0-9]|facetc?\b|[a-z]\d* (?:is|are|has|follows|counts)\b)"
# A point after one of these ends no sentence; nor does one after an initial, a capital letter before a name.
SHORT = re.compile(r"[(\"']*(?:al|Acta|Am|Appl|Chem|Comp|Comput|Cryst|Fig|Geom|IEEE|Inst|Instrum|Int|J|Lett|Math|Meth|Methods|Nucl|Numer|Opt|Phys|"
                   r"Proc|Rep|Rev|Sci|Soc|Statist|Trans|cf|ch|chap|e\.g|etc|i\.e|pp|sec|vol|vs|\.)\.")
INITIAL = re.compile(r"[(\"']*(?:[A-Z]\.)+ (?!(?:A|All|An|Each|For|If|In|It|No|One|So|That|The|There|They|This|When|Where|With)\b)")
# What counts as a word in a page, and in a comment: not the letters, figures and signs of a formula.
WORD = r"\S*\w\S*"
WORD_OF_CODE = r"(?:^|(?<=[\s(\"'-]))(?:[A-Za-z][a-z]+|a|A)\b(?!\()"
CXX = (".cpp", ".h", ".def")
# A line of a comment that is a row of a table, or that lit reads.
ROW = re.compile(r"\S {2,}\S|^ *[A-Z][A-Z0-9_-]+:(?: |$)")
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

# A file of code, and the texts of its comments.
COMMENTS = [
    ("a.h", "// One\n// two.\nint a; // three\n       // more\nint b; // four\n\n/// Five\n",
     [(1, "One two."), (3, "three more"), (5, "four"), (7, "Five")]),
    ("a.h", "// Rows:\n//   a = b + c\n//   name   a row\n//          of two lines\n// 1. An\n//    item.\n//   - Another.\n// RUN: facetc\n",
     [(1, "Rows:"), (5, "An item."), (7, "Another.")]),
    ("a.py", 'def f():\n    """One\n    two.\n\n    Three."""\n    return "no # comment"  # four\n',
     [(2, "One two."), (5, "Three."), (6, "four")]),
    ("CMakeLists.txt", "# One\n# two.\nset(a b) # three\n", [(1, "One two."), (3, "three")]),
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


def faults(sentence, word=WORD):
    """What is wrong with a sentence."""
    words = len(re.findall(word, SOURCE.sub("", sentence)))
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


def remarks(name, text):
    """(number, column, whether code stands before it, text with its indent) of each line of a comment or docstring."""
    if name.endswith(".py"):
        begin = True  # of a statement, where a string is a docstring
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            (number, column), said = token.start, token.string
            if token.type == tokenize.COMMENT:
                yield number, column, bool(token.line[:column].strip()), said.lstrip("#").removeprefix(" ")
            elif token.type == tokenize.STRING and begin:
                lines = re.sub(r'^[rR]?("""|\'\'\'|"|\')|("""|\'\'\'|"|\')$', "", said).expandtabs().split("\n")
                for more, line in enumerate(lines):
                    yield number + more, column, False, line[min(column, len(line) - len(line.lstrip())):] if more else line
            begin = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT) or begin and token.type in (tokenize.NL, tokenize.COMMENT)
        return
    mark = re.compile(r"(?:^|\s)(///?<?|#+)(?: (.*)|$)" if not name.endswith(CXX) else r"(?:^|\s)(///?<?)(?: (.*)|$)")
    for number, line in enumerate(text.splitlines(), 1):
        if said := mark.search(line):
            yield number, said.start(1), bool(line[:said.start(1)].strip()), (said[2] or "").rstrip()


def comments(name, text):
    """(first line, text) of each paragraph and item of the comments of code.

    A comment after code is a text of its own, which the lines below it in its column continue. Formulas, tables and commands
    are passed over: lines indented by two or more, lines with two spaces between words, and what lit reads."""
    at, held, inside, last = 0, [], 0, (0, 0)
    for number, column, after, said in [*remarks(name, text), (0, None, True, "")]:
        item = re.match(r" *(?:[-*+]|\d+\.) +(?=\S)", said)
        words = said[item.end() if item else 0:]
        joined = (number - 1, column) == last and not after
        inside = item.end() if item else inside if joined and said else 0
        passed = not words or ROW.search(words) or not item and len(words) - len(words.lstrip()) > max(1, inside)
        if held and (not joined or item or passed):
            yield at, " ".join(held)
            held = []
        if not passed:
            at = at if held else number
            held.append(words.strip())
        last = number, column


def lines_too_long(lines):
    """(number, line) of the lines of a page's prose beyond the columns allowed."""
    return [(number, line) for number, line in prose(lines) if line is not None and len(line) > PAGE_COLUMNS]


def check(name):
    """(file, line, what, sentence or line) of each fault of a file."""
    text = Path(name).read_text()
    page, lines = name.endswith(".md"), text.splitlines()
    for number, line in lines_too_long(lines) if page else []:
        yield name, number, f"{len(line)} columns", line.strip()
    for number, paragraph in paragraphs(lines) if page else comments(name, text):
        for sentence in sentences(paragraph):
            for what in faults(sentence, WORD if page else WORD_OF_CODE):
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
    for name, code, said in COMMENTS:
        if (found := list(comments(name, code))) != said:
            bad.append(f"example of {name}: {found}")
    return bad


def main():
    exceptions = LIST.read_text().splitlines()
    bad = tried() + ([f"{LIST.name}: more than {MOST_EXCEPTIONS} lines"] if len(exceptions) > MOST_EXCEPTIONS else [])
    names = sys.argv[1:] or tree.files("README.md", "CONTRIBUTING.md", "docs/*.md") + [n for n in tree.files(*CHECKED) if n.endswith(CODE)]
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

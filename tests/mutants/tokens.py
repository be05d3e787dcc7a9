"""A source as tokens: the partner of every bracket, which operators are binary, and what stands on both sides of them."""
import re

TOKEN = re.compile(
    r'(?P<space>\s+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*")'
    r"|(?P<char>'(?:\\.|[^'\\])+')|(?P<number>\.?\d(?:[eEpP][+-]|[\w.']|)*)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<other><=>|<<=|>>=|\.\.\.|->|::|\+\+|--|&&|\|\||[-+*/%&|^=!<>]=|<<|.)", re.S)
PRECEDENCE = {"*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<=>": 7, "<": 6, "<=": 6, ">": 6, ">=": 6,
              "==": 5, "!=": 5, "&": 4, "^": 3, "|": 3, "&&": 2, "||": 1}
ASSIGNMENTS = {"+=", "-=", "*=", "/="}
STOPS = {";", ",", "?", ":", "=", "%=", "&=", "|=", "^=", "<<=", ">>=", *ASSIGNMENTS}
# What begins with one of these is no assignment and no call.
NO_STATEMENT = {"auto", "break", "case", "class", "const", "constexpr", "continue", "default", "delete", "do", "else", "enum", "for",
                "goto", "if", "namespace", "new", "operator", "return", "static", "static_assert", "static_cast", "struct", "switch",
                "template", "throw", "try", "typename", "using", "while"}
KEYWORDS = {"return", "else", "case", "throw", "do", "co_return", "delete"}


class Text:
    """A source as tokens, with the partner of every bracket and which tokens are binary operators."""

    def __init__(self, text):
        self.kind, self.text, self.place = [], [], []
        pieces = re.split(r"(?m)^([ \t]*#(?:\\\n|.)*$)", text)  # lines of the preprocessor between
        place = 0
        for i, piece in enumerate(pieces):
            if i % 2:
                self.put("space", piece, place)
            else:
                for found in TOKEN.finditer(piece):
                    self.put(found.lastgroup if found.lastgroup != "end" else "string", found.group(), place + found.start())
            place += len(piece)
        self.size = len(self.text)
        self.partner, self.operators = {}, set()
        stack = []
        for i, its in enumerate(self.text):
            if self.kind[i] != "other":
                continue
            before, after = self.spaced(i - 1), self.spaced(i + 1)
            opens = its in "([{" or (its == "<" and not after and (not before or self.word_before(i) == "template"))
            closes = its in ")]}" or (its == ">" and not before and stack and self.text[stack[-1]] == "<")
            if opens:
                stack.append(i)
            elif closes and stack:
                while self.text[stack[-1]] == "<" and its != ">":  # it was no bracket
                    stack.pop()
                self.partner[i] = stack[-1]
                self.partner[stack.pop()] = i
            elif its in PRECEDENCE and before and after:
                self.operators.add(i)

    def put(self, kind, text, place):
        self.kind.append(kind)
        self.text.append(text)
        self.place.append(place)

    def spaced(self, i):
        return not 0 <= i < len(self.kind) or self.kind[i] in ("space", "comment")

    def word_before(self, i):
        i -= 1
        while i >= 0 and self.spaced(i):
            i -= 1
        return self.text[i] if i >= 0 else ""

    def operand(self, i):
        return self.kind[i] in ("word", "number", "string", "char") or self.text[i] in ")]}>" and i in self.partner

    def left(self, i, precedence):
        """The first token of the operand to the left of the operator i."""
        start, at = i, i - 1
        while at >= 0:
            if self.spaced(at):
                at -= 1
                continue
            its = self.text[at]
            if (its in STOPS or its in KEYWORDS or (its in "([{<" and at in self.partner)
                    or (its in "([{" and self.kind[at] == "other")
                    or (at in self.operators and PRECEDENCE[its] < precedence)):
                break
            # Two operands with nothing between: the first ends something else, as in `if (x) y += z`.
            if self.operand(at) and start < i and self.spaced(start - 1) and start not in self.operators:
                break
            at = self.partner[at] if its in ")]}>" and at in self.partner else at
            start = at
            at -= 1
        return start

    def right(self, i, precedence):
        """What follows the last token of the operand to the right of the operator i."""
        end, at = i + 1, i + 1
        while at < self.size:
            if self.spaced(at):
                at += 1
                continue
            its = self.text[at]
            if (its in STOPS and (precedence > 0 or its in ";,")) or (at in self.partner and self.partner[at] < at) or (
                    at in self.operators and PRECEDENCE[its] <= precedence):
                break
            at = self.partner.get(at, at) + 1
            end = at
        return end

    def after_unary(self, i):
        at = i + 1
        while at < self.size and not self.spaced(at):
            if self.text[at] in "([{<" and at in self.partner:
                at = self.partner[at] + 1
            elif self.kind[at] in ("word", "number") or self.text[at] in (".", "->", "::", "*"):
                at += 1
            else:
                break
        return at

    def is_body(self, brace):
        """Whether statements stand in these braces, and not members of a class or a namespace, nor values."""
        return self.word_before(brace) in (")", "]", "else", "do", "try", "const", "noexcept", "mutable", "override")

    def statement(self, i):
        """What follows the statement that ends with the ; at i, and where it begins: an assignment or a call; none otherwise."""
        start = i - 1
        while start >= 0:
            its = self.text[start]
            if its in (";", "{", "else") or (its in (")", "}") and self.spaced(start + 1)):
                break
            start = self.partner[start] - 1 if its in (")", "]", "}") and start in self.partner else start - 1
        start += 1
        while self.spaced(start):
            start += 1
        at = start
        while at < i and self.text[at] in ("*", "++", "--"):
            at += 1
        if at >= i or self.kind[at] != "word" or self.text[at] in NO_STATEMENT or re.fullmatch(r"[A-Z_]+", self.text[at]):
            return None
        last = at
        while at < i and not self.spaced(at) and (
                self.kind[at] == "word" or self.text[at] in (".", "->", "::", "++", "--") or at in self.partner and self.partner[at] > at):
            last = self.partner.get(at, at)
            at = last + 1
        if at < i:  # more follows than names and calls
            while self.spaced(at):
                at += 1
            if self.text[at] != "=" and self.text[at] not in ASSIGNMENTS:
                return None
        elif self.text[last] not in (")", "++", "--") and self.text[start] not in ("++", "--"):
            return None
        return start

    def between(self, start, end):
        return " ".join("".join(self.text[start:end]).split())

"""Faults for `scripts/mutants`: finds where one can be planted in Rust source, and writes source that holds all of them
behind a switch, so that one build serves for all.

    a + b     becomes     (match crate::mutant::at(17, 1) { 0 => (a - b), _ => (a + b) })

What is planted: other operators, conditions that always or never hold, match arms that are never taken, functions that
return a plain value at once, statements left out, and methods exchanged with their likes. Not planted: in constants
and types, which are evaluated before any switch, in patterns, in the arguments of macros, and in code that is compiled
for tests or another system only. The bodies of macros that expand to functions are parsed like other source.
"""

import re
import sys

import tree_sitter
import tree_sitter_rust

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))

# Of operators that do almost the same (`|` and `^` on sets that are disjoint) only one is tried, or most faults would
# change nothing.
OPERATORS = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "+=": ["-="], "-=": ["+="], "*=": ["+="], "/=": ["*="], "%=": ["/="],
    "<<=": [">>="], ">>=": ["<<="], "&=": ["|="], "|=": ["&="], "^=": ["|="],
}  # fmt: skip

LIKES = [
    ("min", "max"), ("any", "all"), ("is_some", "is_none"), ("is_ok", "is_err"), ("first", "last"),
    ("leading_zeros", "trailing_zeros"), ("rotate_left", "rotate_right"), ("skip", "take"),
    ("is_some_and", "is_none_or"), ("saturating_sub", "wrapping_sub"), ("saturating_add", "wrapping_add"),
    ("min_by_key", "max_by_key"), ("floor", "ceil"), ("count_ones", "count_zeros"),
]  # fmt: skip
METHODS = {name: other for pair in LIKES for name, other in (pair, pair[::-1])}

# Conditions that have faults of their own.
OPERATIONS = {"binary_expression", "unary_expression", "let_condition", "let_chain"}

# What is evaluated before the program runs, or is no expression.
SKIPPED = {
    "const_item", "static_item", "array_type", "const_block", "enum_variant", "attribute_item", "inner_attribute_item",
    "macro_invocation", "type_arguments", "use_declaration", "line_comment", "block_comment", "const_parameter",
}  # fmt: skip

# Macros that expand to the items that they are told after a colon.
WRAPPERS = {"compiled_for"}

# What becomes of a place: another value, a statement left out or another, a return at once, an arm never taken.
ROLES = ("value", "statement", "body", "arm")

ELSEWHERE = {
    "x86_64": r'target_arch = "aarch64"|windows|not\(unix\)|not\(target_arch = "x86_64"\)',
    "aarch64": r'target_arch = "x86_64"|windows|not\(unix\)|not\(target_arch = "aarch64"\)',
}


class Fault:
    """One alternative at one place. `number` is what switches it on, `site` the number of the first of its place."""

    def __init__(self, place, what, text):
        self.place, self.what, self.text = place, what, text
        self.number = self.site = self.name = None


class Source:
    """A file and where faults can be planted in it."""

    def __init__(self, path, text, machine):
        self.path, self.bytes, self.machine = path, text, machine
        self.sites = {}  # (start, end, role) -> [Fault]
        self.faults = []
        self.trees = {}  # where the bracket before them is -> (start, end, parsed)
        self.find(PARSER.parse(text).root_node, 0, "")
        seen = {}
        for fault in self.faults:
            name = f"{path}: {fault.place}: {fault.what}"
            seen[name] = seen.get(name, 0) + 1
            fault.name = name if seen[name] == 1 else f"{name} #{seen[name]}"

    def text(self, node, base=0):
        return self.bytes[base + node.start_byte : base + node.end_byte].decode()

    def add(self, node, base, role, place, alternatives):
        start = base + node.start_byte
        line = self.bytes.count(b"\n", 0, start) + 1
        shown = " ".join(self.text(node, base).split())
        shown = shown if len(shown) <= 70 else shown[:67] + "..."
        for what, text in alternatives:
            fault = Fault(place, what.replace("%", f"`{shown}`"), text)
            fault.file = self.path
            fault.line, fault.last = line, line + self.bytes.count(b"\n", start, base + node.end_byte)
            if role == "body":
                fault.last = line
            self.sites.setdefault((start, base + node.end_byte, role), []).append(fault)
            self.faults.append(fault)

    def code(self):
        """The file without its tests, which are the last item of a file."""
        return re.split(rb"(?m)^#\[cfg\((?:all\()?test\b.*\n(?:#.*\n)*mod \w+ \{$", self.bytes)[0]

    def find(self, node, base, place):
        """Finds places below the node; `base` is where the parsed text begins in the file."""
        skip = False
        for child in node.named_children:
            if child.type == "attribute_item":
                attribute = self.text(child, base)
                if "cfg(" in attribute:
                    skip |= bool(re.search(r"cfg\((all\()?test\b|" + ELSEWHERE[self.machine], attribute))
                skip |= attribute == "#[test]"
                continue
            if child.type in ("line_comment", "block_comment"):
                continue
            if not skip:
                self.visit(child, base, place)
            skip = False

    def visit(self, node, base, place):
        kind = node.type
        if kind == "macro_invocation" and self.text(node.child_by_field_name("macro"), base) in WRAPPERS:
            self.wrapped(node, base, place)
            return
        if kind in SKIPPED or "pattern" in kind and kind != "match_pattern":
            return
        if kind == "macro_definition":
            self.definition(node, base)
            return
        if kind == "match_pattern":
            if guard := node.child_by_field_name("condition"):
                self.condition(guard, base, place, ["true", "false"])
                self.visit(guard, base, place)
            return
        if kind in ("impl_item", "trait_item", "function_item", "mod_item"):
            name = node.child_by_field_name("type" if kind == "impl_item" else "name")
            of = self.text(name, base).split("<")[0]
            if kind == "impl_item" and (implemented := node.child_by_field_name("trait")):
                of = f"{self.text(implemented, base).split('<')[0]} for {of}"
            place = f"{place}::{of}" if place else of
        if kind == "function_item":
            self.function(node, base, place)
        elif kind in ("binary_expression", "compound_assignment_expr"):
            self.operation(node, base, place)
        elif kind == "unary_expression":
            operand = node.named_children[-1]
            if node.children[0].type in ("!", "-") and operand.type != "integer_literal":
                self.add(node, base, "value", place, [("% without its " + node.children[0].type, f"({self.text(operand, base)})")])
        elif kind == "if_expression":
            self.condition(node.child_by_field_name("condition"), base, place, ["true", "false"])
        elif kind == "while_expression":
            self.condition(node.child_by_field_name("condition"), base, place, ["false"])
        elif kind == "match_block":
            self.arms(node, base, place)
        elif kind == "call_expression":
            self.call(node, base, place)
        elif kind == "expression_statement" and self.text(node, base).endswith(";"):
            self.statement(node.named_children[-1], base, place)
        self.find(node, base, place)

    def wrapped(self, node, base, place):
        """The items that a macro is told after a colon."""
        told = next(child for child in node.named_children if child.type == "token_tree")
        start = base + told.start_byte
        self.items(start, start + self.text(told, base).index(":") + 1, base + told.end_byte - 1, place)

    def definition(self, node, base):
        """The body of a macro that expands to items, with names where it has `$name`."""
        name = self.text(node.child_by_field_name("name"), base)
        if name in WRAPPERS:
            return
        for rule in (child for child in node.named_children if child.type == "macro_rule"):
            right = rule.child_by_field_name("right")
            start = base + right.start_byte
            self.items(start, start + 1, base + right.end_byte - 1, f"{name}!")

    def items(self, opened, start, end, place):
        """Items that the parser took for mere tokens, in the bytes from `start` to `end` behind an opening bracket."""
        tree = PARSER.parse(re.sub(rb"\$(?=[a-z])", b"_", without_repeats(self.bytes[start:end])))
        if tree.root_node.has_error:
            line = self.bytes.count(b"\n", 0, start) + 1
            print(f"{self.path}:{line}: what this macro stands for can't be parsed; no faults there", file=sys.stderr)
            return
        self.trees[opened] = (start, end, tree)
        self.find(tree.root_node, start, place)

    def function(self, node, base, place):
        body, returned = node.child_by_field_name("body"), node.child_by_field_name("return_type")
        if not body.named_children:
            return
        values = plain_values(self.text(returned, base) if returned else "()")
        block = " ".join(self.text(body, base)[1:-1].split())
        self.add(body, base, "body", place, [(f"returns {value}", value) for value in values if value != block])

    def operation(self, node, base, place):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator").type
        assigned = node.type == "compound_assignment_expr"
        alternatives = []
        for other in OPERATORS.get(operator, []):
            text = f"{self.text(left, base)} {other} {self.text(right, base)}"
            alternatives.append((f"% with {other}", text if assigned else f"({text})"))
        self.add(node, base, "statement" if assigned else "value", place, alternatives)

    def condition(self, node, base, place, values):
        if node.type not in OPERATIONS and node.type != "boolean_literal":
            self.add(node, base, "value", place, [(f"% as {value}", value) for value in values])

    def arms(self, node, base, place):
        arms = [child for child in node.named_children if child.type == "match_arm"]
        patterns = [arm.child_by_field_name("pattern") for arm in arms]
        if not any(self.text(pattern, base) == "_" for pattern in patterns):
            return
        for pattern in patterns:
            if self.text(pattern, base) != "_" and not pattern.child_by_field_name("condition"):
                self.add(pattern, base, "arm", place, [("the arm % never taken", "false")])

    def call(self, node, base, place):
        function = node.child_by_field_name("function")
        field = function.child_by_field_name("field") if function.type == "field_expression" else None
        if field is None or (other := METHODS.get(self.text(field, base))) is None:
            return
        before = self.bytes[base + node.start_byte : base + field.start_byte].decode()
        after = self.bytes[base + field.end_byte : base + node.end_byte].decode()
        self.add(node, base, "value", place, [(f"% with {other}", f"({before}{other}{after})")])

    def statement(self, node, base, place):
        inner = node
        while inner.type == "try_expression":
            inner = inner.named_children[0]
        line = node.parent
        block = line and line.parent
        if block and block.parent and block.parent.type == "let_declaration" and line.next_named_sibling is None:
            return  # `let ... else` has to leave.
        kinds = ("assignment_expression", "compound_assignment_expr", "return_expression", "break_expression")
        if inner.type in (*kinds, "call_expression", "continue_expression"):
            self.add(node, base, "statement", place, [("% left out", "")])

    def planted(self, dropped):
        """The source with every fault but those dropped, and for each fault and each place the range of its bytes."""
        pieces = []
        self.open = set(self.sites)
        tree = PARSER.parse(self.bytes)
        self.emit(tree.root_node, 0, pieces, dropped)
        text, ranges, open_at = bytearray(), [], []
        for piece in pieces:
            if isinstance(piece, bytes):
                text += piece
            elif piece is None:
                start, faults = open_at.pop()
                ranges.append((start, len(text), faults))
            else:
                open_at.append((len(text), piece))
        return bytes(text), ranges

    def emit(self, node, base, pieces, dropped):
        start, end = base + node.start_byte, base + node.end_byte
        # A node may have the range of the only one in it; the outer one is served.
        open_sites = {role for role in ROLES if (start, end, role) in self.open}
        live = {
            role: [] if role not in open_sites else [fault for fault in self.sites.get((start, end, role), []) if fault.number not in dropped]
            for role in ROLES
        }
        self.open -= {(start, end, role) for role in open_sites}

        def switch(faults, arm, default):
            first = faults[0].site
            count = faults[0].count
            pieces.extend((faults, f"match crate::mutant::at({first}, {count}) {{ ".encode()))
            for fault in faults:
                pieces.extend((f"{fault.number - first} => ".encode(), [fault], arm(fault).encode(), None, b", "))
            pieces.append(b"_ => ")
            default()
            pieces.extend((b" }", None))

        def plain():
            self.children(node, base, pieces, dropped)

        # A node has one role at most, but for a call: a value in a statement of its own.
        if live["statement"] and not live["value"]:
            def default():
                pieces.append(b"{ ")
                plain()
                pieces.append(b"; }")
            switch(live["statement"], lambda fault: f"{{ {fault.text}; }}" if fault.text else "{}", default)
        elif live["statement"]:
            def inner():
                pieces.append(b"{ ")
                pieces.append(b"(")
                switch(live["value"], lambda fault: fault.text, plain)
                pieces.append(b"); }")
            switch(live["statement"], lambda fault: "{}", inner)
        elif live["value"]:
            def default():
                pieces.append(b"(")
                plain()
                pieces.append(b")")
            pieces.append(b"(")
            switch(live["value"], lambda fault: fault.text, default)
            pieces.append(b")")
        elif live["body"]:
            pieces.append(b"{ ")
            switch(live["body"], lambda fault: f"return {fault.text}", lambda: pieces.append(b"{}"))
            plain()
            pieces.append(b" }")
        elif live["arm"]:
            plain()
            pieces.append(b" if (")
            switch(live["arm"], lambda fault: "false", lambda: pieces.append(b"true"))
            pieces.append(b")")
        else:
            plain()

    def children(self, node, base, pieces, dropped):
        start, end = base + node.start_byte, base + node.end_byte
        if node.type == "token_tree" and start in self.trees:
            first, last, tree = self.trees[start]
            pieces.append(self.bytes[start:first])
            self.emit(tree.root_node, first, pieces, dropped)
            pieces.append(self.bytes[last:end])
            return
        at = start
        if node.parent is None:
            at, end = base, base + len(self.bytes) if base == 0 else self.end_of(base)
        for child in node.children:
            pieces.append(self.bytes[at : base + child.start_byte])
            self.emit(child, base, pieces, dropped)
            at = base + child.end_byte
        pieces.append(self.bytes[at:end])

    def end_of(self, base):
        return next(end for start, end, _ in self.trees.values() if start == base)


def without_repeats(body):
    """The body of a macro without the marks of `$( ... )+`, and as long."""
    body = bytearray(body)
    while (start := body.find(b"$(")) >= 0:
        depth, end = 1, start + 2
        while depth:
            depth += (body[end] == ord("(")) - (body[end] == ord(")"))
            end += 1
        while body[end : end + 1] not in (b"+", b"*"):
            end += 1
        body[start : start + 2] = b"  "
        body[body.rfind(b")", start, end) : end + 1] = b" " * (end + 1 - body.rfind(b")", start, end))
    return bytes(body)


def plain_values(returned):
    """What a function of this type may return at once, as expressions."""
    if returned == "()":
        return ["()"]
    if returned == "bool":
        return ["true", "false"]
    if re.fullmatch(r"[ui](8|16|32|64|128|size)", returned):
        return ["0", "1"]
    if re.fullmatch(r"f(32|64)", returned):
        return ["0.0", "1.0"]
    if re.fullmatch(r"&('\w+ )?str", returned):
        return ['""', '"xyzzy"']
    if re.match(r"&('\w+ )?\[", returned):
        return ["&[]"]
    if re.match(r"&|impl\b|!|\*|dyn\b", returned):
        return []
    if match := re.match(r"(?:\w+::)*(Option|Result|Vec|String)\b(?:<(.*)>)?$", returned, re.DOTALL):
        kind, inner = match.groups()
        if kind == "Option":
            return ["None"]
        if kind == "Vec":
            return ["Vec::new()"]
        if kind == "String":
            return ["String::new()"]
        first = split_first(inner or "()")
        return [f"Ok({value})" for value in plain_values(first)]
    return ["Default::default()"]


def split_first(types):
    """The first of types with commas between."""
    depth = 0
    for index, char in enumerate(types):
        depth += (char in "<([") - (char in ">)]")
        if char == "," and depth == 0:
            return types[:index].strip()
    return types.strip()


SWITCH = """//! Which fault is on: `QUEENS_MUTANT` names its number, or `reach`, and then each place that is passed is marked in
//! the file `QUEENS_REACHED`, which every process of a test shares.
#![allow(unsafe_code, missing_docs, internal_features)]
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed};

const NONE: u32 = u32::MAX - 2;
const ASK: u32 = u32::MAX - 1;
const REACH: u32 = u32::MAX;
static ACTIVE: AtomicU32 = AtomicU32::new(ASK);
static REACHED: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

unsafe extern "C" {
    fn mmap(at: *mut u8, len: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
}

/// The fault of these that is on, counted from the first; else another number.
#[inline(always)]
pub(crate) const fn at(first: u32, count: u32) -> u32 {
    std::intrinsics::const_eval_select((first, count), never, now)
}

const fn never(_: u32, _: u32) -> u32 {
    u32::MAX
}

#[inline(always)]
fn now(first: u32, count: u32) -> u32 {
    let active = ACTIVE.load(Relaxed);
    if active.wrapping_sub(first) < count || active >= ASK { look(first) } else { u32::MAX }
}

#[cold]
#[inline(never)]
fn look(first: u32) -> u32 {
    if ACTIVE.load(Relaxed) == ASK {
        let asked = std::env::var("QUEENS_MUTANT").unwrap_or_default();
        if asked == "reach" {
            let path = std::env::var_os("QUEENS_REACHED").expect("a file");
            let file = std::fs::File::options().read(true).write(true).open(path).expect("it opens");
            let len = file.metadata().expect("it has a length").len() as usize;
            let handle = std::os::fd::AsRawFd::as_raw_fd(&file);
            let bytes = unsafe { mmap(std::ptr::null_mut(), len, 3, 1, handle, 0) };
            assert!(bytes.addr() != usize::MAX, "it is mapped");
            REACHED.store(bytes, Relaxed);
        }
        ACTIVE.store(if asked == "reach" { REACH } else { asked.parse().unwrap_or(NONE) }, Relaxed);
    }
    let active = ACTIVE.load(Relaxed);
    if active == REACH {
        // Another thread may have seen this state before the pointer; the place will be passed again.
        let bytes = REACHED.load(Relaxed);
        if !bytes.is_null() {
            unsafe { bytes.add(first as usize).write_volatile(1) };
        }
        return u32::MAX;
    }
    active.wrapping_sub(first)
}
"""

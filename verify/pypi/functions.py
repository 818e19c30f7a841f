"""The functions that two releases of a Python package share, and mixtures of the two releases: syntax trees all the way."""
import ast
import copy

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.ClassDef)
# The key of all that differs outside of functions: constants, tables, bases of classes.
OUTSIDE = ("", 0)


def parsed(path):
    """The module, or None where this Python does not read it."""
    try:
        return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return None


class Changes:
    """The functions of a file that both releases have and that differ; a function's key is its qualified name and a number
    for functions of the same name, such as a property's getter and setter."""

    def __init__(self, earlier, later):
        self.earlier, self.later = earlier, later
        self.before, self.after = definitions(earlier), definitions(later)
        functions = [key for key, node in self.before.items() if isinstance(node, FUNCTIONS) and isinstance(self.after.get(key), FUNCTIONS)]
        self.keys = [key for key in functions if shape(self.before[key]) != shape(self.after[key])]
        if self.mixture(self.keys) != self.mixture([*self.keys, OUTSIDE]):
            self.keys.append(OUTSIDE)

    def initialises(self, key):
        """Whether the later version is an initialiser that sets attributes which the earlier one does not."""
        return key != OUTSIDE and self.before[key].name == "__init__" and bool(attributes_set(self.after[key]) - attributes_set(self.before[key]))

    def lines(self, key):
        """Line ranges of what really differs: the function without its nested functions, or those of them that differ.
        Each is a range and the ranges inside it that are not meant."""
        before, after = nested(self.before[key]), nested(self.after[key])
        found = []
        for name, node in before.items():
            if name in after and shape(node, stubs=True) != shape(after[name], stubs=True):
                inside = [span(each) for each in ast.walk(node) if isinstance(each, FUNCTIONS) and each is not node]
                found.append((span(node), inside))
        return found

    def mixture(self, chosen):
        """The earlier module's source with all that the later one added, and with the chosen functions as the later one has them.
        With what is outside of functions as the later one has it, this is its module with the other functions as they were."""
        base, other, definitions = self.earlier, self.later, self.after
        replaced = [key for key in chosen if key != OUTSIDE]
        if OUTSIDE in chosen:
            base, other, definitions = self.later, self.earlier, self.before
            replaced = [key for key in self.keys if key not in chosen]
        module = copy.deepcopy(base)
        replacement = {key: definitions[key] for key in replaced}
        body = Mixture(definitions, replacement).body(module.body, other.body, "")
        # The docstring and imports from the future come first.
        module.body = sorted(body, key=lambda statement: 0 if statement is body[0] and is_text(statement) else 2 - is_future(statement))
        return ast.unparse(ast.fix_missing_locations(module))


class Mixture:
    """Merges two versions of a module, scope by scope: one is the base, the other adds to it."""

    def __init__(self, others, replacement):
        self.others, self.replacement, self.seen = others, replacement, {}

    def body(self, base, other, prefix):
        """The statements of a module or class: those of the base, some replaced, and what is new in the other ones, each behind
        the statement that it follows there."""
        keys, merged = statement_keys(base), self.statements(base, prefix)
        known = set().union(*map(bound, base))
        at = {key: index for index, key in enumerate(keys)}
        behind = {}
        anchor = -1
        for key, statement in zip(statement_keys(other), other):
            if key == ("names", ("__all__",)) and key in at:
                extend_names(merged[at[key]], statement)
            if key in at:
                anchor = at[key]
            elif (new := addition(statement, key, known)) is not None:
                behind.setdefault(anchor, []).append(new)
        return [each for index in range(-1, len(merged)) for each in ([merged[index]] if index >= 0 else []) + behind.get(index, [])]

    def statements(self, statements, prefix):
        """The base's statements, with functions replaced and classes merged, also inside of `if` and `try`."""
        found = []
        for statement in statements:
            if isinstance(statement, SCOPES):
                key = numbered(prefix + statement.name, self.seen)
                if isinstance(statement, ast.ClassDef):
                    other = self.others.get(key)
                    inside = other.body if isinstance(other, ast.ClassDef) else []
                    statement.body = self.body(statement.body, inside, f"{prefix}{statement.name}.")
                found.append(self.replacement.get(key, statement))
                continue
            for block in blocks(statement):
                block[:] = self.statements(block, prefix)
            found.append(statement)
        return found


def definitions(module):
    """All functions and classes outside of functions, by key."""
    found, seen = {}, {}

    def visit(statements, prefix):
        for statement in statements:
            if isinstance(statement, SCOPES):
                found[numbered(prefix + statement.name, seen)] = statement
                if isinstance(statement, ast.ClassDef):
                    visit(statement.body, f"{prefix}{statement.name}.")
            else:
                for block in blocks(statement):
                    visit(block, prefix)

    visit(module.body, "")
    return found


def numbered(name, seen):
    seen[name] = seen.get(name, -1) + 1
    return name, seen[name]


def blocks(statement):
    """The lists of statements inside a compound statement."""
    for field in ("body", "orelse", "finalbody"):
        if isinstance(block := getattr(statement, field, None), list):
            yield block
    for part in [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]:
        yield part.body


def statement_keys(statements):
    """What makes a statement the same one in both releases: the names it binds, else its text."""
    keys, seen = [], {}
    for index, statement in enumerate(statements):
        if index == 0 and is_text(statement):
            keys.append(("docstring",))
        elif isinstance(statement, SCOPES):
            keys.append((type(statement) is ast.ClassDef, *numbered(statement.name, seen)))
        elif names := bound(statement):
            keys.append(("names", tuple(sorted(names))))
        else:
            keys.append(("statement", ast.dump(statement)))
    return keys


def addition(statement, key, known):
    """The part of a statement that is new: it binds a name that the base does not have."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        new = [name for name in statement.names if alias_name(name) not in known or name.name == "*"]
        if not new:
            return None
        statement = copy.copy(statement)
        statement.names = new
        return statement
    if isinstance(statement, FUNCTIONS):
        # A second function of the name adds to the first, as a setter does.
        return statement if key[2] > 0 or statement.name not in known else None
    return statement if bound(statement) - known else None


def extend_names(base, other):
    """`__all__` with the names of both releases."""
    lists = [getattr(statement, "value", None) for statement in (base, other)]
    if all(isinstance(each, (ast.List, ast.Tuple)) for each in lists):
        there = {ast.dump(each) for each in lists[0].elts}
        lists[0].elts += [each for each in lists[1].elts if ast.dump(each) not in there]


def bound(statement):
    """The names that a statement binds in its scope."""
    if isinstance(statement, SCOPES):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias_name(name) for name in statement.names}
    if isinstance(statement, ast.Name):
        return {statement.id} if isinstance(statement.ctx, ast.Store) else set()
    if isinstance(statement, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return set()
    return set().union(*map(bound, ast.iter_child_nodes(statement)))


def alias_name(name):
    return name.asname or name.name.split(".")[0]


def is_text(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)


def is_future(statement):
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


class Plain(ast.NodeTransformer):
    """Takes away what does not run: docstrings and annotations. With `stubs`, nested functions are only named."""

    def __init__(self, top, stubs):
        self.top, self.stubs = top, stubs

    def visit_FunctionDef(self, node):
        if self.stubs and node is not self.top:
            return ast.copy_location(ast.Name(id=f"def {node.name}", ctx=ast.Load()), node)
        node.returns = None
        return self.visit_ClassDef(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        if is_text(node.body[0]):
            node.body = node.body[1:]
        return self.generic_visit(node)

    def visit_arg(self, node):
        node.annotation = None
        return node


def shape(function, stubs=False):
    function = copy.deepcopy(function)
    return ast.dump(Plain(function, stubs).visit(function))


def nested(function):
    """The function and those inside it, by key."""
    found, seen = {}, {}

    def visit(node, prefix):
        name = prefix
        if isinstance(node, SCOPES):
            name = f"{prefix}.{node.name}"
            if isinstance(node, FUNCTIONS):
                found[numbered(name, seen)] = node
        for child in ast.iter_child_nodes(node):
            visit(child, name)

    visit(function, "")
    return found


def span(function):
    return function.lineno, function.end_lineno


def attributes_set(function):
    return {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}

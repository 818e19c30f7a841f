use super::*;

/// Each change of a text as `line mutator: what is replaced => by what`.
fn changes(language: Language, text: &str) -> Vec<String> {
    let told = |one: &Mutation| {
        let before = &text[one.bytes.clone()];
        format!(
            "{} {}: {before} => {}",
            one.line, one.mutator, one.replacement
        )
    };
    mutations(language, text).iter().map(told).collect()
}

#[test]
fn names_of_mutators_are_sorted_and_each_says_what_it_does() {
    let names: Vec<&str> = MUTATORS.iter().map(|mutator| mutator.name).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(MUTATORS.iter().all(|mutator| !mutator.summary.is_empty()));
}

#[test]
fn python_is_changed_in_bodies_and_not_in_docstrings_types_or_decorators() {
    let text = "\
@retry(3)
def price(count: int) -> int:
    \"\"\"A price.\"\"\"
    if count <= 10 and not closed:
        log(\"few\")
        return count * 2
    for one in lines:
        if one is None:
            continue
    return True
";
    assert_eq!(
        changes(Language::Python, text),
        [
            "4 condition: count <= 10 and not closed => not (count <= 10 and not closed)",
            "4 boundary: <= => <",
            "4 number: 10 => 11",
            "4 logic: and => or",
            "4 negation: not closed => closed",
            "5 call: log(\"few\") => pass",
            "5 text: \"few\" => \"\"",
            "6 return: count * 2 => None",
            "6 arithmetic: * => /",
            "6 number: 2 => 3",
            "8 equality: is => is not",
            "9 jump: continue => break",
            "10 boolean: True => False",
            "10 return: True => None",
        ]
    );
}

#[test]
fn lines_of_python_stay_where_they_are() {
    let text = "def f():\n    log(\n        1,\n    )\n    return 2\n";
    let all = mutations(Language::Python, text);
    let removed = all.iter().find(|one| one.mutator == "call").unwrap();
    assert_eq!(
        removed.apply(text),
        "def f():\n    pass\n\n\n    return 2\n"
    );
    let lines = |text: &str| text.lines().count();
    assert!(all.iter().all(|one| lines(&one.apply(text)) == lines(text)));
}

#[test]
fn what_spans_lines_of_python_stays_valid() {
    for (text, mutator, expected) in [
        (
            "if (\n    # why\n    a\n    and b\n):\n    f()\n",
            "condition",
            "if (not (\n    # why\n    a\n    and b\n)):\n    f()\n",
        ),
        (
            "x = f(a if b(\n    1) else c)\n",
            "condition",
            "x = f(a if not (b(\n    1)) else c)\n",
        ),
        (
            "x = \"\"\"a\nb\"\"\".strip()\n",
            "text",
            "x = (\"\"\n).strip()\n",
        ),
        ("x = \"\"\"a\nb\"\"\"  # c\n", "text", "x = \"\"\n  # c\n"),
        (
            "def f():\n    return (\n        1\n    ); g()\n",
            "return",
            "def f():\n    return (None\n\n); g()\n",
        ),
        ("f(\n    a\n); g()\n", "call", "(None\n\n); g()\n"),
        (
            "if not \\\n  a:\n    f()\n",
            "negation",
            "if (a\n):\n    f()\n",
        ),
        ("x = a not \\\n in b\n", "equality", "x = a in \\\n b\n"),
    ] {
        let all = mutations(Language::Python, text);
        let found = all.iter().find(|one| one.mutator == mutator);
        let found = found.unwrap_or_else(|| panic!("{mutator} in {text}"));
        assert_eq!(found.apply(text), expected);
        assert_eq!(expected.lines().count(), text.lines().count());
    }
}

#[test]
fn fields_of_rust_that_have_numbers_are_left_alone() {
    let text = "fn f(a: (u8, P)) { g(a.0, a.1.0); g(P { 0: 7 }) }\n";
    assert_eq!(
        changes(Language::Rust, text),
        ["1 call: g(a.0, a.1.0); => ();", "1 number: 7 => 8"]
    );
}

#[test]
fn rust_returns_what_its_type_allows_and_macros_are_left_alone() {
    let text = "\
fn most(values: &[u32]) -> Option<u32> {
    assert!(1 < 2);
    if values.is_empty() {
        return None;
    }
    values.iter().copied().max()
}
fn has(n: Vec<u32>) -> bool {
    n.len() > 1
}
";
    assert_eq!(
        changes(Language::Rust, text),
        [
            "3 condition: values.is_empty() => !(values.is_empty())",
            "6 return: values.iter().copied().max() => None",
            "9 return: n.len() > 1 => false",
            "9 boundary: > => >=",
            "9 number: 1 => 0",
        ]
    );
}

#[test]
fn a_change_that_two_mutators_make_is_one() {
    let text = "fn f() -> bool {\n    true\n}\n";
    assert_eq!(changes(Language::Rust, text), ["2 boolean: true => false"]);
}

#[test]
fn go_and_java_and_javascript_share_the_mutators() {
    let go =
        "func f(a int) int {\n\tif a == 0 && !b {\n\t\tlog(a)\n\t}\n\ta++\n\treturn a - 1\n}\n";
    assert_eq!(
        changes(Language::Go, go),
        [
            "2 condition: a == 0 && !b => !(a == 0 && !b)",
            "2 equality: == => !=",
            "2 number: 0 => 1",
            "2 logic: && => ||",
            "2 negation: !b => b",
            "3 call: log(a) => {}",
            "5 assignment: ++ => --",
            "6 return: a - 1 => 0",
            "6 arithmetic: - => +",
            "6 number: 1 => 0",
        ]
    );
    let java = "class A { String f(int a) {\n while (a < 3) { g(); a += 1; }\n return \"x\";\n} }";
    assert_eq!(
        changes(Language::Java, java),
        [
            "2 condition: (a < 3) => (!(a < 3))",
            "2 boundary: < => <=",
            "2 number: 3 => 4",
            "2 call: g(); => ;",
            "2 assignment: += => -=",
            "2 number: 1 => 0",
            "3 return: \"x\" => null",
            "3 text: \"x\" => \"\"",
        ]
    );
    let javascript = "function f(a) {\n  return a === '' ? 1 : 2\n}\n";
    assert_eq!(
        changes(Language::JavaScript, javascript),
        [
            "2 return: a === '' ? 1 : 2 => undefined",
            "2 equality: === => !==",
            "2 text: '' => 'fdc'",
            "2 number: 1 => 0",
            "2 number: 2 => 3",
        ]
    );
}

/// A text with all its changes, numbered from 1.
fn woven(language: Language, text: &str) -> Woven {
    let all = mutations(language, text);
    weave(language, text, &alternatives(&all))
}

fn alternatives(all: &[Mutation]) -> Vec<Alternative<'_>> {
    let numbered = (1..).zip(all);
    let switched = numbered.filter_map(|(number, one)| {
        Some(Alternative {
            number,
            bytes: one.bytes.clone(),
            replacement: &one.replacement,
            scope: one.scope.as_ref()?,
        })
    });
    switched.collect()
}

#[test]
fn a_switch_of_rust_holds_those_inside_of_it_in_its_original_alone() {
    let text = "fn f(a: u32) -> bool {\n    log(a);\n    a > 2\n}\n";
    let is = "if crate::__fdc_mutant::is";
    let expected = format!(
        "fn f(a: u32) -> bool {{\n    {is}(1) {{ (); }} else {{ log(a); }}\n    \
         ({is}(2) {{ false }} else {is}(3) {{ a >= 2 }} else {{ \
         a > ({is}(4) {{ 3 }} else {{ 2 }}) }})\n}}\n"
    );
    let woven = woven(Language::Rust, text);
    assert_eq!(woven.text, expected);
    assert_eq!(woven.numbers, [1, 2, 3, 4]);
    let place = |words: &str| {
        let start = woven.text.find(words).unwrap();
        start..start + words.len()
    };
    assert_eq!(woven.blamed(&place("a >= 2")), [3]);
    assert_eq!(woven.blamed(&place("{ 2 }")), [4]);
    assert_eq!(woven.blamed(&place("is(3)")), [2, 3]);
    assert_eq!(woven.blamed(&(0..woven.text.len())), [1, 2, 3, 4]);
    assert_eq!(woven.blamed(&place("fn f")), [0; 0]);
}

#[test]
fn rust_is_switched_only_where_it_runs() {
    for text in [
        "const fn f() -> u8 { 1 + 2 }",
        "const N: u8 = 1 + 2;",
        "fn f(a: u8) { if let 1 = a {} }",
        "fn f(a: u8) { match a { 1 | 2 => {} Some(3..=4) => {} } }",
        "fn f() { let a = [0u8; 3 + 4]; }",
        "fn f(a: (u8, u8)) { a.1 }",
    ] {
        let scoped = |one: &&Mutation| one.scope.is_some() && one.replacement != "1u8";
        let all = mutations(Language::Rust, text);
        assert_eq!(all.iter().filter(scoped).count(), 0, "{text}: {all:#?}");
    }
    let guard = "fn f(a: u8) { match a { b if b > 1 => {} _ => {} } }";
    let all = mutations(Language::Rust, guard);
    assert!(all.iter().all(|one| one.scope.is_some()), "{all:#?}");
}

#[test]
fn lines_stay_and_what_cannot_be_on_one_is_left_out() {
    let text = "\
fn f(a: bool) -> bool {
    if a // why
        && !b
    {
        log(
            1,
        );
        log(\"a
            b\");
    }
    a
        || b
}
";
    let all = mutations(Language::Rust, text);
    let woven = weave(Language::Rust, text, &alternatives(&all));
    let lines = |text: &str| text.matches('\n').count();
    assert_eq!(lines(&woven.text), lines(text));
    assert!(
        woven.text.contains("{ a           || !b }"),
        "{}",
        woven.text
    );
    let left: Vec<&str> = (1..)
        .zip(&all)
        .filter(|(number, _)| !woven.numbers.contains(number))
        .map(|(_, one)| one.mutator)
        .collect();
    // The condition's comment would end the line that it is put on.
    assert_eq!(left, ["condition"]);
}

#[test]
fn go_chooses_between_conditions_statements_and_literals() {
    let text =
        "func f(a int) int {\n\tn := 1\n\tif a%2 == 0 {\n\t\tlog(a)\n\t}\n\treturn n - 1\n}\n";
    assert_eq!(
        woven(Language::Go, text).text,
        "func f(a int) int {\n\tn := fdcPick(1, (0), (1))\n\tif \
         (fdcMutant(2) && (a*2 == 0) || fdcMutant(3) && (a%3 == 0) || fdcMutant(4) && (a%2 != 0) || \
         fdcMutant(5) && (a%2 == 1) || \
         !fdcMutant(2) && !fdcMutant(3) && !fdcMutant(4) && !fdcMutant(5) && (a%2 == 0)) {\n\t\t\
         if fdcMutant(6) { {} } else { log(a) }\n\t}\n\t\
         if fdcMutant(8) { return n + 1 } else \
         if fdcMutant(9) { return n - 0 } else { return n - 1 }\n}\n",
        "a return of 0 would leave n unused"
    );
}

#[test]
fn java_chooses_between_values_and_between_statements() {
    let text = "\
class A {
    int f(int a) {
        log(a);
        a += 2;
        for (int i = 0; i < a; i++)
            a--;
        return -a;
    }
}
";
    let on = "__fdc.Mutant.on ==";
    let woven = woven(Language::Java, text).text;
    let lines: Vec<&str> = woven.lines().map(str::trim).collect();
    assert_eq!(lines[2], format!("if ({on} 1) {{ ; }} else {{ log(a); }}"));
    assert_eq!(
        lines[3],
        format!("if ({on} 2) {{ a -= 2; }} else {{ a += ({on} 3 ? (3) : (2)); }}")
    );
    assert_eq!(
        lines[4],
        format!(
            "for (int i = ({on} 4 ? (1) : (0)); \
             ({on} 5 ? (i <= a) : (i < a)); i++)"
        )
    );
    assert_eq!(lines[5], format!("if ({on} 7) {{ a++; }} else {{ a--; }}"));
    assert_eq!(lines[6], format!("return ({on} 8 ? (0) : (-a));"));
}

#[test]
fn java_is_not_switched_where_its_compiler_counts_on_the_original() {
    let texts: [(&str, &[&str]); 8] = [
        ("class A { static final int N = 1 + 2; }", &[]),
        ("interface A { int N = 1 + 2; }", &[]),
        (
            "class A { void f(int a) { switch (a) { case 1: break; case 2 + 3: } } }",
            &["jump"],
        ),
        ("class A { void f() { while (true) {} } }", &[]),
        (
            "class A { void f(Object a) { if (a instanceof B b && b.c()) {} } }",
            &[],
        ),
        (
            "class A { void f(int a) { while ((a = g()) < 0) {} } }",
            &["number"],
        ),
        ("class A { void f(A a) { for (;; a.i++) {} } }", &[]),
        (
            "class A { boolean f(A a) { return a.g(() -> 1) && a.h(); } }",
            &["return", "number"],
        ),
    ];
    for (text, switched) in texts {
        let all = mutations(Language::Java, text);
        let scoped = all.iter().filter(|one| one.scope.is_some());
        let scoped: Vec<&str> = scoped.map(|one| one.mutator).collect();
        assert_eq!(scoped, switched, "{text}");
        assert!(all.len() > switched.len(), "{text}");
    }
    let runs = "class A { final A a = new A(1 + 2); static final List<A> B = of(3); }";
    let all = mutations(Language::Java, runs);
    assert!(all.iter().all(|one| one.scope.is_some()), "{all:#?}");
}

mod any_text {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_change_fits_into_its_text(
            language in prop::sample::select(Language::ALL.to_vec()),
            words in prop::collection::vec(prop::sample::select(vec![
                "def f():\n", "    ", "if", "(", ")", "{", "}", "a", "1", "+", "==", "\"x\"", "'", "return ",
                "not ", "!", "\n", ";", "fn f() -> u8 ", "func f() int ", "break", "é", "<", "and ",
            ]), 0..40),
        ) {
            let text = words.concat();
            for one in mutations(language, &text) {
                let changed = one.apply(&text);
                prop_assert_ne!(&changed, &text);
                prop_assert!(one.line as usize <= text.matches('\n').count() + 1);
            }
            let woven = woven(language, &text);
            prop_assert_eq!(woven.text.matches('\n').count(), text.matches('\n').count());
        }
    }
}

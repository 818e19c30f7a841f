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
        }
    }
}

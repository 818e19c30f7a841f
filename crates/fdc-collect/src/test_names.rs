//! Which function a test's id speaks of.

use fdc_source::Language;

/// The last part of a qualified name, without parameters and the number that tells namesakes apart.
pub(crate) fn last_word(name: &str) -> &str {
    let name = name.split(['(', '@']).next().unwrap_or_default();
    name.rsplit(['.', ':', '#', '$']).next().unwrap_or_default()
}

/// Whether a function goes by a name, which may lack its class, as a decorator's does.
pub(crate) fn same_function(function: &str, name: &str) -> bool {
    let bare = |name: &str| name.split('@').next().unwrap_or_default().to_owned();
    let (function, name) = (bare(function), bare(name));
    function == name || last_word(&function) == name
}

/// Whether the test is one of that function, by the names alone: `TestCart.test_limit` is that of
/// `tests/test_cart.py::TestCart::test_limit[4]`. A name without a class is that of any class.
pub(crate) fn names_test(function: &str, test: &str) -> bool {
    let function = function.split(['(', '@']).next().unwrap_or_default();
    if let Some(at) = test.find(".py::") {
        let id = test[at + ".py::".len()..].split('[').next();
        let id = id.unwrap_or_default().replace("::", ".");
        return ends_with_name(&id, function, '.');
    }
    if let Some((class, method)) = test.split_once('#') {
        let id = format!("{class}#{}", method.split(['[', '(']).next().unwrap_or(""));
        return ends_with_name(&id, function, '#');
    }
    if test.contains("::") {
        return ends_with_name(test, function, ':');
    }
    test.split('/').any(|part| part == function)
}

fn ends_with_name(id: &str, name: &str, separator: char) -> bool {
    let before = id.strip_suffix(name);
    before.is_some_and(|before| before.is_empty() || before.ends_with(separator))
}

/// Whether a function of a test file is a test and no fixture or helper, as far as its name tells. In
/// Rust and Java it does not.
pub(crate) fn is_test_like(path: &str, name: &str) -> bool {
    let word = last_word(name);
    match Language::of_path(path) {
        Some(Language::Python) => word.starts_with("test"),
        Some(Language::Go) => {
            let kinds = ["Test", "Example", "Fuzz"];
            word != "TestMain" && kinds.iter().any(|kind| word.starts_with(kind))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_that_of_its_tests() {
        for (function, test) in [
            ("test_a", "tests/test_x.py::test_a"),
            ("TestX.test_a", "tests/test_x.py::TestX::test_a[b::c.d]"),
            ("test_a", "tests/test_x.py::TestX::test_a"),
            ("test_a@9", "test_x.py::test_a[1]"),
            ("org.x.CartTest#one(int)", "org.x.CartTest#one(int)[2]"),
            ("tests::adds", "till::cart::tests::adds"),
            ("TestCost", "label/TestCost/a/b_[x]"),
        ] {
            assert!(names_test(function, test), "{function} {test}");
        }
        for (function, test) in [
            ("test_a", "tests/test_x.py::test_aa"),
            ("a", "tests/test_x.py::test_a"),
            ("TestY.test_a", "tests/test_x.py::TestX::test_a"),
            ("org.x.CartTest#one(int)", "org.y.CartTest#one"),
            ("TestCost", "label/TestCosts"),
        ] {
            assert!(!names_test(function, test), "{function} {test}");
        }
        assert_eq!(last_word("org.x.Cart$In#add(int,a.B)"), "add");
        assert_eq!(last_word("<Tax as Rate>::of"), "of");
        assert_eq!(last_word("Cart.size@11"), "size");
    }

    #[test]
    fn tests_are_told_from_fixtures_by_name() {
        assert!(is_test_like("tests/test_a.py", "TestA.test_b"));
        assert!(!is_test_like("tests/test_a.py", "TestA.setUp"));
        assert!(is_test_like("a_test.go", "FuzzCost"));
        assert!(!is_test_like("a_test.go", "TestMain"));
    }
}

//! Which code is a test's own. Test code is no suspect: it is left out of the elements unless
//! `--include-tests` asks for it. Readers and collectors share these rules.

/// Folders whose content is test code, wherever they stand in a path.
const FOLDERS: [&str; 6] = [
    "tests",
    "test",
    "__tests__",
    "__mocks__",
    "testdata",
    "spec",
];

/// Whether a file is test code, by its path (relative to the project, with `/`).
pub fn is_test_file(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let in_folder = parts.iter().any(|part| FOLDERS.contains(part));
    let by_name = match ending {
        "py" => stem.starts_with("test_") || stem.ends_with("_test") || stem == "conftest",
        "go" => stem.ends_with("_test"),
        // A class that is only called `Test` may be anything.
        "java" | "kt" | "scala" | "groovy" => {
            let mut ends = ["Test", "Tests", "TestCase"].into_iter();
            ends.any(|end| stem != end && stem.ends_with(end))
        }
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => {
            stem.ends_with(".test") || stem.ends_with(".spec")
        }
        _ => false,
    };
    // A Java package may be called `test`, in main code too: there the source folder decides.
    let in_main_code = path.contains("src/main/");
    by_name || (in_folder && !in_main_code)
}

/// Whether a function is test code inside a file that is not: a Rust module `tests`.
pub fn is_test_function(path: &str, name: &str) -> bool {
    let mut parts = name.split("::");
    path.ends_with(".rs") && parts.any(|part| part == "tests" || part == "test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_known_by_folder_or_name() {
        for path in [
            "tests/cart.py",
            "shop/tests/data.py",
            "shop/test_cart.py",
            "cart_test.py",
            "conftest.py",
            "pkg/cart_test.go",
            "src/test/java/org/x/Fixture.java",
            "org/x/CartTest.java",
            "app/src/test/kotlin/A.kt",
            "web/cart.test.ts",
            "web/cart.spec.js",
            "web/__tests__/cart.js",
            "tests/end_to_end.rs",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in [
            "shop/cart.py",
            "shop/testing.py",
            "src/latest/cart.py",
            "pkg/contest.go",
            "src/main/java/org/test/Cart.java",
            "org/x/Contest.java",
            "org/x/Test.java",
            "web/cart.ts",
            "web/spec.ts",
            "src/attest.rs",
        ] {
            assert!(!is_test_file(path), "{path}");
        }
    }

    #[test]
    fn rust_test_modules_are_test_code() {
        assert!(is_test_function("src/cart.rs", "tests::adds"));
        assert!(is_test_function("src/cart.rs", "deep::tests::adds"));
        assert!(!is_test_function("src/cart.rs", "Cart::tests_run"));
        assert!(!is_test_function("cart.py", "tests.adds"));
    }
}

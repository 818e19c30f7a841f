//! Every function of the samples: first line, first line of the body, last line, name.
//! Compared with the samples line by line, by eye.

use fdc_source::{Language, functions};

use crate::sample;

fn check(language: Language, expected: &str) {
    let found: Vec<String> = functions(language, sample(language))
        .iter()
        .map(|f| format!("{} {} {} {}", f.first, f.body, f.last, f.name))
        .collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(found, expected, "{}", found.join("\n"));
}

#[test]
fn every_python_function_is_found() {
    check(
        Language::Python,
        "5 6 6 plain
         11 16 17 decorated
         20 21 22 waits
         29 29 29 Outer.Inner.method
         32 33 33 Outer.value
         36 37 37 Outer.value@36
         39 40 50 Outer.dispatch
         44 45 48 Outer.dispatch.nested
         46 47 47 Outer.dispatch.nested.Local.deep
         54 55 55 choice
         57 58 58 choice@57
         63 64 64 generic",
    );
}

#[test]
fn every_rust_function_is_found() {
    check(
        Language::Rust,
        "6 6 11 plain
         13 19 23 long_signature
         20 20 20 long_signature::inner
         33 33 35 deep::deeper::Stack::new
         42 42 42 deep::deeper::<&'a mut Stack<T> as IntoIterator>::into_iter
         48 48 55 <B as From<A>>::from
         59 59 61 <B as From<C>>::from
         66 66 68 Shape::name
         82 82 84 in_a_macro
         86 86 86 second
         90 90 90 by_platform
         93 93 93 by_platform@93
         102 102 102 tests::works",
    );
}

#[test]
fn every_go_function_is_found() {
    check(
        Language::Go,
        "8 8 8 Plain
         10 12 14 (*Stack).Push
         16 16 21 Stack.Len
         23 23 23 Stack.Unused
         25 28 34 Map
         36 36 38 handler
         41 41 41 first
         41 41 43 second
         45 45 45 table.func1
         46 46 48 table.func2
         52 52 52 init
         54 54 58 init@54",
    );
}

#[test]
fn every_java_function_is_found() {
    check(
        Language::Java,
        "9 9 11 org.example.sample.Sample$1#run()
         18 18 20 org.example.sample.Sample#Sample()
         24 25 27 org.example.sample.Sample#Sample(int,String)
         32 32 43 org.example.sample.Sample#run()
         37 37 37 org.example.sample.Sample$1Local#Local()
         38 38 38 org.example.sample.Sample$1Local#go(int[],String[])
         41 41 41 org.example.sample.Sample$2#toString()
         45 48 53 org.example.sample.Sample#generic(Map,T[],String...)
         55 55 55 org.example.sample.Sample$3#inArgument()
         55 55 55 org.example.sample.Sample$4#inBody()
         57 57 57 org.example.sample.Sample#overload(int)
         59 59 59 org.example.sample.Sample#overload(long)
         63 63 64 org.example.sample.Sample$Inner$Deep#Deep(List)
         71 71 73 org.example.sample.Sample$Shape#name()
         75 75 75 org.example.sample.Sample$Shape#unit()
         80 80 80 org.example.sample.Sample$Op$1#apply(int,int)
         83 83 83 org.example.sample.Sample$Op$2#apply(int,int)
         86 86 86 org.example.sample.Sample$Op#Op(String)
         90 90 92 org.example.sample.Sample$Op#of(char)
         96 96 98 org.example.sample.Sample$Pair#Pair(A,List)
         100 100 100 org.example.sample.Sample$Pair#swap()
         111 111 111 org.example.sample.Second#get()",
    );
}

#[test]
fn every_javascript_function_is_found() {
    check(
        Language::JavaScript,
        "3 3 7 plain
         9 9 9 generates
         11 11 11 arrow
         13 14 19 long
         15 15 17 long.inner
         23 23 25 Shape.handler
         27 27 29 Shape.constructor
         31 31 31 Shape.area
         33 33 33 Shape.area@33
         35 35 35 Shape.[Symbol.asyncIterator]
         37 37 37 Shape.#hidden
         41 41 41 api.get
         42 42 44 api.post
         45 45 45 api.quoted-name
         46 46 46 api.nested.deep
         49 49 49 exported
         50 50 50 other
         51 51 53 Shape.grow
         55 55 57 <anonymous:55>
         56 56 56 wrapped
         59 59 63 <anonymous:59>
         66 66 66 Named.method
         69 69 69 <anonymous:69>
         71 71 73 default",
    );
}

#[test]
fn every_typescript_function_is_found() {
    check(
        Language::TypeScript,
        "3 5 7 identity
         11 11 13 overloaded
         18 18 20 Service.load
         22 22 22 Service.constructor
         26 26 28 Service.find
         33 33 33 Abstract.present
         37 37 37 Geometry.Plane.area
         40 40 42 wrapped
         45 45 45 default.run",
    );
}

#[test]
fn every_tsx_function_is_found() {
    check(
        Language::Tsx,
        "1 1 6 Button
         8 8 8 default",
    );
}

#[test]
fn broken_source_keeps_the_functions_that_can_be_made_out() {
    let names = |language, text: &str| -> Vec<String> {
        functions(language, text)
            .into_iter()
            .map(|f| f.name)
            .collect()
    };
    let python = "def a():\n    return 1 +\n\ndef b():\n    return 2\n";
    assert!(names(Language::Python, python).contains(&"b".to_owned()));
    let rust = "fn a() { let x = ; }\n\nfn b() {}\n";
    assert_eq!(names(Language::Rust, rust), ["a", "b"]);
    let java = "class A { void a() { int = 3; } void b() {} }";
    assert_eq!(names(Language::Java, java), ["A#a()", "A#b()"]);
}

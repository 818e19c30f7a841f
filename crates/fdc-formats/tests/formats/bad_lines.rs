//! What is said of bad coverage of lines: file, place, expected, found, and what to do.

use super::bad_input::{Case, check};

const CASES: &[Case] = &[
    (
        "lcov",
        &[("x.info", b"")],
        "DIR/x.info: expected a section SF: ... end_of_record, found none",
        "nothing was measured: check the tool's options for what to include",
    ),
    (
        "lcov",
        &[("x.info", b"TN:t\nSF:a.c\nDA:1,1\n")],
        "DIR/x.info: expected end_of_record, found the end of the file in the section of line 2",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a.c\nDA:1\nend_of_record\n")],
        "DIR/x.info: line 2: expected DA:line,count with a line up to 2000000, found \"DA:1\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a.c\nDA:10000001,1\nend_of_record\n")],
        "DIR/x.info: line 2: expected DA:line,count with a line up to 2000000, found \"DA:10000001,1\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a.c\nDA:1,x\nend_of_record\n")],
        "DIR/x.info: line 2: expected DA:line,count with a line up to 2000000, found \"DA:1,x\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a.c\nFN:x,f\nend_of_record\n")],
        "DIR/x.info: line 2: expected FN:line[,last line],name, found \"FN:x,f\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a.c\nFNL:0,x\nend_of_record\n")],
        "DIR/x.info: line 2: expected FNL:number,line[,last line], found \"FNL:0,x\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a.c\nFNA:0,1,f\nend_of_record\n")],
        "DIR/x.info: line 2: expected FNA:number,count,name with the number of an FNL, found \"FNA:0,1,f\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a.c\nSF:b.c\n")],
        "DIR/x.info: line 2: expected end_of_record before the next section, found \"SF:b.c\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"DA:1,1\n")],
        "DIR/x.info: line 1: expected TN: or SF: at the start of a section, found \"DA:1,1\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"end_of_record\n")],
        "DIR/x.info: line 1: expected SF: before the end of a section, found \"end_of_record\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a.c\nhello\n")],
        "DIR/x.info: line 2: expected a record such as DA:12,1, found \"hello\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "lcov",
        &[("x.info", b"SF:a\xff\n")],
        "DIR/x.info: line 1: expected UTF-8 text, found byte 0xff",
        "convert the file to UTF-8",
    ),
    (
        "go",
        &[("x.out", b"")],
        "DIR/x.out: line 1: expected mode: set, count or atomic, found an empty file",
        "the file is damaged or cut off: run go test -coverprofile again",
    ),
    (
        "go",
        &[("x.out", b"mode: some\n")],
        "DIR/x.out: line 1: expected mode: set, count or atomic, found \"mode: some\"",
        "the file is damaged or cut off: run go test -coverprofile again",
    ),
    (
        "go",
        &[("x.out", b"mode: set\na.go:1.2,3.4 1\n")],
        "DIR/x.out: line 2: expected file:line.column,line.column statements count, found \"a.go:1.2,3.4 1\"",
        "the file is damaged or cut off: run go test -coverprofile again",
    ),
    (
        "go",
        &[("x.out", b"mode: set\na.go:3.2,1.4 1 1\n")],
        "DIR/x.out: line 2: expected file:line.column,line.column statements count, found \"a.go:3.2,1.4 1 1\"",
        "the file is damaged or cut off: run go test -coverprofile again",
    ),
    (
        "go",
        &[("x.out", b"mode: set\na.go:1.2,10000001.4 1 1\n")],
        "DIR/x.out: line 2: expected file:line.column,line.column statements count, found \"a.go:1.2,10000001.4 1 1\"",
        "the file is damaged or cut off: run go test -coverprofile again",
    ),
    (
        "go",
        &[("x.out", b"mode: set\na_test.go:1.2,3.4 1 1\n")],
        "DIR/x.out: expected a line of code that is not a test's, found none in the coverage of 1 tests",
        "measure the code under test; --include-tests counts test code as well",
    ),
    (
        "istanbul",
        &[("x.json", b"{\"a.js\":{\"path\":\"a.js\"")],
        "DIR/x.json: expected path -> statementMap, fnMap, s, found EOF while parsing an object at line 1 column 22",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "istanbul",
        &[("x.json", b"{\"a.js\":{\"path\":\"a.js\",\"statementMap\":{\"0\":{\"start\":{\"line\":1},\"end\":{\"line\":1}}},\"s\":{}}}")],
        "DIR/x.json: file \"a.js\": expected a count in s of each statement, found statement \"0\" without",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "istanbul",
        &[("x.json", b"{\"a.js\":{\"path\":\"a.js\",\"statementMap\":{\"0\":{\"start\":{\"line\":null},\"end\":{\"line\":1}}},\"s\":{\"0\":1}}}")],
        "DIR/x.json: file \"a.js\": expected a line up to 2000000 of each statement, found statement \"0\" without",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "llvm-cov",
        &[("x.json", b"{\"data\":[{\"files\":[{\"filename\":\"a.c\"}]}]}")],
        "DIR/x.json: file \"a.c\": expected segments, found none",
        "export again without -summary-only",
    ),
    (
        "llvm-cov",
        &[("x.json", b"{\"data\":[{\"files\":[{\"filename\":\"a.c\",\"segments\":[[2,1,1,true,true,false],[1,1,0,false,false,false]]}]}]}")],
        "DIR/x.json: file \"a.c\": expected ascending segments, found line 1 after line 2",
        "the file is damaged or cut off: run llvm-cov export again",
    ),
    (
        "llvm-cov",
        &[("x.json", b"{\"data\":[{\"files\":[{\"filename\":\"a.c\",\"segments\":[[10000001,1,1,true,true,false]]}]}]}")],
        "DIR/x.json: file \"a.c\": expected lines up to 2000000, found line 10000001",
        "the file is damaged or cut off: run llvm-cov export again",
    ),
    (
        "llvm-cov",
        &[("x.json", b"{\"data\":[{\"files\":[{\"filename\"")],
        "DIR/x.json: expected data with files and their segments, found EOF while parsing an object at line 1 column 30",
        "the file is damaged or cut off: run llvm-cov export again",
    ),
    (
        "cobertura",
        &[("x.xml", b"<coverage><packages>\n<class name=\"A\"/></packages></coverage>")],
        "DIR/x.xml: line 2: expected the attribute filename of <class>, found none",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "cobertura",
        &[("x.xml", b"<coverage><packages><class name=\"A\" filename=\"a.c\">\n<line number=\"x\" hits=\"1\"/></class></packages></coverage>")],
        "DIR/x.xml: line 2: expected a line number up to 2000000 as number, found \"x\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "cobertura",
        &[("x.xml", b"<coverage><packages><class name=\"A\" filename=\"a.c\">\n<line number=\"1\" hits=\"-1\"/></class></packages></coverage>")],
        "DIR/x.xml: line 2: expected a count as hits, found \"-1\"",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "cobertura",
        &[("x.xml", b"<coverage>\n<packages>")],
        "DIR/x.xml: line 2: expected well-formed XML, found the end of the file inside <packages>",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "cobertura",
        &[("x.xml", b"<coverage></packages>")],
        "DIR/x.xml: line 1: expected well-formed XML, found ill-formed document: expected `</coverage>`, but `</packages>` was found",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "cobertura",
        &[("x.xml", b"<report/>")],
        "DIR/x.xml: line 1: expected <coverage>, found <report>",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "cobertura",
        &[("x.xml", b"<!DOCTYPE a [<!ENTITY b \"bbbb\">]><coverage><packages><class filename=\"&b;\"/></packages></coverage>")],
        "DIR/x.xml: line 1: expected well-formed attributes, found at 1..2: unrecognized entity `b`",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "cobertura",
        &[("x.xml", b"<coverage/><coverage/>")],
        "DIR/x.xml: line 1: expected one root element, found <coverage> after it",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "cobertura",
        &[("x.xml", b"")],
        "DIR/x.xml: line 1: expected well-formed XML, found no element",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "jacoco-xml",
        &[("x.xml", b"<report><package name=\"p\"><sourcefile name=\"A.java\"><line nr=\"1\"/></sourcefile></package></report>")],
        "DIR/x.xml: line 1: expected the attribute ci of <line>, found none",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "jacoco-xml",
        &[("x.xml", b"<coverage/>")],
        "DIR/x.xml: line 1: expected <report>, found <coverage>",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "jacoco-xml",
        &[("x.xml", b"<report><package/></report>")],
        "DIR/x.xml: line 1: expected the attribute name of <package>, found none",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "junit",
        &[("x.xml", b"<testsuite><testcase name=\"a\"/></testsuite>")],
        "DIR/x.xml: expected coverage, found outcomes of tests alone",
        "give the coverage as well; `fdc list formats` shows what is read",
    ),
    (
        "junit",
        &[("x.xml", b"<testsuite><testcase/></testsuite>")],
        "DIR/x.xml: line 1: expected the attribute name of <testcase>, found none",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "junit",
        &[("x.xml", b"<testsuite><testcase name=\"a\"><testcase name=\"b\"/></testcase></testsuite>")],
        "DIR/x.xml: line 1: expected a flat list of tests, found <testcase> inside another",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "junit",
        &[("x.xml", b"<report/>")],
        "DIR/x.xml: line 1: expected <testsuites> or <testsuite>, found <report>",
        "the file is damaged or cut off: make it again with the tool that wrote it",
    ),
    (
        "manifest",
        &[("m.csv", b"test,outcome,path\nt,pass,gone.info\n")],
        "DIR/gone.info: cannot open it: No such file or directory (os error 2)",
        "check the path; relative ones start from the current folder",
    ),
    (
        "manifest",
        &[("m.csv", b"test,outcome,path\nt,maybe,a.info\n")],
        "DIR/m.csv: line 2: expected the outcome pass, fail, error, skip or nothing, found \"maybe\"",
        "`fdc explain manifest` shows an example",
    ),
    (
        "manifest",
        &[("m.csv", b"test,outcome,path\nt,pass\n")],
        "DIR/m.csv: line 2: expected 3 cells, found 2",
        "`fdc explain manifest` shows an example",
    ),
    (
        "manifest",
        &[("m.csv", b"test,outcome,path\n,pass,a.info\n")],
        "DIR/m.csv: line 2: expected a test and a path, found \"\" and \"a.info\"",
        "`fdc explain manifest` shows an example",
    ),
    (
        "manifest",
        &[("m.csv", b"name,outcome\n")],
        "DIR/m.csv: line 1: expected the header test,outcome,path, found \"name,outcome\"",
        "`fdc explain manifest` shows an example",
    ),
    (
        "manifest",
        &[("m.csv", b"test,outcome,path\n")],
        "DIR/m.csv: expected the header test,outcome,path and a row for each test, found no test",
        "`fdc explain manifest` shows an example",
    ),
    (
        "manifest",
        &[("m.csv", b"")],
        "DIR/m.csv: expected the header test,outcome,path and a row for each test, found an empty file",
        "`fdc explain manifest` shows an example",
    ),
    (
        "manifest",
        &[("m.csv", b"test,outcome,path\nt,pass,two.info\n"), ("two.info", b"TN:a\nSF:a.c\nDA:1,1\nend_of_record\nTN:b\nSF:a.c\nDA:1,1\nend_of_record\n")],
        "DIR/two.info: expected the coverage of one test, \"t\", found that of 2 tests",
        "give the file itself instead of a manifest or folder",
    ),
    (
        "manifest",
        &[("m.csv", b"test,outcome,path\nt,pass,m.csv\n")],
        "DIR/m.csv: expected the coverage of one test, \"t\", found format manifest",
        "give this file itself to fdc",
    ),
    (
        "jacoco",
        &[("x.exec", b"")],
        "DIR/x.exec: byte 0: expected a header block 01, found an empty file",
        "the file is damaged or cut off: run the tests with JaCoCo again",
    ),
    (
        "jacoco",
        &[("x.exec", b"\x11")],
        "DIR/x.exec: byte 0: expected a header block 01, found block 11",
        "the file is damaged or cut off: run the tests with JaCoCo again",
    ),
    (
        "jacoco",
        &[("x.exec", b"\x01\xc0\xc1\x10\x07")],
        "DIR/x.exec: byte 0: expected JaCoCo's magic number c0c0, found c0c1",
        "the file is damaged or cut off: run the tests with JaCoCo again",
    ),
    (
        "jacoco",
        &[("x.exec", b"\x01\xc0\xc0\x10\x06")],
        "DIR/x.exec: byte 0: expected execution data of version 1007, found version 1006",
        "the file is damaged or cut off: run the tests with JaCoCo again",
    ),
    (
        "jacoco",
        &[("x.exec", b"\x01\xc0\xc0\x10\x07\"")],
        "DIR/x.exec: byte 5: expected a block 01, 10 or 11, found block 22",
        "the file is damaged or cut off: run the tests with JaCoCo again",
    ),
    (
        "jacoco",
        &[("x.exec", b"\x01\xc0\xc0\x10\x07\x10\x00\x05ab")],
        "DIR/x.exec: byte 8: expected 5 more bytes, found the end after 2",
        "the file is damaged or cut off: run the tests with JaCoCo again",
    ),
    (
        "jacoco",
        &[("x.exec", b"\x01\xc0\xc0\x10\x07\x11\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01a\xff\xff\xff\xff\xff")],
        "DIR/x.exec: byte 17: expected a number of probes, found more than 32 bits",
        "the file is damaged or cut off: run the tests with JaCoCo again",
    ),
    (
        "jacoco",
        &[("x.exec", b"\x01\xc0\xc0\x10\x07")],
        "DIR/x.exec: expected the class files that were measured, found none",
        "give their folders and jars with --classes: the data has no lines",
    ),
    (
        "gzoltar-ser",
        &[("x.ser", b"\x01\xc0\xc0\x00\x01")],
        "DIR/x.ser: expected GZoltar's text report, found a .ser file, which does not say which lines its probes are",
        "run gzoltarcli faultLocalizationReport --formatter txt and give its folder; `fdc explain gzoltar-ser`",
    ),
    (
        "coverage.py",
        &[(".coverage", b"SQLite format 3\x00")],
        "DIR/.coverage: expected coverage.py's table coverage_schema, found file is not a database",
        "this is not a data file of coverage.py, or it is damaged",
    ),
    (
        "coverage.py",
        &[(".coverage", b"hello")],
        "DIR/.coverage: expected coverage.py's table coverage_schema, found file is not a database",
        "this is not a data file of coverage.py, or it is damaged",
    ),
];

#[test]
fn each_bad_coverage_gives_its_message_and_advice() {
    check(CASES.iter());
}

/// A data file of coverage.py with one measured line.
fn coverage_data(schema: i64, context: &str, path: &std::path::Path) {
    let data = rusqlite::Connection::open(path).unwrap();
    data.execute_batch(&format!(
        "CREATE TABLE coverage_schema (version INTEGER);
         CREATE TABLE file (id INTEGER, path TEXT);
         CREATE TABLE context (id INTEGER, context TEXT);
         CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);
         CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);
         INSERT INTO coverage_schema VALUES ({schema});
         INSERT INTO file VALUES (1, 'cart.py');
         INSERT INTO context VALUES (1, '{context}');
         INSERT INTO line_bits VALUES (1, 1, x'02');"
    ))
    .unwrap();
}

#[test]
fn what_is_wrong_with_a_data_file_of_coverage_py_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".coverage");
    let said = |schema, context, change: &str| {
        std::fs::remove_file(&path).unwrap_or_default();
        coverage_data(schema, context, &path);
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(change)
            .unwrap();
        let error = fdc_formats::read(&path).unwrap_err();
        let message = error.to_string().replace(&*path.to_string_lossy(), "FILE");
        (message, error.advice().unwrap().to_owned())
    };
    let expected = [
        (
            said(6, "t", ""),
            "FILE: expected a data file of schema 7, found schema 6",
            "measure again with coverage.py 5.0 to 7",
        ),
        (
            said(7, "", ""),
            "FILE: expected a context for each test, found none",
            "measure with contexts: pytest --cov-context=test, or dynamic_context",
        ),
        (
            said(7, "t", "UPDATE line_bits SET file_id = 5"),
            "FILE: table line_bits: expected files and lines up to 2000000, \
             found file 5, which does not exist",
            "the file is damaged or cut off: run coverage again",
        ),
        (
            said(7, "t", "INSERT INTO arc VALUES (1, 1, -1, 10000001)"),
            "FILE: table arc: expected files and lines up to 2000000, found line 10000001",
            "the file is damaged or cut off: run coverage again",
        ),
        (
            said(7, "t", "DROP TABLE arc"),
            "FILE: expected a data file of coverage.py, found no such table: arc",
            "the file is damaged or cut off: run coverage again",
        ),
    ];
    for ((message, advice), expected_message, expected_advice) in expected {
        assert_eq!((&*message, &*advice), (expected_message, expected_advice));
    }
}

#[test]
fn class_files_that_were_not_measured_are_named() {
    use fdc_formats::{Project, read_inputs};
    let folder = tempfile::tempdir().unwrap();
    let exec = [super::testdata().join("jacoco/sessions.exec")];
    let said = |classes: Vec<std::path::PathBuf>| {
        let project = Project::new(folder.path()).with_classes(classes);
        let error = read_inputs(&exec, None, &[], &project).unwrap_err();
        let place = exec[0].to_string_lossy().into_owned();
        let message = error.to_string().replace(&place, "EXEC");
        message.replace(&*folder.path().to_string_lossy(), "DIR")
    };
    let jar = std::fs::read(super::testdata().join("subjects/java/shop.jar")).unwrap();
    let damaged = folder.path().join("damaged.jar");
    std::fs::write(&damaged, &jar[..jar.len() - 30]).unwrap();
    assert_eq!(
        said(vec![damaged]),
        "DIR/damaged.jar: expected a jar of class files, found no end of a zip archive"
    );
    let text = folder.path().join("Cart.class");
    std::fs::write(&text, "hello").unwrap();
    assert_eq!(
        said(vec![text.clone()]),
        "DIR/Cart.class: expected a class file, found no class file"
    );
    std::fs::write(&text, other_version()).unwrap();
    assert_eq!(
        said(vec![text]),
        "EXEC: class org/shop/Cart: expected the class file 97e549497a38922b that was measured, \
         found 1da9b224f21f76f9, another version of it, in DIR/Cart.class"
    );
}

/// A class `org.shop.Cart` that holds nothing.
fn other_version() -> Vec<u8> {
    let mut class = b"\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x05".to_vec();
    for name in ["org/shop/Cart", "java/lang/Object"] {
        class.push(1);
        class.extend((name.len() as u16).to_be_bytes());
        class.extend(name.as_bytes());
    }
    class.extend(b"\x07\x00\x01\x07\x00\x02");
    class.extend(b"\x00\x21\x00\x03\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00");
    class
}

//! `fdc serve`: a session over HTTP, and everybody who must not have it.

mod client;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use self::client::Served;
use crate::label::stored;
use crate::program::{command, fdc_in};
use crate::subjects::{dataset, failed_case, folder, write_json};

/// Every address there is, but for that of requests.
const LOOKED_AT: &[&str] = &[
    "/",
    "/page.js",
    "/page.css",
    "/icon.svg",
    "/api/view",
    "/api/about",
    "/api/source?file=src/a.py",
    "/api/suspect?method=src/a.py::m0",
    "/api/test?name=a",
    "/api/failure?name=fails",
    "/api/picture",
    "/api/events",
];

fn pass(test: &str) -> Value {
    json!({"do": "answer", "verdict": "pass", "test": test})
}

fn answers(folder: &Path) -> usize {
    let served = Served::start(folder, &[]);
    let view = served.get("/api/view").done();
    view["answers"].as_array().unwrap().len()
}

#[test]
fn answers_sharpen_the_ranking_and_survive_a_kill() {
    let folder = stored();
    let mut served = Served::start(folder.path(), &["--who", "ann"]);
    let view = served.get("/api/view").done();
    assert_eq!(
        (&view["tied"], &view["next"]["test"]),
        (&json!(3), &json!("a"))
    );
    let state = served.post(&pass("a"));
    assert_eq!(state.header("content-type"), Some("application/json"));
    assert_eq!(state.done()["tied"], 2);
    // What the reply shows as taken is in the file.
    served.child.kill().unwrap();
    served.child.wait().unwrap();
    let again = Served::start(folder.path(), &[]);
    let view = again.get("/api/view").done();
    assert_eq!(
        (&view["answers"][0]["who"], &view["tied"]),
        (&json!("ann"), &json!(2))
    );
    let id = &view["answers"][0]["id"];
    assert_eq!(
        again.post(&json!({"do": "undo", "id": id})).done()["tied"],
        3
    );
    assert_eq!(
        again.post(&json!({"do": "advice"})).done()["event"],
        "advice"
    );
}

#[test]
fn how_a_test_failed_is_served_with_the_sources_of_its_calls() {
    let (folder, _case) = failed_case();
    let served = Served::start(folder.path(), &["--editor", "idea://open?file={path}"]);
    let view = served.get("/api/view").done();
    let failed = &view["failures"][0];
    assert_eq!(failed["exception"], "AssertionError");
    let test = "tests/test_shop.py::test_total";
    let alone = served.get(&format!("/api/failure?name={test}")).done();
    assert_eq!(&alone, failed);
    let source = served.get(&format!("/api/test?name={test}")).done();
    assert_eq!(
        (&source["failed_at"], &source["lines"][0]),
        (&json!(4), &json!("def test_total():"))
    );
    assert_eq!(source["syntax"][0][0], json!(["sk", 3]));
    // Of the program with its scores, of a test without; nothing that is not below the root.
    let program = served.get("/api/source?file=shop.py").done();
    assert!(program["lines"][1]["score"].is_number());
    let tests = served.get("/api/source?file=tests/test_shop.py").done();
    assert_eq!(tests["lines"][3]["text"], "    assert shop.total(4) == 4");
    for file in ["case.fdc", "tests"] {
        let answer = served.get(&format!("/api/source?file={file}"));
        assert_eq!(answer.status, 404, "{file}");
    }
    let passing = "tests/test_shop.py::test_rest";
    let answer = served.get(&format!("/api/failure?name={passing}"));
    assert_eq!(answer.status, 404);
    assert_eq!(
        served.get("/api/about").done()["editor"],
        "idea://open?file={path}"
    );
}

#[test]
fn an_editor_is_an_address_that_a_browser_does_not_run() {
    let (folder, _case) = failed_case();
    for address in ["javascript:alert('{path}')", "{path}", "code", "a b:{path}"] {
        let refused = fdc_in(folder.path(), &["serve", "case.fdc", "--editor", address]);
        assert_eq!(refused.code, Some(2), "{address}");
        let expected = "expected an address such as vscode://file{path}:{line}, or none";
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
    let served = Served::start(folder.path(), &["--editor", "none"]);
    assert!(served.get("/api/about").done().get("editor").is_none());
}

/// What is opened is the address that was printed; without a browser everything else works.
#[test]
#[cfg(target_os = "linux")]
fn open_starts_the_browser_if_there_is_one() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, _case) = failed_case();
    let programs = folder.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let serve = || {
        let mut child = command(folder.path(), &["serve", "case.fdc", "--open"])
            .env("PATH", &programs)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut address).unwrap();
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        (child, address)
    };
    let (mut child, _) = serve();
    let told = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut told = told.map_while(Result::ok);
    assert!(told.any(|line| line.contains("no browser could be started")));
    child.kill().unwrap();
    child.wait().unwrap();

    let opener = programs.join("xdg-open");
    let opened = folder.path().join("opened");
    let script = format!(
        "#!/bin/sh\necho \"$1\" > {0}.new; /bin/mv {0}.new {0}\n",
        opened.display()
    );
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, PermissionsExt::from_mode(0o755)).unwrap();
    let (mut child, address) = serve();
    while !opened.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(std::fs::read_to_string(&opened).unwrap(), address);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_map_stays_as_it_is_when_the_ranking_changes() {
    let folder = stored();
    let served = Served::start(folder.path(), &[]);
    let names = |svg: &str| -> Vec<String> {
        let links = svg.split("href=\"#").skip(1);
        let link = |rest: &str| rest.split('"').next().unwrap_or_default().to_owned();
        links.map(link).collect()
    };
    let before = names(&served.get("/api/picture").body);
    let first = |view: &Value| view["suspects"][0]["method"].clone();
    let was = first(&served.get("/api/view").done());
    let method = json!({"do": "fine", "method": was});
    let view = served.post(&method).done();
    assert_ne!(first(&view), was, "another method is first");
    let marked = view["suspects"].as_array().unwrap();
    let fine: Vec<_> = marked.iter().filter(|own| own["fine"] == true).collect();
    assert_eq!((fine.len(), &fine[0]["method"]), (1, &was));
    assert_eq!(names(&served.get("/api/picture").body), before);
}

#[test]
fn nothing_is_served_without_the_token() {
    let folder = stored();
    let served = Served::start(folder.path(), &[]);
    let (right, wrong) = (served.token.clone(), "0".repeat(48));
    let half = &right[..24];
    for path in LOOKED_AT {
        let with = |token: &str| {
            format!(
                "{path}{}token={token}",
                if path.contains('?') { "&" } else { "?" }
            )
        };
        for headers in [
            &[][..],
            &[("x-fdc-token", &*wrong)],
            &[("x-fdc-token", "")],
            &[("x-fdc-token", half)],
        ] {
            let refused = served.send(&format!("GET {path}"), headers, "");
            assert_eq!(refused.status, 403, "{path} {headers:?}");
            assert!(!refused.body.contains(&right));
        }
        for token in [
            &*wrong,
            "",
            half,
            &right.to_uppercase().replace(|c: char| c.is_numeric(), "9"),
        ] {
            assert_eq!(
                served.send(&format!("GET {}", with(token)), &[], "").status,
                403,
                "{path}"
            );
        }
        // Two tokens are one too many.
        let both = [("x-fdc-token", &*right), ("x-fdc-token", &*wrong)];
        assert_eq!(served.send(&format!("GET {path}"), &both, "").status, 403);
        if *path != "/api/events" {
            assert_eq!(
                served
                    .send(&format!("GET {}", with(&right)), &[], "")
                    .status,
                200,
                "{path}"
            );
            assert_eq!(served.get(path).status, 200, "{path}");
        }
    }
    // An address that is not there tells nothing to strangers.
    assert_eq!(served.send("GET /nowhere", &[], "").status, 403);
    assert_eq!(served.get("/nowhere").status, 404);
}

#[test]
fn other_names_of_this_machine_and_other_origins_are_refused() {
    let folder = stored();
    let served = Served::start(folder.path(), &[]);
    let port = served.port;
    let own = format!("127.0.0.1:{port}");
    let token = ("x-fdc-token", served.token.as_str());
    let ask = |headers: &[(&str, &str)]| {
        let headers = [&[token][..], headers].concat();
        served.send("GET /api/view", &headers, "").status
    };
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("evil.example@127.0.0.1:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("127.1:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::1]:{port}"),
        format!("127.0.0.1:{port}."),
        String::new(),
    ] {
        assert_eq!(ask(&[("Host", &host)]), 403, "{host}");
    }
    assert_eq!(ask(&[("Host", &own), ("Host", &own)]), 403, "two hosts");
    let none = served.raw(
        format!(
            "GET /api/view HTTP/1.0\r\nx-fdc-token: {}\r\n\r\n",
            served.token
        )
        .as_bytes(),
    );
    assert_eq!(none.unwrap().status, 403, "no host");
    assert_eq!(ask(&[("Host", &format!("localhost:{port}"))]), 200);
    for origin in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://127.0.0.1:{}", port ^ 1),
        format!("https://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        "file://".to_owned(),
        String::new(),
    ] {
        assert_eq!(ask(&[("Origin", &origin)]), 403, "{origin}");
    }
    assert_eq!(ask(&[("Origin", &format!("http://{own}"))]), 200);
    for (site, status) in [
        ("cross-site", 403),
        ("same-site", 403),
        ("", 403),
        ("same-origin", 200),
        ("none", 200),
    ] {
        assert_eq!(ask(&[("Sec-Fetch-Site", site)]), status, "{site}");
    }
}

#[test]
fn a_form_or_script_of_another_page_cannot_answer() {
    let folder = stored();
    let served = Served::start(folder.path(), &[]);
    let body = pass("a").to_string();
    let with_token = format!("POST /api/do?token={}", served.token);
    let token = ("x-fdc-token", served.token.as_str());
    let json = ("Content-Type", "application/json");
    let cookie = format!("token={0}; x-fdc-token={0}", served.token);
    // What a browser sends for another page without asking first; even one that knows the token.
    for kind in [
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/plain",
    ] {
        let headers = [("Content-Type", kind), ("Cookie", &*cookie)];
        assert_eq!(
            served.send(&with_token, &headers, &body).status,
            403,
            "{kind}"
        );
        assert_eq!(
            served
                .send("POST /api/do", &[token, ("Content-Type", kind)], &body)
                .status,
            415
        );
    }
    assert_eq!(served.send(&with_token, &[json], &body).status, 403);
    assert_eq!(served.send("POST /api/do", &[token], &body).status, 415);
    let evil = ("Origin", "http://evil.example");
    assert_eq!(
        served
            .send("POST /api/do", &[token, json, evil], &body)
            .status,
        403
    );
    // A browser that asks first hears no yes.
    let asks = [
        evil,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "x-fdc-token,content-type"),
    ];
    let preflight = served.send("OPTIONS /api/do", &asks, "");
    assert_eq!(preflight.status, 403);
    let trusted = served.send("OPTIONS /api/do", &[token], "");
    assert_eq!(trusted.status, 405);
    for answer in [preflight, trusted, served.get("/"), served.get("/api/view")] {
        let allows = |(name, _): &(String, String)| {
            name.starts_with("access-control") || name == "set-cookie"
        };
        assert!(!answer.headers.iter().any(allows), "{answer:?}");
    }
    assert_eq!(served.get("/api/view").done()["answers"], json!([]));
}

#[test]
fn every_answer_is_closed_to_other_pages() {
    let folder = stored();
    let served = Served::start(folder.path(), &[]);
    let answers = [
        served.get("/"),
        served.get("/page.js"),
        served.get("/api/view"),
        served.get("/api/picture"),
        served.get("/nowhere"),
        served.send("GET /", &[], ""),
        served.send("DELETE /api/do", &[("x-fdc-token", &served.token)], ""),
    ];
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 404, 403, 405]);
    for answer in &answers {
        let policy = answer.header("content-security-policy").unwrap();
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
    }
    let page = &answers[0].body;
    assert!(!page.contains("<style") && !page.contains("style=") && !page.contains(" onclick"));
    let scripts: Vec<_> = page.matches("<script").collect();
    assert_eq!(scripts.len(), 1);
    assert!(page.contains("src=\"page.js?token="));
}

#[test]
fn only_files_of_the_case_below_the_root_are_served() {
    let folder = folder();
    let root = folder.path().join("project");
    std::fs::create_dir_all(root.join("src/.hidden")).unwrap();
    for (path, text) in [
        ("project/src/in.py", "inside"),
        ("secret.py", "SECRET"),
        ("project/src/.hidden/h.py", "SECRET"),
        ("project/other.py", "OTHER"),
    ] {
        std::fs::write(folder.path().join(path), text).unwrap();
    }
    let outside = folder.path().join("secret.py");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, root.join("src/link.py")).unwrap();
    let absolute = outside.to_str().unwrap();
    // The case itself names files that it should not.
    let files = [
        "src/in.py",
        "../secret.py",
        "src/link.py",
        "src/.hidden/h.py",
        absolute,
        "/etc/passwd",
        "src/../../secret.py",
        "src/in.py\0",
    ];
    let case = json!({
        "methods": files.iter().map(|file| format!("{file}::m")).collect::<Vec<_>>(),
        "elements": (0..files.len()).map(|at| [at, 1]).collect::<Vec<_>>(),
        "tests": [{"name": "../secret.py::test", "outcome": "fail"}, {"name": "/etc/passwd"}],
        "coverage": [[0, 1, 1, 1, 1, 1, 1, 1], [0]],
    });
    write_json(folder.path(), "case.json", &case);
    fdc_in(folder.path(), &["import", "case.json", "-o", "case.fdc"]).done();
    let served = Served::start(folder.path(), &["--source", "project"]);
    let view = served.get("/api/view").done();
    let known: Vec<String> = view["suspects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|suspect| suspect["file"].as_str().unwrap().to_owned())
        .collect();
    let mut named: Vec<&str> = known.iter().map(String::as_str).collect();
    named.sort_unstable();
    let mut expected = files;
    expected.sort_unstable();
    assert_eq!(named, expected);
    let listing = |file: &str| served.get(&format!("/api/source?file={}", encoded(file)));
    for file in &known {
        let answer = listing(file);
        assert!(
            !answer.body.contains("SECRET") && !answer.body.contains("root:"),
            "{file}: {answer:?}"
        );
        let found = answer.done()["path"].is_string();
        assert_eq!(found, file == "src/in.py", "{file}");
    }
    assert!(listing("src/in.py").body.contains("inside"));
    // What the case does not name is not looked for, wherever it is.
    for file in [
        "other.py",
        "./src/in.py",
        "src/IN.py",
        "in.py",
        "..",
        "",
        ".",
        "/",
        "../secret.py/",
        "src/in.py/../../secret.py",
        "%2e%2e%2fsecret.py",
        "..\\secret.py",
        "file:///etc/passwd",
        "case.fdc",
    ] {
        assert_eq!(listing(file).status, 404, "{file}");
    }
    for name in ["../secret.py::test", "/etc/passwd"] {
        let answer = served.get(&format!("/api/test?name={}", encoded(name)));
        assert_eq!(answer.done()["path"], Value::Null);
    }
    for name in ["../../secret.py::x", "tests/none.py::t", "", "\0"] {
        assert_eq!(
            served
                .get(&format!("/api/test?name={}", encoded(name)))
                .status,
            404
        );
    }
    // Nor is a path of the address a path of the disk.
    for path in [
        "/../secret.py",
        "/%2e%2e/secret.py",
        "/..%2fsecret.py",
        "//etc/passwd",
        "/etc/passwd",
        "/page.js/../../secret.py",
        "/case.fdc",
        "/src/in.py",
        "/page.js%00",
        "/.%00./",
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.body.contains("SECRET"));
    }
    for query in [
        "",
        "?file=",
        "?file=%ff",
        "?file=src/in.py&around=-1",
        "?file=src/in.py&around=99999999999999",
        "?around=1",
    ] {
        let status = served.get(&format!("/api/source{query}")).status;
        assert!((400..=404).contains(&status), "{query}: {status}");
    }
    assert_eq!(
        served
            .get("/api/source?file=src/in.py&around=4294967295")
            .status,
        200
    );
}

#[test]
fn bad_requests_change_nothing() {
    let folder = stored();
    let served = Served::start(folder.path(), &[]);
    let before = served.get("/api/view").json();
    for (request, status) in [
        (json!({"do": "dance"}), 400),
        (json!([]), 400),
        (json!({"do": "answer", "verdict": "pass", "more": 1}), 400),
        (json!({"do": "undo"}), 422),
        (json!({"do": "undo", "id": "label x"}), 422),
        (
            json!({"do": "answer", "verdict": "pass", "test": "zzz"}),
            422,
        ),
        (json!({"do": "fine", "method": "m9"}), 422),
        (json!({"do": "near", "file": "../src/a.py"}), 422),
        (json!({"do": "quit"}), 422),
    ] {
        let answer = served.post(&request);
        assert_eq!(answer.status, status, "{request}");
        assert_eq!(answer.json()["event"], "error", "{request}");
    }
    let large = json!({"do": "fine", "method": "m".repeat(65 << 10)});
    assert_eq!(served.post(&large).status, 413);
    let fits = json!({"do": "fine", "method": "m".repeat(60 << 10)});
    assert_eq!(served.post(&fits).status, 422);
    let token = ("x-fdc-token", served.token.as_str());
    for (line, status) in [
        ("GET /api/do", 405),
        ("POST /api/view", 405),
        ("POST /", 405),
        ("PUT /api/do", 405),
        ("DELETE /", 405),
        ("TRACE /", 405),
        ("PATCH /api/source?file=src/a.py", 405),
        ("HEAD /", 200),
    ] {
        assert_eq!(served.send(line, &[token], "").status, status, "{line}");
    }
    for bytes in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /api/do HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/do HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nzzzz",
    ] {
        let mut stream = served.connect();
        stream.write_all(bytes).unwrap();
        // The server may have hung up by now.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut said = Vec::new();
        let _ = std::io::Read::read_to_end(&mut stream, &mut said);
        assert!(
            !String::from_utf8_lossy(&said).contains(" 200 "),
            "{bytes:?}"
        );
    }
    assert_eq!(served.get("/api/view").json(), before);
}

#[test]
fn everybody_sees_the_answers_of_the_others() {
    let folder = stored();
    let served = Served::start(folder.path(), &[]);
    let mut stream = served.connect();
    let head = format!(
        "GET /api/events?token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
        served.token, served.port
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut events = BufReader::new(stream);
    let mut next = || loop {
        let mut line = String::new();
        assert!(events.read_line(&mut line).unwrap() > 0, "the stream ended");
        if let Some(state) = line.strip_prefix("data: ") {
            return state.trim_end().parse::<u64>().unwrap();
        }
    };
    let first = next();
    let view = served.get("/api/view");
    assert_eq!(view.header("fdc-state").unwrap().parse(), Ok(first));
    // Another tab.
    let posted = served.post(&pass("a"));
    let second = next();
    assert!(second > first);
    assert_eq!(posted.header("fdc-state").unwrap().parse(), Ok(second));
    // Another process.
    let mut label = command(
        folder.path(),
        &["label", "case.fdc", "--metric", "split", "--who", "bob"],
    )
    .stdin(Stdio::piped())
    .stdout(Stdio::null())
    .spawn()
    .unwrap();
    let mut requests = label.stdin.take().unwrap();
    writeln!(requests, "{}", pass("b")).unwrap();
    let third = next();
    assert!(third > second);
    let view = served.get("/api/view").done();
    assert_eq!(view["answers"][1]["who"], "bob");
    // What nobody changed is no news, what is refused neither.
    served.get("/api/view");
    served.post(&json!({"do": "fine", "method": "zzz"}));
    writeln!(requests, "{}", json!({"do": "undo"})).unwrap();
    assert_eq!(next(), third + 1);
    drop(requests);
    label.wait().unwrap();
}

#[test]
fn answers_at_the_same_time_are_all_taken() {
    let folder = folder();
    let names: Vec<String> = (0..16).map(|test| format!("t{test}")).collect();
    let mut tests: Vec<(&str, Option<&str>, &[u32])> = vec![("fails", Some("fail"), &[0, 1, 2])];
    tests.extend(names.iter().map(|name| (name.as_str(), None, &[0u32][..])));
    write_json(folder.path(), "case.json", &dataset(&tests, 3));
    fdc_in(folder.path(), &["import", "case.json", "-o", "case.fdc"]).done();
    let served = Served::start(folder.path(), &[]);
    std::thread::scope(|scope| {
        for name in &names {
            let served = &served;
            scope.spawn(move || assert_eq!(served.post(&pass(name)).status, 200));
        }
    });
    let view = served.get("/api/view").done();
    let answers = view["answers"].as_array().unwrap();
    let mut subjects: Vec<&str> = answers
        .iter()
        .map(|a| a["subject"].as_str().unwrap())
        .collect();
    subjects.sort_unstable();
    let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!(subjects, expected);
    assert_eq!(view["left"], 0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_nothing_lost() {
    let folder = stored();
    let mut served = Served::start(folder.path(), &[]);
    // A page is open.
    let mut stream = served.connect();
    let head = format!(
        "GET /api/events?token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
        served.token, served.port
    );
    stream.write_all(head.as_bytes()).unwrap();
    served.post(&pass("a")).done();
    let pid = served.child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    assert_eq!(answers(folder.path()), 1);
}

#[test]
fn a_port_that_is_taken_is_a_usage_error() {
    let folder = stored();
    let served = Served::start(folder.path(), &[]);
    let port = served.port.to_string();
    let run = fdc_in(folder.path(), &["serve", "case.fdc", "--port", &port]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains(&format!("port {port}")),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("leave --port out"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    let run = fdc_in(folder.path(), &["serve", "none.fdc"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
}

/// Every byte that could mean anything, spelled out.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ => format!("%{byte:02x}"),
    };
    text.bytes().map(byte).collect()
}

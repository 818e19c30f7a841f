//! Who may ask. Every request passes here before anything else looks at it, and every answer on
//! its way out.

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::token::Token;

/// Where a request has the token; the only place where one that changes anything may have it.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-fdc-token");

/// What the page may do. `require-trusted-types-for`: the browser itself refuses text as markup,
/// but for the one picture that this server draws.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types picture";

/// What goes out with every answer.
const ANSWERS_CARRY: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// The names of this server and its secret.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    hosts: Vec<String>,
    pub(crate) token: Token,
}

impl Access {
    /// Of the server at a port of this machine.
    pub(crate) fn new(port: u16, token: Token) -> Self {
        let mut hosts = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        if port == 80 {
            // Browsers leave the usual port out.
            hosts.extend(["127.0.0.1".to_owned(), "localhost".to_owned()]);
        }
        Access { hosts, token }
    }

    /// Why a request is refused.
    fn refusal(&self, request: &Request) -> Option<&'static str> {
        let headers = request.headers();
        let own = |said: &&[u8]| self.hosts.iter().any(|host| host.as_bytes() == *said);
        let Some(host) = only(headers, &header::HOST).filter(own) else {
            return Some("this server has another name");
        };
        if headers.contains_key(header::ORIGIN) {
            let own = [b"http://", host].concat();
            if only(headers, &header::ORIGIN) != Some(&own) {
                return Some("another page may not ask");
            }
        }
        let site = HeaderName::from_static("sec-fetch-site");
        if headers.contains_key(&site)
            && !matches!(only(headers, &site), Some(b"same-origin" | b"none"))
        {
            return Some("another page may not ask");
        }
        let in_header = only(headers, &TOKEN_HEADER);
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        let in_address = request.uri().query().filter(|_| reads).and_then(token_of);
        match in_header.or(in_address) {
            None => Some("the token is missing: open the address that `fdc serve` printed"),
            Some(said) if self.token.is(said) => None,
            Some(_) => Some(
                "the token is wrong: each `fdc serve` has its own, open the address it printed",
            ),
        }
    }
}

/// Refuses, or lets through and closes the answer to others.
pub(crate) async fn guard(State(access): State<Access>, request: Request, next: Next) -> Response {
    let mut response = match access.refusal(&request) {
        // A stranger gets one answer a connection, small enough to be sent even if nobody reads it.
        Some(why) => {
            let close = [(header::CONNECTION, "close")];
            (StatusCode::FORBIDDEN, close, format!("{why}\n")).into_response()
        }
        None => next.run(request).await,
    };
    for (name, value) in ANSWERS_CARRY {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// The value of a header that is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then_some(value.as_bytes())
}

fn token_of(query: &str) -> Option<&[u8]> {
    let mut pairs = query.split('&');
    pairs.find_map(|pair| Some(pair.strip_prefix("token=")?.as_bytes()))
}

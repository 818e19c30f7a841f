//! What can be asked for.
//!
//! | request | answer |
//! |---|---|
//! | `GET /`, `/page.js`, `/page.css`, `/icon.svg` | the page |
//! | `POST /api/do` | a request of [`fdc::label::protocol`] as JSON; its reply |
//! | `GET /api/view` | the state, as for `{"do": "show"}` |
//! | `GET /api/about` | what does not change while the server runs |
//! | `GET /api/source?file=F&around=N` | lines of a file of the case with their details |
//! | `GET /api/suspect?method=M` | a method of the case, with its place |
//! | `GET /api/test?name=T` | the source of a test of the case |
//! | `GET /api/failure?name=T` | how a failing test failed |
//! | `GET /api/picture` | the suspects as a picture (SVG) |
//! | `GET /api/events` | server-sent events: the number of the state, whenever it changes |
//!
//! Replies have the number of the state they show in the header `fdc-state`. A refused request is
//! answered by `{"event": "error", "message": …}` with 422, one that is no request with 400.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap, HeaderName};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use axum::routing::{get, post};
use axum::{Router, middleware};
use fdc::label::protocol::Request;
use fdc::label::session::SessionError;
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::access::{Access, guard};
use crate::connections::PATIENCE;
use crate::page;
use crate::served::ServedSession;

/// No request is larger.
const LARGEST_REQUEST: usize = 64 << 10;
/// The number of the state that a reply shows.
const STATE_HEADER: HeaderName = HeaderName::from_static("fdc-state");
/// So that a connection that is gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What all requests share.
#[derive(Clone)]
pub(crate) struct Shared {
    /// Whoever works on the session holds the lock.
    pub(crate) session: Arc<Mutex<ServedSession>>,
    /// The number of the state; none once the server stops.
    pub(crate) news: watch::Sender<Option<u64>>,
}

/// Every request is looked at by [`guard`] first.
pub(crate) fn router(shared: Shared, access: Access) -> Router {
    let html = page::html(&access.token);
    let fixed = |kind: &'static str, text: String| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    const HTML: &str = "text/html; charset=utf-8";
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    const STYLE: &str = "text/css; charset=utf-8";
    Router::new()
        .route("/", fixed(HTML, html))
        .route("/page.js", fixed(SCRIPT, page::SCRIPT.to_owned()))
        .route("/page.css", fixed(STYLE, page::STYLE.to_owned()))
        .route("/icon.svg", fixed("image/svg+xml", page::ICON.to_owned()))
        .route("/api/do", post(act))
        .route("/api/view", get(view))
        .route("/api/about", get(about))
        .route("/api/source", get(source))
        .route("/api/suspect", get(suspect))
        .route("/api/test", get(test))
        .route("/api/failure", get(failure))
        .route("/api/picture", get(picture))
        .route("/api/events", get(events))
        .fallback(async || not_found("there is no such page"))
        .with_state(shared)
        .layer(middleware::from_fn_with_state(access, guard))
}

impl Shared {
    /// Works on the session on a thread that may wait; tells everybody if the state changed. What
    /// comes of it is answered with the number of the state.
    async fn answer<T: Send + 'static>(
        &self,
        kind: &'static str,
        work: impl FnOnce(&mut ServedSession) -> Result<T, Refusal> + Send + 'static,
        text: impl FnOnce(T) -> Result<String, Refusal>,
    ) -> Answer {
        let shared = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let mut session = shared.session.lock().ok()?;
            let done = work(&mut session);
            shared.announce(session.state);
            Some((session.state, done))
        });
        let broken = "this is a bug in fdc: the session is broken; every answer that was taken is \
             in the case file, start `fdc serve` again";
        let lost = || Refusal(StatusCode::INTERNAL_SERVER_ERROR, broken.to_owned());
        let (state, done) = done.await.ok().flatten().ok_or_else(lost)?;
        let kind = (header::CONTENT_TYPE, kind.to_owned());
        let headers = [kind, (STATE_HEADER, state.to_string())];
        Ok((headers, text(done?)?).into_response())
    }

    async fn json<T: Serialize + Send + 'static>(
        &self,
        work: impl FnOnce(&mut ServedSession) -> Result<T, Refusal> + Send + 'static,
    ) -> Answer {
        let text = |value| {
            let text = serde_json::to_string(&value);
            text.map_err(|error| Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
        };
        self.answer("application/json", work, text).await
    }

    /// What the case has by a name.
    async fn named<T: Serialize + Send + 'static>(
        &self,
        what: &'static str,
        find: impl FnOnce(&ServedSession) -> Option<T> + Send + 'static,
    ) -> Answer {
        let unknown = move || not_found(&format!("no {what} of the case has that name"));
        let work = move |session: &mut ServedSession| find(session).ok_or_else(unknown);
        self.json(work).await
    }

    /// Tells everybody about a state that they have not heard of.
    pub(crate) fn announce(&self, state: u64) {
        self.news.send_if_modified(|known| {
            let changed = known.is_some_and(|known| known != state);
            if changed {
                *known = Some(state);
            }
            changed
        });
    }
}

/// A request that is answered with an error event.
struct Refusal(StatusCode, String);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let kind = [(header::CONTENT_TYPE, "application/json")];
        let body = json!({"event": "error", "message": self.1}).to_string();
        (self.0, kind, body).into_response()
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        let status = match error {
            SessionError::Case(_) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Refusal(status, error.to_string())
    }
}

fn not_found(message: &str) -> Refusal {
    Refusal(StatusCode::NOT_FOUND, message.to_owned())
}

type Answer = Result<Response, Refusal>;

async fn act(State(shared): State<Shared>, headers: HeaderMap, body: Body) -> Answer {
    let kind = headers.get(header::CONTENT_TYPE).map(|kind| {
        let kind = kind.as_bytes().split(|&byte| byte == b';').next();
        kind.unwrap_or_default().trim_ascii()
    });
    let refused = |status, message: String| Err(Refusal(status, message));
    if kind != Some(b"application/json") {
        let expected = "expected Content-Type: application/json";
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, expected.to_owned());
    }
    let Ok(bytes) = timeout(PATIENCE, to_bytes(body, LARGEST_REQUEST)).await else {
        let why = "the request did not arrive in time";
        return refused(StatusCode::REQUEST_TIMEOUT, why.to_owned());
    };
    let Ok(bytes) = bytes else {
        let why = format!("a request has at most {LARGEST_REQUEST} bytes");
        return refused(StatusCode::PAYLOAD_TOO_LARGE, why);
    };
    match serde_json::from_slice::<Request>(&bytes) {
        Ok(Request::Quit) => refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "others may be looking: Ctrl-C in the terminal stops the server".to_owned(),
        ),
        Ok(Request::Run) => refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "the server runs tests by itself, if it was started with --run".to_owned(),
        ),
        Ok(request) => shared.json(|session| Ok(session.handle(request)?)).await,
        Err(error) => refused(StatusCode::BAD_REQUEST, format!("not a request: {error}")),
    }
}

async fn view(State(shared): State<Shared>) -> Answer {
    let show = |session: &mut ServedSession| Ok(session.handle(Request::Show)?);
    shared.json(show).await
}

async fn about(State(shared): State<Shared>) -> Answer {
    shared.json(|session| Ok(session.about.clone())).await
}

#[derive(Deserialize)]
struct Source {
    file: String,
    around: Option<u32>,
}

async fn source(State(shared): State<Shared>, Query(wanted): Query<Source>) -> Answer {
    let Source { file, around } = wanted;
    let find = move |session: &ServedSession| session.file(&file, around.unwrap_or(1));
    shared.named("file", find).await
}

#[derive(Deserialize)]
struct Suspect {
    method: String,
}

async fn suspect(State(shared): State<Shared>, Query(wanted): Query<Suspect>) -> Answer {
    let find = move |session: &ServedSession| session.suspect(&wanted.method);
    shared.named("method", find).await
}

#[derive(Deserialize)]
struct Test {
    name: String,
}

async fn test(State(shared): State<Shared>, Query(wanted): Query<Test>) -> Answer {
    let find = move |session: &ServedSession| session.test(&wanted.name);
    shared.named("test", find).await
}

async fn failure(State(shared): State<Shared>, Query(wanted): Query<Test>) -> Answer {
    let find = move |session: &ServedSession| session.failure(&wanted.name);
    shared.named("failing test", find).await
}

async fn picture(State(shared): State<Shared>) -> Answer {
    let work = |session: &mut ServedSession| Ok(session.picture());
    shared.answer("image/svg+xml", work, Ok).await
}

async fn events(State(shared): State<Shared>) -> impl IntoResponse {
    let mut news = shared.news.subscribe();
    // The state of now comes first: whoever reconnects learns what was missed.
    news.mark_changed();
    let stream = stream::unfold(news, |mut news| async move {
        news.changed().await.ok()?;
        let state = (*news.borrow_and_update())?;
        let event = Event::default().data(state.to_string());
        Some((Ok::<_, Infallible>(event), news))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

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

use crate::desk::Desk;
use crate::door::{Door, guard};
use crate::page;

/// No request is larger.
pub const LARGEST_REQUEST: usize = 64 << 10;
/// The number of the state that a reply shows.
pub const STATE_HEADER: HeaderName = HeaderName::from_static("fdc-state");
/// So that a connection that is gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What all requests share.
#[derive(Clone)]
pub struct Office {
    /// The session; whoever works at it holds the lock.
    pub desk: Arc<Mutex<Desk>>,
    /// The number of the state; none once the server stops.
    pub news: watch::Sender<Option<u64>>,
}

/// Every request goes through the door.
pub fn router(office: Office, door: Door) -> Router {
    let html = page::html(door.token());
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
        .route("/api/picture", get(picture))
        .route("/api/events", get(events))
        .fallback(unknown)
        .with_state(office)
        .layer(middleware::from_fn_with_state(door, guard))
}

impl Office {
    /// Works at the desk on a thread that may wait; tells everybody if the state changed.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Desk) -> T + Send + 'static,
    ) -> Result<(u64, T), Response> {
        let desk = Arc::clone(&self.desk);
        let news = self.news.clone();
        let done = tokio::task::spawn_blocking(move || {
            let mut desk = desk.lock().ok()?;
            let done = work(&mut desk);
            announce(&news, desk.state());
            Some((desk.state(), done))
        });
        let broken = "this is a bug in fdc: the session is broken; every answer that was taken is \
             in the case file, start `fdc serve` again";
        let lost = || refused(StatusCode::INTERNAL_SERVER_ERROR, broken);
        done.await.ok().flatten().ok_or_else(lost)
    }
}

/// Tells everybody about a state that they have not heard of.
pub fn announce(news: &watch::Sender<Option<u64>>, state: u64) {
    news.send_if_modified(|known| {
        let changed = known.is_some_and(|known| known != state);
        if changed {
            *known = Some(state);
        }
        changed
    });
}

async fn act(State(office): State<Office>, headers: HeaderMap, body: Body) -> Response {
    let kind = headers.get(header::CONTENT_TYPE).map(|kind| {
        let kind = kind.as_bytes().split(|&byte| byte == b';').next();
        kind.unwrap_or_default().trim_ascii()
    });
    if kind != Some(b"application/json") {
        let expected = "expected Content-Type: application/json";
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, expected);
    }
    let Ok(bytes) = to_bytes(body, LARGEST_REQUEST).await else {
        let why = format!("a request has at most {LARGEST_REQUEST} bytes");
        return refused(StatusCode::PAYLOAD_TOO_LARGE, &why);
    };
    match serde_json::from_slice::<Request>(&bytes) {
        Ok(Request::Quit) => refused(
            StatusCode::UNPROCESSABLE_ENTITY,
            "others may be looking: Ctrl-C in the terminal stops the server",
        ),
        Ok(request) => replied(office.work(|desk| desk.handle(request)).await),
        Err(error) => refused(StatusCode::BAD_REQUEST, &format!("not a request: {error}")),
    }
}

async fn view(State(office): State<Office>) -> Response {
    replied(office.work(|desk| desk.handle(Request::Show)).await)
}

async fn about(State(office): State<Office>) -> Response {
    answered(office.work(|desk| desk.about()).await)
}

#[derive(Deserialize)]
struct WantedSource {
    file: String,
    around: Option<u32>,
}

async fn source(State(office): State<Office>, wanted: Query<WantedSource>) -> Response {
    let WantedSource { file, around } = wanted.0;
    let listing = office.work(move |desk| desk.listing(&file, around.unwrap_or(1)));
    found(listing.await, "no file of the case has that name")
}

#[derive(Deserialize)]
struct WantedSuspect {
    method: String,
}

async fn suspect(State(office): State<Office>, wanted: Query<WantedSuspect>) -> Response {
    let suspect = office.work(move |desk| desk.suspect(&wanted.0.method));
    found(suspect.await, "no method of the case has that name")
}

#[derive(Deserialize)]
struct WantedTest {
    name: String,
}

async fn test(State(office): State<Office>, wanted: Query<WantedTest>) -> Response {
    let source = office.work(move |desk| desk.test(&wanted.0.name));
    found(source.await, "no test of the case has that name")
}

async fn picture(State(office): State<Office>) -> Response {
    match office.work(|desk| desk.picture()).await {
        Ok((state, svg)) => {
            let kind = (header::CONTENT_TYPE, "image/svg+xml".to_owned());
            ([kind, (STATE_HEADER, state.to_string())], svg).into_response()
        }
        Err(lost) => lost,
    }
}

async fn events(State(office): State<Office>) -> impl IntoResponse {
    let mut news = office.news.subscribe();
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

async fn unknown() -> Response {
    refused(StatusCode::NOT_FOUND, "there is no such page")
}

type Worked<T> = Result<(u64, T), Response>;

fn replied<T: Serialize>(worked: Worked<Result<T, SessionError>>) -> Response {
    match worked {
        Ok((state, Ok(reply))) => json_of(state, &reply),
        Ok((_, Err(error))) => {
            let status = match error {
                SessionError::Case(_) => StatusCode::INTERNAL_SERVER_ERROR,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            refused(status, &error.to_string())
        }
        Err(lost) => lost,
    }
}

fn found<T: Serialize>(worked: Worked<Option<T>>, otherwise: &str) -> Response {
    match worked {
        Ok((state, Some(found))) => json_of(state, &found),
        Ok((_, None)) => refused(StatusCode::NOT_FOUND, otherwise),
        Err(lost) => lost,
    }
}

fn answered<T: Serialize>(worked: Worked<T>) -> Response {
    match worked {
        Ok((state, answer)) => json_of(state, &answer),
        Err(lost) => lost,
    }
}

fn json_of(state: u64, value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => {
            let kind = (header::CONTENT_TYPE, "application/json".to_owned());
            ([kind, (STATE_HEADER, state.to_string())], text).into_response()
        }
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

fn refused(status: StatusCode, message: &str) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    let body = json!({"event": "error", "message": message}).to_string();
    (status, kind, body).into_response()
}

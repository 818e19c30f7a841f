//! Connections: how many there are, and how long one may be silent. Every program on this machine
//! can open one, with or without the token, and say nothing or a byte at a time.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::TryFutureExt as _;
use futures_util::future::{Either, select};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

/// How long a request may take to arrive.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
/// Before the next try where the system has no connection left.
const PAUSE: Duration = Duration::from_millis(50);

/// What connections are held to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// At a time.
    connections: usize,
    /// How long the head of the next request may take; streams of events are not concerned.
    patience: Duration,
}

/// A connection, and whether anything was asked through it with the token.
struct Connection {
    task: AbortHandle,
    known: Arc<AtomicBool>,
}

impl Limits {
    /// Well below the 1,024 files that a process may usually have open.
    pub(crate) const USUAL: Limits = Limits {
        connections: 256,
        patience: PATIENCE,
    };

    /// Answers until there is no state any more, then lets answers that are under way end.
    pub(crate) async fn accept(
        self,
        listener: TcpListener,
        routes: Router,
        stopping: watch::Receiver<Option<u64>>,
    ) {
        let mut tasks = JoinSet::new();
        let mut open: Vec<Connection> = Vec::new();
        loop {
            let stop = pin!(stopped(stopping.clone()));
            let accepted = match select(pin!(listener.accept()), stop).await {
                Either::Left((accepted, _)) => accepted,
                Either::Right(_) => break,
            };
            while tasks.try_join_next().is_some() {}
            open.retain(|connection| !connection.task.is_finished());
            if accepted.is_err() || open.len() >= self.connections {
                // The longest silent one of a stranger makes room; pages keep theirs.
                let stranger = |c: &Connection| !c.known.load(Ordering::Relaxed);
                if let Some(at) = open.iter().position(stranger) {
                    open.remove(at).task.abort();
                }
            }
            match accepted {
                Ok((stream, _)) if open.len() < self.connections => {
                    let known = Arc::new(AtomicBool::new(false));
                    let serving =
                        self.serve(stream, routes.clone(), known.clone(), stopping.clone());
                    let task = tasks.spawn(serving);
                    open.push(Connection { task, known });
                }
                Ok(_) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// One connection, until its end or the server's.
    async fn serve(
        self,
        stream: TcpStream,
        routes: Router,
        known: Arc<AtomicBool>,
        stopping: watch::Receiver<Option<u64>>,
    ) {
        let routes = TowerToHyperService::new(routes);
        let service = service_fn(|request| {
            routes.call(request).inspect_ok(|answer: &Response| {
                if answer.status() != StatusCode::FORBIDDEN {
                    known.store(true, Ordering::Relaxed);
                }
            })
        });
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(self.patience)
                .serve_connection(TokioIo::new(stream), service)
        );
        // Whoever broke it off knows; nobody else has to.
        let stop = pin!(stopped(stopping));
        if let Either::Right(_) = select(connection.as_mut(), stop).await {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

async fn stopped(mut state: watch::Receiver<Option<u64>>) {
    // Nobody who could tell of another state is left: stopped as well.
    let _ = state.wait_for(Option::is_none).await;
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpStream};

    use axum::body::{Body, Bytes};
    use axum::routing::get;
    use futures_util::stream;

    use super::*;

    const FEW: Limits = Limits {
        connections: 4,
        patience: Duration::from_millis(50),
    };
    const ASK: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    /// Serves `/`, `/refused`, and `/news`, a stream that tells every number it is given.
    fn with_server(limits: Limits, test: impl FnOnce(SocketAddr, &watch::Sender<Option<u64>>)) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, told) = watch::channel(Some(0));
        let stopping = told.clone();
        let server = std::thread::spawn(move || {
            let news = move || async move {
                let stream = stream::unfold(told, |mut told| async move {
                    told.changed().await.ok()?;
                    let number = (*told.borrow_and_update())?;
                    Some((
                        Ok::<_, std::io::Error>(Bytes::from(format!("<{number}>"))),
                        told,
                    ))
                });
                Body::from_stream(stream)
            };
            let routes = Router::new()
                .route("/", get(async || "here"))
                .route("/refused", get(async || StatusCode::FORBIDDEN))
                .route("/news", get(news));
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                limits.accept(listener, routes, stopping).await;
            });
        });
        test(address, &tell);
        tell.send_replace(None);
        server.join().unwrap();
    }

    fn connect(address: SocketAddr, say: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).unwrap();
        // Only so that a test ends that fails.
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.write_all(say.as_bytes()).unwrap();
        stream
    }

    /// What comes until it is there.
    fn wait_for(stream: &mut TcpStream, wanted: &str) {
        let mut said = Vec::new();
        while !String::from_utf8_lossy(&said).contains(wanted) {
            let mut some = [0; 1000];
            let count = stream.read(&mut some).expect(wanted);
            assert_ne!(count, 0, "ended without {wanted}");
            said.extend_from_slice(&some[..count]);
        }
    }

    fn is_closed(stream: &mut TcpStream) -> bool {
        let timed_out = |error: &std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
        match stream.read_to_end(&mut Vec::new()) {
            Ok(_) => true,
            Err(error) => !timed_out(&error),
        }
    }

    #[test]
    fn a_request_that_never_ends_loses_its_connection_and_a_stream_of_events_stays() {
        with_server(FEW, |address, tell| {
            let mut news = connect(address, "GET /news HTTP/1.1\r\nHost: x\r\n\r\n");
            wait_for(&mut news, "\r\n\r\n");
            let mut silent = connect(address, "");
            let mut half = connect(address, "GET / HTTP/1.1\r\nHost:");
            let mut idle = connect(address, ASK);
            for stream in [&mut silent, &mut half, &mut idle] {
                assert!(is_closed(stream));
            }
            tell.send_replace(Some(7));
            wait_for(&mut news, "<7>");
        });
    }

    #[test]
    fn of_too_many_connections_the_longest_silent_one_makes_room() {
        let patient = Limits {
            patience: Duration::from_secs(600),
            ..FEW
        };
        with_server(patient, |address, tell| {
            let mut news = connect(address, "GET /news HTTP/1.1\r\nHost: x\r\n\r\n");
            wait_for(&mut news, "\r\n\r\n");
            let mut refused = connect(address, "GET /refused HTTP/1.1\r\nHost: x\r\n\r\n");
            wait_for(&mut refused, "403");
            let mut halves: Vec<TcpStream> =
                (0..40).map(|_| connect(address, "GET / HTTP")).collect();
            wait_for(&mut connect(address, ASK), "here");
            assert!(is_closed(&mut refused));
            assert!(halves[..36].iter_mut().all(is_closed));
            tell.send_replace(Some(8));
            wait_for(&mut news, "<8>");
        });
    }
}

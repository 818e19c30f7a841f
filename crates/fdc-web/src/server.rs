//! Binding, running, stopping.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;

use crate::access::Access;
use crate::connections::Limits;
use crate::routes::{Shared, router};
use crate::served::ServedSession;
use crate::token::Token;

/// How often the case file is looked at for answers of others.
const LOOK: Duration = Duration::from_millis(250);
/// How long answers that are under way may take once the server is to stop.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// Requests that wait for the session at the same time; more wait for those.
const WAITING: usize = 8;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The port.
    #[error("cannot listen on 127.0.0.1, port {port}: {error}")]
    Port {
        /// The one asked for; 0 for any.
        port: u16,
        /// Why not.
        error: std::io::Error,
    },
    /// The token.
    #[error("the operating system gives no random numbers: {0}")]
    Randomness(getrandom::Error),
    /// While it ran.
    #[error("the server stopped: {0}")]
    Stopped(std::io::Error),
}

/// A server that listens, but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    access: Access,
    port: u16,
}

impl Server {
    /// Takes a port of this machine, 0 for any. Nobody outside the machine can reach it.
    pub fn bind(port: u16) -> Result<Self, ServerError> {
        let failed = |error| ServerError::Port { port, error };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let token = Token::random().map_err(ServerError::Randomness)?;
        Ok(Server {
            listener,
            access: Access::new(port, token),
            port,
        })
    }

    /// What to open in a browser, token included.
    pub fn address(&self) -> String {
        let token = self.access.token.as_str();
        format!("http://127.0.0.1:{}/?token={token}", self.port)
    }

    /// Answers until it is asked to stop.
    pub fn run(self, session: ServedSession, stop: impl Fn() -> bool) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .max_blocking_threads(WAITING)
            .build()
            .map_err(ServerError::Stopped)?;
        let done = runtime.block_on(self.answer(session, stop));
        runtime.shutdown_timeout(LAST_ANSWERS);
        done.map_err(ServerError::Stopped)
    }

    async fn answer(self, session: ServedSession, stop: impl Fn() -> bool) -> std::io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let (news, stopping) = watch::channel(Some(session.state));
        let shared = Shared {
            session: Arc::new(Mutex::new(session)),
            news,
        };
        let routes = router(shared.clone(), self.access);
        let serving = tokio::spawn(Limits::USUAL.accept(listener, routes, stopping));
        while !stop() {
            tokio::time::sleep(LOOK).await;
            look(shared.clone()).await;
        }
        // Ends the streams of events, too, which would keep their connections for ever.
        shared.news.send_replace(None);
        // A connection that does not end is no reason to stay.
        let _ = tokio::time::timeout(LAST_ANSWERS, serving).await;
        Ok(())
    }
}

/// Takes over what others answered, unless a request is being worked on: then that one does.
async fn look(shared: Shared) {
    let looked = tokio::task::spawn_blocking(move || {
        if let Ok(mut session) = shared.session.try_lock() {
            // A file that cannot be read now is said to whoever asks next.
            let _ = session.refresh();
            shared.announce(session.state);
        }
    });
    let _ = looked.await;
}

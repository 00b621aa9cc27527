//! Making a connection: endpoints in turn, privacy as asked.

use crate::{
    connection::Connection,
    error::{Error, ErrorClass},
    login::{Refused, log_in},
    target::{Endpoint, Target, TlsMode},
};
use futures_util::future::BoxFuture;
use tokio::time::timeout;

impl Connection {
    /// Connects to the first endpoint that lets us in.
    ///
    /// # Errors
    /// The last endpoint's refusal, when none does.
    pub async fn connect(target: &Target) -> Result<Self, Error> {
        Self::connect_nth(target, 0).await
    }

    /// Connects to endpoint `nth` (modulo their number), so that many connections spread over a
    /// cluster; where it cannot be reached or is full, the others are tried in turn.
    ///
    /// # Errors
    /// The last endpoint's refusal, when none lets us in. A refused login ends the search: the
    /// other members would refuse it as well.
    pub async fn connect_nth(target: &Target, nth: usize) -> Result<Self, Error> {
        Self::found(target, nth).await
    }

    /// All that logging in takes, compiled here: a future is otherwise compiled once more in each
    /// crate that awaits it.
    #[inline(never)]
    fn found(target: &Target, nth: usize) -> BoxFuture<'_, Result<Self, Error>> {
        Box::pin(Self::search(target, nth))
    }

    async fn search(target: &Target, nth: usize) -> Result<Self, Error> {
        let count = target.endpoints.len();
        let mut last = Error::Connect { endpoint: "nowhere".into(), reason: "no endpoint".into() };
        for step in 0..count {
            // Reduced first, because the sum of any two numbers may overflow.
            match connect_to(target, &target.endpoints[(nth % count + step) % count]).await {
                Ok(connection) => return Ok(connection),
                Err(error) if concerns_the_endpoint(&error) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }
}

/// True where another member of a cluster may well let us in.
fn concerns_the_endpoint(error: &Error) -> bool {
    error.class() == ErrorClass::ConnectionLost || error.is_too_many_connections()
}

async fn connect_to(target: &Target, endpoint: &Endpoint) -> Result<Connection, Error> {
    let attempts = async {
        match log_in(target, endpoint, target.tls.mode).await {
            // Nothing is verified in this mode, so that plain text is no weaker against anybody
            // who could make TLS fail. MySQL's clients do the same.
            Err(Refused::NoTls | Refused::Handshake(_))
                if target.tls.mode == TlsMode::Preferred =>
            {
                log_in(target, endpoint, TlsMode::Disabled).await
            }
            outcome => outcome,
        }
    };
    let outcome = timeout(target.connect_timeout, attempts).await.unwrap_or_else(|_elapsed| {
        Err(Refused::Because(format!("no answer within {:?}", target.connect_timeout)))
    });
    outcome
        .map(|(channel, id)| Connection::new(channel, id, endpoint.to_string()))
        .map_err(|refused| refused.into_error(endpoint, &target.user))
}

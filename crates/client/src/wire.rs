//! A guard around the wire library, which trusts servers more than one should.

use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;

/// Awaits a call of the wire library. It panics over some packets that no sane server sends (an
/// RSA key that is none, an empty row): that becomes an error. Whoever gets an error that is not
/// the server's own must give the connection up, so that nobody sees the state it is in.
pub(crate) async fn guarded<T>(
    call: impl Future<Output = mysql_async::Result<T>>,
) -> mysql_async::Result<T> {
    let nonsense = |_panic| mysql_async::Error::Other("the server's reply makes no sense".into());
    AssertUnwindSafe(call).catch_unwind().await.map_err(nonsense)?
}

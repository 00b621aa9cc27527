//! `myrig serve`: live and past runs in the browser.
//!
//! # Layers
//! - `listen`, `token`, `notice`: where it is, what lets a browser in, and the file that tells the
//!   other commands of this home;
//! - `guard`: what every request passes before anything else looks at it;
//! - `routes`: which request is whose; `pages`, `api`, `upload`, `streams`: the answers;
//!   `answer`: their form; `app`: what they share. The pages themselves are the crate `report`'s.

mod answer;
mod api;
mod app;
mod guard;
mod listen;
mod notice;
mod pages;
mod routes;
mod streams;
mod token;
mod upload;

pub(crate) use notice::link;

use crate::{
    args::ServeArgs,
    failure::{Failure, Status},
    interrupt,
    output::Output,
    paths::Paths,
    runtime::block_on,
};
use app::App;
use notice::Notice;
use serde_json::json;
use std::{io, net::TcpListener, time::Duration};
use token::Token;
use tokio::sync::watch;

/// How long answers under way may take when it is to end.
const GRACE: Duration = Duration::from_secs(3);

pub(crate) fn run(args: &ServeArgs, paths: &Paths, output: &Output) -> Result<Status, Failure> {
    let token = Token::new(args.token.as_deref())?;
    listen::allowed(args)?;
    // A home that cannot be read or written is told now, and not to the first browser.
    drop(paths.store()?);
    notice::refuse_second(paths.home())?;
    let listener = listen::bind(args.listen)?;
    let address = listener.local_addr()?;
    let notice = Notice::post(paths.home(), address, &token)?;
    let (stop, stopped) = watch::channel(false);
    interrupt::watch(move || {
        stop.send_replace(true);
    })?;
    let value = json!({
        "schema": "myrig.serve/1", "url": notice.url(), "address": address.to_string()
    });
    let remark = match address.ip().is_loopback() {
        true => "",
        false => "Other machines can reach this; nothing is encrypted on the way.\n",
    };
    let text = format!("{}\n{remark}Ctrl-C ends it.\n", notice.url());
    output.result(&value, &text)?;
    let app = App::new(paths.clone(), token, address.port(), &args.host_name, stopped.clone());
    block_on(serve(listener, app, stopped))??;
    Ok(Status::Good)
}

async fn serve(
    listener: TcpListener,
    app: App,
    stopped: watch::Receiver<bool>,
) -> Result<(), io::Error> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let told = |mut stopped: watch::Receiver<bool>| async move {
        // Who could tell is gone only when the process is about to be.
        let _gone = stopped.wait_for(|stopped| *stopped).await;
    };
    let serving =
        axum::serve(listener, routes::router(app)).with_graceful_shutdown(told(stopped.clone()));
    tokio::select! {
        ended = serving => ended,
        () = async { told(stopped).await; tokio::time::sleep(GRACE).await } => Ok(()),
    }
}

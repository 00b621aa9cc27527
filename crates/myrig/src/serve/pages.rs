//! Answers for people: pages of the crate `report`.

use super::{
    answer::{Refusal, typed},
    api::{self, Asked, checked},
    app::App,
};
use axum::{
    extract::{Path, Query, State},
    http::{HeaderValue, header},
    response::{Html, IntoResponse, Response},
};
use lab::{
    group::GroupRecord,
    record::RunRecord,
    store::{Found, Store},
};
use rand::Rng;
use report::pages::{self, Filter, History};

type Page = Result<Html<String>, Refusal>;

pub(super) async fn history(State(app): State<App>, Query(asked): Asked) -> Page {
    let filter = Filter::of(&asked).map_err(Refusal::bad_request)?;
    let (entries, all) = api::entries(&app, filter.clone()).await?;
    Ok(Html(pages::history(&History { entries, all, filter })?))
}

pub(super) async fn live(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let id = checked(&id)?;
    let wanted = id.clone();
    let is_there =
        app.with_home(move |home| crate::live::path(home, &wanted).is_some_and(|it| it.is_file()));
    if is_there.await? {
        return Ok(Html(pages::live(&id)?).into_response());
    }
    // What was live some minutes ago has become a report.
    let is_stored = app.with_store(move |store| Ok(place(&store.find(&id)?))).await;
    match is_stored {
        Ok(place) => Ok(axum::response::Redirect::to(&place).into_response()),
        Err(_) => Err(Refusal::not_found("there is no live run of that id, nor a stored one")),
    }
}

fn place(found: &Found) -> String {
    match found {
        Found::Run(it) => format!("/runs/{}", it.id),
        Found::Sweep(it) => format!("/sweeps/{}", it.id),
        Found::Group(it) => format!("/groups/{}", it.id),
        Found::Experiment(it) => format!("/experiments/{}", it.id),
    }
}

pub(super) async fn run(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    report(&app, move |store| Ok(report::html::render(&api::load(store, &id)?)?)).await
}

pub(super) async fn sweep(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let page = move |store: &mut Store| match store.find(&checked(&id)?)? {
        Found::Sweep(sweep) => Ok(report::sweep::html(&sweep)?),
        _ => Err(Refusal::not_found(format!("{id} is no sweep"))),
    };
    report(&app, page).await
}

pub(super) async fn group(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let page = move |store: &mut Store| match store.find(&checked(&id)?)? {
        Found::Group(group) => Ok(report::group::html(&group, &runs_of(store, &group))?),
        _ => Err(Refusal::not_found(format!("{id} is no group"))),
    };
    report(&app, page).await
}

pub(super) async fn experiment(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let page = move |store: &mut Store| match store.find(&checked(&id)?)? {
        Found::Experiment(found) => {
            Ok(report::experiment::html(&found, &crate::experiment::trials(&found, store)?)?)
        }
        _ => Err(Refusal::not_found(format!("{id} is no experiment"))),
    };
    report(&app, page).await
}

/// The runs of a group's members; one that was removed is missed by the charts over time only.
fn runs_of(store: &Store, group: &GroupRecord) -> Vec<RunRecord> {
    let runs: Result<Vec<RunRecord>, _> =
        group.members.iter().map(|member| store.load(&member.run.run)).collect();
    runs.unwrap_or_default()
}

/// A report as it is, with a way back, and leave to run its own script and no other.
async fn report(
    app: &App,
    page: impl FnOnce(&mut Store) -> Result<String, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let page = app.with_store(page).await?;
    let nonce =
        format!("{:032x}", rand::rng().next_u64() as u128 | (rand::rng().next_u64() as u128) << 64);
    let page = with_way_back(&page, &nonce);
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; \
         img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let mut response = Html(page).into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// In a report, what comes from the record is escaped: every `<script` is the template's own.
fn with_way_back(page: &str, nonce: &str) -> String {
    let page = page.replace("<script", &format!("<script nonce=\"{nonce}\""));
    page.replacen("<body>", &format!("<body>\n{}", pages::WAY_BACK), 1)
}

pub(super) async fn compare(State(app): State<App>, Query(asked): Asked) -> Page {
    let (comparison, [from, to]) = api::compared(&app, &asked).await?;
    Ok(Html(pages::comparison(&comparison, &from, &to)?))
}

pub(super) async fn asset(Path(name): Path<String>) -> Result<Response, Refusal> {
    let found = pages::asset(&name);
    let (content_type, text) = found.ok_or_else(|| Refusal::not_found("there is no such file"))?;
    Ok(typed(content_type, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_gets_a_way_back_and_its_script_a_number() {
        let page = with_way_back("<body>\n<p><script>x</script>", "7");
        assert!(page.contains("<script nonce=\"7\">x"), "{page}");
        assert!(page.contains("href=\"/\""), "{page}");
    }
}

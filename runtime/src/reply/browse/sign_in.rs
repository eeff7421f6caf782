//! The form with which a person signs in.

use serde::Serialize;

use super::{
    frame::{Crumb, Frame, PageUrls},
    page, render,
};
use crate::{
    base::error::Error,
    model::{Model, encoded},
    reply::Reply,
    request::action::Action,
};

/// The values of the template of the form.
#[derive(Serialize)]
struct SignInView {
    #[serde(flatten)]
    frame: Frame,
    /// The URL that the form is sent to.
    action: String,
    /// The fields of the account, and their labels.
    login: String,
    password: String,
    /// The login that was entered.
    entered: String,
    /// Why the form was refused.
    alert: Option<String>,
    /// Whether the account was created just before.
    created: bool,
}

/// Returns the URL of the form, which leads to a path afterwards.
pub(crate) fn address(model: &Model, next: &str) -> String {
    [&model.urls.link("/-/sign-in"), "?next=", &encoded(next).to_string()].concat()
}

/// Builds the response with the form. `next` is the path that the browser shows afterwards.
pub(in crate::reply) fn sign_in(
    model: &Model,
    action: &Action,
    next: Option<&str>,
) -> Result<Reply, Error> {
    let none = || Error::internal("the API has no accounts");
    let accounts = model.accounts.as_ref().ok_or_else(none)?;
    let resource = &model[accounts.resource];
    let home = model.urls.link("/");
    let here = address(model, next.unwrap_or(&home));
    let sessions = model.urls.link("/sessions");
    let next = encoded(next.unwrap_or(&home)).to_string();
    let login = resource[accounts.login].name.to_string();
    let refused = action.page.as_ref().and_then(|page| page.refused.as_ref());
    let entered = refused.iter().flat_map(|refused| &refused.inputs);
    let entered = entered.filter(|(name, _)| *name == login).map(|(_, value)| value.clone()).next();
    let way = vec![Crumb::new("Sign in".into(), here)];
    let urls = PageUrls { json: [&home, "?format=json"].concat(), plain: home };
    let view = SignInView {
        frame: Frame::new(model, action, "Sign in".into(), way, urls),
        action: [&sessions, "?_next=", &next].concat(),
        password: resource[accounts.password].name.to_string(),
        login,
        entered: entered.unwrap_or_default(),
        alert: refused.map(|refused| refused.detail.clone()),
        created: action.page.as_ref().is_some_and(|page| page.is_after_creation),
    };
    Ok(page(model, action, render(model, "sign_in.html", &view)?))
}

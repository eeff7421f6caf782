//! The page with the API reference: Swagger UI, which reads the OpenAPI document.

use std::collections::BTreeMap;

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{frame::own_files, render, watch::WatchView};
use crate::{
    base::error::Error,
    http::{
        negotiate::Format,
        page_file::{ICON, SCRIPT, swagger_ui_version},
    },
    model::Model,
    reply::Reply,
    request::action::Action,
};

/// The `Content-Security-Policy` of the page. Beside what other pages may, its script may send
/// requests to this server.
const DOCS_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// The values of the template.
#[derive(Serialize)]
struct DocsView {
    /// The title of the interface.
    interface: &'static str,
    home: String,
    openapi: String,
    /// The base URL of the interface, without a slash at its end.
    base: String,
    icon: String,
    /// The URLs of the files of a directory of templates.
    files: BTreeMap<String, String>,
    /// The state of the schema file, if it is watched, and the script that asks for it.
    watch: Option<WatchView>,
    script: String,
    /// The style sheets, of which later ones take precedence.
    styles: [String; 2],
    scripts: [String; 2],
    license: String,
    version: &'static str,
}

/// Builds the response with the page.
pub(in crate::reply) fn docs(model: &Model, action: &Action) -> Result<Reply, Error> {
    let home = model.urls.link("/");
    let file = |name: &str| model.urls.link(model.pages.path(name));
    let view = DocsView {
        interface: model.api.title,
        base: home.trim_end_matches('/').to_owned(),
        home,
        openapi: model.urls.link("/openapi.json"),
        icon: file(ICON),
        files: own_files(model),
        watch: WatchView::of(model, action),
        script: file(SCRIPT),
        styles: ["swagger-ui.css", "docs.css"].map(file),
        scripts: ["swagger-ui-bundle.js", "docs.js"].map(file),
        license: file("swagger-ui-bundle.js.LICENSE.txt"),
        version: swagger_ui_version(),
    };
    let mut reply = Reply::new(StatusCode::OK);
    let media_type = HeaderValue::from_static(Format::Html.media_type());
    reply.headers.insert(header::CONTENT_TYPE, media_type);
    reply.headers.insert(header::CONTENT_SECURITY_POLICY, DOCS_POLICY);
    reply.body = render(model, "docs.html", &view)?.into_bytes().into();
    Ok(reply)
}

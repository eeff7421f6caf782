//! The page of the home document: the resources with links to their collections, and a diagram of
//! their relations.

use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{
    FORM_REFERRER,
    counts::CountView,
    diagram::Diagram,
    frame::{Frame, PageUrls, heading},
    page_policy,
    reader::may_list,
    render,
};
use crate::{
    base::error::Error,
    http::negotiate::Format,
    model::{Chain, Model, ResourceModel},
    plan::FoundLookups,
    reply::Reply,
    request::{action::Action, route::collections},
};

/// The values of the template of the home page.
#[derive(Serialize)]
struct HomeView {
    #[serde(flatten)]
    frame: Frame,
    version: &'static str,
    description: Option<&'static str>,
    /// The URL of the API reference, if the program has it.
    docs: Option<String>,
    diagram: Diagram,
    resources: Vec<ResourceView>,
}

#[derive(Serialize)]
struct ResourceView {
    name: String,
    description: Option<&'static str>,
    deprecated: bool,
    /// The page of the collection; `None` if each of its URLs has an id, or if the reader may not
    /// see it.
    href: Option<String>,
    /// The URL of the collection. The ids of ancestors stand in it as names in braces.
    path: String,
    /// The number of members; `None` if it was not counted.
    count: Option<CountView>,
}

/// Builds the response with the home page.
pub(in crate::reply) fn home(
    model: &Model,
    action: &Action,
    found: &FoundLookups,
) -> Result<Reply, Error> {
    let link = model.urls.link("/");
    let urls = PageUrls { json: [&link, "?format=json"].concat(), plain: link };
    let view = HomeView {
        frame: Frame::new(model, action, model.api.title.to_owned(), vec![], urls),
        version: model.api.version,
        description: model.api.description,
        docs: cfg!(feature = "docs-page").then(|| model.urls.link("/-/docs")),
        diagram: Diagram::of(model),
        resources: model
            .resources()
            .iter()
            .map(|one| resource(model, action, one, found))
            .collect(),
    };
    let mut reply = Reply::new(StatusCode::OK);
    let media_type = HeaderValue::from_static(Format::Html.media_type());
    reply.headers.insert(header::CONTENT_TYPE, media_type);
    reply.headers.insert(header::CONTENT_SECURITY_POLICY, page_policy(model));
    reply.headers.insert(header::REFERRER_POLICY, FORM_REFERRER);
    reply.body = render(model, "home.html", &view)?.into_bytes().into();
    Ok(reply)
}

fn resource(
    model: &Model,
    action: &Action,
    resource: &ResourceModel,
    found: &FoundLookups,
) -> ResourceView {
    let paths = collections(model, resource);
    let flat = paths.iter().find(|path| !path.contains('{'));
    let href =
        flat.filter(|_| may_list(model, action, Chain { resource: resource.ix, ids: vec![] }));
    ResourceView {
        name: heading(resource.def.collection),
        description: resource.def.description,
        deprecated: resource.def.deprecated.is_some(),
        href: href.map(|path| model.urls.link(path)),
        path: model.urls.link(flat.unwrap_or(&paths[0])),
        count: found.count(resource.ix).map(CountView::of),
    }
}

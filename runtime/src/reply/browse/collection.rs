//! The page of a collection: a table with sortable headings, a filter form, and links to other
//! pages and formats.

use http::Method;
use serde::Serialize;

use super::{
    column::{CellView, TableColumn},
    counts::{TallyView, tallies},
    filter::FilterForm,
    form::address,
    frame::{Frame, PageUrls, crumbs, heading},
    parameters::{POSITIONS, Parameters},
    render,
};
use crate::{
    base::error::Error,
    model::{Chain, FieldIx, Model, ResourceModel, def::Operation, encoded},
    reply::{PageMetadata, path},
    request::{
        access,
        action::{Action, CollectionQuery},
        route::Target,
    },
    store::sink::{CellRow, CellSink},
};

/// The values of the template of a collection.
#[derive(Serialize)]
struct CollectionView {
    #[serde(flatten)]
    frame: Frame,
    heading: String,
    description: Option<&'static str>,
    /// Whether the resource is deprecated.
    deprecated: bool,
    path: String,
    /// The form for a new member, if the reader may create one.
    new: Option<String>,
    /// The name for a new member.
    member: String,
    columns: Vec<ColumnView>,
    /// The parameters of the sort form, if the query is too long for a link in each heading.
    sort: Option<Vec<(String, String)>>,
    rows: Vec<RowView>,
    filter: FilterForm,
    /// The frequent values of fields, with links that set the filter.
    tallies: Vec<TallyView>,
    prev: Option<String>,
    next: Option<String>,
    total: Option<u64>,
    exports: Vec<(&'static str, String)>,
}

/// The heading of a column.
#[derive(Serialize)]
struct ColumnView {
    name: String,
    look: &'static str,
    description: Option<&'static str>,
    /// The URL of the page that is sorted by the column; `None` if it cannot be, or if the query is
    /// long.
    sort: Option<String>,
    /// The value of `sortby` for that page, which a button of the sort form sends, if the query is
    /// long.
    button: Option<String>,
    /// The direction in which the page is sorted by the column, as in `aria-sort`.
    order: Option<&'static str>,
}

#[derive(Serialize)]
struct RowView {
    /// The page of the member; `None` if it has none.
    href: Option<String>,
    id: String,
    cells: Vec<CellView>,
}

/// Renders the page of a collection. `links` are those to other pages.
pub(in crate::reply) fn collection(
    model: &Model,
    action: &Action,
    (chain, query): (&Chain, &CollectionQuery),
    (page, links): (&PageMetadata, &[(&'static str, String)]),
    cells: &CellSink,
) -> Result<Vec<u8>, Error> {
    let resource = model.seen(action.caller.rules(model)).resource(chain.resource);
    let path = model.urls.link(&path(model, chain));
    let parameters = Parameters::of(&query.text);
    let link = |relation| links.iter().find(|(name, _)| *name == relation);
    let all = parameters.without(&[&POSITIONS[..], &["format", "limit", "per_page"]].concat());
    let plain = parameters.without(&["format"]);
    let urls =
        PageUrls { plain: plain.url(&path), json: plain.clone().with("format", "json").url(&path) };
    let title = heading(resource.def.collection);
    let found = &cells.found;
    let columns = cells.columns(model).into_iter();
    let mut columns: Vec<_> =
        columns.map(|column| TableColumn::new(model, action, chain, column)).collect();
    if parameters.get("fields").is_none() {
        columns.iter_mut().for_each(|column| column.hide_parent(chain));
    }
    let others = parameters.without(&[&POSITIONS[..], &["sortby", "order"]].concat());
    let has_links = others.has_room_for(columns.len());
    let view = CollectionView {
        frame: Frame::new(model, action, title.clone(), crumbs(model, action, chain, found), urls),
        heading: title,
        description: resource.def.description,
        deprecated: resource.def.deprecated.is_some(),
        columns: columns
            .iter()
            .filter(|column| column.is_shown)
            .map(|column| column_view(resource, column, query, (&others, has_links), &path))
            .collect(),
        sort: (!has_links).then(|| others.clone().pairs()),
        rows: rows((model, resource), &path, &columns, cells),
        new: may_create(model, action, chain).then(|| address(model, chain, None)),
        member: resource.def.name.replace('_', " "),
        filter: FilterForm::new(model, (resource, chain), &path, &parameters, found),
        tallies: tallies(resource, found, &path, &parameters),
        prev: link("prev").map(|(_, url)| url.clone()),
        next: link("next").map(|(_, url)| url.clone()),
        total: page.total,
        exports: [("CSV", "csv"), ("NDJSON", "ndjson")]
            .map(|(name, word)| (name, all.clone().with("format", word).url(&path)))
            .to_vec(),
        path,
    };
    render(model, "collection.html", &view).map(String::into_bytes)
}

fn may_create(model: &Model, action: &Action, chain: &Chain) -> bool {
    model[chain.resource].def.methods.contains(Operation::Create)
        && action.caller.may_use(&Method::POST)
        && access::may(model, &Target::Form(chain.clone(), None), &action.caller, &Method::GET)
}

fn column_view(
    resource: &ResourceModel,
    column: &TableColumn<'_>,
    query: &CollectionQuery,
    (others, has_links): (&Parameters, bool),
    path: &str,
) -> ColumnView {
    let field = column.field;
    let key = query.sort.first().filter(|key| resource[key.field].name == field.name);
    let is_ascending = key.is_some_and(|key| !key.descending);
    let by = [if is_ascending { "-" } else { "" }, &*field.name].concat();
    let by = Some(by).filter(|_| field.sortable);
    let (sort, button) = match by {
        Some(by) if has_links => (Some(others.clone().with("sortby", &by).url(path)), None),
        by => (None, by),
    };
    ColumnView {
        name: field.name.to_string(),
        look: column.look(),
        description: field.def.and_then(|def| def.description),
        sort,
        button,
        order: key.map(|key| if key.descending { "descending" } else { "ascending" }),
    }
}

fn rows(
    (model, resource): (&Model, &ResourceModel),
    path: &str,
    columns: &[TableColumn<'_>],
    cells: &CellSink,
) -> Vec<RowView> {
    let has_page = resource.def.methods.contains(Operation::Get);
    let leading = [Some(FieldIx::ID), resource.label()];
    let is_leading = |column: &TableColumn<'_>| {
        leading.iter().flatten().any(|ix| resource[*ix].name == column.field.name)
    };
    let row = |row: CellRow<'_>| {
        let href = has_page.then(|| format!("{path}/{}", encoded(row.id())));
        let cells = columns.iter().filter(|column| column.is_shown).map(|column| {
            match (&href, is_leading(column)) {
                (Some(href), true) => column.short(row).leading(href.clone()),
                _ => column.short(row),
            }
        });
        RowView { cells: cells.collect(), href: href.clone(), id: row.id().to_owned() }
    };
    cells.rows(model).map(row).collect()
}

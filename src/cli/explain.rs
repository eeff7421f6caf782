//! `nouns explain`: what the server does for a request, found without doing it.

mod facts;
mod report;
mod sql_lines;

use std::path::PathBuf;

use clap::Args;
use http::{HeaderName, HeaderValue, Method, Request, Uri, header};
use nouns_codegen::schema::{CallerClass, Schema};
use nouns_runtime::{
    Caller, Model,
    body::Body,
    reply::Reply,
    service::Explanation,
    store::{Location, query_plans, sql::Dialect},
};

use self::report::{Problem, Report, RequestLine};
use super::{Failure, OutputFormat, access::Rules, print, schema_file};

const EXAMPLES: &str = "Examples:
  nouns explain 'GET /zoos/1/animals?sortby=name' zoo.yaml
  nouns explain 'GET /zoos' zoo.yaml --header 'Accept: text/csv'
  nouns explain 'PATCH /zoos/1' zoo.yaml --data '{\"city\": \"Berlin\"}'
  nouns explain 'GET /articles' newsroom.yaml --as role:editor";

/// The class of callers without credentials.
const ANONYMOUS: &str = "anonymous";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Explain {
    /// The request: a method and a path with its query. Without a method, it is a GET.
    #[arg(value_name = "REQUEST", value_parser = request_line)]
    request: (Method, Uri),
    /// The schema file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The caller: `anonymous`, `signed_in` or `role:NAME`.
    #[arg(long = "as", value_name = "CALLER", default_value = ANONYMOUS)]
    class: String,
    /// A header field of the request, such as `Accept: text/csv`. It may be repeated.
    #[arg(long, short = 'H', value_name = "NAME: VALUE", value_parser = header_field)]
    header: Vec<(HeaderName, HeaderValue)>,
    /// The body of the request. Without a field `Content-Type`, it is JSON.
    #[arg(long, short, value_name = "BODY")]
    data: Option<String>,
    /// The database whose tables and statistics decide how statements run: an SQLite file, or a
    /// URL of PostgreSQL. It is not changed. Without this, it is an empty SQLite database.
    #[arg(long, value_name = "DATABASE", env = "NOUNS_DATABASE")]
    database: Option<PathBuf>,
    /// The output format.
    #[arg(long, value_enum, default_value_t, env = "NOUNS_FORMAT")]
    format: OutputFormat,
}

impl Explain {
    pub(super) fn run(self) -> Result<(), Failure> {
        let schema = schema_file::read(&self.file)?;
        let model = schema_file::model(&schema)?;
        let class = Rules { schema: &schema }.class(&self.class)?;
        let request = self.request(&model, &class)?;
        let (method, target) = (request.method().to_string(), request.uri().to_string());
        let line = RequestLine { method, target, caller: class.to_string() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let dialect = self.location().map_or(Dialect::Sqlite, |location| location.dialect());
        match runtime.block_on(Explanation::of(&model, dialect, request)) {
            Ok(explanation) => self.print(&schema, &model, &class, line, &explanation),
            Err(reply) => {
                let problem =
                    Problem { request: line, status: reply.status, body: content(*reply) };
                print(&match self.format {
                    OutputFormat::Text => problem.text(),
                    OutputFormat::Json => problem.json(),
                });
                // The problem has been printed. The request is wrong, so the exit code is 1.
                Err(Failure(String::new()))
            }
        }
    }

    fn location(&self) -> Option<Location> {
        self.database.clone().map(|path| Location::from(path.into_os_string()))
    }

    fn print(
        &self,
        schema: &Schema,
        model: &Model,
        class: &CallerClass,
        request: RequestLine,
        explanation: &Explanation,
    ) -> Result<(), Failure> {
        let plans = query_plans(self.location().as_ref(), model, &explanation.statements)
            .map_err(|error| Failure(format!("error: {error}")))?;
        let rules = facts::rules(schema, model, class, &explanation.action);
        let report = Report { request, model, rules, explanation, plans };
        print(&match self.format {
            OutputFormat::Text => report.text(),
            OutputFormat::Json => report.json(),
        });
        Ok(())
    }

    /// The request, with its caller in the extensions.
    fn request(&self, model: &Model, class: &CallerClass) -> Result<Request<Body>, Failure> {
        let body = self.data.clone().unwrap_or_default();
        let mut request = Request::new(body.into());
        let (method, uri) = &self.request;
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(Failure(
                "error: the URL has a user name, which is not read here; choose the caller with --as"
                    .to_owned(),
            ));
        }
        (*request.method_mut(), *request.uri_mut()) = (method.clone(), uri.clone());
        let fields = request.headers_mut();
        for (name, value) in &self.header {
            if [header::AUTHORIZATION, header::COOKIE].contains(name) {
                return Err(Failure(format!(
                    "error: `{name}` is not read here; choose the caller with --as"
                )));
            }
            fields.append(name, value.clone());
        }
        if self.data.is_some() && !fields.contains_key(header::CONTENT_TYPE) {
            fields.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        request.extensions_mut().insert(match class {
            CallerClass::Anonymous => Caller::Anonymous,
            CallerClass::SignedIn => Caller::example(model, None),
            CallerClass::Role(role) => Caller::example(model, Some(role)),
        });
        Ok(request)
    }
}

/// The content of a response, which is in memory.
fn content(reply: Reply) -> String {
    match reply.body {
        Body::Full(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        _ => String::new(),
    }
}

/// Parses a request, such as `GET /zoos`.
fn request_line(text: &str) -> Result<(Method, Uri), String> {
    let rule = || "write it like `GET /zoos?limit=5`, with spaces as `%20`".to_owned();
    let words: Vec<_> = text.split_whitespace().collect();
    let (method, target) = match *words {
        [target] => ("GET", target),
        [method, target] => (method, target),
        _ => return Err(rule()),
    };
    let is_target = target.starts_with('/') || target.contains("://") || target == "*";
    let parsed = method.parse().ok().zip(target.parse().ok());
    parsed.filter(|_| is_target).ok_or_else(rule)
}

/// Parses a header field, such as `Accept: text/csv`.
fn header_field(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let parts = text.split_once(':');
    let field = parts
        .and_then(|(name, value)| Some((name.trim().parse().ok()?, value.trim().parse().ok()?)));
    field.ok_or_else(|| "write it like `Accept: text/csv`".to_owned())
}

//! Checks that depend only on the caller, the target and the method. They are done before the
//! server reads any byte of the body: the target must support the method (RFC 9110 §9), and the
//! access rules must let the caller do it with some row.

use http::{HeaderValue, Method, header};

use crate::{
    base::error::{Error, Kind, excerpt, text},
    model::{
        Default, Model, ResourceModel, RuleSet,
        def::{FieldMode, Operation},
        rule::Rule,
    },
    plan::Caller,
    request::{
        identify::{challenged, insufficient_scope},
        route::Target,
    },
};

/// The methods that a redirect responds to. OPTIONS is always supported, and QUERY if it is
/// enabled.
const REDIRECTED: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/// The methods that the server recognizes, whether or not a target supports them.
const KNOWN: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY"];

/// The target and the caller of a request whose method the target supports. It is the input of
/// [`Action::parse`](crate::action::Action::parse).
#[derive(Clone, Debug, PartialEq)]
pub struct AdmittedRequest {
    /// The target of the request.
    pub(super) target: Target,
    /// The caller that sent the request.
    pub(super) caller: Caller,
}

/// Checks that a caller may use a method on a target.
///
/// # Errors
/// 405 with `Allow` for a method that the target does not support, 501 for an unknown method. 400
/// for the target `*` with any method except OPTIONS. 403 if the token of the caller does not have
/// the scope. 401 or 403 if the access rules forbid the operation to callers of this class,
/// whatever the row is.
#[inline]
pub fn admit(
    model: &Model,
    target: Target,
    caller: &Caller,
    method: &Method,
) -> Result<AdmittedRequest, Error> {
    if !offers(model, &target, method) {
        return Err(refusal(model, &target, method));
    }
    if let Some(scope) = lacking_scope(&target, caller, method) {
        return Err(insufficient_scope(model, scope));
    }
    match may(model, &target, caller, method) {
        true => Ok(AdmittedRequest { target, caller: caller.clone() }),
        false => Err(forbidden(model, caller, method)),
    }
}

/// Returns the scope that a request needs and the token of its caller does not have. A form shows
/// what it changes, so it needs both.
#[inline]
fn lacking_scope(target: &Target, caller: &Caller, method: &Method) -> Option<&'static str> {
    let is_form = matches!(target, Target::Form(..));
    if !caller.may_use(method) {
        return Some(if method.is_safe() { "read" } else { "write" });
    }
    (is_form && !caller.may_use(&Method::POST)).then_some("write")
}

/// Whether the access rules let a caller use a method on some row of a target.
#[inline]
pub(crate) fn may(model: &Model, target: &Target, caller: &Caller, method: &Method) -> bool {
    let set = caller.rules(model);
    if set == RuleSet::NONE {
        return true;
    }
    let (chain, operation) = match target {
        Target::Member(chain, _) => (chain, of_member(method)),
        Target::Collection(chain) => (chain, of_collection(model, method)),
        // Who may not submit a form does not get it.
        Target::Form(chain, None) => (chain, Some(Operation::Create)),
        Target::Form(chain, Some(_)) => (chain, Some(Operation::Update)),
        _ => return true,
    };
    let rules = model.rules(set, chain.resource);
    let rule = match operation {
        None => return true,
        Some(Operation::List | Operation::Get) => {
            return !model.read_rules(chain.place(set)).any(Rule::is_never);
        }
        Some(Operation::Create) => &rules.create,
        Some(Operation::Replace | Operation::Update) => &rules.update,
        Some(Operation::Delete | Operation::DeleteMany) => &rules.delete,
    };
    let is_creation = operation == Some(Operation::Create);
    !rule.as_ref().is_some_and(Rule::is_never)
        && (!is_creation || may_fill(model.seen(set).resource(chain.resource), caller))
}

/// Whether a caller can create members with all required fields. Fields that it cannot set need a
/// default, which may be a value of its account.
fn may_fill(resource: &ResourceModel, caller: &Caller) -> bool {
    resource.fields.iter().filter(|field| field.required).all(|field| match field.default {
        None => !field.is_withheld,
        Some(Default::Account(_)) => {
            caller.account().is_some()
                || !matches!(field.mode, FieldMode::ReadOnly | FieldMode::Hidden)
        }
        Some(_) => true,
    })
}

/// Returns the error for an operation that the access rules forbid: 401 for an anonymous caller,
/// who may sign in, otherwise 403.
#[cold]
fn forbidden(model: &Model, caller: &Caller, method: &Method) -> Error {
    let method = method.as_str();
    if !caller.is_known() && model.accounts.is_some() {
        return challenged(model, text!("`{method}` needs credentials here.", method));
    }
    Error::new(Kind::FORBIDDEN, text!("You may not use `{method}` here.", method))
}

/// Returns the error for a method that a target does not support.
#[cold]
fn refusal(model: &Model, target: &Target, method: &Method) -> Error {
    if !KNOWN.contains(&method.as_str()) {
        return Error::new(
            Kind::NOT_IMPLEMENTED,
            text!(
                "The server does not implement the method `{method}`.",
                method = excerpt(method.as_str())
            ),
        );
    }
    // Only OPTIONS may have the target `*` (RFC 9112 §3.2.4).
    if *target == Target::Server {
        return Error::new(Kind::MALFORMED_REQUEST, text!("The target `*` is only for OPTIONS."));
    }
    let allow = allow(model, target);
    let name = method.as_str();
    let detail = match (target, method) {
        (Target::Collection(_), &Method::DELETE) => text!(
            "`{method}` is not allowed here; allowed are: {allow}. Deletion by a filter needs `delete_many` in the schema.",
            method = name,
            allow = &allow
        ),
        _ => text!(
            "`{method}` is not allowed here; allowed are: {allow}.",
            method = name,
            allow = &allow
        ),
    };
    let value =
        HeaderValue::from_str(&allow).expect("the names of methods are valid in a header field");
    Error::new(Kind::METHOD_NOT_ALLOWED, detail).with_header(header::ALLOW, value)
}

/// Whether a target supports a method.
fn offers(model: &Model, target: &Target, method: &Method) -> bool {
    let (chain, operation) = match target {
        Target::Member(chain, _) => (chain, of_member(method)),
        Target::Collection(chain) => (chain, of_collection(model, method)),
        _ => return offers_elsewhere(model, target, method),
    };
    match operation {
        Some(operation) => model[chain.resource].def.methods.contains(operation),
        None => offers_everywhere(model, method),
    }
}

/// The operation of a method on a member.
fn of_member(method: &Method) -> Option<Operation> {
    Some(match *method {
        Method::GET | Method::HEAD => Operation::Get,
        Method::PUT => Operation::Replace,
        Method::PATCH => Operation::Update,
        Method::DELETE => Operation::Delete,
        _ => return None,
    })
}

/// The operation of a method on a collection.
fn of_collection(model: &Model, method: &Method) -> Option<Operation> {
    Some(match *method {
        Method::GET | Method::HEAD => Operation::List,
        Method::POST => Operation::Create,
        Method::DELETE => Operation::DeleteMany,
        Method::QUERY if model.api.server.query => Operation::List,
        _ => return None,
    })
}

/// Whether a target that is neither a collection nor a member supports a method.
fn offers_elsewhere(model: &Model, target: &Target, method: &Method) -> bool {
    let offers = match target {
        Target::Custom(shape, _) => model.custom.find(*shape, method).is_some(),
        Target::Redirect(_) if *method == Method::QUERY => model.api.server.query,
        Target::Redirect(_) => REDIRECTED.contains(&method.as_str()),
        Target::Server => false,
        _ => *method == Method::GET || *method == Method::HEAD,
    };
    offers || offers_everywhere(model, method)
}

/// Whether every target supports a method.
fn offers_everywhere(model: &Model, method: &Method) -> bool {
    *method == Method::OPTIONS || *method == Method::TRACE && model.api.server.trace
}

/// The value of `Allow`, which lists the methods of a target (RFC 9110 §10.2.1).
pub(crate) fn allow(model: &Model, target: &Target) -> String {
    let methods = [
        Method::GET,
        Method::HEAD,
        Method::QUERY,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::TRACE,
    ];
    let offered = methods.into_iter().filter(|method| match target {
        Target::Server => {
            model.resources().iter().any(|resource| is_offered_anywhere(model, resource, method))
        }
        target => offers(model, target, method),
    });
    let names: Vec<_> = offered.chain([Method::OPTIONS]).map(|method| method.to_string()).collect();
    names.join(", ")
}

/// Whether any URL of a resource supports a method.
fn is_offered_anywhere(model: &Model, resource: &ResourceModel, method: &Method) -> bool {
    let operations: &[Operation] = match method.as_str() {
        "QUERY" if model.api.server.query => &[Operation::List],
        "TRACE" if model.api.server.trace => return true,
        "QUERY" | "TRACE" => return false,
        "POST" => &[Operation::Create],
        "PUT" => &[Operation::Replace],
        "PATCH" => &[Operation::Update],
        "DELETE" => &[Operation::Delete, Operation::DeleteMany],
        _ => return true,
    };
    operations.iter().any(|operation| resource.def.methods.contains(*operation))
}

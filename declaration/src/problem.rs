//! The table of all mistakes that a declaration can have, each with code, facts and message.
//!
//! A code is never reused. The message quotes the text that is wrong and proposes a repair.

mod facts;
mod table;

pub use facts::{Owner, Path, Suggestion, Words, excerpt};
use table::problems;

problems! {
    // N001 to N009: the text is not a single YAML document with a tree of values.
    /// The text is not YAML.
    N001 Syntax { message: String, cause: Option<&'static str> } => "this is not YAML: {message}",
    /// A second document begins.
    N002 SeveralDocuments => "a second document begins here; write one declaration per file",
    /// The text is empty.
    N003 Empty => "the file declares nothing; begin with `nouns: 1` and `resources:`",
    /// A key of a mapping is not a string.
    N004 KeyNotText { key: String, kind: &'static str } =>
        "the key `{key}` is {kind}; a key must be text, so put it in quotes or rename it",
    /// Lists and mappings are nested too deeply.
    N005 TooDeep { maximum: usize } => "this is nested too deeply; the limit is {maximum} levels",
    /// An alias is inside the value that it names.
    N006 AliasOfItself => "this alias is inside the value that it names; write the value out",
    /// Anchors and aliases copy too much.
    N007 TooManyCopies { maximum: usize } =>
        "anchors and aliases copy more than {maximum} MiB up to here; use fewer aliases, or anchor \
         smaller values",
    /// A YAML tag, such as `!Tag`.
    N008 Tag { tag: String } => "the tag `{tag}` has no meaning here; remove it",
    /// The value of a merge key `<<` is not a mapping.
    N009 MergeOfOther { kind: &'static str } =>
        "`<<` merges mappings, but this is {kind}; give it an alias of a mapping",

    // N010 to N029: keys, and the shapes of their values.
    /// A key is unknown.
    N010 UnknownKey { key: String, level: &'static str, known: Words, nearest: Suggestion } =>
        "unknown key `{key}` in {level}{nearest}",
    /// A key occurs twice in a mapping.
    N011 DuplicateKey { key: String } =>
        "`{key}` is declared a second time here; keep one of the two",
    /// A required key is missing.
    N012 MissingKey { key: &'static str, owner: Owner } => "{owner} needs the key `{key}`; add it",
    /// A value has the wrong shape.
    N013 WrongShape { what: Owner, expected: &'static str, found: &'static str } =>
        "{what} must be {expected}, but this is {found}",
    /// A feature is planned, but not supported yet.
    N014 NotSupported { what: String } => "`{what}` is not supported yet; remove it",
    /// A word is not one of the allowed words.
    N015 UnknownWord { key: &'static str, word: String, allowed: Words, nearest: Suggestion } =>
        "`{key}` cannot be `{word}`, only {allowed}{nearest}",
    /// A number is out of its range.
    N016 OutOfRange { key: String, value: String, minimum: u32, maximum: u32 } =>
        "`{key}` is `{value}`; it must be a whole number from {minimum} to {maximum}",
    /// The version of the schema language is unknown.
    N017 UnknownVersion { version: String } =>
        "version `{version}` of the language is unknown; write `nouns: 1`",
    /// Two keys exclude each other.
    N018 Exclusive { first: &'static str, second: &'static str } =>
        "`{second}` excludes `{first}`; keep one of the two",
    /// A value is empty, but must not be.
    N019 Nothing { key: String } => "`{key}` is empty; give it a value or remove it",
    /// An item occurs twice in a list.
    N020 Repeated { key: String, item: String } =>
        "`{item}` is in `{key}` twice; remove one of the two",
    /// A text breaks the rule of its key.
    N021 BadText { key: String, text: String, rule: &'static str } =>
        "`{key}` is `{text}`; it must be {rule}",
    /// A key belongs to another schema language, such as JSON Schema.
    N022 ForeignKey { key: String, level: &'static str, advice: String } =>
        "unknown key `{key}` in {level}; {advice}",
    /// A resource has more fields than a table can hold.
    N023 TooManyFields { resource: String, count: usize, maximum: usize } =>
        "`{resource}` has {count} fields; a resource has at most {maximum}, so split it in two",
    /// CORS allows any origin together with credentials.
    N024 AnyOriginWithCredentials =>
        "`*` allows any origin; with `credentials`, any web site could send requests as the user; \
         list the allowed origins",
    /// `origins` contains `*` and also a specific origin.
    N025 AnyOriginAndOthers { other: String } =>
        "`*` already includes `{other}`; keep one of the two",
    /// A member without a parent has no URL.
    N026 OptionalParentNested =>
        "a member without a parent has no nested URL; write `routes: both` or `routes: flat`, or \
         give every member a parent",

    /// A key is beside the key that should contain it.
    N028 Outdented { key: String, above: String } =>
        "`{key}` is beside `{above}`, but belongs below it; indent it further",
    /// Keys are present whose common parent key is missing.
    N029 Headless { key: String, owner: Owner, head: &'static str } =>
        "`{key}` is directly in {owner}; write `{head}:` above `{key}`, and indent `{key}` \
         below `{head}:`",

    // N030 to N039: names of resources, fields, tables and URLs.
    /// A name breaks the rules for names.
    N030 BadName { what: &'static str, name: String, repair: Suggestion } =>
        "`{name}` cannot name {what}: a name is lower-case words of letters and digits joined by \
         single `_`, at most 63 characters{repair}",
    /// The name of a resource begins with a verb.
    N031 Verb { name: String, verb: &'static str } =>
        "`{name}` begins with the verb `{verb}`; name the thing, because HTTP methods are the \
         verbs",
    /// The name of a resource is a plural.
    N032 PluralName { name: String, singular: String } =>
        "`{name}` is a plural; a resource is a singular noun: `{singular}`",
    /// A name is already in use.
    N033 Taken { what: &'static str, name: String, by: String, repair: &'static str } =>
        "the {what} `{name}` is taken by {by}; {repair}",
    /// A name is reserved for the system.
    N034 Reserved { what: &'static str, name: String, reason: &'static str } =>
        "the {what} `{name}` is reserved: {reason}; choose another",
    /// The path segment of a collection breaks the rules.
    N035 BadSegment { segment: String } =>
        "`{segment}` cannot be a collection: it is one to 63 lower-case letters, digits, `_` and \
         `-`, beginning with a letter or digit",

    // N040 to N059: types and values.
    /// A type is unknown.
    N040 UnknownType { name: String, nearest: Suggestion } => "unknown type `{name}`{nearest}",
    /// A field has no type.
    N041 MissingType { owner: Owner } => "{owner} has no type; add `type`, `enum` or `references`",
    /// A key does not fit the type of the field.
    N042 Unfit { key: String, kind: String, fits: &'static str } =>
        "`{key}` does not fit {kind}; it is for {fits}",
    /// A lower bound is above its upper bound.
    N043 EmptyRange { low_key: &'static str, low: String, high_key: &'static str, high: String } =>
        "`{low_key}` is `{low}`, above `{high_key}`, which is `{high}`; swap or correct them",
    /// A value does not belong to the type of the field.
    N044 WrongValue { key: String, value: String, expected: String } =>
        "`{key}` is `{value}`; it must be {expected}",
    /// A value breaks a constraint.
    N045 BreaksRule { key: String, value: String, rule: String } =>
        "`{key}` is `{value}`, {rule}; change one of them",
    /// A pattern is not a regular expression.
    N046 BadPattern { pattern: String, reason: String } =>
        "`{pattern}` is not a regular expression: {reason}",
    /// A constraint of a field is looser than that of its named type.
    N047 Looser { key: &'static str, value: String, type_name: String, limit: String } =>
        "`{key}` is `{value}`, but type `{type_name}` has `{limit}`; a field can only tighten its \
         type",
    /// A field is required, but no client can set it.
    N048 Unsettable { field: String, mode: &'static str } =>
        "`{field}` is `required` and `{mode}`, so no client can set it; add a `default` or remove \
         one of the two",
    /// A type builds on a type that is declared later.
    N049 DeclaredBelow { name: String } =>
        "type `{name}` is declared below; move it above the type that builds on it",
    /// A filter or a sort order would reveal a field that clients may not read.
    N050 Reveals { key: &'static str, mode: &'static str } =>
        "`{key}` would reveal a field that is `{mode}`; remove one of the two",
    /// The declared type of a reference is not the type of the target's ids.
    N051 WrongReferenceType { name: String, resource: String, id: &'static str } =>
        "`{name}` is not the type of the ids of `{resource}`, which is `{id}`; remove `type`, \
         because `references` implies it",
    /// A resource is named where a type is expected.
    N052 ResourceAsType { name: String } =>
        "`{name}` is a resource, not a type; write `{{ references: {name} }}`",
    /// The values of a field cannot be the labels of members.
    N053 UnfitLabel { field: String, found: &'static str } =>
        "`{field}` is {found}, so it cannot be the label; name a field whose values people can read",

    // N060 to N069: mistakes between resources.
    /// A resource is unknown.
    N060 UnknownResource { name: String, nearest: Suggestion } =>
        "unknown resource `{name}`{nearest}",
    /// Parents form a cycle.
    N061 ParentCycle { cycle: Path } => "the parents form a cycle: {cycle}; remove one `parent`",
    /// Required references form a cycle.
    N062 RequiredCycle { cycle: Path } =>
        "no first member could be created, because each requires another: {cycle}; make one of \
         the references optional",
    /// A required reference has `on_delete: set_null`, but cannot become null.
    N063 CannotSetNull { field: String } =>
        "`{field}` is required, so it cannot be set to null; use `restrict` or `cascade`",
    /// Nested routes are declared for a resource without a parent.
    N064 NestedWithoutParent { routes: &'static str } =>
        "`{routes}` routes need a `parent`, but there is none; add one or remove `routes`",
    /// A field is unknown.
    N065 UnknownField { name: String, resource: String, nearest: Suggestion } =>
        "unknown field `{name}` of `{resource}`{nearest}",
    /// A field without an order is in a list of sort keys or indexed fields.
    N066 Unordered { key: String, field: String, kind: &'static str } =>
        "`{field}` is `{kind}`, which has no order, so it cannot be in `{key}`; remove it",
    /// A resource has too many ancestors.
    N067 TooNested { resource: String, maximum: usize } =>
        "`{resource}` is nested below more than {maximum} parents; remove one of the `parent`s",
    /// The placeholders of a former path are not the ids in the URL of the collection.
    N068 WrongPlaceholders { path: String, expected: String } =>
        "`{path}` must contain {expected}, like the URL of the collection",
    /// A redirect leads to another redirect.
    N069 RedirectsAgain { path: String, resource: String } =>
        "`moved_to` leads to `{path}`, where `{resource}` redirects again; write the final URL",

    // N070 to N079: mistakes that only Rust declarations can have.
    /// An item has type parameters or lifetimes.
    N070 Generic { name: String, what: &'static str } =>
        "`{name}` has {what}, but a declaration cannot be generic; remove them",
    /// A derive is on an item of the wrong form, such as a union.
    N071 WrongItem { name: String, found: &'static str, advice: String } =>
        "`{name}` {found}; {advice}",
    /// The Rust type of a field is not supported.
    N072 UnfitRustType { written: String, advice: String } =>
        "`{written}` cannot be the type of a field; {advice}",
    /// A struct has no field for the id.
    N073 MissingId { name: String, found: String } =>
        "`{name}` needs the field `id: Id<Self>`, {found}; declare it like this",
    /// A struct has no field for the id of its parent.
    N074 MissingParent { field: String, path: String, found: String } =>
        "the parent `{path}` needs the field `{field}: Id<{path}>`, {found}; declare it like this",
    /// An attribute is not a list of keys and values.
    N075 AttributeSyntax { message: String } => "this attribute cannot be read: {message}",
    /// A key of the schema language has another form in Rust, such as the type of the field.
    N076 ElsewhereInRust { key: String, advice: &'static str } =>
        "`{key}` does not belong here: {advice}",
    /// The argument of a call is not a literal.
    N077 NotWrittenOut { call: String, expected: &'static str } =>
        "`{call}` needs {expected} here; write it inline, because the code is read, not run",
    /// The text is not Rust.
    N078 RustSyntax { message: String } => "this is not Rust: {message}",
    /// A call names an item that the file does not have.
    N079 UnknownItem { ident: String, derive: &'static str } =>
        "this file has no item `{ident}` with `#[derive({derive})]`; add it or remove the call",

    // N080 to N089: warnings about declarations that work, but perhaps not as intended.
    /// No index serves a filter or a sort order.
    N080 Unindexed { what: &'static str, field: String, resource: String } =>
        "no index serves {what} by `{field}`, so they become slower as `{resource}` grows; add \
         `index: true` to `{field}`",
    /// A field has the name of a query parameter.
    N081 NamedLikeParameter { field: String } =>
        "`{field}` is a query parameter of every collection, so only the long form \
         `filter[{field}]=` reaches the field; rename it, or set `filterable: false`",
    /// A reference has the name of its target resource.
    N082 NamedLikeMember { field: String, resource: String } =>
        "`{field}` holds an id, but has the name of the resource `{resource}`; rename it to \
         `{field}_id`, or give the referenced member another name with `as`",
    /// Nobody can meet a rule, unless a program sets the callers itself.
    N083 NobodySignsIn { what: &'static str } =>
        "`{what}` needs a caller who is signed in, but there is no `auth`; without it, only a \
         program that sets callers itself lets anybody in",

    /// The secret of a session may be in URLs or in pages.
    N085 EnclosedSession { key: &'static str } =>
        "with `{key}`, the secret of a session is in texts that people copy and that browsers, \
         proxies and servers keep; prefer the cookie alone",

    /// A caller who may create a member may not set a required field of it.
    N084 MayNotBeSet { field: String, resource: String, who: String } =>
        "`{field}` is required and has no default, but {who} may create a `{resource}` and not \
         write `{field}`; add a `default`, or change one of the rules",

    // N100 to N119: access rules and accounts.
    /// A step in the path of a rule is no parent and no reference.
    N100 UnknownStep { name: String, resource: String, nearest: Suggestion } =>
        "`{resource}` has no parent or reference `{name}`{nearest}",
    /// A rule compares a field that cannot be compared.
    N101 Incomparable { path: String, kind: &'static str } =>
        "`{path}` is `{kind}`, which a rule can only test for `null`",
    /// A rule compares a field with one of the account that has another kind.
    N102 OtherKind { path: String, kind: &'static str, other: String, other_kind: &'static str } =>
        "`{path}` is `{kind}`, but `{other}` is `{other_kind}`; compare fields of one type",
    /// A rule names a role, but the accounts have none.
    N103 NoRoles { what: String, accounts: String } =>
        "`{what}` needs roles, but `{accounts}` has no field for them; add the field, or name it \
         with `role` in `auth`",
    /// A role is not among the values of the field for roles.
    N104 UnknownRole { role: String, field: String, nearest: Suggestion } =>
        "`{role}` is no role, because `{field}` cannot have it{nearest}",
    /// The field for the login cannot identify an account.
    N105 UnfitLogin { field: String } =>
        "`{field}` cannot be the login; make it a `string` with `required` and `unique`",
    /// The field for the password is of another type.
    N106 UnfitPassword { field: String, kind: &'static str } =>
        "`{field}` is `{kind}`; the password must be of type `password`",
    /// The field for the role is of another type.
    N107 UnfitRole { field: String, kind: &'static str } =>
        "`{field}` is `{kind}`; a role must be of type `string`",
    /// The default of a field is a value of the account that the field cannot have.
    N108 UnfitDefault { field: String, kind: String, value: String, value_kind: String } =>
        "`{field}` is {kind}, so its default cannot be `{value}`, which is {value_kind}",
    /// The default of a field is a value of the account, but there are no accounts.
    N109 DefaultWithoutAccounts { value: String } =>
        "the default `{value}` needs accounts; add `auth` with `accounts`, or use another default",
    /// The rule of a field depends on the member.
    N110 WhereInFieldRule =>
        "`where` does not fit a rule of a field, which depends on the caller alone; use `role`, \
         `signed_in` or `public`, or write a rule of the resource",
    /// A token cannot set this field of an account.
    N111 UnfitClaim { field: String, kind: &'static str } =>
        "no claim can set `{field}`, which is `{kind}`; leave it out of `claims`",
    /// A collection has the path of sessions or tokens.
    N115 ReservedCollection { collection: String, scheme: &'static str } =>
        "`/{collection}` is reserved for callers who sign in with `{scheme}`; give the collection \
         another path with `collection`, or leave `{scheme}` out of `schemes`",
    /// The secret of a session has the name of a field.
    N116 EnclosedNameTaken { key: &'static str, name: String, what: String } =>
        "`{key}` cannot be `{name}`, which is {what}; the server takes the value for the secret of \
         a session and removes it, so choose another name",

    // N090 to N099: mistakes in the rest of a program. A code may have several messages.
    /// Hooks are declared for a resource that is not declared.
    N090 UnknownHooked { resource: String, nearest: Suggestion } =>
        "there are hooks for the unknown resource `{resource}`{nearest}",
    /// Hooks belong to a declaration of a resource that differs from its declaration in the API.
    N090 OtherHooked { resource: String } =>
        "the hooks are for a declaration of `{resource}` that is not part of this API; declare \
         `{resource}` once",
    /// A resource refers to a declaration of a resource that is not the one in the API.
    N090 OtherNeighbour { resource: String } =>
        "the resource refers to a declaration of `{resource}` that is not part of this API; declare \
         `{resource}` once",
    /// Two structs with hooks declare the same resource.
    N090 HookedTwice { resource: String } =>
        "two structs that declare `{resource}` have hooks; declare `{resource}` once",
    /// Two handlers replace the same operation.
    N091 ReplacedTwice { operation: &'static str } =>
        "`{operation}` is replaced twice; keep one of the two",
    /// A handler replaces an operation that the resource does not offer.
    N091 ReplacedUnoffered { operation: &'static str } =>
        "`{operation}` is replaced, but `methods` does not include it; add it there",
    /// `delete_many` would bypass the handler that replaces `delete`.
    N091 ReplacedOneOfMany =>
        "`delete` is replaced, but `delete_many` would bypass it; remove `delete_many` from \
         `methods`",
    /// The method of a custom route is not allowed.
    N092 RouteMethod { path: String, method: String, known: String } =>
        "the method of the route `{path}` is `{method}`; it must be one of {known}",
    /// The path of a custom route is not allowed.
    N092 RoutePath { path: String, rule: String } =>
        "the path of the route is `{path}`; it must be {rule}",
    /// The path of a custom route is reserved for the system.
    N092 RouteReserved { path: String } =>
        "the route `{path}` is reserved for the system; choose another",
    /// Two placeholders of a route have the same name.
    N093 PlaceholderTwice { path: String, name: String } =>
        "the route `{path}`: `{{{name}}}` occurs twice; rename one of the two",
    /// The placeholder of a member is not named like its resource.
    N093 PlaceholderName { path: String, name: String, resource: String } =>
        "the route `{path}`: `{{{name}}}` is in the place of a `{resource}`; write \
         `{{{resource}}}`",
    /// A placeholder has the name of a resource, but does not follow the collection of this
    /// resource.
    N093 PlaceholderPlace { path: String, name: String, collection: String } =>
        "the route `{path}`: `{{{name}}}` is a `{name}` only at `{collection}/{{{name}}}`; move or \
         rename it",
    /// A custom route and a URL of a resource match the same request.
    N094 RouteMeets { route: String, generated: String, resource: &'static str, instead: String } =>
        "the route `{route}` conflicts with the generated `{generated}` of `{resource}`; choose \
         another path{instead}",
    /// A custom route and a redirect match the same request.
    N094 RouteMeetsMoved { route: String, former: &'static str, resource: &'static str } =>
        "the route `{route}` conflicts with `{former}` in `moved_from` of `{resource}`; remove one \
         of the two",
    /// Two custom routes have the same method and path.
    N095 RouteTwice { route: String } =>
        "the route `{route}` is declared twice; keep one of the two",
    /// The slug of a problem type has the wrong form.
    N096 BadSlug { slug: String } =>
        "`{slug}` cannot be the slug of a problem: it is lower-case words of letters and digits \
         joined by `-`",
    /// Two problem types have the same slug.
    N096 SlugTaken { slug: String } =>
        "the problem `{slug}` is taken by another; choose another slug",
    /// The status of a problem type is not 400 to 599.
    N096 NoError { slug: String, status: u16 } =>
        "the problem `{slug}` has the status {status}; it must be one from 400 to 599",
    /// The name of a custom key does not begin with `x-`.
    N097 BadExtension { name: String } =>
        "`{name}` is not a custom key: custom keys begin with `x-`",
    /// The value of a custom key is not JSON.
    N097 ExtensionNotJson { name: String, reason: String } =>
        "the value of `{name}` is not JSON: {reason}; text needs quotes",
    /// There are more resources than the server supports.
    N098 TooManyResources { maximum: usize } =>
        "an API has at most {maximum} resources; split it in two",
    /// A file of the directory of templates has a mistake.
    N099 BadTemplate { fault: String } =>
        "{fault}",
}

impl Problem {
    /// Whether this problem is only a warning. A declaration with warnings can be served.
    #[must_use]
    pub const fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::Unindexed { .. }
                | Self::NamedLikeParameter { .. }
                | Self::NamedLikeMember { .. }
                | Self::NobodySignsIn { .. }
                | Self::MayNotBeSet { .. }
                | Self::EnclosedSession { .. }
        )
    }
}

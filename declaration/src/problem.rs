//! The table of all mistakes that a declaration can have, each with code, facts and message.
//!
//! A code is never reused. The message quotes the text that is wrong and proposes a repair. The
//! mistakes that only a program can have are in `problem/program.rs`.

mod facts;
mod program;
mod severity;
mod table;

pub use facts::{Owner, Path, Suggestion, Words, excerpt};
use program::with_program_problems;
use table::problems;

with_program_problems! {
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
        "`{field}` is {found}, so it cannot be the label; name a field whose values people can \
         read",

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
    N081 NamedLikeParameter { field: String, or: &'static str } =>
        "`{field}` is a query parameter of every collection, so only the long form \
         `filter[{field}]=` reaches the field; rename it{or}",
    /// A reference has the name of its target resource.
    N082 NamedLikeMember { field: String, resource: String, or: &'static str } =>
        "`{field}` holds the id of a member of `{resource}`, but its name is that of the member \
         itself; rename it to `{field}_id`{or}",
    /// Nobody can meet a rule, unless a program sets the callers itself.
    N083 NobodySignsIn { what: &'static str } =>
        "`{what}` needs a caller who is signed in, but there is no `auth`; without it, only a \
         program that sets callers itself lets anybody in",
    /// A caller who may create a member may not set a required field of it.
    N084 MayNotBeSet { field: String, resource: String, who: String } =>
        "`{field}` is required and has no default, but {who} may create a `{resource}` and not \
         write `{field}`; add a `default`, or change one of the rules",
    /// The secret of a session may be in URLs or in pages.
    N085 EnclosedSession { key: &'static str } =>
        "with `{key}`, the secret of a session is in texts that people copy and that browsers, \
         proxies and servers keep; prefer the cookie alone",
    /// A stranger may choose the role of an account.
    N086 OpenRole { field: String, resource: String, who: String, does: &'static str } =>
        "{who} may {does} a `{resource}` and set its `{field}`, so they choose their own rights; \
         add `access: {{ write: {{ role: … }} }}` to `{field}`",
    /// A rule restricts who may create members, but none restricts who may change or delete them.
    N087 OpenToChange { resource: String, keys: Words, who: &'static str } =>
        "`access` of `{resource}` has a rule for `create`, but none for {keys}, which {who} may \
         do; add one",
    /// The first member can only refer to itself.
    N088 RefersToItself { field: String, resource: String } =>
        "the first `{resource}` can only refer to itself by `{field}`, with an id that its client \
         has chosen; make `{field}` optional unless that is intended",
    /// HTTP caches may share a resource of which callers read different members or fields.
    N089 PublicAndRuled { resource: String } =>
        "`visibility: public` counts for anonymous callers alone, since rules decide what others \
         read of `{resource}`, whose responses are `private`; remove it, or let everybody read the \
         same",

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
    /// A value that depends on the request is in a list of fixed values.
    N112 VariableInList { variable: String, path: String } =>
        "`{variable}` cannot be in a list, whose values are fixed; compare `{path}` with it alone, \
         and join the tests with `any` or `all`",
    /// A step in the path of a rule leads to the members that refer to a member.
    N113 StepDown { name: String, resource: String, below: String } =>
        "the path of a rule leads up, to the parent and to references, but `{name}` leads down \
         from a `{resource}` to each `{below}`; compare a field of `{resource}`, or of a member \
         above it",
    /// A collection has the path of sessions or tokens.
    N115 ReservedCollection { collection: String, scheme: &'static str } =>
        "`/{collection}` is reserved for callers who sign in with `{scheme}`; give the collection \
         another path with `collection`, or leave `{scheme}` out of `schemes`",
    /// The secret of a session has the name of a field.
    N116 EnclosedNameTaken { key: &'static str, name: String, what: String } =>
        "`{key}` cannot be `{name}`, which is {what}; the server takes the value for the secret of \
         a session and removes it, so choose another name",
}

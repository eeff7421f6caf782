//! The one table of what can be wrong with a declaration: code, facts and sentence of each mistake.
//!
//! A code is never reused. The sentence names the offender in backquotes and says the repair.

use std::fmt;

/// Writes the enum, its codes and its one [`Display`](fmt::Display) from a table.
macro_rules! problems {
    ($($(#[$doc:meta])* $code:ident $name:ident $({ $($fact:ident: $type:ty),* $(,)? })? => $sentence:literal,)*) => {
        /// What is wrong, as facts; its [`Display`](fmt::Display) is the one place of the wording.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the sentence of each variant says what its facts are")]
        pub enum Problem {
            $($(#[$doc])* $name $({ $($fact: $type),* })?,)*
        }

        impl Problem {
            /// The code of each sentence, in their order.
            pub const CODES: &'static [&'static str] = &[$(stringify!($code)),*];

            /// The stable code: `N012`.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => stringify!($code),)*
                }
            }
        }

        impl fmt::Display for Problem {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name $({ $($fact),* })? => {
                        // A fact may be for the help alone.
                        $($(let _ = $fact;)*)?
                        write!(formatter, $sentence)
                    })*
                }
            }
        }
    };
}

problems! {
    // N001 to N009: the text is not one tree.
    /// The text is not YAML.
    N001 Syntax { message: String, cause: Option<&'static str> } => "this is not YAML: {message}",
    /// A second document begins.
    N002 SeveralDocuments => "a second document begins here; write one declaration per file",
    /// There is nothing in the text.
    N003 Empty => "the file declares nothing; begin with `nouns: 1` and `resources:`",
    /// A key of a mapping is something else than text.
    N004 KeyNotText { key: String, kind: &'static str } => "the key `{key}` is {kind}; a key must be text, so put it in quotes or rename it",
    /// Lists and mappings are nested too deep.
    N005 TooDeep { maximum: usize } => "this is nested too deep; at most {maximum} levels are read",
    /// An alias stands inside the value that it names.
    N006 AliasOfItself => "this alias stands inside the value that it names; write the value out",
    /// Anchors and aliases copy too much.
    N007 TooManyCopies { maximum: usize } => "anchors and aliases copy more than {maximum} MiB up to here; write fewer of them, or name less by each",
    /// A tag of YAML.
    N008 Tag { tag: String } => "the tag `{tag}` has no meaning here; remove it",
    /// A merge key with something else than mappings.
    N009 MergeOfOther { kind: &'static str } => "`<<` merges mappings, and this is {kind}; give it an alias of a mapping",

    // N010 to N029: keys and the shape of their values.
    /// A key that the language does not know.
    N010 UnknownKey { key: String, level: &'static str, known: Words, nearest: Nearest } => "unknown key `{key}` in {level}{nearest}",
    /// A key stands twice in a mapping.
    N011 DuplicateKey { key: String } => "`{key}` is declared a second time here; keep one of the two",
    /// A key that must be there is not.
    N012 MissingKey { key: &'static str, owner: String } => "{owner} needs the key `{key}`; add it",
    /// A value has the wrong shape.
    N013 WrongShape { what: String, expected: &'static str, found: &'static str } => "{what} must be {expected}, and this is {found}",
    /// Something that is planned but not built yet.
    N014 NotSupported { what: String } => "`{what}` is not supported yet; remove it",
    /// A word where only some words are allowed.
    N015 UnknownWord { key: &'static str, word: String, allowed: Words, nearest: Nearest } => "`{key}` cannot be `{word}`, only {allowed}{nearest}",
    /// A number outside of its range.
    N016 OutOfRange { key: String, value: String, minimum: u32, maximum: u32 } => "`{key}` is `{value}`; it must be a whole number from {minimum} to {maximum}",
    /// The language has another version.
    N017 UnknownVersion { version: String } => "version `{version}` of the language is unknown; write `nouns: 1`",
    /// Keys that exclude each other.
    N018 Exclusive { first: &'static str, second: &'static str } => "`{second}` excludes `{first}`; keep one of the two",
    /// Nothing stands where something must.
    N019 Nothing { key: String } => "`{key}` is empty; say something or remove it",
    /// The same thing stands twice in a list.
    N020 Repeated { key: String, item: String } => "`{item}` stands in `{key}` twice; remove one of the two",
    /// A text breaks the rule of its key.
    N021 BadText { key: String, text: String, rule: &'static str } => "`{key}` is `{text}`; it must be {rule}",
    /// A key of another language.
    N022 ForeignKey { key: String, level: &'static str, advice: String } => "unknown key `{key}` in {level}; {advice}",
    /// A resource has more fields than a table can hold.
    N023 TooManyFields { resource: String, count: usize, maximum: usize } => "`{resource}` has {count} fields; a resource has at most {maximum}, so split it in two",
    /// Any origin, with credentials.
    N024 AnyOriginWithCredentials => "`*` is any origin, and with `credentials` each of them could act for a user; list the origins that may",
    /// Any origin, and others beside it.
    N025 AnyOriginAndOthers { other: String } => "`*` is any origin, `{other}` among them; keep one of the two",
    /// A member without a parent would have no URL.
    N026 OptionalParentNested => "a member without a parent has no nested URL; say `routes: both` or `routes: flat`, or give every member a parent",

    /// A key stands beside the one that it belongs to.
    N028 Outdented { key: String, above: String } => "`{key}` stands beside `{above}` and belongs below it; indent it further",
    /// Keys stand where a key that holds them is missing.
    N029 Headless { key: String, owner: String, head: &'static str } => "`{key}` stands directly in {owner}; write `{head}:` above it, and indent it below that",

    // N030 to N039: names.
    /// A name breaks the rules of names.
    N030 BadName { what: &'static str, name: String, repair: Nearest } => "`{name}` cannot name {what}: a name is lower-case words of letters and digits joined by single `_`, at most 63 characters{repair}",
    /// A verb where a noun belongs.
    N031 Verb { name: String, verb: &'static str } => "`{name}` begins with the verb `{verb}`; name the thing, for HTTP brings the verbs",
    /// A plural where a singular belongs.
    N032 PluralName { name: String, singular: String } => "`{name}` is a plural; a resource is a singular noun: `{singular}`",
    /// A name that something else has already.
    N033 Taken { what: &'static str, name: String, by: String, repair: &'static str } => "the {what} `{name}` is taken by {by}; {repair}",
    /// A name that the system keeps.
    N034 Reserved { what: &'static str, name: String, reason: &'static str } => "the {what} `{name}` is reserved: {reason}; choose another",
    /// A segment of a URL breaks the rules.
    N035 BadSegment { segment: String } => "`{segment}` cannot be a collection: it is one to 63 lower-case letters, digits, `_` and `-`, beginning with a letter or digit",

    // N040 to N059: types and values.
    /// There is no such type.
    N040 UnknownType { name: String, nearest: Nearest } => "unknown type `{name}`{nearest}",
    /// A field says nothing about its type.
    N041 MissingType { owner: String } => "{owner} has no type; add `type`, `enum` or `references`",
    /// A key does not fit the type.
    N042 Unfit { key: String, kind: String, fits: &'static str } => "`{key}` does not fit {kind}; it is for {fits}",
    /// A lower bound lies above the upper one.
    N043 EmptyRange { low_key: &'static str, low: String, high_key: &'static str, high: String } => "`{low_key}` is `{low}`, above `{high_key}`, which is `{high}`; swap or correct them",
    /// A value is not one of its type.
    N044 WrongValue { key: String, value: String, expected: String } => "`{key}` is `{value}`; it must be {expected}",
    /// A value breaks a constraint.
    N045 BreaksRule { key: String, value: String, rule: String } => "`{key}` is `{value}`, {rule}; change one of them",
    /// A pattern is not a regular expression.
    N046 BadPattern { pattern: String, reason: String } => "`{pattern}` is not a regular expression: {reason}",
    /// A field loosens its named type.
    N047 Looser { key: &'static str, value: String, type_name: String, limit: String } => "`{key}` is `{value}`, but type `{type_name}` says `{limit}`; a field can only tighten its type",
    /// Nobody can give a required field a value.
    N048 Unsettable { field: String, mode: &'static str } => "`{field}` is `required` and `{mode}`, so nobody can set it; add a `default` or drop one of the two",
    /// A type builds on one that is declared later.
    N049 DeclaredBelow { name: String } => "type `{name}` is declared below; move it above the type that builds on it",
    /// A field that nobody may see would be seen through a filter.
    N050 Reveals { key: &'static str, mode: &'static str } => "`{key}` would reveal a field that is `{mode}`; drop one of the two",
    /// The type of a reference is not the one of the ids it refers to.
    N051 WrongReferenceType { name: String, resource: String, id: &'static str } => "`{name}` is not the type of the ids of `{resource}`, which is `{id}`; drop `type`, for `references` implies it",
    /// A resource stands where a type belongs.
    N052 ResourceAsType { name: String } => "`{name}` is a resource, not a type; write `{{ references: {name} }}`",

    // N060 to N069: what crosses resources.
    /// There is no such resource.
    N060 UnknownResource { name: String, nearest: Nearest } => "unknown resource `{name}`{nearest}",
    /// A resource is nested in itself.
    N061 ParentCycle { cycle: Path } => "the parents go round in a circle: {cycle}; take one `parent` away",
    /// Required references go round in a circle.
    N062 RequiredCycle { cycle: Path } => "no first member could ever exist, each needs another: {cycle}; make one of the references optional",
    /// A required reference cannot become null.
    N063 CannotSetNull { field: String } => "`{field}` is required, so it cannot be set to null; use `restrict` or `cascade`",
    /// A route needs a parent.
    N064 NestedWithoutParent { routes: &'static str } => "`{routes}` routes need a `parent`, and there is none; add one or remove `routes`",
    /// There is no such field.
    N065 UnknownField { name: String, resource: String, nearest: Nearest } => "unknown field `{name}` of `{resource}`{nearest}",
    /// A field has no order.
    N066 Unordered { key: String, field: String, kind: &'static str } => "`{field}` is {kind}, which has no order, so it cannot stand in `{key}`; take it out",
    /// A chain of parents is longer than a URL may be deep.
    N067 TooNested { resource: String, maximum: usize } => "`{resource}` is nested below more than {maximum} parents; take one of the `parent`s away",
    /// The placeholders of a former path are not the ids of its collection.
    N068 WrongPlaceholders { path: String, expected: String } => "`{path}` must have {expected}, like the URL of its collection",
    /// A redirect leads to another.
    N069 RedirectsAgain { path: String, resource: String } => "`moved_to` leads to `{path}`, where `{resource}` redirects again; write the URL where it is served",

    // N070 to N079: what only a declaration in Rust can get wrong.
    /// An item with parameters.
    N070 Generic { name: String, what: &'static str } => "`{name}` has {what}, and a declaration is of one type; remove them",
    /// A derive on an item of another shape.
    N071 WrongItem { name: String, found: &'static str, advice: String } => "`{name}` {found}; {advice}",
    /// A Rust type that no field has.
    N072 UnfitRustType { written: String, advice: String } => "`{written}` cannot be the type of a field; {advice}",
    /// A struct without the field of its id.
    N073 MissingId { name: String, found: String } => "`{name}` needs the field `id: Id<Self>`, {found}; write it so",
    /// A struct without the field of its parent's id.
    N074 MissingParent { field: String, path: String, found: String } => "the parent `{path}` needs the field `{field}: Id<{path}>`, {found}; write it so",
    /// An attribute that is no list of keys and values.
    N075 AttributeSyntax { message: String } => "this attribute cannot be read: {message}",
    /// A key whose place is elsewhere in Rust.
    N076 ElsewhereInRust { key: String, advice: &'static str } => "`{key}` does not belong here: {advice}",
    /// A call whose argument is not written out.
    N077 NotWrittenOut { call: String, expected: &'static str } => "`{call}` needs {expected} here; write it out, for the text is read and not run",
    /// The text is not Rust.
    N078 RustSyntax { message: String } => "this is not Rust: {message}",
    /// An interface names an item that is not there.
    N079 UnknownItem { ident: String, derive: &'static str } => "no item `{ident}` with `#[derive({derive})]` stands in this file; add it or take the call away",

    // N080 to N089: what works, and may not be as expected.
    /// No index serves what a field promises.
    N080 Unindexed { what: &'static str, field: String, resource: String } => "no index serves {what} by `{field}`, so that they take longer the more members `{resource}` has; add `index: true` to `{field}`",
    /// A field has the name of a query parameter.
    N081 NamedLikeParameter { field: String } => "`{field}` is a query parameter of every collection, so only the long form `filter[{field}]=` reaches the field; rename it, or say `filterable: false`",
    /// A reference is called like the member that it points at.
    N082 NamedLikeMember { field: String, resource: String } => "`{field}` holds the id of a member of `{resource}` and is called like that member; name it `{field}_id`, or say by `as` what the member is called",

    // N090 to N098: what a program gets wrong beside its resources. A code may have several
    // sentences.
    /// Hooks of a resource that is not declared.
    N090 UnknownHooked { resource: String, nearest: Nearest } => "there are hooks for the unknown resource `{resource}`{nearest}",
    /// Hooks of a resource that is declared otherwise.
    N090 OtherHooked { resource: String } => "there are hooks for another declaration of `{resource}`; declare it once",
    /// A resource points at one that is declared otherwise.
    N090 OtherNeighbour { resource: String } => "it points at another declaration of `{resource}` than the one here; declare it once",
    /// Two structs of one resource have hooks.
    N090 HookedTwice { resource: String } => "two structs that declare `{resource}` have hooks; declare it once",
    /// Two handlers stand in place of one operation.
    N091 ReplacedTwice { operation: &'static str } => "`{operation}` is replaced twice; keep one of the two",
    /// A handler stands in place of an operation that there is not.
    N091 ReplacedUnoffered { operation: &'static str } => "`{operation}` is replaced, and `methods` does not offer it; add it there",
    /// A deletion of many would not call the handler of one.
    N091 ReplacedOneOfMany => "`delete` is replaced, and `delete_many` would go round it; take `delete_many` out of `methods`",
    /// A method that no route can have.
    N092 RouteMethod { path: String, method: String, known: String } => "the method of the route `{path}` is `{method}`; it must be one of {known}",
    /// A path that no route can have.
    N092 RoutePath { path: String, rule: String } => "the path of the route is `{path}`; it must be {rule}",
    /// A path that the system keeps.
    N092 RouteReserved { path: String } => "the route `{path}` is reserved: what the system itself serves stands there; choose another",
    /// Two placeholders of one name.
    N093 PlaceholderTwice { path: String, name: String } => "the route `{path}`: `{{{name}}}` stands there twice; rename one of the two",
    /// A placeholder at the place of a member has another name than its resource.
    N093 PlaceholderName { path: String, name: String, resource: String } => "the route `{path}`: `{{{name}}}` stands where a `{resource}` is named; write `{{{resource}}}`",
    /// A placeholder with the name of a resource stands elsewhere.
    N093 PlaceholderPlace { path: String, name: String, collection: String } => "the route `{path}`: `{{{name}}}` is a `{name}` only at `{collection}/{{{name}}}`; move or rename it",
    /// One request could mean a route and a resource.
    N094 RouteMeets { route: String, generated: String, resource: &'static str, instead: String } => "the route `{route}` meets the generated `{generated}` of `{resource}`; choose another path{instead}",
    /// One request could mean a route and a redirect.
    N094 RouteMeetsMoved { route: String, former: &'static str, resource: &'static str } => "the route `{route}` meets `{former}` in `moved_from` of `{resource}`; take one of the two away",
    /// Two routes have one method and one path.
    N095 RouteTwice { route: String } => "the route `{route}` is declared twice; keep one of the two",
    /// A slug is not spelled as slugs are.
    N096 BadSlug { slug: String } => "`{slug}` cannot be the slug of a problem: it is lower-case words of letters and digits joined by `-`",
    /// Two problems have one slug.
    N096 SlugTaken { slug: String } => "the problem `{slug}` is taken by another; choose another slug",
    /// A problem has a status of no error.
    N096 NoError { slug: String, status: u16 } => "the problem `{slug}` has the status {status}; it must be one from 400 to 599",
    /// The key of an extension is not one of the author's own.
    N097 BadExtension { name: String } => "`{name}` is no key of your own: those begin with `x-`",
    /// The value of an extension is not JSON.
    N097 ExtensionNotJson { name: String, reason: String } => "the value of `{name}` is not JSON: {reason}; a text needs its quotes",
    /// More resources than there are indices.
    N098 TooManyResources { maximum: usize } => "an interface has at most {maximum} resources; make two of it",
}

impl Problem {
    /// Whether the declaration works all the same.
    #[must_use]
    pub const fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::Unindexed { .. } | Self::NamedLikeParameter { .. } | Self::NamedLikeMember { .. }
        )
    }
}

/// The nearest known name, said as a question; empty where nothing is near.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nearest(pub Option<String>);

impl fmt::Display for Nearest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(name) => write!(formatter, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

/// Words that are allowed, said as a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(pub Vec<&'static str>);

impl fmt::Display for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, word) in self.0.iter().enumerate() {
            let separator = match index {
                0 => "",
                _ if index + 1 == self.0.len() => " or ",
                _ => ", ",
            };
            write!(formatter, "{separator}`{word}`")?;
        }
        Ok(())
    }
}

/// How many steps of a circle stand in a message.
const STEPS_MAX: usize = 8;

/// A circle of names, the first said again at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(pub Vec<String>);

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in self.0.iter().take(STEPS_MAX) {
            write!(formatter, "`{name}` → ")?;
        }
        if self.0.len() > STEPS_MAX {
            formatter.write_str("… → ")?;
        }
        match self.0.first() {
            Some(name) => write!(formatter, "`{name}`"),
            None => Ok(()),
        }
    }
}

/// How much of a text of the author's stands in a message.
const EXCERPT_CHARACTERS_MAX: usize = 60;

/// The beginning of a text, on one line, for messages.
///
/// ```
/// use nouns_declaration::problem::excerpt;
/// assert_eq!(excerpt("zoo"), "zoo");
/// assert_eq!(excerpt(&"z".repeat(61)), "z".repeat(60) + "…");
/// ```
#[must_use]
pub fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(EXCERPT_CHARACTERS_MAX).map(visible).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn visible(character: char) -> char {
    if character.is_control() { '\u{fffd}' } else { character }
}

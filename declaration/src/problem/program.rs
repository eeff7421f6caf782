//! The mistakes in the rest of a program, beside its declarations: hooks, routes, problem types and
//! templates. A code of these may have several messages.

/// Generates the table of all mistakes from those of declarations, which it is given.
macro_rules! with_program_problems {
    ($($of_declarations:tt)*) => {
        problems! {
        $($of_declarations)*

        // N090 to N099: mistakes in the rest of a program. A code may have several messages.
        /// Hooks are declared for a resource that is not declared.
        N090 UnknownHooked { resource: String, nearest: Suggestion } =>
            "there are hooks for the unknown resource `{resource}`{nearest}",
        /// Hooks belong to a declaration of a resource that is not the one in the API.
        N090 OtherHooked { resource: String } =>
            "the hooks are for a declaration of `{resource}` that is not part of this API; declare \
             `{resource}` once",
        /// A resource refers to a declaration of a resource that is not the one in the API.
        N090 OtherNeighbour { resource: String } =>
            "the resource refers to a declaration of `{resource}` that is not part of this API; \
             declare `{resource}` once",
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
            "the route `{path}`: `{{{name}}}` is a `{name}` only at `{collection}/{{{name}}}`; \
             move or rename it",
        /// A custom route and a URL of a resource match the same request.
        N094 RouteMeets {
            route: String,
            generated: String,
            resource: &'static str,
            instead: String,
        } =>
            "the route `{route}` conflicts with the generated `{generated}` of `{resource}`; \
             choose another path{instead}",
        /// A custom route and a redirect match the same request.
        N094 RouteMeetsMoved { route: String, former: &'static str, resource: &'static str } =>
            "the route `{route}` conflicts with `{former}` in `moved_from` of `{resource}`; remove \
             one of the two",
        /// Two custom routes have the same method and path.
        N095 RouteTwice { route: String } =>
            "the route `{route}` is declared twice; keep one of the two",
        /// The slug of a problem type has the wrong form.
        N096 BadSlug { slug: String } =>
            "`{slug}` cannot be the slug of a problem: it is lower-case words of letters and \
             digits joined by `-`",
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
        N099 BadTemplate { fault: String } => "{fault}",
        }
    };
}

pub(super) use with_program_problems;

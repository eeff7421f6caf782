//! Reads the Rust type of a field.

use super::reader::last;
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

/// A Rust type that a field can have.
pub(super) struct RustType {
    /// The type without `Option`.
    pub(super) inner: Type,
    pub(super) optional: bool,
    pub(super) values: Values,
}

/// The values that a Rust type can hold.
pub(super) enum Values {
    /// The values of a built-in type of the schema language.
    Plain(&'static str),
    /// Whole numbers between the bounds of a Rust integer type.
    Sized { rust: &'static str, minimum: i64, maximum: i64 },
    /// The ids of the resource with this path.
    Reference(syn::Path),
    /// The values of the custom field type with this path.
    Named(syn::Path),
}

/// A Rust type that a field cannot have, with advice.
pub(super) struct UnfitType {
    pub(super) at: proc_macro2::Span,
    pub(super) written: String,
    pub(super) advice: String,
}

/// The built-in types by the last segment of their Rust paths.
const PLAIN: &[(&str, &str)] = &[
    ("String", "string"),
    ("i64", "integer"),
    ("f64", "number"),
    ("bool", "boolean"),
    ("Decimal", "decimal"),
    ("Date", "date"),
    ("Time", "time"),
    ("Timestamp", "datetime"),
    ("Uuid", "uuid"),
    ("Json", "json"),
    ("Value", "json"),
    ("Password", "password"),
];

/// The integer types with fewer than 64 bits, with their bounds.
const SIZED: &[(&str, i64, i64)] = &[
    ("i8", i8::MIN as i64, i8::MAX as i64),
    ("i16", i16::MIN as i64, i16::MAX as i64),
    ("i32", i32::MIN as i64, i32::MAX as i64),
    ("u8", 0, u8::MAX as i64),
    ("u16", 0, u16::MAX as i64),
    ("u32", 0, u32::MAX as i64),
];

/// Types that a field cannot have, each with advice.
const REFUSED: &[(&[&str], &str)] = &[
    (&["u64", "u128", "i128", "usize", "isize", "Integer"], "write `i64`"),
    (&["f32", "Number"], "write `f64`"),
    (&["char", "str"], "write `String`"),
    (&["Boolean"], "write `bool`"),
    (&["Datetime"], "write `Timestamp`"),
    (&["Self"], "write `Id<Self>` to refer to another member"),
];

/// The advice for a type that holds several values.
const SEVERAL: &str = "write `Json`, or declare a resource that refers to this one";

/// The advice for a type with generic parameters.
const PARAMETERS: &str =
    "write a type without parameters, or declare one with `#[derive(FieldType)]`";

/// The generic types that hold several values.
const COLLECTIONS: &[&str] = &[
    "Vec",
    "VecDeque",
    "LinkedList",
    "HashMap",
    "BTreeMap",
    "IndexMap",
    "HashSet",
    "BTreeSet",
    "IndexSet",
];

/// Reads the type of a field, or returns why a field cannot have it.
pub(super) fn read(ty: &Type) -> Result<RustType, UnfitType> {
    let ty = bare(ty);
    match argument_of(ty, "Option") {
        Some(inner) => {
            let inner = bare(inner);
            match argument_of(inner, "Option") {
                Some(innermost) => Err(unfit(
                    ty,
                    format!(
                        "write `Option<{}>`, because there is only one null",
                        render_type(innermost)
                    ),
                )),
                None => values(inner).map(|values| RustType {
                    inner: inner.clone(),
                    optional: true,
                    values,
                }),
            }
        }
        None => values(ty).map(|values| RustType { inner: ty.clone(), optional: false, values }),
    }
}

/// Whether the type of a field is a custom field type or an `Option` of one.
pub(super) fn is_custom(ty: &Type) -> bool {
    read(ty).is_ok_and(|ty| matches!(ty.values, Values::Named(_)))
}

fn values(ty: &Type) -> Result<Values, UnfitType> {
    let path = match ty {
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Reference(reference) if is_str(&reference.elem) => {
            return Err(unfit(ty, "write `String`"));
        }
        Type::Array(_) | Type::Slice(_) | Type::Tuple(_) => return Err(unfit(ty, SEVERAL)),
        _ => {
            return Err(unfit(
                ty,
                "write one of the types of the language, or declare one with \
                 `#[derive(FieldType)]`",
            ));
        }
    };
    let name = last(path);
    if let Some(Type::Path(of)) = argument_of(ty, "Id").map(bare) {
        return Ok(Values::Reference(of.path.clone()));
    }
    // A type with a name in `COLLECTIONS`, but without parameters, is a custom field type.
    let has_parameters = path.segments.iter().any(|segment| !segment.arguments.is_none());
    if has_parameters && COLLECTIONS.contains(&name.as_str()) {
        return Err(unfit(ty, SEVERAL));
    }
    if let Some((_, advice)) = REFUSED.iter().find(|(names, _)| names.contains(&name.as_str())) {
        return Err(unfit(ty, *advice));
    }
    if name == "Id" {
        return Err(unfit(ty, "write `Id<…>` with the resource it refers to"));
    }
    if has_parameters {
        return Err(unfit(ty, PARAMETERS));
    }
    if let Some((rust, minimum, maximum)) = SIZED.iter().find(|(known, ..)| *known == name) {
        return Ok(Values::Sized { rust, minimum: *minimum, maximum: *maximum });
    }
    let plain = PLAIN.iter().find(|(rust, _)| *rust == name);
    Ok(plain.map_or_else(|| Values::Named(path.clone()), |(_, word)| Values::Plain(word)))
}

/// The generic argument of a type with this name. `None` unless the type has exactly one argument.
fn argument_of<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(argument)) if arguments.args.len() == 1 => Some(argument),
        _ => None,
    }
}

/// A type without parentheses and without the invisible groups of macros.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        _ => ty,
    }
}

fn is_str(ty: &Type) -> bool {
    matches!(bare(ty), Type::Path(path) if path.path.is_ident("str"))
}

fn unfit(ty: &Type, advice: impl Into<String>) -> UnfitType {
    UnfitType { at: ty.span(), written: render_type(ty), advice: advice.into() }
}

/// Writes a type without the spaces that `quote` adds.
pub(super) fn render_type(ty: &Type) -> String {
    let text = quote::quote!(#ty).to_string();
    [
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" :: ", "::"),
        (":: ", "::"),
        (" ,", ","),
        ("& ", "&"),
        (" ;", ";"),
    ]
    .iter()
    .fold(text, |text, (from, to)| text.replace(from, to))
}

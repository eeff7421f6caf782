//! A snapshot of the public interface of the crate `nouns`: the path of each item that a program
//! can name, with the methods, fields and variants of its types.
//!
//! It is read from the source. The names of types are unique within a crate, so an `impl` block
//! belongs to the type with its name. `INSTA_UPDATE=always` accepts a change.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use syn::{
    Attribute, Fields, ImplItem, Item, ItemMacro, ItemUse, Meta, TraitItem, Type, UseTree,
    Visibility,
};

use crate::tidy::{self, sources};

/// The crates whose items the facade names, each with the folder of its source. The runtime names
/// items of the declaration as its own.
const CRATES: [(&str, &str); 3] = [
    ("nouns_codegen", "codegen/src"),
    ("nouns_runtime", "declaration/src"),
    ("nouns_runtime", "runtime/src"),
];

/// The parts of each item that a program can name: methods, fields and variants.
#[derive(Default)]
struct PublicItems {
    /// The parts of an item, by its crate and its name.
    parts: BTreeMap<String, BTreeSet<String>>,
    /// The items of the modules that the facade names as a whole.
    modules: BTreeMap<String, BTreeSet<String>>,
    /// The crate whose items are being read.
    reading: &'static str,
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("doc") => list.tokens.to_string() == "hidden",
        Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string() == "test",
        _ => false,
    })
}

fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_hidden(attributes)
}

impl PublicItems {
    fn read() -> Self {
        let mut all = Self::default();
        for (path, of) in CRATES
            .iter()
            .flat_map(|(of, folder)| sources(folder).into_iter().map(move |path| (path, *of)))
        {
            all.reading = of;
            let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
            let module = path.file_stem().unwrap().to_string_lossy().into_owned();
            for item in &file.items {
                all.add(&module, item);
            }
        }
        all
    }

    fn part(&mut self, of: &str, part: &(impl ToString + ?Sized)) {
        let of = format!("{}::{of}", self.reading);
        self.parts.entry(of).or_default().insert(part.to_string());
    }

    fn add(&mut self, module: &str, item: &Item) {
        let (visibility, attributes, name) = match item {
            Item::Struct(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Enum(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Trait(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Const(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Fn(item) => (&item.vis, &item.attrs, &item.sig.ident),
            Item::Impl(item) if item.trait_.is_none() && !is_hidden(&item.attrs) => {
                return self.implementation(&item.self_ty, &item.items);
            }
            Item::Macro(item) => return self.kinds(item),
            _ => return,
        };
        if !is_public(visibility, attributes) {
            return;
        }
        let name = name.to_string();
        let module = format!("{}::{module}", self.reading);
        self.modules.entry(module).or_default().insert(name.clone());
        match item {
            Item::Struct(item) => {
                for field in &item.fields {
                    if let Some(field_name) = &field.ident
                        && is_public(&field.vis, &field.attrs)
                    {
                        self.part(&name, field_name);
                    }
                }
                if let Fields::Unnamed(fields) = &item.fields
                    && fields.unnamed.iter().any(|field| is_public(&field.vis, &field.attrs))
                {
                    self.part(&name, "0");
                }
            }
            Item::Enum(item) => {
                item.variants.iter().for_each(|variant| self.part(&name, &variant.ident));
            }
            Item::Trait(item) => {
                for member in &item.items {
                    match member {
                        TraitItem::Fn(one) if !is_hidden(&one.attrs) => {
                            self.part(&name, &format!("{}()", one.sig.ident));
                        }
                        TraitItem::Const(one) => self.part(&name, &one.ident),
                        TraitItem::Type(one) => self.part(&name, &one.ident),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn implementation(&mut self, of: &Type, items: &[ImplItem]) {
        let Type::Path(path) = of else { return };
        let name = path.path.segments.last().unwrap().ident.to_string();
        for item in items {
            match item {
                ImplItem::Fn(one) if is_public(&one.vis, &one.attrs) => {
                    self.part(&name, &format!("{}()", one.sig.ident));
                }
                ImplItem::Const(one) if is_public(&one.vis, &one.attrs) => {
                    self.part(&name, &one.ident);
                }
                ImplItem::Macro(one) if one.mac.path.is_ident("around") => {
                    for word in one.mac.tokens.clone() {
                        let word = word.to_string();
                        if word.starts_with("within_") || word.starts_with("after_") {
                            self.part(&name, &format!("{word}()"));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The built-in kinds of problems, which a macro generates.
    fn kinds(&mut self, item: &ItemMacro) {
        let Some(name) = item.mac.path.get_ident() else { return };
        if name != "kinds" {
            return;
        }
        for line in item.mac.tokens.to_string().split(';') {
            if let Some((kind, _)) = line.split_once('=') {
                self.part("Kind", kind.trim());
            }
        }
    }
}

/// The names of a `use` tree, each as the path to the item and the name that it gets.
fn leaves(tree: &UseTree, path: &str, found: &mut Vec<(String, String)>) {
    match tree {
        UseTree::Path(one) => leaves(&one.tree, &format!("{path}{}::", one.ident), found),
        UseTree::Group(group) => group.items.iter().for_each(|one| leaves(one, path, found)),
        UseTree::Name(one) if one.ident == "self" => {
            let name = path.trim_end_matches("::").rsplit("::").next().unwrap().to_owned();
            found.push((path.to_owned(), name));
        }
        UseTree::Name(one) => found.push((format!("{path}{}", one.ident), one.ident.to_string())),
        UseTree::Rename(one) => {
            found.push((format!("{path}{}", one.ident), one.rename.to_string()));
        }
        UseTree::Glob(_) => panic!("the facade names each item"),
    }
}

fn uses(items: &[Item], at: &str, found: &mut Vec<(String, String)>) {
    for item in items {
        match item {
            Item::Use(ItemUse { vis: Visibility::Public(_), attrs, tree, .. })
                if !is_hidden(attrs) =>
            {
                let mut names = vec![];
                leaves(tree, "", &mut names);
                found.extend(names.into_iter().map(|(of, name)| (of, format!("{at}::{name}"))));
            }
            Item::Mod(module) if is_public(&module.vis, &module.attrs) => {
                let at = format!("{at}::{}", module.ident);
                match &module.content {
                    Some((_, items)) => uses(items, &at, found),
                    None => found.push((String::new(), at)),
                }
            }
            _ => {}
        }
    }
}

#[test]
fn the_public_interface_is_the_one_that_programs_know() {
    let facade = fs::read_to_string(tidy::root().join("src/lib.rs")).unwrap();
    let facade = syn::parse_file(&facade).unwrap();
    let (items, mut found) = (PublicItems::read(), vec![]);
    uses(&facade.items, "nouns", &mut found);
    let mut lines = BTreeSet::new();
    for (of, path) in found {
        lines.insert(path.clone());
        let (of, name) = (of.split("::").next().unwrap(), path.rsplit("::").next().unwrap());
        let key = format!("{of}::{name}");
        let members = items.modules.get(&key).filter(|_| !items.parts.contains_key(&key));
        let parts = members.into_iter().chain(items.parts.get(&key)).flatten();
        lines.extend(parts.map(|part| format!("{path}::{part}")));
    }
    let text = lines.into_iter().collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(text);
}

//! Paths that have moved for good: asked only after every path that is served.

use percent_encoding::percent_decode_str;

use super::{FieldIx, ResourceIx, ResourceModel};
use crate::model::def::Routes;

/// Every former path, those that say most first.
#[derive(Debug, Default)]
pub(crate) struct Redirects(Box<[FormerPath]>);

/// A former path of a collection.
#[derive(Debug)]
struct FormerPath {
    /// It, as it was declared.
    path: &'static str,
    /// Whose it was.
    resource: &'static str,
    /// Its segments; nothing where an id stands.
    segments: Box<[Option<&'static str>]>,
    /// The path of the collection, in parts between which the ids stand.
    to: Box<[String]>,
}

impl Redirects {
    /// The former paths of all resources.
    pub(super) fn of(resources: &[ResourceModel]) -> Self {
        let paths = resources
            .iter()
            .flat_map(|one| one.def.moved_from.iter().map(move |path| (one, *path)));
        let mut formers: Vec<_> =
            paths.map(|(one, path)| FormerPath::of(resources, one, path)).collect();
        // A longer path goes before a shorter one, and a word before an id.
        formers.sort_by_cached_key(|former| {
            let ids: Vec<bool> = former.segments.iter().map(Option::is_none).collect();
            (std::cmp::Reverse(ids.len()), ids)
        });
        Self(formers.into())
    }

    /// The former path with these segments, where ids are nothing, and whose it was.
    pub(crate) fn shaped(&self, path: &[Option<String>]) -> Option<(&'static str, &'static str)> {
        let same = |former: &&FormerPath| {
            former.segments.iter().copied().eq(path.iter().map(Option::as_deref))
        };
        self.0.iter().find(same).map(|former| (former.path, former.resource))
    }

    /// The path to which one has moved that is not served, still encoded as it came, and whose it
    /// was.
    pub(crate) fn find(&self, path: &str) -> Option<(String, &'static str)> {
        self.0.iter().find_map(|former| Some((former.redirect(path)?, former.resource)))
    }
}

impl FormerPath {
    fn of(resources: &[ResourceModel], resource: &ResourceModel, path: &'static str) -> Self {
        let segment = |segment: &'static str| (!segment.starts_with('{')).then_some(segment);
        let segments: Box<[_]> = path.trim_start_matches('/').split('/').map(segment).collect();
        let to = match segments.iter().any(Option::is_none) {
            true => canonical(resources, resource),
            false => vec![format!("/{}", resource.def.collection)],
        };
        Self { path, resource: resource.def.name, segments, to: to.into() }
    }

    /// Where a path is now that is this one, or below it.
    fn redirect(&self, path: &str) -> Option<String> {
        let mut rest = path;
        let mut ids = vec![];
        for expected in &self.segments {
            let after = rest.strip_prefix('/')?;
            let (segment, below) = after.split_at(after.find('/').unwrap_or(after.len()));
            match expected {
                Some(word) if percent_decode_str(segment).eq(word.bytes()) => {}
                Some(_) => return None,
                None => ids.push(segment),
            }
            rest = below;
        }
        let mut moved = String::with_capacity(path.len() + 64);
        for (at, part) in self.to.iter().enumerate() {
            moved.push_str(part);
            moved.push_str(ids.get(at).copied().unwrap_or_default());
        }
        Some(moved + rest)
    }
}

/// The canonical path of a collection, in parts between which the ids of the ancestors stand.
fn canonical(resources: &[ResourceModel], of: &ResourceModel) -> Vec<String> {
    let above: Option<(ResourceIx, FieldIx)> = of.parent.filter(|_| of.def.routes != Routes::Flat);
    let mut parts = above.map_or_else(Vec::new, |(parent, _)| {
        canonical(resources, &resources[usize::from(parent.0)])
    });
    if let Some(last) = parts.last_mut() {
        last.push('/');
    }
    parts.push(format!("/{}", of.def.collection));
    parts
}

//! Redirects from former paths of collections. A request path is compared with them only if it is
//! not routed.

use percent_encoding::percent_decode_str;

use super::{FieldIx, ResourceIx, ResourceModel};

/// The former paths of all collections, the most specific first.
#[derive(Debug, Default)]
pub(crate) struct Redirects(Box<[FormerPath]>);

/// A former path of a collection.
#[derive(Debug)]
struct FormerPath {
    /// The path as the schema declares it.
    path: &'static str,
    /// The name of the resource of the collection.
    resource: &'static str,
    /// The segments of the path; `None` for an id.
    segments: Box<[Option<&'static str>]>,
    /// The parts of the collection's current path. The ids of the ancestors go between the parts.
    to: Box<[String]>,
}

impl Redirects {
    /// Collects the former paths of all resources.
    pub(super) fn of(resources: &[ResourceModel]) -> Self {
        let paths = resources
            .iter()
            .flat_map(|one| one.def.moved_from.iter().map(move |path| (one, *path)));
        let mut formers: Vec<_> =
            paths.map(|(one, path)| FormerPath::of(resources, one, path)).collect();
        // A longer path precedes a shorter path, and a literal segment precedes an id.
        formers.sort_by_cached_key(|former| {
            let ids: Vec<bool> = former.segments.iter().map(Option::is_none).collect();
            (std::cmp::Reverse(ids.len()), ids)
        });
        Self(formers.into())
    }

    /// Returns the former path with these segments, and the name of its resource; `None` if there
    /// is none. A segment that is an id is `None`.
    pub(crate) fn shaped(&self, path: &[Option<String>]) -> Option<(&'static str, &'static str)> {
        let same = |former: &&FormerPath| {
            former.segments.iter().copied().eq(path.iter().map(Option::as_deref))
        };
        self.0.iter().find(same).map(|former| (former.path, former.resource))
    }

    /// Returns the current path for a request path below a former path, and the name of the
    /// resource. The current path is still percent-encoded.
    pub(crate) fn find(&self, path: &str) -> Option<(String, &'static str)> {
        self.0.iter().find_map(|former| Some((former.redirect(path)?, former.resource)))
    }
}

impl FormerPath {
    fn of(resources: &[ResourceModel], resource: &ResourceModel, path: &'static str) -> Self {
        let segment = |segment: &'static str| (!segment.starts_with('{')).then_some(segment);
        let segments: Box<[_]> = path.trim_start_matches('/').split('/').map(segment).collect();
        let ids = segments.iter().filter(|segment| segment.is_none()).count();
        let to = path_with(resources, resource, ids);
        Self { path, resource: resource.def.name, segments, to: to.into() }
    }

    /// Returns the current path for a request path that is equal to this former path or below it.
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

/// The path of a collection that has this number of ids, in parts. The ids of the nearest ancestors
/// belong between the parts. The checker has seen that the collection has such a path.
fn path_with(resources: &[ResourceModel], of: &ResourceModel, ids: usize) -> Vec<String> {
    let above: Option<(ResourceIx, FieldIx)> = of.parent.filter(|_| ids > 0);
    let mut parts = above.map_or_else(Vec::new, |(parent, _)| {
        path_with(resources, &resources[usize::from(parent.0)], ids - 1)
    });
    if let Some(last) = parts.last_mut() {
        last.push('/');
    }
    parts.push(format!("/{}", of.def.collection));
    parts
}

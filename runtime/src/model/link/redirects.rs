//! Paths that have moved, beside those that are served: every path leads to one place, in one step.

use super::Linker;
use crate::model::{
    LinkProblem,
    def::{ResourceDef, Routes},
};

/// A segment of the URL of a collection or member.
#[derive(Clone, PartialEq)]
enum Segment {
    Word(&'static str),
    /// The id of a member of this resource, or of any where it is a former path.
    Id(&'static str),
}

/// A path that is served, or that redirects.
struct Line {
    path: Vec<Segment>,
    resource: &'static str,
}

impl Linker {
    /// Checks former paths, and that no redirect leads to another; parents are known and in no circle.
    pub(super) fn check_redirects(&mut self) {
        let resources = self.api.resources;
        if !resources.iter().any(|def| !def.moved_from.is_empty() || def.moved_to.is_some()) {
            return;
        }
        let served: Vec<Line> = resources.iter().flat_map(|def| self.served(def)).collect();
        let mut moving: Vec<Line> = vec![];
        for def in resources {
            for path in def.moved_from {
                let problem = self.misplaced(path, def).or_else(|| claim(path, def, &served, &mut moving));
                self.problems.extend(problem);
            }
        }
        for def in resources.iter().filter(|def| def.moved_to.is_some()) {
            moving.extend(self.lines(def).into_iter().map(|path| Line { path, resource: def.name }));
        }
        self.problems.extend(resources.iter().filter_map(|def| endless(def, &moving)));
    }

    /// The URLs of a collection, the canonical one first.
    fn lines(&self, def: &'static ResourceDef) -> Vec<Vec<Segment>> {
        let own = Segment::Word(def.collection);
        let mut lines = vec![];
        let above = def.parent.filter(|_| def.routes != Routes::Flat);
        if let Some(parent) = above.and_then(|parent| self.names.get(parent.resource)) {
            let parent = self.api.resources[usize::from(parent.0)];
            for mut line in self.lines(parent) {
                line.extend([Segment::Id(parent.name), own.clone()]);
                lines.push(line);
            }
        }
        if def.parent.is_none() || def.routes != Routes::Nested {
            lines.push(vec![own]);
        }
        lines
    }

    /// The URLs of the collection and of a member.
    fn served(&self, def: &'static ResourceDef) -> Vec<Line> {
        let both = self.lines(def).into_iter().flat_map(|line| {
            let member = [line.clone(), vec![Segment::Id(def.name)]].concat();
            [line, member]
        });
        both.map(|path| Line { path, resource: def.name }).collect()
    }

    /// What is wrong with the placeholders of a former path: they are the ids in the canonical URL, or none where there
    /// is a URL at the top.
    fn misplaced(&self, path: &'static str, def: &'static ResourceDef) -> Option<LinkProblem> {
        let mut good: Vec<_> = self.lines(def).first().map(|line| ids(line)).into_iter().collect();
        if def.routes == Routes::Both {
            good.push(vec![]);
        }
        let given = segments(path).into_iter().filter_map(|segment| match segment {
            Segment::Id(name) => Some(name.to_owned()),
            Segment::Word(_) => None,
        });
        if good.contains(&given.collect()) {
            return None;
        }
        let expected = good.iter().map(|ids| listed(ids)).collect::<Vec<_>>().join(" or ");
        let detail = format!("`{path}` must have {expected}, like the URL of its collection");
        Some(LinkProblem::of("N068", def.name, detail))
    }
}

fn segments(path: &'static str) -> Vec<Segment> {
    let placeholder = |segment: &'static str| segment.strip_prefix('{')?.strip_suffix('}');
    let segment = |segment| placeholder(segment).map_or(Segment::Word(segment), Segment::Id);
    path.trim_start_matches('/').split('/').map(segment).collect()
}

/// The names of the ids in a URL.
fn ids(line: &[Segment]) -> Vec<String> {
    let name = |segment: &Segment| match segment {
        Segment::Id(resource) => Some(format!("{resource}_id")),
        Segment::Word(_) => None,
    };
    line.iter().filter_map(name).collect()
}

fn listed(ids: &[String]) -> String {
    let names = ids.iter().map(|id| format!("`{{{id}}}`")).collect::<Vec<_>>().join(", ");
    match ids {
        [] => "no placeholder".into(),
        [_] => format!("the placeholder {names}"),
        _ => format!("the placeholders {names}"),
    }
}

/// Takes a former path, or says what stands there.
fn claim(
    path: &'static str,
    def: &ResourceDef,
    served: &[Line],
    moving: &mut Vec<Line>,
) -> Option<LinkProblem> {
    let former = segments(path);
    let by = |other: &Line| format!("resource `{}`", other.resource);
    let taken = served.iter().find(|line| line.meets(&former)).map(by).or_else(|| {
        let other = moving.iter().find(|other| other.is_shaped_like(&former))?;
        Some(format!("`moved_from` of {}", by(other)))
    });
    let Some(by) = taken else {
        moving.push(Line { path: former, resource: def.name });
        return None;
    };
    let detail = format!("the path `{path}` is taken by {by}; choose another");
    Some(LinkProblem::of("N033", def.name, detail))
}

/// That what a resource has moved to redirects again.
fn endless(def: &ResourceDef, moving: &[Line]) -> Option<LinkProblem> {
    let path = def.moved_to.filter(|to| to.starts_with('/'))?;
    let other = moving.iter().find(|other| other.leads(&segments(path)))?.resource;
    let detail = format!(
        "`moved_to` leads to `{path}`, where `{other}` redirects again; write the URL where it is served"
    );
    Some(LinkProblem::of("N069", def.name, detail))
}

impl Line {
    /// Whether a path is this one: where an id stands, anything may.
    fn meets(&self, path: &[Segment]) -> bool {
        self.path.len() == path.len() && self.leads(path)
    }

    /// Whether a path is this one, or below it.
    fn leads(&self, path: &[Segment]) -> bool {
        let one = |(own, given): (&Segment, &Segment)| matches!(own, Segment::Id(_)) || own == given;
        self.path.len() <= path.len() && self.path.iter().zip(path).all(one)
    }

    /// Whether two paths differ in the names of their placeholders at most.
    fn is_shaped_like(&self, path: &[Segment]) -> bool {
        let id = |segment: &Segment| matches!(segment, Segment::Id(_));
        self.path.len() == path.len()
            && self.path.iter().zip(path).all(|(own, other)| own == other || (id(own) && id(other)))
    }
}

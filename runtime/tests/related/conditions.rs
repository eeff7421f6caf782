//! Short constructors of conditions over relations.

use nouns_runtime::{
    Model,
    model::{
        ConditionTree, RelatedRows, RelationIx, RelationKind, ResourceIx, RuleSet, TestSubject,
    },
};

/// The names of a model, as the server itself knows them.
#[derive(Clone, Copy)]
pub(crate) struct Names<'m>(pub(crate) &'m Model);

impl Names<'_> {
    pub(crate) fn resource(self, name: &str) -> ResourceIx {
        self.0.resources().iter().find(|resource| resource.def.name == name).unwrap().ix
    }

    /// A field, or a path to one.
    pub(crate) fn subject<V>(self, of: ResourceIx, path: &str) -> TestSubject<V> {
        self.0.seen(RuleSet::NONE).path(of, path).unwrap().into()
    }

    /// The rows behind relations, of which the last leads to several.
    pub(crate) fn rows<V>(
        self,
        of: ResourceIx,
        relations: &str,
        test: ConditionTree<V>,
    ) -> Box<RelatedRows<V>> {
        let (mut at, mut steps) = (of, vec![]);
        for name in relations.split('.') {
            let step = self.0.seen(RuleSet::NONE).relation(at, name).unwrap();
            steps.push(step);
            at = self.0[at][step].target;
        }
        let relation = steps.pop().unwrap();
        Box::new(RelatedRows { steps: steps.into(), relation, target: at, test })
    }

    /// The relations of a resource to several rows, or those to one.
    pub(crate) fn relations(self, of: ResourceIx, to_many: bool) -> Vec<(RelationIx, ResourceIx)> {
        let all = (0..).map(RelationIx).zip(&self.0[of].relations);
        let fits = |kind| matches!(kind, RelationKind::Many(_)) == to_many;
        all.filter(|(_, one)| fits(one.kind)).map(|(ix, one)| (ix, one.target)).collect()
    }
}

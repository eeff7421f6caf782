//! Typed filters and orders, compared with an oracle: a simple implementation on members in memory.

use std::cmp::Ordering;

use nouns_runtime::typed::{Condition, Member, Order, Query};
use proptest::prelude::*;

use super::{
    bed::{Bed, keeper, wait},
    staff::{Keeper, KeeperFields, NewKeeper},
};

/// A condition in a form that the tests convert to a typed condition, and that the oracle
/// evaluates.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Name(Op, String),
    NameIn(bool, Vec<String>),
    Badge(Op, String),
    BadgeNull(bool),
    Limit(Op, i32),
    LimitIn(bool, Vec<i32>),
    LimitBetween(i32, i32),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Contains,
    StartsWith,
    EndsWith,
}

const TEXT: [Op; 9] =
    [Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Contains, Op::StartsWith, Op::EndsWith];

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a", "A", "b", "ab", "Ba", "ä", "a,b", r"a\", "%25&=+"])
        .prop_map(Into::into)
}

pub(crate) fn leaf() -> impl Strategy<Value = Expr> {
    let text = || prop::sample::select(TEXT.to_vec());
    let number = || -1..4;
    prop_oneof![
        (text(), word()).prop_map(|(op, word)| Expr::Name(op, word)),
        (any::<bool>(), prop::collection::vec(word(), 0..4))
            .prop_map(|(is, words)| Expr::NameIn(is, words)),
        (text(), word()).prop_map(|(op, word)| Expr::Badge(op, word)),
        any::<bool>().prop_map(Expr::BadgeNull),
        (prop::sample::select(TEXT[..6].to_vec()), number())
            .prop_map(|(op, of)| Expr::Limit(op, of)),
        (any::<bool>(), prop::collection::vec(number(), 0..4))
            .prop_map(|(is, of)| Expr::LimitIn(is, of)),
        (number(), number()).prop_map(|(from, to)| Expr::LimitBetween(from, to)),
    ]
}

pub(crate) fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(4, 16, 2, |inner| {
        let pair = (inner.clone(), inner.clone())
            .prop_map(|(one, other)| (Box::new(one), Box::new(other)));
        prop_oneof![
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
            pair.clone().prop_map(|(one, other)| Expr::And(one, other)),
            pair.prop_map(|(one, other)| Expr::Or(one, other)),
        ]
    })
}

impl Expr {
    pub(crate) fn condition(&self, k: &KeeperFields) -> Condition<Keeper> {
        match self {
            Self::Name(op, word) => text(k.name, *op, word),
            Self::NameIn(true, words) => k.name.one_of(words.clone()),
            Self::NameIn(false, words) => k.name.none_of(words.clone()),
            Self::Badge(op, word) => text(k.badge, *op, word),
            Self::BadgeNull(true) => k.badge.is_null(),
            Self::BadgeNull(false) => k.badge.is_not_null(),
            Self::Limit(Op::Eq, of) => k.limit.eq(*of),
            Self::Limit(Op::Ne, of) => k.limit.ne(*of),
            Self::Limit(Op::Lt, of) => k.limit.lt(*of),
            Self::Limit(Op::Le, of) => k.limit.le(*of),
            Self::Limit(Op::Gt, of) => k.limit.gt(*of),
            Self::Limit(_, of) => k.limit.ge(*of),
            Self::LimitIn(true, of) => k.limit.one_of(of.clone()),
            Self::LimitIn(false, of) => k.limit.none_of(of.clone()),
            Self::LimitBetween(from, to) => k.limit.between(*from, *to),
            Self::Not(inner) => !inner.condition(k),
            Self::And(one, other) => one.condition(k) & other.condition(k),
            Self::Or(one, other) => one.condition(k) | other.condition(k),
        }
    }

    fn holds(&self, keeper: &Keeper) -> bool {
        let name = |word: &str| Some((keeper.name.to_ascii_lowercase(), word.to_ascii_lowercase()));
        let badge = |word: &str| keeper.badge.clone().map(|badge| (badge, word.to_owned()));
        match self {
            Self::Name(op, word) => passes(*op, name(word)),
            Self::NameIn(is, words) => *is == words.iter().any(|word| passes(Op::Eq, name(word))),
            Self::Badge(op, word) => passes(*op, badge(word)),
            Self::BadgeNull(is) => *is == keeper.badge.is_none(),
            Self::Limit(op, of) => compares(*op, keeper.limit.map(|limit| limit.cmp(of))),
            Self::LimitIn(is, of) => *is == keeper.limit.is_some_and(|limit| of.contains(&limit)),
            Self::LimitBetween(from, to) => {
                keeper.limit.is_some_and(|limit| (*from..=*to).contains(&limit))
            }
            Self::Not(inner) => !inner.holds(keeper),
            Self::And(one, other) => one.holds(keeper) && other.holds(keeper),
            Self::Or(one, other) => one.holds(keeper) || other.holds(keeper),
        }
    }
}

fn text(field: nouns_runtime::v1::Field<Keeper, String>, op: Op, word: &str) -> Condition<Keeper> {
    match op {
        Op::Eq => field.eq(word),
        Op::Ne => field.ne(word),
        Op::Lt => field.lt(word),
        Op::Le => field.le(word),
        Op::Gt => field.gt(word),
        Op::Ge => field.ge(word),
        Op::Contains => field.contains(word),
        Op::StartsWith => field.starts_with(word),
        Op::EndsWith => field.ends_with(word),
    }
}

fn passes(op: Op, texts: Option<(String, String)>) -> bool {
    match (op, &texts) {
        (Op::Contains, Some((text, part))) => text.contains(part.as_str()),
        (Op::StartsWith, Some((text, part))) => text.starts_with(part.as_str()),
        (Op::EndsWith, Some((text, part))) => text.ends_with(part.as_str()),
        _ => compares(op, texts.map(|(one, other)| one.cmp(&other))),
    }
}

fn compares(op: Op, order: Option<Ordering>) -> bool {
    match op {
        Op::Ne => order != Some(Ordering::Equal),
        Op::Eq => order == Some(Ordering::Equal),
        Op::Lt => order.is_some_and(Ordering::is_lt),
        Op::Le => order.is_some_and(Ordering::is_le),
        Op::Gt => order.is_some_and(Ordering::is_gt),
        Op::Ge => order.is_some_and(Ordering::is_ge),
        _ => false,
    }
}

/// A key of a sort order: the number of the field, and whether the order is descending.
pub(crate) type Key = (u8, bool);

pub(crate) fn keys() -> impl Strategy<Value = Vec<Key>> {
    prop::sample::subsequence(vec![0, 1, 2, 3, 4], 0..4).prop_shuffle().prop_flat_map(|fields| {
        fields.into_iter().map(|field| (Just(field), any::<bool>())).collect::<Vec<_>>()
    })
}

pub(crate) fn orders(k: &KeeperFields, keys: &[Key]) -> Vec<Order<Keeper>> {
    let order = |key: &Key| match key {
        (0, false) => k.name.asc(),
        (0, true) => k.name.desc(),
        (1, false) => k.badge.asc(),
        (1, true) => k.badge.desc(),
        (2, false) => k.limit.asc(),
        (2, true) => k.limit.desc(),
        (3, false) => k.rank.asc(),
        (3, true) => k.rank.desc(),
        (_, false) => k.id.asc(),
        (_, true) => k.id.desc(),
    };
    keys.iter().map(order).collect()
}

/// Compares two members by the keys, or by the declared order if there are no keys.
fn compare(one: &Keeper, other: &Keeper, keys: &[Key]) -> Ordering {
    let keys = if keys.is_empty() { &[(3, true)] } else { keys };
    let by = |(field, descending): &Key| match field {
        0 => directed(
            Some(one.name.to_ascii_lowercase()),
            Some(other.name.to_ascii_lowercase()),
            *descending,
        ),
        1 => directed(one.badge.clone(), other.badge.clone(), *descending),
        2 => directed(one.limit, other.limit, *descending),
        3 => directed(Some(one.rank), Some(other.rank), *descending),
        _ => directed(Some(one.id.clone()), Some(other.id.clone()), *descending),
    };
    let turned = keys.last().is_some_and(|(_, descending)| *descending);
    let by_id = || if turned { other.id.cmp(&one.id) } else { one.id.cmp(&other.id) };
    keys.iter().map(by).find(|order| order.is_ne()).unwrap_or_else(by_id)
}

fn directed<T: Ord>(one: Option<T>, other: Option<T>, descending: bool) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) if descending => other.cmp(&one),
        (Some(one), Some(other)) => one.cmp(&other),
        (one, other) => one.is_none().cmp(&other.is_none()),
    }
}

/// Keepers for the tests. Many have equal values, and many have fields without a value.
pub(crate) fn keepers() -> Vec<NewKeeper> {
    let names = ["a", "ab", "Ba", "ä", "B", "C", "a,b", r"A\", "%25&=+", "", "z", "ZZ"];
    let badges = [None, Some("a"), Some("A"), Some("ab"), Some("a,b")];
    let new = |(at, name): (usize, &&str)| NewKeeper {
        badge: badges[at % badges.len()].map(Into::into),
        limit: [None, Some(0), Some(1), Some(2)][at % 4],
        rank: Some([1, 2, 3][at % 3]),
        ..keeper(&format!("k{}", at * 7 % 12), name)
    };
    names.iter().enumerate().map(new).collect()
}

pub(crate) fn filled() -> (Bed, Vec<Keeper>) {
    let bed = Bed::new();
    let members = wait(bed.store.of::<Keeper>().create_many(keepers())).unwrap();
    (bed, members.into_iter().map(Member::into_inner).collect())
}

#[test]
fn every_condition_finds_what_the_oracle_finds_in_its_order() {
    let (bed, all) = filled();
    let keepers = bed.store.of::<Keeper>();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(400));
    let strategy = (expr(), keys(), 1u32..6, 0u64..4);
    let outcome = runner.run(&strategy, |(expr, keys, limit, offset)| {
        let mut expected: Vec<_> =
            all.iter().filter(|keeper| expr.holds(keeper)).cloned().collect();
        expected.sort_by(|one, other| compare(one, other, &keys));
        let query = Query::<Keeper>::new()
            .filter(|k| expr.condition(k))
            .sort(|k| orders(k, &keys))
            .limit(limit)
            .offset(offset)
            .count();
        let page = wait(keepers.list(&query)).unwrap();
        prop_assert_eq!(page.total, Some(expected.len() as u64));
        let found: Vec<_> = page.into_iter().map(Member::into_inner).collect();
        let window = expected.into_iter().skip(offset.try_into().unwrap()).take(limit as usize);
        prop_assert_eq!(found, window.collect::<Vec<_>>());
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn conditions_that_ask_the_same_are_equal() {
    let k = <Keeper as nouns_runtime::Resource>::FIELDS;
    let (a, b, c) = (|| k.name.eq("a"), || k.rank.gt(2), || k.badge.is_null());
    assert_eq!(a() & b() & c(), c() & (b() & a()));
    assert_eq!(a() | b() | c(), c() | (b() | a()));
    assert_eq!(a() & a(), a());
    assert_eq!(!!b(), b());
    assert_eq!(!a(), k.name.ne("a"));
    assert_eq!(!(a() & !b()), !a() | b());
    assert_eq!(a() | k.name.eq("b"), k.name.one_of(["b", "a", "b"]));
    assert_eq!(!(a() | k.name.eq("b")), k.name.ne("a") & k.name.ne("b"));
    assert_eq!(k.name.one_of(["a"]), a());
    assert_eq!(k.name.none_of(<[&str; 0]>::default()) & a(), a());
    assert_eq!(k.name.one_of(<[&str; 0]>::default()) | a(), a());
    assert_ne!(a() & k.name.eq("b"), a() | k.name.eq("b"));
    assert_eq!(
        format!("{}", !(b() & c()) | a()),
        r#"name eq "a" or badge is not null or not (rank gt 2)"#
    );
}

//! Access rules in typed calls. Calls of the program itself see all rows. Calls on behalf of a
//! caller see only the rows that the rules allow.

use std::sync::Arc;

use nouns_runtime::{
    Api, Error, Id, Model, Store,
    identify::Caller,
    model::{
        Op, RuleSet,
        rule::{ResourceRules, Rule, RuleTest, RuleValue},
    },
    typed::Query,
    value::Value,
};

use crate::{
    hooks::bed::Bed,
    store::bed::wait,
    typed::zoo::{Animal, NewAnimal, NewZoo, Zoo, ZooPatch},
};

/// A model with a rule for anonymous callers: zoos in the city `secret` and the animals of these
/// zoos are hidden.
fn ruled(api: Api) -> Arc<Model> {
    let model = Arc::into_inner(api.build().unwrap()).unwrap();
    let secret = |of, path| RuleTest::Test {
        subject: model.seen(RuleSet::NONE).path(of, path).unwrap().into(),
        op: Op::Eq,
        values: vec![RuleValue::Fixed(Value::Text("secret".into()))],
    };
    let [zoo, animal, ..] = model.resources() else {
        panic!("the model must have the resources zoo and animal")
    };
    let not = |test| RuleTest::Not(Box::new(test));
    let zoos = Rule::new(&model, zoo.ix, not(secret(zoo.ix, "city")));
    let animals = Rule::new(&model, animal.ix, not(secret(animal.ix, "zoo.city")));
    let visible = |rule| ResourceRules { read: Some(rule), ..ResourceRules::default() };
    Arc::new(model.with_rules(vec![visible(zoos), visible(animals)]))
}

fn api() -> Api {
    Api::new("Zoos with secrets").resource::<Zoo>().resource::<Animal>()
}

async fn zoo(store: &Store, name: &str, city: &str) -> Id<Zoo> {
    let new = NewZoo { city: Some(city.into()), ..NewZoo::new(name.into()) };
    store.of::<Zoo>().create(new).await.unwrap().id
}

async fn names(store: &Store) -> Vec<String> {
    let page = store.of::<Zoo>().list(&Query::new().count()).await.unwrap();
    assert_eq!(page.total, Some(page.members.len() as u64));
    page.members.iter().map(|zoo| zoo.name.clone()).collect()
}

fn status<T>(result: Result<T, Error>) -> u16 {
    result.err().map_or(200, |error| error.status().as_u16())
}

#[test]
fn a_store_is_the_system_until_it_acts_as_a_caller() {
    wait(async {
        let bed = Bed::of(&ruled(api()));
        let system = &bed.store;
        let (open, shut) = (zoo(system, "Open", "Bonn").await, zoo(system, "Shut", "secret").await);
        let animals = system.of::<Animal>().within(shut);
        let eve = animals.create(NewAnimal::new("Eve".into())).await.unwrap().id;
        assert_eq!(system.caller(), &Caller::System);
        assert_eq!(names(system).await, ["Open", "Shut"]);

        let anybody = system.acting_as(&Caller::Anonymous);
        assert_eq!(names(&anybody).await, ["Open"]);
        assert_eq!(status(anybody.of::<Zoo>().get(open).await), 200);
        let patch = || ZooPatch { name: "Mine".to_owned().into(), ..ZooPatch::default() };
        assert_eq!(status(anybody.of::<Zoo>().get(shut).await), 404);
        assert_eq!(status(anybody.of::<Zoo>().update(shut, patch()).await), 404);
        assert_eq!(
            status(anybody.of::<Zoo>().replace(shut, NewZoo::new("Mine".into())).await),
            404
        );
        assert_eq!(status(anybody.of::<Zoo>().delete(shut).await), 404);
        let within = anybody.of::<Animal>().within(shut);
        assert_eq!(status(within.create(NewAnimal::new("Mine".into())).await), 404);
        assert_eq!(status(within.list(&Query::new()).await), 404);
        assert_eq!(status(within.get(eve).await), 404);

        assert_eq!(names(&anybody.as_system()).await, ["Open", "Shut"]);
        assert_eq!(animals.list(&Query::new()).await.unwrap().members.len(), 1);
    });
}

#[test]
fn what_a_request_reaches_acts_as_its_caller_unless_it_says_otherwise() {
    let seen = |api: Api| {
        api.hooks::<Animal>(|hooks| {
            let hooks = hooks.before_create(|context, new: NewAnimal| async move {
                assert_eq!(context.caller(), &Caller::Anonymous);
                assert_eq!(names(context.store()).await, ["Open"]);
                assert_eq!(names(&context.store().as_system()).await, ["Open", "Shut"]);
                Ok(new)
            });
            hooks.within_create(|tx, _| {
                let seen = tx.as_caller().of::<Zoo>().list(&Query::new())?.members.len();
                let there = tx.as_system().of::<Zoo>().list(&Query::new())?.members.len();
                assert_eq!((seen, there), (1, 2));
                Ok(())
            })
        })
    };
    wait(async {
        let bed = Bed::of(&ruled(seen(api())));
        zoo(&bed.store, "Open", "Bonn").await;
        zoo(&bed.store, "Shut", "secret").await;
        let answer = bed.ask("POST /zoos/1/animals", r#"{ "name": "Ada" }"#).await;
        assert_eq!(answer.status, 201, "{}", answer.json);
        bed.store.close().await;
    });
}

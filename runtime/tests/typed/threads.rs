//! Typed calls from any thread and any async runtime, the number of statements of each call, and
//! stores that do not have a resource.

use std::{
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use nouns_runtime::{
    Error, Id,
    def::{ApiDef, DeprecationDef, ResourceDef},
    typed::{Collection, Page, Query},
};
use tracing::{Event, Metadata, Subscriber, field::Field, span};

use super::{
    bed::{API, Bed, cause, wait},
    staff::{Keeper, KeeperPatch},
    zoo::{Animal, AnimalPatch, NewAnimal, NewZoo, Zoo},
};
use crate::{database, store::bed::leaked};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A minimal executor of futures, without an async runtime.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// Makes each kind of typed call once.
async fn everything(
    zoos: Collection<Zoo>,
    animals: Collection<Animal>,
    name: String,
) -> Result<(), Error> {
    let zoo = zoos.create(NewZoo::new(name)).await?;
    let animals = animals.within(zoo.id);
    let created =
        animals.create_many(vec![NewAnimal::new("a".into()), NewAnimal::new("b".into())]).await?;
    let patch = AnimalPatch { weight_kg: Some(1.0).into(), ..AnimalPatch::default() };
    let changed = animals.update(created[0].id, patch).if_match(created[0].revision).await?;
    animals.replace(changed.id, NewAnimal::new("c".into())).if_match(changed.revision).await?;
    let page: Page<Animal> = animals.list(&Query::new().count()).await?;
    assert_eq!((page.total, animals.get(created[0].id).await?.name.as_str()), (Some(2), "c"));
    animals.delete(created[1].id).await?;
    assert_eq!(animals.delete_many(&Query::<Animal>::new().filter(|a| a.name.eq("c"))).await?, 1);
    zoos.delete(zoo.id).await
}

#[test]
fn calls_need_no_runtime() {
    let bed = Bed::new();
    let (zoos, animals) = (bed.store.of::<Zoo>(), bed.store.of::<Animal>());
    thread::spawn(move || block_on(everything(zoos, animals, "City".into())))
        .join()
        .unwrap()
        .unwrap();
}

#[test]
fn calls_are_made_by_tasks_of_any_runtime() {
    fn is_shared<T: Clone + Send + Sync + 'static>(_: &T) {}
    fn is_sent<T: Send + 'static>(_: &T) {}
    let bed = Bed::new();
    let (zoos, animals) = (bed.store.of::<Zoo>(), bed.store.of::<Animal>());
    is_shared(&animals.clone().within(Id::new(1)));
    is_shared(&Query::<Animal>::new());
    is_sent(&animals.list(&Query::new()));
    is_sent(&zoos.create(NewZoo::new("x".into())));
    is_sent(&animals.update(Id::new(1), AnimalPatch::default()).into_future());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let call =
            |at| tokio::spawn(everything(zoos.clone(), animals.clone(), format!("zoo {at}")));
        let tasks: Vec<_> = (0..16).map(call).collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
    });
}

/// A log subscriber that records the number of statements of each call.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<Vec<u64>>>);

impl tracing::field::Visit for Statements {
    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "statements" {
            self.0.lock().unwrap().push(value);
        }
    }
}

impl Subscriber for Statements {
    fn enabled(&self, of: &Metadata<'_>) -> bool {
        of.target() == "nouns::call"
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The number of statements of each typed call that a future makes.
fn statements(future: impl Future<Output = ()>) -> Vec<u64> {
    let counted = Statements::default();
    tracing::subscriber::with_default(counted.clone(), || wait(future));
    counted.0.lock().unwrap().clone()
}

#[test]
fn a_plain_call_takes_one_statement() {
    let bed = Bed::new();
    let zoo = bed.zoo("City");
    let id = bed.animal(zoo, "Bella", None);
    let animals = bed.store.of::<Animal>().within(zoo);
    let counted = statements(async {
        animals.get(id).await.unwrap();
        let page = animals.list(&Query::new()).await.unwrap();
        animals.create(NewAnimal::new("Ann".into())).await.unwrap();
        animals
            .update(id, AnimalPatch { name: "b".to_owned().into(), ..AnimalPatch::default() })
            .await
            .unwrap();
        animals.replace(id, NewAnimal::new("c".into())).await.unwrap();
        animals.delete(id).await.unwrap();
        assert_eq!(page.iter().len(), 1);
    });
    assert_eq!(counted, [1; 6]);
    let counted = statements(async {
        bed.animal_page(&Query::new().count()).await;
        let first = bed.animal_page(&Query::new().limit(1)).await;
        assert!(first.next_cursor().is_none());
    });
    // On PostgreSQL, the statement of the page also reads the total.
    assert_eq!(counted, if database::is_postgres() { [1, 1] } else { [2, 1] });
}

impl Bed {
    async fn animal_page(&self, query: &Query<Animal>) -> Page<Animal> {
        self.store.of::<Animal>().list(query).await.unwrap()
    }
}

#[test]
fn a_store_of_another_declaration_says_so() {
    static SMALL: ApiDef = ApiDef { resources: &[API.resources[0]], ..API };
    let bed = Bed::of(&SMALL);
    let sentence =
        "the model of the store has no resource `animal`; declare it with `.resource::<Animal>()`";
    assert_eq!(cause(wait(bed.store.of::<Animal>().list(&Query::new()))), sentence);
    assert_eq!(cause(bed.store.of::<Animal>().query("")), sentence);
    let other =
        leaked(ResourceDef { deprecated: Some(DeprecationDef::UNDATED), ..*API.resources[2] });
    let resources: &'static [&'static ResourceDef] = leaked([API.resources[0], other]);
    let bed = Bed::of(leaked(ApiDef { resources, ..API }));
    let sentence =
        "the model of the store has another declaration of `keeper`; declare `keeper` once";
    let patch = bed.store.of::<Keeper>().update(Id::new("x".into()), KeeperPatch::default());
    assert_eq!(cause(wait(patch.into_future())), sentence);
    let same = leaked(*API.resources[2]);
    let resources: &'static [&'static ResourceDef] = leaked([API.resources[0], same]);
    let bed = Bed::of(leaked(ApiDef { resources, ..API }));
    assert!(wait(bed.store.of::<Keeper>().list(&Query::new())).unwrap().members.is_empty());
}

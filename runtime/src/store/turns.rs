//! Locks of members. A request takes the lock of a member when it retries a patch, because another
//! write came between its read and its write. So such requests do not conflict with each other. All
//! other requests do not wait.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::sync::{Mutex as Gate, OwnedMutexGuard};

use super::Store;
use crate::{
    base::limits,
    model::{FieldIx, ResourceIx, value::Value},
};

/// The key of a member's lock: its resource, and its id as text.
type MemberKey = (ResourceIx, String);

/// The lock of each member, and the number of requests that hold the lock or wait for it.
type Gates = HashMap<MemberKey, (Arc<Gate<()>>, usize)>;

/// The locks of members. A member has a lock only while a request holds it or waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns(Arc<GateRegistry>);

#[derive(Debug, Default)]
struct GateRegistry {
    gates: Mutex<Gates>,
    /// The number of locks. If it is 0, no request holds a lock or waits for one.
    count: AtomicUsize,
}

/// The lock of a member, held by one request. Dropping this value releases the lock.
pub(crate) struct Turn {
    _entered: OwnedMutexGuard<()>,
    _place: GatePlace,
}

/// The entry of a request that holds a lock or waits for it. The lock is removed when its last
/// entry is dropped.
struct GatePlace {
    turns: Turns,
    member: MemberKey,
}

impl Turns {
    /// Whether any request holds the lock of a member or waits for it.
    pub(super) fn has(&self, member: impl FnOnce() -> MemberKey) -> bool {
        self.0.count.load(Ordering::Relaxed) > 0 && self.gates().contains_key(&member())
    }

    /// Waits for the lock of a member. Requests get the lock in the order of their calls. Returns
    /// `None` if the wait takes too long.
    pub(super) async fn take(&self, member: MemberKey) -> Option<Turn> {
        let (place, gate) = self.place(member);
        let entered =
            tokio::time::timeout(limits::PATCH_TURN_WAIT_MAX, gate.lock_owned()).await.ok()?;
        Some(Turn { _entered: entered, _place: place })
    }

    fn place(&self, member: MemberKey) -> (GatePlace, Arc<Gate<()>>) {
        let mut gates = self.gates();
        let (gate, places) = gates.entry(member.clone()).or_default();
        *places += 1;
        let gate = Arc::clone(gate);
        self.0.count.store(gates.len(), Ordering::Relaxed);
        drop(gates);
        (GatePlace { turns: self.clone(), member }, gate)
    }

    fn gates(&self) -> MutexGuard<'_, Gates> {
        self.0.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for GatePlace {
    fn drop(&mut self) {
        let mut gates = self.turns.gates();
        let Some((_, places)) = gates.get_mut(&self.member) else { return };
        *places -= 1;
        if *places == 0 {
            gates.remove(&self.member);
            self.turns.0.count.store(gates.len(), Ordering::Relaxed);
        }
    }
}

impl Store {
    /// Whether any request holds the lock of a member or waits for it. A request takes the lock
    /// when a conflict makes it retry a patch.
    pub(crate) fn is_waited_for(&self, resource: ResourceIx, id: &Value) -> bool {
        self.turns.has(|| (resource, id.spell(self.model[resource][FieldIx::ID].kind)))
    }

    /// Waits for the lock of a member. Requests that retry a patch after a conflict take the lock,
    /// one after the other. Returns `None` if the wait takes too long.
    pub(crate) async fn turn(&self, resource: ResourceIx, id: &Value) -> Option<Turn> {
        self.turns.take((resource, id.spell(self.model[resource][FieldIx::ID].kind))).await
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        pin::pin,
        task::{Context, Waker},
    };

    use super::*;

    fn member(id: &str) -> MemberKey {
        (ResourceIx(0), id.into())
    }

    #[tokio::test]
    async fn one_has_the_turn_and_what_nobody_waits_for_is_forgotten() {
        let turns = Turns::default();
        assert!(!turns.has(|| unreachable!("the key is not computed while no lock exists")));
        let first = turns.take(member("a")).await.unwrap();
        let other = turns.take(member("b")).await.unwrap();
        assert!(turns.has(|| member("a")) && !turns.has(|| member("c")));
        let mut context = Context::from_waker(Waker::noop());
        let mut second = pin!(turns.take(member("a")));
        assert!(second.as_mut().poll(&mut context).is_pending());
        {
            let gone = pin!(turns.take(member("a")));
            assert!(gone.poll(&mut context).is_pending());
        }
        drop((first, other));
        assert!(
            turns.has(|| member("a")),
            "the second request for member `a` still waits for its lock"
        );
        let second = second.await.unwrap();
        assert!(turns.has(|| member("a")) && !turns.has(|| member("b")));
        drop(second);
        assert!(turns.gates().is_empty() && turns.0.count.load(Ordering::Relaxed) == 0);
    }
}

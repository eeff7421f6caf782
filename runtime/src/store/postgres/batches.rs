//! Batches: writes of the same shape and the same caller that wait for each other.
//!
//! While a statement of a shape is under way on a worker, further writes of the shape wait for it.
//! Then they are one statement. So they share the increase of the counter, the commit and the wait
//! for the disk. A batch that fails has changed nothing, and each of its writes runs alone.

use std::{
    cmp::Ordering,
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, sync::oneshot};

use super::{batch_run, cells::BinaryRow, lane::PostgresLane, lanes::WorkerLanes};
use crate::{
    model::{Model, rule::RuleValue, value::Value},
    plan::Shape,
};

/// The maximum number of writes in a batch. In a larger one, each would hardly cost less.
const BATCH_MAX: usize = 64;
/// The maximum size of a batch, in bytes of its text values. A single write is smaller.
const BATCH_BYTES_MAX: usize = 256 * 1024;
/// The maximum number of writes that wait for a statement of their shape. Others run alone.
const WAITING_MAX: usize = 4 * BATCH_MAX;
/// The maximum number of shapes and callers whose writes wait for each other, on a worker.
const QUEUES_MAX: usize = 64;
/// The time in which the writes of a shape run alone, after the server has ended one that took too
/// long. One that waits for the lock of a row then keeps no others waiting.
const ALONE_TIME: Duration = Duration::from_secs(1);

/// The common properties of the writes of a batch.
pub(super) struct BatchKey {
    pub(super) model: Arc<Model>,
    pub(super) shape: Shape,
    /// The statement that finds the account of the caller, if the write depends on it.
    pub(super) account: Option<Shape>,
    pub(super) shared: SharedValues,
}

/// The values that all writes of a batch bind.
#[derive(PartialEq)]
pub(super) struct SharedValues {
    /// The values of the rules of the statement, and of the rule that says who may read a new
    /// member.
    pub(super) rules: Vec<(RuleValue, Value)>,
    /// The values of the statement that finds the account.
    pub(super) account: Vec<Value>,
}

/// The writes of a worker that wait.
#[derive(Default)]
pub(super) struct WriteQueues {
    queues: Mutex<Vec<ShapeQueue>>,
    /// The shapes whose writes run alone, until then.
    alone: Mutex<Vec<(Shape, Instant)>>,
}

/// The writes that wait for the statement of a shape that is under way.
struct ShapeQueue {
    key: Arc<BatchKey>,
    waiting: VecDeque<WaitingWrite>,
}

/// A write that waits.
pub(super) struct WaitingWrite {
    /// The values of its step.
    pub(super) values: Vec<Value>,
    /// The id of the member to change.
    pub(super) id: Option<Value>,
    /// The revision that the member must have, or null for any.
    pub(super) expected: Value,
    /// The size of its text values.
    pub(super) bytes: usize,
    pub(super) reply: oneshot::Sender<WriteTurn>,
}

/// The next step or the result of a write.
pub(super) enum WriteTurn {
    /// It runs alone.
    Alone(Option<HeldTurn>),
    /// It was in a batch, and is done. There is no row if it has changed nothing.
    Done(Option<BinaryRow>, Arc<PostgresLane>),
    /// It was in a batch whose connection is lost. What it has done is not known.
    Lost,
}

/// The turn of a statement. Writes of its shape wait until it is dropped.
pub(super) struct HeldTurn {
    worker: Arc<WorkerLanes>,
    key: Arc<BatchKey>,
}

impl BatchKey {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
            && self.shape == other.shape
            && self.account == other.account
            && self.shared == other.shared
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the turn of a write.
pub(super) async fn turn(
    worker: &Arc<WorkerLanes>,
    key: BatchKey,
    write: impl FnOnce(oneshot::Sender<WriteTurn>) -> WaitingWrite,
) -> WriteTurn {
    if worker.queues.runs_alone(&key.shape) {
        return WriteTurn::Alone(None);
    }
    let answer = {
        let mut queues = lock(&worker.queues.queues);
        let is_full = queues.len() >= QUEUES_MAX;
        match queues.iter_mut().find(|queue| queue.key.is(&key)) {
            Some(queue) if queue.waiting.len() >= WAITING_MAX => return WriteTurn::Alone(None),
            Some(queue) => {
                let (reply, answer) = oneshot::channel();
                queue.waiting.push_back(write(reply));
                answer
            }
            None if is_full => return WriteTurn::Alone(None),
            None => {
                let key = Arc::new(key);
                let turn = HeldTurn::new(worker, &key);
                queues.push(ShapeQueue { key, waiting: VecDeque::new() });
                return WriteTurn::Alone(Some(turn));
            }
        }
    };
    answer.await.unwrap_or(WriteTurn::Lost)
}

impl WriteQueues {
    /// Whether the writes of a shape run alone now.
    fn runs_alone(&self, shape: &Shape) -> bool {
        let mut alone = lock(&self.alone);
        if alone.is_empty() {
            return false;
        }
        let now = Instant::now();
        alone.retain(|(_, until)| now < *until);
        alone.iter().any(|(held, _)| held == shape)
    }

    /// Records that the server has ended a write, since it took too long. Those of the shape that
    /// wait run alone, too: otherwise each of them could take as long, one after the other.
    pub(super) fn note_slow(&self, shape: &Shape) {
        let mut alone = lock(&self.alone);
        if alone.len() < QUEUES_MAX {
            alone.push((shape.clone(), Instant::now() + ALONE_TIME));
        }
        drop(alone);
        let mut queues = lock(&self.queues);
        let same = queues.iter_mut().filter(|queue| queue.key.shape == *shape);
        let waiting: Vec<_> = same.flat_map(|queue| queue.waiting.drain(..)).collect();
        drop(queues);
        batch_run::run_alone(waiting);
    }

    /// Takes the next batch of a queue, or ends a queue in which no write waits.
    fn next(&self, key: &Arc<BatchKey>) -> Vec<WaitingWrite> {
        let mut queues = lock(&self.queues);
        let Some(at) = queues.iter().position(|queue| Arc::ptr_eq(&queue.key, key)) else {
            return vec![];
        };
        let batch = queues[at].take_batch();
        if batch.is_empty() {
            queues.swap_remove(at);
        }
        batch
    }
}

impl ShapeQueue {
    /// Takes writes that one statement can do. It changes each member once, and locks the members
    /// in the order of their ids, so that two batches never wait for each other. Many writes of one
    /// member keep no others waiting.
    fn take_batch(&mut self) -> Vec<WaitingWrite> {
        let (mut batch, mut bytes): (Vec<WaitingWrite>, _) = (vec![], 0);
        let mut rest = VecDeque::new();
        for write in self.waiting.drain(..) {
            let is_same = |taken: &WaitingWrite| taken.id.is_some() && taken.id == write.id;
            let fits = batch.len() < BATCH_MAX && bytes + write.bytes <= BATCH_BYTES_MAX;
            if fits && !batch.iter().any(is_same) {
                bytes += write.bytes;
                batch.push(write);
            } else {
                rest.push_back(write);
            }
        }
        self.waiting = rest;
        batch.sort_by(|one, other| by_id(one.id.as_ref(), other.id.as_ref()));
        batch
    }
}

fn by_id(one: Option<&Value>, other: Option<&Value>) -> Ordering {
    match (one, other) {
        (Some(Value::Integer(one)), Some(Value::Integer(other))) => one.cmp(other),
        (Some(Value::Text(one)), Some(Value::Text(other))) => one.cmp(other),
        _ => Ordering::Equal,
    }
}

impl HeldTurn {
    fn new(worker: &Arc<WorkerLanes>, key: &Arc<BatchKey>) -> Self {
        Self { worker: Arc::clone(worker), key: Arc::clone(key) }
    }

    pub(super) fn worker(&self) -> &Arc<WorkerLanes> {
        &self.worker
    }

    pub(super) fn key(&self) -> &BatchKey {
        &self.key
    }
}

/// Gives the turn to those that wait.
impl Drop for HeldTurn {
    fn drop(&mut self) {
        loop {
            let mut batch = self.worker.queues.next(&self.key);
            let turn = || Self { worker: Arc::clone(&self.worker), key: Arc::clone(&self.key) };
            match (batch.len(), Handle::try_current()) {
                (0, _) => return,
                (1, _) => {
                    let Some(write) = batch.pop() else { return };
                    // If the client has left, the turn is dropped here, and goes to the next ones.
                    write.reply.send(WriteTurn::Alone(Some(turn()))).ok();
                    return;
                }
                (_, Ok(runtime)) => {
                    runtime.spawn(batch_run::run(turn(), batch));
                    return;
                }
                (_, Err(_)) => batch_run::run_alone(batch),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{
            Place, ResourceIx,
            def::{ApiDef, ResourceDef},
        },
        plan::Shape,
    };

    static ZOO: ResourceDef = ResourceDef::new("zoo", "zoos", "Zoo");
    static API: ApiDef = ApiDef { resources: &[&ZOO], ..ApiDef::new("Zoos") };

    fn queue(writes: impl IntoIterator<Item = (i64, usize)>) -> ShapeQueue {
        let key = BatchKey {
            model: Arc::new(Model::link(&API).unwrap()),
            shape: Shape::Exists { place: Place::new(ResourceIx(0), 0) },
            account: None,
            shared: SharedValues { rules: vec![], account: vec![] },
        };
        let waiting = writes.into_iter().map(|(id, bytes)| WaitingWrite {
            values: vec![],
            id: (id != 0).then_some(Value::Integer(id)),
            expected: Value::Null,
            bytes,
            reply: oneshot::channel().0,
        });
        ShapeQueue { key: Arc::new(key), waiting: waiting.collect() }
    }

    fn ids(writes: &[WaitingWrite]) -> Vec<i64> {
        let id = |write: &WaitingWrite| match write.id {
            Some(Value::Integer(id)) => id,
            _ => 0,
        };
        writes.iter().map(id).collect()
    }

    #[test]
    fn a_batch_changes_each_member_once_in_the_order_of_ids() {
        let mut queue = queue([(7, 0), (3, 0), (7, 0), (5, 0), (7, 0), (3, 0)]);
        assert_eq!(ids(&queue.take_batch()), [3, 5, 7]);
        assert_eq!(ids(&queue.take_batch()), [3, 7]);
        assert_eq!(ids(&queue.take_batch()), [7]);
        assert!(queue.take_batch().is_empty());
    }

    #[test]
    fn new_members_keep_their_order() {
        let mut queue = queue([(0, 3), (0, 1), (0, 2)]);
        let bytes: Vec<_> = queue.take_batch().iter().map(|write| write.bytes).collect();
        assert_eq!(bytes, [3, 1, 2]);
    }

    #[test]
    fn many_writes_of_one_member_keep_no_other_waiting() {
        let mut queue = queue((0..200).map(|_| (1, 0)).chain([(2, 0)]));
        assert_eq!(ids(&queue.take_batch()), [1, 2]);
        assert_eq!(queue.waiting.len(), 199);
    }

    #[test]
    fn after_a_slow_write_those_that_wait_run_alone() {
        let (queues, mut waiting) = (WriteQueues::default(), queue([(1, 0), (1, 0)]));
        let (reply, mut answer) = oneshot::channel();
        waiting.waiting[1].reply = reply;
        let shape = waiting.key.shape.clone();
        lock(&queues.queues).push(waiting);
        assert!(!queues.runs_alone(&shape));
        queues.note_slow(&shape);
        assert!(matches!(answer.try_recv(), Ok(WriteTurn::Alone(None))));
        assert!(lock(&queues.queues)[0].waiting.is_empty() && queues.runs_alone(&shape));
    }

    #[test]
    fn a_batch_has_a_bounded_number_of_writes_and_bytes() {
        let mut many = queue((1..=100).map(|id| (id, 0)));
        assert_eq!(
            [many.take_batch().len(), many.take_batch().len()],
            [BATCH_MAX, 100 - BATCH_MAX]
        );
        let mut large = queue((1..=6).map(|id| (id, 60_000)));
        assert_eq!(ids(&large.take_batch()), [1, 2, 3, 4]);
        assert_eq!(ids(&large.take_batch()), [5, 6]);
    }
}

//! [`WaitingJobs`]: the passwords that wait for a thread. Sign-ins and new passwords have a queue
//! each, and are done alternately, so neither keeps the other from its turn. In a queue the sources
//! take turns, and if it is full, the source with most gives way to others.

use std::collections::VecDeque;

use super::{PasswordJob, PasswordSource, busy};
use crate::base::{error::Error, limits};

/// The passwords that wait for a thread.
#[derive(Debug, Default)]
pub(super) struct WaitingJobs {
    /// Passwords that are compared, for sign-ins.
    sign_ins: FairQueue,
    /// Passwords that are hashed, for writes.
    writes: FairQueue,
    /// Whether the last job was that of a sign-in.
    was_sign_in: bool,
    is_closed: bool,
}

/// Jobs of one kind, in the order of their arrival.
#[derive(Debug, Default)]
struct FairQueue {
    jobs: VecDeque<PasswordJob>,
    /// The source of the last job that was taken.
    last: PasswordSource,
}

impl WaitingJobs {
    pub(super) fn count(&self) -> usize {
        self.sign_ins.jobs.len() + self.writes.jobs.len()
    }

    pub(super) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(super) const fn close(&mut self) {
        self.is_closed = true;
    }

    /// Adds a job.
    ///
    /// # Errors
    /// 503 if too many wait.
    pub(super) fn put(&mut self, job: PasswordJob) -> Result<(), Error> {
        match job.work.is_sign_in() {
            true => self.sign_ins.put(job, limits::SIGN_INS_WAITING_MAX),
            false => {
                let of_source = self.writes.load(&job.source);
                if of_source >= limits::PASSWORDS_WAITING_CLIENT_MAX {
                    return Err(busy());
                }
                self.writes.put(job, limits::PASSWORDS_WAITING_MAX)
            }
        }
    }

    /// Takes the next job.
    pub(super) fn take(&mut self) -> Option<PasswordJob> {
        let (first, second) = match self.was_sign_in {
            true => (&mut self.writes, &mut self.sign_ins),
            false => (&mut self.sign_ins, &mut self.writes),
        };
        let job = first.take().or_else(|| second.take())?;
        self.was_sign_in = job.work.is_sign_in();
        Some(job)
    }
}

impl FairQueue {
    fn put(&mut self, job: PasswordJob, most: usize) -> Result<(), Error> {
        self.jobs.retain(|job| !job.work.is_abandoned());
        if self.jobs.len() >= most {
            let load = self.load(&job.source);
            let heaviest = (0..self.jobs.len()).max_by_key(|at| self.load(&self.jobs[*at].source));
            let gives_way = heaviest.filter(|at| self.load(&self.jobs[*at].source) > load + 1);
            let displaced = gives_way.and_then(|at| self.jobs.remove(at)).ok_or_else(busy)?;
            displaced.work.refuse();
        }
        self.jobs.push_back(job);
        Ok(())
    }

    /// Takes the first job whose source differs from that of the last one, or else the first.
    fn take(&mut self) -> Option<PasswordJob> {
        let other = self.jobs.iter().position(|job| job.source != self.last);
        let job = self.jobs.remove(other.unwrap_or(0))?;
        self.last = job.source.clone();
        Some(job)
    }

    /// The number of jobs of a client or of an account, whichever has more. The program itself has
    /// no load.
    fn load(&self, source: &PasswordSource) -> usize {
        let count = |is_same: &dyn Fn(&PasswordSource) -> bool| {
            self.jobs.iter().filter(|job| is_same(&job.source)).count()
        };
        let of_client = match source.client.is_shared() {
            true => 0,
            false => count(&|other| other.client == source.client),
        };
        let of_account = match &source.account {
            None => 0,
            account => count(&|other| other.account == *account),
        };
        of_client.max(of_account)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::sync::oneshot::{self, Receiver};

    use super::{super::PasswordWork, *};
    use crate::{base::secret::Secret, plan::ClientKey};

    fn address(last: u8) -> PasswordSource {
        PasswordSource::new(ClientKey::connect(), Some([192, 0, 2, last].into()), None)
    }

    fn job(source: PasswordSource, work: PasswordWork) -> PasswordJob {
        PasswordJob { source, since: Instant::now(), password: Secret::new("x"), work }
    }

    fn hash(
        waiting: &mut WaitingJobs,
        source: PasswordSource,
    ) -> Option<Receiver<Result<String, Error>>> {
        let (answer, answered) = oneshot::channel();
        waiting.put(job(source, PasswordWork::Hash(answer))).ok().map(|()| answered)
    }

    fn compare(
        waiting: &mut WaitingJobs,
        source: PasswordSource,
    ) -> Option<Receiver<Result<bool, Error>>> {
        let (answer, answered) = oneshot::channel();
        let work = PasswordWork::Compare { hash: String::new(), answer };
        waiting.put(job(source, work)).ok().map(|()| answered)
    }

    /// The connections of an address count together, and so do the addresses of an account.
    #[test]
    fn new_passwords_are_counted_by_address_and_by_account() {
        let mut waiting = WaitingJobs::default();
        let kept: Vec<_> = (0..80).filter_map(|_| hash(&mut waiting, address(1))).collect();
        assert_eq!(kept.len(), limits::PASSWORDS_WAITING_CLIENT_MAX);
        let of_account = |last| PasswordSource { account: Some("7".into()), ..address(last) };
        let same: Vec<_> =
            (2..80).filter_map(|last| hash(&mut waiting, of_account(last))).collect();
        assert_eq!(same.len(), limits::PASSWORDS_WAITING_CLIENT_MAX);
        assert!(hash(&mut waiting, address(90)).is_some());
    }

    /// However many new passwords wait, sign-ins have room and every second turn.
    #[test]
    fn sign_ins_have_their_share() {
        let mut waiting = WaitingJobs::default();
        let local = || PasswordSource::new(ClientKey::connect(), Some([127, 0, 0, 1].into()), None);
        let hashes: Vec<_> = (0..200).filter_map(|_| hash(&mut waiting, local())).collect();
        assert_eq!(hashes.len(), limits::PASSWORDS_WAITING_MAX);
        let signing: Vec<_> = (0..8).map(|_| compare(&mut waiting, local()).unwrap()).collect();
        let kinds: Vec<_> = (0..16).map(|_| waiting.take().unwrap().work.is_sign_in()).collect();
        assert_eq!(kinds, [true, false].repeat(8));
        drop(signing);
    }

    /// An address that fills the queue gives way to the others, whose jobs do not wait for all of
    /// its own.
    #[test]
    fn a_full_queue_has_room_for_others() {
        let mut waiting = WaitingJobs::default();
        let mut flood: Vec<_> =
            (0..200).filter_map(|_| compare(&mut waiting, address(1))).collect();
        assert_eq!(flood.len(), limits::SIGN_INS_WAITING_MAX);
        let others: Vec<_> =
            (2..8).map(|last| compare(&mut waiting, address(last)).unwrap()).collect();
        assert_eq!(waiting.count(), limits::SIGN_INS_WAITING_MAX);
        let refused = flood.iter_mut().filter_map(|answer| answer.try_recv().ok());
        assert!(refused.inspect(|answer| assert!(answer.is_err())).count() == others.len());
        let first: Vec<_> = (0..12).map(|_| waiting.take().unwrap().source).collect();
        assert!((2..8).all(|last| first.iter().any(|one| one.client == address(last).client)));
    }
}

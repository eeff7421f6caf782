//! Sends a load at a fixed rate. A server that stalls gets the same number of requests during the
//! stall.

use std::{
    io,
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use mio::{Events, Poll};

use crate::client::{Busy, Sample, Traffic};

/// The time that the client sleeps if there is nothing to send or receive. The timeouts of `epoll`
/// have a resolution of only a millisecond.
const PAUSE: Duration = Duration::from_micros(50);
/// The time that the client waits for the last responses.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends requests at a fixed rate for this time. Each request waits from its due time until a
/// connection is free. Its measured time begins at its due time.
pub(crate) fn load(
    to: SocketAddr,
    traffic: &Traffic,
    connections: u64,
    per_second: f64,
    time: Duration,
) -> io::Result<Sample> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(256);
    let mut buffer = vec![0; 64 * 1024];
    let mut busy = Busy::open_all(poll.registry(), to, connections)?;
    let mut free: Vec<_> = (0..busy.len()).collect();
    let begun = Instant::now();
    let moment = |number: usize| begun + Duration::from_secs_f64(number as f64 / per_second);
    let (mut sent, mut sample) = (0, Sample::default());
    loop {
        let now = Instant::now();
        while moment(sent) <= now && moment(sent) < begun + time {
            let Some(at) = free.pop() else { break };
            busy[at].send(traffic, moment(sent))?;
            sent += 1;
        }
        if free.len() == busy.len() && moment(sent) >= begun + time {
            break;
        }
        match poll.poll(&mut events, Some(Duration::ZERO)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            polled => polled?,
        }
        if events.is_empty() {
            thread::sleep(PAUSE);
        }
        for event in &events {
            let at = event.token().0;
            let Some(micros) = busy[at].receive(traffic, &mut buffer)? else { continue };
            sample.micros.push(micros);
            free.push(at);
        }
        if begun.elapsed() > time + PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "there was no response"));
        }
    }
    sample.seconds = begun.elapsed().as_secs_f64();
    Ok(sample)
}

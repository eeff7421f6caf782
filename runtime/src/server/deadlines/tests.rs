//! Tests of the deadlines of a connection, with a connection that only waits.

use super::*;

const MOST: Duration = Duration::from_millis(200);
const TIMES: ConnectionTimeouts = ConnectionTimeouts {
    head: MOST,
    idle: MOST,
    stall: MOST,
    stall_scarce: Duration::from_millis(20),
};

fn deadlines() -> Deadlines {
    Deadlines::new(TIMES, memory())
}

fn memory() -> Arc<ResponseMemory> {
    Arc::new(ResponseMemory::new(100))
}

/// A connection that waits for heads. Each head arrives after a delay in milliseconds, and the
/// last head never arrives.
async fn connection(deadlines: Deadlines, heads: &[u64]) -> Duration {
    let begun = Instant::now();
    for millis in heads {
        let waits = deadlines.sleep(MOST);
        tokio::time::sleep(Duration::from_millis(*millis)).await;
        drop(waits);
    }
    deadlines.sleep(MOST).await;
    begun.elapsed()
}

#[tokio::test]
async fn a_head_that_does_not_come_in_time_ends_its_connection() {
    for heads in [&[][..], &[50], &[150, 150], &[10, 100, 10, 100]] {
        let deadlines = deadlines();
        let took = deadlines.clone().watch(connection(deadlines, heads)).await.unwrap();
        let least = Duration::from_millis(heads.iter().sum::<u64>()) + MOST;
        assert!(took >= least, "{heads:?}: {took:?}");
    }
}

#[tokio::test]
async fn one_that_has_used_up_its_turn_ends_as_well() {
    use tokio::task::coop::{consume_budget, has_budget_remaining};
    let deadlines = deadlines();
    let waits = deadlines.sleep(MOST);
    let connection = async {
        while has_budget_remaining() {
            consume_budget().await;
        }
        waits.await;
    };
    let ended = tokio::time::timeout(10 * MOST, deadlines.clone().watch(connection)).await;
    assert!(ended.is_ok(), "the alarm wakes a connection that has used up its cooperative budget");
}

#[tokio::test]
async fn a_deadline_that_is_set_again_is_the_one_that_counts() {
    let deadlines = deadlines();
    let mut waits = deadlines.sleep(MOST);
    deadlines.reset(&mut waits, Instant::now() + 2 * MOST);
    let begun = Instant::now();
    let ended = tokio::time::timeout(10 * MOST, deadlines.clone().watch(waits)).await;
    assert!(ended.is_ok() && begun.elapsed() > MOST, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn what_waits_for_no_head_has_all_the_time() {
    let answers = async { tokio::time::sleep(3 * MOST).await };
    assert_eq!(deadlines().watch(answers).await, Ok(()));
}

/// A connection on which a write waits all the time. Every 50 ms the client reads the next
/// number of bytes in `taken`.
async fn writes(deadlines: Deadlines, taken: &[usize]) {
    deadlines.progress().wait();
    for bytes in taken {
        tokio::time::sleep(Duration::from_millis(50)).await;
        deadlines.progress().add(*bytes);
    }
    deadlines.progress().end();
}

#[tokio::test]
async fn a_client_that_takes_too_little_ends_its_connection() {
    const LEAST: usize = limits::WRITE_WINDOW_BYTES_MIN;
    for (taken, ended) in [
        (&[0; 100][..], Err(StallError)),
        (&[1; 100], Err(StallError)),
        (&[LEAST / 50; 100], Err(StallError)),
        (&[LEAST; 12], Ok(())),
        (&[0], Ok(())),
    ] {
        let deadlines = deadlines();
        assert_eq!(deadlines.clone().watch(writes(deadlines, taken)).await, ended, "{taken:?}");
    }
}

/// The alarm may be set for a distant deadline of a head when a write starts to wait.
#[tokio::test]
async fn a_write_that_begins_to_wait_sets_the_alarm() {
    let deadlines =
        Deadlines::new(ConnectionTimeouts { head: Duration::from_secs(600), ..TIMES }, memory());
    let connection = async {
        tokio::time::sleep(MOST).await;
        writes(deadlines.clone(), &[0; 10_000]).await;
    };
    let ended = tokio::time::timeout(20 * MOST, deadlines.clone().watch(connection)).await;
    assert_eq!(ended, Ok(Err(StallError)));
}

#[tokio::test]
async fn where_memory_is_scarce_who_does_not_read_gives_way_soon() {
    let (memory, hour) = (memory(), Duration::from_secs(3600));
    let deadlines =
        Deadlines::new(ConnectionTimeouts { stall: hour, ..TIMES }, Arc::clone(&memory));
    let waits = async {
        deadlines.progress().wait();
        tokio::time::sleep(MOST).await;
        memory.hold_anyway(vec![0; 51].into());
        tokio::time::sleep(MOST).await;
        let _held = memory.hold_anyway(vec![0; 51].into());
        tokio::time::sleep(hour).await;
    };
    let begun = Instant::now();
    let ended = tokio::time::timeout(50 * MOST, deadlines.clone().watch(waits)).await;
    assert_eq!(ended, Ok(Err(StallError)));
    assert!(
        begun.elapsed() > 2 * MOST,
        "the shorter timeout applies only after memory has become scarce"
    );
}

#[tokio::test]
async fn a_write_that_was_done_leaves_no_deadline() {
    let deadlines = deadlines();
    let connection = async {
        writes(deadlines.clone(), &[0]).await;
        tokio::time::sleep(3 * MOST).await;
    };
    assert_eq!(deadlines.clone().watch(connection).await, Ok(()));
}

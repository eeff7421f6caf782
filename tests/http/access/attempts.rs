//! The limit on wrong passwords.

use super::{PASSWORD, ask, basic, blog, nothing, sign_in, with};
use crate::client::Client;

fn attempt(client: &mut Client, login: &str) -> u16 {
    sign_in(client, login, "wrong", &[]).status()
}

/// Conformance 138: guessing is delayed, in the same way whether or not an account exists.
#[test]
fn guessing_is_delayed_for_accounts_that_exist_and_that_do_not() {
    let server = blog();
    let client = &mut server.client();
    assert_eq!(ask(client, "ann", "GET /notes", &nothing()).status(), 200);
    for login in ["ann", "nobody"] {
        for _ in 0..11 {
            assert_eq!(attempt(client, login), 401, "{login}");
        }
        let delayed = sign_in(client, login, "wrong", &[]);
        assert_eq!((delayed.status(), &*delayed.problem()), (429, "too-many-attempts"), "{login}");
        assert!(delayed.field("retry-after").unwrap().parse::<u16>().unwrap() <= 2);
        let basic = basic(login, "wrong");
        let delayed = with(client, ("authorization", &basic), "GET /tags", &nothing());
        assert_eq!(delayed.status(), 429, "{login}");
    }
    // Whoever was right a short time ago is not locked out by somebody who guesses.
    assert_eq!(ask(client, "ann", "GET /notes", &nothing()).status(), 200);
    assert_eq!(ask(client, "bob", "GET /notes", &nothing()).status(), 200, "another account");
}

#[test]
fn guessing_is_delayed_for_an_address() {
    let server = blog();
    let client = &mut server.client();
    for number in 0..51 {
        assert_eq!(attempt(client, &format!("user {number}")), 401, "{number}");
    }
    assert_eq!(attempt(client, "user 51"), 429);
    assert_eq!(sign_in(client, "bob", PASSWORD, &[]).status(), 429);
}

//! The limit on wrong passwords.

use super::{BLOG, PASSWORD, add_accounts, ask, basic, blog, nothing, sign_in, with};
use crate::{client::Client, server::TestServer};

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
    let proxies = "\nserver: { trusted_proxies: [127.0.0.1] }\nresources:";
    let server = TestServer::of(&BLOG.replace("\nresources:", proxies));
    add_accounts(&server, &[("bob", "reader")]);
    let client = &mut server.client();
    let mut attempt = |number: u32, address: &str, password: &str| {
        let login = if password == PASSWORD { "bob".to_owned() } else { format!("user {number}") };
        sign_in(client, &login, password, &[("x-forwarded-for", address)]).status()
    };
    for number in 0..51 {
        assert_eq!(attempt(number, "192.0.2.1", "wrong"), 401, "{number}");
    }
    assert_eq!(attempt(51, "192.0.2.1", "wrong"), 429);
    assert_eq!(attempt(52, "192.0.2.1", PASSWORD), 429);
    assert_eq!(attempt(53, "192.0.2.2", PASSWORD), 201, "another address");
    // All clients of a proxy that is not declared have the address of the proxy.
    for number in 54..108 {
        assert_eq!(attempt(number, "127.0.0.1", "wrong"), 401, "{number}");
    }
}

mod postgres {
    use super::{attempt, blog, sign_in};
    use crate::access::PASSWORD;

    /// Several servers of one database count together, and a right password forgives on all.
    #[test]
    #[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
    fn guesses_on_several_servers_count_together() {
        let first = blog();
        let second = first.another();
        let mut clients = [first.client(), second.client()];
        for _ in 0..2 {
            for at in 0..10 {
                assert_eq!(attempt(&mut clients[at % 2], "ann"), 401, "{at}");
            }
            assert_eq!(sign_in(&mut clients[1], "ann", PASSWORD, &[]).status(), 201);
        }
        for at in 0..11 {
            assert_eq!(attempt(&mut clients[at % 2], "nobody"), 401, "{at}");
        }
        for client in &mut clients {
            assert_eq!(attempt(client, "nobody"), 429);
        }
    }
}

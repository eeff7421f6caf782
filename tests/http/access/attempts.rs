//! The limit on wrong passwords.

use super::{BLOG, PASSWORD, add_accounts, ask, basic, blog, nothing, sign_in, with};
use crate::{client::Client, server::TestServer};

fn attempt(client: &mut Client, login: &str) -> u16 {
    sign_in(client, login, "wrong", &[]).status()
}

/// Adds accounts with the logins `user 0`, `user 1`, and so on. A wrong password for one of them
/// costs the server less than one for nobody.
fn add_users(server: &TestServer, count: u32) {
    let logins: Vec<_> = (0..count).map(|number| format!("user {number}")).collect();
    let accounts: Vec<_> = logins.iter().map(|login| (login.as_str(), "reader")).collect();
    add_accounts(server, &accounts);
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
    // Whoever was right and goes on is not locked out by somebody who guesses.
    assert_eq!(ask(client, "ann", "GET /notes", &nothing()).status(), 200);
    assert_eq!(ask(client, "bob", "GET /notes", &nothing()).status(), 200, "another account");
}

/// Attempts count from their beginning, so sending many at once gives no more guesses.
#[test]
fn guesses_at_the_same_time_count_each() {
    let server = blog();
    let barrier = std::sync::Barrier::new(64);
    let guess = &|number: usize| {
        let mut client = server.client();
        barrier.wait();
        sign_in(&mut client, "ann", &format!("wrong {number}"), &[]).status()
    };
    let statuses: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..64).map(|number| scope.spawn(move || guess(number))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let count = |status: u16| statuses.iter().filter(|one| **one == status).count();
    assert_eq!(count(401) + count(429), 64, "{statuses:?}");
    // A slow machine takes so long that a few delays end in between.
    assert!((11..20).contains(&count(401)), "{statuses:?}");
}

/// A program that sends many requests at once with the right password meets no limit.
#[test]
fn right_passwords_at_the_same_time_are_all_right() {
    let server = blog();
    let barrier = std::sync::Barrier::new(64);
    let ask = || {
        let mut client = server.client();
        barrier.wait();
        ask(&mut client, "ann", "GET /notes", &nothing()).status()
    };
    let statuses: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..64).map(|_| scope.spawn(ask)).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(statuses, [200; 64]);
}

/// A login that is taken is found before a password is hashed, and what others write leaves
/// sign-ins their share.
#[test]
fn nobody_keeps_others_from_signing_in() {
    let open = BLOG.replace(
        "create: { role: admin }\n      update: { any: [{ role: admin }, { where: { id",
        "create: public\n      update: { any: [{ role: admin }, { where: { id",
    );
    assert_ne!(open, BLOG);
    let server = TestServer::of(&open);
    add_accounts(&server, &[("ann", "reader"), ("bob", "reader")]);
    let flood = || {
        let mut client = server.client();
        let taken = serde_json::json!({ "login": "ann", "password": PASSWORD });
        (0..20).map(|_| ask(&mut client, "", "POST /users", &taken).status()).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..80).map(|_| scope.spawn(flood)).collect();
        for login in ["ann", "bob"].repeat(10) {
            let answer = sign_in(&mut server.client(), login, PASSWORD, &[]);
            assert_eq!(answer.status(), 201, "{answer:?}");
        }
        for one in all {
            assert_eq!(one.join().unwrap(), [409; 20]);
        }
    });
}

#[test]
fn every_login_of_an_array_that_is_taken_is_named() {
    let server = blog();
    let account = |login: &str| serde_json::json!({ "login": login, "password": PASSWORD });
    let many = serde_json::json!(["ann", "new", "bob", "eve"].map(account));
    let taken = ask(&mut server.client(), "root", "POST /users", &many);
    assert_eq!(
        (taken.status(), taken.faults().as_str()),
        (409, "/0/login unique, /2/login unique, /3/login unique")
    );
}

#[test]
fn guessing_is_delayed_for_an_address() {
    let proxies = "\nserver: { trusted_proxies: [127.0.0.1] }\nresources:";
    let server = TestServer::of(&BLOG.replace("\nresources:", proxies));
    add_accounts(&server, &[("bob", "reader")]);
    add_users(&server, 106);
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
    // What came through a declared proxy has an address, also if it is a loopback address.
    for number in 54..105 {
        assert_eq!(attempt(number, "127.0.0.1", "wrong"), 401, "{number}");
    }
    assert_eq!(attempt(105, "127.0.0.1", "wrong"), 429);
}

/// All clients of a proxy that is not declared have the address of the proxy.
#[test]
fn a_connection_of_this_machine_has_no_limit_of_addresses() {
    let server = blog();
    add_users(&server, 55);
    let client = &mut server.client();
    for number in 0..55 {
        let fields = [("x-forwarded-for", "192.0.2.1")];
        let answer = sign_in(client, &format!("user {number}"), "wrong", &fields);
        assert_eq!(answer.status(), 401, "{number}");
    }
}

/// A client could else name a new address for each guess, in the fields of the other kind.
#[test]
fn fields_that_are_not_declared_do_not_count() {
    for (fields, set, forged) in [
        ("x_forwarded", "x-forwarded-for", "forwarded"),
        ("forwarded", "forwarded", "x-forwarded-for"),
    ] {
        let settings = format!(
            "\nserver: {{ trusted_proxies: [127.0.0.1], proxy_fields: {fields} }}\nresources:"
        );
        let server = TestServer::of(&BLOG.replace("\nresources:", &settings));
        add_users(&server, 53);
        let client = &mut server.client();
        let named = |field: &str, address: &str| match field {
            "forwarded" => format!("for={address}"),
            _ => address.to_owned(),
        };
        let mut attempt = |number: u32, address: &str| {
            let (one, other) =
                (named(set, address), named(forged, &format!("198.51.100.{number}")));
            let both = [(set, one.as_str()), (forged, other.as_str())];
            sign_in(client, &format!("user {number}"), "wrong", &both).status()
        };
        for number in 0..51 {
            assert_eq!(attempt(number, "192.0.2.1"), 401, "{number}");
        }
        assert_eq!(attempt(51, "192.0.2.1"), 429);
        assert_eq!(attempt(52, "192.0.2.2"), 401);
    }
}

mod postgres {
    use super::{attempt, blog, sign_in};
    use crate::access::PASSWORD;

    /// Guesses on two servers at the same time count together, too.
    #[test]
    #[ignore = "it needs a PostgreSQL cluster: run it with tests/with_postgres"]
    fn guesses_at_the_same_time_on_several_servers_count_together() {
        let first = blog();
        let second = first.another();
        let servers = [&first, &second];
        let barrier = std::sync::Barrier::new(64);
        let guess = &|number: usize| {
            let mut client = servers[number % 2].client();
            barrier.wait();
            sign_in(&mut client, "ann", &format!("wrong {number}"), &[]).status()
        };
        let statuses: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..64).map(|number| scope.spawn(move || guess(number))).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let count = |status: u16| statuses.iter().filter(|one| **one == status).count();
        assert_eq!(count(401) + count(429), 64, "{statuses:?}");
        assert!((11..24).contains(&count(401)), "{statuses:?}");
    }

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

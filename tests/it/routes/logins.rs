use crate::harness::server::PASSWORD;
use crate::harness::{Answer, Server, on_both};
use chrono::TimeDelta;
use diesel::prelude::*;
use reqwest::Method;
use serde_json::json;
use std::time::{Duration, Instant};
use traverse::schema::{login_throttles, tokens};

/// Logs in from an address, as a trusted proxy tells it.
fn log_in(server: &Server, address: &str, email: &str, password: &str) -> Answer {
    let request = server.anonymous().request(Method::POST, "/api/v1/auth/login");
    let body = json!({"email": email, "password": password});
    Answer::of(request.header("X-Forwarded-For", address).json(&body))
}

fn behind_a_proxy(server: &Server) -> Server {
    let database = std::sync::Arc::clone(&server.database);
    Server::start(database, server.app.clock.clone(), |config| {
        config.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
}

on_both! {
    fn a_wrong_password_and_an_unknown_address_look_alike(server: Server) {
        server.register("ada");
        let login = |email: &str| {
            let body = json!({"email": email, "password": "wrong horse battery"});
            server.anonymous().post("/api/v1/auth/login", &body).expect(401).body
        };
        let wrong = login("ada@example.org");
        for unknown in ["nobody@example.org", "nobody", "", "a\u{0}b@example.org"] {
            assert_eq!(login(unknown), wrong, "{unknown:?}");
        }
    }

    fn a_wrong_password_and_an_unknown_address_take_as_long(server: Server) {
        for name in ["ada", "bob"] {
            server.register(name);
        }
        let time = |email: &str| {
            let body = json!({"email": email, "password": "wrong horse battery"});
            let began = Instant::now();
            server.anonymous().post("/api/v1/auth/login", &body).expect(401);
            began.elapsed()
        };
        // The shortest of several is least disturbed by what else runs on the machine; on a busy one
        // it takes more of them. Without a hash to compare with it would be a fraction, always.
        let (mut known, mut unknown) = (Duration::MAX, Duration::MAX);
        for _ in 0..20 {
            for _ in 0..4 {
                known = known.min(time("ada@example.org"));
                unknown = unknown.min(time("eve@example.org"));
            }
            let ratio = known.as_secs_f64() / unknown.as_secs_f64();
            if (0.7..1.4).contains(&ratio) {
                return;
            }
            server.advance(TimeDelta::minutes(20));
        }
        panic!("{known:?} {unknown:?}");
    }

    fn guessing_slows_down_and_locks_nobody_out(server: Server) {
        server.register("ada");
        let server = behind_a_proxy(&server);
        let guess = |address: &str| log_in(&server, address, "ada@example.org", "wrong password");
        let mut refused = 0;
        for _ in 0..40 {
            let answer = guess("192.0.2.1");
            if answer.status == 429 {
                refused += 1;
                let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
                assert!((1..=30).contains(&wait), "{wait}");
                // Who comes back as told is looked at, also an attacker.
                server.advance(TimeDelta::seconds(wait));
                guess("192.0.2.1").expect(401);
            }
            server.advance(TimeDelta::seconds(6));
        }
        assert!(refused > 10, "{refused}");
        // The owner, from elsewhere at once, and from the attacker's address when told.
        let right = |address: &str| log_in(&server, address, "ada@example.org", PASSWORD);
        let began = Instant::now();
        right("198.51.100.7").expect(200);
        assert!(began.elapsed() < Duration::from_secs(4));
        let answer = guess("192.0.2.1");
        assert_eq!(answer.status, 429);
        let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
        server.advance(TimeDelta::seconds(wait));
        right("192.0.2.1").expect(200);
        guess("192.0.2.1").expect(401);
    }

    fn guesses_at_once_are_counted_too(server: Server) {
        server.register("ada");
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let guesses: Vec<_> = (0..40)
                .map(|_| scope.spawn(|| {
                    log_in(&server, "", "ada@example.org", "wrong password").status
                }))
                .collect();
            guesses.into_iter().map(|guess| guess.join().unwrap()).collect()
        });
        let looked_at = statuses.iter().filter(|status| **status == 401).count();
        let refused = statuses.iter().filter(|status| **status == 429).count();
        assert_eq!(looked_at + refused, 40, "{statuses:?}");
        assert!((10..=16).contains(&looked_at), "{looked_at}");
    }

    fn right_passwords_from_one_address_are_no_attack(server: Server) {
        server.register("ada");
        for _ in 0..70 {
            server.log_in("ada");
        }
    }

    fn trying_many_accounts_from_one_address_slows_down(server: Server) {
        let server = behind_a_proxy(&server);
        let statuses: Vec<u16> = (0..64)
            .map(|number| {
                if number > 53 {
                    server.advance(TimeDelta::milliseconds(100));
                }
                let email = format!("user{number}@example.org");
                log_in(&server, "192.0.2.1", &email, "wrong password").status
            })
            .collect();
        assert!(statuses[..50].iter().all(|status| *status == 401));
        assert!(statuses.contains(&429), "{statuses:?}");
        log_in(&server, "192.0.2.2", "user1@example.org", "wrong password").expect(401);
    }

    /// Whoever has one address of an IPv6 network of 64 bits has them all.
    fn addresses_of_one_network_are_counted_together(server: Server) {
        let server = behind_a_proxy(&server);
        let guess = |address: &str, number: usize| {
            let email = format!("user{number}@example.org");
            log_in(&server, address, &email, "wrong password").status
        };
        let statuses: Vec<u16> = (0..64)
            .map(|number| {
                if number > 53 {
                    server.advance(TimeDelta::milliseconds(100));
                }
                guess(&format!("2001:db8:1:2::{number:x}"), number)
            })
            .collect();
        assert!(statuses.contains(&429), "{statuses:?}");
        assert_eq!(guess("2001:db8:1:3::1", 1), 401);
    }

    fn what_has_ended_is_cleared_away_by_and_by(server: Server) {
        server.register("ada");
        for _ in 0..3 {
            server.log_in("ada");
        }
        server.advance(TimeDelta::days(31));
        let kept = server.log_in("ada");
        let mut db = server.database.connect();
        let sessions: i64 = tokens::table.count().get_result(&mut db).unwrap();
        assert_eq!(sessions, 1);
        kept.get("/api/v1/me").expect(200);
        // Of an attempt that failed its lines stay for a while, of one that did not, its address's.
        let lines: i64 = login_throttles::table.count().get_result(&mut db).unwrap();
        assert_eq!(lines, 1);
        for number in 0..10 {
            log_in(&server, "", &format!("user{number}@example.org"), "wrong password").expect(401);
        }
        server.advance(TimeDelta::minutes(16));
        log_in(&server, "", "ada@example.org", "wrong password").expect(401);
        let lines: i64 = login_throttles::table.count().get_result(&mut db).unwrap();
        assert_eq!(lines, 3);
    }

    fn what_a_stranger_says_of_addresses_counts_for_nothing(server: Server) {
        // No proxy is trusted here, so all of these come from this machine.
        let statuses: Vec<u16> = (0..30)
            .map(|number| {
                let address = format!("192.0.2.{number}");
                let status = log_in(&server, &address, "ada@example.org", "wrong password").status;
                if number > 10 {
                    server.advance(TimeDelta::seconds(6));
                }
                status
            })
            .collect();
        assert!(statuses.contains(&429), "{statuses:?}");
    }

    fn what_stands_left_of_a_proxys_word_counts_for_nothing(server: Server) {
        let server = behind_a_proxy(&server);
        let guess = |told: &str| log_in(&server, told, "ada@example.org", "wrong password").status;
        let statuses: Vec<u16> = (0..30)
            .map(|number| {
                let status = guess(&format!("nonsense {number}, 192.0.2.1"));
                if number > 10 {
                    server.advance(TimeDelta::seconds(6));
                }
                status
            })
            .collect();
        assert!(statuses.contains(&429), "{statuses:?}");
        assert_eq!(guess("nonsense, 192.0.2.2"), 401);
    }

    fn sixty_registrations_a_minute_and_address_are_welcome(server: Server) {
        let register = |name: String| {
            let body = json!({"email": format!("{name}@example.org"), "password": "short"});
            server.anonymous().post("/api/v1/auth/register", &body)
        };
        for number in 0..60 {
            register(format!("user{number}")).expect(422);
        }
        for number in 60..120 {
            register(format!("user{number}")).expect(422);
        }
        let last = register("user120".to_owned());
        assert_eq!(last.status, 429);
        assert!(last.header("retry-after").is_some());
        server.advance(TimeDelta::seconds(60));
        server.register("ada");
    }
}

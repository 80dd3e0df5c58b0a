use super::{accepted, submissions};
use crate::harness::process::command;
use crate::harness::server::PASSWORD;
use crate::harness::site::{CROWD, assert_among};
use crate::harness::{Answer, Site, on_both};
use std::io::Write;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const PATH: &str = "/api/v1/submissions";

/// Submissions of each client.
const EACH: usize = 10;

/// Accounts that the operator adds in the meantime.
const ADDED: usize = 3;

on_both! {
    fn no_writer_is_refused(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, CROWD);
        let answers: Vec<Answer> = crowd
            .at_once(|client, number| -> Vec<Answer> {
                let submit = |turn| {
                    let slug = format!("p{}", (number * EACH + turn) % 40);
                    client.post_with_key(PATH, &format!("k{number}-{turn}"), &accepted(&slug))
                };
                (0..EACH).map(submit).collect()
            })
            .into_iter()
            .flatten()
            .collect();
        assert_among(&answers, &[201]);
        assert_eq!(submissions(&site), i64::try_from(CROWD * EACH).unwrap());
        let found = site.check();
        assert_eq!((found.solves, found.submissions), (40, CROWD * EACH));
    }

    /// The operator's commands write to the database that a process is writing to all the time.
    fn an_operator_adds_accounts_meanwhile(site: Site) {
        let ada = site.register("ada");
        let crowd = site.crowd(&ada, 17);
        let (done, written) = (AtomicBool::new(false), AtomicUsize::new(0));
        let counts = crowd.at_once(|client, number| {
            if number == 0 {
                for account in 0..ADDED {
                    let before = written.load(Ordering::Relaxed);
                    add_account(&site, account);
                    let meanwhile = written.load(Ordering::Relaxed) - before;
                    assert!(meanwhile > 0, "nobody wrote meanwhile");
                }
                done.store(true, Ordering::Relaxed);
                return 0;
            }
            let mut turn = 0;
            while !done.load(Ordering::Relaxed) {
                let key = format!("k{number}-{turn}");
                client.post_with_key(PATH, &key, &accepted(&format!("p{number}"))).expect(201);
                written.fetch_add(1, Ordering::Relaxed);
                turn += 1;
            }
            turn
        });
        assert_eq!(submissions(&site), i64::try_from(counts.iter().sum::<usize>()).unwrap());
        assert_eq!(site.check().users, 1 + ADDED);
    }
}

/// `traverse user add`, with the password on its standard input.
fn add_account(site: &Site, number: usize) {
    let mut child = command(&site.database)
        .args(["user", "add", &format!("user{number}@example.org"), &format!("user{number}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(PASSWORD.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

//! Letters as a real mail server takes, delays or refuses them.

use crate::harness::mail_server::MailServer;
use crate::harness::rows;
use std::time::Duration;
use traverse::mail::{Letter, Mailer, Security, Settings, Undelivered};

fn letter(to: &str) -> Letter<'_> {
    Letter {
        to,
        subject: "3 revisions are due tödäy\r\nBcc: eve@example.org",
        body: "1 of them is <b>overdue</b>.",
        link: Some(("Open", "https://t.example.org/today")),
        name: "delivery-7",
        origin: "https://t.example.org",
        unsubscribe: Some("https://t.example.org/api/v1/unsubscribe/7.digest.ab"),
    }
}

fn send(settings: &Settings, to: &str) -> Result<(), Undelivered> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { Mailer::new(settings).unwrap().send(&letter(to), rows::then()).await })
}

#[test]
fn a_letter_arrives_over_tls_with_both_its_parts() {
    let server = MailServer::start();
    send(&server.settings(), "ada@example.org").unwrap();
    let letters = server.wait_for(1);
    let [one] = letters.as_slice() else { panic!("{letters:?}") };
    assert!(one.tls);
    assert_eq!(one.to, ["ada@example.org"]);
    assert_eq!(one.from, "noreply@example.org");
    assert!(!one.headers.contains_key("bcc"), "{one:?}");
    assert_eq!(one.headers["message-id"], "<delivery-7@t.example.org>");
    assert_eq!(one.headers["list-unsubscribe-post"], "List-Unsubscribe=One-Click");
    assert!(one.headers["subject"].starts_with("3 revisions are due tödäy"), "{one:?}");
    assert!(one.text.starts_with("1 of them is <b>overdue</b>."), "{one:?}");
    assert!(one.html.contains("<p>1 of them is &lt;b&gt;overdue&lt;/b&gt;.</p>"), "{one:?}");
}

#[test]
fn a_refusal_is_for_good_and_a_delay_is_not() {
    let server = MailServer::start();
    for to in ["gone", "nobody"] {
        let refused = send(&server.settings(), &format!("{to}@example.org")).unwrap_err();
        assert!(matches!(refused, Undelivered::Refused(_)), "{refused:?}");
    }
    for to in ["busy", "full", "cut"] {
        let later = send(&server.settings(), &format!("{to}@example.org")).unwrap_err();
        assert!(matches!(later, Undelivered::Later(_)), "{later:?}");
    }
    // It says of the sender what it says, for whomever the letter is.
    let barred = Settings { from: "barred@example.org".parse().unwrap(), ..server.settings() };
    let later = send(&barred, "ada@example.org").unwrap_err();
    assert!(matches!(later, Undelivered::Later(_)), "{later:?}");
}

#[test]
fn a_server_that_is_silent_for_too_long_is_tried_again() {
    let server = MailServer::start();
    let impatient = Settings { limit: Duration::from_secs(2), ..server.settings() };
    let later = send(&impatient, "slow@example.org").unwrap_err();
    assert!(matches!(later, Undelivered::Later(_)), "{later:?}");
}

/// Nobody in between can read a letter by hiding that the server speaks TLS, or by a certificate.
#[test]
fn without_tls_that_is_trusted_nothing_is_sent() {
    let server = MailServer::start();
    let strange = Settings { ca: None, ..server.settings() };
    assert!(matches!(send(&strange, "ada@example.org"), Err(Undelivered::Later(_))));
    // This server wants STARTTLS itself: 530.
    let plain = Settings { security: Security::None, ..server.settings() };
    assert!(matches!(send(&plain, "ada@example.org"), Err(Undelivered::Later(_))));
    assert!(server.letters().is_empty());
}

#[test]
fn what_was_taken_is_sent_whatever_the_server_does_then() {
    let server = MailServer::start();
    send(&server.settings(), "rude@example.org").unwrap();
    assert_eq!(server.wait_for(1).len(), 1);
}

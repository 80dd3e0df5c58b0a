//! The message itself: what fits, and that a device can read it.

use super::judge::read;
use super::start;
use crate::harness::devices::{AUTH, P256DH};
use proptest::prelude::*;
use serde_json::Value;
use traverse::notifications::channels::push::message;
use traverse::notifications::model::{Kind, Notification};
use traverse::notifications::vapid::Vapid;
use traverse::notifications::web_push::{BadKeys, DeviceKeys, LONGEST, Unencrypted};

/// A pair that Node made: the public and the private key.
const PAIR: (&str, &str) = (
    "BO3W6mxHAnFKODBM1UtXTPqpnoxr8u-guV67Hd26OoS5DKMuLnuNk0A2TV6zYKmsOOvJlC79IdnFniliMSDOM6Y",
    "ntN72RmNn-2rWCwqkw-DfsvDCF5cCF8op_GhjF2VgU8",
);

fn notification(title: &str, body: &str) -> Notification {
    Notification {
        id: 7,
        kind: Kind::Broadcast,
        title: title.to_owned(),
        body: body.to_owned(),
        link: Some("/news".to_owned()),
        created_at: start(),
        read_at: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    /// Whatever its texts, a message fits, is JSON, and is cut only where it must be.
    #[test]
    fn every_message_fits(title in ".{0,200}", body in "(?s).{0,6000}") {
        let sent = message(&notification(&title, &body));
        prop_assert!(sent.len() <= LONGEST, "{}", sent.len());
        let read: Value = serde_json::from_slice(&sent).unwrap();
        prop_assert_eq!(read["notification_id"].as_i64(), Some(7));
        prop_assert_eq!(read["title"].as_str(), Some(title.as_str()));
        let kept = read["body"].as_str().unwrap();
        if kept == body {
            return Ok(());
        }
        prop_assert!(kept.ends_with('…') && body.starts_with(kept.trim_end_matches('…')));
        prop_assert!(sent.len() + 40 > LONGEST, "only {} of {LONGEST}", sent.len());
    }
}

#[test]
fn the_longest_message_can_be_read() {
    let device = DeviceKeys::read(P256DH, AUTH).unwrap().check().unwrap();
    let longest = vec![b'x'; LONGEST];
    let bodies = [b"".to_vec(), b"short".to_vec(), longest.clone()]
        .map(|message| (device.encrypt(&message).unwrap(), message));
    assert!(bodies.iter().all(|(body, message)| body.len() == message.len() + 103));
    assert_eq!(device.encrypt(&[longest, vec![b'x']].concat()), Err(Unencrypted));
    let header = signed();
    let sent: Vec<_> = bodies.iter().map(|(body, _)| (body.as_slice(), header.as_str())).collect();
    for (judged, (_, message)) in read(&sent).iter().zip(&bodies) {
        assert_eq!(judged.payload.as_bytes(), message);
    }
    let again = device.encrypt(b"short").unwrap();
    assert_ne!(again, bodies[1].0, "each has a key of its own");
}

fn signed() -> String {
    let endpoint = "https://push.example.org:8443/send/1".parse().unwrap();
    pair().authorization(&endpoint, start()).unwrap()
}

fn pair() -> Vapid {
    Vapid::configured(PAIR.0, PAIR.1, Some("mailto:ada@example.org".to_owned())).unwrap()
}

#[test]
fn the_pair_of_the_settings_signs() {
    let device = DeviceKeys::read(P256DH, AUTH).unwrap();
    let body = device.encrypt(b"hi").unwrap();
    let judged = read(&[(&body, &signed())]).remove(0);
    assert!(judged.signed);
    assert_eq!(judged.key, PAIR.0);
    assert_eq!(judged.claims["aud"], "https://push.example.org:8443");
    assert_eq!(judged.claims["sub"], "mailto:ada@example.org");
    let lasts = judged.claims["exp"].as_i64().unwrap() - start().timestamp();
    assert!((1..=86_400).contains(&lasts), "{lasts}");
    // The two of another pair do not belong together.
    assert!(Vapid::configured(P256DH, PAIR.1, None).is_err());
    assert!(Vapid::configured("", "", None).is_err());
}

#[test]
fn keys_that_are_none_are_refused() {
    let off_the_curve = format!("B{}", "A".repeat(86));
    for (p256dh, auth, expected) in [
        ("", AUTH, BadKeys::P256dh),
        ("BA", AUTH, BadKeys::P256dh),
        (off_the_curve.as_str(), AUTH, BadKeys::P256dh),
        (P256DH, "", BadKeys::Auth),
        (P256DH, "BTBZMqHH6r4Tts7J_aSIgg0", BadKeys::Auth),
        (P256DH, "!!!!", BadKeys::Auth),
    ] {
        let read = DeviceKeys::read(p256dh, auth).and_then(DeviceKeys::check);
        assert_eq!(read, Err(expected), "{p256dh} {auth}");
    }
    // Some browsers pad.
    assert!(DeviceKeys::read(&format!("{P256DH}="), &format!("{AUTH}==")).is_ok());
}

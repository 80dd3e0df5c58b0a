//! The secret in an address, and the names of events.

use traverse::auth::Secrets;
use traverse::calendar::token::{is_equal, of_event, of_feed};
use traverse::revisions::log::Kind;

fn secrets(signing: &[u8]) -> Secrets {
    Secrets { signing: signing.to_vec(), calendar_uids: b"uids".to_vec() }
}

/// The expected values are of Python's `hmac`, over the same framing.
#[test]
fn a_token_is_the_hmac_of_its_parts() {
    for (secret, token) in [
        (b"secret".to_vec(), "407d4bcb2697745a831db703e3d76937"),
        (vec![b'k'; 65], "fe0c66612f1c64f7980678c4095a82fc"),
    ] {
        assert_eq!(of_feed(&secrets(&secret), 7, "nonce"), token);
    }
}

#[test]
fn tokens_differ_in_every_part() {
    let one = of_feed(&secrets(b"secret"), 7, "nonce");
    for other in [
        of_feed(&secrets(b"Secret"), 7, "nonce"),
        of_feed(&secrets(b"secret"), 8, "nonce"),
        of_feed(&secrets(b"secret"), 7, "nonc"),
    ] {
        assert!(!is_equal(&one, &other));
    }
    assert!(is_equal(&one, &one.clone()));
    assert!(!is_equal(&one, &one[..31]) && !is_equal(&one, &one.to_uppercase()));
}

#[test]
fn events_differ_in_every_part_and_not_by_address() {
    let one = of_event(&secrets(b"secret"), 1, Kind::Ladder, 1);
    assert_eq!(one, of_event(&secrets(b"another"), 1, Kind::Ladder, 1));
    for (solve, kind, number) in
        [(2, Kind::Ladder, 1), (1, Kind::Adaptive, 1), (1, Kind::Ladder, 2)]
    {
        assert_ne!(one, of_event(&secrets(b"secret"), solve, kind, number));
    }
}

//! The token in a letter by which its receiver says, without logging in, that they want no more of
//! its kind: a keyed hash (HMAC-SHA256) over the user, the channel and the kind. It can do nothing
//! else, and is good as long as the secret of the instance stays.

use super::guards;
use super::model::{Channel, Kind};
use crate::db::Db;
use crate::db::instant::At;
use crate::secret::{Secrets, keyed};
use diesel::QueryResult;
use subtle::ConstantTimeEq;

/// Hexadecimal digits of the hash: 128 bits, which nobody guesses.
const DIGITS: usize = 32;

/// The token of a user and a kind: `user.kind.hash`.
#[must_use]
pub fn token(secrets: &Secrets, user_id: i64, kind: Kind) -> String {
    let signed = format!("{user_id}.{}", kind.as_str());
    let hash = digits(secrets, &signed);
    format!("{signed}.{hash}")
}

/// Whose token it is, and of which kind. `None`: this instance has not made it.
#[must_use]
pub fn read(secrets: &Secrets, token: &str) -> Option<(i64, Kind)> {
    let (signed, hash) = token.rsplit_once('.')?;
    let is_right: bool = digits(secrets, signed).as_bytes().ct_eq(hash.as_bytes()).into();
    let (user_id, kind) = signed.split_once('.').filter(|_| is_right)?;
    Some((user_id.parse().ok()?, kind.parse().ok()?))
}

fn digits(secrets: &Secrets, signed: &str) -> String {
    let parts = [b"unsubscribe", Channel::Email.as_str().as_bytes(), signed.as_bytes()];
    keyed(DIGITS, &secrets.signing, &parts)
}

/// Takes a kind away from what mail carries. `false`: it did not carry it.
///
/// # Errors
/// When the database fails.
pub fn mute(db: &mut Db, user_id: i64, kind: Kind, now: At) -> QueryResult<bool> {
    guards::mute_kind(db, user_id, Channel::Email, kind, now)
}

#[cfg(test)]
mod tests {
    use super::{read, token};
    use crate::notifications::model::Kind;
    use crate::secret::Secrets;

    #[test]
    fn a_token_is_of_one_user_and_kind_and_instance() {
        let secrets = |signing: &[u8]| Secrets { signing: signing.to_vec(), calendar_uids: vec![] };
        let ours = secrets(b"ours");
        let digest = token(&ours, 7, Kind::Digest);
        assert_eq!(read(&ours, &digest), Some((7, Kind::Digest)));
        assert_eq!(read(&secrets(b"theirs"), &digest), None);
        for other in [
            digest.replace("7.", "8."),
            digest.replace("digest", "broadcast"),
            digest.to_ascii_uppercase(),
            "7.digest.".to_owned(),
            "7.digest".to_owned(),
            String::new(),
        ] {
            assert_eq!(read(&ours, &other), None, "{other}");
        }
    }
}

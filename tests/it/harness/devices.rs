//! Devices that take messages, with keys that others made.

use super::rows::{self, User};
use traverse::db::Db;
use traverse::notifications::guards::register_subscription;
use traverse::notifications::model::{NewSubscription, PushSubscription};

/// The public key of a device (RFC 8291, appendix A).
pub const P256DH: &str =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
/// The private key that belongs to it.
pub const PRIVATE: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
/// The secret of that device.
pub const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

/// A device to be registered.
pub fn new_device(user: User, endpoint: &str) -> NewSubscription<'_> {
    NewSubscription { user_id: user.id, endpoint, p256dh: P256DH, auth: AUTH, now: rows::then() }
}

/// Registers a device of a user.
pub fn register(db: &mut Db, user: User, endpoint: &str) -> PushSubscription {
    register_subscription(db, &new_device(user, endpoint)).unwrap()
}

//! How the instance shows itself to push services (VAPID, RFC 8292): a key pair that is made at the
//! first start and kept in the database, so that all processes have the same, and a signed token for
//! each request.

use super::{guards, store};
use crate::db::Db;
use crate::db::instant::At;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde::Serialize;
use std::sync::Arc;
use url::Url;

/// For how long a token is good, in seconds: at most a day (RFC 8292, section 2).
const GOOD_FOR: i64 = 12 * 3600;

/// What the settings say of the instance's key.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The public and the private key, both base64url, where the operator has them.
    pub pair: Option<(String, String)>,
    /// Whom a push service can turn to: a `mailto:` or `https:` address.
    pub subject: Option<String>,
}

/// There is no key that can be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// It is none, or the two do not belong together.
    #[error("the public and the private key are no pair of P-256 in base64url")]
    NoPair,
    /// The system gave no randomness.
    #[error("the system gives no randomness")]
    NoRandomness,
    /// A statement failed.
    #[error(transparent)]
    Database(#[from] diesel::result::Error),
}

/// What a token says (RFC 8292, section 2).
#[derive(Serialize)]
struct Claims<'a> {
    aud: String,
    exp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<&'a str>,
}

/// The key pair of the instance.
#[derive(Clone, Debug)]
pub struct Vapid {
    pair: Arc<EcdsaKeyPair>,
    public: String,
    subject: Option<String>,
}

impl Vapid {
    /// The pair of the settings.
    ///
    /// # Errors
    /// Where it is none.
    pub fn configured(
        public: &str,
        private: &str,
        subject: Option<String>,
    ) -> Result<Self, Unusable> {
        let decode = |text: &str| {
            BASE64_URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|_| Unusable::NoPair)
        };
        let pair = EcdsaKeyPair::from_private_key_and_public_key(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            &decode(private)?,
            &decode(public)?,
            &SystemRandom::new(),
        );
        Ok(Self::of(pair.map_err(|_| Unusable::NoPair)?, subject))
    }

    /// The pair that was kept.
    fn kept(key: &str, subject: Option<String>) -> Result<Self, Unusable> {
        let key = BASE64_URL_SAFE_NO_PAD.decode(key).map_err(|_| Unusable::NoPair)?;
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &key, &random);
        Ok(Self::of(pair.map_err(|_| Unusable::NoPair)?, subject))
    }

    fn of(pair: EcdsaKeyPair, subject: Option<String>) -> Self {
        let public = BASE64_URL_SAFE_NO_PAD.encode(pair.public_key());
        Self { pair: Arc::new(pair), public, subject }
    }

    /// The public key, base64url: what a browser wants as `applicationServerKey`.
    #[must_use]
    pub fn public_key(&self) -> &str {
        &self.public
    }

    /// The value of the header `Authorization` of a request to a push service (RFC 8292, sections 2
    /// and 3).
    ///
    /// # Errors
    /// Where the system gives no randomness.
    pub fn authorization(&self, endpoint: &Url, now: At) -> Result<String, Unusable> {
        let claims = Claims {
            aud: endpoint.origin().ascii_serialization(),
            exp: now.timestamp() + GOOD_FOR,
            sub: self.subject.as_deref(),
        };
        // Text and numbers always have a JSON form.
        let claims = serde_json::to_string(&claims).unwrap_or_default();
        let encode = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        let head = encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let signed = format!("{head}.{}", encode(&claims));
        let signature = self
            .pair
            .sign(&SystemRandom::new(), signed.as_bytes())
            .map_err(|_| Unusable::NoRandomness)?;
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
        Ok(format!("vapid t={signed}.{signature}, k={}", self.public))
    }
}

/// Makes the key of the instance where it has none, and reads it; that of the settings comes first.
/// All processes agree.
///
/// # Errors
/// [`Unusable`].
pub fn key(db: &mut Db, settings: &Settings) -> Result<Vapid, Unusable> {
    let subject = settings.subject.clone();
    if let Some((public, private)) = &settings.pair {
        return Vapid::configured(public, private, subject);
    }
    if let Some(kept) = store::vapid_key(db)? {
        return Vapid::kept(&kept, subject);
    }
    let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
        .map_err(|_| Unusable::NoRandomness)?;
    guards::keep_vapid_key(db, &BASE64_URL_SAFE_NO_PAD.encode(made))?;
    let kept = store::vapid_key(db)?.ok_or(diesel::NotFound)?;
    Vapid::kept(&kept, subject)
}

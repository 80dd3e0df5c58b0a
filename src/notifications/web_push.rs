//! Web Push: a message that only one device can read (RFC 8291, over the content coding `aes128gcm`
//! of RFC 8188), in one record.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SystemRandom, generate};

/// The longest message, in bytes: 4,096 (RFC 8030, section 7.2) without the header of 86, the
/// delimiter and the tag.
pub const LONGEST: usize = 3_993;

/// The size of a record: greater than any message with its delimiter and tag (RFC 8291, section 4).
const RECORD: u32 = 4_096;

/// Bytes of a point of P-256, not compressed.
const POINT: usize = 65;

/// More characters than a key has in base64url, with padding or without.
const LONGEST_KEY: usize = 100;

/// Bytes of the secret of a device.
const AUTH: usize = 16;

/// The keys of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceKeys {
    public: Vec<u8>,
    auth: Vec<u8>,
}

/// Which of the two keys of a device is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKeys {
    /// The public key.
    #[error("65 bytes in base64url are expected, a point of P-256 that is not compressed")]
    P256dh,
    /// The secret.
    #[error("16 bytes in base64url are expected")]
    Auth,
}

/// The message is too long, or the system gave no randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message cannot be encrypted")]
pub struct Unencrypted;

impl From<Unspecified> for Unencrypted {
    fn from(_: Unspecified) -> Self {
        Self
    }
}

impl DeviceKeys {
    /// Reads the keys as a browser gives them, base64url with padding or without.
    ///
    /// # Errors
    /// [`BadKeys`].
    pub fn read(p256dh: &str, auth: &str) -> Result<Self, BadKeys> {
        let public = decode(p256dh).filter(|key| key.len() == POINT).ok_or(BadKeys::P256dh)?;
        let auth = decode(auth).filter(|auth| auth.len() == AUTH).ok_or(BadKeys::Auth)?;
        Ok(Self { public, auth })
    }

    /// Whether something can be encrypted with them: a point that is not on the curve shows when it is
    /// used.
    ///
    /// # Errors
    /// [`BadKeys`].
    pub fn check(self) -> Result<Self, BadKeys> {
        self.encrypt(b"").map_err(|_| BadKeys::P256dh)?;
        Ok(self)
    }

    /// Encrypts a message for the device: the body of the request to its push service.
    ///
    /// # Errors
    /// [`Unencrypted`].
    pub fn encrypt(&self, message: &[u8]) -> Result<Vec<u8>, Unencrypted> {
        if message.len() > LONGEST {
            return Err(Unencrypted);
        }
        let random = SystemRandom::new();
        let salt: [u8; 16] = generate(&random)?.expose();
        let private = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
        let public = private.compute_public_key()?;
        let device = UnparsedPublicKey::new(&ECDH_P256, &self.public);
        let (key, nonce) = agree_ephemeral(private, &device, |shared| {
            self.derive(shared, public.as_ref(), &salt)
        })??;
        let mut record = message.to_vec();
        // The delimiter of the last record.
        record.push(2);
        LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?).seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::empty(),
            &mut record,
        )?;
        let length = u8::try_from(public.as_ref().len()).map_err(|_| Unencrypted)?;
        Ok([&salt[..], &RECORD.to_be_bytes(), &[length], public.as_ref(), &record].concat())
    }

    /// The key and the nonce of the only record (RFC 8291, section 3.4).
    fn derive(
        &self,
        shared: &[u8],
        public: &[u8],
        salt: &[u8],
    ) -> Result<([u8; 16], [u8; 12]), Unspecified> {
        let both = Salt::new(HKDF_SHA256, &self.auth).extract(shared);
        let input: [u8; 32] = expand(&both, &[b"WebPush: info\0", &self.public, public])?;
        let secret = Salt::new(HKDF_SHA256, salt).extract(&input);
        let key = expand(&secret, &[b"Content-Encoding: aes128gcm\0"])?;
        let nonce = expand(&secret, &[b"Content-Encoding: nonce\0"])?;
        Ok((key, nonce))
    }
}

fn expand<const N: usize>(secret: &Prk, info: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    struct Length(usize);
    impl KeyType for Length {
        fn len(&self) -> usize {
            self.0
        }
    }
    let mut bytes = [0; N];
    secret.expand(info, Length(N))?.fill(&mut bytes)?;
    Ok(bytes)
}

fn decode(text: &str) -> Option<Vec<u8>> {
    if text.len() > LONGEST_KEY {
        return None;
    }
    BASE64_URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

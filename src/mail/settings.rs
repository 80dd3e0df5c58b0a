//! Where the operator's mail server is, read from the settings of the program.

use super::LIMIT;
use lettre::message::Mailbox;
use percent_encoding::percent_decode_str;
use std::path::PathBuf;
use std::time::Duration;

/// How a connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// By STARTTLS (RFC 3207): a server that does not offer it gets nothing.
    StartTls,
    /// From the first byte (RFC 8314).
    Tls,
    /// Not at all.
    None,
}

/// Whether the operator insists on TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Insistence {
    /// Nothing is sent without.
    Required,
    /// None is used: for a server on this machine.
    None,
}

/// The operator's mail server.
#[derive(Clone, PartialEq, Eq)]
pub struct Settings {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is protected.
    pub security: Security,
    /// The user and the password that it wants.
    pub credentials: Option<(String, String)>,
    /// Whom letters are from.
    pub from: Mailbox,
    /// A file of certificates, in PEM, that are trusted beside those of the system.
    pub ca: Option<PathBuf>,
    /// How long a letter may take: [`LIMIT`], but for tests.
    pub limit: Duration,
}

/// Shows no password.
impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("security", &self.security)
            .finish_non_exhaustive()
    }
}

/// What of it cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadMail {
    /// The address of the server.
    #[error(
        "TRAVERSE_SMTP_URL: smtp://host, or smtps://host, with a user, a password and a port \
             where they are needed, is expected"
    )]
    Url,
    /// The sender.
    #[error("TRAVERSE_SMTP_FROM: an address is expected, such as `Traverse <noreply@example.org>`")]
    From,
    /// A server, and no sender, or the other way round.
    #[error("TRAVERSE_SMTP_URL and TRAVERSE_SMTP_FROM are set together, or neither")]
    Half,
    /// A user without a password, or the other way round.
    #[error("TRAVERSE_SMTP_USER and TRAVERSE_SMTP_PASSWORD are set together, or neither")]
    Credentials,
    /// Two wishes that exclude each other.
    #[error("TRAVERSE_SMTP_TLS: `none` does not go with an smtps address")]
    Tls,
}

/// What the operator has set, as it stands in the environment.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    /// The address of the server.
    pub url: Option<&'a str>,
    /// The user.
    pub user: Option<&'a str>,
    /// The password.
    pub password: Option<&'a str>,
    /// The sender.
    pub from: Option<&'a str>,
    /// Whether TLS must be.
    pub tls: Insistence,
    /// A file of certificates.
    pub ca: Option<&'a str>,
}

impl Settings {
    /// Reads them. `None`: the instance sends no mail.
    ///
    /// # Errors
    /// [`BadMail`] names what cannot be used, never a password.
    pub fn read(raw: Raw<'_>) -> Result<Option<Self>, BadMail> {
        let (text, from) = match (raw.url, raw.from) {
            (None, None) => return Ok(None),
            (Some(url), Some(from)) => (url, from),
            _ => return Err(BadMail::Half),
        };
        let url = url::Url::parse(text).map_err(|_| BadMail::Url)?;
        let (security, usual) = match (url.scheme(), raw.tls) {
            ("smtp", Insistence::Required) => (Security::StartTls, 587),
            ("smtp", Insistence::None) => (Security::None, 25),
            ("smtps", Insistence::Required) => (Security::Tls, 465),
            ("smtps", Insistence::None) => return Err(BadMail::Tls),
            _ => return Err(BadMail::Url),
        };
        let is_plain = matches!(url.path(), "" | "/") && url.query().is_none();
        let host = url.host_str().filter(|host| !host.is_empty() && is_plain);
        let host = host.ok_or(BadMail::Url)?.trim_matches(['[', ']']).to_owned();
        let user = raw.user.map(str::to_owned).or(decoded(Some(url.username()))?);
        let password = raw.password.map(str::to_owned).or(decoded(url.password())?);
        let credentials = match (user, password) {
            (None, None) => None,
            (Some(user), Some(password)) => Some((user, password)),
            _ => return Err(BadMail::Credentials),
        };
        Ok(Some(Self {
            host,
            port: url.port().unwrap_or(usual),
            security,
            credentials,
            from: from.parse().map_err(|_| BadMail::From)?,
            ca: raw.ca.map(PathBuf::from),
            limit: LIMIT,
        }))
    }
}

fn decoded(part: Option<&str>) -> Result<Option<String>, BadMail> {
    let Some(part) = part.filter(|part| !part.is_empty()) else { return Ok(None) };
    let text = percent_decode_str(part).decode_utf8().map_err(|_| BadMail::Url)?;
    Ok(Some(text.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(url: &str) -> Raw<'_> {
        Raw {
            url: Some(url),
            user: None,
            password: None,
            from: Some("Traverse <noreply@example.org>"),
            tls: Insistence::Required,
            ca: None,
        }
    }

    #[test]
    fn an_address_says_all_that_is_needed() {
        for (url, host, port, security) in [
            ("smtp://mail.example.org", "mail.example.org", 587, Security::StartTls),
            ("smtp://mail.example.org:2525", "mail.example.org", 2525, Security::StartTls),
            ("smtps://mail.example.org", "mail.example.org", 465, Security::Tls),
            ("smtp://[::1]:25", "::1", 25, Security::StartTls),
        ] {
            let read = Settings::read(raw(url)).unwrap().unwrap();
            assert_eq!((read.host.as_str(), read.port, read.security), (host, port, security));
            assert_eq!(read.credentials, None, "{url}");
        }
    }

    #[test]
    fn a_password_may_have_any_character() {
        let read = Settings::read(raw("smtp://me%40example.org:p%3A%2F@h")).unwrap().unwrap();
        assert_eq!(read.credentials, Some(("me@example.org".to_owned(), "p:/".to_owned())));
        assert!(!format!("{read:?}").contains("p:/"), "{read:?}");
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for url in ["", "h", "http://h", "smtp://", "smtp://h/path", "smtp://h?tls=none"] {
            assert_eq!(Settings::read(raw(url)), Err(BadMail::Url), "{url}");
        }
        let plain = raw("smtp://h");
        let half = Raw { from: None, ..plain };
        assert_eq!(Settings::read(half), Err(BadMail::Half));
        let nobody = Raw { from: Some("nobody"), ..plain };
        assert_eq!(Settings::read(nobody), Err(BadMail::From));
        let user = Raw { user: Some("me"), ..plain };
        assert_eq!(Settings::read(user), Err(BadMail::Credentials));
        let both = Raw { tls: Insistence::None, ..raw("smtps://h") };
        assert_eq!(Settings::read(both), Err(BadMail::Tls));
    }
}

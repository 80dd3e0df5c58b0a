//! Mail, by the operator's SMTP server.
//!
//! What is always true: a letter leaves over TLS, unless the operator says otherwise; no text of a
//! user makes a header or HTML; an attempt ends within [`LIMIT`]; a letter that the server has taken
//! counts as taken, whatever the server does next.

pub mod letter;
pub mod settings;

pub use letter::Letter;
pub use settings::{Security, Settings};

use crate::db::instant::At;
use lettre::message::Mailbox;
use lettre::transport::smtp;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{
    AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters,
};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::{Address, Message};
use std::time::Duration;

/// How long a letter may take, from the connection to the server's last answer.
pub const LIMIT: Duration = Duration::from_secs(45);

/// How long it may take to reach the server.
const CONNECT: Duration = Duration::from_secs(15);

/// How long the server may take over a farewell.
pub const FAREWELL: Duration = Duration::from_secs(2);

/// Characters of an answer that are quoted.
const QUOTED: usize = 200;

/// Sends letters. Each has a connection of its own: none is kept that could be dead by the next.
#[derive(Clone)]
pub struct Mailer {
    host: String,
    port: u16,
    security: Security,
    /// What is trusted, where TLS is spoken.
    tls: Option<TlsParameters>,
    credentials: Option<Credentials>,
    from: Mailbox,
    limit: Duration,
}

/// The settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the mail server cannot be used: {0}")]
pub struct Unusable(String);

/// A letter that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// The server will not take it, however often it is asked.
    #[error("{0}")]
    Refused(String),
    /// It may take it later.
    #[error("{0}")]
    Later(String),
}

impl Mailer {
    /// Of an operator's settings; connects to nothing yet.
    ///
    /// # Errors
    /// [`Unusable`], where the certificates cannot be read.
    pub fn new(settings: &Settings) -> Result<Self, Unusable> {
        Ok(Self {
            host: settings.host.clone(),
            port: settings.port,
            security: settings.security,
            tls: match settings.security {
                Security::None => None,
                Security::StartTls | Security::Tls => Some(trusted(settings)?),
            },
            credentials: settings
                .credentials
                .clone()
                .map(|(user, password)| Credentials::new(user, password)),
            from: settings.from.clone(),
            limit: settings.limit,
        })
    }

    /// Sends a letter: the server has taken it when this ends well.
    ///
    /// # Errors
    /// [`Undelivered`], which says whether another attempt makes sense.
    pub async fn send(&self, letter: &Letter<'_>, now: At) -> Result<(), Undelivered> {
        let to: Address = letter.to.parse().map_err(|_| {
            Undelivered::Refused("no mail goes to the address of the account".to_owned())
        })?;
        let message = letter.message(&self.from, to, now).map_err(Undelivered::Refused)?;
        let mut connection = match tokio::time::timeout(self.limit, self.hand_over(&message)).await
        {
            Ok(taken) => taken?,
            Err(_) => return Err(Undelivered::Later(self.too_long())),
        };
        // It has taken the letter: that it does not answer a farewell changes nothing.
        drop(tokio::time::timeout(FAREWELL, connection.abort()).await);
        Ok(())
    }

    async fn hand_over(&self, message: &Message) -> Result<AsyncSmtpConnection, Undelivered> {
        // What a server says before it knows whose the letter is, is of the instance and its sender.
        let later = |error: smtp::Error| Undelivered::Later(words(&error));
        let mut connection = self.connect().await.map_err(later)?;
        let envelope = message.envelope();
        let mut options = Vec::new();
        if !envelope.to().iter().all(|to| to.to_string().is_ascii()) {
            // RFC 6531, section 3.3.
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                let why = "the mail server takes no address with other letters than a to z";
                return Err(Undelivered::Refused(why.to_owned()));
            }
            options.push(MailParameter::SmtpUtfEight);
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let sender = Mail::new(envelope.from().cloned(), options);
        connection.command(sender).await.map_err(later)?;
        for to in envelope.to() {
            let receiver = Rcpt::new(to.clone(), Vec::new());
            connection.command(receiver).await.map_err(|error| undelivered(&error))?;
        }
        connection.command(Data).await.map_err(|error| undelivered(&error))?;
        connection.message(&message.formatted()).await.map_err(|error| undelivered(&error))?;
        Ok(connection)
    }

    /// A connection that is protected as it must be, to a server that has let the instance in.
    async fn connect(&self) -> Result<AsyncSmtpConnection, smtp::Error> {
        let name = ClientId::default();
        let wrapper = match self.security {
            Security::Tls => self.tls.clone(),
            Security::StartTls | Security::None => None,
        };
        let server = (self.host.as_str(), self.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, Some(CONNECT), &name, wrapper, None)
                .await?;
        if let (Security::StartTls, Some(tls)) = (self.security, &self.tls) {
            connection.starttls(tls.clone(), &name).await?;
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }

    /// Whether the server answers, lets the instance in and speaks TLS as it must.
    ///
    /// # Errors
    /// What it said, or why there is no connection.
    pub async fn greet(&self) -> Result<(), String> {
        match tokio::time::timeout(self.limit, self.connect()).await {
            Ok(Ok(mut connection)) => {
                drop(tokio::time::timeout(FAREWELL, connection.abort()).await);
                Ok(())
            }
            Ok(Err(error)) => Err(words(&error)),
            Err(_) => Err(self.too_long()),
        }
    }

    fn too_long(&self) -> String {
        format!("the mail server took more than {} s", self.limit.as_secs())
    }
}

/// Shows no password.
impl std::fmt::Debug for Mailer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mailer").field("host", &self.host).finish_non_exhaustive()
    }
}

/// Whose certificates are trusted.
fn trusted(settings: &Settings) -> Result<TlsParameters, Unusable> {
    let unusable = |error: smtp::Error| Unusable(words(&error));
    // Mozilla's list where the system has none, as on the other ways out.
    let store = if rustls_native_certs::load_native_certs().certs.is_empty() {
        CertificateStore::WebpkiRoots
    } else {
        CertificateStore::Default
    };
    let mut parameters = TlsParameters::builder(settings.host.clone()).certificate_store(store);
    if let Some(path) = &settings.ca {
        let pem = std::fs::read(path)
            .map_err(|error| Unusable(format!("{}: {error}", path.display())))?;
        if !pem.windows(BEGIN.len()).any(|bytes| bytes == BEGIN) {
            return Err(Unusable(format!("{}: there is no certificate in it", path.display())));
        }
        parameters =
            parameters.add_root_certificate(Certificate::from_pem(&pem).map_err(unusable)?);
    }
    parameters.build_rustls().map_err(unusable)
}

/// How a certificate begins in a file (RFC 7468, section 5.1).
const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";

/// What a server says of a letter is for good where it is 5xx (RFC 5321, section 4.2.1).
fn undelivered(error: &smtp::Error) -> Undelivered {
    if error.is_permanent() {
        Undelivered::Refused(words(error))
    } else {
        Undelivered::Later(words(error))
    }
}

/// What went wrong, with its cause, in the words of the log.
fn words(error: &smtp::Error) -> String {
    let said = error.to_string();
    said.chars().filter(|c| !c.is_control()).take(QUOTED).collect()
}

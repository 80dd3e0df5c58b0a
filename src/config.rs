//! Settings of the program: from the environment or from flags, `--help` lists them.

use crate::db::{BadLocation, Location};
use crate::http::limits;
use crate::log::{LogFilter, USUAL};
use crate::mail::settings::{BadMail, Insistence, Raw};
use crate::notifications::vapid::{self, Vapid};
use crate::problems::classify::endpoint::{Address, PATIENCE, REST};
use ipnet::IpNet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

/// The fewest characters of `TRAVERSE_SECRET`.
const SHORTEST_SECRET: usize = 32;

/// Who may register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Registration {
    /// Anybody.
    Open,
    /// Nobody but the first admin; `traverse user add` makes accounts.
    Closed,
}

/// The heading in `--help` above what only the server and `doctor` use.
pub const OF_THE_SERVER: &str = "Settings of the server";

/// What each command needs to know. Without a form for the log, as [`Config`]: they hold secrets.
#[derive(Clone, clap::Args)]
pub struct Settings {
    /// `sqlite:` and a path, or a `postgres://` URL, which may hold a password.
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = "sqlite:traverse.db",
        global = true,
        value_name = "URL"
    )]
    pub database_url: String,
    /// Connections to the database; on SQLite those that read, beside the one that writes.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_CONNECTIONS", default_value_t = 16, global = true,
          value_parser = connections)]
    pub connections: u32,
    /// Where to listen: an IP address and a port.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_LISTEN", default_value = "127.0.0.1:8080", global = true,
          value_parser = listen)]
    pub listen: SocketAddr,
    /// The address by which others reach the server, for links and cookies; default `http://` and
    /// where it listens, or 127.0.0.1 where that is everywhere.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_PUBLIC_URL", global = true)]
    pub public_url: Option<String>,
    /// At least 32 characters that sign what the server hands out; made and kept when not given.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_SECRET", hide_env_values = true, global = true)]
    pub secret: Option<String>,
    /// Who may register.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_REGISTRATION", default_value = "open", global = true)]
    pub registration: Registration,
    /// Addresses or networks, with commas between, of proxies whose `X-Forwarded-For` counts.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_TRUSTED_PROXIES", default_value = "", global = true)]
    pub trusted_proxies: String,
    /// An endpoint that knows what problems are about, as the base address of an OpenAI API, such as
    /// `http://127.0.0.1:11434/v1`.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_CLASSIFIER_URL", global = true)]
    pub classifier_url: Option<String>,
    /// What that endpoint is to be told as a bearer token.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_CLASSIFIER_KEY", hide_env_values = true,
          global = true)]
    pub classifier_key: Option<String>,
    /// The model that it is to use.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_CLASSIFIER_MODEL", global = true)]
    pub classifier_model: Option<String>,
    /// Addresses or networks, with commas between, that users' URLs may lead to although they are not
    /// public, and without TLS: a push service or a webhook of your own.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_ALLOW_TARGETS", default_value = "", global = true)]
    pub allow_targets: String,
    /// The public key for push services, base64url; made and kept when not given.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_VAPID_PUBLIC_KEY", global = true)]
    pub vapid_public_key: Option<String>,
    /// The private key that belongs to it, base64url.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_VAPID_PRIVATE_KEY", hide_env_values = true, global = true)]
    pub vapid_private_key: Option<String>,
    /// Whom push services can turn to: a `mailto:` or `https:` address; default the public address,
    /// where that is https.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_VAPID_SUBJECT", global = true)]
    pub vapid_subject: Option<String>,
    /// The mail server: `smtp://` (STARTTLS, port 587) or `smtps://` (TLS, port 465), a host, a port
    /// where it is another, and perhaps a user and a password. Without it no mail is sent.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_SMTP_URL", hide_env_values = true, global = true)]
    pub smtp_url: Option<String>,
    /// The user of the mail server, where the address does not have it.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_SMTP_USER", global = true)]
    pub smtp_user: Option<String>,
    /// The password of that user.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_SMTP_PASSWORD", hide_env_values = true, global = true)]
    pub smtp_password: Option<String>,
    /// Whom mail is from, such as `Traverse <noreply@example.org>`.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_SMTP_FROM", global = true)]
    pub smtp_from: Option<String>,
    /// Whether mail needs TLS on its way to the server.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_SMTP_TLS", default_value = "required", global = true)]
    pub smtp_tls: Insistence,
    /// A file of certificates, in PEM, that the mail server may show beside those of the system.
    #[arg(long, help_heading = OF_THE_SERVER, env = "TRAVERSE_SMTP_CA", global = true)]
    pub smtp_ca: Option<String>,
    /// What is logged: a level, or levels of parts, such as `traverse=debug,warn`.
    #[arg(long, help_heading = OF_THE_SERVER, env = "RUST_LOG", default_value = USUAL, global = true,
          value_name = "FILTER")]
    pub log: LogFilter,
}

fn connections(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=1000).contains(number));
    number.ok_or_else(|| "a number from 1 to 1000 is expected (TRAVERSE_CONNECTIONS)".to_owned())
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "an IP address and a port are expected, such as 127.0.0.1:8080, no host name \
         (TRAVERSE_LISTEN)"
            .to_owned()
    })
}

/// Leaves out of account the variables that are there and empty, as an environment file has them.
/// An empty `DATABASE_URL` or `TRAVERSE_SECRET` is refused as any wrong one: nobody wants another
/// database, or another secret, by mistake.
#[must_use]
pub fn without_empty_variables(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let may_be_empty =
            arg.get_help_heading() == Some(OF_THE_SERVER) && arg.get_id() != "secret";
        let is_empty = |name| std::env::var_os(name).is_some_and(|value| value.is_empty());
        match arg.get_env() {
            Some(name) if may_be_empty && is_empty(name) => arg.env(None),
            _ => arg,
        }
    })
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadSetting {
    /// The database.
    #[error("DATABASE_URL: {0}")]
    Database(#[from] BadLocation),
    /// The public address.
    #[error("TRAVERSE_PUBLIC_URL: `{0}` is no http or https address without path")]
    PublicUrl(String),
    /// The secret.
    #[error("TRAVERSE_SECRET: at least {SHORTEST_SECRET} characters are needed")]
    Secret,
    /// The endpoint that knows problems.
    #[error(
        "TRAVERSE_CLASSIFIER_URL: an http or https address is expected, without user and query"
    )]
    ClassifierUrl,
    /// Its model.
    #[error("TRAVERSE_CLASSIFIER_URL and TRAVERSE_CLASSIFIER_MODEL are set together, or neither")]
    ClassifierModel,
    /// A trusted proxy.
    #[error("TRAVERSE_TRUSTED_PROXIES: `{0}` is no address and no network")]
    Proxy(String),
    /// A target.
    #[error("TRAVERSE_ALLOW_TARGETS: `{0}` is no address and no network")]
    Target(String),
    /// The keys for push services.
    #[error("TRAVERSE_VAPID_PUBLIC_KEY and TRAVERSE_VAPID_PRIVATE_KEY: {0}")]
    Vapid(String),
    /// Whom push services can turn to.
    #[error("TRAVERSE_VAPID_SUBJECT: `{0}` is no `mailto:` and no `https:` address")]
    Subject(String),
    /// The mail server.
    #[error(transparent)]
    Mail(#[from] BadMail),
}

/// The settings, understood.
#[derive(Clone)]
pub struct Config {
    /// Where the data is.
    pub database: Location,
    /// Connections to it.
    pub connections: u32,
    /// Where to listen.
    pub listen: SocketAddr,
    /// The address by which others reach the server, without a slash at the end.
    pub public_url: Option<String>,
    /// Signs what the server hands out.
    pub secret: Option<String>,
    /// Who may register.
    pub registration: Registration,
    /// Proxies whose `X-Forwarded-For` counts.
    pub trusted_proxies: Vec<IpNet>,
    /// An endpoint that knows what problems are about.
    pub classifier: Option<Address>,
    /// Networks that users' URLs may lead to although they are not public.
    pub allowed_targets: Vec<IpNet>,
    /// How the instance shows itself to push services.
    pub vapid: vapid::Settings,
    /// The mail server, where there is one.
    pub mail: Option<crate::mail::Settings>,
    /// What is logged.
    pub log: LogFilter,
    /// How long an ordinary request may take: [`limits::REQUEST`], but for tests.
    pub request: Duration,
}

impl Config {
    /// The address that links begin with: the public one, else the one listened on. Where that is
    /// every address of the machine, links are right on the machine itself only: the name by which a
    /// request came is no better, since a stranger can make it up.
    #[must_use]
    pub fn origin(&self) -> String {
        if let Some(url) = &self.public_url {
            return url.clone();
        }
        let ip = match self.listen.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}", SocketAddr::new(ip, self.listen.port()))
    }

    /// What the settings allow and its operator will hardly want.
    #[must_use]
    pub fn doubts(&self) -> Option<String> {
        let is_everywhere = self.public_url.is_none() && self.listen.ip().is_unspecified();
        is_everywhere.then(|| {
            format!(
                "{} is every address of this machine, and TRAVERSE_PUBLIC_URL is not set: links, \
                 such as those of calendar feeds, begin with {}, and cookies count only for pages \
                 from there",
                self.listen,
                match self.origin() {
                    origin if self.listen.port() == 0 => {
                        let address = origin.trim_end_matches(":0");
                        format!("{address} and the port that the system chooses")
                    }
                    origin => origin,
                }
            )
        })
    }

    /// Whether links begin with `https`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.public_url.as_deref().is_some_and(|url| url.starts_with("https:"))
    }

    /// Whether `address` is a proxy that tells the truth.
    #[must_use]
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|network| network.contains(&address))
    }
}

impl TryFrom<Settings> for Config {
    type Error = BadSetting;

    fn try_from(settings: Settings) -> Result<Self, BadSetting> {
        if settings.secret.as_ref().is_some_and(|text| text.chars().count() < SHORTEST_SECRET) {
            return Err(BadSetting::Secret);
        }
        let classifier = classifier(&settings)?;
        let public_url = settings.public_url.as_deref().map(origin).transpose()?;
        let vapid = vapid_settings(&settings, public_url.as_deref())?;
        let mail = crate::mail::Settings::read(Raw {
            url: settings.smtp_url.as_deref(),
            user: settings.smtp_user.as_deref(),
            password: settings.smtp_password.as_deref(),
            from: settings.smtp_from.as_deref(),
            tls: settings.smtp_tls,
            ca: settings.smtp_ca.as_deref(),
        })?;
        Ok(Self {
            database: Location::parse(&settings.database_url)?,
            connections: settings.connections,
            listen: settings.listen,
            public_url,
            secret: settings.secret,
            registration: settings.registration,
            trusted_proxies: networks(&settings.trusted_proxies).map_err(BadSetting::Proxy)?,
            allowed_targets: networks(&settings.allow_targets).map_err(BadSetting::Target)?,
            classifier,
            vapid,
            mail,
            log: settings.log,
            request: limits::REQUEST,
        })
    }
}

fn classifier(settings: &Settings) -> Result<Option<Address>, BadSetting> {
    let (url, model) = match (&settings.classifier_url, &settings.classifier_model) {
        (None, None) => return Ok(None),
        (Some(url), Some(model)) => (url, model.clone()),
        _ => return Err(BadSetting::ClassifierModel),
    };
    let url = url::Url::parse(url).map_err(|_| BadSetting::ClassifierUrl)?;
    let is_plain = url.query().is_none() && url.fragment().is_none() && is_nobodys(&url);
    if !matches!(url.scheme(), "http" | "https") || !is_plain {
        return Err(BadSetting::ClassifierUrl);
    }
    let key = settings.classifier_key.clone();
    Ok(Some(Address { url, key, model, patience: PATIENCE, rest: REST }))
}

fn origin(text: &str) -> Result<String, BadSetting> {
    let bad = || BadSetting::PublicUrl(text.to_owned());
    let url = url::Url::parse(text).map_err(|_| bad())?;
    let plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    if !matches!(url.scheme(), "http" | "https") || !plain || !is_nobodys(&url) {
        return Err(bad());
    }
    Ok(url.origin().ascii_serialization())
}

/// Whether a URL names no user and holds no password.
fn is_nobodys(url: &url::Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}

/// Networks with commas between; or what is none.
fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let network = |part: &str| {
        let read = IpNet::from_str(part).or_else(|_| IpAddr::from_str(part).map(IpNet::from));
        read.map_err(|_| part.to_owned())
    };
    parts.map(network).collect()
}

/// The keys for push services, tried out: a process that cannot use them does not start.
fn vapid_settings(
    settings: &Settings,
    public_url: Option<&str>,
) -> Result<vapid::Settings, BadSetting> {
    let subject = match &settings.vapid_subject {
        None => public_url.filter(|url| url.starts_with("https:")).map(str::to_owned),
        Some(subject) if subject.starts_with("mailto:") || subject.starts_with("https:") => {
            Some(subject.clone())
        }
        Some(subject) => return Err(BadSetting::Subject(subject.clone())),
    };
    let pair = match (&settings.vapid_public_key, &settings.vapid_private_key) {
        (None, None) => None,
        (Some(public), Some(private)) => {
            Vapid::configured(public, private, None)
                .map_err(|unusable| BadSetting::Vapid(unusable.to_string()))?;
            Some((public.clone(), private.clone()))
        }
        _ => return Err(BadSetting::Vapid("one of them is missing".to_owned())),
    };
    Ok(vapid::Settings { pair, subject })
}

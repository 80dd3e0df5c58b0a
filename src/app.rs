//! What a running process shares, and how it starts.

use crate::auth::password::Passwords;
use crate::auth::{self, Secrets};
use crate::clock::Clock;
use crate::config::Config;
use crate::db::guard::Guard;
use crate::db::pool::{Pool, PoolError};
use crate::db::tx::{Stopped, Work};
use crate::db::{Db, catalogue, migrate};
use crate::http::metrics::Metrics;
use crate::jobs::tally::Tally;
use crate::mail::{self, Mailer};
use crate::notifications::tally::Tally as Deliveries;
use crate::notifications::vapid::{self, Vapid};
use crate::outgoing::{NoTls, Outgoing};
use crate::problems::classify::endpoint::Endpoint;
use crate::{
    broadcasts, calendar, digest, import, jobs, notifications, pauses, preferences, problems,
    revisions, rings, social, solves, submissions, xp,
};

/// Every guard of the program.
#[must_use]
pub fn guards() -> Vec<Guard> {
    [
        auth::guards::GUARDS,
        preferences::guards::GUARDS,
        problems::guards::GUARDS,
        submissions::guards::GUARDS,
        solves::guards::GUARDS,
        revisions::guards::GUARDS,
        xp::guards::GUARDS,
        calendar::guards::GUARDS,
        import::guards::GUARDS,
        jobs::guards::GUARDS,
        notifications::guards::GUARDS,
        social::guards::GUARDS,
        broadcasts::guards::GUARDS,
        pauses::guards::GUARDS,
        rings::guards::GUARDS,
        digest::guards::GUARDS,
    ]
    .concat()
}

/// What the handlers of a process share.
#[derive(Clone)]
pub struct App {
    /// The settings.
    pub config: Config,
    /// What time it is.
    pub clock: Clock,
    /// The database.
    pub pool: Pool,
    /// What the instance signs with.
    pub secrets: Secrets,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// What imports share.
    pub imports: import::Places,
    /// Whom the worker asks what a problem is about, where the operator has said so.
    pub classifier: Option<Endpoint>,
    /// What its worker has done, and what waits in the queue.
    pub jobs: Tally,
    /// What its worker has delivered.
    pub deliveries: Deliveries,
    /// The way to addresses that users gave.
    pub outgoing: Outgoing,
    /// How the instance shows itself to push services.
    pub vapid: Vapid,
    /// Sends mail, where the operator has a server for it.
    pub mail: Option<Mailer>,
    /// What the process has done.
    pub metrics: Metrics,
}

/// Why a process does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The schema.
    #[error(transparent)]
    Migrate(#[from] migrate::MigrateError),
    /// The guards.
    #[error("it does not guard what it must: {0}")]
    Unguarded(#[from] catalogue::Unguarded),
    /// The connections.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// The figures.
    #[error("the metrics cannot be kept: {0}")]
    Metrics(#[from] prometheus::Error),
    /// The endpoint that knows problems.
    #[error("TRAVERSE_CLASSIFIER_URL cannot be used: {0}")]
    Classifier(String),
    /// The secrets.
    #[error("the secrets of the instance cannot be made or read: {0}")]
    Secrets(String),
    /// The key for push services.
    #[error("the key for push services cannot be made or read: {0}")]
    Vapid(#[from] vapid::Unusable),
    /// The way out.
    #[error(transparent)]
    Outgoing(#[from] NoTls),
    /// The mail server.
    #[error(transparent)]
    Mail(#[from] mail::Unusable),
}

/// Migrates, checks the guards and makes the secrets where there are none.
///
/// # Errors
/// [`StartError`]; whoever starts the process shows it and gives up.
pub fn prepare(config: &Config) -> Result<(Db, Secrets), StartError> {
    for name in migrate::run(&config.database)? {
        tracing::info!(name, "migrated");
    }
    let mut db = Db::open(&config.database).map_err(migrate::MigrateError::from)?;
    catalogue::check(&mut db, &guards())?;
    let made: Work<_, _> =
        crate::db::tx::write(&mut db, |db| auth::secrets(db, config.secret.as_deref()));
    let secrets = made.map_err(|stopped| {
        StartError::Secrets(match stopped {
            Stopped::Because(error) => error.to_string(),
            Stopped::Database(error) => error.to_string(),
            Stopped::Pool(error) => error.to_string(),
        })
    })?;
    Ok((db, secrets))
}

impl App {
    /// Prepares the database and opens the pool.
    ///
    /// # Errors
    /// [`StartError`]; whoever starts the process shows it and gives up.
    pub fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        let (mut db, secrets) = prepare(&config)?;
        let vapid = vapid::key(&mut db, &config.vapid)?;
        drop(db);
        let outgoing = Outgoing::new(&config.allowed_targets)?;
        let mail = config.mail.as_ref().map(Mailer::new).transpose()?;
        let pool = Pool::open(&config.database, config.connections)?;
        let jobs = Tally::new()?;
        let deliveries = Deliveries::new()?;
        let metrics = Metrics::new(clock.now(), &jobs, &deliveries)?;
        let classifier = config.classifier.clone().map(Endpoint::new).transpose();
        let classifier = classifier.map_err(|error| StartError::Classifier(error.to_string()))?;
        Ok(Self {
            config,
            clock,
            pool,
            secrets,
            passwords: Passwords::new(),
            imports: import::Places::default(),
            classifier,
            jobs,
            deliveries,
            outgoing,
            vapid,
            mail,
            metrics,
        })
    }
}

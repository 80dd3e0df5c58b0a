//! The kinds of jobs that a worker runs, each with its handler.

use super::model::Claimed;
use super::{Failed, Job};
use apalis_core::error::BoxDynError;
use apalis_core::task::Task;
use apalis_core::task::task_fn::{TaskFn, task_fn};
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tower_service::Service;

type Running = BoxFuture<'static, Result<(), BoxDynError>>;
type Start = Arc<dyn Fn(Task<Claimed>) -> Result<Running, Failed> + Send + Sync>;

#[derive(Clone)]
struct Handler {
    start: Start,
    lease: Duration,
    timeout: Duration,
}

/// Kind → handler. Clones share the handlers.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<&'static str, Handler>);

impl Registry {
    /// Adds an apalis handler: an async function of the job and of whatever it extracts. Of two for
    /// one kind the later one stays, which a test of the list refuses.
    #[must_use]
    pub fn on<J, F, FnArgs>(mut self, handler: F) -> Self
    where
        J: Job,
        F: Clone + Send + Sync + 'static,
        TaskFn<F, J, FnArgs>: Service<Task<J>, Response = (), Error = BoxDynError>,
        <TaskFn<F, J, FnArgs> as Service<Task<J>>>::Future: Send + 'static,
    {
        let start = move |task: Task<Claimed>| -> Result<Running, Failed> {
            let task = task.try_map_args(|row| serde_json::from_str::<J>(&row.payload))?;
            // A `TaskFn` is always ready.
            Ok(Box::pin(task_fn::<F, J, FnArgs>(handler.clone()).call(task)))
        };
        let handler = Handler { start: Arc::new(start), lease: J::LEASE, timeout: J::TIMEOUT };
        self.0.insert(J::KIND, handler);
        self
    }

    /// Its kinds.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// Its kinds, as the statements want them.
    #[must_use]
    pub fn kinds(&self) -> Kinds {
        let names: Vec<_> = self.0.keys().map(|kind| format!("'{kind}'")).collect();
        let mut lease = "case kind".to_owned();
        for (kind, handler) in &self.0 {
            // Writing to a `String` cannot fail.
            let _ = write!(lease, " when '{kind}' then {:.3}", handler.lease.as_secs_f64());
        }
        let shortest = self.0.values().map(|handler| handler.lease).min();
        Kinds {
            names: if names.is_empty() { "null".to_owned() } else { names.join(", ") },
            lease: format!("{lease} else 0 end"),
            shortest: shortest.unwrap_or(Duration::from_mins(1)),
        }
    }
}

/// The kinds that a worker knows; it never claims another.
#[derive(Clone, Debug)]
pub struct Kinds {
    names: String,
    lease: String,
    shortest: Duration,
}

impl Kinds {
    /// The names, as an SQL list.
    #[must_use]
    pub fn names(&self) -> &str {
        &self.names
    }

    /// The seconds of the lease of a row, as an SQL expression.
    #[must_use]
    pub fn lease(&self) -> &str {
        &self.lease
    }

    /// The shortest lease among them.
    #[must_use]
    pub fn shortest_lease(&self) -> Duration {
        self.shortest
    }
}

impl Service<Task<Claimed>> for Registry {
    type Response = ();
    type Error = BoxDynError;
    type Future = Running;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxDynError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, task: Task<Claimed>) -> Running {
        let kind = task.args.kind.clone();
        let Some(handler) = self.0.get(kind.as_str()) else {
            let error = Failed::Because(format!("the kind `{kind}` is unknown"));
            return Box::pin(async { Err(error.into()) });
        };
        let timeout = handler.timeout;
        match (handler.start)(task) {
            Ok(running) => Box::pin(async move {
                match tokio::time::timeout(timeout, running).await {
                    Ok(result) => result,
                    Err(_) => Err(Failed::TimedOut(timeout).into()),
                }
            }),
            Err(error) => Box::pin(async { Err(error.into()) }),
        }
    }
}

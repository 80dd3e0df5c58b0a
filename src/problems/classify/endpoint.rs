//! An endpoint of the operator's that knows problems: it speaks the chat completions of the OpenAI
//! API (`POST {url}/chat/completions`), as many servers do, on the machine itself too.
//!
//! It is asked for one topic of the list and for nothing else, so that whatever a title says, or the
//! endpoint answers, no more can come of it than a topic. It gets what is public of a problem: its
//! platform, its slug, its title.

use super::Subject;
use crate::problems::topic::{ALL, Topic};
use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Bytes of an answer that are read.
const LONGEST: usize = 64 << 10;

/// The longest wait that an endpoint can ask for.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// Where the endpoint is, and how it is asked.
#[derive(Clone)]
pub struct Address {
    /// What `/chat/completions` is appended to.
    pub url: Url,
    /// Sent as a bearer token.
    pub key: Option<String>,
    /// The model.
    pub model: String,
    /// How long an answer may take; shorter than the lease of the job.
    pub patience: Duration,
    /// For how long nobody asks after a failure, so that many jobs do not wait for an endpoint that
    /// is away.
    pub rest: Duration,
}

/// How long an answer may take.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// For how long nobody asks after a failure.
pub const REST: Duration = Duration::from_secs(30);

impl std::fmt::Debug for Address {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Without the key.
        out.debug_struct("Address")
            .field("url", &self.url.as_str())
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// An endpoint that can be asked.
#[derive(Clone, Debug)]
pub struct Endpoint {
    http: Client,
    address: Address,
    url: Url,
    rests_until: Arc<Mutex<Option<Instant>>>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// It is away or busy. It may be asked again; after this long, if it says so.
    Later {
        /// How long.
        wait: Option<Duration>,
        /// In the words of the log.
        why: String,
    },
    /// It failed somebody, or asked to wait, and nobody asks it for so long.
    Rests(Duration),
    /// What it says is no answer, and it would say the same again.
    Useless(String),
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    content: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    topic: Option<String>,
}

impl Endpoint {
    /// An endpoint.
    ///
    /// # Errors
    /// Where there is no way to speak TLS here.
    pub fn new(address: Address) -> Result<Self, reqwest::Error> {
        // An error means that there is one.
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = Client::builder()
            .timeout(address.patience)
            // The key is for this address alone.
            .redirect(Policy::none())
            .user_agent(concat!("traverse/", env!("CARGO_PKG_VERSION")))
            .build()?;
        let mut url = address.url.clone();
        let path = format!("{}/chat/completions", url.path().trim_end_matches('/'));
        url.set_path(&path);
        Ok(Self { http, address, url, rests_until: Arc::default() })
    }

    /// Asks what a problem is about. `None`: it does not know.
    ///
    /// # Errors
    /// [`NoAnswer`].
    pub async fn ask(&self, subject: &Subject) -> Result<Option<Topic>, NoAnswer> {
        if let Some(wait) = self.rests_for() {
            return Err(NoAnswer::Rests(wait));
        }
        let asked = self.send(subject).await;
        if let Err(NoAnswer::Later { wait, .. }) = &asked {
            let until = Instant::now() + wait.unwrap_or(self.address.rest);
            *self.rests_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        }
        read(&asked?)
    }

    fn rests_for(&self) -> Option<Duration> {
        let until = (*self.rests_until.lock().unwrap_or_else(PoisonError::into_inner))?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    async fn send(&self, subject: &Subject) -> Result<Vec<u8>, NoAnswer> {
        let mut request = self.http.post(self.url.clone()).json(&question(&self.address, subject));
        if let Some(key) = &self.address.key {
            request = request.bearer_auth(key);
        }
        let answer = request.send().await.map_err(away)?;
        let status = answer.status();
        let why = format!("the endpoint answers {status}");
        if status.is_success() {
            return body(answer).await;
        }
        match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                Err(NoAnswer::Later { wait: retry_after(&answer), why })
            }
            status if status.is_server_error() => Err(NoAnswer::Later { wait: None, why }),
            // A wrong key, model or address: the same question is answered the same.
            _ => Err(NoAnswer::Useless(why)),
        }
    }
}

fn question(address: &Address, subject: &Subject) -> serde_json::Value {
    let system = format!(
        "You classify programming problems by the main technique that solves them. Answer with a \
         JSON object that has one member, \"topic\": one of {}; or null where you are not sure.",
        ALL.join(", ")
    );
    let problem = json!({
        "platform": subject.platform.as_str(),
        "slug": subject.slug,
        "title": subject.title,
    });
    json!({
        "model": address.model,
        "temperature": 0,
        "response_format": {"type": "json_object"},
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": problem.to_string()},
        ],
    })
}

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` wants")]
fn away(error: reqwest::Error) -> NoAnswer {
    // Its text would tell the address, which may hold a secret.
    let why = match () {
        () if error.is_timeout() => "the endpoint takes too long",
        () if error.is_connect() => "the endpoint cannot be reached",
        () => "the endpoint breaks off",
    };
    NoAnswer::Later { wait: None, why: why.to_owned() }
}

/// Seconds that an endpoint asks to wait (RFC 9110, section 10.2.3); a date is not understood.
fn retry_after(answer: &Response) -> Option<Duration> {
    let seconds = answer.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}

async fn body(mut answer: Response) -> Result<Vec<u8>, NoAnswer> {
    let mut body = Vec::new();
    while let Some(bytes) = answer.chunk().await.map_err(away)? {
        body.extend_from_slice(&bytes);
        if body.len() > LONGEST {
            return Err(NoAnswer::Useless(format!("an answer of more than {LONGEST} bytes")));
        }
    }
    Ok(body)
}

/// Reads an answer. Pure.
///
/// # Errors
/// [`NoAnswer::Useless`].
pub fn read(body: &[u8]) -> Result<Option<Topic>, NoAnswer> {
    let useless = |why: &str| NoAnswer::Useless(why.to_owned());
    let completion: Completion =
        serde_json::from_slice(body).map_err(|_| useless("no chat completion"))?;
    let content = completion.choices.into_iter().next().and_then(|choice| choice.message.content);
    let content = content.ok_or_else(|| useless("a chat completion without a text"))?;
    // Models like to put a fence or a sentence around it.
    let object = content
        .find('{')
        .zip(content.rfind('}'))
        .and_then(|(from, to)| content.get(from..=to))
        .ok_or_else(|| useless("a text without a JSON object"))?;
    let answer: Answer =
        serde_json::from_str(object).map_err(|_| useless("a JSON object that is no answer"))?;
    match answer.topic {
        None => Ok(None),
        Some(name) => {
            let topic = Topic::named(&name);
            topic.map(Some).map_err(|error| NoAnswer::Useless(error.to_string()))
        }
    }
}

//! The real binary, as an operator starts it.

use super::{Backend, Client, Database};
use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A running `traverse serve`. It is killed when it is dropped.
pub struct Process {
    child: Child,
    pub url: String,
    log: PathBuf,
    /// Behind the child, so that it goes last.
    _database: Option<Database>,
}

impl Process {
    /// Starts the binary on a database of its own, and waits until it is ready.
    #[expect(clippy::used_underscore_binding, reason = "it is only kept")]
    pub fn fresh(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        let mut process = Self::on(&database);
        process._database = Some(database);
        process
    }

    /// Starts the binary on a database, which must outlive it, and waits until it is ready.
    pub fn on(database: &Database) -> Self {
        Self::serve(database, &[])
    }

    /// As [`Self::on`], with arguments after `serve`.
    pub fn serve(database: &Database, arguments: &[&str]) -> Self {
        let mut process = Self::spawn(database, &[&["serve"], arguments].concat());
        let began = Instant::now();
        loop {
            if let Some(address) = process.address() {
                process.url = format!("http://{address}");
                if process.is_ready() {
                    return process;
                }
            }
            assert!(process.child.try_wait().unwrap().is_none(), "it ended: {}", process.log());
            assert!(began.elapsed() < Duration::from_mins(1), "{}", process.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts `traverse worker` on a database, and waits until it works.
    pub fn worker(database: &Database) -> Self {
        Self::worker_with(database, &[])
    }

    /// As [`Self::worker`], with arguments after `worker`.
    pub fn worker_with(database: &Database, arguments: &[&str]) -> Self {
        Self::spawn(database, &[&["worker"], arguments].concat()).until_it_works()
    }

    /// Runs a test of this binary as a process of its own, told of a database by a variable, and
    /// waits until it works.
    pub fn role(database: &Database, test: &str, variable: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--ignored", "--nocapture"]);
        command.env(variable, database.url());
        Self::run(&mut command).until_it_works()
    }

    fn until_it_works(mut self) -> Self {
        let began = Instant::now();
        while !self.log().contains("\"message\":\"working\"") {
            assert!(self.is_running(), "it ended: {}", self.log());
            assert!(began.elapsed() < Duration::from_mins(1), "{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
        self
    }

    fn spawn(database: &Database, arguments: &[&str]) -> Self {
        Self::run(command(database).args(arguments))
    }

    fn run(command: &mut Command) -> Self {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("traverse-{}-{number}.log", std::process::id());
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        Self { child, url: String::new(), log, _database: None }
    }

    /// Where it listens, once it has said so.
    fn address(&self) -> Option<String> {
        self.log().lines().find_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            (line["message"] == "listening").then(|| line["address"].as_str().map(String::from))?
        })
    }

    fn is_ready(&self) -> bool {
        let request = self.client().request(reqwest::Method::GET, "/readyz");
        request.send().is_ok_and(|answer| answer.status() == 200)
    }

    /// A client without a token.
    pub fn client(&self) -> Client {
        Client::new(&self.url)
    }

    /// Ends it at once, as a loss of power to the process alone would.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Whether it has not ended.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([format!("-{name}"), pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for the end.
    pub fn wait(&mut self, limit: Duration) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < limit, "it does not end: {}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The most memory that it has had, in bytes.
    pub fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
        kibibytes * 1024
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }
}

/// The binary, told of a database and of nothing else. It listens on a port that the system chooses,
/// so that no two tests meet.
pub fn command(database: &Database) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traverse"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TRAVERSE_")) {
        command.env_remove(name);
    }
    command.env_remove("RUST_LOG").env("DATABASE_URL", database.url());
    command.env("TRAVERSE_LISTEN", "127.0.0.1:0");
    command
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(std::fs::remove_file(&self.log));
    }
}

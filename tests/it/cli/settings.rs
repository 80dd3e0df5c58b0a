//! Settings that are allowed and hardly wanted.

use super::{Said, run};
use crate::harness::process::command;
use crate::harness::{Database, Server, on_both};
use std::net::SocketAddr;

on_both! {
    fn to_listen_everywhere_without_an_address_is_doubted(database: Database) {
        for (listen, origin) in
            [("0.0.0.0:8081", "http://127.0.0.1:8081"), ("[::]:8081", "http://[::1]:8081")]
        {
            let said = run(&database, &["doctor", "--listen", listen]).expect(0).out;
            let line = said.lines().find(|line| line.starts_with("settings: warning:")).unwrap();
            assert!(line.contains("TRAVERSE_PUBLIC_URL") && line.contains(origin), "{line}");
            let known = ["--public-url", "https://traverse.example.org"];
            let said = run(&database, &[&["doctor", "--listen", listen], &known[..]].concat());
            assert!(said.expect(0).out.contains("settings: fine"));
        }
        let plain = run(&database, &["doctor"]).expect(0).out;
        assert!(plain.contains("settings: fine"), "{plain}");
        let listen: SocketAddr = "0.0.0.0:8081".parse().unwrap();
        let server = Server::on(database, |config| config.listen = listen);
        let ada = server.register("ada");
        let feed = ada.get("/api/v1/calendar").expect(200).body["url"].as_str().unwrap().to_owned();
        assert!(feed.starts_with("http://127.0.0.1:8081/calendar/"), "{feed}");
    }
}

/// The end of a command that was given one more variable.
fn with(database: &Database, variable: (&str, &str), arguments: &[&str]) -> Said {
    let (name, value) = variable;
    Said::from(command(database).args(arguments).env(name, value).output().unwrap())
}

on_both! {
    fn a_wrong_log_filter_is_refused(database: Database) {
        for (filter, words) in [
            ("nonsense", ["`nonsense` is no level", "RUST_LOG"]),
            ("inof,actix_server=warn", ["`inof` is no level", "RUST_LOG"]),
            ("traverse=nonsense", ["`traverse=debug,warn`, is expected", "RUST_LOG"]),
            ("h2=debug", ["nothing of Traverse would be logged", "RUST_LOG"]),
        ] {
            for command in ["serve", "doctor"] {
                with(&database, ("RUST_LOG", filter), &[command]).expect(2).names(&words);
            }
        }
        run(&database, &["doctor", "--log", "nonsense"]).expect(2).names(&["`nonsense`"]);
        for filter in
            ["debug", "off", "WARN", "traverse=debug,h2=warn", "traverse::http=trace", "traverse",
             "[request]=debug", "info,actix_server=warn", ""]
        {
            with(&database, ("RUST_LOG", filter), &["doctor"]).expect(0);
        }
    }

    fn a_wrong_setting_names_its_variable_and_what_was_expected(database: Database) {
        for (name, value, words) in [
            ("TRAVERSE_LISTEN", "localhost:8080", "an IP address and a port"),
            ("TRAVERSE_LISTEN", "8080", "such as 127.0.0.1:8080"),
            ("TRAVERSE_CONNECTIONS", "0", "a number from 1 to 1000"),
            ("TRAVERSE_CONNECTIONS", "many", "a number from 1 to 1000"),
        ] {
            with(&database, (name, value), &["doctor"]).expect(2).names(&[name, value, words]);
        }
        for (name, value, words) in [
            ("TRAVERSE_ALLOW_TARGETS", "10.0.0.0/8,mine", "`mine` is no address and no network"),
            ("TRAVERSE_VAPID_PUBLIC_KEY", "BA", "one of them is missing"),
            ("TRAVERSE_VAPID_SUBJECT", "ada@example.org", "is no `mailto:` and no `https:`"),
        ] {
            with(&database, (name, value), &["doctor"]).expect(1).names(&[name, words]);
        }
        let keys = ["--vapid-public-key", "BA", "--vapid-private-key", "AA"];
        run(&database, &[&["doctor"], &keys[..]].concat()).expect(1)
            .names(&["TRAVERSE_VAPID_PRIVATE_KEY", "no pair of P-256"]);
        run(&database, &["doctor", "--listen", "x"]).expect(2).names(&["TRAVERSE_LISTEN"]);
    }

    fn an_endpoint_that_cannot_be_is_refused(database: Database) {
        let endpoint = |url: &str, model: &[&str]| {
            run(&database, &[&["doctor", "--classifier-url", url], model].concat())
        };
        let model = ["--classifier-model", "small"];
        for bad in ["localhost:11434", "ftp://127.0.0.1/v1", "http://127.0.0.1/v1?key=1",
                    "http://me:secret@127.0.0.1/v1", "http://:secret@127.0.0.1/v1"] {
            endpoint(bad, &model).expect(1).names(&["TRAVERSE_CLASSIFIER_URL"]);
        }
        let alone = endpoint("http://127.0.0.1:11434/v1", &[]).expect(1);
        alone.names(&["TRAVERSE_CLASSIFIER_MODEL", "together"]);
        run(&database, &[&["doctor"], &model[..]].concat()).expect(1).names(&["together"]);
        for good in ["http://127.0.0.1:11434/v1", "https://models.example.org"] {
            endpoint(good, &model).expect(0);
        }
    }

    fn an_empty_variable_counts_as_unset(database: Database) {
        for name in ["TRAVERSE_LISTEN", "TRAVERSE_CONNECTIONS", "TRAVERSE_PUBLIC_URL",
                     "TRAVERSE_REGISTRATION", "TRAVERSE_TRUSTED_PROXIES", "RUST_LOG",
                     "TRAVERSE_CLASSIFIER_URL", "TRAVERSE_CLASSIFIER_KEY",
                     "TRAVERSE_CLASSIFIER_MODEL"] {
            let said = with(&database, (name, ""), &["doctor"]).expect(0);
            assert!(said.out.contains("settings: fine"), "{name}: {said:?}");
        }
        // Nobody wants another database, or another secret, by mistake.
        for name in ["DATABASE_URL", "TRAVERSE_SECRET"] {
            with(&database, (name, ""), &["doctor"]).expect(1).names(&[name]);
        }
    }

    fn a_port_that_is_taken_tells_the_way_out(database: Database) {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap().to_string();
        run(&database, &["serve", "--listen", &address]).expect(1)
            .names(&[&address, "choose another with TRAVERSE_LISTEN or --listen"]);
    }

    fn a_port_that_the_system_chooses_is_no_part_of_a_warning(database: Database) {
        let said = run(&database, &["doctor", "--listen", "0.0.0.0:0"]).expect(0).out;
        let words = "begin with http://127.0.0.1 and the port that the system chooses, and";
        assert!(said.contains(words), "{said}");
    }

    fn help_lists_every_setting(database: Database) {
        let help = run(&database, &["--help"]).expect(0).out;
        for name in ["DATABASE_URL", "TRAVERSE_LISTEN", "TRAVERSE_PUBLIC_URL", "TRAVERSE_SECRET",
                     "TRAVERSE_REGISTRATION", "TRAVERSE_TRUSTED_PROXIES", "TRAVERSE_CONNECTIONS",
                     "TRAVERSE_ALLOW_TARGETS", "TRAVERSE_CLASSIFIER_URL",
                     "TRAVERSE_CLASSIFIER_KEY", "TRAVERSE_CLASSIFIER_MODEL",
                     "TRAVERSE_VAPID_PUBLIC_KEY", "TRAVERSE_VAPID_PRIVATE_KEY",
                     "TRAVERSE_VAPID_SUBJECT", "RUST_LOG"] {
            assert!(help.contains(name), "{name} is not in {help}");
        }
        let help = run(&database, &["openapi", "--help"]).expect(0).out;
        assert!(!help.contains("DATABASE_URL"), "{help}");
    }
}

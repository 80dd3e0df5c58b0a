//! Settings that are allowed and hardly wanted.

use super::run;
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

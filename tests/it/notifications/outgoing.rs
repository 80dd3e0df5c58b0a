//! The way to addresses that users gave: what is not public is not spoken to, whatever it is called.

use super::{Stage, subscription};
use crate::harness::push_service::Reply;
use crate::harness::{Backend, Database, PushService, Server, on_both};
use http::Request;
use http_body_util::Full;
use std::net::{IpAddr, TcpListener};
use std::time::Duration;
use traverse::outgoing::{Answer, Outgoing, Refused, Unanswered, is_public, uri};

#[test]
fn what_is_not_everybodys_is_told_apart() {
    for private in [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.254",
        "127.0.0.1",
        "127.255.255.255",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "203.0.113.7",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:8.8.8.8",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a00:1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "3fff::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        assert!(!is_public(private.parse().unwrap()), "{private}");
    }
    for public in [
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.1.1",
        "198.17.0.1",
        "223.255.255.1",
        "2001:4860:4860::8888",
        "2606:4700::1111",
        "2a00:1450::1",
    ] {
        assert!(is_public(public.parse().unwrap()), "{public}");
    }
}

fn outgoing(allowed: &[&str]) -> Outgoing {
    let allowed: Vec<_> = allowed.iter().map(|network| network.parse().unwrap()).collect();
    Outgoing::new(&allowed).unwrap()
}

#[test]
fn an_address_is_read_as_far_as_can_be_said() {
    let strict = outgoing(&[]);
    let private = |ip: &str| Refused::Private(ip.parse().unwrap());
    for (url, refused) in [
        ("", Refused::Unreadable),
        ("push.example.org", Refused::Unreadable),
        ("data:text/plain,hi", Refused::Unreadable),
        ("http://push.example.org/1", Refused::Plain),
        ("ftp://push.example.org/1", Refused::Scheme("ftp".to_owned())),
        ("https://ada@push.example.org/1", Refused::Credentials),
        ("https://ada:secret@push.example.org/1", Refused::Credentials),
        ("https://127.0.0.1/1", private("127.0.0.1")),
        // As many as there are ways to write it.
        ("https://2130706433/1", private("127.0.0.1")),
        ("https://0x7f.1/1", private("127.0.0.1")),
        ("https://0177.0.0.1/1", private("127.0.0.1")),
        ("https://127.1/1", private("127.0.0.1")),
        ("https://[::1]/1", private("::1")),
        ("https://[::ffff:10.0.0.1]/1", private("::ffff:10.0.0.1")),
        ("https://169.254.169.254/latest/meta-data", private("169.254.169.254")),
        ("https://[64:ff9b::a00:1]/", private("64:ff9b::a00:1")),
    ] {
        assert_eq!(strict.read(url).unwrap_err(), refused, "{url}");
    }
    assert!(strict.read("https://push.example.org/1").is_ok());
    assert!(strict.read("https://8.8.8.8/1").is_ok());
    let open = outgoing(&["10.0.0.0/8"]);
    assert!(open.read("http://10.1.2.3/1").is_ok());
    assert!(open.read("https://[::ffff:10.1.2.3]/1").is_ok());
    assert_eq!(open.read("http://8.8.8.8/1").unwrap_err(), Refused::Plain);
    assert_eq!(open.read("http://127.0.0.1/1").unwrap_err(), private("127.0.0.1"));
}

/// Sends to a URL that was not looked at before.
fn send(outgoing: &Outgoing, url: &str) -> Result<Answer, Unanswered> {
    actix_web::rt::System::new().block_on(async {
        let url = url.parse().unwrap();
        let request = Request::post(uri(&url).unwrap()).body(Full::default()).unwrap();
        outgoing.send(request, Duration::from_secs(5)).await
    })
}

/// It is decided about the address that is dialled: no connection is made.
#[test]
fn what_is_not_public_is_not_dialled() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let strict = outgoing(&[]);
    for (host, refused) in [
        ("127.0.0.1", "127.0.0.1"),
        // A name, which only means something once it is dialled.
        ("localhost", "127.0.0.1"),
        ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"),
    ] {
        for scheme in ["http", "https"] {
            let error = send(&strict, &format!("{scheme}://{host}:{port}/")).unwrap_err();
            let Unanswered::Refused(Refused::Private(ip)) = &error else { panic!("{error:?}") };
            let loopback: [IpAddr; 2] = [refused.parse().unwrap(), "::1".parse().unwrap()];
            assert!(loopback.contains(ip), "{host}: {ip}");
        }
    }
    let nobody = listener.accept().unwrap_err();
    assert_eq!(nobody.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn an_answer_is_bounded_and_no_redirect_is_followed() {
    let service = PushService::start();
    let open = outgoing(&["127.0.0.1/32"]);
    let elsewhere = format!("{}/elsewhere", service.url);
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = elsewhere.clone();
        service.answers(move |_, _| Reply::of(status).with("Location", &*elsewhere));
        let answer = send(&open, &format!("{}/here", service.url)).unwrap();
        assert_eq!(answer.status.as_u16(), status);
    }
    assert!(service.statuses("/elsewhere").is_empty());
    service.answers(|_, _| Reply { body: vec![b'x'; 16 * 1024], ..Reply::of(200) });
    assert_eq!(send(&open, &service.url).unwrap().body.len(), 16 * 1024);
    service.answers(|_, _| Reply { body: vec![b'x'; 8 * 1024 * 1024], ..Reply::of(200) });
    assert!(send(&open, &service.url).unwrap().body.is_empty());
    service.answers(|_, _| Reply::of(200).after(Duration::from_secs(20)));
    let error = send(&open, &service.url).unwrap_err();
    assert!(matches!(error, Unanswered::TimedOut(_)), "{error:?}");
}

/// A server that may not speak to this machine.
struct Strict(Server);

impl Strict {
    fn fresh(backend: Backend) -> Self {
        let database = Database::fresh(backend);
        Self(Server::on(database, |config| config.allowed_targets = Vec::new()))
    }
}

on_both! {
    fn a_device_within_the_network_is_refused_or_fails(strict: Strict) {
        let stage = Stage::on(strict.0);
        let refuse = |endpoint: &str| {
            let body = subscription(endpoint);
            let answer = stage.ada.post("/api/v1/push-subscriptions", &body).expect(422);
            assert_eq!(answer.body["errors"][0]["pointer"], "/endpoint", "{endpoint}");
        };
        refuse(&format!("{}/phone", stage.service.url));
        refuse("https://10.0.0.1/phone");
        let port = stage.service.url.rsplit_once(':').unwrap().1;
        let named = subscription(&format!("https://localhost:{port}/phone"));
        stage.ada.post("/api/v1/push-subscriptions", &named).expect(201);
        let worker = stage.work();
        let told = stage.tell("1");
        stage.until(told, "pending1");
        let error = stage.delivery(told)["last_error"].as_str().unwrap().to_owned();
        assert_eq!(error, "it is no public address", "what a name means here is nobody's business");
        worker.stop();
        assert!(stage.service.received().is_empty());
    }
}

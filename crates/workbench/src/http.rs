//! A minimal HTTP server (RFC 9112) for a page on this host and a page of counters. Requests have
//! no body, and each has a separate connection.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

/// Maximum length of a request head. Browsers send less than a tenth of it.
const LONGEST: usize = 16 << 10;
/// Maximum number of header fields.
const FIELDS: usize = 64;
/// Time limit for receiving a whole request, and for each write of an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Clients that may send requests.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    /// Browsers on this host, for pages from this host at this port.
    OwnPort(u16),
    /// Programs that address this port by an IP address of this host or by `localhost`.
    AnyAddress(u16),
}

/// An error status with its reason.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal(pub u16, pub &'static str);

/// Reads a request from a connection. Returns the requested path, or a refusal.
pub fn requested(
    connection: &mut TcpStream,
    access: Access,
) -> io::Result<Result<String, Refusal>> {
    let until = Instant::now() + PATIENCE;
    connection.set_write_timeout(Some(PATIENCE))?;
    connection.set_nodelay(true)?;
    let mut head = Vec::new();
    loop {
        // The limit is for the whole request, so a client that sends single octets gets no extra
        // time.
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        connection.set_read_timeout(Some(left.ok_or(io::ErrorKind::TimedOut)?))?;
        let mut room = [0; 2048];
        let count = connection.read(&mut room)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&room[..count]);
        match path(&head, access) {
            Some(answer) => return Ok(answer),
            None if head.len() > LONGEST => {
                return Ok(Err(Refusal(431, "the head of the request is too long")));
            }
            None => {}
        }
    }
}

/// Returns the path of a request, or `None` while its head is incomplete.
///
/// A page from another origin must not read this server. It could reach the server by its own host
/// name that resolves to 127.0.0.1 (DNS rebinding), but the browser then sends that name as Host.
/// So this function refuses requests with a foreign Host or Origin.
fn path(head: &[u8], access: Access) -> Option<Result<String, Refusal>> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(head) {
        Ok(httparse::Status::Partial) => return None,
        Ok(httparse::Status::Complete(_)) => {}
        Err(_) => return Some(Err(Refusal(400, "this is not a request of HTTP/1"))),
    }
    let named = |name: &'static str| {
        request
            .headers
            .iter()
            .filter(move |field| field.name.eq_ignore_ascii_case(name))
            .map(|field| field.value)
    };
    let here = |value: &[u8]| match access {
        Access::OwnPort(port) => {
            own_names(port).iter().any(|own| own.as_bytes().eq_ignore_ascii_case(value))
        }
        Access::AnyAddress(port) => {
            std::str::from_utf8(value).is_ok_and(|host| is_address(host, port))
        }
    };
    let mut hosts = named("host");
    if !(hosts.next().is_some_and(here) && hosts.next().is_none()) {
        let remedy = match access {
            Access::OwnPort(_) => {
                "this page is for browsers on this host: ask for it by 127.0.0.1 or localhost and its port"
            }
            Access::AnyAddress(_) => {
                "ask for this by an address of its host, or by localhost, and its port: names are refused, since a page from elsewhere may give itself one"
            }
        };
        return Some(Err(Refusal(403, remedy)));
    }
    if !named("origin").all(|origin| origin.strip_prefix(b"http://").is_some_and(here)) {
        return Some(Err(Refusal(403, "this page is not for other pages")));
    }
    if request.method != Some("GET") {
        return Some(Err(Refusal(405, "there is nothing here but to GET")));
    }
    let target = request.path.unwrap_or_default();
    Some(Ok(target.split_once('?').map_or(target, |(path, _)| path).to_owned()))
}

/// True if a Host field has an IP address or `localhost`, and this port. Port 80 may be left out.
fn is_address(host: &str, port: u16) -> bool {
    let (name, behind) = match host.rfind(':').filter(|at| !host[*at..].contains(']')) {
        Some(at) => (&host[..at], host[at + 1..].parse().ok()),
        None => (host, Some(80)),
    };
    let in_brackets = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let is_named = match in_brackets {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => {
            name.eq_ignore_ascii_case("localhost")
                || name.parse::<IpAddr>().is_ok_and(|address| address.is_ipv4())
        }
    };
    is_named && behind == Some(port)
}

/// Returns the Host values that a browser on this host sends for this port. Port 80 may be left
/// out.
fn own_names(port: u16) -> Vec<String> {
    let with_port = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    with_port
        .into_iter()
        .chain(
            (port == 80)
                .then(|| ["127.0.0.1", "localhost"].map(str::to_owned))
                .into_iter()
                .flatten(),
        )
        .collect()
}

/// Formats the head of an answer. Its fields forbid caching and use by pages from other origins.
fn head(status: u16, kind: &str, length: Option<usize>) -> String {
    let word = match status {
        200 => "OK",
        404 => "Not Found",
        405 => "Method Not Allowed\r\nAllow: GET",
        503 => "Service Unavailable",
        _ => "Refused",
    };
    let length = length.map_or(String::new(), |length| format!("Content-Length: {length}\r\n"));
    format!(
        "HTTP/1.1 {status} {word}\r\nContent-Type: {kind}\r\n{length}Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
    )
}

/// Sends a page.
pub fn page(connection: &mut TcpStream, html: &[u8]) -> io::Result<()> {
    connection.write_all(head(200, "text/html; charset=utf-8", Some(html.len())).as_bytes())?;
    connection.write_all(html)
}

/// Sends a text of this media type.
pub fn text(connection: &mut TcpStream, kind: &str, text: &str) -> io::Result<()> {
    connection.write_all(head(200, kind, Some(text.len())).as_bytes())?;
    connection.write_all(text.as_bytes())
}

/// Sends a refusal.
pub fn refuse(connection: &mut TcpStream, Refusal(status, reason): &Refusal) -> io::Result<()> {
    let text = format!("{reason}\n");
    connection
        .write_all(head(*status, "text/plain; charset=utf-8", Some(text.len())).as_bytes())?;
    connection.write_all(text.as_bytes())
}

/// Starts an event stream.
pub fn events(connection: &mut TcpStream) -> io::Result<()> {
    connection.write_all(head(200, "text/event-stream", None).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(head: &str) -> Option<Result<String, u16>> {
        path(head.as_bytes(), Access::OwnPort(8123))
            .map(|answer| answer.map_err(|Refusal(status, _)| status))
    }

    #[test]
    fn requests_are_for_this_host_and_port_alone() {
        let get = |fields: &str| asked(&format!("GET /events?x HTTP/1.1\r\n{fields}\r\n"));
        for fields in [
            "Host: 127.0.0.1:8123\r\n",
            "host: LOCALHOST:8123\r\n",
            "Host: localhost:8123\r\nOrigin: http://localhost:8123\r\n",
        ] {
            assert_eq!(get(fields), Some(Ok("/events".to_owned())), "{fields}");
        }
        let refused = [
            "",
            "Host: evil.example:8123\r\n",
            "Host: 127.0.0.1\r\n",
            "Host: 127.0.0.1:8124\r\n",
            "Host: 127.0.0.1:8123\r\nHost: evil.example\r\n",
            "Host: 127.0.0.1:8123\r\nOrigin: http://evil.example\r\n",
            "Host: 127.0.0.1:8123\r\nOrigin: null\r\n",
        ];
        for fields in refused {
            assert_eq!(get(fields), Some(Err(403)), "{fields}");
        }
    }

    #[test]
    fn counters_are_for_who_asks_by_an_address() {
        let get = |host: &str, port| match path(
            format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes(),
            Access::AnyAddress(port),
        ) {
            Some(Ok(path)) => path == "/metrics",
            _ => false,
        };
        for host in [
            "127.0.0.1:9696",
            "192.0.2.7:9696",
            "[::1]:9696",
            "[2001:db8::1]:9696",
            "LocalHost:9696",
        ] {
            assert!(get(host, 9696), "{host}");
        }
        for host in [
            "evil.example:9696",
            "127.0.0.1",
            "127.0.0.1:9697",
            "127.0.0.1.evil.example:9696",
            "::1:9696",
            "[127.0.0.1]:9696",
            "",
            ":9696",
        ] {
            assert!(!get(host, 9696), "{host}");
        }
        assert!(get("192.0.2.7", 80) && get("[::1]", 80));
    }

    #[test]
    fn other_methods_and_other_protocols_are_refused() {
        assert_eq!(asked("POST / HTTP/1.1\r\nHost: localhost:8123\r\n\r\n"), Some(Err(405)));
        assert_eq!(asked("\u{16}\u{3}\u{1}"), Some(Err(400)));
        assert_eq!(asked("GET / HTTP/1.1\r\nHost: local"), None);
        assert_eq!(own_names(80).last().map(String::as_str), Some("localhost"));
    }
}

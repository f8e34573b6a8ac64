//! Verdicts on controllers: suites of scenarios with rules ([RFC 9743](https://www.rfc-editor.org/rfc/rfc9743), the test cases of
//! draft-ietf-ccwg-bbr), and the search for networks that break a controller.

pub mod attack;

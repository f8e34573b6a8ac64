//! Parser for lines of `ss -ti`, printed again and again while a connection sends. Their clock is
//! `busy`, the time in which the connection had data to send, so they need no times of their own.

use super::model::{Problem, Quantity, Series};
use super::samples::{Sample, Samples};

const REMEDY: &str = "give the lines of `ss -tin dst HOST`, printed for example every 0.1 s while one connection sends";

/// Largest plausible values: ten years in milliseconds, an exabyte. The limits are our choice.
const MOST_MS: f64 = 3.2e11;
const MOST_BYTES: f64 = 1e18;

/// A line with the state of a connection.
#[derive(Clone, Debug, Default)]
struct State {
    /// Number of the line, from 1.
    line: usize,
    /// Addresses of the connection: the words before the state.
    connection: String,
    controller: Option<String>,
    rtt: Option<f64>,
    least_rtt: Option<f64>,
    mss: Option<f64>,
    window: Option<f64>,
    acknowledged: f64,
    resent: f64,
    busy: f64,
}

/// True if a text has the state of a TCP connection as ss prints it.
pub(super) fn is_one(text: &str) -> bool {
    text.lines().any(|line| value(line, "rtt:").is_some() && value(line, "bytes_acked:").is_some())
}

/// Returns the word that follows a key.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(key))
}

/// Returns the number of a key, if the line has it.
fn number(at: usize, line: &str, key: &str, most: f64) -> Result<Option<f64>, Problem> {
    let Some(word) = value(line, key) else { return Ok(None) };
    let digits = word.split('/').next().unwrap_or(word);
    let digits = digits.strip_suffix("ms").unwrap_or(digits);
    match digits.parse::<f64>() {
        Ok(number) if (0.0..=most).contains(&number) => Ok(Some(number)),
        _ => Err((at, format!("{key}{word} is no number from 0 to {most:e}"), REMEDY)),
    }
}

fn states(text: &str) -> Result<Vec<State>, Problem> {
    let (mut states, mut before) = (Vec::new(), "");
    for (index, line) in text.lines().enumerate() {
        let at = index + 1;
        if value(line, "rtt:").is_none() || value(line, "bytes_acked:").is_none() {
            if !line.trim().is_empty() {
                before = line;
            }
            continue;
        }
        // With -O the addresses are on the line itself.
        let own = line.split("rtt:").next().unwrap_or_default();
        let named =
            if own.matches(':').count() >= 2 && own.contains("ESTAB") { own } else { before };
        let connection: Vec<&str> = named.split_whitespace().skip(3).take(2).collect();
        let Some(busy) = number(at, line, "busy:", MOST_MS)? else {
            // It has sent nothing yet.
            continue;
        };
        let controllers = line.split_whitespace().filter(|word| {
            word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
                && word.starts_with(|c: char| c.is_ascii_lowercase())
        });
        const OTHERS: [&str; 7] =
            ["ts", "sack", "ecn", "ecnseen", "fastopen", "app_limited", "send"];
        states.push(State {
            line: at,
            connection: connection.join(" "),
            controller: controllers
                .map(str::to_owned)
                .find(|word| !OTHERS.contains(&word.as_str()) && word != "unknown"),
            rtt: number(at, line, "rtt:", MOST_MS)?,
            least_rtt: number(at, line, "minrtt:", MOST_MS)?,
            mss: number(at, line, "mss:", 65_535.0)?,
            window: number(at, line, "cwnd:", MOST_BYTES)?,
            acknowledged: number(at, line, "bytes_acked:", MOST_BYTES)?.unwrap_or_default(),
            resent: number(at, line, "bytes_retrans:", MOST_BYTES)?.unwrap_or_default(),
            busy: busy / 1e3,
        });
    }
    Ok(states)
}

/// Parses the samples of the connection that has sent most.
pub(super) fn samples(text: &str) -> Result<Samples, Problem> {
    let states = states(text)?;
    let most = states.iter().max_by(|one, other| one.acknowledged.total_cmp(&other.acknowledged));
    let Some(most) = most else {
        return Err((1, "no line has rtt:, bytes_acked: and busy:".to_owned(), REMEDY));
    };
    let own: Vec<&State> =
        states.iter().filter(|state| state.connection == most.connection).collect();
    let mut samples = Samples { is_ss: true, ..Samples::default() };
    let mut before: Option<&State> = None;
    for state in own {
        let Some(last) = before else {
            samples.begins = state.busy;
            before = Some(state);
            continue;
        };
        if state.busy < last.busy || state.acknowledged < last.acknowledged {
            let problem =
                "the connection is another one than before: its time or its bytes went back";
            return Err((state.line, problem.to_owned(), REMEDY));
        }
        if state.busy == last.busy {
            continue;
        }
        let mss = state.mss.unwrap_or(1448.0).max(1.0);
        samples.points.push(Sample {
            at: state.busy,
            bytes: state.acknowledged - last.acknowledged,
            rtt_ms: state.rtt,
            window: state.window,
            resent: (state.resent - last.resent).max(0.0) / mss,
        });
        before = Some(state);
    }
    samples.controller.clone_from(&most.controller);
    samples.mss = most.mss.filter(|mss| *mss >= 1.0);
    samples.least_rtt_ms = most.least_rtt.filter(|rtt| *rtt > 0.0);
    if samples.points.is_empty() {
        return Err((most.line, "the connection is on one line only".to_owned(), REMEDY));
    }
    Ok(samples)
}

/// Parses the throughput, the round trip and the window of a connection.
pub(super) fn parse(text: &str) -> Result<(Vec<Series>, Option<String>), Problem> {
    let samples = samples(text)?;
    let mut series = [Quantity::Throughput, Quantity::Rtt, Quantity::Window]
        .map(|quantity| Series { quantity, points: Vec::new() });
    let mut from = samples.begins;
    for sample in &samples.points {
        let at = sample.at - samples.begins;
        let rate = 8.0 * sample.bytes / (sample.at - from) / 1e6;
        series[0].points.push(((from + sample.at) / 2.0 - samples.begins, rate));
        series[1].points.extend(sample.rtt_ms.map(|rtt| (at, rtt)));
        series[2].points.extend(sample.window.map(|window| (at, window)));
        from = sample.at;
    }
    Ok((series.into_iter().filter(|series| !series.points.is_empty()).collect(), samples.remark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TWO: &str = "\
ESTAB 0 250112 10.0.0.1:40000 10.0.0.2:5201
\t cubic wscale:7,7 rto:232 rtt:30.5/0.2 mss:1448 cwnd:100 bytes_sent:2000 bytes_acked:1000 busy:1000ms minrtt:30.1
ESTAB 0 0 10.0.0.1:22 10.0.0.3:1000
\t bbr rtt:1/0 mss:1448 cwnd:10 bytes_acked:10 busy:5ms
ESTAB 0 250112 10.0.0.1:40000 10.0.0.2:5201
\t cubic wscale:7,7 rto:232 rtt:40.5/0.2 mss:1448 cwnd:120 bytes_sent:2000 bytes_retrans:2896 bytes_acked:1001000 busy:1100ms minrtt:30.05
";

    #[test]
    fn the_connection_that_sent_most_is_read() {
        let samples = samples(TWO).expect("two lines of one connection");
        assert_eq!(samples.controller.as_deref(), Some("cubic"));
        assert_eq!((samples.mss, samples.least_rtt_ms), (Some(1448.0), Some(30.05)));
        let one = samples.points[0];
        assert_eq!((one.bytes, one.rtt_ms, one.resent), (1_000_000.0, Some(40.5), 2.0));
        // 1 MB in 0.1 s.
        let (series, _) = parse(TWO).expect("a measurement");
        assert!((series[0].points[0].1 - 80.0).abs() < 1e-9, "{series:?}");
    }

    #[test]
    fn what_is_no_measurement_is_refused_with_its_line() {
        let broken = TWO.replace("rtt:40.5", "rtt:-40.5");
        assert_eq!(samples(&broken).unwrap_err().0, 6);
        let back = TWO.replace("busy:1100ms", "busy:100ms");
        assert_eq!(samples(&back).unwrap_err().0, 6);
        assert!(samples("nothing\n").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "([a-z:0-9./ \n]|rtt:|bytes_acked:|busy:|ms){0,200}") {
            let _ = samples(&text);
            let _ = parse(&text);
        }
    }
}

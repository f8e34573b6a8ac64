//! Tables that are small on disk and large in memory, in results with valid checksums. They are
//! read within the memory limit of the program, or refused.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::Program;
use crate::torture::results::{Original, one_link};
use narrows_report::sha256;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter};
use std::fs::{self, File};
use std::path::Path;

const CLASS: Class =
    Class { name: "bombs", title: "Small tables that decode to gigabytes", full: 130 };

const COMMANDS: [&[&str]; 5] = [
    &["report", "out", "--out", "page.html"],
    &["export", "out", "--out", "csv"],
    &["export", "out", "--format", "perfetto", "--out", "trace"],
    &["figure", "out"],
    &["diff", "out", "out"],
];
const TABLES: [&str; 5] = [
    "flow_samples.parquet",
    "link_samples.parquet",
    "flows.parquet",
    "transfers.parquet",
    "histograms.parquet",
];

#[test]
fn bombs() {
    // 20,000 samples of a flow and of a link.
    let sampled = format!("sample = \"1 ms\"\n{}", one_link("20 s", "5 Mbit/s"));
    let original = Original::of(CLASS.name, &[("in.toml", sampled)], "run in.toml");
    campaign(&CLASS, |case| {
        original.lay_out_result(&case.place);
        let table = case.random.pick(&TABLES);
        let times = case.random.scaled(1.0, 3e3) as usize;
        let bytes = repeated(&case.place.path(&format!("work/out/{table}")), times);
        replace(case, table, &bytes);
        let command = case.random.pick(&COMMANDS);
        let explain = |problem: String| {
            format!(
                "{table} {times} times, {} bytes: {}: {problem}",
                bytes.len(),
                command.join(" ")
            )
        };
        read(case, command).map_err(explain)
    });
}

fn read(case: &Case, command: &[&str]) -> Verdict {
    let ended = Program::new(&case.place, command).run()?;
    ended.decent()?;
    Ok(if ended.code() == 2 { End::Refused } else { End::Accepted })
}

/// Returns the table with its rows repeated: the repeated row groups all refer to the same place in
/// the file.
fn repeated(path: &Path, times: usize) -> Vec<u8> {
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(&File::open(path).expect("a table"))
        .expect("a table");
    let mut bytes = fs::read(path).expect("a table");
    // The last eight bytes contain the length of the footer.
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes")) as usize;
    bytes.truncate(end - length);
    let groups = metadata
        .row_groups()
        .iter()
        .cycle()
        .take(metadata.row_groups().len() * times)
        .cloned()
        .collect();
    let repeated = ParquetMetaData::new(metadata.file_metadata().clone(), groups);
    let mut footer = Vec::new();
    ParquetMetaDataWriter::new(&mut footer, &repeated).finish().expect("memory takes everything");
    bytes.extend(footer);
    bytes
}

/// Puts a table into the result, with the right checksum.
fn replace(case: &Case, table: &str, bytes: &[u8]) {
    let out = case.place.path("work/out");
    fs::write(out.join(table), bytes).expect("a file");
    let sums = fs::read_to_string(out.join("SHA256SUMS")).expect("sums");
    let summed = |line: &str| {
        if line.ends_with(&format!("  {table}")) {
            format!("{}  {table}\n", sha256(bytes))
        } else {
            format!("{line}\n")
        }
    };
    fs::write(out.join("SHA256SUMS"), sums.lines().map(summed).collect::<String>())
        .expect("a file");
}

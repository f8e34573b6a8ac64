//! Tables that are small on the disk and large in memory, in results whose checksums are right: they are read within the memory that the
//! program has, or refused.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::Program;
use crate::torture::results::{Original, one_link};
use narrows_report::sha256;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter};
use std::fs::{self, File};

const CLASS: Class = Class { name: "bombs", title: "Small tables with billions of cells", full: 130 };

const COMMANDS: [&[&str]; 5] = [
    &["report", "out", "--out", "page.html"],
    &["export", "out", "--out", "csv"],
    &["export", "out", "--format", "perfetto", "--out", "trace"],
    &["figure", "out"],
    &["diff", "out", "out"],
];
const TABLES: [&str; 5] = ["flow_samples.parquet", "link_samples.parquet", "flows.parquet", "transfers.parquet", "histograms.parquet"];

#[test]
fn bombs() {
    let original = Original::of(CLASS.name, &[("in.toml", one_link("20 s", "5 Mbit/s"))], "run in.toml");
    campaign(&CLASS, |case| {
        original.lay_out_result(&case.place);
        let table = case.random.pick(&TABLES);
        let times = case.random.scaled(1e2, 3e6) as usize;
        let bytes = repeated(&case.place.path(&format!("work/out/{table}")), times);
        replace(case, table, &bytes);
        let command = case.random.pick(&COMMANDS);
        let explain = |problem: String| format!("{table} {times} times, {} bytes: {}: {problem}", bytes.len(), command.join(" "));
        read(case, command).map_err(explain)
    });
}

fn read(case: &Case, command: &[&str]) -> Verdict {
    let ended = Program::new(&case.place, command).run()?;
    ended.decent()?;
    Ok(if ended.code() == 2 { End::Refused } else { End::Accepted })
}

/// The table with its rows so many times: as many groups of rows that all lie at the same place of the file. More than some thousand groups
/// take room themselves, so further rows are of groups that claim to have more.
fn repeated(path: &std::path::Path, times: usize) -> Vec<u8> {
    const GROUPS: usize = 2_000;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&File::open(path).expect("a table")).expect("a table");
    let mut bytes = fs::read(path).expect("a table");
    // Eight bytes at the end tell where the description begins.
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes")) as usize;
    bytes.truncate(end - length);
    let more = (times / GROUPS).max(1) as i64;
    let groups: Vec<_> = metadata
        .row_groups()
        .iter()
        .cycle()
        .take(metadata.row_groups().len() * times.min(GROUPS))
        .map(|group| {
            let rows = group.num_rows().saturating_mul(more);
            group.clone().into_builder().set_num_rows(rows).build().expect("a group")
        })
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
    let summed =
        |line: &str| if line.ends_with(&format!("  {table}")) { format!("{}  {table}\n", sha256(bytes)) } else { format!("{line}\n") };
    fs::write(out.join("SHA256SUMS"), sums.lines().map(summed).collect::<String>()).expect("a file");
}

//! Files that are whole, and files that are not.

use narrows_sheet::{Cells, Reader, Sheet, read, write};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

fn example() -> Sheet {
    let mut sheet = Sheet::default();
    sheet.add("flow", Cells::Text(["a", "a", "b", "a"].map(Arc::from).to_vec()));
    sheet.add("completed", Cells::Flag(vec![true, false, true, true]));
    sheet.add("bytes", Cells::Count(vec![0, 1500, i64::MAX as u64, 7]));
    sheet.add("lost", Cells::MaybeCount(vec![None, Some(3), None, Some(0)]));
    sheet.add("time_s", Cells::Real(vec![0.0, 0.1, -2.5, 1e300]));
    sheet.add("rtt_ms", Cells::MaybeReal(vec![Some(1.5), None, None, Some(-0.0)]));
    sheet
}

fn written(sheets: Vec<Sheet>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, Some("a heading"), &example(), sheets.into_iter())
        .expect("memory takes everything");
    bytes
}

/// A file of these bytes, which is removed at once.
fn file(bytes: &[u8]) -> File {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or_default().replace("::", "-");
    let path: PathBuf =
        std::env::temp_dir().join(format!("narrows-sheet-{}-{name}", std::process::id()));
    fs::write(&path, bytes).expect("a file");
    let file = File::open(&path).expect("the same file");
    fs::remove_file(&path).expect("it is there");
    file
}

#[test]
fn what_is_written_is_read_also_without_groups() {
    let sheets = vec![example(), example()];
    assert_eq!(read(file(&written(sheets.clone()))).expect("it is whole"), sheets);
    let none = Reader::new(file(&written(vec![]))).expect("it is whole");
    let names: Vec<&str> = none.columns().columns().iter().map(|(name, _)| &**name).collect();
    assert_eq!((none.groups(), none.heading(), none.columns().rows()), (0, Some("a heading"), 0));
    assert_eq!(names, ["flow", "completed", "bytes", "lost", "time_s", "rtt_ms"]);
    assert!(none.group(0).expect_err("there is none").to_string().contains("none of index 0"));
}

#[test]
fn no_column_is_unsigned_and_a_count_that_no_table_holds_is_refused() {
    use parquet::basic::LogicalType;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let whole = SerializedFileReader::new(file(&written(vec![example()]))).expect("it is whole");
    let schema = whole.metadata().file_metadata().schema_descr_ptr();
    let kind = |at: usize| {
        (schema.column(at).name().to_owned(), schema.column(at).logical_type_ref().cloned())
    };
    let kinds: Vec<_> =
        (0..schema.num_columns()).map(kind).filter(|(_, kind)| kind.is_some()).collect();
    let whole = Some(LogicalType::integer(64, true));
    assert_eq!(
        kinds,
        [
            ("flow".to_owned(), Some(LogicalType::String)),
            ("bytes".to_owned(), whole.clone()),
            ("lost".to_owned(), whole)
        ]
    );
    for cells in [Cells::Count(vec![1 << 63]), Cells::MaybeCount(vec![None, Some(u64::MAX)])] {
        let mut sheet = Sheet::default();
        sheet.add("sent", cells);
        let error = write(&mut Vec::new(), None, &sheet.clone(), [sheet].into_iter())
            .expect_err("more than tables hold");
        assert!(error.to_string().contains("the column sent has "), "{error}");
    }
}

#[test]
fn damaged_files_are_read_or_refused_and_columns_stay_equally_long() {
    let whole = written(vec![example()]);
    let mut refused = 0;
    let mut taken = 0;
    for at in 0..whole.len() {
        for mask in [0x01, 0x10, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= mask;
            match read(file(&damaged)) {
                Err(_) => refused += 1,
                Ok(sheets) => {
                    taken += 1;
                    let equally_long = |sheet: &Sheet| {
                        sheet.columns().iter().all(|(_, cells)| cells.rows() == sheet.rows())
                    };
                    assert!(sheets.iter().all(equally_long), "byte {at}, bits {mask:#x}");
                }
            }
        }
    }
    let _ = std::panic::take_hook();
    assert!(refused > 100 && taken > 100, "{refused} refused, {taken} taken");
}

#[test]
fn a_page_that_claims_more_than_its_bytes_can_become_is_refused() {
    let mut sheet = Sheet::default();
    sheet.add("flow", Cells::Text(["a", "b"].map(Arc::from).to_vec()));
    let mut bytes = Vec::new();
    write(&mut bytes, None, &sheet.clone(), [sheet].into_iter()).expect("memory takes everything");
    // After the four bytes of the format: fields 1 to 3 of the first page's header are its kind and
    // its sizes, each a byte of kind and a number in zigzag of seven bits a byte.
    assert_eq!([bytes[4], bytes[6], bytes[8]], [0x15; 3]);
    read(file(&bytes)).expect("it is whole");
    // Places in the description at the end are counted from the beginning, and this is the first
    // page: a longer number does no harm to them.
    bytes.splice(7..8, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
    let error = read(file(&bytes)).expect_err("two gigabytes of some bytes");
    assert!(error.to_string().contains("a page claims to be larger than it can be"), "{error}");
}

/// Names a file that a process of this test reads with little memory.
const BOMB: &str = "NARROWS_SHEET_BOMB";
/// Address space of that process, in KiB.
const LITTLE: u32 = 400_000;

#[test]
fn a_small_file_that_decodes_to_much_is_refused_before_it_takes_the_memory() {
    if let Some(path) = std::env::var_os(BOMB) {
        let error = read(File::open(path).expect("a file")).expect_err("it is too large");
        return println!("refused: {error}");
    }
    let rows = 1_500_000;
    let mut sheet = Sheet::default();
    sheet.add("flow", Cells::Text(vec!["a".into(); rows]));
    sheet.add("completed", Cells::Flag(vec![true; rows]));
    sheet.add("bytes", Cells::Count(vec![1500; rows]));
    sheet.add("lost", Cells::MaybeCount(vec![Some(3); rows]));
    sheet.add("time_s", Cells::Real(vec![0.1; rows]));
    sheet.add("rtt_ms", Cells::MaybeReal(vec![Some(1.5); rows]));
    let bytes = written(vec![sheet]);
    assert!(bytes.len() < 100_000, "{}", bytes.len());
    let path = std::env::temp_dir().join(format!("narrows-sheet-bomb-{}", std::process::id()));
    fs::write(&path, bytes).expect("a file");
    let name = "parquet::a_small_file_that_decodes_to_much_is_refused_before_it_takes_the_memory";
    let this = std::env::current_exe().expect("a program");
    let limited = format!("ulimit -v {LITTLE} && exec \"$0\" --exact {name} --nocapture");
    let output = Command::new("sh")
        .args(["-c", &limited])
        .arg(this)
        .env(BOMB, &path)
        .output()
        .expect("a shell runs");
    fs::remove_file(&path).expect("it is there");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success()
            && told.contains("MiB when it is decoded, a quarter of the memory that is free"),
        "{output:?}"
    );
}

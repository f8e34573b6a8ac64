//! Columns of tables: each is declared once, with its name, what it holds, and how it is written
//! and read.

use narrows_measure::{Histogram, Record};
use narrows_sheet::{Cells, ParquetError, Sheet};
use narrows_units::{Bytes, Rate, Span, Time};
use std::borrow::Cow;
use std::sync::Arc;

/// A column of a table. A row is written from a run and the row's place `K` in it, and read into an
/// `R`.
pub(crate) struct Column<K, R> {
    /// Name, which ends in the unit of the values.
    pub name: String,
    /// Description of the values. Neighbours with the same description are described together.
    pub about: &'static str,
    /// True if it is one of two columns of a counter: since warm-up, and over the whole run.
    pub is_counter: bool,
    write: Write<K>,
    read: Option<Read<R>>,
}

/// Returns the cells of all rows.
type Write<K> = Box<dyn Fn(&Record, &[K]) -> Cells + Send + Sync>;
/// Sets what the cells of the column of this name hold.
type Read<R> = Box<dyn Fn(&Sheet, &str, &mut [R]) -> Result<(), ParquetError> + Send + Sync>;

/// Values that a column can hold.
pub(crate) trait Value: Copy {
    fn cells(values: Vec<Self>) -> Cells;
    fn column<'a>(sheet: &'a Sheet, name: &str) -> Result<&'a [Self], ParquetError>;
}

macro_rules! value {
    ($type:ty, $cells:ident, $column:ident) => {
        impl Value for $type {
            fn cells(values: Vec<$type>) -> Cells {
                Cells::$cells(values)
            }

            fn column<'a>(sheet: &'a Sheet, name: &str) -> Result<&'a [$type], ParquetError> {
                sheet.$column(name)
            }
        }
    };
}

value!(bool, Flag, flag);
value!(u64, Count, count);
value!(Option<u64>, MaybeCount, maybe_count);
value!(f64, Real, real);
value!(Option<f64>, MaybeReal, maybe_real);

impl<K: Copy + 'static, R: 'static> Column<K, R> {
    /// Makes a column whose values follow from other columns, so that they are not read.
    pub fn derived<V: Value>(
        name: impl Into<String>,
        about: &'static str,
        get: impl Fn(&Record, K) -> V + Send + Sync + 'static,
    ) -> Column<K, R> {
        let write = move |run: &Record, rows: &[K]| {
            V::cells(rows.iter().map(|row| get(run, *row)).collect())
        };
        let write = Box::new(write);
        Column { name: name.into(), about, is_counter: false, write, read: None }
    }

    /// Makes a column whose values are written by `get` and read by `set`.
    pub fn of<V: Value + 'static>(
        name: impl Into<String>,
        about: &'static str,
        get: impl Fn(&Record, K) -> V + Send + Sync + 'static,
        set: impl Fn(&mut R, V) + Send + Sync + 'static,
    ) -> Column<K, R> {
        let read = move |sheet: &Sheet, name: &str, rows: &mut [R]| {
            rows.iter_mut().zip(V::column(sheet, name)?).for_each(|(row, value)| set(row, *value));
            Ok(())
        };
        Column { read: Some(Box::new(read)), ..Column::derived(name, about, get) }
    }

    /// Makes a column of texts.
    pub fn text(
        name: &'static str,
        about: &'static str,
        get: impl for<'a> Fn(&'a Record, K) -> Cow<'a, str> + Send + Sync + 'static,
        set: impl Fn(&mut R, &str) + Send + Sync + 'static,
    ) -> Column<K, R> {
        let set = move |row: &mut R, text: &str| {
            set(row, text);
            Some(())
        };
        Column::parsed((name, name), about, get, set)
    }

    /// Makes a column of texts of a form. `set` returns `None` for a text of another form, such as
    /// a damaged `noun`.
    pub fn parsed(
        (name, noun): (&'static str, &'static str),
        about: &'static str,
        get: impl for<'a> Fn(&'a Record, K) -> Cow<'a, str> + Send + Sync + 'static,
        set: impl Fn(&mut R, &str) -> Option<()> + Send + Sync + 'static,
    ) -> Column<K, R> {
        let read = move |sheet: &Sheet, name: &str, rows: &mut [R]| {
            let fits = rows.iter_mut().zip(sheet.text(name)?).map(|(row, text)| set(row, text));
            fits.collect::<Option<()>>().ok_or_else(|| damaged(noun))
        };
        Column { read: Some(Box::new(read)), ..Column::name(name, about, get) }
    }

    /// Makes a column of texts that are not read.
    pub fn name(
        name: &'static str,
        about: &'static str,
        get: impl for<'a> Fn(&'a Record, K) -> Cow<'a, str> + Send + Sync + 'static,
    ) -> Column<K, R> {
        let write = move |run: &Record, rows: &[K]| {
            // Equal neighbours share their text.
            let mut last: Arc<str> = Arc::from("");
            let cell = |row: &K| {
                let text = get(run, *row);
                if *text != *last {
                    last = Arc::from(&*text);
                }
                Arc::clone(&last)
            };
            Cells::Text(rows.iter().map(cell).collect())
        };
        Column {
            name: name.to_owned(),
            about,
            is_counter: false,
            write: Box::new(write),
            read: None,
        }
    }

    pub(super) fn write(&self, run: &Record, rows: &[K]) -> Cells {
        (self.write)(run, rows)
    }

    pub(super) fn read(&self, sheet: &Sheet, rows: &mut [R]) -> Result<(), ParquetError> {
        self.read.as_ref().map_or(Ok(()), |read| read(sheet, &self.name, rows))
    }
}

/// A counter of the group `C`.
pub(crate) struct Counter<C> {
    pub name: &'static str,
    pub about: &'static str,
    pub get: fn(&C) -> u64,
    pub set: fn(&mut C, u64),
}

/// Declares counters: name, description, and field.
macro_rules! counters {
    ($($name:literal, $about:literal => $field:ident $(as $wrap:ident)?);* $(;)?) => {
        &[$($crate::tables::column::Counter {
            name: $name,
            about: $about,
            get: |c| counters!(@get c.$field $(, $wrap)?),
            set: |c, n| c.$field = counters!(@set n $(, $wrap)?),
        }),*]
    };
    (@get $place:expr) => { $place };
    (@get $place:expr, Bytes) => { $place.get() };
    (@get $place:expr, Span) => { $place.as_nanos() };
    (@set $n:expr) => { $n };
    (@set $n:expr, Bytes) => { Bytes::new($n) };
    (@set $n:expr, Span) => { Span::from_nanos($n) };
}
pub(crate) use counters;

/// Makes a column for each counter of a group, with a prefix before its name.
pub(crate) fn counted<K: Copy + 'static, R: 'static, C: 'static>(
    prefix: &str,
    counters: &'static [Counter<C>],
    of: fn(&Record, K) -> &C,
    of_mut: fn(&mut R) -> &mut C,
) -> Vec<Column<K, R>> {
    let column = |own: &'static Counter<C>| Column {
        is_counter: true,
        ..Column::of(
            format!("{prefix}_{}", own.name),
            own.about,
            move |run, row| (own.get)(of(run, row)),
            move |row, count| (own.set)(of_mut(row), count),
        )
    };
    counters.iter().map(column).collect()
}

/// Makes the columns of the quantiles, minimum, maximum and sum of a histogram, whose buckets are
/// in `histograms.parquet`.
pub(crate) fn summary<K: Copy + 'static, R: 'static>(
    name: &str,
    about: &'static str,
    of: fn(&Record, K) -> &Histogram,
) -> Vec<Column<K, R>> {
    let quantile = |(column, q): (&str, f64)| {
        Column::derived(format!("{name}_{column}_ms"), about, move |run, row| {
            of(run, row).quantile(q).map(ms)
        })
    };
    let mut columns: Vec<Column<K, R>> = QUANTILES.into_iter().map(quantile).collect();
    columns.push(Column::derived(format!("{name}_min_ms"), about, move |run, row| {
        of(run, row).min().map(ms)
    }));
    columns.push(Column::derived(format!("{name}_max_ms"), about, move |run, row| {
        of(run, row).max().map(ms)
    }));
    columns.push(Column::derived(format!("{name}_sum_ns"), about, move |run, row| {
        whole(of(run, row).sum())
    }));
    columns
}

/// The quantiles of a summary.
pub(crate) const QUANTILES: [(&str, f64); 3] = [("p50", 0.50), ("p95", 0.95), ("p99", 0.99)];

/// Returns a sum as a cell holds it.
pub(crate) fn whole(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(i64::MAX as u64)
}

pub(crate) fn ms(span: Span) -> f64 {
    span.as_millis_f64()
}

pub(crate) fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_secs_f64(seconds)
}

pub(crate) fn from_ms(ms: f64) -> Span {
    Span::from_nanos((ms * 1e6 + 0.5) as u64)
}

pub(crate) fn from_mbps(mbps: f64) -> Rate {
    Rate::from_bps((mbps * 1e6 + 0.5) as u64)
}

/// Returns the mean rate in Mbit/s since the sample before, or since the start for the first one.
/// `of` returns the time of a sample, and the bytes counted until then.
pub(crate) fn mbps_since<S: Default>(
    samples: &[S],
    place: usize,
    of: impl Fn(&S) -> (Time, Bytes),
) -> f64 {
    let before = place.checked_sub(1).map_or_else(|| of(&S::default()), |own| of(&samples[own]));
    let ((from, earlier), (to, later)) = (before, of(&samples[place]));
    if to > from {
        later.saturating_sub(earlier).bits() as f64 / 1e6 / to.since(from).as_secs_f64()
    } else {
        0.0
    }
}

pub(crate) fn damaged(what: &str) -> ParquetError {
    ParquetError::General(format!("{what} does not fit the other tables"))
}

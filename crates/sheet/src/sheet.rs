//! A table in memory.

use crate::ParquetError;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The cells of a column, by their kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cells {
    /// Texts, which neighbours that are equal share.
    Text(Vec<Arc<str>>),
    /// Yes or no.
    Flag(Vec<bool>),
    /// Whole numbers.
    Count(Vec<u64>),
    /// Whole numbers that some rows do not have.
    MaybeCount(Vec<Option<u64>>),
    /// Numbers.
    Real(Vec<f64>),
    /// Numbers that some rows do not have.
    MaybeReal(Vec<Option<f64>>),
}

impl Cells {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        match self {
            Cells::Text(cells) => cells.len(),
            Cells::Flag(cells) => cells.len(),
            Cells::Count(cells) => cells.len(),
            Cells::MaybeCount(cells) => cells.len(),
            Cells::Real(cells) => cells.len(),
            Cells::MaybeReal(cells) => cells.len(),
        }
    }

    fn append(&mut self, other: Cells) -> Option<()> {
        match (self, other) {
            (Cells::Text(own), Cells::Text(more)) => own.extend(more),
            (Cells::Flag(own), Cells::Flag(more)) => own.extend(more),
            (Cells::Count(own), Cells::Count(more)) => own.extend(more),
            (Cells::MaybeCount(own), Cells::MaybeCount(more)) => own.extend(more),
            (Cells::Real(own), Cells::Real(more)) => own.extend(more),
            (Cells::MaybeReal(own), Cells::MaybeReal(more)) => own.extend(more),
            _ => return None,
        }
        Some(())
    }
}

/// Columns of equal length, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    pub(crate) columns: Vec<(String, Cells)>,
}

impl Sheet {
    /// Adds a column behind the others, of as many rows.
    pub fn add(&mut self, name: impl Into<String>, cells: Cells) {
        self.columns.push((name.into(), cells));
    }

    /// The same sheet with columns before its own; those of its own that have the same name are
    /// left out.
    pub fn after(self, mut before: Sheet) -> Sheet {
        let own = self
            .columns
            .into_iter()
            .filter(|(name, _)| before.columns.iter().all(|(taken, _)| taken != name));
        let own: Vec<_> = own.collect();
        before.columns.extend(own);
        before
    }

    /// The sheet less one column.
    pub fn without(mut self, name: &str) -> Sheet {
        self.columns.retain(|(own, _)| own != name);
        self
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, cells)| cells.rows())
    }

    /// Adds the rows of a sheet of the same columns. To an empty sheet it adds the columns as well.
    ///
    /// # Errors
    ///
    /// It has other columns. This sheet is of no use then.
    pub fn append(&mut self, other: Sheet) -> Result<(), ParquetError> {
        if self.columns.is_empty() {
            *self = other;
            return Ok(());
        }
        if !self.columns.iter().map(|(name, _)| name).eq(other.columns.iter().map(|(name, _)| name))
        {
            return Err(ParquetError::General(
                "the rows have other columns than those before".to_owned(),
            ));
        }
        for ((name, cells), (_, more)) in self.columns.iter_mut().zip(other.columns) {
            cells.append(more).ok_or_else(|| other_type(name))?;
        }
        Ok(())
    }

    /// Its columns in their order, with their names.
    pub fn columns(&self) -> &[(String, Cells)] {
        &self.columns
    }

    /// The cells of a column.
    ///
    /// # Errors
    ///
    /// If no column has this name.
    pub fn column(&self, name: &str) -> Result<&Cells, ParquetError> {
        let found = self.columns.iter().find(|(own, _)| own == name).map(|(_, cells)| cells);
        found.ok_or_else(|| ParquetError::General(format!("the column {name} is missing")))
    }

    /// The cells of a column of texts.
    ///
    /// # Errors
    ///
    /// If no column has this name and kind.
    pub fn text(&self, name: &str) -> Result<&[Arc<str>], ParquetError> {
        if let Cells::Text(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of flags.
    ///
    /// # Errors
    ///
    /// If no column has this name and kind.
    pub fn flag(&self, name: &str) -> Result<&[bool], ParquetError> {
        if let Cells::Flag(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of whole numbers.
    ///
    /// # Errors
    ///
    /// If no column has this name and kind.
    pub fn count(&self, name: &str) -> Result<&[u64], ParquetError> {
        if let Cells::Count(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of whole numbers that some rows do not have.
    ///
    /// # Errors
    ///
    /// If no column has this name and kind.
    pub fn maybe_count(&self, name: &str) -> Result<&[Option<u64>], ParquetError> {
        if let Cells::MaybeCount(cells) = self.column(name)? {
            Ok(cells)
        } else {
            Err(other_type(name))
        }
    }

    /// The cells of a column of numbers.
    ///
    /// # Errors
    ///
    /// If no column has this name and kind.
    pub fn real(&self, name: &str) -> Result<&[f64], ParquetError> {
        if let Cells::Real(cells) = self.column(name)? { Ok(cells) } else { Err(other_type(name)) }
    }

    /// The cells of a column of numbers that some rows do not have.
    ///
    /// # Errors
    ///
    /// If no column has this name and kind.
    pub fn maybe_real(&self, name: &str) -> Result<&[Option<f64>], ParquetError> {
        if let Cells::MaybeReal(cells) = self.column(name)? {
            Ok(cells)
        } else {
            Err(other_type(name))
        }
    }
}

impl IntoIterator for Sheet {
    type Item = (String, Cells);
    type IntoIter = std::vec::IntoIter<(String, Cells)>;

    /// The columns in their order, with their names.
    fn into_iter(self) -> Self::IntoIter {
        self.columns.into_iter()
    }
}

impl FromIterator<(String, Cells)> for Sheet {
    fn from_iter<I: IntoIterator<Item = (String, Cells)>>(columns: I) -> Sheet {
        Sheet { columns: columns.into_iter().collect() }
    }
}

pub(crate) fn other_type(name: &str) -> ParquetError {
    ParquetError::General(format!("the column {name} has another type"))
}

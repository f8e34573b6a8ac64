//! Tests of the tables as their users see them.

mod csv;
mod parquet;

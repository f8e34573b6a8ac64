//! Changes to a sweep from outside its file.

/// What is changed in a sweep before it is read: the options `--set` and `--seeds`.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Axes to add or replace: the path, and its values as `[sweep]` would have them or separated by commas: `10 Mbit/s,100 Mbit/s`.
    pub set: Vec<(String, String)>,
    /// So many seeds, the scenario's own and those after it.
    pub seeds: Option<u32>,
}

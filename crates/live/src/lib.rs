//! The live world: moves packets of real kernel connections through paths, by the wall clock.

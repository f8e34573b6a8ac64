//! Tests of the crate as its users see it, in one program.

mod arrows;
mod blocks;
mod cli;
mod curves;
mod differential;
mod docs;
mod formats;
mod forward;
mod gallery;
mod host;
mod kernel;
mod kernel_kill;
mod live;
mod networks;
mod notebooks;
mod outside;
mod overlays;
mod page;
mod reproduce;
mod scorecard;
mod scratch;
mod sweep;
mod torture;
mod tour;
mod watch;
mod worlds;

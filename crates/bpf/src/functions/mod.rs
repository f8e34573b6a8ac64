//! What programs call of the kernel: helpers, functions of TCP, maps.

mod context;
mod dynamic;
mod format;
mod maps;
mod numbers;
mod options;
mod probe;
mod rings;
mod table;
mod tcp;
mod texts;
mod values;

pub use context::{Context, World, errno};
pub use maps::{Maps, map_fits};
pub use table::{Callable, FUNCTIONS, HELPERS, Standing, function, helper};

use crate::fault::Reason;

/// Nanoseconds of a second.
const SECOND: u128 = 1_000_000_000;

/// Before the first wrap of the ticks, in seconds: hosts count from there, so that what cannot bear the wrap shows soon (`INITIAL_JIFFIES`,
/// include/linux/jiffies.h).
const BEFORE_WRAP: u64 = 300;

/// Ticks since the world began, in 64 bits: the lower 32 wrap after five minutes of uptime.
pub fn ticks(world: &dyn World) -> u64 {
    (1 << 32) - BEFORE_WRAP * world.hz() as u64 + elapsed_ticks(world)
}

fn elapsed_ticks(world: &dyn World) -> u64 {
    (world.uptime() as u128 * world.hz() as u128 / SECOND) as u64
}

/// The time of the latest tick, in ns.
fn coarse(world: &dyn World) -> u64 {
    (elapsed_ticks(world) as u128 * SECOND / world.hz().max(1) as u128) as u64
}

/// Carries out one call of `name` and answers what register 0 holds after it. The two functions that call the program back are the machine's.
pub fn call(callable: Callable, name: &'static str, arguments: [u64; 5], context: &mut Context<'_>) -> Result<u64, Reason> {
    let mut call = context::Call { context, name, arguments };
    match callable {
        Callable::Zero => Ok(0),
        Callable::Same => Ok(arguments[0]),
        Callable::PerCpu => Ok(if arguments[1] as u32 == 0 { arguments[0] } else { 0 }),
        Callable::Uptime => Ok(call.context.world.uptime()),
        Callable::CoarseUptime => Ok(coarse(call.context.world)),
        Callable::Jiffies => Ok(ticks(call.context.world)),
        Callable::Random => Ok(call.context.world.random() as u64),
        Callable::MapLookup => values::look_up(&mut call),
        Callable::MapLookupPerCpu => {
            if arguments[2] as u32 == 0 {
                values::look_up(&mut call)
            } else {
                Ok(0)
            }
        }
        Callable::MapUpdate => values::update(&mut call),
        Callable::MapDelete => values::delete(&mut call),
        Callable::StorageGet => values::storage(&mut call),
        Callable::StorageDelete => values::delete_storage(&mut call),
        Callable::RingOutput => rings::output(&mut call),
        Callable::RingReserve => rings::reserve(&mut call),
        Callable::RingSubmit => rings::submit(&mut call),
        Callable::RingQuery => rings::query(&mut call),
        Callable::RingReserveDynamic => rings::reserve_dynamic(&mut call),
        Callable::RingSubmitDynamic => rings::submit_dynamic(&mut call),
        Callable::DynamicFromMemory => dynamic::from_memory(&mut call),
        Callable::DynamicRead => dynamic::read(&mut call),
        Callable::DynamicWrite => dynamic::write(&mut call),
        Callable::DynamicData => dynamic::data(&mut call),
        Callable::Compare => texts::compare(&mut call),
        Callable::ParseSigned => texts::parse_signed(&mut call),
        Callable::ParseUnsigned => texts::parse_unsigned(&mut call),
        Callable::Format => format::into_memory(&mut call),
        Callable::Print => format::print(&mut call),
        Callable::PrintArray => format::print_array(&mut call),
        Callable::Probe => probe::bytes(&mut call),
        Callable::ProbeText => probe::text(&mut call),
        Callable::Exchange => probe::exchange(&mut call),
        Callable::SetOption => options::set(&mut call),
        Callable::GetOption => options::get(&mut call),
        Callable::SlowStart => tcp::slow_start(&mut call),
        Callable::AvoidAdditively => tcp::avoid_additively(&mut call),
        Callable::RenoThreshold => tcp::reno_threshold(&mut call),
        Callable::RenoUndo => tcp::reno_undo(&mut call),
        Callable::RenoAvoid => tcp::reno_avoid(&mut call),
        Callable::NumbersNew => numbers::new(&mut call),
        Callable::NumbersNext => numbers::next(&mut call),
        Callable::NumbersDestroy => numbers::destroy(&mut call),
        // The machine carries these out, since they call functions of the program.
        Callable::Loop | Callable::ForEachElement => Ok(errno::INVALID),
    }
}

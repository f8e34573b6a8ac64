//! What programs call of the kernel: helpers, functions of TCP, maps.

mod context;
mod dynamic;
mod format;
mod maps;
mod numbers;
mod offered;
mod options;
mod probe;
mod rings;
mod table;
mod tcp;
mod texts;
mod values;

pub use context::{Context, World, errno};
pub use maps::{Maps, map_fits};
pub use offered::SimulatedKernel;
pub use table::{FUNCTIONS, HELPERS, Service, Standing, function, helper};

use crate::fault::Reason;

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;

/// Before the first wrap of the ticks, in seconds: hosts count from there, so that what cannot bear the wrap shows soon (`INITIAL_JIFFIES`,
/// include/linux/jiffies.h).
const BEFORE_WRAP: u64 = 300;

/// Ticks since the world began, in 64 bits: the lower 32 wrap after five minutes of uptime.
pub fn ticks(world: &dyn World) -> u64 {
    (1 << 32) - BEFORE_WRAP * world.hz() as u64 + elapsed_ticks(world)
}

fn elapsed_ticks(world: &dyn World) -> u64 {
    let (uptime, hz) = (world.uptime(), world.hz() as u64);
    uptime / SECOND * hz + uptime % SECOND * hz / SECOND
}

/// The time of the latest tick, in ns.
fn coarse(world: &dyn World) -> u64 {
    (elapsed_ticks(world) as u128 * SECOND as u128 / world.hz().max(1) as u128) as u64
}

/// Carries out one call of `name` and answers what register 0 holds after it. The two functions that call the program back are the machine's.
pub fn call(service: Service, name: &'static str, arguments: [u64; 5], context: &mut Context<'_>) -> Result<u64, Reason> {
    let mut call = context::Call { context, name, arguments };
    match service {
        Service::Zero => Ok(0),
        Service::Same => Ok(arguments[0]),
        Service::PerCpu => Ok(if arguments[1] as u32 == 0 { arguments[0] } else { 0 }),
        Service::Uptime => Ok(call.context.world.uptime()),
        Service::CoarseUptime => Ok(coarse(call.context.world)),
        Service::Jiffies => Ok(ticks(call.context.world)),
        Service::Random => Ok(call.context.world.random() as u64),
        Service::MapLookup => values::look_up(&mut call),
        Service::MapLookupPerCpu => {
            if arguments[2] as u32 == 0 {
                values::look_up(&mut call)
            } else {
                Ok(0)
            }
        }
        Service::MapUpdate => values::update(&mut call),
        Service::MapDelete => values::delete(&mut call),
        Service::StorageGet => values::storage(&mut call),
        Service::StorageDelete => values::delete_storage(&mut call),
        Service::RingOutput => rings::output(&mut call),
        Service::RingReserve => rings::reserve(&mut call),
        Service::RingSubmit => rings::submit(&mut call),
        Service::RingQuery => rings::query(&mut call),
        Service::RingReserveDynamic => rings::reserve_dynamic(&mut call),
        Service::RingSubmitDynamic => rings::submit_dynamic(&mut call),
        Service::DynamicFromMemory => dynamic::from_memory(&mut call),
        Service::DynamicRead => dynamic::read(&mut call),
        Service::DynamicWrite => dynamic::write(&mut call),
        Service::DynamicData => dynamic::data(&mut call),
        Service::Compare => texts::compare(&mut call),
        Service::ParseSigned => texts::parse_signed(&mut call),
        Service::ParseUnsigned => texts::parse_unsigned(&mut call),
        Service::Format => format::into_memory(&mut call),
        Service::Print => format::print(&mut call),
        Service::PrintArray => format::print_array(&mut call),
        Service::Probe => probe::bytes(&mut call),
        Service::ProbeText => probe::text(&mut call),
        Service::Exchange => probe::exchange(&mut call),
        Service::SetOption => options::set(&mut call),
        Service::GetOption => options::get(&mut call),
        Service::SlowStart => tcp::slow_start(&mut call),
        Service::AvoidAdditively => tcp::avoid_additively(&mut call),
        Service::RenoThreshold => tcp::reno_threshold(&mut call),
        Service::RenoUndo => tcp::reno_undo(&mut call),
        Service::RenoAvoid => tcp::reno_avoid(&mut call),
        Service::NumbersNew => numbers::new(&mut call),
        Service::NumbersNext => numbers::next(&mut call),
        Service::NumbersDestroy => numbers::destroy(&mut call),
        // The machine carries these out, since they call functions of the program.
        Service::Loop | Service::ForEachElement => Ok(errno::INVALID),
    }
}

//! The parts of the kernel that programs call: helpers, functions of TCP, maps.

mod area;
mod clock;
mod context;
mod cubic;
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
mod ticks;
mod values;

pub use context::{Context, World, errno};
pub use maps::{Maps, Stored, is_ring, keeps, map_fits};
pub use offered::SimulatedKernel;
pub use table::{FUNCTIONS, Service, Standing, function, helper};
pub use ticks::{ticks, until_next};

use crate::fault::Reason;

/// Carries out one call of `name` and answers what register 0 holds after it. The two functions
/// that call the program back are the machine's.
pub fn call(
    service: Service,
    name: &'static str,
    arguments: &[u64; 5],
    context: &mut Context<'_>,
) -> Result<u64, Reason> {
    let mut call = context::Call { context, name, arguments };
    match service {
        Service::Zero => Ok(0),
        Service::Same => Ok(arguments[0]),
        Service::PerCpu => Ok(if arguments[1] as u32 == 0 { arguments[0] } else { 0 }),
        Service::Uptime => Ok(call.context.world.uptime()),
        Service::CoarseUptime => Ok(clock::coarse(call.context.world)),
        Service::Jiffies => Ok(call.context.world.ticks()),
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
        Service::CubicInit => cubic::init(&mut call),
        Service::CubicThreshold => cubic::threshold(&mut call),
        Service::CubicAvoid => cubic::avoid(&mut call),
        Service::CubicState => cubic::state(&mut call),
        Service::CubicEvent => cubic::event(&mut call),
        Service::CubicAcked => cubic::acked(&mut call),
        Service::NumbersNew => numbers::new(&mut call),
        Service::NumbersNext => numbers::next(&mut call),
        Service::NumbersDestroy => numbers::destroy(&mut call),
        // The machine carries these out, since they call functions of the program.
        Service::Loop | Service::ForEachElement => Ok(errno::INVALID),
    }
}

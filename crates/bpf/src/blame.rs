//! Says of a refused access what it touched and what would be right.

use crate::fault::{Access, Reason};
use crate::memory::{Content, Memory};
use crate::program::{Program, address};
use crate::socket::fields::PRIVATE;
use crate::socket::{SIZE, may_store, socket_field, writable};

/// Bytes at the bottom of the addresses that are taken for offsets from the null pointer, as large
/// as a page.
const NEAR_NULL: u64 = 4096;

/// The region that an address is in or near to, and the distance from its beginning. An offset
/// below 0 makes an address seem to lie at the end of the region before.
fn nearest(memory: &Memory, at: u64) -> (u64, i64) {
    let region = at >> 32;
    let offset = at as u32;
    if offset > i32::MAX as u32 && memory.content(region + 1) != Content::Nothing {
        (region + 1, offset as i32 as i64)
    } else {
        (region, offset as i64)
    }
}

/// Why this access is refused at that address.
pub fn blame(memory: &Memory, program: &Program, access: Access, at: u64) -> Reason {
    if at & address::MAP != 0 {
        return match program.maps.get((at & 0xffff_ffff) as usize) {
            Some(map) => Reason::Handle { access, map: map.name.clone() },
            None => Reason::Wild { access, address: at },
        };
    }
    let (region, offset) = nearest(memory, at);
    if region == 0 {
        let near = at < NEAR_NULL;
        return if near {
            Reason::Null { access, address: at }
        } else {
            Reason::Number { access, address: at }
        };
    }
    let length = memory.length(region);
    let content = memory.content(region);
    let inside = offset >= 0 && offset + access.size as i64 <= length as i64;
    match content {
        Content::Nothing => Reason::Wild { access, address: at },
        Content::Stack if offset < 0 => {
            Reason::BelowStack { access, below: length as i64 - offset, length }
        }
        Content::Socket => in_socket(access, offset, length),
        _ if !inside => Reason::Outside { access, offset, place: place(program, content), length },
        _ => {
            let remedy = match content {
                Content::Data(_) => ": declare the variable without const to change it",
                Content::Sample => ": it tells of an acknowledgement, copy it to change it",
                _ => "",
            };
            Reason::ReadOnly { access, place: place(program, content), remedy }
        }
    }
}

fn in_socket(access: Access, offset: i64, length: u32) -> Reason {
    let private = private();
    let end = offset + access.size as i64;
    // Behind the area lies whatever the table puts there: a program that goes on from it means the
    // area.
    let from_private = (private.0 as i64..private.1 as i64).contains(&offset)
        && end > private.1 as i64
        || access.writes && offset == private.1 as i64;
    if from_private {
        return Reason::Private {
            access,
            offset: offset - private.0 as i64,
            length: private.1 - private.0,
        };
    }
    let Some(field) =
        usize::try_from(offset).ok().and_then(socket_field).filter(|_| end <= length as i64)
    else {
        return Reason::Outside { access, offset, place: "the socket".to_owned(), length };
    };
    let allowed = writable();
    if allowed.contains(&field) {
        let length =
            (offset as usize..).take_while(|at| socket_field(*at).as_ref() == Some(&field)).count();
        let before = (0..offset as usize)
            .rev()
            .take_while(|at| socket_field(*at).as_ref() == Some(&field))
            .count();
        return Reason::Across { access, field, length: before + length };
    }
    Reason::Field { access, field, allowed: allowed.join(", ") }
}

/// Where the controller's own area begins and ends.
fn private() -> (usize, usize) {
    let begin = PRIVATE.offset();
    let length = (1..=SIZE - begin).take_while(|size| may_store(begin, *size)).count();
    (begin, begin + length)
}

/// The content of a region, for people.
fn place(program: &Program, content: Content) -> String {
    let of = |map: usize| program.maps.get(map).map_or("?", |map| &map.name);
    match content {
        Content::Nothing => "nothing".to_owned(),
        Content::Stack => "the stack".to_owned(),
        Content::Arguments => "the arguments of the callback".to_owned(),
        Content::Socket => "the socket".to_owned(),
        Content::Sample => "the sample".to_owned(),
        Content::Data(index) => program
            .regions
            .get(index)
            .map_or("a section".to_owned(), |region| format!("the section {}", region.name)),
        Content::Value(map) => format!("a value of the map {}", of(map)),
        Content::Key(map) => format!("a key of the map {}", of(map)),
        Content::Record(map) => format!("a record of the ring {}", of(map)),
    }
}

//! Values of maps: look-ups, updates, deletions, and the values of a socket (kernel/bpf/arraymap.c,
//! hashtab.c, net/core/bpf_sk_storage.c).

use super::context::{Call, Context, errno};
use super::maps::{Held, Keys, NoRoom};
use crate::fault::Reason;
use crate::memory::{Content, MOST_BYTES_OF_MAPS};
use crate::program::address;

/// Only if the key has no value yet, `BPF_NOEXIST`.
const ONLY_NEW: u64 = 1;

/// Only if there is one, `BPF_EXIST`.
const ONLY_OLD: u64 = 2;

/// Under the lock of the value, which nobody else takes here: `BPF_F_LOCK`.
const LOCKED: u64 = 4;

/// Makes a value if the socket has no value yet, `BPF_SK_STORAGE_GET_F_CREATE`.
const CREATE: u64 = 1;

fn full(context: &Context<'_>, map: usize) -> Reason {
    Reason::Full { map: context.program.maps[map].name.clone(), most: MOST_BYTES_OF_MAPS }
}

/// The map and the key of the first two arguments.
fn map_and_key(call: &mut Call<'_, '_>) -> Result<(usize, Vec<u8>), Reason> {
    let map = call.map(0)?;
    if matches!(call.context.maps.held(map), Held::Storage(_) | Held::Ring(_)) {
        return Err(call.refuse(0, "the map", "an array or a hash"));
    }
    let size = call.context.program.maps[map].key_size as usize;
    Ok((map, call.read(call.arguments[1], size)?))
}

fn value(context: &mut Context<'_>, map: usize, key: &[u8]) -> Result<Option<u64>, Reason> {
    let spec = &context.program.maps[map];
    let found = context.maps.held(map).value(key, spec, map, context.memory);
    found.map_err(|NoRoom| full(context, map))
}

/// `bpf_map_lookup_elem(map, key)`.
pub fn look_up(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let (map, key) = map_and_key(call)?;
    Ok(value(call.context, map, &key)?.map_or(0, |region| address::of(region, 0)))
}

/// `bpf_map_update_elem(map, key, value, flags)`.
pub fn update(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let (map, key) = map_and_key(call)?;
    let spec = &call.context.program.maps[map];
    let new = call.read(call.arguments[2], spec.value_size as usize)?;
    let flags = call.arguments[3] & !LOCKED;
    if flags > ONLY_OLD {
        return Ok(errno::INVALID);
    }
    let is_array = matches!(call.context.maps.held(map), Held::Array(_));
    let region = match value(call.context, map, &key)? {
        Some(_) if flags == ONLY_NEW => return Ok(errno::EXISTS),
        Some(region) => region,
        None if is_array => return Ok(errno::TOO_BIG),
        None if flags == ONLY_OLD => return Ok(errno::NO_ENTRY),
        None => {
            if let Held::Hash { elements, .. } = call.context.maps.held(map) {
                let passed =
                    if elements.len() >= spec.max_entries as usize { elements.len() } else { 0 };
                call.context.charge(passed)?;
            }
            let inserted = call.context.maps.held(map).insert(key, spec, map, call.context.memory);
            match inserted.map_err(|NoRoom| full(call.context, map))? {
                Some(region) => region,
                None => return Ok(errno::TOO_BIG),
            }
        }
    };
    call.context.memory.region_mut(region).copy_from_slice(&new);
    Ok(0)
}

/// `bpf_map_delete_elem(map, key)`.
pub fn delete(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let (map, key) = map_and_key(call)?;
    let Held::Hash { elements, .. } = call.context.maps.held(map) else {
        return Ok(errno::INVALID);
    };
    let Some(element) = elements.remove(key.as_slice()) else { return Ok(errno::NO_ENTRY) };
    call.context.memory.give_back(element.region);
    Ok(0)
}

fn storage_of(call: &Call<'_, '_>) -> Result<usize, Reason> {
    let map = call.map(0)?;
    match call.context.maps.peek(map) {
        Held::Storage(_) => Ok(map),
        _ => Err(call.refuse(0, "the map", "a map of the kind BPF_MAP_TYPE_SK_STORAGE")),
    }
}

/// `bpf_sk_storage_get(map, socket, value, flags)`.
pub fn storage(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let map = storage_of(call)?;
    let [_, socket, initial, flags, _] = *call.arguments;
    if socket == 0 || flags > CREATE {
        return Ok(0);
    }
    call.needs_socket(1)?;
    if let Held::Storage(Some(region)) = call.context.maps.peek(map) {
        return Ok(address::of(*region, 0));
    }
    if flags != CREATE {
        return Ok(0);
    }
    let size = call.context.program.maps[map].value_size as usize;
    let initial = if initial == 0 { vec![0; size] } else { call.read(initial, size)? };
    let region = call
        .context
        .memory
        .add(Content::Value(map), size)
        .ok_or_else(|| full(call.context, map))?;
    call.context.memory.region_mut(region).copy_from_slice(&initial);
    *call.context.maps.held(map) = Held::Storage(Some(region));
    Ok(address::of(region, 0))
}

/// `bpf_sk_storage_delete(map, socket)`.
pub fn delete_storage(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    let map = storage_of(call)?;
    if call.arguments[1] == 0 {
        return Ok(errno::INVALID);
    }
    call.needs_socket(1)?;
    let Held::Storage(Some(region)) = *call.context.maps.peek(map) else {
        return Ok(errno::NO_ENTRY);
    };
    call.context.memory.give_back(region);
    *call.context.maps.held(map) = Held::Storage(None);
    Ok(0)
}

impl Context<'_> {
    /// The keys of a map whose elements are visited.
    pub fn keys(&mut self, handle: u64, name: &'static str) -> Result<Keys, Reason> {
        let map = self.map(handle, name)?.0;
        match self.maps.held(map) {
            Held::Array(_) => Ok(Keys::Indices(self.program.maps[map].max_entries)),
            Held::Hash { elements, .. } => Ok(Keys::Keys(elements.keys().cloned().collect())),
            Held::Storage(_) | Held::Ring(_) => Err(Reason::Argument {
                function: name,
                found: self.program.maps[map].name.clone(),
                parameter: "the map",
                wanted: "an array or a hash",
            }),
        }
    }

    /// The addresses of a key and its value, if it is still there. The region of the key is the
    /// caller's to give back.
    pub fn element(
        &mut self,
        handle: u64,
        key: &[u8],
        name: &'static str,
    ) -> Result<Option<(u64, u64)>, Reason> {
        let map = self.map(handle, name)?.0;
        let Some(value) = value(self, map, key)? else { return Ok(None) };
        let region =
            self.memory.add(Content::Key(map), key.len()).ok_or_else(|| full(self, map))?;
        self.memory.region_mut(region).copy_from_slice(key);
        Ok(Some((address::of(region, 0), address::of(value, 0))))
    }
}

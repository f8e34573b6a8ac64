//! The maps of a program, of which each connection has its own. Their values lie in the memory,
//! each in a region of its own, so that nothing reaches from one into another.

use crate::memory::{Content, Memory};
use crate::program::MapSpec;
use std::collections::BTreeMap;

/// Kinds of maps (`enum bpf_map_type`, include/uapi/linux/bpf.h).
mod kind {
    pub const HASH: u32 = 1;
    pub const ARRAY: u32 = 2;
    pub const PERCPU_HASH: u32 = 5;
    pub const PERCPU_ARRAY: u32 = 6;
    pub const LRU_HASH: u32 = 9;
    pub const LRU_PERCPU_HASH: u32 = 10;
    pub const SK_STORAGE: u32 = 24;
    pub const RINGBUF: u32 = 27;
}

/// Most bytes of a key (`MAX_BPF_STACK`, where programs keep it).
const MOST_KEY: u32 = 512;

/// Most bytes of a socket's value (`BPF_LOCAL_STORAGE_MAX_VALUE_SIZE`,
/// include/linux/bpf_local_storage.h, less what the kernel keeps beside it).
const MOST_STORAGE: u32 = 64 * 1024 - 128;

/// Bytes of a page, of whose multiples a ring is.
const PAGE: u32 = 4096;

/// Whether a map holds nothing but what the program put there: no kernel forgets or chooses values
/// of these kinds.
pub fn keeps(spec: &MapSpec) -> bool {
    matches!(spec.kind, kind::ARRAY | kind::HASH | kind::SK_STORAGE)
}

/// Whether a map is a ring, which programs only write.
pub fn is_ring(spec: &MapSpec) -> bool {
    spec.kind == kind::RINGBUF
}

/// Whether a map can be had here, or what speaks against it.
pub fn map_fits(spec: &MapSpec) -> Result<(), &'static str> {
    let MapSpec { kind, key_size, value_size, max_entries, .. } = *spec;
    match kind {
        kind::ARRAY | kind::PERCPU_ARRAY if key_size != 4 => {
            Err("is an array whose key has not 4 bytes: declare the key as int or __u32")
        }
        kind::HASH | kind::PERCPU_HASH | kind::LRU_HASH | kind::LRU_PERCPU_HASH
            if key_size == 0 || key_size > MOST_KEY =>
        {
            Err("has a key of 0 or more than 512 bytes: declare one of 1 to 512 bytes")
        }
        kind::ARRAY
        | kind::PERCPU_ARRAY
        | kind::HASH
        | kind::PERCPU_HASH
        | kind::LRU_HASH
        | kind::LRU_PERCPU_HASH => {
            if value_size == 0 {
                Err("has no value: declare its type")
            } else if max_entries == 0 {
                Err("has no entries: declare max_entries")
            } else {
                Ok(())
            }
        }
        kind::SK_STORAGE if key_size != 4 => {
            Err("is of sockets and its key has not 4 bytes: declare the key as int")
        }
        kind::SK_STORAGE if value_size == 0 || value_size > MOST_STORAGE => Err(
            "is of sockets and its value has 0 or too many bytes: declare one of at most 65,408 bytes",
        ),
        kind::SK_STORAGE if max_entries != 0 => {
            Err("is of sockets and has max_entries: leave that out")
        }
        kind::SK_STORAGE => Ok(()),
        kind::RINGBUF if key_size != 0 || value_size != 0 => {
            Err("is a ring and has a key or a value: leave them out")
        }
        kind::RINGBUF if !max_entries.is_power_of_two() || max_entries % PAGE != 0 => Err(
            "is a ring whose max_entries is no power of 2 and multiple of 4096: declare such a number of bytes",
        ),
        kind::RINGBUF => Ok(()),
        _ => Err(
            "is of a kind that is not carried out: use an array, a hash, sk_storage or a ring buffer",
        ),
    }
}

/// An element of a hash.
#[derive(Clone, Debug)]
pub struct Element {
    /// The region of its value.
    pub region: u64,
    /// When it was used last, in uses of its map.
    used: u64,
}

/// The content of a map. Per-CPU kinds are as the others: the host that is simulated has one.
#[derive(Clone, Debug)]
pub enum Held {
    /// Regions of the values by index. The value of an index that nobody asked for is zero, and has
    /// no region yet.
    Array(BTreeMap<u32, u64>),
    /// In the order of the keys; `evicts` if the one unused for longest makes room.
    Hash {
        /// By key.
        elements: BTreeMap<Box<[u8]>, Element>,
        /// Of the kinds that never are full.
        evicts: bool,
        /// Uses so far.
        uses: u64,
    },
    /// The region of the socket's value.
    Storage(Option<u64>),
    /// Bytes that were written, headers included.
    Ring(u64),
}

/// The keys of a map while its elements are visited.
pub enum Keys {
    /// Those of an array of so many.
    Indices(u32),
    /// Those of a hash.
    Keys(Vec<Box<[u8]>>),
}

impl Keys {
    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = Box<[u8]>> + '_ {
        let (count, keys) = match self {
            Keys::Indices(count) => (*count, [].as_slice()),
            Keys::Keys(keys) => (0, keys.as_slice()),
        };
        (0..count).map(|index| Box::from(index.to_le_bytes())).chain(keys.iter().cloned())
    }
}

/// A socket's values in maps of sockets: the map, by its index, and the value.
pub type Stored = Vec<(usize, Box<[u8]>)>;

/// The maps of one connection, in the order of the program's.
#[derive(Clone, Debug)]
pub struct Maps {
    held: Vec<Held>,
    /// Records that the callback reserved and did not give on: regions and rings.
    reserved: Vec<(u64, usize)>,
}

impl Maps {
    /// Empty ones, of kinds that [`map_fits`] allows.
    pub fn new(specs: &[MapSpec]) -> Maps {
        let empty = |spec: &MapSpec| match spec.kind {
            kind::ARRAY | kind::PERCPU_ARRAY => Held::Array(BTreeMap::new()),
            kind::SK_STORAGE => Held::Storage(None),
            kind::RINGBUF => Held::Ring(0),
            other => Held::Hash {
                elements: BTreeMap::new(),
                evicts: matches!(other, kind::LRU_HASH | kind::LRU_PERCPU_HASH),
                uses: 0,
            },
        };
        Maps { held: specs.iter().map(empty).collect(), reserved: Vec::new() }
    }

    /// Bytes that keys and the lists of values take, about.
    pub fn bytes(&self) -> usize {
        let of = |held: &Held| match held {
            Held::Array(values) => values.len() * size_of::<(u32, u64)>(),
            Held::Hash { elements, .. } => {
                elements.keys().map(|key| key.len() + size_of::<(Box<[u8]>, Element)>()).sum()
            }
            Held::Storage(_) | Held::Ring(_) => 0,
        };
        self.held.iter().map(|held| size_of::<Held>() + of(held)).sum()
    }

    /// The content of a map.
    pub fn held(&mut self, map: usize) -> &mut Held {
        &mut self.held[map]
    }

    /// The content of a map, to look at.
    pub fn peek(&self, map: usize) -> &Held {
        &self.held[map]
    }

    /// A record was reserved.
    pub fn reserve(&mut self, region: u64, ring: usize) {
        self.reserved.push((region, ring));
    }

    /// Passes a record on. False if the region is not a record.
    pub fn submit(&mut self, region: u64) -> bool {
        let found = self.reserved.iter().position(|(reserved, _)| *reserved == region);
        found.map(|found| self.reserved.swap_remove(found)).is_some()
    }

    /// The ring of a record that was not given on.
    pub fn reserved(&self) -> Option<usize> {
        self.reserved.first().map(|(_, ring)| *ring)
    }

    /// Takes out what the socket has in maps of sockets.
    pub fn take_storage(&mut self, memory: &mut Memory) -> Stored {
        let places = self.held.iter_mut().enumerate();
        let taken = places.filter_map(|(map, held)| {
            if let Held::Storage(place) = held { Some((map, place.take()?)) } else { None }
        });
        let value = |(map, region)| {
            let value = memory.region(region).into();
            memory.release(region);
            (map, value)
        };
        taken.map(value).collect()
    }

    /// Gives a socket that has nothing in maps of sockets what was taken out.
    ///
    /// # Panics
    ///
    /// If it has more than a connection can hold, which then was never in a connection.
    pub fn put_storage(&mut self, values: &Stored, memory: &mut Memory) {
        for (map, value) in values {
            let region = memory.add(Content::Value(*map), value.len()).expect("it was held before");
            memory.region_mut(region).copy_from_slice(value);
            self.held[*map] = Held::Storage(Some(region));
        }
    }

    /// The callback has ended.
    #[inline]
    pub fn settle(&mut self, memory: &mut Memory) {
        while let Some((region, _)) = self.reserved.pop() {
            memory.give_back(region);
        }
        memory.settle();
    }
}

impl Held {
    /// The region of the value with this key, which is used now. `None` if the key is absent; an
    /// array's is made if `memory` has room.
    pub fn value(
        &mut self,
        key: &[u8],
        spec: &MapSpec,
        map: usize,
        memory: &mut Memory,
    ) -> Result<Option<u64>, NoRoom> {
        match self {
            Held::Array(values) => {
                let Some(index) = index(key).filter(|index| *index < spec.max_entries) else {
                    return Ok(None);
                };
                if let Some(region) = values.get(&index) {
                    return Ok(Some(*region));
                }
                let region =
                    memory.add(Content::Value(map), spec.value_size as usize).ok_or(NoRoom)?;
                values.insert(index, region);
                Ok(Some(region))
            }
            Held::Hash { elements, uses, .. } => {
                *uses += 1;
                Ok(elements.get_mut(key).map(|element| {
                    element.used = *uses;
                    element.region
                }))
            }
            Held::Storage(_) | Held::Ring(_) => Ok(None),
        }
    }

    /// A new element of a hash. `Ok(None)` if it is full.
    pub fn insert(
        &mut self,
        key: Vec<u8>,
        spec: &MapSpec,
        map: usize,
        memory: &mut Memory,
    ) -> Result<Option<u64>, NoRoom> {
        let Held::Hash { elements, evicts, uses } = self else { return Ok(None) };
        if elements.len() >= spec.max_entries as usize {
            let oldest =
                elements.iter().min_by_key(|(_, element)| element.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest.filter(|_| *evicts) else { return Ok(None) };
            memory.give_back(elements.remove(&oldest).expect("just found").region);
        }
        let region = memory.add(Content::Value(map), spec.value_size as usize).ok_or(NoRoom)?;
        *uses += 1;
        elements.insert(key.into(), Element { region, used: *uses });
        Ok(Some(region))
    }
}

/// The memory of maps is full.
#[derive(Clone, Copy, Debug)]
pub struct NoRoom;

/// The index that an array's key is.
fn index(key: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(key.try_into().ok()?))
}

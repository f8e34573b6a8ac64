//! Maps through which a controller in the kernel and processes exchange data.

use crate::shared::{Control, Price, Record, Stats};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType, Object, RingBuffer, RingBufferBuilder};
use std::path::Path;
use std::time::{Duration, Instant};

/// The maps of a controller.
pub(crate) struct Maps {
    pub constants: MapHandle,
    pub stats: MapHandle,
    pub control: MapHandle,
    pub records: MapHandle,
    /// Prices by priority, if the controller supports them.
    pub prices: Option<MapHandle>,
    /// Size of a connection's state, in bytes.
    pub state: usize,
}

/// Names of the maps in the object, with the names of their pins.
const NAMES: [(&str, &str); 4] = [
    (".rodata.constants", "constants"),
    (".data.stats", "stats"),
    (".data.control", "control"),
    ("records", "records"),
];

/// Name of the map of prices, in the object and as a pin.
const PRICES: &str = "prices";

/// Number of priorities that can have prices, from 0.
const PRIORITIES: u32 = 16;

impl Maps {
    fn each<E>(
        state: usize,
        prices: Option<MapHandle>,
        mut find: impl FnMut(&str, &str) -> Result<MapHandle, E>,
    ) -> Result<Maps, E> {
        let [constants, stats, control, records] = NAMES;
        let mut find = |(object, pin)| find(object, pin);
        Ok(Maps {
            constants: find(constants)?,
            stats: find(stats)?,
            control: find(control)?,
            records: find(records)?,
            prices,
            state,
        })
    }

    /// Finds the maps of a loaded object.
    pub fn of(object: &Object, state: usize) -> libbpf_rs::Result<Maps> {
        let prices = object.maps().find(|map| map.name() == PRICES);
        let prices = prices.map(|map| MapHandle::try_from(&map)).transpose()?;
        Maps::each(state, prices, |name, _| {
            let map = object.maps().find(|map| map.name() == name).expect("every object has it");
            MapHandle::try_from(&map)
        })
    }

    /// Opens the maps pinned in a directory.
    ///
    /// # Errors
    ///
    /// A map is missing, or has the wrong form; the text names it.
    pub fn pinned(directory: &Path, state: usize) -> Result<Maps, String> {
        let at = |name: &str| {
            MapHandle::from_pinned_path(directory.join(name))
                .map_err(|error| format!("\"{name}\" cannot be read: {error}"))
        };
        let prices = if directory.join(PRICES).exists() { Some(at(PRICES)?) } else { None };
        let maps = Maps::each(state, prices, |_, name| at(name))?;
        if maps.prices.as_ref().is_some_and(|prices| {
            prices.map_type() != MapType::Array
                || prices.value_size() as usize != size_of::<Price>()
        }) {
            return Err(format!("\"{PRICES}\" is not the map that it should be"));
        }
        let values = [&maps.constants, &maps.stats, &maps.control]
            .map(|map| map.map_type() == MapType::Array && map.key_size() == 4);
        let sound = [
            values[0],
            values[1],
            values[2] && maps.control.value_size() as usize == size_of::<Control>(),
            maps.records.map_type() == MapType::RingBuf,
        ];
        match sound.iter().position(|sound| !sound) {
            Some(place) => Err(format!("\"{}\" is not the map that it should be", NAMES[place].1)),
            None => Ok(maps),
        }
    }

    /// Pins the maps in a directory.
    pub fn pin(&mut self, directory: &Path) -> libbpf_rs::Result<()> {
        let [constants, stats, control, records] = NAMES;
        self.constants.pin(directory.join(constants.1))?;
        self.stats.pin(directory.join(stats.1))?;
        self.control.pin(directory.join(control.1))?;
        if let Some(prices) = &mut self.prices {
            prices.pin(directory.join(PRICES))?;
        }
        self.records.pin(directory.join(records.1))
    }

    fn value(map: &MapHandle) -> Vec<u8> {
        map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok().flatten().unwrap_or_default()
    }

    pub fn constants(&self) -> Vec<u8> {
        Maps::value(&self.constants)
    }

    /// Returns the counters. A controller that another version of this program loaded may have more
    /// or fewer counters.
    pub fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        let known = bytemuck::bytes_of_mut(&mut stats).iter_mut();
        known.zip(Maps::value(&self.stats)).for_each(|(known, byte)| *known = byte);
        stats
    }

    /// Records calls until this time of CLOCK_MONOTONIC, in µs.
    pub fn record_until(&self, time: u64) {
        self.control
            .update(
                &0_u32.to_ne_bytes(),
                bytemuck::bytes_of(&Control { record_until: time }),
                MapFlags::ANY,
            )
            .expect("a map of one element");
    }

    /// Returns the price of each priority that has one; `None` for a controller without prices.
    pub fn prices(&self) -> Option<Vec<(u32, Price)>> {
        let map = self.prices.as_ref()?;
        let priced = (0..PRIORITIES).filter_map(|priority| {
            let value = map.lookup(&priority.to_ne_bytes(), MapFlags::ANY).ok().flatten()?;
            let price: Price = bytemuck::try_pod_read_unaligned(&value).ok()?;
            (price.is_set != 0).then_some((priority, price))
        });
        Some(priced.collect())
    }

    /// Sets the price of connections with a priority.
    pub fn set_price(&self, priority: u32, price: Price) -> libbpf_rs::Result<()> {
        let Some(map) = &self.prices else { return Ok(()) };
        map.update(&priority.to_ne_bytes(), bytemuck::bytes_of(&price), MapFlags::ANY)
    }

    /// Reads records until no more arrive within `wait`.
    pub fn records(&self, wait: Duration, each: impl FnMut(Record)) {
        let ring = self.ring(each);
        while ring.poll_raw(wait) > 0 {}
    }

    /// Reads records for this time.
    pub fn records_within(&self, time: Duration, each: impl FnMut(Record)) {
        let ring = self.ring(each);
        let end = Instant::now() + time;
        while let Some(rest) = end.checked_duration_since(Instant::now()) {
            if ring.poll_raw(rest) < 0 {
                break;
            }
        }
    }

    fn ring<'a>(&'a self, mut each: impl FnMut(Record) + 'a) -> RingBuffer<'a> {
        let mut builder = RingBufferBuilder::new();
        let state = self.state;
        builder
            .add(&self.records, move |bytes| {
                if let Some(record) = Record::from_bytes(bytes, state) {
                    each(record);
                }
                0
            })
            .expect("a ring buffer");
        builder.build().expect("a ring buffer")
    }
}

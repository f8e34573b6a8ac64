//! The C cores, `cores/pcc_vivace.h` and `cores/pcc_allegro.h`, behind safe calls. The only unsafe code of this crate.
#![allow(unsafe_code)]

/// What a socket shows its controller; rates in bytes/s, times in µs, counts in segments. `struct pcc_input`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Input {
    pub now: u64,
    pub max_pacing_rate: u64,
    pub sent: u32,
    pub delivered: u32,
    pub lost: u32,
    pub in_flight: u32,
    /// 0 before the first sample.
    pub srtt: u32,
    pub mss: u32,
    pub cwnd_clamp: u32,
    /// 1 while a retransmission timeout is repaired.
    pub in_loss: u32,
    pub random: u32,
    pub reserved: u32,
}

/// What a controller writes into its socket. `struct pcc_output`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub pacing_rate: u64,
    pub cwnd: u32,
    pub reserved: u32,
}

/// `struct pcc_interval`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Interval {
    pub rate: u64,
    pub utility: i64,
    pub send: [u64; 2],
    pub receive: [u64; 2],
    pub rtt: [u32; 2],
    pub base: u32,
    pub end: u32,
    pub lost: u32,
    pub delivered: u32,
}

/// `struct pcc_state`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    pub rate: i64,
    pub last_rate: i64,
    pub accounted: u32,
    pub spare: u32,
    pub bases: [u32; 2],
    pub sending: u32,
    pub receiving: u32,
    pub waiting: u32,
    pub in_loss: u32,
    pub phase: u32,
    pub last_decision: u32,
    pub amplifier: i32,
    pub swing_buffer: i32,
    pub change_bound: i32,
    pub epsilon: u32,
}

/// `struct pcc_vivace_constants`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Vivace {
    pub first_rate: u32,
    pub interval_packets: u32,
    pub ignore: u32,
    pub probe: u32,
    pub latency: u32,
    pub loss: u32,
    pub latency_filter: i32,
    pub min_difference: i32,
    pub step: u32,
    pub amplifier: i32,
    pub swing_buffer: i32,
    pub change_bound: i32,
    pub change_step: i32,
    pub floor_packets: u32,
    pub fixed: u32,
    pub pair_bug: u32,
}

/// `struct pcc_allegro_constants`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Allegro {
    pub first_rate: u32,
    pub interval_packets: u32,
    pub ignore: u32,
    pub epsilon_min: u32,
    pub epsilon_max: u32,
    pub loss_margin: u32,
    pub fixed: u32,
    pub reserved: u32,
}

// `cores/native.c` asserts the same sizes.
const _: () = assert!(size_of::<Input>() == 56 && size_of::<Output>() == 16 && size_of::<Interval>() == 72 && size_of::<State>() == 72);
const _: () = assert!(size_of::<Vivace>() == 64 && size_of::<Allegro>() == 32);

/// A function of a core: all of them take the same.
type Call<C> = unsafe extern "C" fn(*const C, *mut State, *mut [Interval; 4], *const Input, *mut Output);

unsafe extern "C" {
    fn narrows_pcc_vivace_init(_: *const Vivace, _: *mut State, _: *mut [Interval; 4], _: *const Input, _: *mut Output);
    fn narrows_pcc_vivace_set_state(_: *const Vivace, _: *mut State, _: *mut [Interval; 4], _: *const Input, _: *mut Output);
    fn narrows_pcc_vivace_step(_: *const Vivace, _: *mut State, _: *mut [Interval; 4], _: *const Input, _: *mut Output);
    fn narrows_pcc_allegro_init(_: *const Allegro, _: *mut State, _: *mut [Interval; 4], _: *const Input, _: *mut Output);
    fn narrows_pcc_allegro_set_state(_: *const Allegro, _: *mut State, _: *mut [Interval; 4], _: *const Input, _: *mut Output);
    fn narrows_pcc_allegro_step(_: *const Allegro, _: *mut State, _: *mut [Interval; 4], _: *const Input, _: *mut Output);
}

/// Constants that choose a core: its functions are called when a connection begins, when its recovery state may have changed, and with each acknowledgement.
pub trait Constants: Copy + Send {
    const INIT: Call<Self>;
    const SET_STATE: Call<Self>;
    const STEP: Call<Self>;
}

impl Constants for Vivace {
    const INIT: Call<Vivace> = narrows_pcc_vivace_init;
    const SET_STATE: Call<Vivace> = narrows_pcc_vivace_set_state;
    const STEP: Call<Vivace> = narrows_pcc_vivace_step;
}

impl Constants for Allegro {
    const INIT: Call<Allegro> = narrows_pcc_allegro_init;
    const SET_STATE: Call<Allegro> = narrows_pcc_allegro_set_state;
    const STEP: Call<Allegro> = narrows_pcc_allegro_step;
}

/// One connection's controller.
#[derive(Clone, Debug)]
pub struct Core<C> {
    constants: C,
    pub state: State,
    pub intervals: [Interval; 4],
    pub output: Output,
}

impl<C: Constants> Core<C> {
    /// At the start of a connection.
    pub fn new(constants: C, input: &Input) -> Core<C> {
        let mut core = Core { constants, state: State::default(), intervals: [Interval::default(); 4], output: Output::default() };
        core.init(input);
        core
    }

    /// The connection begins.
    pub fn init(&mut self, input: &Input) {
        self.call(C::INIT, input);
    }

    /// The recovery state may have changed.
    pub fn set_state(&mut self, input: &Input) {
        self.call(C::SET_STATE, input);
    }

    /// An acknowledgement.
    pub fn step(&mut self, input: &Input) {
        self.call(C::STEP, input);
    }

    fn call(&mut self, function: Call<C>, input: &Input) {
        // SAFETY: the function is one of the cores', which read and write what these valid and separate references point to, in the layout asserted on both sides,
        // and keep no pointer.
        unsafe { function(&self.constants, &mut self.state, &mut self.intervals, input, &mut self.output) }
    }
}

#[cfg(test)]
pub use equations::{allegro_utility, exp, vivace_utility};

#[cfg(test)]
mod equations {
    use super::{Allegro, Interval, Vivace};

    unsafe extern "C" {
        fn narrows_pcc_vivace_utility(_: *const Vivace, _: *const Interval, starting: u32, mss: u32) -> i64;
        fn narrows_pcc_allegro_utility(_: *const Allegro, _: *const Interval) -> i64;
        safe fn narrows_pcc_exp(x: i32) -> u32;
    }

    /// The utility of an interval of Vivace.
    pub fn vivace_utility(constants: &Vivace, interval: &Interval, starting: bool, mss: u32) -> i64 {
        // SAFETY: only reads what these references point to.
        unsafe { narrows_pcc_vivace_utility(constants, interval, starting as u32, mss) }
    }

    /// The utility of an interval of Allegro.
    pub fn allegro_utility(constants: &Allegro, interval: &Interval) -> i64 {
        // SAFETY: only reads what these references point to.
        unsafe { narrows_pcc_allegro_utility(constants, interval) }
    }

    /// e^(x/1000) in thousandths.
    pub fn exp(x: i32) -> u32 {
        narrows_pcc_exp(x)
    }
}

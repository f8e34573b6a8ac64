//! Options of the socket that a program sets or asks for (net/core/filter.c `__bpf_setsockopt`,
//! `__bpf_getsockopt`).

use super::context::{Call, errno};
use crate::fault::Reason;
use crate::socket::Field;

/// `SOL_SOCKET` and `SOL_TCP`, and the options that are known here.
const SOCKET: u32 = 1;
const TCP: u32 = 6;
const MAX_PACING_RATE: u32 = 47;
const CONGESTION: u32 = 13;

/// Most bytes of a controller's name with the zero at its end (`TCP_CA_NAME_MAX`).
const MOST_NAME: usize = 16;

const PACING_RATE: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_rate");
const MOST_PACING_RATE: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_max_pacing_rate");
const PACING_STATUS: Field = Field::of("tcp_sock.inet_conn.icsk_inet.sk.sk_pacing_status");

/// `bpf_setsockopt(socket, level, option, value, size)`.
pub fn set(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let [.., value, _] = *call.arguments;
    let size = call.short(4) as usize;
    match (call.short(1), call.short(2)) {
        (TCP, CONGESTION) => {
            let bytes = call.read(value, size)?;
            let name = bytes
                .iter()
                .take(MOST_NAME - 1)
                .take_while(|byte| **byte != 0)
                .map(|byte| *byte as char)
                .collect::<String>();
            match name {
                name if size == 0 || name.is_empty() => {
                    Ok(if size == 0 { errno::INVALID } else { errno::NO_ENTRY })
                }
                name if name == call.context.program.name => Ok(0),
                name => Err(Reason::Other(name)),
            }
        }
        (SOCKET, MAX_PACING_RATE) if size == 4 => {
            let bytes = call.read(value, 4)?;
            let rate = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
            let rate = if rate == u32::MAX { u64::MAX } else { rate as u64 };
            let socket = call.context.memory.socket_mut();
            if rate != u64::MAX && PACING_STATUS.get(socket) == 0 {
                PACING_STATUS.set(socket, 1);
            }
            MOST_PACING_RATE.set(socket, rate);
            let in_force = PACING_RATE.get(socket).min(rate);
            PACING_RATE.set(socket, in_force);
            Ok(0)
        }
        (SOCKET, MAX_PACING_RATE) => Ok(errno::INVALID),
        _ => Ok(errno::NO_OPTION),
    }
}

/// `bpf_getsockopt(socket, level, option, value, size)`: what it cannot tell is zero.
pub fn get(call: &mut Call<'_, '_>) -> Result<u64, Reason> {
    call.needs_socket(0)?;
    let [.., value, _] = *call.arguments;
    let size = call.short(4) as usize;
    match (call.short(1), call.short(2)) {
        (TCP, CONGESTION) if size > 1 => {
            let mut name = call.context.program.name.clone().into_bytes();
            name.truncate(size - 1);
            call.fill(value, size)?;
            call.write(value, &name)?;
            Ok(0)
        }
        (SOCKET, MAX_PACING_RATE) if size == 4 => {
            let rate = MOST_PACING_RATE.get(call.context.memory.socket());
            let rate = u32::try_from(rate).unwrap_or(u32::MAX);
            call.write(value, &rate.to_le_bytes())?;
            Ok(0)
        }
        (TCP, CONGESTION) | (SOCKET, MAX_PACING_RATE) => {
            call.fill(value, size)?;
            Ok(errno::INVALID)
        }
        _ => {
            call.fill(value, size)?;
            Ok(errno::NO_OPTION)
        }
    }
}

//! TLV: TYPE, LENGTH, VALUE (NDN Packet Format 0.3, "Type-Length-Value (TLV) Encoding").

mod buffer;
mod element;
mod error;
mod frame;
mod order;
mod reader;
mod var_number;

pub use buffer::{Buffer, Fixed, TooSmall, put_element, put_nested, put_nni, put_wide};
pub(crate) use buffer::{element_size, put_head};
pub use element::Element;
pub use error::{DecodeError, Fault};
pub use frame::{MAX_PACKET, frame_length};
pub(crate) use order::Order;
pub use reader::Reader;
pub(crate) use var_number::nni;
pub use var_number::{nni_size, read_var_number, var_number_size};

//! No octets make the decoders of NFD's management messages panic, and what they accept survives being written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows_ndn::management::*;

macro_rules! message {
    ($message:ident, $octets:expr) => {
        if let Ok(message) = $message::decode($octets) {
            let mut again = Vec::new();
            message.write(&mut again);
            assert_eq!($message::decode(&again), Ok(message));
        }
    };
}

macro_rules! dataset {
    ($entry:ident, $octets:expr) => {
        let all: Vec<$entry> = entries($octets).flatten().collect();
        let mut again = Vec::new();
        all.iter().for_each(|entry| entry.write(&mut again));
        assert_eq!(entries(&again).collect::<Result<Vec<$entry>, _>>(), Ok(all));
    };
}

fuzz_target!(|octets: &[u8]| {
    message!(ControlParameters, octets);
    message!(FaceQueryFilter, octets);
    message!(FaceEvent, octets);
    message!(GeneralStatus, octets);
    if let Ok(answer) = ControlResponse::decode(octets) {
        let mut again = Vec::new();
        answer.write(&mut again);
        let parameters = Some(answer.parameters.unwrap_or_default());
        assert_eq!(ControlResponse::decode(&again), Ok(ControlResponse { parameters, ..answer }));
    }
    dataset!(FaceStatus, octets);
    dataset!(RibEntry, octets);
    dataset!(FibEntry, octets);
    dataset!(StrategyChoice, octets);
    dataset!(ChannelStatus, octets);
    dataset!(CsInfo, octets);
});

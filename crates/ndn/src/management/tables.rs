//! Datasets of the forwarder's tables (pages "RibMgmt", "FibMgmt", "StrategyChoice").

use super::field::StrategyName;
use super::record::record;
use crate::name::NameRef;

record! {
    /// Route of a [`RibEntry`].
    #[derive(Copy)]
    Route {
        /// FaceId.
        face_id: 105 => u64,
        /// Origin: 0 an application, 65 a client, 128 NLSR, 255 static, and others.
        origin: 111 => u64,
        /// Cost.
        cost: 106 => u64,
        /// Flags; see [`super::route_flags`].
        flags: 108 => u64,
        /// ExpirationPeriod: milliseconds until the route expires.
        expiration_ms: 109 => Option<u64>,
    }
}

record! {
    /// RibEntry: an entry of rib/list.
    RibEntry<'a> {
        /// Name: the prefix.
        name: 7 => NameRef<'a>,
    }
    then
    /// Routes of the prefix.
    routes: 129 => [Route]
}

record! {
    /// NextHopRecord of a [`FibEntry`].
    #[derive(Copy)]
    NextHopRecord {
        /// FaceId.
        face_id: 105 => u64,
        /// Cost.
        cost: 106 => u64,
    }
}

record! {
    /// FibEntry: an entry of fib/list.
    FibEntry<'a> {
        /// Name: the prefix.
        name: 7 => NameRef<'a>,
    }
    then
    /// Next hops of the prefix.
    next_hops: 129 => [NextHopRecord]
}

record! {
    /// StrategyChoice: an entry of strategy-choice/list.
    #[derive(Copy)]
    StrategyChoice<'a> {
        /// Name: the prefix.
        name: 7 => NameRef<'a>,
        /// Strategy.
        strategy: 107 => StrategyName<'a>,
    }
}

//! Encoded packets decode to the same packets.

use narrows_ndn::lp::*;
use narrows_ndn::signature::Signer;
use narrows_ndn::*;
use narrows_wire::Labels;
use proptest::option;
use proptest::prelude::*;

fn any_name() -> impl Strategy<Value = Name> {
    let component = (3u16..400, prop::collection::vec(any::<u8>(), 0..60));
    prop::collection::vec(component, 1..8).prop_map(|components| {
        components.iter().fold(Name::new(), |name, (number, value)| {
            name.component(*number, value).expect("a component")
        })
    })
}

fn any_label() -> impl Strategy<Value = PathLabel> {
    let flags =
        prop::sample::select(vec![LabelFlags::Discovery, LabelFlags::Fallback, LabelFlags::Strict]);
    (flags, prop::collection::vec(1u16..4096, 0..=Labels::MOST)).prop_map(|(flags, hops)| {
        let mut label = PathLabel::new(flags);
        for hop in hops {
            assert!(label.labels.push(hop));
        }
        label
    })
}

prop_compose! {
    fn any_mircc()(
        primary_bps in option::of(any::<u64>()),
        secondary_bps in option::of(any::<u64>()),
        class in option::of(any::<u8>()),
        round_trip_us in option::of(any::<u64>()),
        path_id in option::of(any::<u64>()),
        path_label in option::of(any_label()),
        limit in option::of(any::<u64>()),
    ) -> Mircc {
        Mircc { primary_bps, secondary_bps, class, round_trip_us, path_id, path_label, limit }
    }
}

proptest! {
    #[test]
    fn interests(
        name in any_name(),
        hints in prop::collection::vec(any_name(), 0..4),
        can_be_prefix: bool,
        must_be_fresh: bool,
        nonce: Option<u32>,
        lifetime_ms: Option<u64>,
        hop_limit: Option<u8>,
        parameters in option::of(prop::collection::vec(any::<u8>(), 0..400)),
    ) {
        let hints: Vec<NameRef> = hints.iter().map(Name::as_ref).collect();
        let draft = InterestDraft {
            name: name.as_ref(),
            can_be_prefix,
            must_be_fresh,
            forwarding_hint: &hints,
            nonce,
            lifetime_ms,
            hop_limit,
            parameters: parameters.as_deref(),
        };
        let mut wire = Vec::new();
        draft.write(&mut wire);
        let read = Interest::decode(&wire).expect("an Interest");
        let digested = if parameters.is_some() { ParametersStatus::Parameters } else { ParametersStatus::Nothing };
        prop_assert_eq!(read.check_parameters(), Ok(digested));
        prop_assert_eq!(read.name.prefix(draft.name.len()), draft.name);
        prop_assert_eq!(read.name.len() - draft.name.len(), usize::from(parameters.is_some()));
        prop_assert_eq!((read.can_be_prefix, read.must_be_fresh, read.nonce, read.lifetime_ms), (can_be_prefix, must_be_fresh, nonce, lifetime_ms));
        prop_assert_eq!((read.hop_limit.map(|limit| limit.value), read.parameters), (hop_limit, parameters.as_deref()));
        prop_assert_eq!(read.forwarding_hint.map_or(Vec::new(), |hint| hint.iter().collect()), hints);
    }

    #[test]
    fn data(
        name in any_name(),
        code in option::of(any::<u64>()),
        freshness_ms: Option<u64>,
        last: Option<u64>,
        content in option::of(prop::collection::vec(any::<u8>(), 0..400)),
    ) {
        let last = last.map(|last| Name::new().segment(last));
        let meta = MetaInfo {
            content_type: code.map(ContentType::from_code),
            freshness_ms,
            final_block: last.as_ref().and_then(|last| last.as_ref().last()),
        };
        let draft = DataDraft { name: name.as_ref(), meta, content: content.as_deref() };
        let mut wire = Vec::new();
        draft.write(&Signer::DIGEST, &mut wire);
        let read = Data::decode(&wire).expect("a Data");
        prop_assert_eq!((read.name, read.meta, read.content), (draft.name, meta, draft.content));
        prop_assert_eq!(read.check_digest(), Ok(()));
    }

    #[test]
    fn headers(
        numbers in prop::array::uniform7(option::of(any::<u64>())),
        token in option::of(prop::collection::vec(any::<u8>(), 1..=32)),
        announcement in option::of(prop::collection::vec(any::<u8>(), 0..40)),
        nack in option::of(prop::sample::select(vec![NackReason::None, NackReason::Congestion, NackReason::Duplicate, NackReason::NoRoute, NackReason::InvalidLabel])),
        non_discovery: bool,
        mircc in any_mircc(),
        fragment in option::of(prop::collection::vec(any::<u8>(), 0..400)),
    ) {
        let [sequence, frag_index, frag_count, incoming_face, next_hop_face, cache_policy, congestion_mark] = numbers;
        let header = Header {
            sequence,
            frag_index,
            frag_count,
            pit_token: token.as_deref().and_then(PitToken::new),
            nack,
            incoming_face,
            next_hop_face,
            cache_policy,
            congestion_mark,
            non_discovery,
            prefix_announcement: announcement.as_deref(),
            mircc,
        };
        prop_assume!(header != Header::default());
        let mut wire = Vec::new();
        header.write_packet(fragment.as_deref(), &mut wire);
        let read = LpPacket::decode(&wire).expect("a packet");
        prop_assert_eq!((read.header, read.fragment), (header, fragment.as_deref()));
    }
}

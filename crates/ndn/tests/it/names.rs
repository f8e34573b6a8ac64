//! Names and their URIs.

use narrows_ndn::{Name, NameRef, Prefix, UriError};
use proptest::prelude::*;

fn name(uri: &str) -> Name {
    uri.parse().unwrap_or_else(|error| panic!("{uri}: {error}"))
}

#[test]
fn uris_are_read_and_printed() {
    let digest = "28bad4b5275bd392dbb670c75cf0b66f13f7942021e80f55c0e86b374753a548";
    for (uri, octets) in [
        ("/", &[][..]),
        ("/a/b", b"\x08\x01a\x08\x01b"),
        ("/%00%FF~", b"\x08\x03\x00\xff~"),
        ("/...", b"\x08\x00"),
        ("/....", b"\x08\x01."),
        ("/32=metadata/v=7/seg=256", b"\x20\x08metadata\x36\x01\x07\x32\x02\x01\x00"),
        ("/off=0/t=1/seq=255", b"\x34\x01\x00\x38\x01\x01\x3a\x01\xff"),
        // VALUEs that are not numbers in the shortest form are not printed as numbers.
        ("/54=%00%07", b"\x36\x02\x00\x07"),
        ("/50=abc", b"\x32\x03abc"),
        ("/300=x%3D", b"\xfd\x01\x2c\x02x="),
    ] {
        let name = name(uri);
        assert_eq!(name.as_ref().value(), octets, "{uri}");
        assert_eq!(name.to_string(), uri);
    }
    let name = name(&format!("ndn:/a/sha256digest={digest}/"));
    assert_eq!(name.to_string(), format!("/a/sha256digest={digest}"));
    assert_eq!(name.as_ref().implicit_digest().expect("a digest")[..3], [0x28, 0xba, 0xd4]);
    assert_eq!(
        format!("/params-sha256={digest}")
            .parse::<Name>()
            .expect("a name")
            .as_ref()
            .component(0)
            .expect("one")
            .number,
        2
    );
    assert_eq!(self::name("/8=a"), self::name("/a"));
}

#[test]
fn texts_that_are_not_a_name_are_refused_with_a_reason() {
    let error = |uri: &str| uri.parse::<Name>().expect_err(uri);
    assert_eq!(error("a/b"), UriError::NoSlash("a/b".to_owned()));
    assert_eq!(error("/a//b"), UriError::Empty("/a//b".to_owned()));
    assert_eq!(error("/."), UriError::Empty(".".to_owned()));
    assert_eq!(error("/%4"), UriError::Escape("%4".to_owned()));
    assert_eq!(error("/%zz"), UriError::Escape("%zz".to_owned()));
    for uri in ["/0=a", "/65536=a", "/x=a", "/+8=a", "/=a"] {
        assert!(matches!(error(uri), UriError::Type(_)), "{uri}");
    }
    assert_eq!(
        error("/v=x").to_string(),
        "\"v=x\" needs a whole number below 2^64 after the equals sign"
    );
    assert_eq!(error("/sha256digest=00"), UriError::Digest("sha256digest=00".to_owned()));
    assert_eq!(error("/1=00"), UriError::Digest("1=00".to_owned()));
}

#[test]
fn names_are_ordered_by_type_then_length_then_octets() {
    let mut names = ["/b", "/", "/aa", "/a/z", "/a", "/v=1", "/32=x", "/a/b/c", "/300=a"].map(name);
    names.sort();
    assert_eq!(
        names.each_ref().map(Name::to_string),
        ["/", "/a", "/a/b/c", "/a/z", "/b", "/aa", "/32=x", "/v=1", "/300=a"]
    );
}

#[test]
fn prefixes_have_ends() {
    let name = name("/a/bb/v=1");
    let name = name.as_ref();
    let prefixes: Vec<Prefix> = name.prefixes().collect();
    assert_eq!(
        prefixes.iter().map(|prefix| (prefix.components, prefix.end)).collect::<Vec<_>>(),
        [(0, 0), (1, 3), (2, 7), (3, 10)]
    );
    assert_eq!(name.prefix(2).to_string(), "/a/bb");
    assert_eq!(name.prefix(9), name);
    assert_eq!(name.without_last(1).to_string(), "/a/bb");
    assert_eq!(name.without_last(4), NameRef::ROOT);
    assert_eq!((name.suffix(1).to_string(), name.suffix(1).len()), ("/bb/v=1".to_owned(), 2));
    assert_eq!(name.last().expect("a version").nni_of(54), Some(1));
    assert!(name.prefix(2).is_prefix_of(&name) && !name.is_prefix_of(&name.prefix(2)));
    assert!(!self::name("/a/b").as_ref().is_prefix_of(&name));
}

fn any_name() -> impl Strategy<Value = Name> {
    let component = (3u16..400, prop::collection::vec(any::<u8>(), 0..20));
    prop::collection::vec(component, 0..6).prop_map(|components| {
        components.iter().fold(Name::new(), |name, (number, value)| {
            name.component(*number, value).expect("a component")
        })
    })
}

proptest! {
    #[test]
    fn every_name_survives_its_uri(name in any_name()) {
        prop_assert_eq!(name.to_string().parse::<Name>(), Ok(name));
    }

    #[test]
    fn the_order_is_the_canonical_one(a in any_name(), b in any_name()) {
        let key = |name: &Name| name.as_ref().components().map(|c| (c.number, c.value.len(), c.value.to_vec())).collect::<Vec<_>>();
        prop_assert_eq!(a.cmp(&b), key(&a).cmp(&key(&b)));
        prop_assert_eq!(a.as_ref().is_prefix_of(&b.as_ref()), key(&b).starts_with(&key(&a)));
    }

    #[test]
    fn no_text_panics(text in "(/|=|%|[a-z0-9.])*") {
        if let Ok(name) = text.parse::<Name>() {
            prop_assert_eq!(name.to_string().parse::<Name>(), Ok(name));
        }
    }
}

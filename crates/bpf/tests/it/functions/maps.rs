//! Maps as the kernel's: what look-ups, updates and deletions answer.

use super::{AREA, Caller, MAP};
use crate::assembled::{EXIT, SOCKET, answer, constant, functions, helper, mov, op, set};
use narrows_bpf::{MapSpec, address};
use proptest::prelude::*;
use std::collections::BTreeMap;

const HASH: u32 = 1;
const ARRAY: u32 = 2;
const PERCPU_ARRAY: u32 = 6;
const LRU: u32 = 9;
const STORAGE: u32 = 24;

const LOOKUP: u64 = 0;
const UPDATE: u64 = 1;
const DELETE: u64 = 2;

fn map(kind: u32, max_entries: u32) -> MapSpec {
    MapSpec { name: "seen".to_owned(), kind, key_size: 4, value_size: 8, max_entries, flags: 0 }
}

/// Calls look-up, update and deletion. The key lies at the beginning of the area, the value at byte
/// 8.
struct Map(Caller);

impl Map {
    fn new(kind: u32, max_entries: u32) -> Map {
        Map(Caller::of_each(&[1, 2, 3], &[map(kind, max_entries)]))
    }

    fn update(&mut self, key: u32, value: u64, flags: u64) -> i64 {
        self.0.put(0, &key.to_le_bytes());
        self.0.put(8, &value.to_le_bytes());
        self.0.choose(UPDATE, &[MAP, AREA, AREA + 8, flags])
    }

    fn delete(&mut self, key: u32) -> i64 {
        self.0.put(0, &key.to_le_bytes());
        self.0.choose(DELETE, &[MAP, AREA])
    }

    /// The region of the value.
    fn lookup(&mut self, key: u32) -> Option<u64> {
        self.0.put(0, &key.to_le_bytes());
        let found = self.0.choose(LOOKUP, &[MAP, AREA]) as u64;
        (found != 0).then(|| {
            assert_eq!(found as u32, 0);
            found >> 32
        })
    }
}

#[test]
fn an_array_has_all_its_elements_from_the_beginning() {
    for kind in [ARRAY, PERCPU_ARRAY] {
        let mut array = Map::new(kind, 3);
        let first = array.lookup(0).unwrap();
        let second = array.lookup(2).unwrap();
        assert_ne!(first, second);
        assert_eq!(array.lookup(2), Some(second));
        assert_eq!(array.lookup(3), None);
        assert_eq!(array.update(2, 5, 0), 0);
        assert_eq!(array.lookup(2), Some(second));
        assert_eq!(
            [
                array.update(3, 5, 0),
                array.update(1, 5, 1),
                array.update(1, 5, 2),
                array.update(1, 5, 3)
            ],
            [-7, -17, 0, -22]
        );
        assert_eq!(array.delete(1), -22);
    }
}

#[test]
fn a_hash_is_full_at_its_size() {
    let mut hash = Map::new(HASH, 2);
    assert_eq!(hash.lookup(7), None);
    assert_eq!([hash.delete(7), hash.update(7, 1, 2)], [-2, -2]);
    assert_eq!(
        [hash.update(7, 1, 1), hash.update(7, 1, 1), hash.update(8, 1, 0), hash.update(9, 1, 0)],
        [0, -17, 0, -7]
    );
    // One that is there can be replaced though it is full.
    assert_eq!(hash.update(7, 2, 0), 0);
    assert_eq!([hash.delete(8), hash.update(9, 1, 0), hash.delete(8)], [0, 0, -2]);
    assert!(hash.lookup(7).is_some() && hash.lookup(8).is_none() && hash.lookup(9).is_some());
}

#[test]
fn of_the_kind_lru_the_one_unused_for_longest_makes_room() {
    let mut lru = Map::new(LRU, 2);
    assert_eq!([lru.update(1, 1, 0), lru.update(2, 2, 0)], [0, 0]);
    assert!(lru.lookup(1).is_some());
    assert_eq!(lru.update(3, 3, 0), 0);
    assert!(lru.lookup(2).is_none() && lru.lookup(1).is_some() && lru.lookup(3).is_some());
}

#[test]
fn a_value_that_made_room_can_still_be_read_until_the_callback_ends() {
    // Looks key 1 up, deletes it, and reads its value by the pointer; another then has a value of
    // zero.
    let key = |value: i32| op(0x62, 10, 0, -4, value);
    let begin = || constant(1, MAP).into_iter().chain([mov(2, 10), op(0x07, 2, 0, 0, -4)]);
    let value = [op(0x7a, 10, 0, -16, 42), mov(3, 10), op(0x07, 3, 0, 0, -16), set(4, 0)];
    let code = [key(1)].into_iter().chain(begin()).chain(value).chain([helper(2)]);
    let code = code.chain(begin()).chain([helper(1), mov(6, 0)]).chain(begin()).chain([helper(3)]);
    let code = code.chain([op(0x79, 0, 6, 0, 0), EXIT]);
    let mut program = functions([("only", code.collect())]);
    program.maps.push(map(HASH, 4));
    assert_eq!(answer(program), 42);
}

#[test]
fn a_socket_has_one_value_in_each_map() {
    let storage = MapSpec { max_entries: 0, ..map(STORAGE, 0) };
    let mut caller = Caller::of_each(&[107, 108], &[storage.clone(), storage]);
    assert_eq!(caller.choose(0, &[MAP, SOCKET, 0, 0]), 0);
    assert_eq!(caller.choose(1, &[MAP, SOCKET]), -2);
    caller.put(0, &7_u64.to_le_bytes());
    let made = caller.choose(0, &[MAP, SOCKET, AREA, 1]);
    assert!(made > 0);
    assert_eq!(
        [caller.choose(0, &[MAP, SOCKET, 0, 0]), caller.choose(0, &[MAP, SOCKET, AREA, 1])],
        [made, made]
    );
    // Of another map another; and none for no socket, or with other flags.
    assert_eq!(
        [
            caller.choose(0, &[MAP + 1, SOCKET, 0, 0]),
            caller.choose(0, &[MAP, 0, 0, 1]),
            caller.choose(0, &[MAP, SOCKET, 0, 2])
        ],
        [0, 0, 0]
    );
    assert_eq!([caller.choose(1, &[MAP, SOCKET]), caller.choose(0, &[MAP, SOCKET, 0, 0])], [0, 0]);
}

#[test]
fn every_element_is_visited_in_the_order_of_keys_until_the_function_says_stop() {
    // The function adds 10 times the key and the value to what its context points to, and stops at
    // key 4.
    let visit = vec![
        op(0x61, 5, 2, 0, 0),
        op(0x79, 3, 3, 0, 0),
        op(0x79, 0, 4, 0, 0),
        op(0x27, 0, 0, 0, 100),
        op(0x0f, 0, 3, 0, 0),
        op(0x7b, 4, 0, 0, 0),
        set(0, 0),
        op(0x56, 5, 0, 1, 4),
        set(0, 1),
        EXIT,
    ];
    let put = |key: i32| {
        let value = [
            op(0x62, 10, 0, -4, key),
            op(0x7a, 10, 0, -16, key * 3),
            mov(2, 10),
            op(0x07, 2, 0, 0, -4),
            mov(3, 10),
            op(0x07, 3, 0, 0, -16),
            set(4, 0),
        ];
        constant(1, MAP).into_iter().chain(value).chain([helper(2)])
    };
    let mut main: Vec<_> = [5, 1, 4, 2].into_iter().flat_map(put).collect();
    let length = main.len() as u64 + 12;
    main.extend([op(0x7a, 10, 0, -24, 0)]);
    main.extend(constant(1, MAP).into_iter().chain(constant(2, address::FUNCTION | length)));
    main.extend([
        mov(3, 10),
        op(0x07, 3, 0, 0, -24),
        set(4, 0),
        helper(164),
        op(0x79, 1, 10, -24, 0),
        op(0x67, 0, 0, 0, 32),
    ]);
    main.extend([op(0x4f, 0, 1, 0, 0), EXIT]);
    assert_eq!(main.len() as u64, length + 1);
    let mut program = functions([("only", main), ("visit", visit)]);
    // The address of the function.
    let at = program.functions[1].start;
    let load = program
        .code
        .iter()
        .rposition(|instruction| instruction.code == 0x18 && instruction.dst == 2)
        .unwrap();
    program.code[load].imm = at as i32;
    program.maps.push(map(HASH, 8));
    // Keys 1, 2 and 4, whose values are 3, 6 and 12.
    assert_eq!(answer(program), 3 << 32 | 3_06_12);
}

proptest! {
    #[test]
    fn a_hash_holds_what_was_put_into_it(steps in proptest::collection::vec((0..3_u64, 0..12_u32, any::<u64>()), 1..120)) {
        let mut hash = Map::new(HASH, 8);
        let mut model = BTreeMap::new();
        for (what, key, value) in steps {
            match what {
                UPDATE => {
                    let room = model.len() < 8 || model.contains_key(&key);
                    prop_assert_eq!(hash.update(key, value, 0), if room { 0 } else { -7 });
                    if room {
                        model.insert(key, value);
                    }
                }
                DELETE => prop_assert_eq!(hash.delete(key), if model.remove(&key).is_some() { 0 } else { -2 }),
                _ => {
                    let found = hash.lookup(key).is_some();
                    prop_assert_eq!(found, model.contains_key(&key));
                }
            }
        }
    }
}

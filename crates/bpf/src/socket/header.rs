//! The table as a header, `vmlinux.h`, against which programs are compiled. A kernel has all that
//! it declares, so that what is compiled against it loads into a kernel.

use super::layout::{MemberType, Structure};
use super::table::{ENUMERATIONS, STRUCTURES};
use std::fmt::Write;

/// The text before the structures: integers under the kernel's names.
const BEGIN: &str = "\
/* The structures that a simulated connection has, with the kernel's names and types: `narrows kernel header` printed this file. What is not here a program may\n\
 * declare for itself; the simulator then refuses what reads it, unless the program asks for it by bpf_core_field_exists. */\n\
#ifndef __VMLINUX_H__\n\
#define __VMLINUX_H__\n\
\n\
typedef signed char __s8;\n\
typedef unsigned char __u8;\n\
typedef short __s16;\n\
typedef unsigned short __u16;\n\
typedef int __s32;\n\
typedef unsigned int __u32;\n\
typedef long long __s64;\n\
typedef unsigned long long __u64;\n\
typedef __s8 s8;\n\
typedef __u8 u8;\n\
typedef __s16 s16;\n\
typedef __u16 u16;\n\
typedef __s32 s32;\n\
typedef __u32 u32;\n\
typedef __s64 s64;\n\
typedef __u64 u64;\n\
typedef __u16 __le16;\n\
typedef __u32 __le32;\n\
typedef __u64 __le64;\n\
typedef __u16 __be16;\n\
typedef __u32 __be32;\n\
typedef __u64 __be64;\n\
typedef __u16 __sum16;\n\
typedef __u32 __wsum;\n\
typedef unsigned char uint8_t;\n\
typedef unsigned short uint16_t;\n\
typedef unsigned int uint32_t;\n\
typedef unsigned long long uint64_t;\n\
typedef signed char int8_t;\n\
typedef short int16_t;\n\
typedef int int32_t;\n\
typedef long long int64_t;\n\
typedef unsigned long size_t;\n\
typedef long ssize_t;\n\
typedef _Bool bool;\n\
\n\
enum { false = 0, true = 1 };\n";

/// The text after the enumerations.
const ATTRIBUTE: &str = "\
\n\
#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n\
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)\n\
#endif\n\
\n\
struct bpf_map;\n\
struct bpf_dynptr {\n\
\t__u64 __opaque[2];\n\
} __attribute__((aligned(8)));\n\
struct bpf_iter_num {\n\
\t__u64 __opaque[1];\n\
} __attribute__((aligned(8)));\n\
struct bpf_spin_lock {\n\
\t__u32 val;\n\
};\n\
struct bpf_timer {\n\
\t__u64 __opaque[2];\n\
} __attribute__((aligned(8)));\n\
union tcp_cc_info;\n\
struct ack_sample;\n\
struct rate_sample;\n";

const END: &str = "\
\n\
#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n\
#pragma clang attribute pop\n\
#endif\n\
\n\
#endif\n";

/// The text of `vmlinux.h`.
pub fn header() -> String {
    let mut text = BEGIN.to_owned();
    for (name, constants) in ENUMERATIONS {
        let name = if name.is_empty() { String::new() } else { format!("{name} ") };
        write!(text, "\nenum {name}{{\n").expect("a string grows");
        for (constant, value) in constants {
            writeln!(text, "\t{constant} = {value},").expect("a string grows");
        }
        text.push_str("};\n");
    }
    text += ATTRIBUTE;
    for structure in STRUCTURES {
        write!(text, "\nstruct {} {{\n", structure.name).expect("a string grows");
        members(structure, 1, &mut text);
        text.push_str("};\n");
    }
    text + END
}

/// The socket and the samples declared under names with an ending, which relocations leave out of
/// account (`___flavor`), and without a header's types.
pub(crate) fn declared(ending: &str) -> String {
    let mut text = String::new();
    for structure in STRUCTURES.iter().filter(|structure| structure.name != "tcp_congestion_ops") {
        writeln!(text, "struct {}{ending} {{", structure.name).expect("a string grows");
        plain_members(structure, ending, &mut text);
        text.push_str("};\n");
    }
    text
}

fn plain_members(structure: &Structure, ending: &str, text: &mut String) {
    for member in structure.members {
        let name = member.name;
        let declared = match member.kind {
            MemberType::Integer(integer) if member.bits > 0 => {
                bitfield(&plain(&MemberType::Integer(integer), ending), name, member.bits)
            }
            MemberType::Array(element, count) => {
                format!("{} {name}[{count}]", plain(element, ending))
            }
            MemberType::Structure(inner) if inner.name.is_empty() => {
                text.push_str("struct {\n");
                plain_members(inner, ending, text);
                format!("}} {name}")
            }
            kind => format!("{} {name}", plain(&kind, ending)),
        };
        writeln!(text, "{declared};").expect("a string grows");
    }
}

fn bitfield(kind: &str, name: &str, bits: u32) -> String {
    format!("{kind}{}{name} : {bits}", if name.is_empty() { "" } else { " " })
}

/// A type without a typedef.
fn plain(kind: &MemberType, ending: &str) -> String {
    match kind {
        MemberType::Integer(integer) => {
            let width = match integer.size {
                1 => "char",
                2 => "short",
                4 => "int",
                _ => "long long",
            };
            format!("{} {width}", if integer.signed { "signed" } else { "unsigned" })
        }
        MemberType::Structure(structure) => format!("struct {}{ending}", structure.name),
        MemberType::Array(..) | MemberType::Function(..) => {
            unreachable!("the socket has no array of these")
        }
    }
}

fn members(structure: &Structure, depth: usize, text: &mut String) {
    let indent = "\t".repeat(depth);
    for member in structure.members {
        let name = member.name;
        let declared = match member.kind {
            MemberType::Integer(integer) if member.bits > 0 => {
                bitfield(integer.name, name, member.bits)
            }
            MemberType::Function(result, parameters) => format!("{result} (*{name})({parameters})"),
            MemberType::Array(element, count) => format!("{} {name}[{count}]", simple(element)),
            MemberType::Structure(inner) if inner.name.is_empty() => {
                writeln!(text, "{indent}struct {{").expect("a string grows");
                members(inner, depth + 1, text);
                format!("}} {name}")
            }
            kind => format!("{} {name}", simple(&kind)),
        };
        writeln!(text, "{indent}{declared};").expect("a string grows");
    }
}

/// The name of a type that has one.
fn simple(kind: &MemberType) -> String {
    match kind {
        MemberType::Integer(integer) => integer.name.to_owned(),
        MemberType::Structure(structure) => format!("struct {}", structure.name),
        MemberType::Array(..) | MemberType::Function(..) => {
            unreachable!("the table has no array of these")
        }
    }
}

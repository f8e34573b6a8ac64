//! The C that is put in front of a source, so that its callbacks write down what they are shown and
//! what they leave. The source itself stays as it is: it is included between two pieces, of which
//! the first takes the place of libbpf's header that declares callbacks.

use super::layout::Layout;
use crate::program::Program;
use crate::socket::{AREA, AREA_WORDS, callbacks, declared, signature};
use std::fmt::Write;
use std::path::Path;

/// The ring that is written to.
pub const RING: &str = "narrows_records";
/// The section of the count of calls for which there was no room.
pub const MISSED: &str = ".data.narrows";
/// Bytes of the ring (ours: of some 1.5 kB each, it holds ten thousand calls).
const RING_BYTES: u32 = 16 << 20;

/// The text in the place of `<bpf/bpf_tracing.h>`.
pub(super) fn header(program: &Program, layout: &Layout) -> String {
    let mut text = "\
#ifndef NARROWS_RECORDING\n\
#define NARROWS_RECORDING\n\
#include_next <bpf/bpf_tracing.h>\n\
#include <bpf/bpf_helpers.h>\n\
#include <bpf/bpf_core_read.h>\n\
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)\n"
        .to_owned();
    text += &declared("___narrows");
    text += "#pragma clang attribute pop\n";
    write!(
        text,
        "struct narrows_record {{\n\
         \tunsigned long long callback, socket, ticks, arguments[{}], before[{}], area[{AREA_WORDS}], sample[{}];\n\
         \tunsigned long long after[{}], area_after[{AREA_WORDS}], answer;\n\
         \tunsigned char globals[{}];\n\
         }};\n\
         struct {{\n\
         \t__uint(type, 27); /* BPF_MAP_TYPE_RINGBUF */\n\
         \t__uint(max_entries, {RING_BYTES});\n\
         }} {RING} SEC(\".maps\");\n\
         unsigned long long narrows_missed SEC(\"{MISSED}\");\n\
         static __attribute__((always_inline)) inline void narrows_globals(unsigned char *to);\n",
        Layout::ARGUMENTS,
        layout.places.len(),
        layout.samples(),
        layout.writable().count(),
        layout.globals_size,
    )
    .expect("a string grows");
    text += &begin(layout);
    text += &end(layout);
    text += "\
#define narrows_second(first, second, ...) second\n\
#define narrows_number(...) narrows_second(__VA_ARGS__, 0, 0)\n";
    for (callback, function) in functions(program) {
        let number = callbacks().position(|known| known == callback).map_or(0, |place| place + 1);
        writeln!(text, "#define narrows_is_{function} 0, {number}").expect("a string grows");
    }
    // A function without a result has none to be kept: one of two expressions is compiled.
    text += "\
#undef BPF_PROG\n\
#define BPF_PROG(name, args...) \\\n\
\tname(unsigned long long *ctx); \\\n\
\tstatic __attribute__((always_inline)) inline typeof(name(0)) narrows_own_##name(unsigned long long *ctx, ##args); \\\n\
\ttypeof(name(0)) name(unsigned long long *ctx) \\\n\
\t{ \\\n\
\t\t_Pragma(\"clang diagnostic push\") \\\n\
\t\t_Pragma(\"clang diagnostic ignored \\\"-Wint-conversion\\\"\") \\\n\
\t\tstruct narrows_record *narrows_noted = narrows_begin(ctx, narrows_number(narrows_is_##name)); \\\n\
\t\tunsigned long long narrows_answer = __builtin_choose_expr( \\\n\
\t\t\t__builtin_types_compatible_p(typeof(name(0)), void), \\\n\
\t\t\t(narrows_own_##name(___bpf_ctx_cast(args)), 0ULL), narrows_own_##name(___bpf_ctx_cast(args))); \\\n\
\t\tnarrows_end(ctx, narrows_noted, narrows_answer); \\\n\
\t\treturn (typeof(name(0)))narrows_answer; \\\n\
\t\t_Pragma(\"clang diagnostic pop\") \\\n\
\t} \\\n\
\tstatic __attribute__((always_inline)) inline typeof(name(0)) narrows_own_##name(unsigned long long *ctx, ##args)\n\
#endif\n";
    text
}

/// The source between its two pieces. The second knows its variables.
pub(super) fn wrapped(source: &Path, layout: &Layout) -> String {
    let path = source.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = format!(
        "#include \"{path}\"\n\
         static __attribute__((always_inline)) inline void narrows_globals(unsigned char *to)\n{{\n"
    );
    for global in &layout.globals {
        writeln!(
            text,
            "\t__builtin_memcpy(to + {}, (const void *)&{}, {});",
            global.at, global.name, global.size
        )
        .expect("a string grows");
    }
    text + "}\n"
}

/// The function of each callback.
pub(super) fn functions(program: &Program) -> impl Iterator<Item = (&str, &str)> {
    program.callbacks.iter().filter_map(|(callback, start)| {
        let function = program.functions.iter().find(|function| function.start == *start)?;
        Some((callback.as_str(), function.name.as_str()))
    })
}

/// Before the user's function.
fn begin(layout: &Layout) -> String {
    let mut text = "\
static __attribute__((always_inline)) inline struct narrows_record *narrows_begin(unsigned long long *ctx, unsigned int callback)\n\
{\n\
\tstruct narrows_record *to;\n\
\tstruct tcp_sock___narrows *tp;\n\
\n\
\tif (!callback)\n\
\t\treturn 0;\n"
        .to_owned();
    writeln!(text, "\tto = bpf_ringbuf_reserve(&{RING}, sizeof(*to), 0);").expect("a string grows");
    text += "\
\tif (!to) {\n\
\t\t__sync_fetch_and_add(&narrows_missed, 1);\n\
\t\treturn 0;\n\
\t}\n\
\ttp = (struct tcp_sock___narrows *)ctx[0];\n\
\tto->callback = callback;\n\
\tto->socket = ctx[0];\n";
    for (index, place) in layout.places.iter().enumerate() {
        writeln!(text, "\tto->before[{index}] = {};", read("tp", &place.path, place.bits.as_ref()))
            .expect("a string grows");
    }
    for word in 0..AREA_WORDS {
        writeln!(text, "\tto->area[{word}] = tp->{AREA}[{word}];").expect("a string grows");
    }
    for (number, callback) in (1..).zip(callbacks()) {
        let Some((parameters, _)) = signature(callback) else { continue };
        let mut lines = String::new();
        for (place, parameter) in parameters.iter().enumerate().skip(1) {
            let sample = [("ack_sample", &layout.ack), ("rate_sample", &layout.rate)]
                .into_iter()
                .find(|(name, _)| parameter.contains(name));
            match sample {
                Some((name, places)) => {
                    writeln!(lines, "\t\tstruct {name}___narrows *sample = (struct {name}___narrows *)ctx[{place}];")
                        .expect("a string grows");
                    for (index, place) in places.iter().enumerate() {
                        writeln!(
                            lines,
                            "\t\tto->sample[{index}] = {};",
                            read("sample", &place.path, None)
                        )
                        .expect("a string grows");
                    }
                }
                None if parameter.contains('*') => {}
                None => writeln!(lines, "\t\tto->arguments[{place}] = ctx[{place}];")
                    .expect("a string grows"),
            }
        }
        if !lines.is_empty() {
            write!(text, "\tif (callback == {number}) {{\n{lines}\t}}\n").expect("a string grows");
        }
    }
    text + "\
\tnarrows_globals(to->globals);\n\
\tto->ticks = bpf_jiffies64();\n\
\treturn to;\n\
}\n"
}

/// After it.
fn end(layout: &Layout) -> String {
    let mut text = "\
static __attribute__((always_inline)) inline void narrows_end(unsigned long long *ctx, struct narrows_record *to, unsigned long long answer)\n\
{\n\
\tstruct tcp_sock___narrows *tp;\n\
\n\
\tif (!to)\n\
\t\treturn;\n\
\ttp = (struct tcp_sock___narrows *)ctx[0];\n"
        .to_owned();
    for (index, place) in layout.writable().enumerate() {
        writeln!(text, "\tto->after[{index}] = {};", read("tp", &place.path, None))
            .expect("a string grows");
    }
    for word in 0..AREA_WORDS {
        writeln!(text, "\tto->area_after[{word}] = tp->{AREA}[{word}];").expect("a string grows");
    }
    text + "\tto->answer = answer;\n\tbpf_ringbuf_submit(to, 0);\n}\n"
}

/// A member, 0 where the running kernel does not have it.
fn read(of: &str, path: &str, bits: Option<&(String, &'static str)>) -> String {
    match bits {
        None => format!("bpf_core_field_exists({of}->{path}) ? {of}->{path} : 0"),
        Some((inside, name)) if inside.is_empty() => {
            format!(
                "bpf_core_field_exists({of}->{name}) ? BPF_CORE_READ_BITFIELD({of}, {name}) : 0"
            )
        }
        Some((inside, name)) => {
            format!(
                "bpf_core_field_exists({of}->{path}) ? BPF_CORE_READ_BITFIELD(&{of}->{inside}, {name}) : 0"
            )
        }
    }
}

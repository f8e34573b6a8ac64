//! Compiles the kernel's cores for this machine.

fn main() {
    println!("cargo::rerun-if-changed=cores");
    cc::Build::new().file("cores/native.c").std("c11").flag_if_supported("-ffreestanding").compile("narrows_cores");
}

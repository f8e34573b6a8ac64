//! VCP over kernel sockets: the emulator's routers write load codes, and they reach the controller
//! in the kernel as counts of accurate ECN.

#[allow(dead_code)]
use crate::common::{Case, flow, run, scenario};

const LINK: &str =
    "rate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"200 kB\"\nqueue = \"vcp?codes=accecn\"";

/// VCP alone on 10 Mbit/s and 20 ms uses the target of 98 % less its sawtooth, reduces its window
/// by eighths, and loses nothing. All three codes arrive.
#[test]
fn codes_of_the_routers_steer_the_kernel() {
    if !narrows_kernel::BUILT || !rustix::process::geteuid().is_root() {
        eprintln!("left out: without controllers for the kernel, or not as root");
        return;
    }
    let case = Case { name: "vcp", flow: "controller = \"vcp-kernel\"", link: LINK };
    let Some(ran) = run(&scenario(12, &[case])) else { return };
    let record = flow(&ran.record, "vcp");
    let total = &record.total;
    assert!(total.ect0 > 0 && total.ect1 > 0 && total.ce > 0 && total.dropped == 0, "{total:?}");
    assert!(
        total.ect0 + total.ect1 + total.ce + total.retransmitted >= total.arrived,
        "every packet carries a code: {total:?}"
    );
    let windows: Vec<f64> = record.samples.iter().map(|sample| sample.cwnd).collect();
    let falls: Vec<f64> =
        windows.windows(2).map(|pair| pair[1] / pair[0]).filter(|ratio| *ratio < 0.97).collect();
    // Windows are whole segments: 0.875 times 17 to 40, rounded up.
    assert!(
        !falls.is_empty() && falls.iter().all(|ratio| (0.82..0.94).contains(ratio)),
        "{falls:?} in {windows:?}"
    );
    if ran.timely {
        let used = total.arrived_wire.bits() as f64 / 12.0 / 10e6;
        assert!((0.8..0.98).contains(&used), "{used} of the link");
    }
}

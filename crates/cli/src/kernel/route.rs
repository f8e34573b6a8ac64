//! `narrows kernel route` and `unroute`.

use crate::cli::{RouteArgs, UnrouteArgs};
use crate::terminal;
use narrows_kernel::Router;
use narrows_path::kernel_router;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;

/// Makes this host a router at an interface.
pub fn route(args: RouteArgs) -> Result<Outcome, Failure> {
    let RouteArgs { interface, router, capacity, buffer } = args;
    let constants = kernel_router(&router, capacity, buffer)
        .map_err(|error| Failure::Other(error.to_string()))?;
    let (routed, mounted) = Router::route(&interface, router.text(), &constants)?;
    let mut text =
        format!("This host is a {} router at {interface} now, of {capacity}.\n", routed.text());
    if mounted {
        text += "/sys/fs/bpf was not mounted, and is now. If that is in a mount namespace of its own (`ip netns exec` makes one), the router ends with it: `nsenter --net=/run/netns/NAME` keeps it.\n";
    }
    text += &format!(
        "Packets with ECT or CE that leave by it carry its load: let it carry VCP alone, whose senders and receivers have vcp-kernel.\nIt is pinned in {} until it is removed, the interface is, or the host starts again.\n\n",
        routed.path().display()
    );
    text += &format!("{:<22}narrows kernel stats {interface}\n", "load and counters");
    text += &format!("{:<22}narrows kernel unroute {interface}\n", "remove it");
    terminal::print(&text)?;
    Ok(Outcome::Ok)
}

/// Removes the router of an interface, or all routers.
pub fn unroute(args: UnrouteArgs) -> Result<Outcome, Failure> {
    let all = match &args.interface {
        Some(interface) => vec![Router::at(interface)?],
        None => Router::all()?,
    };
    if all.is_empty() {
        terminal::print("narrows has made no router of this host.\n")?;
    }
    for router in all {
        let text = format!("{} is no longer a router.\n", router.interface());
        router.remove()?;
        terminal::print(&text)?;
    }
    Ok(Outcome::Ok)
}

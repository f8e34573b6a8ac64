//! The configuration of a node's forwarder.

use narrows_live::icn::{FacePlan, NodePlan};
use std::fmt::Write;

/// Default limit of faces per forwarder.
const MOST_FACES: usize = 4096;

/// Returns the configuration as TOML. Faces have the order of the plan. Routes have rising costs,
/// so the first route of the plan is preferred.
pub fn config(plan: &NodePlan) -> String {
    let NodePlan {
        law,
        shaper,
        shaper_queue,
        strategy,
        cache,
        pending,
        port,
        mtu,
        headers,
        faces,
        routes,
        ..
    } = plan;
    let applications = plan.producers.len()
        + plan.consumers.len()
        + plan.requests.iter().map(Vec::len).sum::<usize>();
    let most_faces = MOST_FACES.max(faces.len() + applications);
    let mut text = format!(
        "[listen]\nudp = [\"0.0.0.0:{port}\"]\ntcp = [\"127.0.0.1:{port}\"]\n\
         [tables]\nfaces = {most_faces}\ncontent_store = {cache}\npending_per_face = {pending}\n\
         [mircc]\nlaw = \"{law}\"\nshaper = {shaper}\nshaper_queue = {shaper_queue}\nstrategy = \"{strategy}\"\n"
    );
    for FacePlan { neighbour, inward, out, has_law, measured } in faces {
        let _ = writeln!(
            text,
            "[[face]]\nremote = \"udp4://{neighbour}:{port}\"\nmircc = \"on\"\nmtu = {mtu}\npermanent = true"
        );
        // Writing to a string cannot fail.
        let _ = match (has_law, measured) {
            (false, _) => Ok(()),
            (true, true) => writeln!(text, "rate = \"measured\""),
            (true, false) => writeln!(
                text,
                "link_rate = {{ in = \"{inward} bit/s\", out = \"{out} bit/s\" }}\nheaders = {headers}"
            ),
        };
    }
    for (cost, route) in routes.iter().enumerate() {
        let neighbour = faces[route.face].neighbour;
        let _ = writeln!(
            text,
            "[[face]]\nremote = \"udp4://{neighbour}:{port}\"\nroutes = [\"{}\"]\ncost = {cost}",
            route.prefix
        );
    }
    text
}

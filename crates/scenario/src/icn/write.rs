//! Writes the information-centric part of a scenario as text.

use super::model::{Icn, Prefix, RequestProcess};
use crate::write::{Document, quoted};
use crate::{LinkId, NodeId, Scenario};
use narrows_icn::{HintForm, Method, ShaperForm};
use narrows_units::Time;

impl Scenario {
    pub(crate) fn write_icn(&self, out: &mut Document, icn: &Icn) {
        out.heading("[icn]");
        out.text("law", icn.law.as_ref().map_or("none", |law| law.text()));
        out.plain("shaper", icn.shaper);
        let form = match icn.shaper_form {
            ShaperForm::Boundary => "boundary",
            ShaperForm::Published => "published",
        };
        out.text("shaper_form", form);
        out.plain("shaped_capacity", icn.shaped_capacity);
        out.text("capacity", if icn.measured { "measured" } else { "known" });
        out.plain("shaper_queue", icn.shaper_queue);
        out.plain("proxy", icn.proxy);
        out.plain("police", icn.police);
        let steering = match icn.steering {
            HintForm::Labels => "labels",
            HintForm::Hashes => "hashes",
            HintForm::Random => "random",
            HintForm::Bloom => "bloom",
        };
        out.text("steering", steering);
        out.text("strategy", icn.strategy.text());
        out.plain("cache", icn.cache);
        out.plain("pending", icn.pending);
        out.text("lifetime", icn.lifetime);
        out.text("interest", icn.interest);
        icn.prefixes.iter().for_each(|prefix| self.write_prefix(out, icn, prefix));
        for consumer in &icn.consumers {
            out.heading("[[consumer]]");
            out.text("name", &consumer.name);
            out.text("at", &self.nodes[consumer.at.0].name);
            out.text("prefix", &icn.prefixes[consumer.prefix.0].name);
            write_asking(out, &consumer.by);
            if let Some(content) = &consumer.content {
                out.text("content", content);
            }
            if let Some(segments) = consumer.segments {
                out.plain("segments", segments);
            }
            write_times(out, consumer.start, consumer.stop);
        }
        icn.requests.iter().for_each(|process| self.write_requests(out, icn, process));
    }

    fn write_prefix(&self, out: &mut Document, icn: &Icn, prefix: &Prefix) {
        out.heading("[[prefix]]");
        out.text("name", &prefix.name);
        out.plain("at", self.node_names(&prefix.at));
        out.text("data", prefix.data);
        let hops = prefix.next_hops.iter().map(|(node, links)| {
            let next: Vec<String> =
                links.iter().map(|link| quoted(self.next_hop(icn, *node, *link))).collect();
            format!("{} = [{}]", quoted(&self.nodes[node.0].name), next.join(", "))
        });
        let hops: Vec<String> = hops.collect();
        out.plain("next_hops", format_args!("{{ {} }}", hops.join(", ")));
    }

    fn write_requests(&self, out: &mut Document, icn: &Icn, process: &RequestProcess) {
        out.heading("[[request]]");
        out.text("name", &process.name);
        out.plain("at", self.node_names(&process.at));
        let prefixes: Vec<String> =
            process.prefixes.iter().map(|prefix| quoted(&icn.prefixes[prefix.0].name)).collect();
        out.plain("prefix", format_args!("[{}]", prefixes.join(", ")));
        out.text("every", process.every);
        let segments: Vec<String> = process
            .segments
            .iter()
            .map(|(number, share)| format!("[{number}, {share:?}]"))
            .collect();
        out.plain("segments", format_args!("[{}]", segments.join(", ")));
        if let Some(catalogue) = process.catalogue {
            out.plain("catalogue", catalogue.contents);
            out.plain("zipf", format_args!("{:?}", catalogue.zipf));
        }
        write_asking(out, &process.by);
        write_times(out, process.start, process.stop);
    }

    /// Returns the name of the neighbour to which a link leads from `node`, or the name of the link
    /// if the neighbour's name is ambiguous.
    fn next_hop(&self, icn: &Icn, node: NodeId, link: LinkId) -> &str {
        let (name, to) = (&self.links[link.0].name, self.links[link.0].to);
        let neighbour = &self.nodes[to.0].name;
        let others = icn
            .faces
            .iter()
            .filter(|face| face.node == node && face.leaving != link)
            .map(|face| &self.links[face.leaving.0]);
        let clear = others.into_iter().all(|other| other.to != to && other.name != *neighbour);
        if clear { neighbour } else { name }
    }

    fn node_names(&self, nodes: &[NodeId]) -> String {
        let names: Vec<String> =
            nodes.iter().map(|node| quoted(&self.nodes[node.0].name)).collect();
        format!("[{}]", names.join(", "))
    }
}

fn write_asking(out: &mut Document, by: &Method) {
    match by {
        Method::Rates(consumer) => out.text("consumer", consumer.text()),
        Method::Window(controller) => out.text("controller", controller.text()),
    }
}

fn write_times(out: &mut Document, start: Time, stop: Option<Time>) {
    out.text("start", start);
    if let Some(stop) = stop {
        out.text("stop", stop);
    }
}

// NDNts as an application of a forwarder: node ndnts.mjs AT manage | produce NAME | serve NAME FILE | fetch NAME FILE
import { produce } from "@ndn/endpoint";
import { CsInfo, FaceStatus, GeneralStatus, RibEntry, StrategyChoice, enableNfdPrefixReg, invoke, list } from "@ndn/nfdmgmt";
import { UdpTransport, UnixTransport } from "@ndn/node-transport";
import { Data, Name, digestSigning } from "@ndn/packet";
import { Metadata, retrieveMetadata, serveMetadata } from "@ndn/rdr";
import { BufferChunkSource, fetch, serveVersioned } from "@ndn/segmented-object";
import { readFile, writeFile } from "node:fs/promises";

const [at, task, name, file] = process.argv.slice(2);
const url = new URL(at);
const face = url.protocol === "unix:"
  ? await UnixTransport.createFace({ l3: { local: true } }, url.pathname)
  : await UdpTransport.createFace({}, { host: url.hostname, port: Number(url.port) });
face.addRoute(new Name("/"), false);

const registered = async (prefix) => {
  for (;;) {
    for (const entry of await list(RibEntry)) {
      if (entry.name.equals(prefix)) {
        return entry.route;
      }
    }
  }
};

if (task === "manage") {
  const created = await invoke("faces/create", { uri: "udp4://127.0.0.1:17005" });
  console.log("created", created.statusCode);
  console.log("faces", (await list(FaceStatus)).some((face) => face.uri === "udp4://127.0.0.1:17005"));
  console.log("strategies", (await list(StrategyChoice)).map((choice) => `${choice.name} ${choice.strategy}`).join(" "));
  console.log("capacity", (await list(CsInfo)).map((info) => info.capacity).join(" "));
  console.log("version", (await list(GeneralStatus)).map((status) => status.nfdVersion).join(" "));
  face.close();
} else if (task === "fetch") {
  const latest = await retrieveMetadata(new Name(name), { retx: 3 });
  await writeFile(file, await fetch(latest.name, { retxLimit: 10 }));
  face.close();
} else {
  enableNfdPrefixReg(face, { signer: digestSigning });
  if (task === "serve") {
    const served = serveVersioned(new Name(name), new BufferChunkSource(await readFile(file)), { producer: { announcement: new Name(name) } });
    serveMetadata(new Metadata(served.prefix), { pOpts: { announcement: new Name(name) } });
  } else {
    produce(new Name(name), async (interest) => new Data(interest.name, Data.FreshnessPeriod(1000), new Uint8Array([7])));
  }
  for (const route of await registered(new Name(name))) {
    console.log("registered", route.origin, route.flags, route.expirationPeriod);
  }
}

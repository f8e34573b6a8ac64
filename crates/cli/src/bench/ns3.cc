// One cell of the speed matrix in ns-3: prints CPU nanoseconds per data packet delivered through the bottleneck.
// Arguments: flows rate-Mbit/s round-trip-ms seconds links(1|3) controller
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <ctime>
#include <string>

using namespace ns3;

static uint64_t delivered = 0;

static void Count(Ptr<const Packet>) { ++delivered; }

static double CpuNanos() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char** argv) {
    if (argc != 7) return 2;
    const uint32_t flows = std::stoul(argv[1]);
    const uint64_t bps = std::stoull(argv[2]) * 1000000;
    const double rtt = std::stod(argv[3]) / 1e3;
    const int64_t oneWay = rtt / 2 * 1e9 + 0.5;
    const double seconds = std::stod(argv[4]);
    const bool dumbbell = std::string(argv[5]) == "3";
    const std::string controller = argv[6];

    const char* type = controller == "newreno" ? "ns3::TcpLinuxReno" : controller == "cubic" ? "ns3::TcpCubic" : "ns3::TcpBbr";
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(type));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(64 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(64 << 20));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));

    const uint64_t bufferPackets = bps * rtt / 8 / 1500;
    PointToPointHelper core, access;
    core.SetDeviceAttribute("DataRate", DataRateValue(DataRate(bps)));
    core.SetChannelAttribute("Delay", TimeValue(NanoSeconds(dumbbell ? oneWay - 4000000 : oneWay)));
    core.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(std::to_string(bufferPackets) + "p"));
    access.SetDeviceAttribute("DataRate", DataRateValue(DataRate(bps * 10)));
    access.SetChannelAttribute("Delay", StringValue("2ms"));
    access.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("1000000p"));

    NodeContainer routers;
    routers.Create(2);
    InternetStackHelper stack;
    stack.Install(routers);
    TrafficControlHelper none;
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.252");
    NetDeviceContainer bottleneck = core.Install(routers);
    Ipv4InterfaceContainer ends = address.Assign(bottleneck);
    none.Uninstall(bottleneck);
    bottleneck.Get(1)->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&Count));

    for (uint32_t i = 0; i < flows; ++i) {
        Ptr<Node> sender = routers.Get(0), receiver = routers.Get(1);
        Ipv4Address target = ends.GetAddress(1);
        if (dumbbell) {
            NodeContainer hosts;
            hosts.Create(2);
            stack.Install(hosts);
            sender = hosts.Get(0);
            receiver = hosts.Get(1);
            address.NewNetwork();
            NetDeviceContainer in = access.Install(sender, routers.Get(0));
            address.Assign(in);
            address.NewNetwork();
            NetDeviceContainer out = access.Install(routers.Get(1), receiver);
            target = address.Assign(out).GetAddress(1);
            none.Uninstall(in);
            none.Uninstall(out);
        }
        const uint16_t port = 5000 + i;
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sink.Install(receiver).Start(Seconds(0));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(target, port));
        bulk.SetAttribute("SendSize", UintegerValue(1448));
        bulk.Install(sender).Start(MilliSeconds(1 + i));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Stop(Seconds(seconds));
    const double before = CpuNanos();
    Simulator::Run();
    std::printf("sim=ns-3 cc=%s ns_pkt=%f\n", controller.c_str(), (CpuNanos() - before) / delivered);
    Simulator::Destroy();
    return 0;
}

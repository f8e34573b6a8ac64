#!/bin/sh
# Measures the cost per exchange of Narrows' NDN forwarder and of ndnd: `make ndn-speed`. Both run
# in a private network namespace on one core, the load on another. They are measured in turn, each
# with a content store of 1024 packets and one forwarding thread. Only ratios within one session
# count.
#
#   ci/ndn-speed.sh [ROUNDS] [SECONDS] [ROW ...]     default: 5 rounds of 3 s after 2 s of warm-up, all rows
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
rounds=${1:-5} seconds=${2:-3}
test $# -lt 2 || shift 2
rows=${*:-udp udp-one-by-one unix unix-8000}
ndnd=$root/target/peers/ndnd narrows=$root/target/release/narrows load=$root/target/release/narrows-ndn-load
for program in "$ndnd" "$narrows" "$load"; do
	test -x "$program" || { echo "$program is missing: make peers ndn-speed" >&2; exit 1; }
done
test "$(nproc)" -ge 2 || { echo "two cores are needed: one for the forwarder, one for the load" >&2; exit 1; }
# Runs itself again in a network namespace of its own, as root there.
test -n "${NDN_SPEED_INSIDE:-}" || NDN_SPEED_INSIDE=1 exec unshare --map-root-user --net "$0" "$rounds" "$seconds" $rows
ip link set lo up

place=$(mktemp -d)
pids=
trap 'kill $pids 2>/dev/null; rm -rf "$place"' EXIT
cat > "$place/ndnd.yml" <<END
core: {log_level: ERROR}
faces: {udp: {enabled_multicast: false, port_unicast: 16363}, tcp: {port_unicast: 16363}, unix: {socket_path: $place/ndnd.sock}, websocket: {enabled: false}}
fw: {threads: 1}
END
for offload in true false; do
	cat > "$place/$offload.toml" <<END
[listen]
unix = "$place/$offload.sock"
udp = ["127.0.0.1:$(test $offload = true && echo 16364 || echo 16365)"]
tcp = []
offload = $offload
[tables]
content_store = 1024
END
done
start() { taskset -c 0 "$@" > "$place/log" 2>&1 & pids="$pids $!"; }
start "$ndnd" fw run "$place/ndnd.yml"; ndnd_pid=$!
start "$narrows" ndn forward --config "$place/true.toml"; ours_pid=$!
start "$narrows" ndn forward --config "$place/false.toml"; single_pid=$!
sleep 1

# measure PLACE PID OPTIONS...: prints a line of key=value pairs.
measure() { taskset -c 1 "$load" "$@" seconds="$seconds"; }
for round in $(seq "$rounds"); do
	for row in $rows; do
		ours=$ours_pid port=16364 options=window=32
		case $row in
		udp) ;;
		udp-one-by-one) ours=$single_pid port=16365 ;;
		unix) options=window=64 ;;
		unix-8000) options="window=64 content=8000" ;;
		*) echo "there is no row $row" >&2; exit 1 ;;
		esac
		case $row in
		udp*) them=udp:127.0.0.1:16363 us=udp:127.0.0.1:$port ;;
		*) them=unix:$place/ndnd.sock us=unix:$place/true.sock ;;
		esac
		echo "$row ndnd $(measure "$them" "$ndnd_pid" $options)" >> "$place/results"
		echo "$row ours $(measure "$us" "$ours" $options)" >> "$place/results"
		tail -n 2 "$place/results" >&2
	done
done

# Print the values of a key, and their median or extremes.
values() { sed -n "s/^$1 $2 .*$3=\([0-9.]*\).*/\1/p" "$place/results" | sort -n; }
middle() { values "$@" | sed -n "$(((rounds + 1) / 2))p"; }
range() { values "$@" | sed -n '1p;$p' | paste -sd- -; }
ratio() { echo "$1 $2" | awk '{ printf "%.2f", $1 / $2 }'; }
format='%-15s %-5s %11s %13s %9s %15s %7s %7s %8s %8s\n'
printf "$format" row who us/exchange range Data/s range 'lost %' 'RTT us' 'tool us' 'peak MB'
for row in $rows; do
	for who in ndnd ours; do
		printf "$format" "$row" "$who" "$(middle "$row" $who us_per_exchange)" "$(range "$row" $who us_per_exchange)" "$(middle "$row" $who data_per_s)" \
			"$(range "$row" $who data_per_s)" "$(middle "$row" $who lost_percent)" "$(middle "$row" $who rtt_us)" "$(middle "$row" $who tool_us)" \
			"$(values "$row" $who peak_mb | tail -n 1)"
	done
	echo "$row: ours over ndnd: $(ratio "$(middle "$row" ours us_per_exchange)" "$(middle "$row" ndnd us_per_exchange)") of the CPU time per exchange," \
		"$(ratio "$(middle "$row" ours data_per_s)" "$(middle "$row" ndnd data_per_s)") times the Data per second"
done

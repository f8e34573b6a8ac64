#!/bin/bash
# Experiments with the same controller in both arms, on real connections over a bottleneck of 20 Mbit/s between network namespaces made for it:
#     sudo contrib/deploy/false-alarms.sh FIRST LAST
# runs experiments FIRST to LAST, three minutes each, and prints how each ended. States are in ./states. Several may run beside each other.
set -e
first=$1 last=$2 here=$(cd "$(dirname "$0")" && pwd) narrows=${NARROWS:-narrows} host=$$
group=narrows-false-$$
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
default=$(sysctl -n net.ipv4.tcp_congestion_control)
mkdir "$mount/$group"
inside() {
	ip link set lo up
	unshare -n sleep infinity & far=$!
	sleep 0.5
	ip link add near type veth peer name far netns $far
	ip addr add 10.9.0.1/24 dev near
	ip link set near up
	nsenter -t $far -n sh -c 'ip link set lo up; ip addr add 10.9.0.2/24 dev far; ip link set far up'
	tc qdisc replace dev near root tbf rate 20mbit burst 10kb limit 100kb
	nsenter -t $far -n python3 "$here/sink.py" & sink=$!
	sleep 0.5
	python3 "$here/users.py" 10.9.0.2 --users 10 --size 60000 --seconds 1000000 --cgroup "$mount/$group" & users=$!
	for number in $(seq "$first" "$last"); do
		printf 'name = "false-%d"\ntreatment = "%s"\n[select]\ncgroups = ["/%s"]\nend = "opened"\n' "$number" "$default" "$group" > "false-$number.toml"
		printf '[design]\nperiod = "5 s"\nburn_in = "1 s"\nburn_out = "500 ms"\npairs = 16\nobserve = 4\nseed = %d\n' $((100 + number)) >> "false-$number.toml"
		printf '[[metric]]\nname = "completion"\nharm = "0.1 %%"\n' >> "false-$number.toml"
		printf '[[metric]]\nname = "%s"\n' goodput rtt_p95 retransmitted >> "false-$number.toml"
		nsenter -t $host -n "$narrows" deploy start "false-$number.toml" --state states --quiet | head -2 || true
	done
	kill $users $sink $far
}
export -f inside
export first last here narrows host group mount default
unshare -n bash -c inside || true
# Killed processes leave the group a moment later.
until rmdir "$mount/$group" 2>/dev/null; do sleep 0.2; done

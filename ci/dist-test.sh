#!/bin/sh
# Installs the packages of target/dist-out in a new Debian that debootstrap creates, and runs their
# main commands there as a user without rights. Needs root. NARROWS_ROOT names an existing Debian
# that is kept; without it, one is created and removed.
set -eu
cd "$(dirname "$0")/.."
out=$(realpath target/dist-out)
(cd "$out" && sha256sum --quiet -c SHA256SUMS)
root=${NARROWS_ROOT:-}
if test -z "$root"; then
	root=$(mktemp -d)
	trap 'rm -rf "$root"' EXIT
	chmod 755 "$root" # users without rights must reach what is in it
	debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >/dev/null
fi
cp "$out"/*.deb "$root/tmp/"
cp /etc/resolv.conf "$root/etc/resolv.conf"
in_root() {
	chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"
}
as_nobody() {
	in_root setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
in_root sh -c 'apt-get -q update >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends /tmp/narrows_*.deb >/dev/null'
as_nobody narrows --version
rm -rf "$root"/tmp/narrows-t*
as_nobody narrows compare cubic bbr --duration "5 s" --seeds 1 --quiet --out /tmp/narrows-test >/dev/null
test -s "$root/tmp/narrows-test/report.html"
as_nobody narrows run /usr/share/doc/narrows/examples/scenarios/one-link.toml --quiet --out /tmp/narrows-test-run >/dev/null
in_root test -e /usr/share/man/man1/narrows-compare.1.gz -a -e /usr/share/bash-completion/completions/narrows
in_root test -e /lib/systemd/system/narrows-ndn.service
# The program has controllers for the kernel. Here it finds no /proc, so the kernel's version is
# unknown. Without controllers, the message would say that the build left them out.
as_nobody narrows kernel list 2>&1 | grep -q "unknown version"
in_root dpkg --purge narrows >/dev/null
if in_root test -e /usr/bin/narrows; then
	echo "the package leaves its program behind" >&2
	exit 1
fi
rm -rf "$root"/tmp/narrows*
machine=$(uname -m)
for archive in "$out"/narrows-*-"$machine"-linux.tar.gz; do
	test -e "$archive" || { echo "no tarball was built, so none was tested" && break; }
	tar -C "$root/tmp" -xzf "$archive"
	name=$(basename "$archive" .tar.gz)
	as_nobody "/tmp/$name/bin/narrows" compare cubic --duration "5 s" --seeds 1 --quiet --out /tmp/narrows-tar >/dev/null
	test -s "$root/tmp/narrows-tar/report.html"
	rm -rf "$root/tmp/$name" "$root/tmp/narrows-tar"
done
echo "the packages install and run"

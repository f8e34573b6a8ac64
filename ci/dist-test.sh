#!/bin/sh
# Installs the packages of target/dist-out in a new Debian that debootstrap creates, and runs their
# main commands there as a user without rights. Needs root. NARROWS_ROOT names an existing Debian
# that is kept; without it, one is created and removed. A kind of package that was not built is not
# tested, and the last line says so. The archive for another architecture runs in QEMU, if the
# host has qemu-user-static.
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
cp /etc/resolv.conf "$root/etc/resolv.conf"
machine=$(uname -m)
tested=
missing=

in_root() {
	chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"
}
as_nobody() {
	in_root setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
packages() {
	# The words are the packages.
	# shellcheck disable=SC2016
	in_root sh -c 'apt-get -q update >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends "$@" >/dev/null' packages "$@"
}
fail() {
	echo "$1" >&2
	exit 1
}
clean() {
	rm -rf "$root"/tmp/narrows* "$root"/tmp/python
}

test_deb() {
	cp "$1" "$root/tmp/"
	packages "/tmp/$(basename "$1")"
	as_nobody narrows --version
	as_nobody narrows compare cubic bbr --duration "5 s" --seeds 1 --quiet --out /tmp/narrows-test >/dev/null
	test -s "$root/tmp/narrows-test/report.html"
	as_nobody narrows run /usr/share/doc/narrows/scenarios/one-link.toml --quiet --out /tmp/narrows-test-run >/dev/null
	ci/pages.py check "$root/usr/share/doc/narrows"
	in_root test -e /usr/share/man/man1/narrows-compare.1.gz -a -e /usr/share/bash-completion/completions/narrows
	in_root test -e /lib/systemd/system/narrows-ndn.service
	# The program has controllers for the kernel. Here it finds no /proc, so the kernel's version is
	# unknown. Without controllers, the message would say that the build left them out.
	as_nobody narrows kernel list 2>&1 | grep -q "unknown version"
	in_root dpkg --purge narrows >/dev/null
	if in_root test -e /usr/bin/narrows; then fail "the package leaves its program behind"; fi
}

# Arguments: a program or library, the newest version of glibc that it may ask for.
needs_at_most() {
	newest=$(readelf --version-info --wide "$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
	test "$(printf '%s\n' "$newest" "GLIBC_$2" | sort -V | tail -n 1)" = "GLIBC_$2" || fail "$1 needs $newest"
}

# Runs an archive for this machine in the new Debian, and another one in QEMU.
test_archive() {
	name=$(basename "$1" .tar.gz)
	architecture=${name#narrows-*-}
	architecture=${architecture%-linux}
	tar -C "$root/tmp" -xzf "$1"
	program=/tmp/$name/bin/narrows
	needs_at_most "$root$program" 2.28
	ci/pages.py check "$root/tmp/$name/share/doc/narrows"
	if test "$architecture" = "$machine"; then
		as_nobody "$program" compare cubic --duration "5 s" --seeds 1 --quiet --out /tmp/narrows-tar >/dev/null
	else
		qemu=$(command -v "qemu-$architecture-static") || { missing="$missing, the run of $name (needs qemu-user-static)" && return; }
		# The other architecture's C library, beside this one's.
		in_root dpkg --add-architecture arm64
		packages libc6:arm64 libgcc-s1:arm64
		cp "$qemu" "$root/tmp/narrows-qemu"
		as_nobody /tmp/narrows-qemu "$program" compare cubic --duration "5 s" --seeds 1 --quiet --out /tmp/narrows-tar >/dev/null
	fi
	test -s "$root/tmp/narrows-tar/report.html"
	rm -rf "$root/tmp/$name" "$root/tmp/narrows-tar"
}

# Installs a wheel in a new environment without a network, and simulates with it.
test_wheel() {
	packages python3-venv
	cp "$1" "$root/tmp/"
	as_nobody python3 -m venv /tmp/python
	as_nobody /tmp/python/bin/pip install --quiet --no-cache-dir --no-index "/tmp/$(basename "$1")"
	as_nobody /tmp/python/bin/python -c '
import re
from importlib import metadata
import narrows as nw

result = nw.compare("cubic", "bbr", duration="5 s", seeds=1, out="/tmp/narrows-wheel")
assert len(result.flows) >= 2, len(result.flows)
page = metadata.metadata("narrows").get_payload()
assert not [link for link in re.findall(r"\]\(([^)]+)\)", page) if "://" not in link], page
' >/dev/null
	test -s "$root/tmp/narrows-wheel/report.html"
	as_nobody /tmp/python/bin/narrows --version >/dev/null 2>&1 || as_nobody /tmp/python/bin/python -m narrows --version >/dev/null
	needs_at_most "$(echo "$root"/tmp/python/lib/python3*/site-packages/narrows/_narrows.abi3.so)" 2.28
}

# Arguments: the test of a kind of package, its files.
each() {
	kind=$1
	shift
	for file in "$@"; do
		test -e "$file" || { missing="$missing, $(basename "$file")" && continue; }
		clean
		"$kind" "$file"
		clean
		tested="$tested $(basename "$file")"
	done
}

each test_deb "$out"/narrows_*_"$(dpkg --print-architecture)".deb
each test_archive "$out"/narrows-*-x86_64-linux.tar.gz "$out"/narrows-*-aarch64-linux.tar.gz
each test_wheel "$out"/narrows-*manylinux*_"$machine".whl
test -n "$tested" || fail "target/dist-out has no package: make dist"
echo "install and run:$tested${missing:+; not tested: ${missing#, }}"

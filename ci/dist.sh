#!/bin/sh
# Builds the files of a release in target/dist-out:
#   narrows_VERSION_ARCH.deb          for this Debian and machine, with controllers for the kernel
#   narrows-VERSION-ARCH-linux.tar.gz for glibc 2.28 and later, x86_64 and aarch64, without them
#   *.whl                             the Python package
#   sbom.cdx.json, THIRD-PARTY.txt    what it is made of, and the licences
#   SHA256SUMS
# Arguments choose parts: deb, tar, wheels. Without arguments all are built. Each needs ordinary
# package registries only: deb needs clang, libelf-dev, zlib1g-dev and dpkg-dev; tar and wheels need
# rustup and Python, which bring Zig.
set -eu
cd "$(dirname "$0")/.."
out=target/dist-out
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
commit=${NARROWS_COMMIT:-$(git rev-parse --short=10 HEAD)}
export NARROWS_COMMIT="$commit"
parts=${*:-deb tar wheels}
mkdir -p "$out"

# Copies the files for the program: manual pages, completions, licences, and the documentation with
# all that it links to, placed as in a clone. Arguments: a program, a folder.
beside() {
	mkdir -p "$2/share/man/man1" "$2/share/bash-completion/completions" "$2/share/zsh/vendor-completions" \
		"$2/share/fish/vendor_completions.d"
	"$1" man "$2/share/man/man1" >/dev/null
	gzip -9nf "$2"/share/man/man1/*.1
	"$1" completions bash >"$2/share/bash-completion/completions/narrows"
	"$1" completions zsh >"$2/share/zsh/vendor-completions/_narrows"
	"$1" completions fish >"$2/share/fish/vendor_completions.d/narrows.fish"
	ci/pages.py copy "$2/share/doc/narrows"
}

deb() {
	arch=$(dpkg --print-architecture)
	cargo build --locked --profile dist -p narrows --features narrows/bpf
	tree=target/dist-tree/deb
	rm -rf "$tree"
	install -D -m 755 target/dist/narrows "$tree/usr/bin/narrows"
	beside "$tree/usr/bin/narrows" "$tree/usr"
	cat LICENSE-MIT LICENSE-APACHE >"$tree/usr/share/doc/narrows/copyright"
	gzip -9nc CHANGELOG.md >"$tree/usr/share/doc/narrows/changelog.gz"
	for unit in contrib/systemd/*.service; do
		install -D -m 644 "$unit" "$tree/lib/systemd/system/$(basename "$unit")"
	done
	mkdir -p "$tree/etc/narrows" "$tree/DEBIAN"
	# Debian's own tool finds the program's libraries. It needs a source package.
	work=target/dist-tree/shlibs
	rm -rf "$work"
	mkdir -p "$work/debian"
	printf 'Source: narrows\n\nPackage: narrows\nArchitecture: any\n' >"$work/debian/control"
	program=$(realpath "$tree/usr/bin/narrows")
	needs=$(cd "$work" && dpkg-shlibdeps -O "$program" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
	cat >"$tree/DEBIAN/control" <<-END
		Package: narrows
		Version: $version
		Architecture: $arch
		Maintainer: The Narrows authors <narrows@localhost>
		Depends: $needs
		Suggests: clang, iproute2, chromium
		Section: net
		Priority: optional
		Installed-Size: $(du -sk "$tree" | cut -f1)
		Description: workbench for congestion control
		 Simulates congestion controllers, runs them on the Linux kernel over emulated
		 links, loads them into the kernel, and deploys them with guards.
	END
	dpkg-deb --root-owner-group --build "$tree" "$out/narrows_${version}_$arch.deb"
}

tools() {
	test -x target/dist-tools/bin/cargo-zigbuild || {
		python3 -m venv target/dist-tools
		target/dist-tools/bin/pip install --quiet --disable-pip-version-check ziglang cargo-zigbuild
	}
}

tarballs() {
	tools
	machine=$(uname -m)
	# The pages printed by this machine's program are the same for both architectures.
	for arch in "$machine" $(echo x86_64 aarch64 | tr ' ' '\n' | grep -v "^$machine$"); do
		rustup target add "$arch-unknown-linux-gnu"
		PATH="$PWD/target/dist-tools/bin:$PATH" cargo zigbuild --locked --profile dist -p narrows \
			--target "$arch-unknown-linux-gnu.2.28"
		name=narrows-$version-$arch-linux
		rm -rf "target/dist-tree/$name"
		install -D -m 755 "target/$arch-unknown-linux-gnu/dist/narrows" "target/dist-tree/$name/bin/narrows"
		beside "target/$machine-unknown-linux-gnu/dist/narrows" "target/dist-tree/$name"
		tar -C target/dist-tree --owner=0 --group=0 --numeric-owner --sort=name --mtime=@0 -cf - "$name" |
			gzip -9n >"$out/$name.tar.gz"
	done
}

for part in $parts; do
	case $part in
	deb) deb ;;
	tar) tarballs ;;
	wheels)
		make --no-print-directory wheels
		cp target/wheels/*.whl "$out/"
		;;
	*)
		echo "unknown part $part: deb, tar or wheels" >&2
		exit 2
		;;
	esac
done
python3 ci/sbom.py >"$out/sbom.cdx.json"
cp THIRD-PARTY.txt "$out/"
(cd "$out" && rm -f SHA256SUMS && sha256sum -- * >SHA256SUMS)
ls -l "$out"

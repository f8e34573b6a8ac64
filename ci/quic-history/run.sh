#!/bin/sh
# Shows known faults of published versions of QUIC stacks by running these versions. Each has a
# workspace of its own in target/quic-history, with this repository's simulator and guests, whose
# dependency is changed to the version. Arguments choose versions; all by default.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/target/quic-history

# Runs one version. Arguments: stack, version, whether overflows panic, and rows of src/main.rs.
version() {
    stack=$1 version=$2 checks=$3 rows=$4
    case " $wanted " in *" all "*|*" $stack-$version "*) ;; *) return 0 ;; esac
    place=$work/$stack-$version
    rm -rf "$place"
    mkdir -p "$place/guests" "$place/src"
    cp -r "$root/crates/guests/src" "$root/crates/guests/build.rs" "$place/guests/"
    cp "$here/src/main.rs" "$place/src/"
    sed -e "s|@ROOT@|$root|g" -e "s|@STACK@|$stack|g" -e "s|@VERSION@|$version|g" "$here/guests.toml" > "$place/guests/Cargo.toml"
    sed -e "s|@ROOT@|$root|g" -e "s|@STACK@|$stack|g" -e "s|@CHECKS@|$checks|g" "$here/workspace.toml" > "$place/Cargo.toml"
    # Our controllers in the stack need its current interface.
    sed -i -e '/adapted/d' "$place/guests/src/lib.rs"
    rm "$place/guests/src/adapted.rs"
    for file in "$place/guests/src/$stack/mod.rs" "$place/guests/src/origin.rs"; do
        sed -i -e "s/1\.4\.0/$version/g" -e "s/0\.11\.19/$version/g" "$file"
    done
    if [ "$stack" = noq ]; then
        case $version in 1.0.*|1.1.*)
            # Before 1.2 the controller is not notified that the window limits it.
            sed -i -e '/fn on_cwnd_limited/,/^    }/d' "$place/guests/src/noq/watched.rs" ;;
        esac
    fi
    if [ -e "$here/locks/$stack-$version.lock" ]; then cp "$here/locks/$stack-$version.lock" "$place/Cargo.lock"; fi
    echo "== $stack $version, overflow checks $checks"
    (cd "$place" && CARGO_TARGET_DIR="$work/target" cargo run --quiet --release -- $rows)
    mkdir -p "$here/locks"
    cp "$place/Cargo.lock" "$here/locks/$stack-$version.lock"
}

wanted=${*:-all}
version noq 1.0.0 true "bbr3-panics"
version noq 1.1.0 false "bbr3-loses"
version noq 1.2.0 false "bbr3-forgets"
version noq 1.4.0 false "bbr3-forgets bbr3-limited"
version quinn 0.11.14 false "cubic-reduces-twice"
version quinn 0.11.19 false "cubic-reduces-once"

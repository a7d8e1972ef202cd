#!/usr/bin/env bash
# What action.yml runs; any other CI can do the same. VGPU_RUN is the command, VGPU_OPTIONS are those of `vgpu run`, VGPU_PACKAGES are installed first.
set -euo pipefail

fail() {
    # The first word makes it an annotation on GitHub.
    echo "::error::$*" >&2
    exit 2
}

[ -n "${VGPU_RUN:-}" ] || fail "there is nothing to run: the input \`run\` is empty"
command -v cargo >/dev/null || fail "cargo is missing, with which vgpu is built: use a container such as rust:1-trixie, or a step that installs Rust"
command -v cc >/dev/null || fail "a C compiler is missing, which cargo links with: install gcc and libc6-dev"
project="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
[ -f "$project/crates/vgpu/Cargo.toml" ] || fail "$project is no checkout of this project: the action cannot be used without the rest of its repository"
read -ra packages <<<"${VGPU_PACKAGES:-}"
read -ra options <<<"${VGPU_OPTIONS:-}"

if [ "${#packages[@]}" -gt 0 ]; then
    echo "== installing ${packages[*]}"
    command -v apt-get >/dev/null || fail "apt-get is missing, by which packages are installed: leave the input \`packages\` empty and install them yourself"
    root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "packages are installed by root, or with sudo: neither is there"
        root=(sudo)
    fi
    "${root[@]}" apt-get -oDPkg::Lock::Timeout=600 --quiet update
    "${root[@]}" apt-get -oDPkg::Lock::Timeout=600 --quiet --yes --no-install-recommends install "${packages[@]}"
fi

# Beside other steps' things, so that a second use in a job finds it made.
place="${RUNNER_TEMP:-${TMPDIR:-/tmp}}/vgpu"
echo "== building vgpu"
cargo install --quiet --locked --path "$project/crates/vgpu" --root "$place"

echo "== vgpu run ${options[*]}"
exec "$place/bin/vgpu" run "${options[@]}" -- bash -eo pipefail -c "$VGPU_RUN"

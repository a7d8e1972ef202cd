# What the scripts share; they read it with `.`. Each works in a temporary folder, which is removed when it ends.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

# debian PACKAGE VERSION: gets a package of Debian's as the machine's own apt finds it, and unpacks it here.
debian() {
    apt-get download -qq -o APT::Sandbox::User=root "$1=$2" >/dev/null || { echo "apt has no $1 of version $2 (apt-get update, or another release of Debian)"; exit 2; }
    dpkg-deb --extract "$1"_*.deb .
}

# pypi PACKAGE==VERSION: gets a wheel as the machine's own pip finds it, and unpacks it into `python` here.
pypi() {
    python3 -m pip install --quiet --root-user-action=ignore --no-deps --target python "$1"
}

# compare: shows what was seen (the file `seen`) and fails if that is not what the script says (the file `expected`).
compare() {
    cat seen
    diff expected seen >/dev/null || { echo 'the behaviour has changed; it was:'; cat expected; exit 1; }
    echo 'as described'
}

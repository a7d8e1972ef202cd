#!/bin/sh
# rocrand.h of rocRAND 5.3.3 (Debian bookworm): declares functions with C linkage, and no C compiler takes it.
#
# It says `typedef __half half;`. HIP's hip_fp16.h declares `__half` for C++ alone. The headers of rocSPARSE 5.3.0, which have no such type, are C. What was seen, with
# a file that only includes the header:
#
#   rocrand/rocrand.h as C: refused (__half)
#   rocrand/rocrand.h as C++: accepted
#   rocsparse/rocsparse.h as C: accepted
#   rocsparse/rocsparse.h as C++: accepted
#
# Bindings that are generated from the header as C have to declare `__half` first. The same was seen with rocRAND 5.7 and 7.2 (Debian trixie and experimental).
set -eu
. "$(dirname "$0")/common.sh"
debian librocrand-dev 5.3.3-4
debian librocsparse-dev 5.3.0+dfsg-2
debian libamdhip64-dev 5.2.3-8
cc --version >/dev/null

try() {
    echo "#include <$2>" > main.c
    if cc -x "$1" -fsyntax-only -D__HIP_PLATFORM_AMD__ -Iusr/include main.c 2> errors; then
        echo "$2 as $3: accepted"
    elif grep -q 'error: unknown type name .__half' errors; then
        echo "$2 as $3: refused (__half)"
    else
        cat errors
    fi
}
for header in rocrand/rocrand.h rocsparse/rocsparse.h; do
    try c "$header" C
    try c++ "$header" C++
done > seen
cat > expected <<'T'
rocrand/rocrand.h as C: refused (__half)
rocrand/rocrand.h as C++: accepted
rocsparse/rocsparse.h as C: accepted
rocsparse/rocsparse.h as C++: accepted
T
compare

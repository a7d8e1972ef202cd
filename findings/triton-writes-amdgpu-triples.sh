#!/bin/sh
# Triton 3.9.0 (PyPI): its code objects name the target `amdgpu9.42-amd-amdhsa-unknown-gfx942`, where ROCm's compilers up to LLVM 22 write `amdgcn-amd-amdhsa--gfx942`.
#
# The name is in the metadata (amdhsa.target) that loaders and tools compare with the chip. Architecture and environment differ: `amdgpu9.42`, with the generation in it, instead of
# `amdgcn`, and `unknown` instead of nothing. A reader that compares the whole text with the older form takes the code for that of another chip. What was seen:
#
#   gfx90a amdgpu9.0a-amd-amdhsa-unknown-gfx90a
#   gfx942 amdgpu9.42-amd-amdhsa-unknown-gfx942
#   gfx950 amdgpu9.50-amd-amdhsa-unknown-gfx950
#
# No GPU is needed: Triton compiles for the chip that it is told.
set -eu
. "$(dirname "$0")/common.sh"
pypi triton==3.9.0

cat > compile.py <<'P'
import re
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

@triton.jit
def add(source, target, N: tl.constexpr):
    index = tl.arange(0, N)
    tl.store(target + index, tl.load(source + index) + 1.0)

for chip in ("gfx90a", "gfx942", "gfx950"):
    source = ASTSource(fn=add, signature={"source": "*fp32", "target": "*fp32", "N": "constexpr"}, constexprs={"N": 64})
    code = triton.compile(source, target=GPUTarget("hip", chip, 64)).asm["hsaco"]
    # The value behind the key in the metadata, which are MessagePack: a byte or two with its length, then the text.
    print(chip, re.search(rb"amdhsa\.target(?:[\xa0-\xbf]|\xd9.)([\w.-]+)", code).group(1).decode())
P
PYTHONPATH=python TRITON_CACHE_DIR=$PWD/cache python3 compile.py > seen 2> errors || { cat errors; exit 2; }
cat > expected <<'T'
gfx90a amdgpu9.0a-amd-amdhsa-unknown-gfx90a
gfx942 amdgpu9.42-amd-amdhsa-unknown-gfx942
gfx950 amdgpu9.50-amd-amdhsa-unknown-gfx950
T
compare

# Compiles HIP and ROCr 6.4.3 from the sources below $1 into $1/lib. Nothing is inlined, so that each function has a
# frame of its own, and each has its lines.
cd "$1"
# AMD's code takes the address of element 0 of empty vectors, which libstdc++ refuses where nothing is optimised.
flags="-O0 -gline-tables-only -w -D_GLIBCXX_NO_ASSERTIONS"
options="-G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DCMAKE_PREFIX_PATH=/usr/lib/llvm-21
    -DCMAKE_C_COMPILER=clang-21 -DCMAKE_CXX_COMPILER=clang++-21"

# This compiler does not know two GPUs that were never sold.
sed -i 's/gfx940;gfx941/gfx942;gfx942/; s/gfx940/gfx942/' rocr-runtime/runtime/hsa-runtime/core/runtime/*/CMakeLists.txt
cmake -S rocr-runtime -B rocr-build $options -DIMAGE_SUPPORT=OFF \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags -include cstdint"
ninja -C rocr-build hsa-runtime64

# HIP's headers are a project of their own. The installed ones are the same.
mkdir -p common/include
printf '6\n4\n43484\n' > common/VERSION
touch common/hip-lang-config.cmake.in
ln -sfn /usr/include/hip common/include/hip
cmake -S rocm-hipamd -B hip-build $options -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
    -DHIP_COMMON_DIR="$1/common" -DCLR_BUILD_HIP=ON -DCLR_BUILD_OCL=OFF -DROCM_PATH=/usr -DHIP_PLATFORM=amd \
    -DUSE_PROF_API=OFF -DHIPCC_BIN_DIR=/usr/bin -DHIP_ENABLE_ROCPROFILER_REGISTER=OFF -D__HIP_ENABLE_PCH=OFF
ninja -C hip-build amdhip64

mkdir -p unfinished
cp --dereference rocr-build/rocr/lib/libhsa-runtime64.so.1 hip-build/hipamd/lib/libamdhip64.so.6 unfinished
mv unfinished lib

//! The amdkfd and amdgpu DRM kernel ABI.

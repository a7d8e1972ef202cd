//! The layout of an image in a dma-buf.

use cl_sys::*;

use crate::log::log;

/// Where the rows of an image are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// From one row to the next, in bytes.
    pub pitch: usize,
    /// Bytes of the whole image.
    pub bytes: usize,
}

/// The layout of an image whose rows are `description.image_row_pitch` bytes apart, or, if that is 0, as near as
/// `alignment` bytes allow.
///
/// # Errors
/// `CL_INVALID_IMAGE_DESCRIPTOR` if it is no plain image of two dimensions, or its rows overlap;
/// `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR`; `CL_INVALID_IMAGE_SIZE`.
pub fn layout(format: &cl_image_format, description: &cl_image_desc, alignment: cl_uint) -> Result<Layout, cl_int> {
    // SAFETY: both members of the union are handles.
    let of_another = unsafe { !description.__bindgen_anon_1.mem_object.is_null() };
    let (levels, samples) = (description.num_mip_levels, description.num_samples);
    if description.image_type != CL_MEM_OBJECT_IMAGE2D || of_another || levels != 0 || samples != 0 {
        log!("refused: of a dma-buf there are only images of two dimensions, with one level and one sample");
        return Err(CL_INVALID_IMAGE_DESCRIPTOR);
    }
    let element = element(format).ok_or_else(|| {
        log!("refused: the image format {format:?} is not known");
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
    })?;
    let row = description.image_width.checked_mul(element).filter(|row| *row != 0).ok_or(CL_INVALID_IMAGE_SIZE)?;
    let pitch = match description.image_row_pitch {
        0 => row.checked_next_multiple_of(alignment.max(1) as usize).ok_or(CL_INVALID_IMAGE_SIZE)?,
        pitch if pitch < row || !pitch.is_multiple_of(element) => {
            log!("refused: {pitch} bytes from row to row are too few for {row}, or no whole elements of {element}");
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        pitch => pitch,
    };
    let bytes = pitch.checked_mul(description.image_height).filter(|bytes| *bytes != 0).ok_or(CL_INVALID_IMAGE_SIZE)?;
    Ok(Layout { pitch, bytes })
}

/// Bytes of an element, by the tables of the OpenCL specification ("Image Format Descriptor").
#[allow(non_upper_case_globals, reason = "OpenCL's names")]
fn element(format: &cl_image_format) -> Option<usize> {
    let channels = match format.image_channel_order {
        CL_R | CL_A | CL_INTENSITY | CL_LUMINANCE | CL_DEPTH | CL_Rx => 1,
        CL_RG | CL_RA | CL_RGx => 2,
        CL_RGB | CL_sRGB | CL_RGBx | CL_sRGBx => 3,
        CL_RGBA | CL_BGRA | CL_ARGB | CL_ABGR | CL_sRGBA | CL_sBGRA => 4,
        _ => return None,
    };
    Some(match format.image_channel_data_type {
        CL_UNORM_SHORT_565 | CL_UNORM_SHORT_555 => 2,
        CL_UNORM_INT_101010 | CL_UNORM_INT_101010_2 => 4,
        CL_SNORM_INT8 | CL_UNORM_INT8 | CL_SIGNED_INT8 | CL_UNSIGNED_INT8 => channels,
        CL_SNORM_INT16 | CL_UNORM_INT16 | CL_SIGNED_INT16 | CL_UNSIGNED_INT16 | CL_HALF_FLOAT => 2 * channels,
        CL_SIGNED_INT32 | CL_UNSIGNED_INT32 | CL_FLOAT => 4 * channels,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: usize, height: usize, pitch: usize) -> cl_image_desc {
        // SAFETY: numbers and a null handle.
        let empty: cl_image_desc = unsafe { std::mem::zeroed() };
        cl_image_desc {
            image_type: CL_MEM_OBJECT_IMAGE2D,
            image_width: width,
            image_height: height,
            image_row_pitch: pitch,
            ..empty
        }
    }

    const RGBA8: cl_image_format =
        cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };

    #[test]
    fn rows_are_where_the_program_says_or_aligned() {
        for (image, layout_of_it) in [
            (image(64, 4, 0), Layout { pitch: 256, bytes: 1024 }),
            (image(65, 4, 0), Layout { pitch: 512, bytes: 2048 }),
            (image(64, 4, 1024), Layout { pitch: 1024, bytes: 4096 }),
        ] {
            assert_eq!(layout(&RGBA8, &image, 256), Ok(layout_of_it));
        }
    }

    #[test]
    fn what_is_no_plain_image_is_refused() {
        let refused = |image: cl_image_desc| layout(&RGBA8, &image, 256).expect_err("refused");
        assert_eq!(refused(image(64, 4, 255)), CL_INVALID_IMAGE_DESCRIPTOR);
        assert_eq!(refused(image(64, 4, 258)), CL_INVALID_IMAGE_DESCRIPTOR);
        assert_eq!(refused(image(0, 4, 0)), CL_INVALID_IMAGE_SIZE);
        assert_eq!(refused(image(64, 0, 0)), CL_INVALID_IMAGE_SIZE);
        assert_eq!(refused(image(usize::MAX / 2, 4, 0)), CL_INVALID_IMAGE_SIZE);
        assert_eq!(refused(image(64, usize::MAX / 2, 0)), CL_INVALID_IMAGE_SIZE);
        assert_eq!(
            refused(cl_image_desc { image_type: CL_MEM_OBJECT_IMAGE3D, ..image(64, 4, 0) }),
            CL_INVALID_IMAGE_DESCRIPTOR
        );
        assert_eq!(refused(cl_image_desc { num_mip_levels: 1, ..image(64, 4, 0) }), CL_INVALID_IMAGE_DESCRIPTOR);
        let unknown = cl_image_format { image_channel_order: 1, ..RGBA8 };
        assert_eq!(layout(&unknown, &image(64, 4, 0), 256), Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR));
    }
}

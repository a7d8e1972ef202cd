//! Libraries of ROCm with a C interface over HIP's types: a row each, from which the whole crate is written.
use super::Context;
use super::clang::Headers;
use super::hip;
use super::packages::{Origin, Package};
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;

/// A library and its crate.
pub struct Library {
    /// The crate is `NAME-sys`, in `crates/NAME-sys`.
    pub name: &'static str,
    /// Whether crates.io has another project under this name, so that the package is `rocm-NAME-sys`.
    pub taken: bool,
    /// As AMD writes it, and what it is.
    pub title: &'static str,
    pub purpose: &'static str,
    /// The type of its functions.
    pub table: &'static str,
    /// The file's name: `libFILE.so`.
    pub file: &'static str,
    /// What to install, in Debian and of AMD's packages.
    pub install: (&'static str, &'static str),
    pub headers: &'static [&'static str],
    /// Whether only a C++ compiler reads the headers.
    pub cpp: bool,
    /// Source in front of the headers: what they take from HIP's own compiler, and what has them declare all that the
    /// libraries have.
    pub prelude: &'static str,
    /// The type of results that say whether a call succeeded.
    pub status: &'static str,
    /// Other libraries whose headers these include.
    pub uses: &'static [&'static str],
    /// Oldest first.
    pub versions: &'static [Version],
    /// Types that were given another name, and are laid out as before: the old name and the new one.
    pub same: &'static [(&'static str, &'static str)],
    /// Records that a version lays out otherwise than the newest does, as reviewed: `VERSION RECORD`.
    #[cfg_attr(not(test), allow(dead_code))]
    pub layouts: &'static [&'static str],
}

/// A version of a library's headers.
pub struct Version {
    /// Of the ROCm that it comes with.
    pub name: &'static str,
    /// The library's: `libFILE.so.SONAME`.
    pub soname: u32,
    pub package: Package,
    /// Further packages that the headers include headers of.
    pub includes: &'static [Package],
}

const fn version(
    name: &'static str,
    soname: u32,
    (package, package_version, suite): (&'static str, &'static str, &'static str),
    sha256: &'static str,
    folder: &'static [&'static str],
    headers: &'static str,
) -> Version {
    let package = debian((package, package_version, suite), sha256, folder, headers);
    Version { name, soname, package, includes: &[] }
}

const fn debian(
    (name, version, suite): (&'static str, &'static str, &'static str),
    sha256: &'static str,
    folder: &'static [&'static str],
    headers: &'static str,
) -> Package {
    Package { name, version, origin: Origin::Debian { suite }, sha256, headers: Some((folder, headers)) }
}

/// What most rows have in common.
const LIBRARY: Library = Library {
    name: "",
    taken: false,
    title: "",
    purpose: "",
    table: "",
    file: "",
    install: ("", ""),
    headers: &[],
    cpp: false,
    prelude: "",
    status: "",
    uses: &[],
    versions: &[],
    same: &[],
    layouts: &[],
};

const HIPBLAS_COMMON_7_1: Package = debian(
    ("libhipblas-common-dev", "7.1.0-1+b1", "sid"),
    "017893ea1ac8077ed45d2f3a3978518ad4be1d7a6977234e54bbe278c3d21c56",
    &["usr/include/hipblas-common"],
    "8d99512740b4215c74acca4ae9d1d436974fc46e77a801973d6b4028272945b6",
);
const HIPBLAS_COMMON_7_2: Package = debian(
    ("libhipblas-common-dev", "7.2.4-1~exp1", "experimental"),
    "a7f9107281594a3d182c86b9fb151fb809899ce1038b36bba57ae33cd01cc69f",
    &["usr/include/hipblas-common"],
    "8d99512740b4215c74acca4ae9d1d436974fc46e77a801973d6b4028272945b6",
);

pub const LIBRARIES: &[Library] = &[
    Library {
        name: "rocblas",
        title: "rocBLAS",
        purpose: "dense linear algebra",
        table: "Rocblas",
        file: "rocblas",
        install: ("librocblas0, librocblas4 or librocblas5", "rocblas"),
        headers: &["rocblas/rocblas.h"],
        prelude: "#define ROCBLAS_BETA_FEATURES_API\n",
        status: "rocblas_status",
        versions: &[
            version(
                "5.5",
                0,
                ("librocblas-dev", "5.5.1+dfsg-7", "trixie"),
                "6807acd8e4bcc065559d60e78fb7cd62cd7379da68a5fdcd934410f7f08f5df2",
                &["usr/include/rocblas"],
                "d8e111a9d8a75fddc4dbad75789b9866054ca15276b60e596ac90232b9e7ff60",
            ),
            version(
                "6.4",
                4,
                ("librocblas-dev", "6.4.4-4", "sid"),
                "b86fdbe87a20759346214cbe961895bd25dea58e2303739de65b71c34eb5b05b",
                &["usr/include/rocblas"],
                "8aa6f02b69d012e6e8b289e48088cbbfc032d41c27ddc6b952789397b7943229",
            ),
            version(
                "7.2",
                5,
                ("librocblas-dev", "7.2.4-1~exp1", "experimental"),
                "615ad67764a3dcfef8db7ac5b24458222bc0b1bb69b2fbf5a50c04bc74fc75b0",
                &["usr/include/rocblas"],
                "4e39c4934c6b214de889f198030e79fdbc97d72ec04c0585221b8550f601b7b4",
            ),
        ],
        ..LIBRARY
    },
    Library {
        name: "rocsolver",
        title: "rocSOLVER",
        purpose: "factorisations, linear systems and eigenvalues of dense matrices",
        table: "Rocsolver",
        file: "rocsolver",
        install: ("librocsolver0", "rocsolver"),
        headers: &["rocsolver/rocsolver.h"],
        uses: &["rocblas"],
        versions: &[
            version(
                "5.5",
                0,
                ("librocsolver-dev", "5.5.1-7", "trixie"),
                "742a5e8d6fcfc71001256ea9df2f05b60a5c22c68b23590716986c1cfedfea4a",
                &["usr/include/rocsolver"],
                "dbae51cb0f573d71a4f09ba491bb37e087e5fb2d9b5664c4ead40b190c75c176",
            ),
            version(
                "6.4",
                0,
                ("librocsolver-dev", "6.4.3-2+b1", "sid"),
                "1fa5aadaa28087c4422af4af03734d5c9eaf7b61729b8910cdd1b9b1eb0d1448",
                &["usr/include/rocsolver"],
                "a8c901657f7563808c2f81d6872759bfcf54abf84e2c1489ef4cc8e6db2d132f",
            ),
            version(
                "7.2",
                0,
                ("librocsolver-dev", "7.2.4-1~exp1+b1", "experimental"),
                "74df6a508e9c251b597627d965418dc5c5499f6158b9f7a5202d0e783a510890",
                &["usr/include/rocsolver"],
                "59b3071c8f1dc19758ae7eb3c363af54b18aa0202f6ca5a54635a3c4f22cb0f9",
            ),
        ],
        ..LIBRARY
    },
    Library {
        name: "rocfft",
        title: "rocFFT",
        purpose: "fast Fourier transforms",
        table: "Rocfft",
        file: "rocfft",
        install: ("librocfft0", "rocfft"),
        headers: &["rocfft/rocfft.h"],
        status: "rocfft_status",
        versions: &[
            version(
                "6.1",
                0,
                ("librocfft-dev", "6.1.2-1", "trixie"),
                "1b63dbdddf7fe7a76c056e145ed92f246a60292ca99463ffc73922ef607dcb16",
                &["usr/include/rocfft"],
                "870bb3ca0c3bfad23cc3c5e90e2f3965022fdfaa8ffa0b26b913bb28fd1efbbb",
            ),
            version(
                "6.4",
                0,
                ("librocfft-dev", "6.4.3-1+b1", "sid"),
                "51b656ef6d24b81d130c30bc9f41f9f26e5772fa10066718521ddfc981367693",
                &["usr/include/rocfft"],
                "ec79b666945a175696daea20d9311eaf8ccc46a59946047da183f08ff385b630",
            ),
            version(
                "7.2",
                0,
                ("librocfft-dev", "7.2.4-1~exp1", "experimental"),
                "91ecb5443387eb2e072c234c9033f2953be5e452d7520d15b4bbb050338f04c2",
                &["usr/include/rocfft"],
                "9a5e29941514e17a0e5d0589ee6e111c8c1a1322e0e908064ab84b54e4b7c36a",
            ),
        ],
        ..LIBRARY
    },
    Library {
        name: "rocrand",
        title: "rocRAND",
        purpose: "random numbers",
        table: "Rocrand",
        file: "rocrand",
        install: ("librocrand1", "rocrand"),
        headers: &["rocrand/rocrand.h"],
        cpp: true,
        prelude: "typedef unsigned short __half;\n",
        status: "rocrand_status",
        versions: &[
            version(
                "5.7",
                1,
                ("librocrand-dev", "5.7.1-6", "trixie"),
                "74cf8d4eda754ce091d204c60d42e8bb4c09bfc60312a21358b2a136a7203447",
                &["usr/include/rocrand"],
                "decc204b847704ce51f5d6a5576e89bca88cb2fa8bd4e0fb97031d7476f9b462",
            ),
            version(
                "6.4",
                1,
                ("librocrand-dev", "6.4.3-1", "sid"),
                "73ca24c9c9bdcf2bbf16b07cf3bacbab185ee46ebe862d80369fe5de864e5489",
                &["usr/include/rocrand"],
                "50398fdcae6466ccab4adaa12e8cfcab72178856105defb61752a5175e3a7233",
            ),
            version(
                "7.2",
                1,
                ("librocrand-dev", "7.2.4-1~exp1", "experimental"),
                "e2aa1779d48a0e1c575f0108f86b173333c7318668506c9ea6eef09f55783066",
                &["usr/include/rocrand"],
                "848daa88d20bb24e2bbee896ea73a791cc562ca6d228c707e0a08b3b31ea73d7",
            ),
        ],
        ..LIBRARY
    },
    Library {
        name: "rocsparse",
        title: "rocSPARSE",
        purpose: "sparse linear algebra",
        table: "Rocsparse",
        file: "rocsparse",
        install: ("librocsparse0 or librocsparse1", "rocsparse"),
        headers: &["rocsparse/rocsparse.h"],
        // C compilers refuse a header of 6.4.
        cpp: true,
        status: "rocsparse_status",
        versions: &[
            version(
                "5.7",
                0,
                ("librocsparse-dev", "5.7.1-6", "trixie"),
                "ff2bee3dd3934118ac68b8fec47216042acf8e7ca3a01df1783fd2adcd940be9",
                &["usr/include/rocsparse"],
                "ea550c8488cca3163a61b82170a8779fb9127c59aff61f87c9ba3b70d3d0690f",
            ),
            version(
                "6.4",
                1,
                ("librocsparse-dev", "6.4.3-3", "sid"),
                "25f7af9043a2b8e1d6bfcc9ae8b8f94612a20d5f05b9b72f33f6500ed7a894e9",
                &["usr/include/rocsparse"],
                "72a287a1529cac4884445774bd1ba026645f8c147bcf8fdcaf2e2ec357e74351",
            ),
            version(
                "7.2",
                1,
                ("librocsparse-dev", "7.2.4-1~exp1", "experimental"),
                "90374f58fd021b02bb906b3d5b3e96338e9847e32f23fcbd1398c92bf43b6a70",
                &["usr/include/rocsparse"],
                "3f2f424082ee38acae20750c1f4ff5d0c7d635b3d885119536a8b9c8ea576112",
            ),
        ],
        ..LIBRARY
    },
    Library {
        name: "hipfft",
        title: "hipFFT",
        purpose: "fast Fourier transforms by rocFFT, as cuFFT has them",
        table: "Hipfft",
        file: "hipfft",
        install: ("libhipfft0", "hipfft"),
        headers: &["hipfft/hipfft.h", "hipfft/hipfftXt.h"],
        cpp: true,
        status: "hipfftResult_t",
        versions: &[
            version(
                "6.1",
                0,
                ("libhipfft-dev", "6.1.2-3", "trixie"),
                "f2b47ff80a29ebadbfebfa8894429470db89b0d4bd179d9dfbc6b8fc92d1259b",
                &["usr/include/hipfft"],
                "3baf3554f632f769d46495a4918105553da674180b4646479737fb3942501120",
            ),
            version(
                "6.4",
                0,
                ("libhipfft-dev", "6.4.3-2", "sid"),
                "c80918d5fb721606dea0a752f57bba8c4fe2c336b56c2ee7c92d001d958eb37c",
                &["usr/include/hipfft"],
                "22d8a71c91130b2e7da04bbf37de6bfae95b3bd9f35740f79691f5d5bf7be285",
            ),
            version(
                "7.2",
                0,
                ("libhipfft-dev", "7.2.4-1~exp1", "experimental"),
                "6b9eb053c1cf6d66a4e582b7911c7d9085e0caa9219ad98bb2931c798f465059",
                &["usr/include/hipfft"],
                "7c0085b59b01a172956a68bb042aafed1160ca62c78668ec61ac1ce843b8b0cf",
            ),
        ],
        ..LIBRARY
    },
    Library {
        name: "hipblas",
        taken: true,
        title: "hipBLAS",
        purpose: "dense linear algebra by rocBLAS and rocSOLVER, as cuBLAS has it",
        table: "Hipblas",
        file: "hipblas",
        install: ("libhipblas0, libhipblas2 or libhipblas3", "hipblas"),
        headers: &["hipblas/hipblas.h"],
        status: "hipblasStatus_t",
        same: &[("hipblasComplex", "hipComplex"), ("hipblasDoubleComplex", "hipDoubleComplex")],
        versions: &[
            version(
                "5.5",
                0,
                ("libhipblas-dev", "5.5.1-4", "trixie"),
                "c1316103de353fbff558ec862ec3240eca02e8b9ef78dd9c29c912f8c9801c64",
                &["usr/include/hipblas"],
                "762e94d40bf594fb88fbc5eb0a20bc9e49a5cbe6152340d01a80dfe53e0663f3",
            ),
            Version {
                includes: &[HIPBLAS_COMMON_7_1],
                ..version(
                    "6.4",
                    2,
                    ("libhipblas-dev", "6.4.4-1", "sid"),
                    "1d5cb2208dc7f4f42d88cb056af7d5158261c65ce79228a960a723023e31658c",
                    &["usr/include/hipblas"],
                    "36067251ad37c3968a196fdec44e4dc71264f8a5b35bb0fba5e74129ec737752",
                )
            },
            Version {
                includes: &[HIPBLAS_COMMON_7_2],
                ..version(
                    "7.2",
                    3,
                    ("libhipblas-dev", "7.2.4-1~exp1", "experimental"),
                    "3c2f5318a725bcd851856ce1e9a4dacc586a0b342aa0e11d6ff8901882f7706e",
                    &["usr/include/hipblas"],
                    "ba354ab5cf0fbded5543b84babd0b66ad4a76463a0138402d4cacc687cb97621",
                )
            },
        ],
        ..LIBRARY
    },
    Library {
        name: "hipblaslt",
        title: "hipBLASLt",
        purpose: "products of matrices with fused epilogues",
        table: "Hipblaslt",
        file: "hipblaslt",
        install: ("libhipblaslt1", "hipblaslt"),
        headers: &["hipblaslt/hipblaslt.h"],
        cpp: true,
        uses: &["hipblas"],
        versions: &[
            Version {
                includes: &[HIPBLAS_COMMON_7_1],
                ..version(
                    "7.1",
                    1,
                    ("libhipblaslt-dev", "7.1.1+dfsg-4", "sid"),
                    "8b6be908ffaf14e5825b85a8ff6156bf85c75128c5992f52e542dea346904bb7",
                    &["usr/include/hipblaslt"],
                    "c96248f65de637319a4162be7ef31d26e612275b70c53ffb8cc9d522d98bd96d",
                )
            },
            Version {
                includes: &[HIPBLAS_COMMON_7_2],
                ..version(
                    "7.2",
                    1,
                    ("libhipblaslt-dev", "7.2.4+dfsg-1~exp1", "experimental"),
                    "cbf7ce9b6b9c1357a37b8d6b5bfc23247007f1890595788d3f0b9876fe5ef2cb",
                    &["usr/include/hipblaslt"],
                    "14ee34a3f495346509ca12b92f0637d46f62f288841cba8209ce5298cc93593a",
                )
            },
        ],
        ..LIBRARY
    },
    Library {
        name: "miopen",
        title: "MIOpen",
        purpose: "primitives of neural networks",
        table: "Miopen",
        file: "MIOpen",
        install: ("libmiopen1", "miopen-hip"),
        headers: &["miopen/miopen.h"],
        cpp: true,
        prelude: "#define MIOPEN_BETA_API\n",
        status: "miopenStatus_t",
        versions: &[
            version(
                "6.4",
                1,
                ("libmiopen-dev", "6.4.3+dfsg-1+b1", "sid"),
                "084e272a0ee00ade0610eed70dc7840f7faa7633ed9e0f14720e0ae293ed2720",
                &["usr/include/miopen"],
                "0ea1a2642c7613988a995a0292b3b1f08bd4a46c6400596345cbe25b8b9811ac",
            ),
            version(
                "7.2",
                1,
                ("libmiopen-dev", "7.2.4+dfsg-1", "experimental"),
                "016990485d0e9f9390888c35fe757f046fb942cff741bb3fc315b15cb895012c",
                &["usr/include/miopen"],
                "5e9c1e727f5fc5e5b0a97d89db423e911ef55d167878d19035e1d97ee80bb83d",
            ),
        ],
        ..LIBRARY
    },
    Library {
        name: "amd-smi",
        title: "AMD SMI",
        purpose: "management and monitoring",
        table: "AmdSmi",
        file: "amd_smi",
        install: ("libamd-smi0 or libamd-smi27", "amd-smi-lib"),
        headers: &["amd_smi/amdsmi.h"],
        prelude: "#define ENABLE_ESMI_LIB\n",
        status: "amdsmi_status_t",
        versions: &[
            version(
                "6.1",
                0,
                ("libamd-smi-dev", "6.1.2+ds-2", "trixie"),
                "057a9391778cb1c5dc543a66369329389d53670dabf57cb107beeb0ecd7918ca",
                &["usr/include/amd_smi"],
                "72e725940de227d1c43d6d9538f95d741c2027f8594c138cd16690b10cca6729",
            ),
            version(
                "10.1",
                27,
                ("libamd-smi-dev", "10.1-1", "sid"),
                "05c6500e3fd038b9138ca00b8fc309f08e5c0917e6e3de9beb7a20a7f56dd09d",
                &["usr/include/amd_smi"],
                "ebce9c2ac02bc8d30095bf2b059691e51bbd85fdb2420ce1a6492c9d9ea93438",
            ),
        ],
        // Functions of both versions that take them are not called in 6.1.
        layouts: &[
            "6.1 amdsmi_asic_info_t",
            "6.1 amdsmi_board_info_t",
            "6.1 amdsmi_dpm_policy_entry_t",
            "6.1 amdsmi_dpm_policy_t",
            "6.1 amdsmi_driver_info_t",
            "6.1 amdsmi_evt_notification_data_t",
            "6.1 amdsmi_fw_info_t",
            "6.1 amdsmi_gpu_metrics_t",
            "6.1 amdsmi_name_value_t",
            "6.1 amdsmi_od_volt_freq_data_t",
            "6.1 amdsmi_power_info_t",
            "6.1 amdsmi_proc_info_t",
            "6.1 amdsmi_ras_feature_t",
            "6.1 amdsmi_utilization_counter_t",
            "6.1 amdsmi_vbios_info_t",
            "6.1 amdsmi_version_t",
            "6.1 amdsmi_vram_info_t",
        ],
        ..LIBRARY
    },
];

impl Library {
    /// The folder of the crate in `crates`.
    pub fn folder(&self) -> String {
        format!("{}-sys", self.name)
    }

    /// The name of the package.
    pub fn package(&self) -> String {
        format!("{}{}-sys", if self.taken { "rocm-" } else { "" }, self.name)
    }

    /// The name in Rust code.
    pub fn module(&self) -> String {
        format!("{}_sys", self.name.replace('-', "_"))
    }

    /// All packages that its headers come from, without HIP's.
    pub fn packages(&self) -> impl Iterator<Item = &'static Package> {
        self.versions.iter().flat_map(|version| [&version.package].into_iter().chain(version.includes))
    }
}

/// The library of this name.
pub fn library(name: &str) -> Result<&'static Library> {
    LIBRARIES.iter().find(|library| library.name == name).with_context(|| format!("there is no row for {name}"))
}

/// The suite whose version of another library a version of a library goes with.
fn suite(version: &Version) -> Result<&'static str> {
    match version.package.origin {
        Origin::Debian { suite } => Ok(suite),
        Origin::Wheel { .. } => anyhow::bail!("libraries come from Debian"),
    }
}

/// The headers of one version, with those of HIP and of other libraries in the same suite.
pub fn headers(context: &Context, library: &Library, version: &Version) -> Result<Headers> {
    let mut include = Vec::new();
    for package in [&version.package].into_iter().chain(version.includes) {
        include.push(context.fetch(package)?.join("usr/include"));
    }
    let suite = suite(version)?;
    let beside = match suite {
        "trixie" => "5.7",
        "forky" | "sid" => "6.4",
        _ => "7.2",
    };
    let (_, of_hip) = hip::VERSIONS.iter().find(|(hip, _)| *hip == beside).context("no headers of that HIP")?;
    let mut foreign = vec![".*/hip/.*".to_owned()];
    for name in library.uses {
        for used in self::library(name)?.versions {
            if self::suite(used)? == suite {
                for package in [&used.package].into_iter().chain(used.includes) {
                    include.push(context.fetch(package)?.join("usr/include"));
                    foreign.extend(
                        package
                            .headers
                            .iter()
                            .flat_map(|(folders, _)| *folders)
                            .map(|folder| format!(".*/{folder}/.*")),
                    );
                }
            }
        }
    }
    include.push(context.fetch(of_hip)?.join("usr/include"));
    // Of HIP they need types only. These two headers are for HIP's own compiler, so they count as included.
    let left_out = ["HIP_INCLUDE_HIP_HIP_RUNTIME_H", "HIP_INCLUDE_HIP_HIP_FP16_H"];
    let defines = ["__HIP_PLATFORM_AMD__"].into_iter().chain(left_out).map(str::to_owned).collect();
    let included = ["hip/hip_runtime_api.h", "hip/library_types.h"].iter().chain(library.headers);
    let included: String = included.map(|header| format!("#include <{header}>\n")).collect();
    let files = library.packages().flat_map(|package| package.headers.iter().flat_map(|(folders, _)| *folders));
    let files = files.map(|folder| format!(".*/{folder}/.*"));
    let files: BTreeSet<String> = files.filter(|file| !foreign.contains(file)).collect();
    let source = library.prelude.to_owned() + &included;
    Ok(Headers {
        source,
        include,
        defines,
        cpp: library.cpp,
        files: files.into_iter().collect(),
        items: vec![],
        foreign,
    })
}

recording("error-kernel", "experimental", {
versions: {"HIP":"","ROCr":"7.2.4"},
command: "docs/recorded/hip.hip missing-kernel",
output: "",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":49944,"a":[["module","0x7ffe5a4cb260"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:58"},
{"l":"hip","n":"hipGetErrorName","t":55603,"th":0,"d":1101,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7fab458c30fc"},
{"l":"hip","n":"hipFuncGetAttributes","t":60740,"th":0,"d":12108,"a":[["attr","0x7ffe5a4cb268"],["func","0x7ffe5a4cb24c"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:187"},
{"l":"hip","n":"hipGetErrorName","t":73159,"th":0,"d":120,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7fab458c2e69"},
{"l":"hip","n":"hipLaunchKernel","t":76434,"th":0,"a":[["function_address","0x7ffe5a4cb24c"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"s":"hip_module.cpp:825"},
]});

recording("error-kernel", "experimental", {
versions: {"HIP":"7.2.4","ROCr":"7.2.4"},
command: "docs/recorded/hip.hip missing-kernel",
output: "",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":52928,"a":[["module","0x7ffef64dd2f0"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:58"},
{"l":"hip","n":"hipGetErrorName","t":59839,"th":0,"d":661,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7f7a51ac30fc"},
{"l":"hip","n":"hipFuncGetAttributes","t":67570,"th":0,"d":10686,"a":[["attr","0x7ffef64dd2f8"],["func","0x7ffef64dd2dc"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:187"},
{"l":"hip","n":"hipGetErrorName","t":78316,"th":0,"d":30,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7f7a51ac2e69"},
{"l":"hip","n":"hipLaunchKernel","t":78697,"th":0,"a":[["function_address","0x7ffef64dd2dc"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"s":"hip_module.cpp:825"},
]});

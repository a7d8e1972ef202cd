recording("error-kernel", "experimental", {
versions: {"HIP":"7.2.4","ROCr":"7.2.4"},
command: "docs/recorded/hip.hip missing-kernel",
output: "",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":60680,"a":[["module","0x7ffe186a34c0"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:58"},
{"l":"hip","n":"hipGetErrorName","t":63885,"th":0,"d":1031,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7f2ee78c30fc"},
{"l":"hip","n":"hipFuncGetAttributes","t":67210,"th":0,"d":12378,"a":[["attr","0x7ffe186a34c8"],["func","0x7ffe186a34ac"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:187"},
{"l":"hip","n":"hipGetErrorName","t":79648,"th":0,"d":90,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7f2ee78c2e69"},
{"l":"hip","n":"hipLaunchKernel","t":80449,"th":0,"a":[["function_address","0x7ffe186a34ac"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"s":"hip_module.cpp:825"},
]});

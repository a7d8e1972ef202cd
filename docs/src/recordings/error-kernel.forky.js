recording("error-kernel", "forky", {
versions: {"HIP":"6.4.3","ROCr":"6.4.3"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":33710,"a":[["module","0x7ffdcf07c060"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:54"},
{"l":"hip","n":"hipGetErrorName","t":36785,"th":0,"d":511,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7f5e31090ae6"},
{"l":"hip","n":"hipFuncGetAttributes","t":39419,"th":0,"d":19308,"a":[["attr","0x7ffdcf07c068"],["func","0x7ffdcf07c04c"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:174"},
{"l":"hip","n":"hipGetErrorName","t":58788,"th":0,"d":30,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7f5e31090853"},
{"l":"hip","n":"hipLaunchKernel","t":59118,"th":0,"d":11737,"a":[["function_address","0x7ffdcf07c04c"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:744"},
{"l":"hip","n":"hipGetErrorName","t":70916,"th":0,"d":20,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7f5e310908d9"},
]});

recording("error-kernel", "trixie", {
versions: {"HIP":"5.7.1","ROCr":"6.1.2"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","GPU queue 0","GPU","GPU queue 2","GPU queue 1","GPU queue 3"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":31257,"a":[["module","0x7ffd3690b650"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:51"},
{"l":"hip","n":"hipGetErrorName","t":35874,"th":0,"d":731,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7f8307a378b3"},
{"l":"hip","n":"hipFuncGetAttributes","t":40681,"th":0,"d":6720,"a":[["attr","0x7ffd3690b658"],["func","0x7ffd3690b63c"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:176"},
{"l":"hip","n":"hipGetErrorName","t":47681,"th":0,"d":191,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7f8307a37620"},
{"l":"hip","n":"hipLaunchKernel","t":52188,"th":0,"d":12979,"a":[["function_address","0x7ffd3690b63c"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:678"},
{"l":"hip","n":"hipGetErrorName","t":65548,"th":0,"d":110,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7f8307a376a6"},
]});

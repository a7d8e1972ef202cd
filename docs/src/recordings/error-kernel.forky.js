recording("error-kernel", "forky", {
versions: {"HIP":"","ROCr":"6.4.3"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":55443,"a":[["module","0x7fff1cf192f0"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:54"},
{"l":"hip","n":"hipGetErrorName","t":61442,"th":0,"d":1372,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7fd451c90ae6"},
{"l":"hip","n":"hipFuncGetAttributes","t":67330,"th":0,"d":14652,"a":[["attr","0x7fff1cf192f8"],["func","0x7fff1cf192dc"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:174"},
{"l":"hip","n":"hipGetErrorName","t":82413,"th":0,"d":160,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7fd451c90853"},
{"l":"hip","n":"hipLaunchKernel","t":87220,"th":0,"d":20340,"a":[["function_address","0x7fff1cf192dc"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:744"},
{"l":"hip","n":"hipGetErrorName","t":108351,"th":0,"d":191,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7fd451c908d9"},
]});

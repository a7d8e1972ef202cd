recording("error-kernel", "forky", {
versions: {"HIP":"6.4.3","ROCr":"6.4.3"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":50094,"a":[["module","0x7ffea0f0dad0"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:54"},
{"l":"hip","n":"hipGetErrorName","t":53389,"th":0,"d":531,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7fef64e90ae6"},
{"l":"hip","n":"hipFuncGetAttributes","t":56264,"th":0,"d":10716,"a":[["attr","0x7ffea0f0dad8"],["func","0x7ffea0f0dabc"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:174"},
{"l":"hip","n":"hipGetErrorName","t":67030,"th":0,"d":80,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7fef64e90853"},
{"l":"hip","n":"hipLaunchKernel","t":67410,"th":0,"d":14492,"a":[["function_address","0x7ffea0f0dabc"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:744"},
{"l":"hip","n":"hipGetErrorName","t":82002,"th":0,"d":40,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7fef64e908d9"},
]});

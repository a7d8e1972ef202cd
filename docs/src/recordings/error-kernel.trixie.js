recording("error-kernel", "trixie", {
versions: {"HIP":"5.7.1","ROCr":"6.1.2"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","GPU queue 0","GPU","GPU queue 2","GPU queue 1","GPU queue 3"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":40480,"a":[["module","0x7ffcd830b740"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:51"},
{"l":"hip","n":"hipGetErrorName","t":46168,"th":0,"d":371,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7fec070378b3"},
{"l":"hip","n":"hipFuncGetAttributes","t":51737,"th":0,"d":5608,"a":[["attr","0x7ffcd830b748"],["func","0x7ffcd830b72c"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:176"},
{"l":"hip","n":"hipGetErrorName","t":57405,"th":0,"d":30,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7fec07037620"},
{"l":"hip","n":"hipLaunchKernel","t":57896,"th":0,"d":7411,"a":[["function_address","0x7ffcd830b72c"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:678"},
{"l":"hip","n":"hipGetErrorName","t":65347,"th":0,"d":30,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7fec070376a6"},
]});

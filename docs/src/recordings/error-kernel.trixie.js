recording("error-kernel", "trixie", {
versions: {"HIP":"5.7.1","ROCr":"6.1.2"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","GPU queue 0","GPU","GPU queue 2","GPU queue 1","GPU queue 3"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":31947,"a":[["module","0x7fff09e46b20"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:51"},
{"l":"hip","n":"hipGetErrorName","t":36103,"th":0,"d":882,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7fb1ac6378b3"},
{"l":"hip","n":"hipFuncGetAttributes","t":41421,"th":0,"d":8282,"a":[["attr","0x7fff09e46b28"],["func","0x7fff09e46b0c"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:176"},
{"l":"hip","n":"hipGetErrorName","t":50214,"th":0,"d":241,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7fb1ac637620"},
{"l":"hip","n":"hipLaunchKernel","t":53860,"th":0,"d":15863,"a":[["function_address","0x7fff09e46b0c"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:678"},
{"l":"hip","n":"hipGetErrorName","t":70284,"th":0,"d":140,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7fb1ac6376a6"},
]});

recording("error-kernel", "trixie", {
versions: {"HIP":"5.7.1","ROCr":"6.1.2"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","GPU queue 0","GPU","GPU queue 2","GPU queue 1","GPU queue 3"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":25207,"a":[["module","0x7ffc49e0aa10"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:51"},
{"l":"hip","n":"hipGetErrorName","t":27681,"th":0,"d":200,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7f46f18378b3"},
{"l":"hip","n":"hipFuncGetAttributes","t":30074,"th":0,"d":5639,"a":[["attr","0x7ffc49e0aa18"],["func","0x7ffc49e0a9fc"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:176"},
{"l":"hip","n":"hipGetErrorName","t":35763,"th":0,"d":20,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7f46f1837620"},
{"l":"hip","n":"hipLaunchKernel","t":36324,"th":0,"d":10475,"a":[["function_address","0x7ffc49e0a9fc"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:678"},
{"l":"hip","n":"hipGetErrorName","t":46839,"th":0,"d":30,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7f46f18376a6"},
]});

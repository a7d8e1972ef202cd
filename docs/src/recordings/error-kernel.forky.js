recording("error-kernel", "forky", {
versions: {"HIP":"6.4.3","ROCr":"6.4.3"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":54171,"a":[["module","0x7ffe987e4c90"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:54"},
{"l":"hip","n":"hipGetErrorName","t":59419,"th":0,"d":1231,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7f9325e90ae6"},
{"l":"hip","n":"hipFuncGetAttributes","t":64226,"th":0,"d":11727,"a":[["attr","0x7ffe987e4c98"],["func","0x7ffe987e4c7c"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:174"},
{"l":"hip","n":"hipGetErrorName","t":76404,"th":0,"d":110,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7f9325e90853"},
{"l":"hip","n":"hipLaunchKernel","t":79098,"th":0,"d":16094,"a":[["function_address","0x7ffe987e4c7c"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:744"},
{"l":"hip","n":"hipGetErrorName","t":95452,"th":0,"d":100,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7f9325e908d9"},
]});

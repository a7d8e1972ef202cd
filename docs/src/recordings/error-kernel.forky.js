recording("error-kernel", "forky", {
versions: {"HIP":"6.4.3","ROCr":"6.4.3"},
command: "docs/recorded/hip.hip missing-kernel",
output: "hipModuleLoad: hipErrorFileNotFound\nhipFuncGetAttributes: hipErrorInvalidSymbol\nhipLaunchKernel: hipErrorInvalidDeviceFunction",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":55383,"a":[["module","0x7ffdb70903b0"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:54"},
{"l":"hip","n":"hipGetErrorName","t":61121,"th":0,"d":691,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7ff901090ae6"},
{"l":"hip","n":"hipFuncGetAttributes","t":67270,"th":0,"d":9985,"a":[["attr","0x7ffdb70903b8"],["func","0x7ffdb709039c"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:174"},
{"l":"hip","n":"hipGetErrorName","t":77315,"th":0,"d":30,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7ff901090853"},
{"l":"hip","n":"hipLaunchKernel","t":77716,"th":0,"d":11687,"a":[["function_address","0x7ffdb709039c"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"r":"hipErrorInvalidDeviceFunction","s":"hip_module.cpp:744"},
{"l":"hip","n":"hipGetErrorName","t":89463,"th":0,"d":31,"a":[["hip_error","hipErrorInvalidDeviceFunction"]],"r":"0x7ff9010908d9"},
]});

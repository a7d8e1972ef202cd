recording("error-kernel", "experimental", {
versions: {"HIP":"7.2.4","ROCr":"7.2.4"},
command: "docs/recorded/hip.hip missing-kernel",
output: "",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":29574,"a":[["module","0x7ffe4bcac2d0"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:58"},
{"l":"hip","n":"hipGetErrorName","t":32097,"th":0,"d":601,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7f91e7ec30fc"},
{"l":"hip","n":"hipFuncGetAttributes","t":34811,"th":0,"d":10256,"a":[["attr","0x7ffe4bcac2d8"],["func","0x7ffe4bcac2bc"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:187"},
{"l":"hip","n":"hipGetErrorName","t":45127,"th":0,"d":30,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7f91e7ec2e69"},
{"l":"hip","n":"hipLaunchKernel","t":45377,"th":0,"a":[["function_address","0x7ffe4bcac2bc"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"s":"hip_module.cpp:825"},
]});

recording("error-kernel", "experimental", {
versions: {"HIP":"7.2.4","ROCr":"7.2.4"},
command: "docs/recorded/hip.hip missing-kernel",
output: "",
threads: ["main","2","3","GPU queue 0","GPU","GPU queue 1"],
layers: ["hip"],
flows: [],
events: [
{"l":"hip","n":"hipModuleLoad","t":0,"th":0,"d":54010,"a":[["module","0x7ffcb5229a10"],["fname","no-such-file.co"]],"r":"hipErrorFileNotFound","s":"hip_module.cpp:58"},
{"l":"hip","n":"hipGetErrorName","t":58587,"th":0,"d":1182,"a":[["hip_error","hipErrorFileNotFound"]],"r":"0x7fe2838c30fc"},
{"l":"hip","n":"hipFuncGetAttributes","t":63635,"th":0,"d":17596,"a":[["attr","0x7ffcb5229a18"],["func","0x7ffcb52299fc"]],"r":"hipErrorInvalidSymbol","s":"hip_module.cpp:187"},
{"l":"hip","n":"hipGetErrorName","t":81782,"th":0,"d":170,"a":[["hip_error","hipErrorInvalidSymbol"]],"r":"0x7fe2838c2e69"},
{"l":"hip","n":"hipLaunchKernel","t":84626,"th":0,"a":[["function_address","0x7ffcb52299fc"],["numBlocks","{\"x\":1,\"y\":1,\"z\":1}"],["dimBlocks","{\"x\":64,\"y\":1,\"z\":1}"],["args","0x0"],["sharedMemBytes","0"],["stream","0x0"]],"s":"hip_module.cpp:825"},
]});

/* Stands in for AMD's libroctracer64, which CuPy's wheel is linked with and Debian does not have. CuPy calls it only to start and stop a profiler. */
void roctracer_start(void) {}
void roctracer_stop(void) {}

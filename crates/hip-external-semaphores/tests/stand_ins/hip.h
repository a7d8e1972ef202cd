/* What of HIP's headers the program and the stand-in for HIP need. */
#include <stddef.h>
#include <stdint.h>

typedef int hipError_t;
enum { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorNoDevice = 100, hipErrorContextIsDestroyed = 709, hipErrorNotSupported = 801,
       hipErrorStreamCaptureUnsupported = 900, hipErrorUnknown = 999 };
typedef struct stream *hipStream_t;
typedef void *hipExternalSemaphore_t;
enum { OPAQUE_FD = 1, WIN32 = 2, TIMELINE = 9 };
typedef struct { int type; union { int fd; void *words[2]; } handle; unsigned flags, reserved[16]; } description;
/* As of HIP 6. */
typedef struct { uint64_t value, words[8]; unsigned flags, reserved[16]; } params;

hipError_t hipImportExternalSemaphore(hipExternalSemaphore_t *, const description *);
hipError_t hipDestroyExternalSemaphore(hipExternalSemaphore_t);
hipError_t hipSignalExternalSemaphoresAsync(const hipExternalSemaphore_t *, const params *, unsigned, hipStream_t);
hipError_t hipWaitExternalSemaphoresAsync(const hipExternalSemaphore_t *, const params *, unsigned, hipStream_t);
hipError_t hipGraphAddExternalSemaphoresSignalNode(void **, void *, void *const *, size_t, const void *);
hipError_t hipGraphAddExternalSemaphoresWaitNode(void **, void *, void *const *, size_t, const void *);
hipError_t hipGraphAddNode(void **, void *, void *const *, size_t, void *);
hipError_t hipGetProcAddress(const char *, void **, int, uint64_t, void *);
hipError_t hipGetLastError(void);
hipError_t hipLaunchHostFunc(hipStream_t, void (*)(void *), void *);
hipError_t hipStreamSynchronize(hipStream_t);

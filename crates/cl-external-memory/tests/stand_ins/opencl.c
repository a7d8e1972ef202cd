/* Stands in for AMD's OpenCL, and for the table of a loader: two devices, on the GPUs of the stand-in for HSA. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t cl_int;
typedef struct { uint64_t handle; } pool;
int hsa_amd_memory_pool_allocate(pool, size_t, uint32_t, void **);
int hsa_amd_memory_pool_free(void *);

enum {
    INVALID_VALUE = -30, INVALID_MEM_OBJECT = -38, OUT_OF_RESOURCES = -5,
    PLATFORM_NAME = 0x0902, PLATFORM_EXTENSIONS = 0x0904, DEVICE_EXTENSIONS = 0x1030, DEVICE_PLATFORM = 0x1031, DEVICE_PITCH_ALIGNMENT = 0x104a,
    CONTEXT_DEVICES = 0x1081, QUEUE_CONTEXT = 0x1090, QUEUE_DEVICE = 0x1091, EVENT_COMMAND_TYPE = 0x11d1, EVENT_STATUS = 0x11d3, COMMAND_MARKER = 0x11fe,
    MEM_SIZE = 0x1102, IMAGE_BUFFER = 0x1118,
};

struct calls { uint64_t flushed, markers; } cl_calls;

/* What the test sets. */
const char *cl_name = "AMD Accelerated Parallel Processing", *cl_extensions = "cl_khr_fp64 ";
size_t cl_length_of_extensions;
int cl_fails_after_allocation, cl_of_the_host, cl_allocates_nothing;
void (*cl_before_allocation)(void);

extern void *const table[148];
struct platform { void *const *table; } platforms[1] = {{table}};
struct device { void *const *table; struct platform *platform; uint64_t agent; } devices[2] = {{table, platforms, 2}, {table, platforms, 3}};
struct context { void *const *table; struct device *devices[2]; size_t count; } contexts[3] = {{table, {&devices[0]}, 1}, {table, {&devices[1]}, 1}, {table, {&devices[0], &devices[1]}, 2}};
struct queue { void *const *table; struct context *context; struct device *device; } queues[2] = {{table, &contexts[0], &devices[0]}, {table, &contexts[1], &devices[1]}};
struct memory { void *const *table; void *address; size_t bytes; int references; struct memory *below; void (*gone)(struct memory *, void *); void *data; };
struct event { void *const *table; cl_int status; int references; };

static cl_int give(const void *from, size_t bytes, size_t size, void *value, size_t *needed) {
    if (value && size < bytes) return INVALID_VALUE;
    if (value) memcpy(value, from, bytes);
    if (needed) *needed = bytes;
    return 0;
}

static cl_int extensions(size_t size, void *value, size_t *needed) {
    if (!value && cl_length_of_extensions) return *needed = cl_length_of_extensions, 0;
    return give(cl_extensions, strlen(cl_extensions) + 1, size, value, needed);
}

static cl_int get_platforms(uint32_t count, struct platform **to, uint32_t *found) {
    if (to && count) *to = platforms;
    if (found) *found = 1;
    return 0;
}

static cl_int platform_info(struct platform *platform, uint32_t what, size_t size, void *value, size_t *needed) {
    (void)platform;
    if (what == PLATFORM_NAME) return give(cl_name, strlen(cl_name) + 1, size, value, needed);
    return what == PLATFORM_EXTENSIONS ? extensions(size, value, needed) : INVALID_VALUE;
}

static cl_int device_info(struct device *device, uint32_t what, size_t size, void *value, size_t *needed) {
    static const uint32_t alignment = 256;
    if (what == DEVICE_PLATFORM) return give(&device->platform, 8, size, value, needed);
    if (what == DEVICE_PITCH_ALIGNMENT) return give(&alignment, 4, size, value, needed);
    return what == DEVICE_EXTENSIONS ? extensions(size, value, needed) : INVALID_VALUE;
}

static cl_int context_info(struct context *context, uint32_t what, size_t size, void *value, size_t *needed) {
    return what == CONTEXT_DEVICES ? give(context->devices, 8 * context->count, size, value, needed) : INVALID_VALUE;
}

static cl_int queue_info(struct queue *queue, uint32_t what, size_t size, void *value, size_t *needed) {
    if (what == QUEUE_CONTEXT) return give(&queue->context, 8, size, value, needed);
    return what == QUEUE_DEVICE ? give(&queue->device, 8, size, value, needed) : INVALID_VALUE;
}

static struct memory *create_buffer(struct context *context, uint64_t flags, size_t size, void *host, cl_int *error) {
    (void)flags, (void)host;
    struct memory *memory = calloc(1, sizeof *memory);
    *memory = (struct memory){.table = table, .bytes = size, .references = 1};
    if (cl_allocates_nothing) return *error = 0, memory;
    if (cl_before_allocation) cl_before_allocation();
    uint64_t agent = cl_of_the_host ? 1 : context->devices[0]->agent;
    int code = hsa_amd_memory_pool_allocate((pool){10 * agent + 1}, size, 0, &memory->address);
    if (code || cl_fails_after_allocation) return free(memory), *error = OUT_OF_RESOURCES, NULL;
    return *error = 0, memory;
}

static cl_int release(struct memory *memory) {
    if (--memory->references) return 0;
    if (memory->gone) memory->gone(memory, memory->data);
    struct memory *below = memory->below;
    if (!below) hsa_amd_memory_pool_free(memory->address);
    free(memory);
    return below ? release(below) : 0;
}

/* The beginning of cl_image_desc, and where its buffer is. */
struct image { uint32_t type; size_t width, height, depth, array, row_pitch, slice_pitch; uint32_t levels, samples; struct memory *buffer; };

static struct memory *create_image(struct context *context, uint64_t flags, const void *format, const struct image *description, void *host, cl_int *error) {
    (void)flags, (void)format, (void)host, (void)context;
    struct memory *memory = calloc(1, sizeof *memory);
    *memory = (struct memory){table, description->buffer->address, description->row_pitch, 1, description->buffer, NULL, NULL};
    description->buffer->references++;
    return *error = 0, memory;
}

static cl_int memory_info(struct memory *memory, uint32_t what, size_t size, void *value, size_t *needed) {
    return what == MEM_SIZE ? give(&memory->bytes, 8, size, value, needed) : INVALID_VALUE;
}

static cl_int image_info(struct memory *memory, uint32_t what, size_t size, void *value, size_t *needed) {
    return what == IMAGE_BUFFER ? give(&memory->below, 8, size, value, needed) : INVALID_VALUE;
}

static cl_int set_gone(struct memory *memory, void (*gone)(struct memory *, void *), void *data) {
    memory->gone = gone, memory->data = data;
    return 0;
}

static cl_int event_info(struct event *event, uint32_t what, size_t size, void *value, size_t *needed) {
    static const uint32_t marker = COMMAND_MARKER;
    if (what == EVENT_STATUS) return give(&event->status, 4, size, value, needed);
    return what == EVENT_COMMAND_TYPE ? give(&marker, 4, size, value, needed) : INVALID_VALUE;
}

static cl_int retain_event(struct event *event) { return event->references++, 0; }
static cl_int release_event(struct event *event) { return event->references--, 0; }

static cl_int marker(struct queue *queue, uint32_t count, struct event *const *events, struct event **event) {
    (void)queue, (void)count, (void)events;
    cl_calls.markers++;
    if (event) *event = calloc(1, sizeof **event), **event = (struct event){table, 0, 1};
    return 0;
}

static cl_int flush(struct queue *queue) { return (void)queue, cl_calls.flushed++, 0; }
static void *extension(const char *name) { return (void)name, NULL; }
static void *extension_for(struct platform *platform, const char *name) { return (void)platform, (void)name, NULL; }

void *const table[148] = {
    [0] = get_platforms, [1] = platform_info, [3] = device_info, [8] = context_info, [12] = queue_info, [14] = create_buffer, [18] = release, [20] = memory_info,
    [21] = image_info, [42] = event_info, [43] = retain_event, [44] = release_event, [46] = flush, [65] = extension, [83] = set_gone, [96] = create_image, [105] = marker,
    [107] = extension_for,
};

/* As a program's own memory is freed: the first call of HSA's function by this library, if nothing was released before. */
void cl_frees(void *address) { hsa_amd_memory_pool_free(address); }

/*
 * A Vulkan driver that hands every call on to the one named by REAL_DRIVER, and writes each SPIR-V module that it is given
 * to a file in CAPTURE_FOLDER, with the flags of the pipelines' stages in "flags". Loader interface: vk_icd.h.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*GetFunction)(void *, const char *);
typedef int32_t (*Negotiate)(uint32_t *);
typedef int32_t (*CreateModule)(void *, const void *, const void *, uint64_t *);
typedef int32_t (*CreatePipelines)(void *, uint64_t, uint32_t, const void *, const void *, uint64_t *);

/* The beginnings of VkShaderModuleCreateInfo and, whole, VkComputePipelineCreateInfo. */
struct Module { uint32_t type; const void *next; uint32_t flags; size_t size; const void *code; };
struct Stage { uint32_t type; const void *next; uint32_t flags, stage; uint64_t module; const char *name; const void *constants; };
struct Pipeline { uint32_t type; const void *next; uint32_t flags; struct Stage stage; uint64_t layout, base; int32_t index; };

static GetFunction device_function;
static CreateModule create_module;
static CreatePipelines create_pipelines;

static FILE *open_file(const char *name, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("CAPTURE_FOLDER"), name);
  return fopen(path, mode);
}

static int32_t capture_module(void *device, const struct Module *info, const void *allocator, uint64_t *module) {
  static int count;
  char name[32];
  snprintf(name, sizeof name, "%06d.spv", count++);
  FILE *file = open_file(name, "w");
  if (file) { fwrite(info->code, 1, info->size, file); fclose(file); }
  return create_module(device, info, allocator, module);
}

static int32_t capture_pipelines(void *device, uint64_t cache, uint32_t count, const struct Pipeline *infos,
                                 const void *allocator, uint64_t *pipelines) {
  FILE *file = open_file("flags", "a");
  for (uint32_t i = 0; file && i < count; i++) fprintf(file, "%u\n", infos[i].stage.flags);
  if (file) fclose(file);
  return create_pipelines(device, cache, count, infos, allocator, pipelines);
}

static Function captured(const char *name, Function real) {
  if (real && !strcmp(name, "vkCreateShaderModule")) {
    create_module = (CreateModule)real;
    return (Function)capture_module;
  }
  if (real && !strcmp(name, "vkCreateComputePipelines")) {
    create_pipelines = (CreatePipelines)real;
    return (Function)capture_pipelines;
  }
  return real;
}

static Function get_device_function(void *device, const char *name) {
  return captured(name, device_function(device, name));
}

static Function real(const char *name) {
  static void *driver;
  if (!driver) driver = dlopen(getenv("REAL_DRIVER"), RTLD_NOW);
  return driver ? (Function)dlsym(driver, name) : NULL;
}

Function vk_icdGetInstanceProcAddr(void *instance, const char *name) {
  GetFunction get = (GetFunction)real("vk_icdGetInstanceProcAddr");
  Function found = get ? get(instance, name) : NULL;
  if (!found || strcmp(name, "vkGetDeviceProcAddr")) return captured(name, found);
  device_function = (GetFunction)found;
  return (Function)get_device_function;
}

Function vk_icdGetPhysicalDeviceProcAddr(void *instance, const char *name) {
  GetFunction get = (GetFunction)real("vk_icdGetPhysicalDeviceProcAddr");
  return get ? get(instance, name) : NULL;
}

int32_t vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) {
  Negotiate negotiate = (Negotiate)real("vk_icdNegotiateLoaderICDInterfaceVersion");
  return negotiate ? negotiate(version) : -9; /* VK_ERROR_INCOMPATIBLE_DRIVER */
}

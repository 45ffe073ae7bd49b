/* Prints the GPUs that the driver can use; the status is 1 if there is no GPU.
 *
 *   probe ipc       the status is 0 if one process can open memory of another (CUDA IPC) */
#include "standin.h"
#include <sys/wait.h>
#include <unistd.h>

int cuDeviceGetName(char *name, int size, int device);
int cuDriverGetVersion(int *version);
struct handle { uint64_t words[8]; };
int cuIpcGetMemHandle(struct handle *handle, uint64_t memory);
int cuIpcOpenMemHandle_v2(uint64_t *memory, struct handle handle, unsigned flags);

/* Reads the handle of an allocation from `file` and opens it, in a process of its own. */
static int open_handle(int file) {
  struct handle handle;
  uint64_t memory;
  if (read(file, &handle, sizeof handle) != (ssize_t)sizeof handle) return 1;
  enter(DEVICE_ARRAY);
  int code = cuIpcOpenMemHandle_v2(&memory, handle, 1);
  if (code) fprintf(stderr, "cuIpcOpenMemHandle: code %d\n", code);
  return code != 0;
}
static int ipc(void) {
  int ends[2], status = 0;
  struct handle handle;
  uint64_t memory;
  /* Fork before the driver starts, since a child cannot use the parent's driver. */
  if (pipe(ends)) return 1;
  pid_t child = fork();
  if (child < 0) return 1;
  if (!child) {
    close(ends[1]);
    _exit(open_handle(ends[0]));
  }
  close(ends[0]);
  enter(DEVICE_ARRAY);
  DRIVER(cuMemAlloc_v2(&memory, 1 << 20));
  int code = cuIpcGetMemHandle(&handle, memory);
  if (code) fprintf(stderr, "cuIpcGetMemHandle: code %d\n", code);
  else if (write(ends[1], &handle, sizeof handle) != (ssize_t)sizeof handle) code = 1;
  close(ends[1]);
  waitpid(child, &status, 0);
  return code || !WIFEXITED(status) || WEXITSTATUS(status);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "ipc")) return ipc();
  int devices = 0, version = 0, code = cuInit(0);
  if (code || cuDeviceGetCount(&devices) || !devices) {
    printf("cuInit: code %d, %d GPUs\n", code, devices);
    return 1;
  }
  char name[100];
  DRIVER(cuDriverGetVersion(&version));
  for (int k = 0; k < devices; k++) {
    DRIVER(cuDeviceGetName(name, sizeof name, k));
    printf("GPU %d: %s, driver for CUDA %d.%d\n", k, name, version / 1000, version % 1000 / 10);
  }
  return 0;
}

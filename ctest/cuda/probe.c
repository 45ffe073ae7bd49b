/* Prints the GPUs that the driver can use; the status is 1 if there is none. */
#include "standin.h"

int cuDeviceGetName(char *name, int size, int device);
int cuDriverGetVersion(int *version);

int main(void) {
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

/* Library to preload after libreblock_arrays.so, so that its fork handlers run while the handlers of
 * libreblock_arrays.so hold their lock. These fork handlers allocate and free large blocks, as those of some thread
 * pools do. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 3 << 20 };
static char *kept;

static void churn(void) {
  char *block = malloc(BYTES);
  if (!block) abort();
  memset(block, 5, BYTES);
  if (kept && (kept[0] != 5 || kept[BYTES - 1] != 5)) abort();
  free(kept);
  kept = block;
}

__attribute__((constructor)) static void begin(void) {
  if (pthread_atfork(churn, churn, churn)) abort();
}

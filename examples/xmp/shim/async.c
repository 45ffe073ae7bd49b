/* Completion of asynchronous directives. Requests are kept under the program's number of the directive, until the
 * program waits for that number. Then Omni's own function waits for Omni's own requests of that number. */
#include <stdio.h>

#include "shim.h"

struct request {
  struct request *next;
  int async;
  reblock_request *request;
};
static struct request *requests;

void keep_request(int async, reblock_request *request) {
  struct request **link = &requests, *kept = malloc(sizeof *kept);
  if (kept == NULL) _XMP_fatal("no memory for a request");
  while (*link != NULL) link = &(*link)->next;
  *kept = (struct request){.async = async, .request = request};
  *link = kept;
}

/* Waits for all requests of that number, or tests them; returns whether all are complete. The program continues as if
 * everything had moved, so a failure ends it. */
static bool all_over(int async, bool wait) {
  for (struct request **link = &requests, *request; (request = *link) != NULL;) {
    int32_t done = 1;
    if (request->async != async) {
      link = &request->next;
      continue;
    }
    if ((wait ? reblock_request_wait(&request->request) : reblock_request_test(&request->request, &done)) != REBLOCK_OK) {
      fprintf(stderr, "xmp: not moved: %s\n", reblock_message());
      _XMP_fatal("reblock: an asynchronous directive failed");
    }
    if (!done) return false;
    *link = request->next;
    free(request);
  }
  return true;
}

void _XMP_wait_async__(int async) {
  all_over(async, true);
  ((void (*)(int))omni_own(__func__))(async);
}

int xmp_test_async_(int *async) { return all_over(*async, false) && ((int (*)(int *))omni_own(__func__))(async); }

/* All nodes call this after a wait, even if it was a wait on some of them. */
void xmpc_end_async(int async) {
  all_over(async, true);
  ((void (*)(int))omni_own(__func__))(async);
}

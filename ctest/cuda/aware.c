/* Library to preload that makes an MPI accept addresses in the memory of GPUs, for programs that are linked with the
 * stand-in for NVIDIA's driver. It reports that MPI accepts such addresses, and passes MPI the addresses at which the
 * host can access the stand-in's memory. Like some MPIs, it requires that the context of the memory is current in such
 * a call. aware_messages counts the messages.
 *
 *   AWARE=query    MPIX_Query_cuda_support reports this
 *   AWARE=kinds    MPI's list of the kinds of memory reports this
 *   otherwise      nothing reports this, and a message in device memory ends the program */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *standin_as_host(const void *address, size_t bytes) __attribute__((weak));
static long messages;
long aware_messages(void) { return messages; }

static int is(const char *way) {
  const char *aware = getenv("AWARE");
  return aware && !strcmp(aware, way);
}
int MPIX_Query_cuda_support(void) { return is("query"); }
int MPI_Info_get_string(MPI_Info info, const char *key, int *size, char *value, int *found) {
  (void)info;
  *found = is("kinds") && !strcmp(key, "mpi_memory_alloc_kinds");
  if (*found) *size = snprintf(value, (size_t)*size, "mpi,system,cuda:host:device") + 1;
  return MPI_SUCCESS;
}

static void *accessible(const void *buffer, int count, MPI_Datatype type) {
  int bytes;
  PMPI_Type_size(type, &bytes);
  void *there = standin_as_host ? standin_as_host(buffer, (size_t)count * (size_t)bytes) : NULL;
  if (!there) return (void *)buffer;
  if (!is("query") && !is("kinds")) {
    fprintf(stderr, "MPI gets an address in device memory\n");
    abort();
  }
  messages++;
  return there;
}
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return PMPI_Isend(accessible(buffer, count, type), count, type, to, tag, comm, request);
}
int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return PMPI_Issend(accessible(buffer, count, type), count, type, to, tag, comm, request);
}
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  return PMPI_Irecv(accessible(buffer, count, type), count, type, from, tag, comm, request);
}

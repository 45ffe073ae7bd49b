/* Part of the stand-in for the driver (driver.c): allocations of other processes, opened through their file in /proc.
 * The mapping shows zeros once the owner has freed the allocation. Like old drivers, it opens a handle only once in
 * each context, and no handle of the same process. */
struct ipc_handle { struct file_place place; char unused[64 - sizeof(struct file_place)]; };
int cuIpcGetMemHandle(struct ipc_handle *handle, device_pointer memory) {
  BEGIN;
  NEEDS_CONTEXT;
  const struct memory *m = find(memory);
  if (!m || m->kind != DEVICE || m->device != current()) return end(INVALID_VALUE);
  memset(handle, 0, sizeof *handle);
  handle->place = (struct file_place){(int)getpid(), devices[m->device].file, m->base - devices[m->device].outer, m->bytes};
  return end(OK);
}
int cuIpcOpenMemHandle_v2(device_pointer *memory, struct ipc_handle handle, unsigned flags) {
  BEGIN;
  NEEDS_CONTEXT;
  UNSAFE_IN_CAPTURE;
  struct file_place place = handle.place;
  size_t whole = (place.bytes + PAGE - 1) / PAGE * PAGE;
  if (flags != 1 || place.process == (int)getpid()) return end(INVALID_CONTEXT);
  for (int k = 0; k < memory_count; k++)
    if (memories[k].kind == IMPORTED && memories[k].device == current() && !memcmp(&memories[k].place, &place, sizeof place)) return end(208);
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", place.process, place.file);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return end(INVALID_VALUE);
  void *outer = mmap(NULL, whole, PROT_NONE, MAP_SHARED, file, (off_t)place.offset);
  void *in = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)place.offset);
  close(file);
  if (outer == MAP_FAILED || in == MAP_FAILED) return end(OUT_OF_MEMORY);
  code = remember(IMPORTED, (uintptr_t)outer, place.bytes, current());
  if (code) return end(code);
  memories[memory_count - 1].inner = (uintptr_t)in, memories[memory_count - 1].place = place;
  *memory = (uintptr_t)outer;
  return end(OK);
}
static void unmap(const struct memory *m) {
  size_t whole = (m->bytes + PAGE - 1) / PAGE * PAGE;
  munmap((void *)m->base, whole);
  munmap((void *)m->inner, whole);
}
int cuIpcCloseMemHandle(device_pointer memory) {
  BEGIN;
  NEEDS_CONTEXT;
  UNSAFE_IN_CAPTURE;
  const struct memory *m = find(memory);
  if (m && m->kind == IMPORTED && m->base == memory) unmap(m);
  return end(forget(memory, IMPORTED));
}
int standin_opened(void) {
  int open = 0;
  for (int k = 0; k < memory_count; k++) open += memories[k].kind == IMPORTED;
  return open;
}
long standin_imported(void) { return imported; }

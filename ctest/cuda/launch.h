/* Part of the stand-in for the driver (driver.c): modules and launches. */
/* Kernels are functions of this process, so a module's text only needs their names. */
int cuModuleLoadDataEx(void **made, const void *image, unsigned options, int *names, void **values) {
  BEGIN;
  NEEDS_CONTEXT;
  UNSAFE_IN_CAPTURE;
  (void)options, (void)names, (void)values;
  if (!strstr(image, ".version")) return end(218);
  struct module *m = malloc(sizeof *m);
  *m = (struct module){strdup(image), current()};
  *made = m;
  return end(OK);
}
int cuModuleUnload(void *module) {
  BEGIN;
  free(((struct module *)module)->text);
  free(module);
  return end(OK);
}
int cuModuleGetFunction(void **made, void *module, const char *name) {
  BEGIN;
  char entry[96];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  if (!strstr(((struct module *)module)->text, entry)) return end(NOT_FOUND);
  struct function *f = malloc(sizeof *f);
  snprintf(f->name, sizeof f->name, "%s", name);
  f->module = module;
  *made = f;
  return end(OK);
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned threads_y, unsigned threads_z,
                   unsigned shared, void *stream, void **arguments, void **more) {
  BEGIN;
  NEEDS_CONTEXT;
  (void)shared, (void)more;
  struct function *f = function;
  struct stream *s = stream_of(stream);
  if (!x || y != 1 || z != 1 || !threads || threads_y != 1 || threads_z != 1) return end(INVALID_VALUE);
  if (!s || s->device != current() || f->module->device != current()) return end(INVALID_CONTEXT);
  s->pending = 1;
  return end(!reblock_kernel || reblock_kernel(f->name, x, threads, arguments) ? NOT_FOUND : OK);
}

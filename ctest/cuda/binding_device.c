/* The interface of C for arrays in the memory of GPUs, with the stand-in for NVIDIA's driver. A call gets copies of the
 * local arrays, each in memory whose kind depends on the array alone: of the host, of a device, of a pool, or part of
 * an allocation. The copies are copied back when the call or its request is complete. */
#include "../corpus/binding.h"
#include "standin.h"

enum { MAX_ARRAYS = 8, MAX_COPIES = 2 * MAX_ARRAYS, MAX_REQUESTS = 64 };

/* Local arrays of a call, and their copies. Several locals may be one array. */
struct copies {
  int count;
  char *base[MAX_COPIES];
  struct placed placed[MAX_COPIES];
};
static struct { reblock_request *request; struct copies copies; } running[MAX_REQUESTS];

static enum memory_kind kind_of(const struct local *l) {
  static const enum memory_kind kinds[] = {DEVICE_ARRAY, DEVICE_ARRAY, POOL_ARRAY, SECOND_DEVICE_ARRAY, PART_ARRAY, PART_ARRAY, HOST_ARRAY, DEVICE_ARRAY};
  static int me = -1;
  if (me < 0) MPI_Comm_rank(MPI_COMM_WORLD, &me);
  uint64_t salt = (uint64_t)l->bytes * 31 + (uint64_t)l->element * 7 + (uint64_t)l->start + (uint64_t)me * 101;
  for (int64_t i = 0; i < l->bytes && i < 32; i++) salt = (salt ^ (unsigned char)l->base[i]) * 0x100000001b3u;
  return kinds[salt >> 20 & 7];
}

/* Returns `l` with its copy instead of the array. */
static struct local copied(struct copies *all, const struct local *l) {
  struct local there = *l;
  if (!l->has || !l->base || !l->bytes) return there;
  int k = 0;
  while (k < all->count && all->base[k] != l->base) {
    if (l->base < all->base[k] + all->placed[k].bytes && all->base[k] < l->base + l->bytes) abort(); /* Arrays that overlap in part. */
    k++;
  }
  if (k == all->count) {
    all->base[k] = l->base, all->count++;
    all->placed[k] = placed(kind_of(l), l->base, (size_t)l->bytes, (size_t)((uintptr_t)l->base & 15));
  }
  if ((size_t)l->bytes != all->placed[k].bytes) abort();
  there.base = all->placed[k].data;
  return there;
}
static void finish(struct copies *all) {
  for (int k = 0; k < all->count; k++) take_back(&all->placed[k], all->base[k]);
  all->count = 0;
}
struct locals { struct local from[MAX_ARRAYS], to[MAX_ARRAYS]; };
static struct locals copied_all(struct copies *all, int64_t count, const struct local *from, const struct local *to) {
  struct locals there;
  if (count > MAX_ARRAYS) abort();
  for (int64_t i = 0; i < count; i++) there.from[i] = copied(all, &from[i]), there.to[i] = copied(all, &to[i]);
  return there;
}

#define COPIED(arrays) \
  struct copies all = {.count = 0}; \
  struct locals there = copied_all(&all, arrays, from, to)
static int32_t finished(struct copies *all, int32_t code) {
  finish(all);
  return code;
}
/* Keeps the copies until the request is complete. */
static int32_t started(struct copies *all, int32_t code, reblock_request **request) {
  int k = 0;
  if (code != REBLOCK_OK) return finished(all, code);
  while (k < MAX_REQUESTS && running[k].request) k++;
  if (k == MAX_REQUESTS) abort();
  running[k].request = *request, running[k].copies = *all;
  return code;
}
static void ended(reblock_request *request) {
  for (int k = 0; request && k < MAX_REQUESTS; k++)
    if (running[k].request == request) running[k].request = NULL, finish(&running[k].copies);
}

static int32_t execute(reblock_plan *plan, const struct local *from, const struct local *to) {
  COPIED(1);
  return finished(&all, c_binding.plan_execute(plan, there.from, there.to));
}
static int32_t execute_many(int64_t count, reblock_plan *const *plans, const struct local *from, const struct local *to) {
  COPIED(count);
  return finished(&all, c_binding.plan_execute_many(count, plans, there.from, there.to));
}
static int32_t start(reblock_plan *plan, const struct local *from, const struct local *to, reblock_request **request) {
  COPIED(1);
  return started(&all, c_binding.plan_start(plan, there.from, there.to, request), request);
}
static int32_t start_many(int64_t count, reblock_plan *const *plans, const struct local *from, const struct local *to, reblock_request **request) {
  COPIED(count);
  return started(&all, c_binding.plan_start_many(count, plans, there.from, there.to, request), request);
}
static int32_t move(MPI_Fint comm, const reblock_map *a, const reblock_range *section_a, const reblock_map *b, const reblock_range *section_b,
                    int64_t element, const struct local *from, const struct local *to) {
  COPIED(1);
  return finished(&all, c_binding.move(comm, a, section_a, b, section_b, element, there.from, there.to));
}
static int32_t update(reblock_plan *plan, const struct local *from, const struct local *to, const reblock_update *update) {
  COPIED(1);
  return finished(&all, c_binding.plan_update(plan, there.from, there.to, update));
}
static int32_t update_many(int64_t count, reblock_plan *const *plans, const struct local *from, const struct local *to,
                           const reblock_update *const *updates) {
  COPIED(count);
  return finished(&all, c_binding.plan_update_many(count, plans, there.from, there.to, updates));
}
static int32_t start_update(reblock_plan *plan, const struct local *from, const struct local *to, const reblock_update *update,
                            reblock_request **request) {
  COPIED(1);
  return started(&all, c_binding.plan_start_update(plan, there.from, there.to, update, request), request);
}
static int32_t start_update_many(int64_t count, reblock_plan *const *plans, const struct local *from, const struct local *to,
                                 const reblock_update *const *updates, reblock_request **request) {
  COPIED(count);
  return started(&all, c_binding.plan_start_update_many(count, plans, there.from, there.to, updates, request), request);
}
static int32_t move_update(MPI_Fint comm, const reblock_map *a, const reblock_range *section_a, const reblock_map *b,
                           const reblock_range *section_b, int64_t element, const struct local *from, const struct local *to,
                           const reblock_update *update) {
  COPIED(1);
  return finished(&all, c_binding.move_update(comm, a, section_a, b, section_b, element, there.from, there.to, update));
}
static int32_t request_test(reblock_request **request, int32_t *done) {
  reblock_request *tested = *request;
  int32_t code = c_binding.request_test(request, done);
  if (code != REBLOCK_OK || *done) ended(tested);
  return code;
}
static int32_t request_wait(reblock_request **request) {
  reblock_request *awaited = *request;
  int32_t code = c_binding.request_wait(request);
  ended(awaited);
  return code;
}
static int32_t request_free(reblock_request **request) {
  reblock_request *freed = *request;
  int32_t code = c_binding.request_free(request);
  ended(freed);
  return code;
}

struct binding device_binding(void) {
  struct binding made = c_binding;
  made.name = "C, on devices";
  made.plan_execute = execute, made.plan_execute_many = execute_many, made.plan_start = start, made.plan_start_many = start_many;
  made.move = move, made.plan_update = update, made.plan_update_many = update_many, made.plan_start_update = start_update;
  made.plan_start_update_many = start_update_many, made.move_update = move_update;
  made.request_test = request_test, made.request_wait = request_wait, made.request_free = request_free;
  return made;
}

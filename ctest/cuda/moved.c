/* Moves arrays in the memory of GPUs, with a stand-in for NVIDIA's driver, and compares them with the same moves in the
 * host's memory, bit for bit. Then each function of the driver fails in turn on one rank: all ranks must get the same
 * error, or all elements must be right, and the next call on the communicator must work. Finally devices are reset.
 * With the real driver, no function fails and no device is reset.
 *
 *   REBLOCK_DEVICE=1 mpirun -n RANKS moved ROUNDS [SEED]      0 rounds: only the messages by an MPI that accepts device memory (aware.c) */
#include "problem.h"
#include <signal.h>

static void round_of(int number) {
  enum way way = (enum way)(number % WAYS);
  struct problem p[BATCH];
  scene = ways[way];
  choose_stream();
  int largest = between(0, 4) ? 40 : 300;
  for (int k = 0; k < BATCH; k++) p[k] = make(MPI_COMM_WORLD, way == FILES ? 40 : largest);
  if (way == GATHER || way == SCATTER) list_rows(p, way);
  void *a[BATCH], *b[BATCH];
  struct placed from[BATCH], to[BATCH];
  for (int k = 0; k < BATCH; k++) a[k] = p[k].source, b[k] = p[k].want;
  move(p, way, number, a, b);
  /* Move twice: the second call reuses the state of the first. */
  for (int time = 0; time < 2; time++) {
    int moved = way == MANY ? BATCH : 1;
    for (int k = 0; k < moved; k++) {
      from[k] = random_place(p[k].source, p[k].bytes[0]), to[k] = random_place(p[k].before, p[k].bytes[1]);
      a[k] = from[k].data, b[k] = to[k].data;
    }
    move(p, way, number, a, b);
    for (int k = 0; k < moved; k++) check(&p[k], &from[k], &to[k]);
  }
  char path[40];
  snprintf(path, sizeof path, "moved.%d.npy", number);
  if (!me && way == FILES) unlink(path);
  for (int k = 0; k < BATCH; k++) drop(&p[k]);
}

/* Makes a function of the driver fail on one rank in one call. Returns the code, which must be the same on all
 * ranks. */
static int injected(const char *function, int nth, int code, int rank) {
  scene = function;
  choose_stream();
  struct problem p = make(MPI_COMM_WORLD, 60);
  MUST(reblock_plan_execute(p.plan, p.source, p.want));
  enum memory_kind kind = (enum memory_kind[]){DEVICE_ARRAY, PART_ARRAY, POOL_ARRAY}[within(&mine, 0, 2)];
  struct placed from = placed(kind, p.source, (size_t)p.bytes[0], 0), to = placed(kind, p.before, (size_t)p.bytes[1], 0);
  reblock_request *request = NULL;
  int blocking = between(0, 1);
  if (me == rank) standin_fail(function, nth, code);
  int result = blocking ? reblock_plan_execute(p.plan, from.data, to.data) : reblock_plan_start(p.plan, from.data, to.data, &request);
  if (!blocking) MUST(result), result = reblock_request_wait(&request);
  standin_fail(function, 0, 0);
  if (result && !strstr(reblock_message(), "cu")) fprintf(stderr, "rank %d: %s fails: %s\n", me, function, reblock_message()), wrong++;
  if (result && result != REBLOCK_ERR_DEVICE && result != REBLOCK_ERR_ARGUMENT) MUST(result);
  if (!result) check(&p, &from, &to);
  else {
    char *rest = malloc((size_t)(p.bytes[0] + p.bytes[1]) + 8);
    take_back(&to, rest);
    /* Only a failure in the middle of a move may have changed the target. */
    if (result == REBLOCK_ERR_ARGUMENT && memcmp(rest, p.before, (size_t)p.bytes[1])) wrong++;
    take_back(&from, rest);
    if (memcmp(rest, p.source, (size_t)p.bytes[0])) wrong++;
    free(rest);
  }
  drop(&p);
  int all[2] = {result, -result}, most[2];
  MPI_Allreduce(all, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (most[0] != -most[1]) fprintf(stderr, "rank %d: %s fails with code %d, elsewhere with others\n", me, function, result), wrong++;
  return result;
}

static int inject_each(void) {
  static const char *const functions[] = {
    "cuPointerGetAttributes", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuMemAlloc_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
    "cuModuleLoadDataEx", "cuModuleGetFunction", "cuLaunchKernel", "cuStreamCreate", "cuStreamSynchronize", "cuStreamWaitEvent",
    "cuStreamGetCtx", "cuStreamIsCapturing", "cuThreadExchangeStreamCaptureMode", "cuEventCreate", "cuEventRecord", "cuIpcGetMemHandle",
    "cuIpcOpenMemHandle_v2", "cuIpcCloseMemHandle", "cuDeviceGet", "cuMemHostRegister_v2", "cuMemHostUnregister", "cuMemFree_v2",
    "cuEventDestroy_v2", "cuStreamDestroy_v2", "cuModuleUnload", "cuCtxPopCurrent_v2"};
  int codes[2] = {0, 0};
  for (int f = 0; f < (int)(sizeof functions / sizeof *functions); f++)
    for (int nth = 1; nth < 6; nth++) {
      int code = injected(functions[f], nth, nth == 2 ? 2 : 700, between(0, ranks - 1));
      codes[0] += code == REBLOCK_ERR_ARGUMENT, codes[1] += code == REBLOCK_ERR_DEVICE;
    }
  /* A call is refused if the driver does not report the kind of an array's memory. Rank 0 needs an array for that, but
   * has no elements in some problems, so try several. */
  for (int tries = 0; !codes[0] && tries < 50; tries++)
    codes[0] += injected("cuPointerGetAttributes", 1, 700, 0) == REBLOCK_ERR_ARGUMENT;
  /* All calls work again. */
  for (int k = 0; k < WAYS; k++) round_of(k);
  /* Both kinds of failures have occurred. */
  wrong += !codes[0] + !codes[1];
  return codes[0] + codes[1];
}

/* Tests messages between ranks of a node, which go through memory that is registered with the driver, so that kernels
 * can access it. If the driver refuses to register the memory, the driver copies. Each communicator has memory of its
 * own. */
static void through_slots(int refused) {
  scene = refused ? "refused registration" : "registration";
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  struct problem p = make(comm, 60);
  MUST(reblock_plan_execute(p.plan, p.source, p.want));
  long copies = 0, before = standin_calls("cuMemHostRegister_v2");
  for (int time = 0; time < 3; time++) {
    struct placed from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0), to = placed(DEVICE_ARRAY, p.before, (size_t)p.bytes[1], 0);
    if (refused) standin_fail("cuMemHostRegister_v2", 1, 2);
    long start = standin_calls("cuMemcpyDtoHAsync_v2");
    MUST(reblock_plan_execute(p.plan, from.data, to.data));
    copies += standin_calls("cuMemcpyDtoHAsync_v2") - start;
    standin_fail("cuMemHostRegister_v2", 0, 0);
    check(&p, &from, &to);
  }
  long registered = standin_calls("cuMemHostRegister_v2") - before;
  int64_t sent;
  reblock_plan_info info;
  MUST(reblock_plan_info_init(&info));
  MUST(reblock_plan_inquire(p.plan, &info));
  sent = info.sent;
  /* There is one try for each memory, whether it succeeds or not. */
  if (registered > 1 || (sent && registered != 1)) fprintf(stderr, "rank %d: %s: %ld tries\n", me, scene, registered), wrong++;
  if (sent && !refused != !copies) fprintf(stderr, "rank %d: %s: %ld copies by the driver\n", me, scene, copies), wrong++;
  drop(&p);
  long known = standin_calls("cuMemHostUnregister");
  MPI_Comm_free(&comm);
  if (!refused && registered && standin_calls("cuMemHostUnregister") == known) wrong++;
}

/* A matrix in blocks of rows before, and of columns after. */
static struct problem rows_and_columns(MPI_Comm comm, int64_t rows, int64_t columns) {
  int64_t extents[2] = {rows, columns};
  struct problem p;
  MUST(reblock_map_from_text(comm, 2, extents, "(BLOCK, *)", &p.from));
  MUST(reblock_map_from_text(comm, 2, extents, "(*, BLOCK)", &p.to));
  fill(comm, &p);
  MUST(reblock_plan_execute(p.plan, p.source, p.want));
  return p;
}

/* Moves rows to columns `times` times, so that each rank sends a piece to each other rank, from one array to new
 * targets in memory of kind `to`. Returns whether kernels of this rank have used memory of other ranks in the last
 * move, and sets `launches` to the launches in it. */
static long launches;
static int rows_to_columns(MPI_Comm comm, struct problem *p, struct placed *from, enum memory_kind to, int times) {
  long used = 0;
  for (int k = 0; k < times; k++) {
    struct placed target = placed(to, p->before, (size_t)p->bytes[1], 0);
    MPI_Barrier(comm); /* No rank is still in the call before. */
    used = standin_imported(), launches = standin_calls("cuLaunchKernel");
    MUST(reblock_plan_execute(p->plan, from->data, target.data));
    used = standin_imported() - used, launches = standin_calls("cuLaunchKernel") - launches;
    char *got = malloc((size_t)p->bytes[1] + 8);
    take_back(&target, got);
    if (memcmp(got, p->want, (size_t)p->bytes[1])) fprintf(stderr, "rank %d: %s is wrong\n", me, scene), wrong++;
    free(got);
  }
  return used > 0;
}
static void expect(const char *what, long is, long wanted) {
  if (is == wanted) return;
  fprintf(stderr, "rank %d: %s: %s: %ld, expected %ld\n", me, scene, what, is, wanted), wrong++;
}

/* Tests arrays of one allocation that move together to targets on two devices, so that receivers open the allocation
 * for both devices. */
static void to_two_devices(void) {
  scene = "targets on two devices";
  struct problem p[BATCH];
  struct placed from[BATCH], to[BATCH];
  void *a[BATCH], *b[BATCH];
  for (int k = 0; k < BATCH; k++) {
    p[k] = rows_and_columns(MPI_COMM_WORLD, 320, 300);
    from[k] = placed(PART_ARRAY, p[k].source, (size_t)p[k].bytes[0], 0), a[k] = from[k].data;
  }
  char *got = malloc((size_t)(p[0].bytes[0] + p[0].bytes[1]) + 8);
  for (int time = 0; time < 6; time++) {
    for (int k = 0; k < BATCH; k++)
      to[k] = placed((k + me) % 2 ? SECOND_DEVICE_ARRAY : DEVICE_ARRAY, p[k].before, (size_t)p[k].bytes[1], 0), b[k] = to[k].data;
    MUST(reblock_plan_execute_many(BATCH, (reblock_plan *[]){p[0].plan, p[1].plan}, (const void *const *)a, b));
    for (int k = 0; k < BATCH; k++) {
      take_back(&to[k], got);
      expect("the target differs", memcmp(got, p[k].want, (size_t)p[k].bytes[1]) != 0, 0);
    }
  }
  for (int k = 0; k < BATCH; k++) take_back(&from[k], got), drop(&p[k]);
  free(got);
}

/* Tests that receivers on the node open the memory of other processes and read arrays in it. Otherwise messages go
 * through slots. */
static void by_ipc(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  struct problem p = rows_and_columns(comm, 320, 300);
  int others = ranks - 1;
  scene = "an array that others open";
  struct placed from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 24);
  long opens = standin_calls("cuIpcOpenMemHandle_v2"), before = standin_opened();
  expect("memory of others is read", rows_to_columns(comm, &p, &from, DEVICE_ARRAY, 3), others > 0);
  expect("opens", standin_calls("cuIpcOpenMemHandle_v2") - opens, others);

  scene = "a target in other memory";
  for (int k = 0; k < 2; k++) {
    expect("memory of others is read", rows_to_columns(comm, &p, &from, me % 2 ? HOST_ARRAY : DEVICE_ARRAY, 3), others && me % 2 == 0);
    rows_to_columns(comm, &p, &from, me % 2 ? SECOND_DEVICE_ARRAY : HOST_ARRAY, 1);
    rows_to_columns(comm, &p, &from, HOST_ARRAY, 1);
    expect("memory of others is read", rows_to_columns(comm, &p, &from, DEVICE_ARRAY, 2), others > 0);
  }

  scene = "an open array, and a rank that has none in device memory"; /* With REBLOCK_GATHER=1 the rank gathers. */
  struct placed host = placed(HOST_ARRAY, p.source, (size_t)p.bytes[0], 0);
  int read = rows_to_columns(comm, &p, me % 2 ? &host : &from, me % 2 ? HOST_ARRAY : DEVICE_ARRAY, 1);
  if (me % 2) expect("memory of others is read", read, 1);
  free(host.base);

  scene = "memory that is allocated again";
  char *rest = malloc((size_t)p.bytes[0] + 8);
  for (int k = 0; k < 20; k++) {
    take_back(&from, rest);
    from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0);
    rows_to_columns(comm, &p, &from, DEVICE_ARRAY, 1);
  }
  expect("memory of others is read", rows_to_columns(comm, &p, &from, DEVICE_ARRAY, 1), others > 0);
  expect("open", standin_opened() - before, others);

  scene = "many arrays";
  struct placed many[18];
  for (int k = 0; k < 18; k++) many[k] = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0);
  for (int k = 0; k < 36; k++) rows_to_columns(comm, &p, &many[k % 18], DEVICE_ARRAY, 1);
  expect("open", standin_opened() - before, 16 * others);
  for (int k = 0; k < 18; k++) take_back(&many[k], rest);

  scene = "memory of a pool";
  struct placed pool = placed(POOL_ARRAY, p.source, (size_t)p.bytes[0], 0);
  expect("memory of others is read", rows_to_columns(comm, &p, &pool, DEVICE_ARRAY, 2), 0);
  take_back(&pool, rest);
  const char *const failures[] = {"cuIpcOpenMemHandle_v2:217", "cuIpcGetMemHandle:1"};
  for (int k = 0; k < 2; k++) {
    scene = failures[k];
    take_back(&from, rest);
    from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0);
    setenv("STANDIN_CUDA_FAIL", failures[k], 1);
    expect("memory of others is read", rows_to_columns(comm, &p, &from, DEVICE_ARRAY, 3), 0);
    unsetenv("STANDIN_CUDA_FAIL");
  }
  scene = "a communicator that is freed";
  take_back(&from, rest);
  from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0);
  expect("memory of others is read", rows_to_columns(comm, &p, &from, DEVICE_ARRAY, 2), others > 0);
  take_back(&from, rest);
  free(rest);
  drop(&p);
  long closes = standin_calls("cuIpcCloseMemHandle");
  MPI_Comm_free(&comm);
  expect("open", standin_opened(), before);
  if (others && standin_calls("cuIpcCloseMemHandle") == closes) fprintf(stderr, "rank %d: nothing is closed\n", me), wrong++;
}

/* Tests the number of launches. All slots are free when a call begins, so one launch packs the messages to all other
 * ranks. If all messages have arrived, one launch unpacks them. One more launch copies the elements that stay. The
 * exact counts rely on two facts: for 1 to 4 ranks, all pieces of 60 x 56 doubles in these blocks are equally aligned;
 * and reblock_plan_start sends all small messages of a request before it returns. */
static void together(void) {
  scene = "pieces for all other ranks";
  struct problem p = rows_and_columns(MPI_COMM_WORLD, 60, 56);
  struct placed from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0);
  rows_to_columns(MPI_COMM_WORLD, &p, &from, HOST_ARRAY, 2);
  expect("launches", launches, 1 + (ranks > 1));
  char *rest = malloc((size_t)p.bytes[0] + 8);
  take_back(&from, rest);
  free(rest);
  scene = "messages that have arrived";
  for (int time = 0; time < 3; time++) {
    struct placed to = placed(DEVICE_ARRAY, p.before, (size_t)p.bytes[1], 0);
    reblock_request *request;
    MUST(reblock_plan_start(p.plan, p.source, to.data, &request));
    MPI_Barrier(MPI_COMM_WORLD); /* All messages are in slots. */
    long launched = standin_calls("cuLaunchKernel");
    MUST(reblock_request_wait(&request));
    expect("too many launches", standin_calls("cuLaunchKernel") - launched > 2, 0);
    char *got = malloc((size_t)p.bytes[1] + 8);
    take_back(&to, got);
    expect("the target differs", memcmp(got, p.want, (size_t)p.bytes[1]) != 0, 0);
    free(got);
  }
  drop(&p);
}

/* Tests that with REBLOCK_TRANSPORT=mpi, an MPI that accepts addresses in device memory (aware.c) gets such addresses,
 * and the driver copies nothing to the host. With REBLOCK_DEVICE_MPI=0, MPI must get no such address. */
static void by_mpi(void) {
  int on = ranks > 1 && !getenv("REBLOCK_DEVICE_MPI");
  struct problem p = rows_and_columns(MPI_COMM_WORLD, 320, 300);
  const enum memory_kind kinds[] = {DEVICE_ARRAY, POOL_ARRAY, SECOND_DEVICE_ARRAY, HOST_ARRAY, MANAGED_ARRAY};
  for (int k = 0; k < 25; k++) {
    scene = "messages in device memory by MPI";
    enum memory_kind source = kinds[k / 5], target = kinds[k % 5];
    struct placed from = placed(source, p.source, (size_t)p.bytes[0], 0);
    long messages = aware_messages(), copies = standin_calls("cuMemcpyDtoHAsync_v2");
    rows_to_columns(MPI_COMM_WORLD, &p, &from, target, 1);
    messages = aware_messages() - messages, copies = standin_calls("cuMemcpyDtoHAsync_v2") - copies;
    int ends = on_device(source) + on_device(target), same = (source == SECOND_DEVICE_ARRAY) == (target == SECOND_DEVICE_ARRAY);
    expect("too few messages in device memory", messages < (on ? ends * (ranks - 1) : 0), 0);
    expect("messages in device memory", messages > 0, on && ends);
    /* The elements that stay on the rank go through the host between two devices, or between device and host. */
    if (on_device(source)) expect("copies to the host", copies > 0, (ranks > 1 && !on) || ends < 2 || !same);
    char *rest = malloc((size_t)p.bytes[0] + 8);
    take_back(&from, rest);
    expect("the source differs", memcmp(rest, p.source, (size_t)p.bytes[0]) != 0, 0);
    free(rest);
  }
  drop(&p);
}

/* Tests that with REBLOCK_DEVICE_IPC=0, no rank exports memory by the driver, and no rank opens the memory of
 * another. */
static void without_ipc(void) {
  scene = "REBLOCK_DEVICE_IPC=0";
  struct problem p = rows_and_columns(MPI_COMM_WORLD, 320, 300);
  struct placed from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0);
  expect("memory of others is read", rows_to_columns(MPI_COMM_WORLD, &p, &from, DEVICE_ARRAY, 3), 0);
  char *rest = malloc((size_t)p.bytes[0] + 8);
  take_back(&from, rest);
  free(rest);
  expect("handles", standin_calls("cuIpcGetMemHandle"), 0);
  expect("opens", standin_calls("cuIpcOpenMemHandle_v2"), 0);
  drop(&p);
}

/* Moves arrays while the last rank's stream is `stream`, which cannot be used: it was destroyed, or it is being
 * captured, or a stream that depends on it is being captured (`captured`, otherwise NULL). All ranks must get an error
 * with these words, and nothing may be written. Then sets the legacy stream, after which the move must work. */
static void refused_on_last_rank(struct problem *p, void *stream, void *captured, const char *words) {
  struct placed from = placed(DEVICE_ARRAY, p->source, (size_t)p->bytes[0], 0), to = placed(DEVICE_ARRAY, p->before, (size_t)p->bytes[1], 0);
  int last = me == ranks - 1;
  char *rest = malloc((size_t)p->bytes[1] + 8);
  if (last) MUST(reblock_device_stream(stream));
  if (last && captured) standin_capture(captured, 1);
  long allocations = standin_calls("cuMemAlloc_v2");
  int code = reblock_plan_execute(p->plan, from.data, to.data);
  if (code != REBLOCK_ERR_ARGUMENT || !strstr(reblock_message(), words))
    fprintf(stderr, "rank %d: %s: %d %s\n", me, scene, code, reblock_message()), wrong++;
  if (last && captured) {
    expect("allocations", standin_calls("cuMemAlloc_v2") - allocations, 0);
    expect("the capture is invalidated", standin_capture(captured, 0), 0);
  }
  enter(DEVICE_ARRAY);
  DRIVER(cuMemcpyDtoH_v2(rest, (uint64_t)to.data, (size_t)p->bytes[1]));
  leave();
  expect("the target changes", memcmp(rest, p->before, (size_t)p->bytes[1]) != 0, 0);
  free(rest);
  MUST(reblock_device_stream(NULL));
  MUST(reblock_plan_execute(p->plan, from.data, to.data));
  check(p, &from, &to);
}

/* Tests that copies wait for the work on the program's stream that was started before the call, and for no later work,
 * and that a stream that cannot be used is an error on all ranks, with nothing written. */
static void streams(void) {
  struct problem p = rows_and_columns(MPI_COMM_WORLD, 320, 300);
  char *rest = calloc(1, (size_t)(p.bytes[0] + p.bytes[1]) + 8);
  scene = "a stream that is destroyed after the start of a request";
  placing_stream = new_stream();
  MUST(reblock_device_stream(placing_stream));
  struct placed from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0), to = placed(DEVICE_ARRAY, p.before, (size_t)p.bytes[1], 0);
  reblock_request *request;
  MUST(reblock_plan_start(p.plan, from.data, to.data, &request));
  enter(DEVICE_ARRAY);
  DRIVER(cuMemcpyHtoDAsync_v2((uint64_t)from.data, rest, (size_t)p.bytes[0], placing_stream));
  DRIVER(cuStreamDestroy_v2(placing_stream));
  leave();
  placing_stream = NULL;
  MUST(reblock_device_stream(NULL));
  MUST(reblock_request_wait(&request));
  take_back(&to, rest);
  expect("the target differs", memcmp(rest, p.want, (size_t)p.bytes[1]) != 0, 0);
  take_back(&from, rest);
  free(rest);
  scene = "a stream that was destroyed";
  void *stream = new_stream();
  DRIVER(cuStreamDestroy_v2(stream));
  refused_on_last_rank(&p, stream, NULL, "cuStreamGetCtx");
  scene = "a stream that is being captured";
  stream = new_stream();
  refused_on_last_rank(&p, stream, stream, "(reblock_device_stream) is being captured into a graph: end the capture first");
  DRIVER(cuStreamDestroy_v2(stream));
  scene = "a stream that waits for the legacy stream is being captured";
  enter(DEVICE_ARRAY);
  DRIVER(cuStreamCreate(&stream, 0));
  leave();
  refused_on_last_rank(&p, NULL, stream, "a stream that waits for the legacy stream is being captured into a graph");
  DRIVER(cuStreamDestroy_v2(stream));
  drop(&p);
}

/* Tests captures. In the first call of the process, the stream is being captured, so reblock must allocate nothing. In
 * the first call with arrays on the second device, another stream is being captured: reblock allocates memory and loads
 * a kernel, and the capture must continue. */
static void first_call(void) {
  scene = "a first call during a capture";
  struct problem p = rows_and_columns(MPI_COMM_WORLD, 60, 56);
  void *stream = new_stream();
  refused_on_last_rank(&p, stream, stream, "end the capture first");
  scene = "a first call on a device during the capture of another stream";
  enum memory_kind kind = SECOND_DEVICE_ARRAY;
  struct placed from = placed(kind, p.source, (size_t)p.bytes[0], 0), to = placed(kind, p.before, (size_t)p.bytes[1], 0);
  standin_capture(stream, 1);
  long before = standin_calls("cuMemAlloc_v2");
  MUST(reblock_plan_execute(p.plan, from.data, to.data));
  expect("nothing is allocated", standin_calls("cuMemAlloc_v2") == before, 0);
  expect("the capture is invalidated", standin_capture(stream, 0), 0);
  check(&p, &from, &to);
  DRIVER(cuStreamDestroy_v2(stream));
  drop(&p);
}

/* Kills rank 1 while other ranks may read its array. No rank may hang, so that the launcher can end the job. */
static void kill_one(void) {
  struct problem p = rows_and_columns(MPI_COMM_WORLD, 320, 300);
  struct placed from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0), to = placed(DEVICE_ARRAY, p.before, (size_t)p.bytes[1], 0);
  long used = rows_to_columns(MPI_COMM_WORLD, &p, &from, DEVICE_ARRAY, 3);
  reblock_request *request;
  MUST(reblock_plan_start(p.plan, from.data, to.data, &request));
  if (used && me == 1) raise(SIGKILL);
  MUST(reblock_request_wait(&request));
  /* The other ranks may have received all elements. */
  MPI_Barrier(MPI_COMM_WORLD);
  printf("moved: nobody was killed\n");
  exit(0);
}

/* Resets the devices of some ranks. Older arrays must be an error on all ranks; with new arrays, all calls must
 * work. */
static void reset(void) {
  scene = "a call after a reset";
  own_stream = placing_stream = NULL;
  MUST(reblock_device_stream(NULL));
  struct problem p = make(MPI_COMM_WORLD, 40);
  struct placed from = placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0), to = placed(DEVICE_ARRAY, p.before, (size_t)p.bytes[1], 0);
  MUST(reblock_plan_execute(p.plan, from.data, to.data));
  if (me % 2 == 0) whole.base = whole.used = 0, whole.arrays = 0;
  if (me % 2 == 0)
    for (int device = 0; device < 2; device++) DRIVER(cuDevicePrimaryCtxReset_v2(device));
  long freed = standin_calls("cuMemFree_v2");
  int code = reblock_plan_execute(p.plan, from.data, to.data);
  if (code != REBLOCK_ERR_ARGUMENT || !strstr(reblock_message(), "where the host cannot read"))
    fprintf(stderr, "rank %d: %s: %d %s\n", me, scene, code, reblock_message()), wrong++;
  /* The first new arrays get the addresses that reblock's own buffers had. */
  struct placed again[2] = {placed(DEVICE_ARRAY, p.source, (size_t)p.bytes[0], 0), placed(DEVICE_ARRAY, p.before, (size_t)p.bytes[1], 0)};
  MUST(reblock_plan_execute(p.plan, p.source, p.want));
  MUST(reblock_plan_execute(p.plan, again[0].data, again[1].data));
  wrong += standin_calls("cuMemFree_v2") != freed;
  check(&p, &again[0], &again[1]);
  drop(&p);
  for (int k = 0; k < WAYS; k++) round_of(k);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rounds = argc > 1 ? atoi(argv[1]) : 40;
  seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)getpid();
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  common = stream(seed), mine = stream(seed) + (uint64_t)me * 7919 + 1;
  if (getenv("KILL_ONE")) kill_one();
  if (standin_fail && rounds) first_call();
  for (int k = 0; k < rounds; k++) round_of(k);
  int failed = 0;
  expect("the library that accepts device memory is not loaded", getenv("AWARE") && !aware_messages, 0);
  if (aware_messages) by_mpi();
  if (standin_fail && rounds) {
    failed = inject_each();
    streams();
    if (getenv("THROUGH_SLOTS")) together(), to_two_devices();
    if (getenv("REBLOCK_DEVICE_IPC")) without_ipc();
    if (getenv("THROUGH_SLOTS")) through_slots(0), through_slots(1), by_ipc();
    reset();
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!me)
    printf("moved: seed %llu, %d rounds, %d failures of the driver, %d wrong\n", (unsigned long long)seed, rounds, failed, wrong);
  MPI_Finalize();
  return wrong != 0;
}

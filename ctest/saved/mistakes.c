/* Tests invalid files and arguments: all ranks must have a code and a text, nothing may be written, and the next call
 * must work. */
#include "saved.h"
#include <dirent.h>

static struct array array = {.axes = 2, .extents = {300, 41}, .element = 8, .version = 5};
static struct laid laid;
static char path[512];

/* Checks that all ranks have this code, and that the text contains `text`. */
static void wants(int32_t code, int32_t wanted, const char *text, const char *what) {
  int32_t ends[2] = {code, -code};
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
  if (ends[0] != -ends[1] || code != wanted || !strstr(reblock_message(), text))
    FAIL("%s: %s, \"%s\", expected %s with \"%s\"", what, reblock_code_name(code), reblock_message(),
         reblock_code_name(wanted), text);
  MPI_Barrier(MPI_COMM_WORLD);
}

static int32_t load(void) {
  empty(&array, &laid);
  return reblock_load(MPI_COMM_WORLD, path, laid.map, laid.storage, array.element, "<f8");
}

/* Loads a file, which must fail and leave the array unchanged. */
static void fails(int32_t wanted, const char *text, const char *what) {
  wants(load(), wanted, text, what);
  if (!is_empty(&array, &laid)) FAIL("%s: something is written", what);
}

static void works(void) {
  MUST(load());
  if (differ(&array, &laid)) FAIL("what was loaded is wrong");
  MPI_Barrier(MPI_COMM_WORLD);
}

static void put(const unsigned char *data, int64_t bytes) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (!me) write_all(path, data, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Tests damaged files. */
static void spoilt_files(void) {
  int64_t bytes;
  unsigned char *good = read_all(path, &bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  unsigned char *bad = malloc((size_t)bytes + 100);
  int64_t cuts[] = {0, 5, 11, 100, 128, bytes / 2, bytes - 133, bytes - 5, bytes - 1};
  for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
    put(good, cuts[c]);
    fails(REBLOCK_ERR_FILE, "cannot read", "a file that was cut off");
  }
  /* A byte of each part: magic, version, length, type, order, extents, padding, data, end of data, trailer, sum. */
  int64_t places[] = {0, 6, 8, 21, 43, 58, 100, 128, 5000, bytes - 133, bytes - 132, bytes - 60, bytes - 4, bytes - 1};
  for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
    memcpy(bad, good, (size_t)bytes);
    bad[places[p]] ^= 4;
    put(bad, bytes);
    fails(REBLOCK_ERR_FILE, "cannot read", "a changed byte");
  }
  memcpy(bad, good, (size_t)bytes);
  bad[7777] ^= 1;
  put(bad, bytes);
  fails(REBLOCK_ERR_FILE, "its checksum is", "a changed bit of an element");
  memset(bad + bytes, 0, 100);
  memcpy(bad, good, (size_t)bytes);
  put(bad, bytes + 100);
  fails(REBLOCK_ERR_FILE, "are not a checksum", "bytes behind the file");
  put(good, bytes - 132);
  works();
  put(good, bytes);
  works();
  free(good), free(bad);
}

/* Tests arguments that do not fit the file, or differ between ranks. */
static void wrong_calls(const char *folder) {
  int32_t code;
  MPI_Comm world = MPI_COMM_WORLD;
  struct array other = array;
  other.extents[1]++;
  seed(3);
  struct laid wide = lay(&other, world, 0);
  empty(&other, &wide);
  wants(reblock_load(world, path, wide.map, wide.storage, 8, NULL), REBLOCK_ERR_FILE, "extents [300, 41], expected [300, 42]",
        "other extents");
  if (!is_empty(&other, &wide)) FAIL("other extents: something is written");
  let_go(&wide);
  wants(reblock_load(world, path, laid.map, laid.storage, 4, NULL), REBLOCK_ERR_FILE, "its elements have 8 bytes", "4 bytes");
  wants(reblock_load(world, path, laid.map, laid.storage, 8, "<i8"), REBLOCK_ERR_FILE, "expected '<i8'", "another type");
  wants(reblock_load(world, path, laid.map, laid.storage, 8, "<f4"), REBLOCK_ERR_ARGUMENT, "has 4 bytes", "a type of 4 bytes");
  wants(reblock_save(world, path, laid.map, laid.storage, 8, "float"), REBLOCK_ERR_ARGUMENT, "not in NumPy's notation", "no type");
  wants(reblock_save(world, path, laid.map, laid.storage, 0, NULL), REBLOCK_ERR_ARGUMENT, "0 bytes", "elements of 0 bytes");
  wants(reblock_save(world, NULL, laid.map, laid.storage, 8, NULL), REBLOCK_ERR_ARGUMENT, "path is NULL", "no path");
  wants(reblock_save(world, path, NULL, laid.storage, 8, NULL), REBLOCK_ERR_ARGUMENT, "no rank passes the map", "no map");
  code = reblock_save(world, path, laid.map, laid.storage, me == ranks - 1 ? 0 : 8, NULL);
  wants(code, REBLOCK_ERR_ARGUMENT, "0 bytes", "elements of 0 bytes on one rank");
  if (ranks > 1) {
    code = me ? reblock_save(world, path, laid.map, laid.storage, 8, NULL) : reblock_load(world, path, laid.map, laid.storage, 8, NULL);
    wants(code, REBLOCK_ERR_DIFFERS, "calls load", "one rank loads");
    code = reblock_save(world, me ? path : "elsewhere", laid.map, laid.storage, 8, NULL);
    wants(code, REBLOCK_ERR_DIFFERS, "the path", "another path");
    code = reblock_save(world, path, laid.map, laid.storage, 8, me ? "<f8" : "<i8");
    wants(code, REBLOCK_ERR_DIFFERS, "the element type", "another type on one rank");
    reblock_map *none = (reblock_map *)&code;
    code = reblock_save(world, path, me == ranks - 1 ? none : laid.map, laid.storage, 8, NULL);
    wants(code, REBLOCK_ERR_HANDLE, "", "a bad handle on one rank");
    code = reblock_save(world, path, laid.map, me == ranks - 1 ? NULL : laid.storage, 8, NULL);
    int32_t least = code;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT32_T, MPI_MIN, world);
    if (least) wants(code, REBLOCK_ERR_ARGUMENT, "source is NULL", "no storage on one rank");
    else MUST(reblock_save(world, path, laid.map, laid.storage, 8, "<f8"));
  }
  char nowhere[600];
  snprintf(nowhere, sizeof nowhere, "%s/no such folder/a.npy", folder);
  wants(reblock_save(world, nowhere, laid.map, laid.storage, 8, NULL), REBLOCK_ERR_FILE, "cannot create", "no folder");
  wants(reblock_load(world, nowhere, laid.map, laid.storage, 8, NULL), REBLOCK_ERR_FILE, "No such file", "no file");
  wants(reblock_save(world, folder, laid.map, laid.storage, 8, NULL), REBLOCK_ERR_FILE, "", "a folder");
}

/* Counts unfinished files in a folder. */
static int drafts(const char *folder) {
  int count = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) count += strstr(entry->d_name, ".part") != NULL;
  if (dir) closedir(dir);
  return count;
}

static void set_up(const char *folder, const char *name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  seed(9);
  laid = lay(&array, MPI_COMM_WORLD, 0);
  fill(&array, &laid);
  MUST(reblock_save(MPI_COMM_WORLD, path, laid.map, laid.storage, array.element, "<f8"));
  if (!me && judge(path, &array, "<f8")) FAIL("%s is wrong", path);
  MPI_Barrier(MPI_COMM_WORLD);
}

void mistakes(const char *folder) {
  set_up(folder, "mistakes.npy");
  spoilt_files();
  works();
  wrong_calls(folder);
  works();
  if (!me && drafts(folder)) FAIL("there are files that are not finished");
  let_go(&laid);
}

/* Tests full disks. The folder is on a file system with room for one array, and has a read-only folder in it. */
void full(const char *folder) {
  set_up(folder, "full.npy");
  struct array large = array;
  large.extents[1] = 2000, large.version++;
  seed(4);
  struct laid more = lay(&large, MPI_COMM_WORLD, 0);
  fill(&large, &more);
  wants(reblock_save(MPI_COMM_WORLD, path, more.map, more.storage, 8, "<f8"), REBLOCK_ERR_FILE, "cannot write", "a full disk");
  if (differ(&large, &more)) FAIL("a full disk: the array is changed");
  if (!me && drafts(folder)) FAIL("a full disk: a file is left that is not finished");
  let_go(&more);
  works();
  char locked[600];
  snprintf(locked, sizeof locked, "%s/locked/a.npy", folder);
  wants(reblock_save(MPI_COMM_WORLD, locked, laid.map, laid.storage, 8, "<f8"), REBLOCK_ERR_FILE, "cannot create",
        "a folder that cannot be written");
  let_go(&laid);
}

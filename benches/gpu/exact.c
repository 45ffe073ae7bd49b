#include "exact.h"
#include "plan.h"
#include "twin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state;
static unsigned random_below(unsigned bound) { /* SplitMix64 */
  unsigned long long z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull, z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return (unsigned)((z ^ z >> 31) % bound);
}
static int between(int low, int high) { return low + (int)random_below((unsigned)(high - low + 1)); }

enum { LARGEST = 300, MAX_OWNERS = 2 * LARGEST, MAX_FAULTS_SHOWN = 5 };

struct memory { size_t bytes; unsigned char *host, *there; };
static struct memory memory_of(const struct machine *machine, size_t bytes) {
  /* 16 bytes more than needed, which no kernel may change. */
  struct memory m = {.bytes = bytes + 16, .host = malloc(bytes + 16), .there = machine->get(bytes + 16)};
  if (!m.host) fprintf(stderr, "exact: no memory\n"), exit(2);
  return m;
}
static void put(const struct machine *machine, struct memory *m) { machine->put(m->there, m->host, m->bytes); }
static void drop(const struct machine *machine, struct memory *m) { free(m->host), machine->drop(m->there); }

/* Fills with random bits; for a floating-point type, with small numbers, so that no sum or product is a NaN. */
static void fill(struct memory *m, char type) {
  for (size_t k = 0; k < m->bytes; k++) m->host[k] = (unsigned char)random_below(256);
  if (type == 's' || type == 'c')
    for (size_t k = 0; k < m->bytes / 4; k++) ((float *)m->host)[k] = (float)between(-4000, 4000) / 7;
  if (type == 'd' || type == 'z')
    for (size_t k = 0; k < m->bytes / 8; k++) ((double *)m->host)[k] = (double)between(-4000, 4000) / 7;
}

static struct axis random_axis(int extent, int *owners) {
  static const int blocks[] = {1, 2, 3, 4, 5, 8, 16, 32, 36, 64, 128, 300};
  struct axis axis = {.extent = extent, .block = blocks[random_below(12)], .procs = between(1, 4)};
  if (random_below(5) == 0) {
    int run = between(1, 6);
    for (int k = 0; k < extent; k++) owners[k] = k % run && k ? owners[k - 1] : between(0, axis.procs - 1);
    axis.owners = owners;
  }
  return axis;
}

static void arrays(const struct matrix *m, unsigned char *there, unsigned char **at) {
  for (int r = 0; r < ranks_of(m); r++) at[r] = there + m->at[r];
}

/* Returns 1 if a byte on the machine differs from the host's expectation. */
static int compare(const struct machine *machine, const struct memory *m, const char *what) {
  unsigned char *got = malloc(m->bytes);
  if (!got) fprintf(stderr, "exact: no memory\n"), exit(2);
  machine->finish();
  machine->fetch(got, m->there, m->bytes);
  size_t k = 0;
  while (k < m->bytes && got[k] == m->host[k]) k++;
  static int shown;
  if (k < m->bytes && shown++ < MAX_FAULTS_SHOWN)
    fprintf(stderr, "%s: %s: byte %zu of %zu is %02x, expected %02x\n", machine->name, what, k, m->bytes, got[k], m->host[k]);
  free(got);
  return k < m->bytes;
}

static struct change random_update(char type) {
  static const double some[] = {0, 1, -1, 0.5, 3.25, 1.0 / 3};
  struct change u = {.alpha = {some[random_below(6)]}, .beta = {some[random_below(6)]}};
  if (type == 'c' || type == 'z') u.alpha[1] = random_below(2) ? some[random_below(6)] : 0, u.beta[1] = random_below(2) ? some[random_below(6)] : 0;
  u.conjugate = (int)random_below(2);
  return u;
}

static int matrix_case(const struct machine *machine) {
  static const char types[] = "bhsdcz"; /* the first two are only moved: 1 and 2 bytes */
  static const int bytes[] = {1, 2, 4, 8, 8, 16};
  static int owners[4][MAX_OWNERS];
  int which = between(0, 5), most = random_below(2) ? LARGEST : 40, turned = (int)random_below(2), updates = which > 1 && random_below(3) == 0;
  char type = types[which];
  struct problem o = {.m = between(1, most), .n = between(1, most), .turned = turned};
  o.ia = between(0, 9), o.ja = between(0, 9), o.ib = between(0, 9), o.jb = between(0, 9);
  if (random_below(2)) o.ia = o.ja = o.ib = o.jb = 0;
  int gap_a = between(0, 2), gap_b = between(0, 2);
  struct axis rows_a = random_axis(o.ia + (turned ? o.n : o.m) + between(0, 3), owners[0]);
  struct axis columns_a = random_axis(o.ja + (turned ? o.m : o.n) + between(0, 3), owners[1]);
  struct axis rows_b = random_axis(o.ib + o.m + between(0, 3), owners[2]);
  struct axis columns_b = random_axis(o.jb + o.n + between(0, 3), owners[3]);
  struct matrix a = matrix_of(rows_a, columns_a, bytes[which], gap_a), b = matrix_of(rows_b, columns_b, bytes[which], gap_b);
  o.a = &a, o.b = &b;
  struct memory at = memory_of(machine, a.bytes), to = memory_of(machine, b.bytes);
  unsigned char *from_at[MAX_RANKS], *to_at[MAX_RANKS];
  arrays(&a, at.there, from_at), arrays(&b, to.there, to_at);
  fill(&at, type), fill(&to, type);
  put(machine, &at), put(machine, &to);
  unsigned lanes = 32u << random_below(4), columns = 1u << random_below(8);
  int interleaved = (int)random_below(2), wrong = 0, most_unit = random_below(4) ? 16 : bytes[which];
  if (turned) lanes = columns = TURNED;
  if (updates || random_below(2)) {
    struct change update = random_update(type);
    struct plan plan = plan_make(&o, DIRECT, -1, -1, from_at, to_at, NULL, updates ? bytes[which] : most_unit);
    plan_tile(&plan, machine, lanes, columns, interleaved);
    enum kernel kernel = updates ? (enum kernel)((turned ? K_turn_add_s : K_add_s) + which - 2) : copy_kernel(plan.unit, turned);
    if (kernel == K_copy_16 && random_below(2)) kernel = K_copy_16_deep;
    if (kernel == K_copy_8 && random_below(2)) kernel = K_copy_8_deep;
    plan_run(&plan, machine, kernel, &update);
    twin_matrix(&o, type, updates ? &update : NULL, at.host, to.host);
    wrong = compare(machine, &to, turned ? "transposed" : updates ? "updated" : "copied");
    plan_free(&plan, machine);
  } else {
    /* Packs all messages, then unpacks them. Elements of a transposed message are in the order of B. */
    struct plan sizes = plan_make(&o, PACK, -1, -1, from_at, to_at, NULL, bytes[which]);
    struct memory messages = memory_of(machine, sizes.packed);
    memset(messages.host, 0xa5, messages.bytes), put(machine, &messages);
    plan_free(&sizes, machine);
    struct plan pack = plan_make(&o, PACK, -1, -1, from_at, to_at, messages.there, most_unit);
    plan_tile(&pack, machine, lanes, columns, interleaved);
    plan_run(&pack, machine, copy_kernel(pack.unit, turned), NULL);
    twin_pack(&o, at.host, messages.host);
    wrong = compare(machine, &messages, "packed");
    struct problem straight = o;
    struct plan unpack = plan_make(&straight, UNPACK, -1, -1, from_at, to_at, messages.there, most_unit);
    plan_tile(&unpack, machine, turned ? 64 : lanes, turned ? 8 : columns, interleaved);
    plan_run(&unpack, machine, copy_kernel(unpack.unit, 0), NULL);
    twin_matrix(&o, type, NULL, at.host, to.host);
    wrong |= compare(machine, &to, "unpacked");
    plan_free(&pack, machine), plan_free(&unpack, machine);
    drop(machine, &messages);
  }
  drop(machine, &at), drop(machine, &to);
  return wrong;
}

static int list_case(const struct machine *machine) {
  int which = between(0, 2), unit = 4 << which, pieces = between(1, 3000), len = random_below(2) ? 1 : between(2, 9);
  /* Pieces that do not overlap, in random order, with gaps. */
  int slots = pieces + between(0, pieces);
  struct memory array = memory_of(machine, (size_t)slots * (size_t)len * (size_t)unit), packed = memory_of(machine, (size_t)pieces * (size_t)len * (size_t)unit);
  struct memory list = memory_of(machine, (size_t)pieces * sizeof(unsigned));
  unsigned *at = malloc((size_t)slots * sizeof *at);
  if (!at) fprintf(stderr, "exact: no memory\n"), exit(2);
  for (int k = 0; k < slots; k++) at[k] = (unsigned)(k * len);
  for (int k = slots - 1; k > 0; k--) {
    unsigned other = random_below((unsigned)k + 1), x = at[k];
    at[k] = at[other], at[other] = x;
  }
  memset(list.host, 0, list.bytes), memcpy(list.host, at, (size_t)pieces * sizeof *at);
  free(at);
  fill(&array, 'b'), fill(&packed, 'b');
  put(machine, &array), put(machine, &packed), put(machine, &list);
  int packs = (int)random_below(2);
  struct memory *from = packs ? &array : &packed, *to = packs ? &packed : &array;
  struct list job = {from->there, to->there, (const unsigned *)list.there, (unsigned)len, (unsigned)(pieces * len)};
  void *arguments[] = {&job};
  machine->launch((enum kernel)((packs ? K_pack_list_4 : K_unpack_list_4) + which), (job.total + 4 * BLOCK - 1) / (4 * BLOCK), arguments);
  for (int piece = 0; piece < pieces; piece++)
    for (int k = 0; k < len; k++) {
      size_t in_array = ((const unsigned *)list.host)[piece] + (size_t)k, in_packed = (size_t)piece * (size_t)len + (size_t)k;
      memcpy(to->host + (packs ? in_packed : in_array) * (size_t)unit, from->host + (packs ? in_array : in_packed) * (size_t)unit, (size_t)unit);
    }
  int wrong = compare(machine, to, packs ? "list packed" : "list unpacked");
  drop(machine, &array), drop(machine, &packed), drop(machine, &list);
  return wrong;
}

static int plain_case(const struct machine *machine) {
  unsigned long long count = (unsigned long long)between(1, 9000);
  struct memory from = memory_of(machine, count * 16), to = memory_of(machine, count * 16);
  fill(&from, 'b'), fill(&to, 'b');
  put(machine, &from), put(machine, &to);
  void *arguments[] = {&from.there, &to.there, &count};
  machine->launch(K_plain_copy, (unsigned)((count + 4 * BLOCK - 1) / (4 * BLOCK)), arguments);
  memcpy(to.host, from.host, count * 16);
  int wrong = compare(machine, &to, "plain copy");
  drop(machine, &from), drop(machine, &to);
  return wrong;
}

int exact_run(const struct machine *machine, int cases, unsigned long long seed) {
  int wrong = 0;
  for (int k = 0; k < cases; k++) {
    state = seed * 1000003ull + (unsigned long long)k;
    cpu_descending = k % 2;
    unsigned kind = random_below(10);
    int bad = kind == 0 ? plain_case(machine) : kind == 1 ? list_case(machine) : matrix_case(machine);
    if (bad && wrong++ < MAX_FAULTS_SHOWN) fprintf(stderr, "%s: case %d of seed %llu is wrong\n", machine->name, k, seed);
  }
  return wrong;
}

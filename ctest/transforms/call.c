/* Calls one library's routine, with integers of type `int` or, for reblock with -DILP64, of 64 bits. */
#define _GNU_SOURCE
#include "transforms.h"
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

const char *const family_names[FAMILIES] = {"tran", "geadd", "tradd", "lacpy"};
const char type_letters[TYPES] = {'s', 'd', 'c', 'z'};

static void *symbol(void *handle, const char *name, const char *home) {
  Dl_info info;
  void *f = dlsym(handle, name);
  if (!f || !dladdr(f, &info) || !strstr(info.dli_fname, home)) {
    fprintf(stderr, "%s is not in %s but in %s\n", name, home, f ? info.dli_fname : "no library");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return f;
}
void load_library(struct library *l, void *handle, const char *home) {
  for (int family = 0; family < FAMILIES; family++)
    for (int type = 0; type < TYPES; type++)
      for (int second = 0; second < 2; second++) {
        const char *kind = family != TRAN || !is_complex(type) ? "" : second ? "c" : "u";
        char name[32];
        snprintf(name, sizeof name, "p%c%s%s_", type_letters[type], family_names[family], kind);
        l->routines[family][type][second] = symbol(handle, name, home);
      }
}

/* Returns a scalar in the routine's type. */
static const void *scalar(const struct problem *p, const double *value, float *single) {
  if (real_size(p->type) == 8) return value;
  single[0] = (float)value[0], single[1] = (float)value[1];
  return single;
}

#define CALL(name, INT)                                                                                                \
  static void name##_descriptor(const struct matrix *x, INT *d) {                                                      \
    *d++ = x->kind, *d++ = x->context, *d++ = x->extent[0], *d++ = x->extent[1];                                       \
    if (x->kind == 2) *d++ = x->first[0], *d++ = x->first[1];                                                          \
    *d++ = x->block[0], *d++ = x->block[1], *d++ = x->source[0], *d++ = x->source[1], *d++ = x->lld;                   \
  }                                                                                                                    \
  void name(const struct library *l, const struct problem *p, const void *a, void *c) {                                \
    INT m = p->m, n = p->n, desca[11], descc[11];                                                                      \
    INT ia = p->a.start[0], ja = p->a.start[1], ic = p->c.start[0], jc = p->c.start[1];                                \
    float kept[2][2];                                                                                                  \
    const void *alpha = scalar(p, p->alpha, kept[0]), *beta = scalar(p, p->beta, kept[1]);                             \
    name##_descriptor(&p->a, desca);                                                                                   \
    name##_descriptor(&p->c, descc);                                                                                   \
    typedef void tran(INT *, INT *, const void *, const void *, INT *, INT *, INT *, const void *, void *, INT *,      \
                      INT *, INT *);                                                                                   \
    typedef void geadd(const char *, INT *, INT *, const void *, const void *, INT *, INT *, INT *, const void *,      \
                       void *, INT *, INT *, INT *, size_t);                                                           \
    typedef void tradd(const char *, const char *, INT *, INT *, const void *, const void *, INT *, INT *, INT *,      \
                       const void *, void *, INT *, INT *, INT *, size_t, size_t);                                     \
    typedef void lacpy(const char *, INT *, INT *, const void *, INT *, INT *, INT *, void *, INT *, INT *, INT *,     \
                       size_t);                                                                                        \
    void *f = l->routines[p->family][p->type][conjugates(p)];                                                          \
    switch (p->family) {                                                                                               \
      case TRAN: ((tran *)f)(&m, &n, alpha, a, &ia, &ja, desca, beta, c, &ic, &jc, descc); break;                      \
      case GEADD: ((geadd *)f)(&p->trans, &m, &n, alpha, a, &ia, &ja, desca, beta, c, &ic, &jc, descc, 1); break;      \
      case TRADD:                                                                                                      \
        ((tradd *)f)(&p->uplo, &p->trans, &m, &n, alpha, a, &ia, &ja, desca, beta, c, &ic, &jc, descc, 1, 1);          \
        break;                                                                                                         \
      default: ((lacpy *)f)(&p->uplo, &m, &n, a, &ia, &ja, desca, c, &ic, &jc, descc, 1);                              \
    }                                                                                                                  \
  }
CALL(call_theirs, int)
CALL(call_ours, integer)

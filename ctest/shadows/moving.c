#include "moving.h"
#include "../random.h"

/* Fills all shadows of the map. */
static void all_of_it(struct array *a, const struct array *like) {
  memcpy(a->widths, a->deep, sizeof a->widths);
  if (like) a->corners = like->corners, memcpy(a->periodic, like->periodic, sizeof a->periodic);
}

/* Returns whether the shadow can be filled: a ring's shadow must not be wider than the ring. */
static int can_be_filled(const struct array *a) {
  for (int k = 0; k < a->axes; k++)
    for (int side = 0; side < 2; side++)
      if (a->extents[k] && a->periodic[k] && a->deep[k][side] > a->extents[k]) return 0;
  return 1;
}

static void element(const struct array *a, const int64_t *index, unsigned char *out) {
  uint64_t word = 17;
  for (int k = 0; k < a->axes; k++) word = hash(word, (uint64_t)index[k]);
  for (int64_t n = 0; n < a->bytes; n++) out[n] = (unsigned char)(hash(word, (uint64_t)n) | 1);
}

/* Computes the expected storage of this rank: own elements, the shadow if it is filled, and `other` elsewhere. */
static int64_t wanted(const struct array *a, int filled, unsigned char other, unsigned char *out) {
  int64_t at[AXES], copy, extents[AXES], place[AXES], index[AXES];
  if (!coordinates(a, me, at, &copy)) return 0;
  int64_t count = extents_of(a, at, extents);
  for (int64_t n = 0; n < count; n++) {
    place_of(a, extents, n, place);
    int seen = shown(a, at, place, index);
    memset(out + n * a->bytes, other, (size_t)a->bytes);
    if (seen == 0 || (seen == 1 && filled)) element(a, index, out + n * a->bytes);
  }
  return count * a->bytes;
}

static int is_so(reblock_array *array, const struct array *a, int filled, unsigned char other, unsigned char *room) {
  void *data = NULL;
  MUST(reblock_array_data(array, &data, NULL, NULL, NULL));
  int64_t bytes = wanted(a, filled, other, room);
  return !bytes || !memcmp(data, room, (size_t)bytes);
}

static void put(reblock_array *array, const struct array *a, unsigned char other, unsigned char *room) {
  void *data = NULL;
  MUST(reblock_array_data(array, &data, NULL, NULL, NULL));
  int64_t bytes = wanted(a, 0, other, room);
  if (bytes) memcpy(data, room, (size_t)bytes);
}

const char *moving(void) {
  enum { ROOM = 1 << 20 };
  static unsigned char room[ROOM];
  static const int64_t sizes[] = {1, 8, 12};
  struct array a, b;
  reblock_array *array;
  const char *bad = NULL;
  draw_like(&a, NULL, sizes[draw(0, 2)]), draw_like(&b, &a, a.bytes);
  all_of_it(&a, NULL), all_of_it(&b, &a);
  MUST(reblock_array_create(a.map, a.bytes, &array));
  put(array, &a, 9, room);
  int dead = draw(0, 5) == 0, differs = ranks > 1 && draw(0, 9) == 0;
  MUST(reblock_array_fill_shadows(array, 1, draw(0, 1) ? a.periodic : NULL, 1)); /* the last call counts */
  MUST(reblock_array_fill_shadows(array, 1, a.periodic, differs && me == 0 ? !a.corners : a.corners));
  int32_t code = reblock_array_realign(array, b.map, dead);
  int fails = differs || (!dead && !can_be_filled(&b));
  if (fails) {
    if (code != (differs ? REBLOCK_ERR_DIFFERS : REBLOCK_ERR_ARGUMENT)) bad = "an array that cannot be filled moves";
    else if (!is_so(array, &a, 0, 9, room)) bad = "an array that cannot be filled has changed";
  } else if (code) MUST(code);
  else if (!dead) {
    if (!is_so(array, &b, 1, 0, room)) bad = "an array that moves";
    /* The shadow of an array that does not move is filled again. */
    put(array, &b, 7, room);
    MUST(reblock_array_realign(array, b.map, 0));
    if (!is_so(array, &b, 1, 7, room)) bad = "an array that stays";
    put(array, &b, 7, room);
    MUST(reblock_array_fill_shadows(array, 0, NULL, 0));
    MUST(reblock_array_realign(array, b.map, 0));
    if (!is_so(array, &b, 0, 7, room)) bad = "an array that stays, whose shadow is not filled";
    MUST(reblock_array_realign(array, a.map, 0));
    if (!is_so(array, &a, 0, 0, room)) bad = "an array whose shadow is not filled";
  }
  MUST(reblock_array_free(&array)), MUST(reblock_map_free(&a.map)), MUST(reblock_map_free(&b.map));
  return bad;
}

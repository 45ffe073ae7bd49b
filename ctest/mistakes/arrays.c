/* Mistakes with arrays of the library's own storage. */
#include "mistakes.h"

int32_t arrays(void) {
  reblock_map *map = from, *spread = NULL;
  int64_t element = 8, stride = 2;
  reblock_array *made = NULL, **out = &made;
  reblock_map_strides(from, &stride, &spread);
  if (mistake("an array of elements of 0 bytes", ARGUMENT, ANYBODY)) element = 0;
  if (mistake("an array of elements of -1 bytes", ARGUMENT, ANYBODY)) element = -1;
  if (mistake("an array of elements of another size", DIFFERS, ONE)) element = 4;
  if (mistake("an array of another map", DIFFERS, ONE)) map = to;
  if (mistake("an array with strides of the program's", ARGUMENT, ANYBODY)) map = spread;
  if (mistake("nowhere to put an array", ARGUMENT, ANYBODY)) out = NULL;
  int32_t code = reblock_array_create(map, element, out);
  if (code && made) report("has an array after an error", code);
  reblock_map_free(&spread);
  if (made) reblock_array_free(&made);
  return code;
}

/* Returns a template with blocks of this size, committed or not. */
static reblock_template *another(int64_t upper, int64_t block, int commit) {
  int64_t lower = 1;
  reblock_template *made = NULL;
  reblock_template_create(procs, 1, &lower, &upper, &made);
  reblock_template_dist_cyclic(made, 0, 0, block);
  if (commit) reblock_template_commit(made);
  return made;
}

static int is_whole(reblock_array *array) {
  int64_t extent = 0, block = (N + ranks - 1) / ranks, bad = 0, *data = NULL;
  if (reblock_array_data(array, (void **)&data, &extent, NULL, NULL)) return 0;
  for (int64_t i = 0; i < extent; i++) bad += data[i] != me * block + i;
  return !bad;
}

/* Makes an array in blocks, with a template of its own. */
static void own_array(reblock_template **template, reblock_map **map, reblock_array **array) {
  int64_t extent = 0, block = (N + ranks - 1) / ranks, *data = NULL;
  int64_t lower = 1, upper = N;
  reblock_template_create(procs, 1, &lower, &upper, template);
  reblock_template_dist_block(*template, 0, 0, 0);
  reblock_template_commit(*template);
  int32_t code = reblock_map_whole(*template, map);
  if (!code) code = reblock_array_create(*map, 8, array);
  if (!code) code = reblock_array_data(*array, (void **)&data, &extent, NULL, NULL);
  if (code) report("cannot make an array", code);
  for (int64_t i = 0; i < extent; i++) data[i] = me * block + i;
}

int32_t redistributions(void) {
  reblock_template *template = NULL, *like = another(N, 5, 1), *other = another(N, 7, 1), *open = another(N, 5, 0);
  reblock_template *longer = another(N + 1, 5, 1), *given = like;
  reblock_map *map = NULL;
  reblock_array *array = NULL, *stranger = NULL;
  reblock_array *dead = NULL;
  int64_t deads = 0;
  own_array(&template, &map, &array);
  if (reblock_array_create(from, 8, &stranger)) report("cannot make another array", 0);
  if (mistake("a template like one of other bounds", ARGUMENT, ANYBODY)) given = longer;
  if (mistake("a template like one that is not committed", STATE, ANYBODY)) given = open;
  if (mistake("a template like another one", DIFFERS, ONE)) given = other;
  if (mistake("a template like none", HANDLE, ANYBODY)) given = NULL;
  if (mistake("a dead array of another template", ARGUMENT, ANYBODY)) deads = 1, dead = stranger;
  if (mistake("a dead array that is none", HANDLE, ANYBODY)) deads = 1;
  if (mistake("an array that is dead here only", DIFFERS, ONE)) deads = 1, dead = array;
  if (mistake("-1 dead arrays", ARGUMENT, ANYBODY)) deads = -1;
  int32_t code = reblock_template_redistribute(template, given, deads, &dead);
  if (code && !is_whole(array)) report("has changed the array", code);
  reblock_array_free(&array), reblock_array_free(&stranger), reblock_map_free(&map);
  reblock_template_free(&template), reblock_template_free(&like), reblock_template_free(&other);
  reblock_template_free(&longer), reblock_template_free(&open);
  return code;
}

int32_t realignments(void) {
  reblock_template *template = NULL, *longer = another(N + 1, 5, 1);
  reblock_map *map = NULL, *long_map = NULL, *given = to;
  reblock_array *array = NULL;
  int32_t dead = 0;
  own_array(&template, &map, &array);
  if (reblock_map_whole(longer, &long_map)) report("cannot make a map", 0);
  if (mistake("a map of other bounds", ARGUMENT, ANYBODY)) given = long_map;
  if (mistake("another map", DIFFERS, ONE)) given = from;
  if (mistake("no map", HANDLE, ANYBODY)) given = NULL;
  if (mistake("dead here only", DIFFERS, ONE)) dead = 1;
  if (mistake("shadows that are filled here only", DIFFERS, ONE)) early = reblock_array_fill_shadows(array, 1, NULL, 0);
  int32_t code = reblock_array_realign(array, given, dead);
  if (code && !is_whole(array)) report("has changed the array", code);
  reblock_array_free(&array), reblock_map_free(&map), reblock_map_free(&long_map);
  reblock_template_free(&template), reblock_template_free(&longer);
  return code;
}

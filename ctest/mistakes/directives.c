/* Mistakes in directives. */
#include "mistakes.h"

int32_t directives(void) {
  char procs_line[64], other_line[64];
  snprintf(procs_line, sizeof procs_line, "PROCESSORS P(%d)", ranks);
  snprintf(other_line, sizeof other_line, "PROCESSORS P(1,%d)", ranks);
  const char *lines[] = {procs_line, "TEMPLATE T(100)", "!HPF$ DISTRIBUTE T(BLOCK) ONTO P", "DIMENSION A(50)",
                         "ALIGN A(i) WITH T(2*i)"};
  reblock_scope *scope = NULL;
  reblock_map *map = NULL;
  if (mistake("a directive that is none", TEXT, ANYBODY)) lines[0] = "PROCESSOR P(1)";
  if (mistake("an arrangement without its end", TEXT, ANYBODY)) lines[0] = "PROCESSORS P(";
  if (mistake("no directive", ARGUMENT, ANYBODY)) lines[0] = NULL;
  if (mistake("another arrangement", DIFFERS, ONE)) lines[0] = other_line;
  if (mistake("a template of a text", TEXT, ANYBODY)) lines[1] = "TEMPLATE T(ten)";
  if (mistake("a format that there is not", TEXT, ANYBODY)) lines[2] = "DISTRIBUTE T(BLOCKS) ONTO P";
  if (mistake("an unknown template", 0, ANYBODY)) lines[2] = "DISTRIBUTE U(BLOCK) ONTO P";
  if (mistake("an unknown arrangement", 0, ANYBODY)) lines[2] = "DISTRIBUTE T(BLOCK) ONTO Q";
  if (mistake("an arrangement twice", STATE, ANYBODY)) lines[1] = procs_line;
  if (mistake("a template in place of an arrangement", STATE, ANYBODY)) lines[2] = "DISTRIBUTE T(BLOCK) ONTO T";
  if (mistake("no arrangement of that shape", STATE, ANYBODY)) lines[2] = "DISTRIBUTE T(BLOCK) ONTO (99)";
  if (mistake("distributing an arrangement", STATE, ALL)) lines[2] = "DISTRIBUTE P(BLOCK) ONTO P";
  if (mistake("redistributing before distributing", STATE, ALL)) lines[2] = "REDISTRIBUTE T(BLOCK) ONTO P";
  if (mistake("distributing twice", STATE, ALL)) lines[3] = "DISTRIBUTE T(CYCLIC) ONTO P";
  if (mistake("a line that is no text", ARGUMENT, ANYBODY)) lines[3] = "DIMENSION \xff(50)";
  if (mistake("realigning before aligning", STATE, ALL)) lines[4] = "REALIGN A(i) WITH T(2*i)";
  if (mistake("aligning a template", STATE, ALL)) lines[4] = "ALIGN T(i) WITH T(i)";
  if (mistake("aligning with an arrangement", STATE, ALL)) lines[4] = "ALIGN A(i) WITH P(i)";
  if (mistake("attributes that exclude each other", TEXT, ANYBODY)) lines[2] = "ALIGN WITH T, DISTRIBUTE (BLOCK) ONTO P :: T";
  if (mistake("an attribute of a name that there is not", 0, ANYBODY)) lines[2] = "DYNAMIC, DISTRIBUTE (BLOCK) ONTO P :: U";
  if (mistake("another distribution", DIFFERS, ONE)) lines[2] = "DISTRIBUTE T(CYCLIC) ONTO P";
  if (mistake("an alignment beyond the template", 0, ANYBODY)) lines[4] = "ALIGN A(i) WITH T(3*i)";
  if (mistake("an alignment with nothing known", 0, ANYBODY)) lines[4] = "ALIGN A(i) WITH U(i)";
  int32_t code = reblock_scope_create(MPI_COMM_WORLD, &scope);
  for (int i = 0; i < 5 && !code; i++) code = reblock_scope_directive(scope, lines[i]);
  if (!code) code = reblock_scope_map(scope, "A", &map);
  reblock_map_free(&map);
  reblock_scope_free(&scope);
  return code;
}

/* Names are looked up locally, by each rank. */
int32_t names(void) {
  char line[64];
  snprintf(line, sizeof line, "PROCESSORS P(%d)", ranks);
  reblock_scope *scope = NULL;
  reblock_map *map = NULL, **out = &map;
  const char *name = "A";
  int32_t code = reblock_scope_create(MPI_COMM_WORLD, &scope);
  const char *lines[] = {line, "TEMPLATE T(100)", "DISTRIBUTE T(BLOCK) ONTO P", "DIMENSION A(50)",
                         "ALIGN A(i) WITH T(i)"};
  for (int i = 0; i < 5 && !code; i++) code = reblock_scope_directive(scope, lines[i]);
  if (code) report("cannot declare", code);
  if (mistake("an unknown name", 0, ANYBODY)) name = "B";
  if (mistake("the name of a template for a map", 0, ANYBODY)) name = "T";
  if (mistake("a name that is no text", ARGUMENT, ANYBODY)) name = "\xff";
  if (mistake("no name", ARGUMENT, ANYBODY)) name = NULL;
  if (mistake("nowhere to put a map", ARGUMENT, ANYBODY)) out = NULL;
  code = reblock_scope_map(scope, name, out);
  reblock_map_free(&map);
  reblock_scope_free(&scope);
  return code;
}

/* The current mistake, the ranks that make it, and the data that stay right. */
#ifndef MISTAKES_H
#define MISTAKES_H
#include "reblock.h"
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 1000, ROOM = N + 64, MAX_RANKS = 64 };
/* Codes by their short names. */
enum code {
  HANDLE = REBLOCK_ERR_HANDLE, ARGUMENT = REBLOCK_ERR_ARGUMENT, STATE = REBLOCK_ERR_STATE,
  DIFFERS = REBLOCK_ERR_DIFFERS, MEMORY = REBLOCK_ERR_MEMORY, OVERLAP = REBLOCK_ERR_OVERLAP, TEXT = REBLOCK_ERR_TEXT,
  SETTINGS = REBLOCK_ERR_SETTINGS
};
/* Ranks that can make a mistake: any rank alone, or all ranks together; only one rank, since the mistake is a
 * difference from the others; only all ranks together. */
enum makers { ANYBODY, ONE, ALL };

extern int me, ranks;
/* The path of this program. */
extern const char *program;
/* Each run of a family makes at most one mistake. `seen` counts the possible mistakes passed so far in the run;
 * `chosen` is the number, from 0, of the mistake to make. */
extern int seen, chosen;
/* The code of a local call before the checked one. */
extern int32_t early;
/* A vector in blocks, and the same vector with a cyclic distribution. */
extern reblock_procs *procs;
extern reblock_template *blocks, *cyclic;
extern reblock_map *from, *to;
extern reblock_plan *plan;
extern int64_t source[ROOM], target[ROOM];
extern char text_room[8];

/* Returns whether this rank makes this mistake now; `code` is the expected code; 0: any. */
int mistake(const char *what, int32_t code, enum makers makers);
/* Names the current test, and starts its time limit. */
void begin(const char *what);
/* Clears the target. */
void empty_target(void);
/* Reports an error, with the text of the last call that failed. */
void report(const char *what, int32_t code);

/* Families of calls with all their possible mistakes. Each makes the chosen mistake and returns the code. */
int32_t arrangements(void);
int32_t templates(void);
int32_t maps(void);
int32_t inquiries(void);
int32_t bounds(void);
int32_t plans(void);
int32_t sizes(void);
int32_t executes(void);
int32_t starts(void);
int32_t executes_of_many(void);
int32_t starts_of_many(void);
int32_t handles(void);
int32_t refusals(void);
int32_t stale(void);
int32_t times(void);
int32_t arrays(void);
int32_t redistributions(void);
int32_t realignments(void);
int32_t directives(void);
int32_t names(void);
int32_t process_grids(void);
int32_t communicators(void);
int32_t gone(void);
int32_t functions(void);
int32_t outside(void);
int32_t plain_maps(void);
int32_t darrays(void);
int32_t text_maps(void);
int32_t section_moves(void);
int32_t reverses(void);
int32_t shadow_plans(void);
int32_t shadow_moves(void);
int32_t updates(void);
int32_t started_updates(void);
int32_t updates_of_many(void);
int32_t started_updates_of_many(void);
int32_t moved_updates(void);
int32_t gathers(void);
int32_t scatters(void);
int32_t special_communicators(void);
/* Tests functions with communicators of every kind; returns the number of calls. */
int communicators_are_served(void);
int32_t counts_of_arrangements(void);
int32_t counts_of_templates(void);
int32_t counts_of_maps(void);
int32_t counts_of_made_maps(void);
int32_t counts_of_boxes(void);
int32_t counts_of_scalars(void);
int32_t counts_of_plans(void);
int32_t counts_of_options(void);
int32_t counts_of_moves(void);
int32_t counts_of_storage(void);
int32_t counts_of_grids(void);
#endif

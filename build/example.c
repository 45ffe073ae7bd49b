const char *layouts[2] = {"(BLOCK, *)", "(*, BLOCK)"};
int64_t first[2] = {0, 0}, last[2] = {999, 499};
reblock_procs_create(comm, 1, &ranks, NULL, &procs);
for (int k = 0; k < 2; k++) {
  reblock_template_create(procs, 2, first, last, &tmpl);
  reblock_template_dist_text(tmpl, layouts[k]);
  reblock_template_commit(tmpl);
  reblock_map_whole(tmpl, &maps[k]);
}
reblock_plan_create(comm, maps[0], NULL, maps[1], NULL, sizeof(double), NULL, &plan);
reblock_plan_execute(plan, rows, columns); // as often as needed, with the addresses of the local arrays

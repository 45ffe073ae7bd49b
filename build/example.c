int64_t extents[2] = {1000, 500};
reblock_map_from_text(comm, 2, extents, "(BLOCK, *)", &maps[0]);
reblock_map_from_text(comm, 2, extents, "(*, BLOCK)", &maps[1]);
// With a plan that the library makes once and keeps; `rows` and `columns` are the addresses of the local arrays:
reblock_move(comm, maps[0], NULL, maps[1], NULL, sizeof(double), rows, columns);
// With a plan of the program's own, executed as often as needed, and the way back:
reblock_plan_create(comm, maps[0], NULL, maps[1], NULL, sizeof(double), NULL, &plan);
reblock_plan_execute(plan, rows, columns);
reblock_plan_reverse(plan, &back);
reblock_plan_execute(back, columns, rows);

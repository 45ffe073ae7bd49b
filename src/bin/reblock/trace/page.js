"use strict";
const key = (row, column) => {
  const text = row.cells[column].dataset.key, number = Number(text);
  return text === "" || Number.isNaN(number) ? text : number;
};
document.querySelectorAll("table").forEach((table) => {
  const headings = [...table.tHead.rows[0].cells], status = table.closest("section").querySelector(".sorted");
  headings.forEach((heading, column) => {
    const button = heading.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const now = heading.getAttribute("aria-sort");
      // Numbers are of interest from the largest on, shapes as they are numbered, results from those that differ on.
      const order = now ? (now === "ascending" ? "descending" : "ascending") : column > 1 ? "descending" : "ascending";
      const sign = order === "ascending" ? 1 : -1;
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        return x < y ? -sign : x > y ? sign : 0;
      });
      table.tBodies[0].append(...rows);
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", order);
      status.textContent = `Sorted by ${button.textContent}, ${order}.`;
    });
  });
  // A click on the shape that the address names already changes nothing in it.
  table.addEventListener("click", (event) => {
    if (event.target.closest("a")?.hash === location.hash) reveal();
  });
});
const reveal = () => {
  const chosen = location.hash.startsWith("#shape-") && document.getElementById(location.hash.slice(1));
  if (!chosen) return;
  chosen.open = true;
  chosen.querySelector("summary").focus();
};
addEventListener("hashchange", reveal);
reveal();

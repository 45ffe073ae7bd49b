// Tests a page of `reblock report` in headless Chromium: light and dark, 360 pixels wide, by keyboard only, printed, without
// scripts, without a network. Usage: node browser.mjs PAGE FOLDER [CHROMIUM]; screenshots go to FOLDER.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page_file, folder, executablePath = "/usr/bin/chromium"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const address = pathToFileURL(page_file).href;

// Opens a page, and records its errors and requests.
const visit = async (options) => {
  const page = await (await browser.newContext(options)).newPage();
  const trouble = [];
  page.on("pageerror", (error) => trouble.push(`error: ${error}`));
  page.on("console", (message) => message.type() === "error" && trouble.push(message.text()));
  page.on("request", (request) => request.url() !== address && trouble.push(`asks for ${request.url()}`));
  await page.goto(address);
  return { page, trouble };
};
const shot = (page, name) => page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });

// The contrast of text to its background must be at least 4.5 (WCAG 2.1, 1.4.3).
const contrasts = (page) => page.evaluate(() => {
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (c) => c.slice(0, 3).map((x) => x / 255).map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest("script, style")) continue;
    const style = getComputedStyle(element), ink = element.closest("svg") ? style.fill : style.color;
    const [a, b] = [light(rgb(ink)), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) poor.push(`${element.tagName} ${ink}: ${element.textContent.trim().slice(0, 40)}`);
  }
  return poor;
});

for (const colorScheme of ["light", "dark"]) {
  const { page, trouble } = await visit({ colorScheme, viewport: { width: 1200, height: 900 } });
  assert.deepEqual(await contrasts(page), [], colorScheme);
  assert.deepEqual(trouble, []);
  await shot(page, colorScheme);
}

{ // The picture in docs/trial.md is this one: cp target/report/first.png docs/report.png.
  const { page } = await visit({ viewport: { width: 1280, height: 800 } });
  await page.screenshot({ path: `${folder}/first.png` });
}

{ // Only tables and drawings may be wider than a small screen, and they must scroll by themselves.
  const { page } = await visit({ viewport: { width: 360, height: 740 } });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, "the page is wider than the screen");
  const stuck = await page.$$eval("main *", (all) => all.filter((e) => !e.closest(".scroll, svg") && e.getBoundingClientRect().right > 361).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(stuck, []);
  await shot(page, "narrow");
}

// Results must be visible without scrolling on every screen. Whole tables must be visible on large screens, and on small screens with one
// figure on each line.
for (const width of [360, 390, 600, 800, 1000, 1200, 1280, 1440, 1600, 1920]) {
  const { page } = await visit({ viewport: { width, height: 900 } });
  const seen = await page.$eval(".scroll", (box) => ({
    hidden: box.scrollWidth - box.clientWidth,
    results: Math.max(...[...box.querySelectorAll(".result")].map((e) => e.getBoundingClientRect().right)),
  }));
  assert.ok(seen.results <= width, `results end at ${seen.results} of ${width} pixels`);
  assert.ok((width > 640 && width < 1000) || seen.hidden <= 0, `${seen.hidden} pixels of the table are hidden at ${width}`);
}

{ // By keyboard: sort a column twice, and open a shape; the focus must be visible all the time.
  const { page, trouble } = await visit({ viewport: { width: 1200, height: 900 } });
  const focused = () => page.evaluate(() => {
    const e = document.activeElement, style = getComputedStyle(e);
    return { tag: e.tagName, text: e.textContent.trim(), id: e.closest("details")?.id, outline: style.outlineStyle !== "none" };
  });
  const to = async (found) => {
    for (let k = 0; k < 200; k++) {
      await page.keyboard.press("Tab");
      const now = await focused();
      if (now.tag === "BODY") continue;
      assert.ok(now.outline, `the focus is not seen on ${now.tag} ${now.text}`);
      if (found(now)) return now;
    }
    assert.fail("no such place by keyboard");
  };
  const keys = (column) => page.$$eval("tbody tr", (rows, column) => rows.map((row) => Number(row.cells[column].dataset.key)), column);
  await to((now) => now.tag === "BUTTON" && now.text.startsWith("calls"));
  for (const [order, sign] of [["descending", -1], ["ascending", 1]]) {
    await page.keyboard.press("Enter");
    const sorted = await keys(2);
    assert.deepEqual(sorted, [...sorted].sort((a, b) => sign * (a - b)), order);
    assert.equal(await page.getAttribute("th:nth-child(3)", "aria-sort"), order);
    assert.equal(await page.textContent(".sorted"), `Sorted by calls, ${order}.`);
  }
  const rows = await page.$$("tbody tr");
  assert.ok(rows.length > 1, "a sample with one row only sorts nothing");
  const link = await to((now) => now.tag === "A" && now.text.startsWith("2."));
  await page.keyboard.press("Enter");
  // waitForFunction would need eval, which the page's policy forbids.
  for (let k = 0; k < 100 && (await focused()).tag !== "SUMMARY"; k++) await page.waitForTimeout(50);
  assert.equal((await focused()).id, "shape-2", link.text);
  assert.ok(await page.$eval("#shape-2", (details) => details.open && details.querySelectorAll("svg").length === 3));
  await page.keyboard.press("Enter");
  assert.ok(await page.$eval("#shape-2", (details) => !details.open), "Enter closes it again");
  assert.deepEqual(trouble, []);
}

{ // Without scripts everything must be readable.
  const { page } = await visit({ javaScriptEnabled: false });
  assert.ok((await page.locator("tbody tr").count()) > 1);
  await page.locator("details summary").nth(1).click();
  assert.ok(await page.locator("#shape-2 svg").first().isVisible());
}

{ // On paper: dark ink on white, nothing cut off.
  const { page } = await visit({ colorScheme: "dark", viewport: { width: 720, height: 1000 } });
  await page.emulateMedia({ media: "print" });
  assert.deepEqual(await contrasts(page), [], "print");
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)");
  const cut = await page.$$eval("main *", (all) => all.filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > 721).map((e) => e.outerHTML.slice(0, 80)));
  assert.deepEqual(cut, []);
  const pdf = await page.pdf({ path: `${folder}/page.pdf`, format: "A4" });
  assert.ok(pdf.length > 10_000);
  // If there are many shapes, a printed page has the first shapes.
  await page.$eval("tbody", (body) => { for (let k = 0; k < 200; k++) body.append(body.rows[k % 5].cloneNode(true)); });
  await page.$eval("main", (main) => { for (let k = 0; k < 200; k++) main.append(main.querySelectorAll("details")[1].cloneNode(true)); });
  const pages = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages <= 8, `${pages} pages`);
}

await browser.close();
console.log("report: light, dark, 360 pixels, keyboard, no scripts, print");

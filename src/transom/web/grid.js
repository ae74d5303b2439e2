"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const OUTCOME = ["absent", "passed", "failed", "flaky", "skipped"];
const COLOUR = ["--absent", "--pass", "--fail", "--flaky", "--skip"];
const LETTER = ["", "", "F", "~", ""];
const ROW = 22, CELL = 18, HEAD = 74;
const at = (id) => document.getElementById(id);
const grid = at("grid"), space = at("space"), names = at("names"), cells = at("cells"), headCells = at("head-cells");
const state = { tab: 0, q: "", show: "all", run: null, test: null, compare: null };
let tab = null, decoded = new Map(), told = null, rows = [], colours = [];

// The address keeps what is looked at, so that a link shows the same to a colleague.
function readAddress() {
  const p = new URLSearchParams(location.hash.slice(1));
  const wanted = data.tabs.findIndex((t) => t.title === p.get("tab"));
  state.tab = wanted < 0 ? 0 : wanted;
  state.q = p.get("q") || "";
  state.show = p.get("show") || "all";
  state.test = p.get("test");
  state.run = p.get("run");
  state.compare = p.get("compare");
}
function writeAddress() {
  const p = new URLSearchParams();
  if (tab) p.set("tab", tab.title);
  for (const key of ["q", "test", "run", "compare"]) if (state[key]) p.set(key, state[key]);
  if (state.show !== "all") p.set("show", state.show);
  history.replaceState(null, "", "#" + p);
}
function cellsOf(row) {
  let found = decoded.get(row);
  if (!found) {
    found = new Uint8Array(tab.runs.length);
    const written = tab.rows[row];  // one outcome for all runs, or a digit for each
    if (typeof written === "string") for (let i = 0; i < found.length; i++) found[i] = written.charCodeAt(i) - 48;
    else found.fill(written);
    decoded.set(row, found);
  }
  return found;
}
function openTab(index) {
  tab = data.tabs[index] || null;
  state.tab = index;
  decoded = new Map();
  told = new Map();
  if (tab) for (let i = 0; i < tab.told.length; i += 3) told.set(tab.told[i] * 65536 + tab.told[i + 1], tab.told[i + 2]);
  for (const [i, button] of [...at("tabs").children].entries()) {
    button.setAttribute("aria-selected", i === index);
    button.tabIndex = i === index ? 0 : -1;
  }
  fillCompare();
  filter();
}
function otherStates() {
  const other = data.tabs.find((t) => t.title === state.compare);
  return other ? new Map(other.tests.map((name, i) => [name, other.states[i]])) : null;
}
function filter() {
  if (!tab) return;
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const other = otherStates();
  rows = [];
  for (let i = 0; i < tab.tests.length; i++) {
    const name = data.names[tab.tests[i]].toLowerCase();
    if (!words.every((word) => name.includes(word))) continue;
    if (state.show === "skipped" && cellsOf(i).at(-1) !== 4) continue;
    if (["FAIL", "FLAKY", "PASS", "SKIP", "STALE"].includes(state.show) && tab.states[i] !== state.show) continue;
    if (other && other.get(tab.tests[i]) === tab.states[i]) continue;
    rows.push(i);
  }
  at("count").textContent = `${rows.length.toLocaleString("en")} of ${tab.tests.length.toLocaleString("en")} tests, ${tab.runs.length} runs` +
    (other ? ", only those that stand differently there" : "");
  space.style.height = HEAD + rows.length * ROW + "px";
  space.style.width = `calc(var(--names) + ${tab.runs.length * CELL + 4}px)`;
  writeAddress();
  draw();
  showDetail();
}
function column(index) { return tab.runs.length - 1 - index; }  // the newest run stands left
function fit(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    canvas.style.width = width + "px"; canvas.style.height = height + "px";
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
function draw() {
  if (!tab) return;
  const left = names.offsetWidth, top = grid.scrollTop, across = grid.scrollLeft;
  const width = Math.max(0, grid.clientWidth - left), height = Math.max(0, grid.clientHeight - HEAD);
  const first = Math.floor(top / ROW), last = Math.min(rows.length, first + Math.ceil(height / ROW) + 1);
  const from = Math.floor(across / CELL), to = Math.min(tab.runs.length, from + Math.ceil(width / CELL) + 1);
  drawHead(left, across, width, from, to);
  cells.style.left = left + across + "px"; cells.style.top = top + HEAD + "px";
  const pen = fit(cells, width, height);
  pen.font = "600 11px system-ui, sans-serif"; pen.textAlign = "center"; pen.textBaseline = "middle";
  for (let r = first; r < last; r++) {
    const values = cellsOf(rows[r]), y = r * ROW - top;
    for (let c = from; c < to; c++) {
      const value = values[column(c)], x = c * CELL - across;
      if (!value) continue;
      pen.fillStyle = colours[value];
      pen.fillRect(x + 1, y + 2, CELL - 2, ROW - 4);
      if (LETTER[value]) { pen.fillStyle = "#fff"; pen.fillText(LETTER[value], x + CELL / 2, y + ROW / 2); }
      if (isChosen(rows[r], column(c))) {
        pen.strokeStyle = colours.text; pen.lineWidth = 2; pen.strokeRect(x + 1, y + 2, CELL - 2, ROW - 4);
      }
    }
  }
  drawNames(first, last);
}
function drawHead(left, across, width, from, to) {
  headCells.style.left = left + across + "px"; headCells.style.top = "0px";
  const pen = fit(headCells, width, HEAD - 1);
  pen.font = "11px system-ui, sans-serif"; pen.fillStyle = colours.dim; pen.textBaseline = "middle";
  let day = "";
  for (let c = from; c < to; c++) {
    const run = tab.runs[column(c)], x = c * CELL - across + CELL / 2;
    const text = new Date(run.started * 1000).toISOString().slice(0, 10);
    pen.save(); pen.translate(x, HEAD - 6); pen.rotate(-Math.PI / 2);
    pen.fillText(text === day ? "·" : text, 0, 0); pen.restore();
    day = text;
    const older = tab.runs[column(c) - 1];
    if (older && changes(older, run).length) { pen.fillStyle = colours.accent; pen.fillRect(x + CELL / 2 - 1, HEAD - 10, 2, 10); pen.fillStyle = colours.dim; }
  }
}
function drawNames(first, last) {
  const made = [];
  for (let r = first; r < last; r++) {
    const div = document.createElement("div");
    div.style.top = r * ROW + "px";
    const badge = document.createElement("span"); badge.className = "badge"; badge.dataset.state = tab.states[rows[r]]; badge.textContent = tab.states[rows[r]];
    const name = document.createElement("span"); name.className = "name"; name.textContent = data.names[tab.tests[rows[r]]]; name.title = name.textContent;
    div.append(badge, name);
    if (data.names[tab.tests[rows[r]]] === state.test) div.className = "at";
    made.push(div);
  }
  names.style.height = rows.length * ROW + "px";
  names.replaceChildren(...made);
}
function isChosen(row, col) { return data.names[tab.tests[row]] === state.test && tab.runs[col].name === state.run; }
function changes(older, newer) {
  const keys = new Set([...Object.keys(older.on), ...Object.keys(newer.on)]);
  return [...keys].filter((key) => older.on[key] !== newer.on[key]).map((key) => `${key} ${older.on[key] || "unknown"} → ${newer.on[key] || "unknown"}`);
}
function choose(row, col) {
  state.test = data.names[tab.tests[row]]; state.run = tab.runs[col].name;
  writeAddress(); draw(); showDetail();
}
function line(list, term, text) {
  const dt = document.createElement("dt"), dd = document.createElement("dd");
  dt.textContent = term; dd.textContent = text; list.append(dt, dd);
}
function duration(ms) { return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000)} min ${Math.round(ms % 60000 / 1000)} s`; }
function causeOf(text) {
  const cause = data.causes[data.cause_of[text]], list = document.createElement("dl");
  line(list, "cause", cause ? `${cause.title} (${cause.id}, ${cause.sureness})` : "not known");
  if (cause) line(list, "what to do", cause.remedy);
  return list;
}
function showDetail() {
  const box = at("detail");
  const row = tab ? tab.tests.findIndex((number) => data.names[number] === state.test) : -1;
  const col = tab ? tab.runs.findIndex((run) => run.name === state.run) : -1;
  box.hidden = row < 0 || col < 0;
  if (box.hidden) return;
  const values = cellsOf(row), run = tab.runs[col], list = document.createElement("dl"), title = document.createElement("h2");
  title.textContent = state.test;
  line(list, "outcome", OUTCOME[values[col]]);
  line(list, "run", run.name);
  line(list, "started", new Date(run.started * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC");
  if (tab.took[row]) line(list, col === tab.runs.length - 1 ? "took" : "took in the newest run", duration(tab.took[row]));
  for (const [key, value] of Object.entries(run.on)) line(list, key, value);
  const parts = [title, list];
  if (values[col] === 2) {
    let bad = col; while (bad > 0 && values[bad - 1] !== 1 && values[bad - 1] !== 3) bad--;
    while (values[bad] !== 2) bad++;
    const what = document.createElement("dl");
    line(what, "first bad run", tab.runs[bad].name);
    let good = bad - 1; while (good >= 0 && values[good] !== 1 && values[good] !== 3) good--;
    line(what, "last good run", good < 0 ? "none here" : tab.runs[good].name);
    if (good >= 0) line(what, "what differed", changes(tab.runs[good], tab.runs[bad]).join("; ") || "nothing that is known of the runs");
    parts.push(what);
  }
  const text = told.get(row * 65536 + col);
  if (text !== undefined) parts.push(causeOf(text));
  if (text !== undefined) { const pre = document.createElement("pre"); pre.textContent = data.texts[text]; parts.push(pre); }
  at("detail-body").replaceChildren(...parts);
}
function move(down, across) {
  if (!tab || !rows.length) return;
  let row = rows.findIndex((r) => data.names[tab.tests[r]] === state.test);
  let col = tab.runs.findIndex((run) => run.name === state.run);
  if (row < 0 || col < 0) { row = Math.floor(grid.scrollTop / ROW); col = tab.runs.length - 1; }
  else { row = Math.min(rows.length - 1, Math.max(0, row + down)); col = Math.min(tab.runs.length - 1, Math.max(0, col - across)); }
  const y = row * ROW, x = column(col) * CELL;
  const height = grid.clientHeight - HEAD, width = grid.clientWidth - names.offsetWidth;
  if (y < grid.scrollTop) grid.scrollTop = y; else if (y + ROW > grid.scrollTop + height) grid.scrollTop = y + ROW - height;
  if (x < grid.scrollLeft) grid.scrollLeft = x; else if (x + CELL > grid.scrollLeft + width) grid.scrollLeft = x + CELL - width;
  choose(rows[row], col);
}
function failure(step) {
  const from = rows.findIndex((r) => data.names[tab.tests[r]] === state.test);
  for (let r = from + step; r >= 0 && r < rows.length; r += step)
    if (tab.states[rows[r]] === "FAIL") { const values = cellsOf(rows[r]); choose(rows[r], values.lastIndexOf(2)); grid.scrollTop = Math.max(0, r * ROW - 60); return; }
}
function fillCompare() {
  const made = [new Option("compare with …", "")];
  for (const other of data.tabs) if (other !== tab) made.push(new Option(other.title, other.title));
  at("compare").replaceChildren(...made);
  at("compare").value = data.tabs.some((t) => t !== tab && t.title === state.compare) ? state.compare : (state.compare = "");
}
function readColours() {
  const style = getComputedStyle(document.documentElement);
  colours = COLOUR.map((name) => style.getPropertyValue(name).trim());
  for (const name of ["text", "dim", "accent"]) colours[name] = style.getPropertyValue("--" + name).trim();
  for (const key of document.querySelectorAll(".key i")) key.style.background = style.getPropertyValue("--" + key.dataset.is);
}
function theme(next) {
  if (next) document.documentElement.dataset.theme = next;
  readColours(); draw();
}
function start() {
  for (const [index, one] of data.tabs.entries()) {
    const button = document.createElement("button"), badge = document.createElement("span");
    badge.className = "badge"; badge.dataset.state = one.state; badge.textContent = one.state;
    button.setAttribute("role", "tab"); button.append(badge, " " + one.title);
    button.onclick = () => { state.test = state.run = null; grid.scrollTop = 0; openTab(index); };
    at("tabs").append(button);
  }
  readAddress();
  at("q").value = state.q; at("show").value = state.show;
  at("q").oninput = (event) => { state.q = event.target.value; grid.scrollTop = 0; filter(); };
  at("show").onchange = (event) => { state.show = event.target.value; grid.scrollTop = 0; filter(); };
  at("compare").onchange = (event) => { state.compare = event.target.value; filter(); };
  at("close").onclick = () => { state.test = state.run = null; writeAddress(); draw(); showDetail(); grid.focus(); };
  at("theme").onclick = () => {
    const dark = document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    theme(dark ? "light" : "dark");
  };
  let waiting = false;
  grid.onscroll = () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } };
  cells.onclick = (event) => {
    const box = cells.getBoundingClientRect();
    const r = Math.floor((event.clientY - box.top + grid.scrollTop) / ROW), c = Math.floor((event.clientX - box.left + grid.scrollLeft) / CELL);
    if (r < rows.length && c < tab.runs.length) choose(rows[r], column(c));
  };
  names.onclick = (event) => {
    const r = Math.floor((event.clientY - names.getBoundingClientRect().top) / ROW);
    if (r < rows.length) choose(rows[r], tab.runs.length - 1);
  };
  grid.onkeydown = (event) => {
    const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [20, 0], PageUp: [-20, 0], j: [1, 0], k: [-1, 0], l: [0, 1], h: [0, -1] }[event.key];
    if (step) { move(...step); event.preventDefault(); }
    else if (event.key === "n") failure(1); else if (event.key === "p") failure(-1);
    else if (event.key === "Escape") at("close").click();
  };
  document.onkeydown = (event) => { if (event.key === "/" && event.target === document.body | event.target === grid) { at("q").focus(); event.preventDefault(); } };
  at("tabs").onkeydown = (event) => {
    const next = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (next) { const i = (state.tab + next + data.tabs.length) % data.tabs.length; at("tabs").children[i].click(); at("tabs").children[i].focus(); }
  };
  window.onresize = draw;
  window.onhashchange = () => { readAddress(); at("q").value = state.q; at("show").value = state.show; openTab(state.tab); };
  matchMedia("(prefers-color-scheme: dark)").onchange = () => theme();
  readColours();
  openTab(state.tab);
  at("empty").hidden = data.tabs.length > 0;
}
start();

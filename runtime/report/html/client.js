// Generated from runtime/report/html/client/main.ts by: deno task bundle
(() => {
  // runtime/report/html/client/names.ts
  var UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
  var PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
  var LONGEST = 96;
  function nameText(name, longest = LONGEST) {
    const near = name.length > 20 * longest ? name.slice(0, 10 * longest) + name.slice(-10 * longest) : name;
    const visible = near.replace(PILED_MARKS, "$1").replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
    const characters = [...visible];
    if (characters.length <= longest) return visible === "" ? "(no name)" : visible;
    const back = Math.ceil(longest * 0.6);
    return `${characters.slice(0, longest - back - 1).join("")}…${characters.slice(-back).join("")}`;
  }

  // runtime/record/phases.ts
  var PHASES = [
    { name: "forward", label: "forward", help: "Device time of the forward pass" },
    { name: "backward", label: "backward", help: "Device time of the backward pass" },
    { name: "update", label: "update", help: "Device time of the update, with unscaling and the overflow test" }
  ];
  function phasesNamed(names2) {
    const unique = new Set(names2);
    const listed = PHASES.filter(({ name }) => unique.delete(name));
    return [...listed, ...Array.from(unique, (name) => ({ name, label: name, help: `Device time of ${name}` }))];
  }
  var FIELDS = ["forward", "backward", "update"];
  function ofPhase(record, phase) {
    return isField(phase) ? record[phase] : record.phases?.[phase] ?? null;
  }
  function shownPhases(names2 = []) {
    return phasesNamed([...FIELDS, ...names2]);
  }
  function phasesOf(records) {
    return shownPhases(records.flatMap(({ phases = {} }) => Object.keys(phases)));
  }
  function isField(phase) {
    return FIELDS.includes(phase);
  }

  // runtime/report/html/client/palette.ts
  var PHASE_COLORS = {
    forward: "--forward",
    backward: "--backward",
    update: "--update"
  };
  var FURTHER = ["--series-4", "--series-5", "--series-6", "--series-7"];
  function phaseColor(phase) {
    const place3 = Math.max(0, PHASES.findIndex(({ name }) => name === phase));
    return PHASE_COLORS[phase] ?? FURTHER[place3 % FURTHER.length];
  }
  var MEMORY_COLORS = {
    parameters: "--series-1",
    gradients: "--series-2",
    optimizer: "--series-3",
    activations: "--series-4",
    workspace: "--series-5",
    feed: "--series-6"
  };
  var VARIANTS = 8;
  function variantColor(index) {
    return `--series-${index % VARIANTS + 1}`;
  }
  function isDashed(index) {
    return Math.floor(index / VARIANTS) % 2 === 1;
  }

  // runtime/report/format.ts
  var MISSING = "–";
  var FAR = 100;
  var MIB = 1024 * 1024;
  function formatNumber(value) {
    if (!Number.isFinite(value)) return String(value);
    const size = Math.abs(value);
    if (size > 0 && size < 5e-3) return value > 0 ? "<0.01" : "-0.00";
    if (size >= 1e9) return value.toExponential(2);
    return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
  }
  function formatCount(value) {
    return value.toLocaleString("en-US");
  }
  function formatMiB(bytes) {
    return bytes === 0 ? "0" : formatNumber(bytes / MIB);
  }
  function formatPercent(ratio) {
    const percent = ratio * 100;
    return percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0);
  }
  function ratioEnds(low, high, text2) {
    const isWide = high > FAR * low;
    return [isWide && low < 1 / FAR ? `<${1 / FAR}` : text2(low), isWide && high > FAR ? `>${FAR}` : text2(high)];
  }
  function formatLoss(value) {
    if (!Number.isFinite(value)) return String(value);
    const size = Math.abs(value);
    if (size >= 1e3 || size > 0 && size < 1e-3) return value.toExponential(1);
    return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
  }
  function formatDifference(value) {
    if (value === 0) return "0";
    const text2 = Math.abs(value) < 1e-3 ? value.toExponential(0) : formatLoss(value);
    return value > 0 ? `+${text2}` : text2;
  }

  // runtime/report/html/client/dom.ts
  var SVG = "http://www.w3.org/2000/svg";
  function el(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }
  function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
  }
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }
  function button(label, attributes, onClick) {
    const made = el("button", { type: "button", ...attributes }, label);
    made.addEventListener("click", onClick);
    return made;
  }
  function swatch(color, kind = "area") {
    const patch2 = el("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
    patch2.style.setProperty("--color", `var(${color})`);
    return patch2;
  }

  // runtime/report/html/client/section.ts
  function sectionElement({ anchor, title, content, about }, cited = []) {
    const id = `section-${anchor}`;
    const heading2 = el("h3", { id }, title);
    const attributes = { "aria-labelledby": id, "data-anchor": anchor };
    if (typeof content === "string") {
      const reason2 = el("p", { class: "missing" }, `${MISSING} ${content}`);
      return el("section", { ...attributes, class: "empty" }, el("div", { class: "heading" }, heading2, reason2, ...cited));
    }
    const line = about === void 0 ? null : el("p", { class: "about" }, about);
    return el("section", attributes, el("div", { class: "heading" }, heading2, ...cited), line, ...content);
  }
  function notes(lines) {
    const some = lines.filter((line) => line !== "");
    return some.length === 0 ? null : el("ul", { class: "notes" }, ...some.map((line) => el("li", {}, line)));
  }
  function facts(pairs2, kind = "short") {
    return el(
      "dl",
      { class: `facts ${kind}` },
      ...pairs2.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))
    );
  }

  // runtime/report/html/client/numbers.ts
  function numberText(value) {
    if (value === null || value === void 0) return MISSING;
    return value === 0 ? "0" : formatNumber(value);
  }
  function percentText(ratio) {
    if (ratio === null || ratio === void 0) return MISSING;
    const percent = ratio * 100;
    return `${percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0)} %`;
  }
  function estimateText(value, low, high) {
    const interval = low === null || high === null ? "" : ` (${ratioEnds(low, high, ratioText).join("–")})`;
    return `${ratioText(value)}${interval}`;
  }
  function ratioText(ratio) {
    if (!Number.isFinite(ratio)) return String(ratio);
    if (ratio >= 99.5) return formatNumber(ratio);
    if (ratio > 0 && ratio < 5e-3) return ratio.toPrecision(2);
    return ratio.toFixed(Math.abs(ratio - 1) < 0.095 ? 3 : 2);
  }
  function pText(p) {
    return p < 1e-4 ? "<0.0001" : p.toPrecision(2);
  }
  function tickText(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e9) return `${trim(value / 1e9)}G`;
    if (size >= 1e6) return `${trim(value / 1e6)}M`;
    if (size >= 1e4) return `${trim(value / 1e3)}k`;
    return size < 1e-3 ? value.toExponential(0) : trim(value);
  }
  function trim(value) {
    return String(Number(value.toPrecision(4)));
  }

  // runtime/report/html/client/theme.ts
  var dark = matchMedia("(prefers-color-scheme: dark)");
  var print = matchMedia("print");
  var listeners = /* @__PURE__ */ new Set();
  var chosen = null;
  function onColorsChange(element, redraw) {
    const listener = () => {
      if (element.isConnected) redraw();
      else listeners.delete(listener);
    };
    listeners.add(listener);
  }
  var probe = null;
  function colorOf(variable) {
    if (probe === null) document.body.append(probe = document.createElement("span"));
    probe.style.color = `var(${variable})`;
    return getComputedStyle(probe).color;
  }
  function themeButton() {
    const made = button("", { class: "tool" }, () => {
      chosen = isDark() ? "light" : "dark";
      apply();
    });
    const apply = () => {
      document.documentElement.dataset["theme"] = chosen ?? "";
      made.textContent = isDark() ? "Light" : "Dark";
      made.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
      for (const listener of [...listeners]) listener();
    };
    dark.addEventListener("change", apply);
    print.addEventListener("change", apply);
    apply();
    return made;
  }
  function isDark() {
    return chosen === null ? dark.matches : chosen === "dark";
  }

  // runtime/report/html/client/clipboard.ts
  function copyButton(what, text2) {
    const made = button("Copy", { class: "tool", "aria-label": `Copy ${what}` }, async () => {
      const copied = await copyText(text2());
      made.textContent = copied ? "Copied" : "Not copied";
      setTimeout(() => made.textContent = "Copy", 1500);
    });
    return made;
  }
  function toTsv(rows) {
    return rows.map((row) => row.map(tsvCell).join("	")).join("\n") + "\n";
  }
  function tsvCell(value) {
    if (value === null) return "";
    if (typeof value === "number") return String(value);
    const text2 = value.replaceAll(/[\t\r\n\v\f\u2028\u2029]+/g, " ");
    return /^[=+\-@]/.test(text2) ? `'${text2}` : text2;
  }
  async function copyText(text2) {
    try {
      await navigator.clipboard.writeText(text2);
      return true;
    } catch {
      return copySelected(text2);
    }
  }
  function copySelected(text2) {
    const field = document.createElement("textarea");
    field.value = text2;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }

  // runtime/report/html/client/table.ts
  var LIMIT = 100;
  function createTable(options) {
    const { caption, columns, rows, limit = LIMIT, key, rowClass } = options;
    let sorted = [...rows];
    let all = rows.length <= limit * 1.2;
    const elements2 = /* @__PURE__ */ new Map();
    const body = el("tbody");
    const more2 = button("", { class: "tool more" }, () => {
      all = true;
      fillBody();
    });
    const fillBody = () => {
      body.replaceChildren(...(all ? sorted : sorted.slice(0, limit)).map((row) => {
        let element2 = elements2.get(row);
        if (element2 === void 0) elements2.set(row, element2 = rowElement(columns, row, rowClass?.(row) ?? null));
        return element2;
      }));
      more2.hidden = all;
      more2.textContent = `Show all ${rows.length}`;
    };
    const headings = columns.map((column, i) => {
      return heading(column, (direction) => {
        sorted = direction === null ? [...rows] : sortRows(rows, column.value, direction);
        for (const [j, other] of headings.entries()) if (j !== i) other.setAttribute("aria-sort", "none");
        fillBody();
      });
    });
    fillBody();
    const copied = () => [
      columns.map(({ title, unit }) => unit === void 0 ? title : `${title} (${unit})`),
      ...sorted.map((row) => columns.map(({ value }) => value(row)))
    ];
    const frame = el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...headings)), body)
    );
    const element = el(
      "div",
      { class: "table" },
      frame,
      el("div", { class: "tools" }, more2, copyButton(`${caption} as tab-separated text`, () => toTsv(copied())))
    );
    const byKey = new Map(key === void 0 ? [] : rows.map((row) => [key(row), row]));
    const find = (name) => {
      const row = byKey.get(name);
      if (row === void 0) return null;
      if (!all && sorted.indexOf(row) >= limit) {
        all = true;
        fillBody();
      }
      return elements2.get(row) ?? null;
    };
    return { element, rows: { has: (name) => byKey.has(name), find } };
  }
  function heading({ title, unit, help, align, under }, onSort) {
    const cell = el("th", { scope: "col", "aria-sort": "none", class: align ?? "right", title: help ?? null });
    const text2 = el("span", {}, title, unit === void 0 ? null : el("span", { class: "unit" }, unit));
    const sort = button("", { class: "sort" }, () => {
      const before2 = cell.getAttribute("aria-sort");
      const turns = align === "left" ? ["none", "ascending", "descending"] : ["none", "descending", "ascending"];
      const next = turns[(turns.indexOf(before2 ?? "none") + 1) % 3];
      cell.setAttribute("aria-sort", next);
      onSort(next === "ascending" || next === "descending" ? next : null);
    });
    sort.append(text2, el("span", { class: "arrow", "aria-hidden": "true" }));
    cell.append(sort, ...under === void 0 ? [] : [under()]);
    return cell;
  }
  function rowElement(columns, row, name) {
    const cells = columns.map((column, i) => {
      const value = column.value(row);
      const shown = column.show?.(row) ?? (value === null ? MISSING : String(value));
      const classes = [column.align ?? "right", value === null ? "missing" : "", column.breakable ? "breakable" : ""];
      const attributes = { class: classes.filter((one) => one !== "").join(" ") };
      return i === 0 ? el("th", { scope: "row", ...attributes }, shown) : el("td", attributes, shown);
    });
    return el("tr", { class: name, tabindex: -1 }, ...cells);
  }
  function sortRows(rows, value, direction) {
    const sign = direction === "ascending" ? 1 : -1;
    return rows.toSorted((a, b) => {
      const [first, second] = [value(a), value(b)];
      if (first === null || second === null) return Number(first === null) - Number(second === null);
      if (typeof first === "number" && typeof second === "number") return sign * (first - second);
      return sign * String(first).localeCompare(String(second), "en", { numeric: true });
    });
  }

  // runtime/report/html/client/chart/chart_data.ts
  function chartData(caption, columns, rows) {
    const details = el("details", { class: "data" }, el("summary", {}, "Data"));
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) {
        details.append(createTable({ caption, columns, rows, limit: 50 }).element);
      }
    });
    return details;
  }

  // runtime/report/html/client/chart/chart_keys.ts
  var KEY_STEP = 0.2;
  function listenToKeys(plot, chart, [first, last]) {
    const all = chart.data[0];
    const move = (i) => {
      const place3 = Math.max(0, Math.min(all.length - 1, i));
      const [low, high] = [chart.scales["x"].min, chart.scales["x"].max];
      const value = all[place3];
      if (value < low || value > high) zoom(value - (high - low) / 2, value + (high - low) / 2);
      chart.setCursor({ left: chart.valToPos(all[place3], "x"), top: 0 });
    };
    const zoom = (low, high) => {
      const width = Math.min(high - low, last - first);
      const start = Math.max(first, Math.min(low, last - width));
      if (width > 0) chart.setScale("x", { min: start, max: start + width });
    };
    plot.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || all.length === 0) return;
      const at = chart.cursor.idx ?? null;
      const [low, high] = [chart.scales["x"].min, chart.scales["x"].max];
      const part = (high - low) * KEY_STEP;
      const actions = {
        ArrowRight: () => event.shiftKey ? zoom(low + part, high + part) : move(at === null ? 0 : at + 1),
        ArrowLeft: () => event.shiftKey ? zoom(low - part, high - part) : move(at === null ? all.length - 1 : at - 1),
        Home: () => move(0),
        End: () => move(all.length - 1),
        "+": () => zoom(low + part, high - part),
        "=": () => zoom(low + part, high - part),
        "-": () => zoom(low - part, high + part),
        "0": () => zoom(first, last)
      };
      const action = actions[event.key];
      if (action === void 0) return;
      event.preventDefault();
      action();
    });
  }

  // runtime/report/html/client/chart/plot_options.ts
  var HEIGHT = 200;
  var MOST_SPACED_BARS = 120;
  var WHOLE_NUMBERS = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((lead) => lead * 10 ** power)).flat();
  function plotOptions(options, width, read) {
    const { series, include = [0], mark = null, height = HEIGHT } = options;
    const font = "11px system-ui, sans-serif";
    const axis = {
      font,
      stroke: () => colorOf("--quiet"),
      grid: { stroke: () => colorOf("--line"), width: 1 },
      ticks: { show: false }
    };
    return {
      width,
      height,
      padding: [10, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false } },
      scales: {
        x: { time: false, range: () => extent(options) },
        y: { range: (_, low, high) => yRange([low, high, ...include]) }
      },
      axes: [
        { ...axis, size: 28, gap: 4, incrs: WHOLE_NUMBERS, values: (_, ticks) => ticks.map(tickText) },
        { ...axis, size: 52, gap: 6, values: (_, ticks) => ticks.map(tickText) }
      ],
      series: [{}, ...drawingOrder(options).map((i) => seriesOptions(series[i]))],
      hooks: {
        setCursor: [(chart) => read(chart.cursor.idx ?? null)],
        draw: mark === null ? [] : [(chart) => drawMark(chart, mark)]
      }
    };
  }
  function seriesOptions({ name, color, kind, dash, values }) {
    const stroke = () => colorOf(color);
    if (kind === "points") {
      return { label: name, stroke, paths: () => null, points: { show: true, size: 6, fill: stroke, width: 1 } };
    }
    const base = { label: name, stroke, points: { show: false }, ...dash ? { dash: [4, 3] } : {} };
    if (kind === "bars") {
      const paths = uPlot.paths.bars({ size: [values.length > MOST_SPACED_BARS ? 1 : 0.88, Infinity] });
      return { ...base, paths, width: 0, fill: stroke };
    }
    return { ...base, paths: kind === "steps" ? uPlot.paths.stepped({ align: 1 }) : uPlot.paths.linear(), width: 1.5 };
  }
  function extent({ x: { values }, series }) {
    const [first, last] = [values[0] ?? 0, values.at(-1) ?? 1];
    const wide = first === last || series.some(({ kind }) => kind === "bars" || kind === "points");
    return wide ? [first - 0.5, last + 0.5] : [first, last];
  }
  function drawingOrder({ series, stacked }) {
    const places = series.map((_, i) => i);
    if (!stacked) return places;
    const bars = places.filter((i) => series[i].kind === "bars");
    return [...bars.reverse(), ...places.filter((i) => series[i].kind !== "bars")];
  }
  function plotData(options) {
    const { series, x, stacked } = options;
    const sums = x.values.map(() => 0);
    const heights = series.map(({ values, kind }) => {
      if (!stacked || kind !== "bars") return [...values];
      return values.map((value, i) => value === null ? null : sums[i] += value);
    });
    return [[...x.values], ...drawingOrder(options).map((i) => heights[i])];
  }
  function yRange(values) {
    const known = values.filter((value) => value !== null && Number.isFinite(value));
    const [low, high] = [Math.min(...known), Math.max(...known)];
    if (!Number.isFinite(low)) return [0, 1];
    if (low === high) return [low === 0 ? 0 : low - Math.abs(low) * 0.1, high === 0 ? 1 : high + Math.abs(high) * 0.1];
    const room = (high - low) * 0.06;
    return [low === 0 ? 0 : low - room, high + room];
  }
  function drawMark(chart, { x, text: text2 }) {
    const { ctx, bbox } = chart;
    const left = chart.valToPos(x, "x", true);
    if (left < bbox.left || left > bbox.left + bbox.width) return;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colorOf("--ink");
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    const behind = left > bbox.left + bbox.width / 2;
    ctx.textAlign = behind ? "right" : "left";
    ctx.setLineDash([]);
    ctx.strokeStyle = colorOf("--paper");
    ctx.lineWidth = 4 * ratio;
    ctx.strokeText(text2, left + (behind ? -5 : 5) * ratio, bbox.top + 12 * ratio);
    ctx.fillText(text2, left + (behind ? -5 : 5) * ratio, bbox.top + 12 * ratio);
    ctx.restore();
  }

  // runtime/report/html/client/chart/series_chart.ts
  function seriesChart(options) {
    const { label, x, unit, series, format = numberText } = options;
    const plot = el("div", {
      class: "plot",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": `${label}. Arrow keys read values, plus and minus zoom, 0 shows all.`
    });
    const values = series.map(() => el("output", {}));
    const at = el("span", { class: "at" });
    const text2 = x.text ?? tickText;
    const read = (i) => {
      at.textContent = i === null ? "" : `${x.name} ${text2(x.values[i])}`;
      for (const [j, { values: own }] of series.entries()) {
        const value = i === null ? void 0 : own[i];
        values[j].textContent = i === null ? "" : value === null || value === void 0 ? MISSING : format(value);
      }
    };
    const legend = el(
      "div",
      { class: "legend", "aria-live": "polite" },
      ...series.map(
        ({ name, color, kind }, i) => el("span", {}, swatch(color, kind === "bars" ? "area" : kind === "points" ? "dot" : "line"), name, values[i])
      ),
      el("span", { class: "unit" }, unit),
      at
    );
    draw(plot, options, read);
    const rows = x.values.map((_, i) => i);
    const data = chartData(label, [
      { title: x.name, value: (i) => x.values[i], show: (i) => text2(x.values[i]) },
      ...series.map(({ name, values: own }) => ({
        title: name,
        unit,
        value: (i) => own[i] ?? null,
        show: (i) => own[i] === null || own[i] === void 0 ? null : format(own[i])
      }))
    ], rows);
    return el("figure", { class: "chart", "data-points": x.values.length }, legend, plot, data);
  }
  function draw(plot, options, read) {
    let chart = null;
    const observer = new ResizeObserver(() => {
      const width = Math.floor(plot.clientWidth);
      if (!plot.isConnected) return observer.disconnect();
      if (width === 0) return;
      if (chart === null) {
        chart = new uPlot(plotOptions(options, width, read), plotData(options), plot);
        listenToKeys(plot, chart, extent(options));
      } else if (chart.width !== width) chart.setSize({ width, height: chart.height });
    });
    observer.observe(plot);
    onColorsChange(plot, () => chart?.redraw(false, true));
  }

  // runtime/report/html/client/comparison/blocks.ts
  function blocksSection(overview2) {
    const about = "Time per sample of each block, in the order in which they ran";
    const base = { anchor: "blocks", title: "Blocks by round", about };
    const arms2 = armsOf(overview2).filter(({ blocks }) => blocks.some(({ samples }) => samples > 0));
    if (arms2.length === 0) return { ...base, content: "no block was measured" };
    const positions = 1 + arms2.flatMap(({ blocks }) => blocks).reduce((most2, { position }) => Math.max(most2, position), 0);
    const at = ({ round, position }) => round + position / positions * 0.8;
    const places = [...new Set(arms2.flatMap(({ blocks }) => blocks.map(at)))].sort((a, b) => a - b);
    const index = new Map(places.map((place3, i) => [place3, i]));
    const series = arms2.map(({ name, color, blocks }) => {
      const values = places.map(() => null);
      for (const block of blocks) if (block.samples > 0) values[index.get(at(block))] = block.wall / block.samples;
      return { name: nameText(name, 40), values, color, kind: "points" };
    });
    const chart = seriesChart({
      label: "Time per sample of each block by round",
      x: { name: "round", values: places, text: (x) => String(Math.floor(x)) },
      unit: "ms a sample",
      series,
      include: [],
      height: 240
    });
    return { ...base, content: [chart, notes(remarks(overview2))] };
  }
  function armsOf({ variants, procedure }) {
    const arms2 = variants.map(({ name, blocks }, i) => ({ name, blocks, color: variantColor(i) }));
    const second = procedure?.secondArm ?? null;
    return second === null ? arms2 : [...arms2, { name: `${second.name} (baseline again)`, blocks: second.blocks, color: "--quiet" }];
  }
  function remarks({ variants }) {
    const some = variants.filter(({ outliers }) => outliers !== null && outliers.mild + outliers.severe > 0);
    return some.map(
      ({ name, outliers }) => `${nameText(name)}: ${outliers.mild} mild and ${outliers.severe} severe outliers among ${outliers.blocks} blocks, none left out`
    );
  }

  // runtime/report/html/client/chart/scale.ts
  function linearScale([from, to], [start, end]) {
    const span = to - from || 1;
    return (value) => start + (value - from) / span * (end - start);
  }
  function logScale([from, to], range) {
    const linear = linearScale([Math.log(from), Math.log(to)], range);
    return (value) => linear(Math.log(Math.min(to, Math.max(from, value))));
  }
  function linearTicks(from, to, count) {
    const step = niceStep((to - from) / Math.max(1, count));
    if (!(step > 0) || !Number.isFinite(step)) return [from];
    const ticks = [];
    for (let i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) {
      ticks.push(Number((i * step).toPrecision(12)));
    }
    return ticks;
  }
  function decades(from, to) {
    const [first, last] = [Math.ceil(Math.log10(from) - 1e-9), Math.floor(Math.log10(to) + 1e-9)];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
  }
  function niceStep(rough) {
    const power = 10 ** Math.floor(Math.log10(rough));
    const lead = rough / power;
    return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
  }

  // runtime/report/html/client/chart/interval_plot.ts
  var LEAST = 1e-4;
  var WIDTH = 176;
  var HEIGHT2 = 22;
  var AXIS_HEIGHT = 16;
  var EDGE = 10;
  var IntervalPlot = class {
    #scale;
    #domain;
    constructor(intervals) {
      const ends = intervals.flatMap(({ value, low, high, band }) => {
        return [value, low ?? value, high ?? value, 1 + (band ?? 0), 1 / (1 + (band ?? 0))];
      }).filter((end) => end >= LEAST && end <= 1 / LEAST);
      const [least2, most2] = [Math.min(1, ...ends), Math.max(1, ...ends)];
      const room = Math.max(1.02, (most2 / least2) ** 0.06);
      this.#domain = [least2 / room, most2 * room];
      this.#scale = logScale(this.#domain, [EDGE, WIDTH - EDGE]);
    }
    axis() {
      const [from, to] = this.#domain;
      const ticks = this.#ticks();
      return svg(
        "svg",
        { class: "interval", width: WIDTH, height: AXIS_HEIGHT, "aria-hidden": "true" },
        ...ticks.filter((tick) => tick >= from && tick <= to).map(
          (tick) => svg("text", { x: this.#scale(tick), y: 12, "text-anchor": "middle" }, `×${Number(tick.toPrecision(3))}`)
        )
      );
    }
    row({ value, low, high, band, tone }, label) {
      const middle = HEIGHT2 / 2;
      const at = this.#scale;
      const one = at(1);
      return svg(
        "svg",
        { class: `interval ${tone ?? ""}`, width: WIDTH, height: HEIGHT2, role: "img", "aria-label": label },
        band === null || band === 0 ? null : svg("rect", {
          class: "band",
          x: at(1 / (1 + band)),
          y: 0,
          width: at(1 + band) - at(1 / (1 + band)),
          height: HEIGHT2
        }),
        svg("line", { class: "one", x1: one, x2: one, y1: 0, y2: HEIGHT2 }),
        ...low === null || high === null ? [] : [
          svg("line", { class: "whisker", x1: at(low), x2: at(high), y1: middle, y2: middle }),
          svg("line", { class: "whisker", x1: at(low), x2: at(low), y1: middle - 4, y2: middle + 4 }),
          svg("line", { class: "whisker", x1: at(high), x2: at(high), y1: middle - 4, y2: middle + 4 })
        ],
        svg("circle", { cx: at(value), cy: middle, r: 4 })
      );
    }
    /** 1 and a few round ratios that do not touch it. */
    #ticks() {
      const [from, to] = this.#domain;
      const round = to / from > 6 ? [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 2, 5, 10, 20, 50, 100, 1e3] : linearTicks(from, to, 3);
      const kept2 = [1];
      for (const tick of round) {
        if (tick > 0 && kept2.every((other) => Math.abs(this.#scale(other) - this.#scale(tick)) > 34)) kept2.push(tick);
      }
      return kept2;
    }
  };

  // runtime/report/html/client/comparison/effects.ts
  function effectsSection({ effects, variants }) {
    const base = {
      anchor: "effects",
      title: "Effects of settings",
      about: "Times the speed; an interaction is what several settings bring beyond what each does alone"
    };
    if (effects.length === 0) {
      return {
        ...base,
        content: variants.length < 2 ? "there is one variant" : "the variants are no whole product of settings"
      };
    }
    const plot = new IntervalPlot(effects.map(({ ratio }) => ({ ...ratio, band: null, tone: null })));
    const table = createTable({
      caption: "Effects of settings on speed",
      columns: [
        { title: "setting", align: "left", breakable: true, value: describe },
        { title: "kind", align: "left", value: ({ factors }) => factors.length === 1 ? "alone" : "interaction" },
        {
          title: "effect",
          align: "left",
          value: ({ ratio }) => ratio.value,
          show: ({ ratio }) => plot.row({ ...ratio, band: null, tone: null }, `Effect ${estimateText(ratio.value, ratio.low, ratio.high)}`),
          under: () => plot.axis()
        },
        {
          title: "×",
          value: ({ ratio }) => ratio.value,
          show: ({ ratio }) => estimateText(ratio.value, ratio.low, ratio.high)
        },
        { title: "p", value: ({ p }) => p, show: ({ p }) => p === null ? null : pText(p) },
        {
          title: "p, Holm",
          value: ({ adjustedP }) => adjustedP,
          show: ({ adjustedP: p }) => p === null ? null : pText(p)
        }
      ],
      rows: effects
    });
    return { ...base, content: [table.element] };
  }
  function describe({ factors }) {
    return factors.map(({ setting, from, to }) => `${nameText(setting, 60)} ${nameText(from, 40)} → ${nameText(to, 40)}`).join(" × ");
  }

  // runtime/report/quantities.ts
  var SCALES = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]];
  var BYTES = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];
  function formatFlops(flops) {
    const [prefix, size] = SCALES.find(([, size2]) => flops >= size2) ?? ["", 1];
    return prefix === "" ? `${flops} FLOP` : `${formatNumber(flops / size)} ${prefix}FLOP`;
  }
  function formatBytes(bytes) {
    const [unit, size] = BYTES.find(([, size2]) => bytes >= size2) ?? ["B", 1];
    return unit === "B" ? `${bytes} B` : `${formatNumber(bytes / size)} ${unit}`;
  }
  function formatShape(shape) {
    return shape.length === 0 ? "scalar" : shape.join("x");
  }
  function formatTensors(tensors, dtype) {
    return tensors.map((tensor) => formatShape(tensor.shape) + (tensor.dtype === dtype ? "" : `:${tensor.dtype}`)).join(" ");
  }

  // runtime/report/html/client/comparison/environment.ts
  function environmentSection(overview2) {
    const { environment, scenario, command } = overview2;
    const { adapter } = environment;
    const limits = Object.entries(adapter?.limits ?? {}).map(
      ([name, limit]) => `${nameText(name)} ${formatCount(limit)}`
    );
    return {
      anchor: "environment",
      title: "Environment and how to repeat",
      content: [
        facts([
          [
            "Repeat",
            command === null ? `${MISSING} the scenario came from no file` : el("code", {}, nameText(command, 400))
          ],
          ["Script, SHA-256", scenario.sha256 === null ? MISSING : el("code", {}, scenario.sha256)],
          ["Seed", String(scenario.seed)],
          ["Parameters", pairs(scenario.params)],
          ["Tacho", environment.tacho],
          ["Commit", `${text(environment.git)}${environment.gitDirty === true ? ", with changes since" : ""}`],
          ["Deno", `${environment.deno}, V8 ${environment.v8}`],
          ["Packages", environment.lockHash === null ? MISSING : el("code", {}, environment.lockHash.slice(0, 12))],
          ["System", text(environment.os)],
          ["CPU", `${text(environment.cpu)}, ${environment.cores ?? MISSING} cores`],
          ["Memory", environment.memory === null ? MISSING : formatBytes(environment.memory)],
          ["Variables", pairs(environment.variables)],
          ["Adapter", adapter === null ? `${MISSING} no device was opened` : text(adapter.name)],
          [
            "Kind",
            adapter === null || adapter.fallback === null ? MISSING : adapter.fallback ? "software: kernels run on the CPU" : "hardware"
          ],
          ["Vendor", text(adapter?.vendor)],
          ["Back end", text(adapter?.backend)],
          ["Driver", text(adapter?.driver)],
          [
            "Features",
            adapter === null || adapter.features.length === 0 ? MISSING : adapter.features.map((name) => nameText(name)).join(", ")
          ],
          ["Limits", limits.length === 0 ? MISSING : more(limits.join(" · "))]
        ]),
        command === null ? null : copyButton("the command", () => command)
      ]
    };
  }
  function pairs(values) {
    const words = Object.entries(values).map(([name, value]) => {
      return `${nameText(name)}=${nameText(typeof value === "string" ? value : JSON.stringify(value), 80)}`;
    });
    return words.length === 0 ? MISSING : words.join(" ");
  }
  function text(value) {
    return value === null || value === void 0 ? MISSING : nameText(value, 200);
  }
  function more(text2) {
    return el("details", {}, el("summary", {}, "show"), text2);
  }

  // runtime/report/html/client/route.ts
  function hrefOf({ variant, anchor }) {
    const parts = variant === null ? [anchor] : ["of", variant, anchor];
    return `#/${parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/")}`;
  }
  function placeOf(hash) {
    if (!hash.startsWith("#/")) return null;
    try {
      const parts = hash.slice(2).split("/").map(decodeURIComponent);
      if (parts[0] === "of" && parts.length === 3) return { variant: parts[1], anchor: parts[2] };
      return parts.length === 1 ? { variant: null, anchor: parts[0] } : null;
    } catch {
      return null;
    }
  }
  var Anchors = class {
    #places = /* @__PURE__ */ new Map();
    #families = /* @__PURE__ */ new Map();
    set(anchor, element) {
      this.#places.set(anchor, element);
    }
    setFamily(name, family) {
      this.#families.set(name, family);
    }
    has(anchor) {
      const [family, member] = this.#split(anchor);
      return this.#places.has(anchor) || (family?.has(member) ?? false);
    }
    find(anchor) {
      const [family, member] = this.#split(anchor);
      return this.#places.get(anchor) ?? family?.find(member) ?? null;
    }
    #split(anchor) {
      const colon = anchor.indexOf(":");
      return colon < 0 ? [void 0, ""] : [this.#families.get(anchor.slice(0, colon)), anchor.slice(colon + 1)];
    }
  };
  function visit(element) {
    if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
    element.scrollIntoView({ block: element.tagName === "TR" ? "center" : "start" });
    element.focus({ preventScroll: true });
    element.classList.add("visited");
    setTimeout(() => element.classList.remove("visited"), 1600);
  }

  // runtime/report/html/client/comparison/ladder.ts
  function ladderSection({ ladder, variants }) {
    const base = { anchor: "ladder", title: "Tuning ladder" };
    if (ladder === null) return { ...base, content: "no tuning was asked for (--tune)" };
    const cites = new Set(variants.find(({ name }) => name === ladder.variant)?.findings.map(({ kind }) => kind));
    return {
      ...base,
      about: `From ${nameText(ladder.variant)} upwards; a rung that brings nothing is not kept`,
      content: [totals(ladder), rungs(ladder, cites), patch(ladder)]
    };
  }
  function totals({ start, total, predictionError, stoppedBy }) {
    return facts([
      ["Start", `${numberText(start.ips?.value)} ${start.ips?.unit ?? ""}`],
      ["All rungs", total === null ? MISSING : `×${estimateText(total.value, total.low, total.high)}`],
      ["Predictions off by", predictionError === null ? MISSING : `${formatPercent(predictionError)} % (median)`],
      ["Stopped by", stoppedBy]
    ]);
  }
  function rungs(ladder, cites) {
    const plot = new IntervalPlot(
      ladder.rungs.flatMap(({ measured }) => measured === null ? [] : [intervalOf(measured)])
    );
    return createTable({
      caption: "Rungs of the ladder",
      columns: [
        { title: "rung", align: "left", value: ({ name }) => nameText(name) },
        { title: "changes", align: "left", breakable: true, value: ({ changes }) => changesText(changes) },
        {
          title: "because of",
          align: "left",
          value: ({ finding }) => finding,
          show: ({ finding }) => cites.has(finding) ? el("a", { href: hrefOf({ variant: ladder.variant, anchor: `finding:${finding}` }) }, nameText(finding)) : nameText(finding)
        },
        {
          title: "predicted",
          value: ({ predicted }) => predicted.gain,
          show: ({ predicted }) => el("span", { title: nameText(predicted.reasoning, 400) }, `×${ratioText(predicted.gain)}`)
        },
        {
          title: "measured",
          align: "left",
          value: ({ measured }) => measured?.speedup.value ?? null,
          show: ({ measured }) => measured && plot.row(
            intervalOf(measured),
            `Measured ${estimateText(measured.speedup.value, measured.speedup.low, measured.speedup.high)}`
          ),
          under: () => plot.axis()
        },
        {
          title: "×",
          value: ({ measured }) => measured?.speedup.value ?? null,
          show: ({ measured }) => measured && estimateText(measured.speedup.value, measured.speedup.low, measured.speedup.high)
        },
        {
          title: "kept",
          align: "left",
          value: keptText,
          show: (rung) => el("span", { class: "prose" }, keptText(rung))
        },
        {
          title: "speed before",
          value: ({ before: before2 }) => before2.ips?.value ?? null,
          show: ({ before: before2 }) => numberText(before2.ips?.value)
        },
        {
          title: "after",
          value: ({ after: after2 }) => after2?.ips?.value ?? null,
          show: ({ after: after2 }) => numberText(after2?.ips?.value)
        },
        {
          title: "gap before → after",
          unit: "ms",
          value: ({ after: after2 }) => after2?.iterationGap ?? null,
          show: ({ before: before2, after: after2 }) => `${numberText(before2.iterationGap)} → ${numberText(after2?.iterationGap)}`
        },
        {
          title: "queue empty",
          value: ({ after: after2 }) => after2?.emptyQueue ?? null,
          show: ({ before: before2, after: after2 }) => `${percentText(before2.emptyQueue)} → ${percentText(after2?.emptyQueue)}`
        },
        {
          title: "bound",
          align: "left",
          value: ({ before: before2, after: after2 }) => `${before2.bound ?? MISSING} → ${after2?.bound ?? MISSING}`
        }
      ],
      rows: ladder.rungs
    }).element;
  }
  function keptText({ kept: kept2, reason: reason2 }) {
    return `${kept2 ? "kept" : "not kept"}: ${nameText(reason2, 200)}`;
  }
  function intervalOf({ speedup: speedup2, band }) {
    return { ...speedup2, band, tone: null };
  }
  function changesText(changes) {
    return changes.map(({ path, from, to }) => `${nameText(path)} ${plain(from)} → ${plain(to)}`).join(", ");
  }
  function plain(value) {
    return nameText(typeof value === "string" ? value : JSON.stringify(value) ?? MISSING, 60);
  }
  function patch({ patch: patch2, rungs: rungs2 }) {
    if (patch2 === null || !rungs2.some(({ kept: kept2 }) => kept2)) {
      const why = rungs2.some(({ kept: kept2 }) => kept2) ? "the kept settings cannot be written as a patch to the script" : "no rung was kept, so that the script stays as it is";
      return el("p", { class: "missing" }, `${MISSING} ${why}`);
    }
    return el(
      "details",
      { class: "data" },
      el("summary", {}, "Patch to the script"),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Patch" }, el("pre", {}, patch2)),
      copyButton("the patch", () => patch2)
    );
  }

  // runtime/report/html/client/comparison/losses.ts
  function lossesSection(overview2) {
    const base = { anchor: "losses", title: "Losses", about: "Of every step from the first, the skipped ones included" };
    const known = overview2.variants.flatMap(
      (variant, i) => variant.losses.some((loss) => loss !== null) ? [{ variant, i }] : []
    );
    if (known.length === 0) {
      const model = overview2.variants.some(({ parameters }) => parameters !== null);
      return { ...base, content: model ? "no loss was read" : "no model, the loader alone was measured" };
    }
    const steps = Math.max(...known.map(({ variant }) => variant.losses.length));
    const chart = seriesChart({
      label: "Losses over steps",
      x: { name: "step", values: Array.from({ length: steps }, (_, i) => i) },
      unit: "loss",
      series: known.map(({ variant: { name, losses }, i }) => ({
        name: nameText(name, 40),
        values: Array.from({ length: steps }, (_, step) => finite(losses[step] ?? null)),
        color: variantColor(i),
        kind: "line",
        dash: isDashed(i)
      })),
      include: [],
      format: formatLoss,
      height: 240
    });
    return { ...base, content: [chart, notes([...diverged(overview2), ...kept(overview2), ...evaluations(overview2)])] };
  }
  function finite(loss) {
    const value = loss === null ? NaN : Number(loss);
    return Number.isFinite(value) ? value : null;
  }
  function diverged({ variants }) {
    return variants.flatMap(({ name, losses }) => {
      const first = losses.findIndex((loss) => typeof loss === "string");
      return first < 0 ? [] : [`${nameText(name)}: the loss is ${losses[first]} from step ${first} on`];
    });
  }
  function kept({ variants }) {
    return variants.flatMap(({ name, quality }) => {
      if (quality === null || !Number.isFinite(Number(quality.difference))) return [];
      const limit = quality.tolerance === null ? "it is meant to train something else" : `${formatPercent(quality.tolerance)} % is allowed: ${quality.kept ? "kept" : "not kept"}`;
      return [
        `${nameText(name)}: smoothed losses differ from the baseline's by ${formatPercent(Number(quality.difference))} % up to step ${quality.step}; ${limit}`
      ];
    });
  }
  function evaluations({ variants }) {
    return variants.flatMap(({ name, evaluations: evaluations2 }) => {
      const last = evaluations2.at(-1);
      if (last === void 0) return [];
      const accuracy = last.accuracy === null ? "" : `accuracy ${(last.accuracy * 100).toFixed(1)} %`;
      const loss = last.loss === null ? "" : `loss ${formatLoss(Number(last.loss))}`;
      const score = [accuracy, loss].filter((word) => word !== "").join(", ");
      return [`${nameText(name)}: ${score} on ${nameText(last.split)} data after step ${last.step}`];
    });
  }

  // runtime/report/html/client/comparison/verdict.ts
  var SIGNS = { faster: "▲", slower: "▼", same: "=", unclear: "?", invalid: "✕" };
  function verdictElement({ verdict, comparison }) {
    if (verdict === null) return null;
    const reason2 = comparison === null ? null : nameText(comparison.reason, 400);
    return el(
      "span",
      { class: `verdict ${verdict}`, title: reason2 },
      el("span", { "aria-hidden": "true" }, SIGNS[verdict]),
      verdict
    );
  }

  // runtime/report/html/client/comparison/speed_columns.ts
  function speedColumns({ variants, baseline }) {
    const intervals = new Map(variants.map((variant) => [variant, intervalOf2(variant)]));
    const plot = new IntervalPlot([...intervals.values()].filter((interval) => interval !== null));
    return [
      {
        title: "verdict",
        align: "left",
        value: ({ name, verdict }) => name === baseline ? null : verdict,
        show: (variant) => variant.name === baseline ? null : verdictElement(variant)
      },
      {
        title: "speed-up",
        align: "left",
        value: (variant) => intervals.get(variant)?.value ?? null,
        show: (variant) => {
          const interval = intervals.get(variant) ?? null;
          return interval && plot.row(interval, `Speed-up ${estimateText(interval.value, interval.low, interval.high)}`);
        },
        under: () => plot.axis(),
        help: "Time per sample of the baseline / that of the variant; the whisker is the interval, the band is no difference"
      },
      {
        title: "×",
        value: (variant) => intervals.get(variant)?.value ?? null,
        show: (variant) => {
          const interval = intervals.get(variant);
          return interval ? ratioText(interval.value) : null;
        }
      },
      {
        title: "interval",
        value: (variant) => variant.comparison?.speedup.low ?? null,
        show: ({ comparison }) => {
          const { low = null, high = null } = comparison?.speedup ?? {};
          return low === null || high === null ? null : `${ratioText(low)}–${ratioText(high)}`;
        }
      }
    ];
  }
  function intervalOf2({ comparison, metrics, verdict }) {
    if (comparison !== null) return { ...comparison.speedup, band: comparison.band, tone: verdict };
    return metrics.speedup && { value: metrics.speedup.value, low: null, high: null, band: null, tone: verdict };
  }

  // runtime/report/html/client/comparison/matrix_columns.ts
  function matrixColumns(overview2) {
    const { variants } = overview2;
    const unit = variants.find(({ metrics }) => metrics.ips !== null)?.metrics.ips?.unit ?? "samples/s";
    const some = (name) => variants.some(({ metrics }) => metrics[name] !== null);
    const columns = [
      variantColumn(overview2),
      ...variants.length > 1 ? speedColumns(overview2) : [],
      {
        title: unit,
        value: ({ metrics }) => metrics.ips?.value ?? null,
        show: ({ metrics: { ips } }) => ips && speedText(ips),
        help: "Samples of a block / its wall time; ± half the range over the blocks"
      },
      time("batch cost", ({ batchCost }) => batchCost, "From one step's start to the next, on the host's clock"),
      time("reader cost", ({ readerCost }) => readerCost, "The part of it in which the training loop waited for a batch"),
      some("stepTime") ? time("step time", ({ stepTime }) => stepTime, "A step by the variant's own way of timing") : null,
      time("iter. gap", ({ iterationGap }) => iterationGap, "The device's idle time between two steps"),
      ...phasesOf(variants.map(({ metrics }) => metrics)).map(
        ({ name, label, help }) => time(label, (metrics) => ofPhase(metrics, name), help)
      ),
      some("runtimeWait") ? time("runtime wait", ({ runtimeWait }) => runtimeWait, "Time lost in Deno's own sleep after a wait") : null,
      {
        title: "busy",
        unit: "%",
        value: ({ metrics }) => metrics.deviceBusy?.value ?? null,
        show: ({ metrics }) => metrics.deviceBusy && formatPercent(metrics.deviceBusy.value),
        help: "Phases' share of the time from the first step's start to the last's end"
      },
      {
        title: "peak memory",
        unit: "MiB",
        value: ({ memory }) => memory?.peak ?? null,
        show: ({ memory }) => memory && formatMiB(memory.peak),
        help: "Device memory as planned"
      },
      {
        title: "final loss",
        value: ({ finalLoss }) => finalLoss && Number(finalLoss.value),
        show: ({ finalLoss }) => finalLoss && formatLoss(Number(finalLoss.value)),
        help: "After the same number of steps in every variant"
      },
      variants.length > 1 ? lossDistance(overview2) : null,
      some("accuracy") ? {
        title: "accuracy",
        unit: "%",
        value: ({ metrics }) => metrics.accuracy?.value ?? null,
        show: ({ metrics }) => metrics.accuracy && (metrics.accuracy.value * 100).toFixed(1),
        help: "On the test split, at the last evaluation"
      } : null,
      {
        title: "bound",
        align: "left",
        value: ({ bound }) => bound,
        help: "What limits the speed: input (batches), host (everything else on the CPU) or device"
      },
      findingsColumn()
    ];
    return columns.filter((column) => column !== null);
  }
  function variantColumn({ variants, baseline }) {
    return {
      title: "variant",
      align: "left",
      value: ({ name }) => name,
      show: (variant) => {
        const { name, status } = variant;
        const words = [name === baseline ? "baseline" : "", status === "ok" ? "" : status].filter((word) => word !== "");
        return el(
          "span",
          { class: "name" },
          swatch(variantColor(variants.indexOf(variant)), "dot"),
          el("a", { href: hrefOf({ variant: name, anchor: "steps" }), title: nameText(name, 400) }, nameText(name, 48)),
          words.length === 0 || words.length === 1 && name === words[0] ? null : el("small", {}, words.join(", "))
        );
      }
    };
  }
  function speedText({ value, low, high }) {
    const spread2 = low === null || high === null || value === 0 ? "" : ` ±${formatPercent((high - low) / 2 / value)} %`;
    return el("span", {}, formatNumber(value), spread2 === "" ? null : el("small", {}, spread2));
  }
  function time(title, of, help) {
    return {
      title,
      unit: "ms",
      value: ({ metrics }) => of(metrics)?.value ?? null,
      show: ({ metrics }) => {
        const metric = of(metrics);
        return metric && `${formatNumber(metric.value)}${metric.amortised ? "*" : ""}`;
      },
      help
    };
  }
  function lossDistance({ variants, baseline }) {
    const reference = variants.find(({ name }) => name === baseline)?.finalLoss ?? null;
    const distance = ({ finalLoss }) => finalLoss === null || reference === null || finalLoss.step !== reference.step ? null : Number(finalLoss.value) - Number(reference.value);
    return {
      title: "loss diff.",
      value: distance,
      show: (variant) => {
        const known = distance(variant);
        return known === null ? null : formatDifference(known);
      },
      help: "Distance from the baseline's final loss"
    };
  }
  function findingsColumn() {
    return {
      title: "findings",
      value: ({ findings }) => findings.length,
      show: ({ name, findings }) => findings.length === 0 ? MISSING : el("a", { href: hrefOf({ variant: name, anchor: "findings" }) }, String(findings.length))
    };
  }

  // runtime/analysis/step_statistics.ts
  var TREND_STEPS = 9;
  var HICCUP_RATIO = 1.5;
  var HICCUP_DEVIATIONS = 8;
  function stepSeries(blocks, time2) {
    return derivedSeries(blocks, (step) => step[time2]);
  }
  function phaseSeries(blocks, phase) {
    return derivedSeries(blocks, (step) => ofPhase(step, phase));
  }
  function stepPhases(blocks) {
    return phasesOf(blocks.flatMap(({ steps }) => steps));
  }
  function stepTraceRows(blocks) {
    return [
      { name: "batch cost", series: stepSeries(blocks, "batchCost") },
      { name: "reader cost", series: stepSeries(blocks, "readerCost") },
      { name: "iteration gap", series: stepSeries(blocks, "iterationGap") },
      ...stepPhases(blocks).map(({ name, label }) => ({ name: label, series: phaseSeries(blocks, name) }))
    ];
  }
  function derivedSeries(blocks, valueOf) {
    return seriesOf(blocks.flatMap((block) => block.steps.map(valueOf)));
  }
  function spreadOf(values) {
    if (values.length === 0) return null;
    const sorted = values.toSorted((a, b) => a - b);
    const total = values.reduce((sum3, value) => sum3 + value, 0);
    return {
      count: values.length,
      total,
      mean: total / values.length,
      min: sorted[0],
      median: quantile(sorted, 0.5),
      p95: quantile(sorted, 0.95),
      max: sorted.at(-1)
    };
  }
  function quantile(sorted, part) {
    const place3 = (sorted.length - 1) * part;
    const below = Math.floor(place3);
    const [a, b] = [sorted[below], sorted[Math.min(below + 1, sorted.length - 1)]];
    return a + (b - a) * (place3 - below);
  }
  function seriesOf(values) {
    const known = values.filter((value) => value !== null);
    return { values, spread: spreadOf(known), trend: trendOf(known), hiccups: hiccupsOf(values, known) };
  }
  function trendOf(known) {
    if (known.length < TREND_STEPS) return null;
    const third = Math.floor(known.length / 3);
    const [first, last] = [spreadOf(known.slice(0, third)).median, spreadOf(known.slice(-third)).median];
    return first > 0 ? last / first - 1 : null;
  }
  function hiccupsOf(values, known) {
    const spread2 = spreadOf(known);
    if (spread2 === null) return [];
    const { median } = spread2;
    const deviation = spreadOf(known.map((value) => Math.abs(value - median))).median;
    const limit = Math.max(median * HICCUP_RATIO, median + HICCUP_DEVIATIONS * deviation);
    return values.flatMap((value, i) => value !== null && median > 0 && value > limit ? [i] : []);
  }

  // runtime/analysis/metrics.ts
  function measuredMetrics({ phases = {}, ...fields }) {
    return [...Object.values(fields), ...Object.values(phases)].filter((metric) => metric !== null);
  }

  // runtime/report/html/client/comparison/matrix_notes.ts
  function matrixNotes(overview2) {
    const { variants, baseline, noiseFloor } = overview2;
    const compared = variants.filter(({ comparison }) => comparison !== null);
    const first = compared[0]?.comparison ?? null;
    const step = variants.find(({ finalLoss }) => finalLoss !== null)?.finalLoss?.step;
    return [
      ...failures(variants),
      first === null ? variants.length > 1 ? `verdict, interval ${MISSING}: the blocks of this run were not compared by a procedure` : "" : `Speed-up against ${nameText(baseline)}: geometric mean over rounds with its ${formatPercent(first.level)} % interval (${nameText(first.method)}); the band is what counts as no difference`,
      noiseFloor === null ? "" : `Noise floor of this machine: ${formatPercent(noiseFloor.value)} %`,
      ...reasons(compared),
      variants.some(({ metrics }) => measuredMetrics(metrics).some((metric) => metric.amortised)) ? "* amortised: the time of a sink / its steps" : "",
      step === void 0 ? "" : `Final loss: after ${formatCount(step + 1)} steps of every variant`,
      ...empty(overview2)
    ];
  }
  function failures(variants) {
    return variants.filter(({ error }) => error !== null).map(({ name, error }) => `${nameText(name)} failed: ${nameText(error.message, 600)}`);
  }
  function reasons(compared) {
    return compared.length > 8 ? [] : compared.filter(({ verdict }) => verdict !== null).map(({ name, verdict, comparison }) => `${nameText(name)}, ${verdict}: ${nameText(comparison.reason, 400)}`);
  }
  function empty({ variants, environment: { adapter } }) {
    const ran = variants.filter(({ blocks }) => blocks.length > 0);
    const untimed2 = adapter !== null && !adapter.features.includes("timestamp-query");
    return [
      untimed2 ? `${MISSING} in the device's columns: the adapter has no timestamp queries` : "",
      ran.some(({ parameters }) => parameters === null) ? `${MISSING} in the model's columns: no model, the loader alone was measured` : "",
      ran.some(({ status }) => status === "interrupted") ? "Interrupted variants show what was measured until then" : ""
    ];
  }

  // runtime/report/html/client/comparison/matrix.ts
  function matrixSection(overview2) {
    const { variants } = overview2;
    if (variants.length === 0) return { anchor: "matrix", title: "Comparison", content: "the result holds no variant" };
    const table = createTable({
      caption: "Comparison of the variants",
      columns: matrixColumns(overview2),
      rows: variants,
      limit: 200,
      rowClass: ({ name, status }) => status === "ok" ? name === overview2.baseline ? "baseline" : null : "broken"
    });
    return { anchor: "matrix", title: "Comparison", content: [table.element, notes(matrixNotes(overview2))] };
  }

  // runtime/report/html/client/comparison/procedure.ts
  function procedureSection({ procedure, noiseFloor }) {
    const base = { anchor: "procedure", title: "How it was measured" };
    if (procedure === null) return { ...base, content: "the blocks were not run by a procedure" };
    const floor = noiseFloor === null ? MISSING : `${formatPercent(noiseFloor.value)} %`;
    return {
      ...base,
      content: [
        facts([
          ["Rounds", `${procedure.rounds} of ${procedure.planned}, stopped by ${procedure.stoppedBy}`],
          ["Noise floor", floor],
          ["Baseline against itself", secondArm(procedure)],
          ["Least effect that counts", `${formatPercent(procedure.minEffect)} %`],
          [
            "Precision asked for",
            procedure.precision === null ? `${MISSING} rounds decide` : `±${formatPercent(procedure.precision)} %`
          ],
          ["Time limit", procedure.maxTime === null ? `${MISSING} none` : `${formatCount(procedure.maxTime)} s`],
          ["Warm-up", warmUp(procedure)],
          ["Taken up again", procedure.resumed === 0 ? "never" : `${procedure.resumed} times`],
          [
            "Trend of the probe",
            procedure.probeTrend === null ? `${MISSING} too few were taken` : percentText(procedure.probeTrend)
          ]
        ]),
        warnings(procedure),
        probe2(procedure),
        order(procedure)
      ]
    };
  }
  function secondArm({ secondArm: secondArm2 }) {
    if (secondArm2 === null) return `${MISSING} left out`;
    const speedup2 = secondArm2.comparison?.speedup;
    return speedup2 === void 0 ? MISSING : `×${estimateText(speedup2.value, speedup2.low, speedup2.high)}`;
  }
  function warmUp({ warmUp: warmUp2 }) {
    if (warmUp2.length === 0) return MISSING;
    const unsteady = warmUp2.filter(({ steady }) => !steady).map(({ arm }) => nameText(arm, 40));
    const [least2, most2] = [Math.min(...warmUp2.map(({ steps }) => steps)), Math.max(...warmUp2.map(({ steps }) => steps))];
    const range = least2 === most2 ? `${least2}` : `${least2}–${most2}`;
    return `${range} steps${unsteady.length === 0 ? ", all steady" : `; not steady: ${unsteady.join(", ")}`}`;
  }
  function warnings({ warnings: warnings2 }) {
    if (warnings2.length === 0) return null;
    return el("ul", { class: "warnings" }, ...warnings2.map(({ message }) => el("li", {}, nameText(message, 600))));
  }
  function probe2({ probe: probe3 }) {
    if (probe3.length === 0) return el("p", { class: "missing" }, `${MISSING} no probe kernel was run between rounds`);
    return seriesChart({
      label: "Time of the probe kernel by round",
      x: { name: "round", values: probe3.map(({ round }) => round), text: String },
      unit: "ms, a fixed kernel between rounds",
      series: [{ name: "probe", values: probe3.map(({ time: time2 }) => time2), color: "--accent", kind: "points" }],
      format: numberText,
      height: 140
    });
  }
  function order({ order: order2 }) {
    if (order2.length === 0) return null;
    const lines = order2.slice(0, 60).map((arms2, i) => `${i}: ${arms2.map((arm) => nameText(arm, 30)).join(" · ")}`);
    return el("details", { class: "data" }, el("summary", {}, "Order of the rounds"), notes(lines));
  }

  // runtime/report/html/embedded.ts
  var OVERVIEW_ID = "overview";
  function detailId(variant) {
    return `detail-${variant}`;
  }
  function timelineId(variant) {
    return `timeline-${variant}`;
  }

  // runtime/report/html/packing.ts
  function unpackRows({ count, columns }) {
    const entries = Object.entries(columns);
    return Array.from({ length: count }, (_, i) => {
      const row = {};
      for (const [key, column] of entries) {
        row[key] = "numbers" in column ? column.numbers[i] : column.values[column.places[i]];
      }
      return row;
    });
  }

  // runtime/report/html/client/data.ts
  function readOverview() {
    return readJson(OVERVIEW_ID);
  }
  function readVariant(overview2, index) {
    const { words, blocks, ops, profile, ...detail } = readJson(detailId(index));
    return {
      variant: {
        ...overview2.variants[index],
        ...detail,
        blocks: blocks.map((block) => ({ ...block, steps: unpackRows(block.steps) })),
        ops: unpackRows(ops),
        profile: profile && { ...profile, memory: unpackRows(profile.memory) }
      },
      words
    };
  }
  function readTimeline(index) {
    return readJson(timelineId(index));
  }
  function readJson(id) {
    const text2 = document.getElementById(id)?.textContent;
    return text2 === void 0 || text2 === null ? null : JSON.parse(text2);
  }

  // runtime/report/html/client/comparison/summary.ts
  function summary(overview2) {
    const { variants, baseline } = overview2;
    const others = variants.filter(({ name }) => name !== baseline);
    if (others.length === 0) return null;
    const link = ({ name }) => el("a", { href: hrefOf({ variant: name, anchor: "steps" }) }, nameText(name, 60));
    const faster = others.filter(({ verdict }) => verdict === "faster").toSorted((a, b) => speedup(b) - speedup(a));
    const best = faster[0];
    if (best !== void 0) {
      const { value, low, high } = best.comparison?.speedup ?? { value: speedup(best), low: null, high: null };
      const also = faster.length === 1 ? "" : `; ${faster.length - 1} more faster than the baseline`;
      return el(
        "p",
        { class: "summary" },
        link(best),
        ` is ×${estimateText(value, low, high)} as fast as ${nameText(baseline, 60)}${also}.`
      );
    }
    if (others.some(({ verdict }) => verdict !== null)) {
      return el("p", { class: "summary" }, `No variant is faster than ${nameText(baseline, 60)} beyond doubt.`);
    }
    return el("p", { class: "summary" }, `${MISSING} no verdict: the blocks of this run were not compared.`);
  }
  function speedup({ comparison, metrics }) {
    return comparison?.speedup.value ?? metrics.speedup?.value ?? 0;
  }

  // runtime/report/html/client/header.ts
  function header(overview2) {
    const { scenario, variants, environment: { adapter }, procedure } = overview2;
    const [first] = variants;
    const parameters = first?.parameters ?? null;
    const rounds = procedure?.rounds ?? new Set(variants.flatMap(({ blocks }) => blocks.map(({ round }) => round))).size;
    const facts2 = [
      typeof first?.config["model"] === "string" ? nameText(first.config["model"], 40) : "",
      parameters === null ? "" : `${formatCount(parameters)} parameters`,
      `${variants.length} variant${variants.length === 1 ? "" : "s"}`,
      rounds === 0 ? "" : `${rounds} round${rounds === 1 ? "" : "s"}`,
      `seed ${scenario.seed}`
    ];
    const device2 = adapter === null ? "no device" : nameText(adapter.name ?? "unnamed adapter", 80);
    const software = adapter?.fallback === true ? " · software adapter: kernels run on the CPU" : "";
    return el(
      "header",
      {},
      el("div", { class: "top" }, el("h1", {}, nameText(scenario.name, 80)), themeButton()),
      el("p", { class: "about" }, facts2.filter((fact) => fact !== "").join(" · ")),
      el("p", { class: "about" }, `${device2}${software}`),
      summary(overview2)
    );
  }

  // runtime/report/html/client/navigation.ts
  function navigation(shared2) {
    const title = el("h2");
    const list = el("ul");
    const links = (sections, variant) => sections.map(
      ({ anchor, title: title2, content }) => el(
        "li",
        {},
        el("a", {
          href: hrefOf({ variant, anchor }),
          class: typeof content === "string" ? "empty" : null,
          "data-section": anchor
        }, title2)
      )
    );
    const element = el(
      "nav",
      { "aria-label": "Sections" },
      el("h2", {}, "All variants"),
      el("ul", {}, ...links(shared2, null)),
      title,
      list
    );
    const followed = new IntersectionObserver((entries) => {
      const seen = entries.find(({ isIntersecting }) => isIntersecting)?.target.getAttribute("data-anchor") ?? null;
      if (seen === null) return;
      for (const link of element.querySelectorAll("a")) {
        if (link.dataset["section"] === seen) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    }, { rootMargin: "-10% 0px -75% 0px" });
    return {
      element,
      follow: () => {
        followed.disconnect();
        for (const section of document.querySelectorAll("section")) followed.observe(section);
      },
      setVariant: (name, sections) => {
        title.textContent = nameText(name, 40);
        list.replaceChildren(...links(sections, name));
      }
    };
  }

  // runtime/report/html/client/context.ts
  function untimed({ environment: { adapter } }) {
    if (adapter === null) return "no device was opened";
    return adapter.features.includes("timestamp-query") ? null : "the adapter has no timestamp queries";
  }
  function notRun({ status, error }, blocks) {
    if (blocks > 0) return null;
    if (status === "failed") return `the variant failed: ${nameText(error?.message ?? "", 400)}`;
    return status === "interrupted" ? "interrupted before a block was measured" : "no block was measured";
  }
  function notProfiled({ parameters, profile, status }) {
    if (profile !== null) return null;
    if (parameters === null) return "no model, the loader alone was measured";
    return status === "ok" ? "no steps were profiled (--verbosity 2)" : "the variant ended before its profiled steps";
  }
  function notTuned({ autotune, config }) {
    if (autotune !== null) return null;
    const { model, compile } = config;
    if ((compile?.autotune ?? null) === null) return "off (compile.autotune)";
    return model === null ? "no model, there is nothing to tune" : "the variant ended before its kernels were chosen";
  }
  function variantLink(variant, anchor, text2) {
    return el("a", { href: hrefOf({ variant, anchor }) }, text2);
  }

  // runtime/report/html/client/timeline/decode.ts
  function decodeTimeline(columns) {
    const tracks = columns.lanes.map((lane, i) => decodeTrack(lane, i, columns));
    const spans = tracks.flatMap((track) => track.spans);
    const steps = /* @__PURE__ */ new Map();
    for (const { step, start, end } of spans) {
      if (step === null) continue;
      const known = steps.get(step);
      if (known === void 0) steps.set(step, { step, start, end });
      else {
        known.start = Math.min(known.start, start);
        known.end = Math.max(known.end, end);
      }
    }
    return {
      tracks,
      counters: columns.counters.filter(({ value }) => value.length > 1).map(decodeCounter),
      arrows: columns.arrows,
      end: spans.reduce((last, { end }) => Math.max(last, end), 0),
      steps: [...steps.values()].sort((a, b) => a.start - b.start)
    };
  }
  function decodeTrack(lane, track, { labels, facts: facts2 }) {
    const rows = [];
    const spans = [];
    const open = [];
    let start = 0;
    for (const [i, step] of lane.start.entries()) {
      start += step;
      const end = start + lane.length[i];
      while (open.length > 0 && open.at(-1) <= start + 1e-6) open.pop();
      const span = {
        name: labels[lane.label[i]] ?? "",
        start,
        end,
        step: lane.step[i] < 0 ? null : lane.step[i],
        facts: facts2[lane.facts[i]] ?? {},
        track,
        row: open.length
      };
      (rows[open.length] ??= []).push(span);
      spans.push(span);
      open.push(end);
    }
    return { name: lane.name, category: lane.category, rows, spans };
  }
  function decodeCounter({ name, time: time2, value }) {
    let at = 0;
    return {
      name,
      times: time2.map((delta) => at += delta),
      values: value,
      highest: value.reduce((most2, one) => Math.max(most2, one), 0)
    };
  }

  // runtime/report/html/client/timeline/labels.ts
  function trackLabels({ tracks, counters }, layout) {
    const label = (name, top, remark) => {
      const element = el("div", { title: nameText(name) }, nameText(name, 40), remark && el("small", {}, remark));
      element.style.top = `${top}px`;
      return element;
    };
    const labels = el(
      "div",
      { class: "labels" },
      ...tracks.map(({ name }, i) => label(name, layout.tracks[i], null)),
      ...counters.map(({ name, highest }, i) => label(name, layout.counters[i], `to ${counterText(name, highest)}`))
    );
    labels.style.height = `${layout.height}px`;
    return labels;
  }
  function counterText(name, value) {
    return name.startsWith("memory") ? formatBytes(value) : String(value);
  }

  // runtime/report/html/client/timeline/layout.ts
  var ROW_HEIGHT = 17;
  var COUNTER_HEIGHT = 26;
  var GAP = 7;
  var AXIS_HEIGHT2 = 20;
  function layOutTimeline({ tracks, counters }) {
    let top = AXIS_HEIGHT2;
    const advance = (height) => {
      const at = top;
      top += height + GAP;
      return at;
    };
    return {
      tracks: tracks.map(({ rows }) => advance(rows.length * ROW_HEIGHT)),
      counters: counters.map(() => advance(COUNTER_HEIGHT)),
      height: top
    };
  }
  function spanAt(timeline, layout, time2, y, slack) {
    for (const [i, { rows }] of timeline.tracks.entries()) {
      const row = Math.floor((y - layout.tracks[i]) / ROW_HEIGHT);
      const spans = rows[row];
      if (y < layout.tracks[i] || spans === void 0) continue;
      const found = spans[firstEndingAfter(spans, time2 - slack)];
      return found !== void 0 && found.start <= time2 + slack ? found : null;
    }
    return null;
  }
  function firstEndingAfter(spans, time2) {
    let [low, high] = [0, spans.length];
    while (low < high) {
      const middle = low + high >> 1;
      if (spans[middle].end <= time2) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // runtime/report/html/client/timeline/paint.ts
  var LEAST_NAMED = 26;
  function paintTimeline(canvas, width, scene) {
    const { layout } = scene;
    const ratio = devicePixelRatio;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(layout.height * ratio);
    const context = canvas.getContext("2d");
    if (context === null) return;
    context.scale(ratio, ratio);
    new Painter(context, width, scene).paint();
  }
  var Painter = class {
    #context;
    #width;
    #scene;
    #colors = /* @__PURE__ */ new Map();
    constructor(context, width, scene) {
      this.#context = context;
      this.#width = width;
      this.#scene = scene;
      context.font = "11px system-ui, sans-serif";
      context.textBaseline = "middle";
    }
    paint() {
      this.#axis();
      const { timeline: { tracks, counters }, layout, selected } = this.#scene;
      for (const [i, { rows }] of tracks.entries()) {
        for (const [row, spans] of rows.entries()) this.#row(spans, layout.tracks[i] + row * ROW_HEIGHT);
      }
      for (const [i, counter] of counters.entries()) this.#counter(counter, layout.counters[i]);
      this.#arrows();
      if (selected !== null) this.#outline(selected);
    }
    #x(time2) {
      const { from, to } = this.#scene.view;
      return (time2 - from) / (to - from) * this.#width;
    }
    #color(variable) {
      let color = this.#colors.get(variable);
      if (color === void 0) this.#colors.set(variable, color = colorOf(variable));
      return color;
    }
    #axis() {
      const { view: { from, to }, layout: { height } } = this.#scene;
      const context = this.#context;
      context.fillStyle = this.#color("--quiet");
      context.strokeStyle = this.#color("--line");
      for (const tick of linearTicks(from / 1e3, to / 1e3, Math.max(2, this.#width / 110))) {
        const x = Math.round(this.#x(tick * 1e3)) + 0.5;
        context.beginPath();
        context.moveTo(x, 16);
        context.lineTo(x, height);
        context.stroke();
        context.fillText(`${Number(tick.toPrecision(9))} ms`, x + 3, 8);
      }
    }
    #row(spans, top) {
      const { from, to } = this.#scene.view;
      const context = this.#context;
      let painted = -1;
      for (let i = firstEndingAfter(spans, from); i < spans.length && spans[i].start < to; i++) {
        const span = spans[i];
        const [left, right] = [Math.max(-2, this.#x(span.start)), Math.min(this.#width + 2, this.#x(span.end))];
        const width = Math.max(0.75, right - left - 0.5);
        if (left + width <= painted) continue;
        painted = Math.max(painted, Math.floor(left) + 1);
        const color = this.#color(this.#scene.colorOfSpan(span));
        context.fillStyle = color;
        context.fillRect(left, top, width, ROW_HEIGHT - 1);
        if (width >= LEAST_NAMED) this.#name(span, color, left, top, width);
      }
    }
    #name({ name }, ground, left, top, width) {
      const context = this.#context;
      context.save();
      context.beginPath();
      context.rect(left, top, width - 3, ROW_HEIGHT - 1);
      context.clip();
      context.fillStyle = inkOn(ground);
      context.fillText(nameText(name, 80), Math.max(left, 0) + 4, top + ROW_HEIGHT / 2);
      context.restore();
    }
    #counter({ times, values, highest }, top) {
      const { from, to } = this.#scene.view;
      const context = this.#context;
      const height = (value) => highest > 0 ? Math.max(0, value) / highest * (COUNTER_HEIGHT - 2) : 0;
      const bottom = top + COUNTER_HEIGHT;
      context.fillStyle = this.#color("--counter");
      context.beginPath();
      context.moveTo(0, bottom);
      const first = Math.max(0, times.findLastIndex((time2) => time2 <= from));
      for (let i = first; i < times.length && times[i] < to; i++) {
        const [x, next] = [Math.max(0, this.#x(times[i])), Math.min(this.#width, this.#x(times[i + 1] ?? to))];
        const y = bottom - height(values[i]);
        context.lineTo(x, i === first ? bottom : bottom - height(values[i - 1]));
        context.lineTo(x, y);
        context.lineTo(next, y);
      }
      context.lineTo(this.#width, bottom);
      context.fill();
    }
    #arrows() {
      const { timeline: { arrows, tracks }, layout, view: { from, to } } = this.#scene;
      const context = this.#context;
      context.strokeStyle = this.#color("--quiet");
      for (const { from: [fromTrack, start], to: [toTrack, end] } of arrows) {
        if (end < from || start > to || tracks[fromTrack] === void 0 || tracks[toTrack] === void 0) continue;
        const [x0, x1] = [this.#x(start), this.#x(end)];
        const [y0, y1] = [layout.tracks[fromTrack] + ROW_HEIGHT, layout.tracks[toTrack]];
        context.beginPath();
        context.moveTo(x0, y0);
        context.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
        context.stroke();
      }
    }
    #outline({ start, end, track, row }) {
      const context = this.#context;
      const top = this.#scene.layout.tracks[track] + row * ROW_HEIGHT;
      const [left, right] = [Math.max(-2, this.#x(start)), Math.min(this.#width + 2, this.#x(end))];
      context.strokeStyle = this.#color("--ink");
      context.lineWidth = 2;
      context.strokeRect(left, top - 0.5, Math.max(2, right - left), ROW_HEIGHT);
      context.lineWidth = 1;
    }
  };
  function inkOn(color) {
    const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
    return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#10151c" : "#ffffff";
  }

  // runtime/report/html/client/timeline/pointer.ts
  var LEAST_DRAG = 4;
  var WHEEL_DOUBLE = 240;
  function listenToPointer(stage, actions) {
    let dragged = null;
    stage.addEventListener("pointerdown", (event) => {
      dragged = { x: event.clientX, moved: false };
      stage.setPointerCapture(event.pointerId);
    });
    stage.addEventListener("pointermove", (event) => {
      if (dragged === null) return;
      const by = event.clientX - dragged.x;
      if (!dragged.moved && Math.abs(by) < LEAST_DRAG) return;
      actions.pan(-by);
      dragged = { x: event.clientX, moved: true };
      actions.changed();
    });
    stage.addEventListener("pointerup", (event) => {
      if (dragged !== null && !dragged.moved) actions.select(event);
      dragged = null;
    });
    stage.addEventListener("pointercancel", () => dragged = null);
    stage.addEventListener("dblclick", (event) => {
      actions.zoomTo(event);
      actions.changed();
    });
    stage.addEventListener("wheel", (event) => {
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.ctrlKey || event.metaKey) actions.zoom(2 ** (event.deltaY / WHEEL_DOUBLE), event.clientX);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) actions.pan(sideways);
      else return;
      event.preventDefault();
      actions.changed();
    }, { passive: false });
  }

  // runtime/report/html/client/timeline/spans.ts
  var HOST_COLORS = {
    wait: "--gap",
    "load dataset": "--reader",
    "let data": "--series-6",
    encode: "--series-1",
    submit: "--series-5",
    "monitor loss": "--series-3",
    yield: "--gap"
  };
  function colorOfSpan(category, name) {
    if (category === "device") return phaseColor(name);
    if (category === "worker") return "--reader";
    if (category === "copy") return "--series-6";
    return HOST_COLORS[name] ?? (name.startsWith("step") ? "--scope" : "--series-2");
  }
  function describeSpan(span, { tracks }, variant) {
    const { name, start, end, step, facts: facts2, track } = span;
    const trackName = tracks[track].name;
    const isOp = trackName.startsWith("device ops");
    const head = isOp ? el("a", { href: hrefOf({ variant, anchor: `op:${name}` }) }, nameText(name)) : nameText(name);
    const words = [
      durationText(end - start),
      `at ${durationText(start)}`,
      nameText(trackName, 40),
      step === null ? "" : `step ${step}`,
      ...Object.entries(facts2).map(([key, value]) => `${nameText(key, 40)} ${nameText(String(value), 120)}`)
    ];
    return [el("strong", {}, head), ` ${words.filter((word) => word !== "").join(" · ")}`];
  }
  function durationText(microseconds) {
    return microseconds < 1e3 ? `${numberText(microseconds)} µs` : `${numberText(microseconds / 1e3)} ms`;
  }

  // runtime/report/html/client/timeline/view.ts
  var View = class {
    from;
    to;
    #end;
    constructor(from, to, end) {
      this.#end = Math.max(end, 1);
      this.from = 0;
      this.to = this.#end;
      this.show(from, to);
    }
    /** Shows a stretch, moved into the timeline; nothing shorter than a tenth of a microsecond. */
    show(from, to) {
      const width = Math.min(this.#end, Math.max(0.1, to - from));
      this.from = Math.max(0, Math.min(from, this.#end - width));
      this.to = this.from + width;
    }
    /** @param part of the visible width */
    pan(part) {
      const by = (this.to - this.from) * part;
      this.show(this.from + by, this.to + by);
    }
    /** Makes what is seen `factor` times as long, around a time that stays where it is. */
    zoom(factor, around = (this.from + this.to) / 2) {
      const from = around - (around - this.from) * factor;
      this.show(from, from + (this.to - this.from) * factor);
    }
    all() {
      this.show(0, this.#end);
    }
    /** Brings a span into what is seen, leaving it alone where it is seen already. */
    reveal(start, end) {
      const width = this.to - this.from;
      if (start >= this.from && end <= this.to && end - start > width / 400) return;
      const wanted = Math.max(Math.min(width, (end - start) * 200), (end - start) * 1.4);
      const middle = (start + end) / 2;
      this.show(middle - wanted / 2, middle + wanted / 2);
    }
  };

  // runtime/report/html/client/timeline/timeline.ts
  var FIRST_STEPS = 2;
  var HELP = "Drag to move, Ctrl and the wheel to zoom, double click to zoom to a span. Arrow keys go from span to span and from track to track, with Shift they move; plus and minus zoom, 0 shows all.";
  var TimelineView = class {
    element;
    #timeline;
    #view;
    #layout;
    #canvas = el("canvas", { "aria-hidden": "true" });
    #stage;
    #readout = el("div", { class: "readout", "aria-live": "polite" });
    #colorOfSpan;
    #variant;
    #selected = null;
    #width = 0;
    #pending = false;
    constructor(timeline, ops, variant) {
      this.#timeline = timeline;
      this.#variant = variant;
      this.#layout = layOutTimeline(timeline);
      const phases = new Map(ops.map(({ id, phase }) => [id, phase]));
      this.#colorOfSpan = ({ track, name }) => colorOfSpan(timeline.tracks[track].category, phases.get(name) ?? name);
      const last = timeline.steps[Math.min(FIRST_STEPS, timeline.steps.length) - 1];
      this.#view = new View(timeline.steps[0]?.start ?? 0, last?.end ?? timeline.end, timeline.end);
      this.#stage = el("div", {
        class: "stage",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "timeline",
        "aria-label": `Timeline. ${HELP}`
      }, this.#canvas);
      this.element = el(
        "figure",
        { class: "chart timeline" },
        this.#toolbar(),
        el("div", { class: "tracks" }, trackLabels(timeline, this.#layout), this.#stage),
        this.#readout
      );
      this.#readout.textContent = HELP;
      this.#listen();
      const observer = new ResizeObserver(() => {
        if (!this.#stage.isConnected) return observer.disconnect();
        this.#width = Math.floor(this.#stage.clientWidth);
        this.#repaint();
      });
      observer.observe(this.#stage);
      onColorsChange(this.#stage, () => this.#repaint());
    }
    #toolbar() {
      const act = (label, name, action) => button(label, { class: "tool", "aria-label": name, title: name }, () => {
        action();
        this.#repaint();
      });
      const toStep = (by) => {
        const { steps } = this.#timeline;
        const middle = (this.#view.from + this.#view.to) / 2;
        const now = Math.max(0, steps.findLastIndex(({ start }) => start <= middle));
        const next = steps[Math.max(0, Math.min(steps.length - 1, now + by))];
        if (next !== void 0) this.#view.show(next.start, next.end);
      };
      return el(
        "div",
        { class: "tools", role: "toolbar", "aria-label": "Timeline" },
        act("+", "Zoom in", () => this.#view.zoom(0.6)),
        act("−", "Zoom out", () => this.#view.zoom(1 / 0.6)),
        act("All", "Show all", () => this.#view.all()),
        act("‹ Step", "The step before", () => toStep(-1)),
        act("Step ›", "The step after", () => toStep(1))
      );
    }
    #repaint() {
      if (this.#pending) return;
      this.#pending = true;
      requestAnimationFrame(() => {
        this.#pending = false;
        if (this.#width <= 0) return;
        this.#stage.style.height = `${this.#layout.height}px`;
        this.#stage.dataset["from"] = String(this.#view.from);
        this.#stage.dataset["to"] = String(this.#view.to);
        paintTimeline(this.#canvas, this.#width, {
          timeline: this.#timeline,
          layout: this.#layout,
          view: this.#view,
          selected: this.#selected,
          colorOfSpan: this.#colorOfSpan
        });
      });
    }
    #select(span, reveal) {
      this.#selected = span;
      if (span !== null) {
        if (reveal) this.#view.reveal(span.start, span.end);
        this.#readout.replaceChildren(...describeSpan(span, this.#timeline, this.#variant));
      }
      this.#repaint();
    }
    #timeAt(clientX) {
      const { left } = this.#stage.getBoundingClientRect();
      return this.#view.from + (clientX - left) / this.#width * (this.#view.to - this.#view.from);
    }
    #listen() {
      listenToPointer(this.#stage, {
        pan: (pixels) => this.#view.pan(pixels / this.#width),
        zoom: (factor, clientX) => this.#view.zoom(factor, this.#timeAt(clientX)),
        select: (event) => this.#select(this.#under(event), false),
        zoomTo: (event) => {
          const span = this.#under(event);
          if (span === null) return;
          const room = (span.end - span.start) * 0.05;
          this.#view.show(span.start - room, span.end + room);
        },
        changed: () => this.#repaint()
      });
      this.#stage.addEventListener("keydown", (event) => this.#onKey(event));
    }
    #under(event) {
      const { top } = this.#stage.getBoundingClientRect();
      const slack = 2 * (this.#view.to - this.#view.from) / this.#width;
      return spanAt(this.#timeline, this.#layout, this.#timeAt(event.clientX), event.clientY - top, slack);
    }
    #onKey(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const view = this.#view;
      const actions = {
        ArrowRight: () => event.shiftKey ? view.pan(0.25) : this.#step(1),
        ArrowLeft: () => event.shiftKey ? view.pan(-0.25) : this.#step(-1),
        ArrowDown: () => this.#change(1),
        ArrowUp: () => this.#change(-1),
        "+": () => view.zoom(0.6),
        "=": () => view.zoom(0.6),
        "-": () => view.zoom(1 / 0.6),
        "0": () => view.all()
      };
      const action = actions[event.key];
      if (action === void 0) return;
      event.preventDefault();
      action();
      this.#repaint();
    }
    /** To the next span of the track. */
    #step(by) {
      const selected = this.#selected;
      if (selected === null) return this.#select(this.#nearest(0), true);
      const { spans } = this.#timeline.tracks[selected.track];
      this.#select(spans[spans.indexOf(selected) + by] ?? selected, true);
    }
    /** To the next track, as near in time as can be. */
    #change(by) {
      const track = this.#selected === null ? 0 : this.#selected.track + by;
      this.#select(this.#nearest(track) ?? this.#selected, true);
    }
    #nearest(track) {
      const spans = this.#timeline.tracks[track]?.spans ?? [];
      const time2 = this.#selected?.start ?? this.#view.from;
      return spans.reduce(
        (best, span) => best === null || Math.abs(span.start - time2) < Math.abs(best.start - time2) ? span : best,
        null
      );
    }
  };

  // runtime/report/html/client/timeline/section.ts
  function timelineSection({ overview: overview2, variant, index }) {
    const base = { anchor: "timeline", title: "Timeline" };
    const columns = readTimeline(index);
    if (columns === null || columns.lanes.length === 0) {
      const reason2 = notProfiled(variant) ?? (columns === null ? "its spans were not kept" : null);
      return { ...base, content: reason2 ?? untimed(overview2) ?? "nothing was recorded" };
    }
    const { steps, recorded, leftOut } = columns;
    const cut = steps < recorded ? `the first ${steps} of ${recorded} profiled steps; the others would take too much room` : "";
    const timeline = new TimelineView(decodeTimeline(columns), variant.ops, variant.name);
    return {
      ...base,
      about: `${steps} profiled steps, on the host's axis`,
      content: [
        timeline.element,
        notes([cut, leftOut === 0 ? "" : `${formatCount(leftOut)} spans were left out while it was recorded`])
      ]
    };
  }

  // runtime/report/html/client/variant/autotune.ts
  function autotuneSection({ variant }) {
    const base = { anchor: "autotune", title: "Autotuning" };
    const { autotune } = variant;
    if (autotune === null) return { ...base, content: notTuned(variant) };
    const table = createTable({
      caption: "Tuned ops",
      columns: [
        { title: "op", align: "left", value: ({ op }) => op, show: ({ op }) => nameText(op, 40) },
        { title: "in a step", value: ({ nodes }) => nodes.length },
        { title: "default", unit: "ms", value: byDefault, show: (op) => numberText(byDefault(op)) },
        { title: "chosen", unit: "ms", value: chosen2, show: (op) => numberText(chosen2(op)) },
        {
          title: "kernel",
          align: "left",
          breakable: true,
          value: (op) => op.chosen,
          show: (op) => nameText(op.chosen, 60)
        },
        { title: "candidates", value: ({ candidates }) => candidates.length },
        { title: "from", align: "left", value: ({ source }) => source },
        { title: "shapes", align: "left", breakable: true, value: ({ inputs }) => nameText(inputs.join(" "), 80) }
      ],
      rows: autotune.ops,
      limit: 40
    });
    return { ...base, about: `On the ${autotune.clock}'s clock`, content: [table.element, notes(remarks2(autotune))] };
  }
  function byDefault({ candidates }) {
    return candidates[0]?.time ?? null;
  }
  function chosen2({ candidates }) {
    return candidates.find(({ chosen: chosen3 }) => chosen3)?.time ?? null;
  }
  function remarks2({ ops, hits, spent, before: before2, after: after2, cache, warnings: warnings2 }) {
    const gain = before2 > 0 ? ` (${formatPercent(1 - after2 / before2)} % less)` : "";
    return [
      `tuned ops of a step: ${numberText(before2)} ms with the default kernels, ${numberText(after2)} ms with the chosen ones${gain}`,
      `${hits} of ${ops.length} from the cache (${nameText(cache, 200)}); ${numberText(spent / 1e3)} s spent`,
      ...warnings2.map((warning) => nameText(warning, 400))
    ];
  }

  // runtime/report/html/client/variant/findings.ts
  function bottleneckSection({ variant }) {
    const base = { anchor: "bottleneck", title: "What bounds it" };
    const { bottleneck } = variant;
    if (bottleneck === null) {
      const alone = variant.parameters === null && variant.status === "ok";
      const missing = alone ? "no model: the loader alone takes all of a step" : "no bottleneck was looked for";
      return { ...base, content: notProfiled(variant) ?? missing };
    }
    return {
      ...base,
      content: [
        facts([
          ["By the trace", reading(bottleneck.byRules, "device times are missing")],
          ["By taking parts away", reading(bottleneck.byArms, "no part was taken away (--bottleneck)")],
          ["Device", device(bottleneck)]
        ], "long"),
        bottleneck.arms.length === 0 ? null : arms(bottleneck)
      ]
    };
  }
  function reading(read, missing) {
    return read === null ? `${MISSING} ${missing}` : el("span", {}, el("strong", {}, read.bound), ` – ${nameText(read.reason, 600)}`);
  }
  function device({ device: device2 }) {
    if (device2 === null) return `${MISSING} its ops were not judged`;
    return el("span", {}, el("strong", {}, device2.bound), ` – ${nameText(device2.reason, 400)}`);
  }
  function arms({ arms: arms2 }) {
    const ratio = ({ value, low, high }) => `×${estimateText(value, low, high)}`;
    return createTable({
      caption: "Arms with a part of the step taken away",
      columns: [
        { title: "arm", align: "left", value: ({ name }) => name },
        { title: "taken away", align: "left", breakable: true, value: ({ what }) => nameText(what, 200) },
        { title: "rounds", value: ({ rounds }) => rounds },
        {
          title: "batch cost",
          unit: "ms",
          value: ({ batchCost }) => batchCost,
          show: ({ batchCost }) => numberText(batchCost)
        },
        { title: "whole / arm", value: (arm) => arm.ratio.value, show: (arm) => ratio(arm.ratio) }
      ],
      rows: arms2
    }).element;
  }
  function findingsSection({ variant, anchors, shared: shared2 }) {
    const base = { anchor: "findings", title: "Findings" };
    const { findings, name } = variant;
    if (findings.length === 0) {
      const nothing = variant.status === "ok" ? "the analysis noticed nothing that could be better" : "the variant did not run to its end, and findings are of whole runs";
      return { ...base, content: notProfiled(variant) ?? nothing };
    }
    const items = findings.map(
      (finding) => findingElement(finding, (where) => {
        if (anchors.has(where)) return hrefOf({ variant: name, anchor: where });
        return shared2.has(where) ? hrefOf({ variant: null, anchor: where }) : null;
      })
    );
    const find = (kind) => items[findings.findIndex((finding) => finding.kind === kind)] ?? null;
    anchors.setFamily("finding", { has: (kind) => find(kind) !== null, find });
    return { ...base, content: [el("ol", { class: "findings" }, ...items)] };
  }
  function findingElement(finding, hrefTo) {
    const { kind, severity, message, evidence, changes, predicted } = finding;
    const proofs = evidence.map(({ label, value, where }) => {
      const text2 = `${nameText(label, 80)} ${nameText(value, 80)}`;
      const href = hrefTo(where);
      return el("li", {}, href === null ? text2 : el("a", { href }, text2));
    });
    return el(
      "li",
      { class: severity },
      el("p", {}, el("span", { class: "kind" }, `${severity} · ${nameText(kind, 60)}`), " ", nameText(message, 1e3)),
      proofs.length === 0 ? null : el("ul", { class: "evidence", "aria-label": "Evidence" }, ...proofs),
      changes.length === 0 ? null : el("p", { class: "change" }, "Change ", el("code", {}, changesText(changes))),
      predicted === null ? null : notes([`Predicted ×${ratioText(predicted.gain)}: ${nameText(predicted.reasoning, 600)}`])
    );
  }

  // runtime/analysis/host_share.ts
  function hostShare(work, { blocks, config }) {
    const wall = blocks.reduce((sum3, block) => sum3 + block.wall, 0);
    if (wall <= 0 || readAfterwards(work, config)) return null;
    return work.total / wall;
  }
  function readAfterwards({ name }, config) {
    return name === "monitor loss" && (config["monitor"] !== "step" || config["sink"] !== 0);
  }

  // runtime/analysis/random_ops.ts
  function randomOps(ops) {
    return ops.filter(({ phase, roles }) => phase === "forward" && roles.includes("random"));
  }

  // runtime/report/html/client/variant/host.ts
  function hostSection({ variant }) {
    const base = { anchor: "host", title: "Host work" };
    const { profile, blocks, counts } = variant;
    if (profile === null) return { ...base, content: notProfiled(variant) ?? "" };
    if (profile.host.length === 0) return { ...base, content: "the host's work was not followed" };
    const steps = blocks.reduce((sum3, block) => sum3 + block.steps.length, 0);
    const { hostToDevice, deviceToHost } = profile.transfers;
    const time2 = (title, key) => ({
      title,
      unit: "ms",
      value: (work) => work[key],
      show: (work) => numberText(work[key])
    });
    const table = createTable({
      caption: "Host work in the measured steps",
      columns: [
        { title: "work", align: "left", value: ({ name }) => name, show: ({ name }) => nameText(name, 60) },
        { title: "calls", value: ({ calls }) => calls },
        time2("total", "total"),
        time2("mean", "mean"),
        time2("min", "min"),
        time2("max", "max"),
        {
          title: "a step",
          unit: "ms",
          value: ({ total }) => steps === 0 ? null : total / steps,
          show: ({ total }) => steps === 0 ? null : numberText(total / steps)
        },
        {
          title: "share",
          value: (work) => hostShare(work, variant),
          show: (work) => percentText(hostShare(work, variant)),
          help: "Of the wall time of the blocks; work in workers runs beside it, losses are read behind it"
        }
      ],
      rows: profile.host
    });
    const copies = (count, bytes) => `${formatMiB(bytes)} MiB in ${formatCount(count)}`;
    return {
      ...base,
      about: `${steps} measured steps, on the host's clock`,
      content: [
        table.element,
        facts([
          ["Copied to the device", copies(hostToDevice.count, hostToDevice.bytes)],
          ["Read back", copies(deviceToHost.count, deviceToHost.bytes)],
          [
            "Submits, waits, readbacks",
            counts === null ? MISSING : `${counts.submits}, ${counts.waits}, ${counts.readbacks}`
          ]
        ]),
        notes([...afterBlocks(profile.host), generated(variant)])
      ]
    };
  }
  function afterBlocks(host2) {
    const read = host2.some(({ name }) => name === "monitor loss");
    return read ? ["share: of the wall time of the blocks; losses read at the end of a block are not in it"] : [];
  }
  function generated({ ops }) {
    const random = randomOps(ops).map(({ name }) => nameText(name, 40));
    return random.length === 0 ? `generate data ${MISSING}: no layer draws random signals` : `generate data: on the device, inside of ${random.slice(0, 3).join(", ")}`;
  }
  function cpuSection({ variant }) {
    const base = { anchor: "cpu", title: "CPU use" };
    const { profile } = variant;
    if (profile === null || profile.steps === 0) {
      return { ...base, content: notProfiled(variant) ?? "it is taken over profiled steps, and there were none" };
    }
    if (profile.cpu.length === 0) return { ...base, content: "this operating system does not tell" };
    const table = createTable({
      caption: "CPU use of cores and threads",
      columns: [
        { title: "core or thread", align: "left", value: ({ name }) => name, show: ({ name }) => nameText(name, 60) },
        { title: "kind", align: "left", value: ({ kind }) => kind },
        {
          title: "running",
          value: ({ running }) => running,
          show: ({ running }) => {
            const text2 = el("span", { class: "share" }, percentText(running));
            text2.style.setProperty("--share", String(Math.max(0, Math.min(1, running))));
            return text2;
          }
        },
        {
          title: "waiting",
          value: ({ waiting }) => waiting,
          show: ({ waiting }) => percentText(waiting),
          help: "Ready to run, but no core was free"
        }
      ],
      rows: profile.cpu
    });
    return { ...base, about: "Part of the time of the profiled steps", content: [table.element] };
  }
  function rangesSection({ variant }) {
    const base = { anchor: "ranges", title: "Ranges" };
    const ranges = variant.profile?.ranges ?? [];
    if (ranges.length === 0) return { ...base, content: notProfiled(variant) ?? "the script names no range" };
    const table = createTable({
      caption: "Ranges",
      columns: [
        { title: "range", align: "left", value: ({ path }) => path, show: indented },
        { title: "on", align: "left", value: ({ track }) => track },
        { title: "calls", value: ({ calls }) => calls },
        { title: "total", unit: "ms", value: ({ total }) => total, show: ({ total }) => numberText(total) },
        { title: "mean", unit: "ms", value: ({ mean }) => mean, show: ({ mean }) => numberText(mean) }
      ],
      rows: ranges
    });
    return { ...base, content: [table.element] };
  }
  function indented({ path }) {
    const parts = path.split("/");
    const text2 = el("span", { title: nameText(path, 400) }, nameText(parts.at(-1), 60));
    text2.style.paddingLeft = `${Math.min(parts.length - 1, 8)}em`;
    return text2;
  }

  // runtime/analysis/memory_peak.ts
  var MEMORY_CLASSES = ["parameters", "gradients", "optimizer", "activations", "workspace", "feed"];
  function usedBytes(point) {
    return MEMORY_CLASSES.reduce((sum3, name) => sum3 + point[name], 0);
  }
  function memoryPeak(points) {
    return points.reduce(
      (peak, point) => peak === null || usedBytes(point) > usedBytes(peak) ? point : peak,
      null
    );
  }

  // runtime/report/html/client/variant/memory.ts
  function memorySection({ variant }) {
    const base = { anchor: "memory", title: "Memory" };
    const points = variant.profile?.memory ?? [];
    const peak = memoryPeak(points);
    if (variant.memory === null && peak === null) {
      return {
        ...base,
        content: variant.parameters === null ? "no model, the loader alone was measured" : "no memory was planned"
      };
    }
    const at = peak === null ? -1 : points.indexOf(peak);
    const chart = peak === null ? el("p", { class: "missing" }, `${MISSING} over a step: ${notProfiled(variant) ?? "the ops were not followed"}`) : seriesChart({
      label: "Device memory over the ops of a step",
      x: {
        name: "op",
        values: points.map((_, i) => i),
        text: (i) => points[i] === void 0 ? "" : nameText(points[i].op, 24)
      },
      unit: "MiB",
      series: MEMORY_CLASSES.map((name) => ({
        name,
        color: MEMORY_COLORS[name],
        kind: "bars",
        values: points.map((point) => point[name] / 2 ** 20)
      })),
      stacked: true,
      include: [0, usedBytes(peak) / 2 ** 20 * 1.12],
      // room for the mark's words
      mark: { x: at, text: `peak ${formatMiB(usedBytes(peak))} MiB: ${nameText(peak.op, 40)}` },
      height: 220
    });
    const row = (name) => ({
      name,
      atPeak: peak && peak[name],
      planned: variant.memory?.[name] ?? null
    });
    const rows = [
      ...MEMORY_CLASSES.map(row),
      { name: "all", atPeak: peak && usedBytes(peak), planned: variant.memory?.peak ?? null }
    ];
    const where = peak === null ? null : el("p", {}, "Most is in use while ", variantLink(variant.name, `op:${peak.op}`, nameText(peak.op, 60)), " runs.");
    return {
      ...base,
      about: "By what it is taken for",
      content: [chart, where, classTable(rows, peak && usedBytes(peak)), notes([PLANNED])]
    };
  }
  var PLANNED = "planned: what is allocated; what activations and workspace share in turn counts as activations there";
  function classTable(rows, all) {
    return createTable({
      caption: "Device memory by class",
      columns: [
        {
          title: "class",
          align: "left",
          value: ({ name }) => name,
          show: ({ name }) => name === "all" ? el("strong", {}, name) : el("span", { class: "name" }, swatch(MEMORY_COLORS[name]), name)
        },
        {
          title: "at the peak",
          unit: "MiB",
          value: ({ atPeak }) => atPeak && atPeak / 2 ** 20,
          show: ({ atPeak }) => atPeak === null ? null : formatMiB(atPeak)
        },
        {
          title: "share",
          value: ({ atPeak }) => atPeak === null || !all ? null : atPeak / all,
          show: ({ atPeak }) => atPeak === null || !all ? null : percentText(atPeak / all)
        },
        {
          title: "planned",
          unit: "MiB",
          value: ({ planned }) => planned && planned / 2 ** 20,
          show: ({ planned }) => planned === null ? null : formatMiB(planned)
        }
      ],
      rows
    }).element;
  }

  // runtime/analysis/op_groups.ts
  var DEEPEST = 8;
  function groupOps(ops, by) {
    const whole = sum(ops.map((op) => op.total));
    if (by === "layer") return layerGroups(ops, whole);
    const groups = [...Map.groupBy(ops, (op) => op[by])].map(([name, members]) => summarize(name, 0, members, whole));
    const phases = phasesNamed(ops.map((op) => op.phase)).map(({ name }) => name);
    return by === "phase" ? groups.toSorted((a, b) => phases.indexOf(a.name) - phases.indexOf(b.name)) : groups.toSorted((a, b) => (b.total ?? -1) - (a.total ?? -1));
  }
  function rate(work, ms) {
    return work === null || ms === null || ms <= 0 ? null : work / ms / 1e6;
  }
  function setupOf({ setup: { pipeline, firstDispatch } }) {
    return pipeline === null && firstDispatch === null ? null : (pipeline ?? 0) + (firstDispatch ?? 0);
  }
  function layerGroups(ops, whole) {
    const root = { path: "", own: [], children: /* @__PURE__ */ new Map() };
    for (const op of ops) {
      let scope = root;
      for (const path of prefixes(op.layer)) {
        const child = scope.children.get(path) ?? { path, own: [], children: /* @__PURE__ */ new Map() };
        scope.children.set(path, child);
        scope = child;
      }
      scope.own.push(op);
    }
    const walk = (scope, depth) => {
      const children = [...scope.children.values()];
      if (scope.own.length === 0 && children.length === 1) return walk(children[0], depth);
      return [summarize(scope.path, depth, within(scope), whole), ...children.flatMap((child) => walk(child, depth + 1))];
    };
    return [...root.children.values()].flatMap((scope) => walk(scope, 0));
  }
  function prefixes(layer) {
    const parts = layer.split(".");
    const levels = Math.min(parts.length, DEEPEST);
    return Array.from({ length: levels }, (_, i) => i === levels - 1 ? layer : parts.slice(0, i + 1).join("."));
  }
  function within(scope) {
    return [...scope.own, ...[...scope.children.values()].flatMap(within)];
  }
  function summarize(name, depth, ops, whole) {
    const total = sum(ops.map((op) => op.total));
    const perStep = sum(ops.map((op) => op.mean));
    const [flops, bytes] = [sum(ops.map((op) => op.flops)), sum(ops.map((op) => op.bytes))];
    const known = (key) => ops.map((op) => op[key]).filter((time2) => time2 !== null);
    return {
      name,
      depth,
      ops: ops.length,
      calls: ops.reduce((calls, op) => calls + op.calls, 0),
      total,
      perStep,
      min: least(known("min")),
      max: most(known("max")),
      share: total === null || whole === null || whole <= 0 ? null : total / whole,
      flops,
      bytes,
      gflops: rate(flops, perStep),
      gbps: rate(bytes, perStep)
    };
  }
  function sum(values) {
    return values.reduce((sum3, value) => sum3 === null || value === null ? null : sum3 + value, 0);
  }
  function least(values) {
    return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
  }
  function most(values) {
    return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
  }

  // runtime/analysis/roofline.ts
  function place(work, peaks) {
    return placeAll([work], work.time, peaks);
  }
  function placeAll(works, time2, peaks) {
    const flops = sum2(works, (work) => work.flops);
    const bytes = sum2(works, (work) => work.bytes);
    if (flops === 0 && bytes === 0) return null;
    const computeTime = sum2(works, (work) => work.flops / computePeak(work.dtype, peaks) * 1e3);
    const memoryTime = bytes / peaks.copy.value * 1e3;
    const attainableTime = Math.max(computeTime, memoryTime);
    return {
      intensity: bytes === 0 ? null : flops / bytes,
      bound: computeTime >= memoryTime ? "compute" : "memory",
      attainable: flops === 0 ? null : flops / (attainableTime / 1e3),
      attainableTime,
      share: time2 === null || time2 <= 0 ? null : attainableTime / time2
    };
  }
  function placeOp(op, peaks) {
    const work = workOf(op);
    return work === null ? null : place(work, peaks);
  }
  function roofsOf(ops, peaks) {
    const roofs = /* @__PURE__ */ new Map();
    for (const op of ops) {
      const placement = placeOp(op, peaks);
      if (placement !== null && placement.share !== null) roofs.set(op.id, { ...placement, share: placement.share });
    }
    return roofs;
  }
  function workOf(op) {
    if (op.flops === null || op.bytes === null) return null;
    return { flops: op.flops, bytes: op.bytes, time: op.mean, dtype: op.dtype };
  }
  function computePeak(dtype, { f32, f16 }) {
    return dtype === "f16" ? Math.max(f32.value, f16?.value ?? 0) : f32.value;
  }
  function sum2(items, value) {
    return items.reduce((total, item) => total + value(item), 0);
  }

  // runtime/report/html/client/variant/scope_tree.ts
  var DEEPEST2 = 8;
  function scopeTree(ops) {
    const root = { name: "step", path: "", time: 0, children: [], op: null };
    const scopes = /* @__PURE__ */ new Map();
    for (const op of ops) {
      if (op.mean === null) continue;
      let scope = root;
      scope.time += op.mean;
      for (const path of prefixes2(op.layer)) {
        let child = scopes.get(path);
        if (child === void 0) {
          child = {
            name: path.slice(scope.path === "" ? 0 : scope.path.length + 1),
            path,
            time: 0,
            children: [],
            op: null
          };
          scopes.set(path, child);
          scope.children.push(child);
        }
        child.time += op.mean;
        scope = child;
      }
      scope.children.push({ name: leafName(op), path: op.id, time: op.mean, children: [], op });
    }
    return root;
  }
  function leafName({ name, type }) {
    const slash = name.lastIndexOf("/");
    return slash < 0 ? type : name.slice(slash + 1);
  }
  function prefixes2(layer) {
    if (layer === "") return [];
    const parts = layer.split(".");
    const levels = Math.min(parts.length, DEEPEST2);
    return Array.from({ length: levels }, (_, i) => i === levels - 1 ? layer : parts.slice(0, i + 1).join("."));
  }

  // runtime/report/html/client/variant/flame_graph.ts
  var ROW_HEIGHT2 = 21;
  var LEAST_WIDTH = 4e-4;
  var LEAST_NAMED2 = 0.02;
  function flameGraph(ops, variant) {
    const root = layOut(scopeTree(ops), null, 0, 0, 1);
    const frames = flatten(root);
    const rows = 1 + frames.reduce((most2, { depth }) => Math.max(most2, depth), 0);
    const graph = el("div", { class: "flame", role: "tree", "aria-label": "Flame graph of the scopes by device time" });
    graph.style.height = `${rows * ROW_HEIGHT2}px`;
    const readout = el("p", { class: "readout", "aria-live": "polite" });
    const elements2 = new Map(frames.map((frame) => [frame, frameElement(frame, root)]));
    let zoomed = root;
    let current = root;
    const zoom = (frame) => {
      zoomed = frame;
      for (const [other, element] of elements2) place2(element, other, zoomed);
    };
    const describe3 = (frame) => readout.replaceChildren(...description(frame, root, variant));
    const focus = (frame) => {
      if (frame === void 0) return;
      elements2.get(current).tabIndex = -1;
      current = frame;
      const element = elements2.get(frame);
      if (element.hidden) zoom(frame.parent ?? root);
      element.tabIndex = 0;
      element.focus();
      describe3(frame);
    };
    for (const [frame, element] of elements2) {
      element.addEventListener("pointerenter", () => describe3(frame));
      element.addEventListener("focus", () => describe3(frame));
      element.addEventListener("click", () => {
        focus(frame);
        zoom(frame);
      });
    }
    graph.addEventListener("keydown", (event) => {
      const siblings = current.parent?.children ?? [current];
      const place3 = siblings.indexOf(current);
      const actions = {
        ArrowDown: () => focus(current.children[0]),
        ArrowUp: () => focus(current.parent ?? void 0),
        ArrowRight: () => focus(siblings[place3 + 1]),
        ArrowLeft: () => focus(siblings[place3 - 1]),
        Home: () => focus(root),
        Enter: () => zoom(current),
        " ": () => zoom(current),
        Escape: () => zoom(zoomed.parent ?? root)
      };
      const action = actions[event.key];
      if (action === void 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
    graph.append(...elements2.values());
    elements2.get(root).tabIndex = 0;
    zoom(root);
    describe3(root);
    const legend = el(
      "div",
      { class: "legend" },
      ...shownPhases(ops.map((op) => op.phase)).map(({ name, label }) => el("span", {}, swatch(phaseColor(name)), label)),
      el("span", { class: "unit" }, "width: ms of a step · click or Enter zooms, Escape goes back")
    );
    return el("figure", { class: "chart", "data-points": frames.length }, legend, graph, readout);
  }
  function layOut(node, parent, depth, start, width) {
    const frame = { node, depth, start, width, parent, children: [] };
    let at = start;
    for (const child of node.children) {
      const part = node.time > 0 ? width * child.time / node.time : 0;
      frame.children.push(layOut(child, frame, depth + 1, at, part));
      at += part;
    }
    return frame;
  }
  function flatten(frame) {
    return [frame, ...frame.children.flatMap(flatten)];
  }
  function frameElement({ node, depth }, root) {
    const words = `${nameText(node.path === "" ? node.name : node.path)}: ${numberText(node.time)} ms, ` + percentText(root.node.time > 0 ? node.time / root.node.time : 0);
    const element = el("div", {
      role: "treeitem",
      "aria-level": depth + 1,
      "aria-label": words,
      title: words,
      tabindex: -1,
      class: node.op === null ? "scope" : "op"
    }, nameText(node.name, 48));
    element.style.top = `${depth * ROW_HEIGHT2}px`;
    if (node.op !== null) element.style.setProperty("--color", `var(${phaseColor(node.op.phase)})`);
    return element;
  }
  function place2(element, frame, zoomed) {
    const above = isWithin(zoomed, frame);
    const start = above ? 0 : (frame.start - zoomed.start) / zoomed.width;
    const width = above ? 1 : frame.width / zoomed.width;
    element.hidden = !(above || isWithin(frame, zoomed)) || !(width >= LEAST_WIDTH);
    if (element.hidden) return;
    element.style.left = `${start * 100}%`;
    element.style.width = `${width * 100}%`;
    element.classList.toggle("unnamed", width < LEAST_NAMED2);
  }
  function isWithin(frame, outer) {
    for (let at = frame; at !== null; at = at.parent) if (at === outer) return true;
    return false;
  }
  function description({ node }, root, variant) {
    const name = nameText(node.path === "" ? node.name : node.path);
    const figures = ` ${numberText(node.time)} ms of a step, ${percentText(root.node.time > 0 ? node.time / root.node.time : 0)}`;
    if (node.op === null) return [el("strong", {}, name), figures];
    const link = el("a", { href: hrefOf({ variant, anchor: `op:${node.op.id}` }), tabindex: -1 }, name);
    return [el("strong", {}, link), `${figures} · ${node.op.phase} · ${nameText(node.op.type, 60)}`];
  }

  // runtime/report/html/client/variant/ops.ts
  function noOps({ overview: overview2, variant }) {
    if (variant.ops.some(({ mean }) => mean !== null)) return null;
    return notProfiled(variant) ?? untimed(overview2) ?? "no op was timed";
  }
  function typesSection(context) {
    const base = { anchor: "types", title: "Ops by type" };
    const { ops, profile } = context.variant;
    if (ops.length === 0) return { ...base, content: noOps(context) ?? "" };
    const groups = groupOps(ops, "type");
    return { ...base, about: profiledSteps(profile?.steps), content: [groupTable("Ops by type", "type", groups)] };
  }
  function layersSection(context) {
    const base = { anchor: "layers", title: "Ops by layer" };
    const { ops, profile, name } = context.variant;
    const missing = noOps(context);
    if (missing !== null) return { ...base, content: missing };
    const layers = groupOps(ops, "layer");
    return {
      ...base,
      about: `${profiledSteps(profile?.steps)}; a layer holds what is under it`,
      content: [flameGraph(ops, name), groupTable("Ops by layer", "layer", layers)]
    };
  }
  function groupTable(caption, by, groups) {
    const number = (title, unit, value) => ({
      title,
      ...unit === void 0 ? {} : { unit },
      value,
      show: (group) => numberText(value(group))
    });
    return createTable({
      caption,
      columns: [
        { title: by, align: "left", breakable: true, value: ({ name }) => name, show: (group) => indented2(group, by) },
        { title: "ops", value: ({ ops }) => ops },
        { title: "calls", value: ({ calls }) => calls === 0 ? null : calls },
        number("total", "ms", ({ total }) => total),
        number("a step", "ms", ({ perStep }) => perStep),
        shareColumn(({ share }) => share),
        number("GFLOP/s", void 0, ({ gflops }) => gflops),
        number("GB/s", void 0, ({ gbps }) => gbps)
      ],
      rows: groups,
      limit: 40
    }).element;
  }
  function indented2({ name, depth }, by) {
    const text2 = el("span", { title: nameText(name, 400) }, name === "" ? `(no ${by})` : nameText(name, 64));
    text2.style.paddingLeft = `${Math.min(depth, 8)}em`;
    return text2;
  }
  function shareColumn(share) {
    return {
      title: "share",
      value: share,
      show: (row) => {
        const known = share(row);
        if (known === null) return null;
        const text2 = el("span", { class: "share" }, percentText(known));
        text2.style.setProperty("--share", String(Math.max(0, Math.min(1, known))));
        return text2;
      }
    };
  }
  function opsSection(context) {
    const base = { anchor: "ops", title: "Ops" };
    const { overview: overview2, variant, words, anchors } = context;
    if (variant.ops.length === 0) return { ...base, content: noOps(context) ?? "" };
    const { roofline } = overview2;
    const roofs = roofline === null ? null : roofsOf(variant.ops, roofline.peaks);
    const number = (title, unit, value) => ({
      title,
      ...unit === void 0 ? {} : { unit },
      value,
      show: (op) => numberText(value(op))
    });
    const table = createTable({
      caption: "Ops",
      columns: [
        {
          title: "op",
          align: "left",
          breakable: true,
          value: ({ name }) => name,
          show: ({ id, name, phase }) => el("span", { class: "name", title: nameText(id, 400) }, swatch(phaseColor(phase)), nameText(name, 56))
        },
        { title: "phase", align: "left", value: ({ phase }) => phase },
        {
          title: "type",
          align: "left",
          breakable: true,
          value: ({ type }) => type,
          show: ({ type }) => nameText(type, 40)
        },
        { title: "calls", value: ({ calls }) => calls === 0 ? null : calls },
        number("mean", "ms", ({ mean }) => mean),
        number("min", "ms", ({ min }) => min),
        number("max", "ms", ({ max }) => max),
        shareColumn(({ share }) => share),
        number("GFLOP/s", void 0, ({ flops, mean }) => rate(flops, mean)),
        number("GB/s", void 0, ({ bytes, mean }) => rate(bytes, mean)),
        ...roofs === null ? [] : [{
          title: "of the roof",
          value: ({ id }) => roofs.get(id)?.share ?? null,
          show: ({ id }) => percentText(roofs.get(id)?.share),
          help: "What the adapter's peaks allow / what was reached"
        }],
        number("set-up", "ms", setupOf),
        { title: "work", value: ({ flops }) => flops, show: ({ flops }) => flops === null ? null : formatFlops(flops) },
        { title: "bytes", value: ({ bytes }) => bytes, show: ({ bytes }) => bytes === null ? null : formatBytes(bytes) },
        { title: "dispatches", value: ({ dispatches }) => dispatches },
        {
          title: "kernel",
          align: "left",
          breakable: true,
          value: ({ kernel }) => kernel,
          show: ({ kernel }) => nameText(kernel, 60)
        },
        { title: "shapes", align: "left", breakable: true, value: shapes, show: (op) => nameText(shapes(op), 80) },
        {
          title: "members",
          align: "left",
          breakable: true,
          value: ({ members }) => members.length < 2 ? null : members.join(" "),
          show: ({ members }) => members.length < 2 ? null : nameText(members.join(" "), 80),
          help: "What a fused kernel does"
        }
      ],
      rows: variant.ops,
      key: ({ id }) => id
    });
    anchors.setFamily("op", table.rows);
    return {
      ...base,
      about: `${variant.ops.length} in the order of the step; ${profiledSteps(variant.profile?.steps)}`,
      content: [table.element, notes([noOps(context) ?? "", words.residuals ?? "", ...words.opTrust])]
    };
  }
  function shapes({ inputs, outputs, dtype }) {
    return `${dtype} · ${formatTensors(inputs, dtype)} → ${formatTensors(outputs, dtype)}`;
  }
  function profiledSteps(steps) {
    return steps === void 0 ? "" : `of ${steps} profiled steps`;
  }

  // runtime/report/html/client/variant/phases.ts
  function phasesSection({ overview: overview2, variant }) {
    const base = { anchor: "phases", title: "Phases" };
    const phases = variant.profile?.phases ?? [];
    if (phases.length === 0) {
      return { ...base, content: notProfiled(variant) ?? untimed(overview2) ?? "no phase of a profiled step was timed" };
    }
    const whole = phases.reduce((sum3, { interval }) => sum3 + Math.max(0, interval), 0);
    const table = createTable({
      caption: "Phases of a profiled step",
      columns: [
        {
          title: "phase",
          align: "left",
          value: ({ phase }) => phase,
          show: ({ phase }) => el("span", { class: "name" }, swatch(phaseColor(phase)), phase)
        },
        {
          title: "interval",
          unit: "ms",
          value: ({ interval }) => interval,
          show: ({ interval }) => numberText(interval)
        },
        { title: "ops", unit: "ms", value: ({ ops }) => ops, show: ({ ops }) => numberText(ops) },
        {
          title: "residual",
          unit: "ms",
          value: ({ residual }) => residual,
          show: ({ residual }) => numberText(residual),
          help: "What lies between the ops"
        },
        {
          title: "share of the step",
          value: ({ interval }) => whole > 0 ? interval / whole : null,
          show: ({ interval }) => whole > 0 ? percentText(interval / whole) : MISSING
        }
      ],
      rows: phases
    });
    return {
      ...base,
      about: `Means over ${variant.profile.steps} profiled steps`,
      content: [bar(phases, whole), table.element]
    };
  }
  function bar(phases, whole) {
    if (whole <= 0) return null;
    const text2 = phases.map(({ phase, interval }) => `${phase} ${percentText(interval / whole)}`).join(", ");
    return el(
      "div",
      { class: "bar", role: "img", "aria-label": text2 },
      ...phases.map(({ phase, interval }) => {
        const part = el("span", {}, interval / whole > 0.08 ? `${phase} ${numberText(interval)} ms` : "");
        part.style.setProperty("--color", `var(${phaseColor(phase)})`);
        part.style.flexGrow = String(Math.max(0, interval / whole));
        return part;
      })
    );
  }

  // runtime/report/html/client/variant/pipeline.ts
  function pipelineSection({ variant, words }) {
    const base = { anchor: "pipeline", title: "Input pipeline" };
    const { pipeline } = variant;
    if (pipeline === null) {
      return { ...base, content: notRun(variant, variant.blocks.length) ?? "loading was not followed" };
    }
    const { numWorkers, sharedMemory, batches, samples, skipped, skipReasons } = pipeline;
    const by = numWorkers === 0 ? "the main thread" : `${numWorkers} worker${numWorkers === 1 ? "" : "s"}, handing over ${sharedMemory ? "in shared memory" : "copies"}`;
    return {
      ...base,
      about: `${formatCount(samples)} samples in ${formatCount(batches)} batches, made by ${by}`,
      content: [
        words.pipeline === null ? null : el("p", {}, capital(words.pipeline)),
        stageTable(pipeline.stages),
        facts([
          ["reader cost", `${spread(pipeline.readerCost)} ms`],
          ["batch cost", `${spread(pipeline.batchCost)} ms`],
          ["samples/s", spread(pipeline.ips)]
        ]),
        pipeline.threads.length === 0 ? null : threadTable(pipeline.threads),
        notes([
          skipped === 0 ? "" : `${formatCount(skipped)} samples were skipped: ${skipReasons.map((reason2) => nameText(reason2, 200)).join("; ")}`,
          choice(pipeline)
        ])
      ]
    };
  }
  function capital(sentence2) {
    return `${sentence2.charAt(0).toUpperCase()}${nameText(sentence2, 1e3).slice(1)}.`;
  }
  function spread({ avg, min, max }) {
    return `${numberText(avg)} (${numberText(min)}–${numberText(max)})`;
  }
  function choice({ choice: choice2 }) {
    if (choice2 === null) return "";
    const tried = choice2.measured.map(
      ({ numWorkers, samplesPerSecond }) => `${numWorkers}: ${numberText(samplesPerSecond)}`
    );
    return `${choice2.chosen} workers were chosen; samples a second by workers: ${tried.join(", ")}`;
  }
  function stageTable(stages) {
    return createTable({
      caption: "Stages of the input pipeline",
      columns: [
        { title: "stage", align: "left", breakable: true, value: ({ name }) => name, show: ({ name }) => nameText(name) },
        { title: "kind", align: "left", value: ({ kind }) => kind === "handOver" ? "hand-over" : kind },
        { title: "a sample", unit: "ms", value: ({ perSample }) => perSample, show: ({ perSample }) => small(perSample) },
        { title: "a batch", unit: "ms", value: ({ perBatch }) => perBatch, show: ({ perBatch }) => small(perBatch) },
        {
          title: "share of making",
          value: ({ share }) => share,
          show: ({ share }) => {
            if (share === null) return null;
            const text2 = el("span", { class: "share" }, percentText(share));
            text2.style.setProperty("--share", String(share));
            return text2;
          }
        }
      ],
      rows: stages
    }).element;
  }
  function threadTable(threads) {
    return createTable({
      caption: "Threads that make batches",
      columns: [
        { title: "thread", align: "left", value: ({ worker }) => worker === null ? "main" : `worker ${worker}` },
        { title: "batches", value: ({ batches }) => batches },
        { title: "make", unit: "ms a batch", value: ({ make }) => make.avg, show: ({ make }) => spread(make) },
        { title: "waiting for a slot", value: ({ waiting }) => waiting, show: ({ waiting }) => percentText(waiting) }
      ],
      rows: threads
    }).element;
  }
  function small(value) {
    if (value === null) return MISSING;
    return value > 0 && value < 0.1 ? value.toPrecision(2) : numberText(value);
  }

  // runtime/report/html/client/variant/queues.ts
  var QUEUES = [["host", "ready in the loader", "--series-1"], [
    "device",
    "staged on the device",
    "--series-4"
  ]];
  var MOST_WORKERS = 4;
  function queuesSection({ variant }) {
    const base = { anchor: "queues", title: "Queues", about: "Batches at each measured step" };
    const { queues, pipeline, blocks } = variant;
    const series = [
      ...QUEUES.flatMap(([name, , color]) => depths(`${name} queue`, color, queues[name])),
      ...workers(pipeline)
    ];
    if (series.length === 0) return { ...base, content: notRun(variant, blocks.length) ?? reason(variant) };
    const steps = Math.max(...series.map(({ values }) => values.length));
    const indices = blocks.flatMap((block) => block.steps.map(({ index }) => index));
    const chart = seriesChart({
      label: "Batches in the queues over the measured steps",
      x: { name: "step", values: indices.length === steps ? indices : Array.from({ length: steps }, (_, i) => i) },
      unit: "batches",
      series: series.map((one) => ({ ...one, values: Array.from({ length: steps }, (_, i) => one.values[i] ?? null) })),
      format: String,
      height: 150
    });
    const lines = QUEUES.map(([name, where]) => {
      const depths2 = queues[name] ?? [];
      if (depths2.length === 0) return `${name} queue –: there is none in this variant`;
      return sentence(`${name} queue, ${where}`, depths2, pipeline?.queues[name] ?? null);
    });
    return { ...base, content: [chart, notes(lines)] };
  }
  function depths(name, color, values) {
    return values === void 0 || values.length === 0 ? [] : [{ name, color, kind: "steps", values }];
  }
  function workers(pipeline) {
    const made = pipeline?.threads.filter(({ worker }) => worker !== null) ?? [];
    if (made.length < 2 || made.length > MOST_WORKERS) return [];
    return made.flatMap(({ worker, ready }, i) => {
      return depths(`worker ${worker}`, `--series-${[2, 3, 5, 6][i]}`, ready).map((one) => ({ ...one, dash: true }));
    });
  }
  function sentence(name, depths2, known) {
    const mean = depths2.reduce((sum3, depth) => sum3 + depth, 0) / depths2.length;
    const empty2 = known?.empty ?? depths2.filter((depth) => depth === 0).length / depths2.length;
    const capacity = known?.capacity ?? null;
    const full = known?.full ?? null;
    return `${name}: on average ${numberText(mean)}${capacity === null ? "" : ` of ${capacity}`}; empty at ${percentText(empty2)} of the steps${full === null ? "" : `, full at ${percentText(full)}`}`;
  }
  function reason({ pipeline }) {
    return pipeline?.numWorkers === 0 ? "there is no queue: the main thread makes each batch when it needs one" : "no queue was sampled";
  }

  // runtime/report/html/client/variant/roofline_chart.ts
  var WIDTH2 = 860;
  var HEIGHT3 = 340;
  var FRAME = { left: 58, right: 16, top: 14, bottom: 38 };
  function rooflineChart(placed, peaks, href) {
    const points = placed.flatMap((one) => {
      const { placement: { intensity }, reached } = one;
      return intensity === null || intensity <= 0 || reached === null ? [] : [{ ...one, intensity, speed: reached }];
    }).sort((a, b) => (b.op.mean ?? 0) - (a.op.mean ?? 0));
    const axes = axesFor(points, peaks);
    const longest = points[0]?.op.mean ?? 1;
    const readout = el("p", { class: "readout", "aria-live": "polite" }, "Point at an op, or use the arrow keys");
    const circles = points.map((point) => circle(point, axes, longest));
    const chart = svg(
      "svg",
      {
        viewBox: `0 0 ${WIDTH2} ${HEIGHT3}`,
        class: "roofline",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "chart",
        "aria-label": `Roofline of ${points.length} ops. Arrow keys go from op to op, the longest first.`
      },
      ...gridLines(axes),
      ...ceilings(axes, peaks),
      ...circles.toReversed(),
      ...ceilingLabels(axes, peaks)
    );
    let current = -1;
    const select = (i) => {
      if (points.length === 0) return;
      circles[current]?.classList.remove("current");
      current = (i + points.length) % points.length;
      circles[current].classList.add("current");
      chart.insertBefore(circles[current], chart.querySelector("text.ceiling"));
      readout.replaceChildren(...describe2(points[current], href));
    };
    circles.forEach((circle2, i) => {
      circle2.addEventListener("pointerenter", () => select(i));
      circle2.addEventListener("click", () => location.hash = href(points[i].op));
    });
    chart.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      const step = steps[event.key];
      if (step !== void 0) select(current < 0 && step < 0 ? points.length - 1 : current + step);
      else if (event.key === "Enter" && current >= 0) location.hash = href(points[current].op);
      else return;
      event.preventDefault();
    });
    const legend = el(
      "div",
      { class: "legend" },
      ...shownPhases(points.map(({ op }) => op.phase)).map(
        ({ name, label }) => el("span", {}, swatch(phaseColor(name), "dot"), label)
      )
    );
    const frame = el("div", { class: "scroll", role: "group", "aria-label": "Roofline" }, chart);
    return el("figure", { class: "chart", "data-points": points.length }, legend, frame, readout);
  }
  function axesFor(points, { f32, f16, copy }) {
    const top = Math.max(f32.value, f16?.value ?? 0);
    const xs = [...points.map(({ intensity }) => intensity), f32.value / copy.value, top / copy.value];
    const ys = [...points.map(({ speed }) => speed), f32.value, top];
    const [[x0, x1], [y0, y1]] = [rangeOf(xs), rangeOf(ys)];
    return {
      x: logScale([x0, x1], [FRAME.left, WIDTH2 - FRAME.right]),
      y: logScale([y0, y1], [HEIGHT3 - FRAME.bottom, FRAME.top]),
      from: [x0, y0],
      to: [x1, y1]
    };
  }
  function rangeOf(values) {
    const likely = values.filter((value) => value > 1e-12 && value < 1e18);
    return likely.length === 0 ? [1, 10] : [Math.min(...likely) / 1.8, Math.max(...likely) * 1.8];
  }
  function gridLines({ x, y, from, to }) {
    const [bottom, right] = [HEIGHT3 - FRAME.bottom, WIDTH2 - FRAME.right];
    return [
      ...decades(from[0], to[0]).flatMap((tick) => [
        svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: FRAME.top, y2: bottom }),
        svg("text", { x: x(tick), y: bottom + 15, "text-anchor": "middle" }, tickText(tick))
      ]),
      ...decades(from[1], to[1]).flatMap((tick) => [
        svg("line", { class: "grid", x1: FRAME.left, x2: right, y1: y(tick), y2: y(tick) }),
        svg("text", { x: FRAME.left - 6, y: y(tick) + 4, "text-anchor": "end" }, tickText(tick / 1e9))
      ]),
      svg("text", { class: "title", x: right, y: HEIGHT3 - 6, "text-anchor": "end" }, "FLOP per byte"),
      svg("text", { class: "title", x: 4, y: FRAME.top - 2 }, "GFLOP/s")
    ];
  }
  function flatCeilings({ f32, f16 }) {
    return [
      { name: "f32", value: f32.value },
      ...f16 === null ? [] : [{ name: "f16", value: f16.value }]
    ].sort((a, b) => b.value - a.value);
  }
  function slope({ from }, peaks) {
    const copy = peaks.copy.value;
    return [Math.max(from[0], from[1] / copy), flatCeilings(peaks)[0].value / copy];
  }
  function ceilings(axes, peaks) {
    const { x, y, to } = axes;
    const copy = peaks.copy.value;
    const [start, ridge] = slope(axes, peaks);
    return [
      svg("line", { class: "ceiling", x1: x(start), y1: y(start * copy), x2: x(ridge), y2: y(ridge * copy) }),
      ...flatCeilings(peaks).map(
        ({ value }) => svg("line", { class: "ceiling", x1: x(value / copy), x2: x(to[0]), y1: y(value), y2: y(value) })
      )
    ];
  }
  var SLOPE_LABEL = 110;
  function ceilingLabels(axes, peaks) {
    const { x, y } = axes;
    const copy = peaks.copy.value;
    const [start, ridge] = slope(axes, peaks);
    const middle = Math.sqrt(start * ridge);
    const left = x(middle) - FRAME.left > SLOPE_LABEL;
    return [
      svg("text", {
        class: "ceiling",
        x: x(middle) + (left ? -8 : 8),
        y: y(middle * copy) + (left ? -2 : 12),
        "text-anchor": left ? "end" : "start"
      }, `copy ${formatNumber(copy / 1e9)} GB/s`),
      ...flatCeilings(peaks).map(
        ({ name, value }, i) => svg("text", {
          class: "ceiling",
          x: WIDTH2 - FRAME.right,
          y: y(value) + (i === 0 ? -5 : 13),
          "text-anchor": "end"
        }, `${name} ${formatNumber(value / 1e9)} GFLOP/s`)
      )
    ];
  }
  function circle({ op, intensity, speed }, { x, y }, longest) {
    const radius = 2.5 + 9 * Math.sqrt((op.mean ?? 0) / (longest || 1));
    const made = svg("circle", { cx: x(intensity), cy: y(speed), r: radius }, svg("title", {}, nameText(op.name)));
    made.style.setProperty("--color", `var(${phaseColor(op.phase)})`);
    return made;
  }
  function describe2({ op, intensity, speed, placement }, href) {
    return [
      el("strong", {}, el("a", { href: href(op), tabindex: -1 }, nameText(op.name))),
      ` ${numberText(op.mean)} ms · ${numberText(intensity)} FLOP/byte · ${numberText(speed / 1e9)} GFLOP/s · ${placement.bound}-bound, ${percentText(placement.share)} of the roof`
    ];
  }

  // runtime/report/html/client/variant/roofline.ts
  function rooflineSection(context) {
    const base = { anchor: "roofline", title: "Roofline" };
    const { overview: { roofline }, variant } = context;
    const missing = noOps(context) ?? (roofline === null ? "the adapter's peaks were not measured" : null);
    if (missing !== null || roofline === null) return { ...base, content: missing ?? "" };
    const placed = variant.ops.flatMap((op) => {
      const placement = placeOp(op, roofline.peaks);
      if (placement === null) return [];
      const speed = rate(op.flops, op.mean);
      return [{
        op,
        placement,
        reached: speed === null || speed === 0 ? null : speed * 1e9,
        lost: op.mean === null ? null : Math.max(0, op.mean - placement.attainableTime)
      }];
    });
    if (placed.length === 0) return { ...base, content: "no op's work is known" };
    const href = (op) => hrefOf({ variant: variant.name, anchor: `op:${op.id}` });
    return {
      ...base,
      about: `${placed.length} ops; a point's area is the op's time in a step`,
      content: [
        rooflineChart(placed, roofline.peaks, href),
        lostTable(placed, href),
        notes([
          stepLine(roofline, variant.name),
          peaksLine(roofline),
          "over 100 % where a cache spared bytes that count here"
        ])
      ]
    };
  }
  function lostTable(placed, href) {
    return createTable({
      caption: "Ops against their roof",
      columns: [
        {
          title: "op",
          align: "left",
          value: ({ op }) => op.name,
          show: ({ op }) => el(
            "span",
            { class: "name" },
            swatch(phaseColor(op.phase)),
            el("a", { href: href(op) }, nameText(op.name, 56))
          )
        },
        { title: "bound", align: "left", value: ({ placement }) => placement.bound },
        {
          title: "FLOP/byte",
          value: ({ placement }) => placement.intensity,
          show: ({ placement }) => numberText(placement.intensity)
        },
        {
          title: "GFLOP/s",
          value: ({ reached }) => reached && reached / 1e9,
          show: ({ reached }) => numberText(reached && reached / 1e9)
        },
        {
          title: "roof",
          unit: "GFLOP/s",
          value: ({ placement: { attainable } }) => attainable && attainable / 1e9,
          show: ({ placement: { attainable } }) => numberText(attainable && attainable / 1e9)
        },
        {
          title: "of the roof",
          value: ({ placement }) => placement.share,
          show: ({ placement }) => percentText(placement.share)
        },
        {
          title: "lost",
          unit: "ms",
          value: ({ lost }) => lost,
          show: ({ lost }) => numberText(lost),
          help: "Time of a call over what the roof allows"
        }
      ],
      rows: placed.toSorted((a, b) => (b.lost ?? -1) - (a.lost ?? -1)),
      limit: 15
    }).element;
  }
  function stepLine({ steps }, variant) {
    const step = steps.find((step2) => step2.variant === variant);
    if (step === void 0) return "";
    return `the step as a whole: ${step.bound}-bound, ${percentText(step.share)} of the roof (${numberText(step.attainableTime)} of ${numberText(step.time)} ms); ${percentText(step.opShare)} if each op is held against its own roof`;
  }
  function peaksLine({ peaks }) {
    const rate2 = ({ value, unit }) => `${formatNumber(value / 1e9)} G${unit === "FLOP/s" ? "FLOP/s" : "B/s"}`;
    return `peaks: f32 ${rate2(peaks.f32)}, f16 ${peaks.f16 === null ? MISSING : rate2(peaks.f16)}, copy ${rate2(peaks.copy)}; measured ${peaks.date.slice(0, 10)} on the ${peaks.clock}'s clock`;
  }

  // runtime/report/html/client/variant/settings.ts
  function settingsSection({ overview: overview2, variant, words: { apart } }) {
    const { config, metrics, parameters, planFingerprint, overflows, target } = variant;
    return {
      anchor: "settings",
      title: "Settings",
      content: [
        apart.length === 0 ? null : differenceTable(apart, overview2.baseline),
        facts([
          ["Parameters", parameters === null ? `${MISSING} no model` : formatCount(parameters)],
          ["Plan", planFingerprint === null ? MISSING : el("code", {}, planFingerprint)],
          ["Set-up", `${numberText(metrics.setup?.value)} ms`],
          ["First step", `${numberText(metrics.firstStep?.value)} ms`],
          ["Skipped by loss scaling", overflows === null ? `${MISSING} no loss scaling` : `${overflows} steps`],
          ["To the target", target === null ? `${MISSING} the scenario names no target` : targetText(target)]
        ]),
        el(
          "details",
          { class: "data" },
          el("summary", {}, "Whole configuration"),
          el(
            "div",
            { class: "scroll", tabindex: 0, role: "region", "aria-label": "Configuration" },
            el("pre", {}, JSON.stringify(config, null, 2))
          )
        )
      ]
    };
  }
  function differenceTable(rows, baseline) {
    const plain2 = (value) => value === null ? "unset" : nameText(value.replace(/^"(.*)"$/, "$1"), 200);
    return createTable({
      caption: `Differences from ${nameText(baseline, 60)}`,
      columns: [
        { title: "setting", align: "left", breakable: true, value: ({ path }) => nameText(path) },
        { title: nameText(baseline, 40), align: "left", value: ({ from }) => plain2(from) },
        { title: "here", align: "left", value: ({ to }) => plain2(to) }
      ],
      rows
    }).element;
  }
  function targetText({ metric, threshold, seeds, time: time2 }) {
    const reached = seeds.filter(({ steps }) => steps !== null).length;
    const mean = time2 === null ? "" : `, ${numberText(time2.value / 1e3)} s`;
    return `${metric} ${threshold}: reached with ${reached} of ${seeds.length} seeds${mean}`;
  }

  // runtime/report/html/client/variant/steps.ts
  var MOST_HICCUPS = 4;
  function stepsSection({ overview: overview2, variant, words }) {
    const base = { anchor: "steps", title: "Step trace" };
    const { blocks, metrics } = variant;
    const steps = blocks.flatMap((block) => block.steps);
    const missing = notRun(variant, blocks.length) ?? (steps.length === 0 ? "no single step was timed" : null);
    if (missing !== null) return { ...base, content: missing };
    const stacked = [
      { name: "iteration gap", color: "--gap", ...stepSeries(blocks, "iterationGap") },
      ...stepPhases(blocks).map(({ name, label }) => ({
        name: label,
        color: phaseColor(name),
        ...phaseSeries(blocks, name)
      }))
    ].map(({ name, color, values }) => ({ name, color, kind: "bars", values })).filter(({ values }) => values.some((value) => value !== null));
    const host2 = [["batch cost", "batchCost", "--ink"], ["reader cost", "readerCost", "--reader"]].map(([name, time2, color]) => ({ name, color, kind: "line", values: stepSeries(blocks, time2).values })).filter(({ values }) => values.some((value) => value !== null));
    const chart = seriesChart({
      label: "Times of a step over the measured steps",
      x: { name: "step", values: steps.map(({ index }) => index) },
      unit: "ms",
      series: [...stacked, ...host2],
      stacked: true,
      height: 240
    });
    const device2 = stacked.length > 0 ? "" : `device times –: ${untimed(overview2) ?? "not measured in this run"}`;
    const amortised = metrics.batchCost?.amortised ? "host times are amortised: the time of a sink / its steps" : "";
    return {
      ...base,
      about: `${steps.length} measured steps in ${blocks.length} blocks; bars are the device's time, lines the host's`,
      content: [
        chart,
        spreadTable(variant.blocks),
        notes([device2, amortised, ...remarks3(variant), ...words.stepTrust])
      ]
    };
  }
  function spreadTable(blocks) {
    const timed = blocks.some(({ steps }) => steps.some(({ stepTime }) => stepTime !== null));
    const rows = [
      ...stepTraceRows(blocks).map(({ name, series }) => ({ name, ...series })),
      ...timed ? [{ name: "step time", ...stepSeries(blocks, "stepTime") }] : []
    ];
    const column = (title, key) => ({
      title,
      unit: "ms",
      value: ({ spread: spread2 }) => spread2 && spread2[key],
      show: ({ spread: spread2 }) => spread2 && numberText(spread2[key])
    });
    return createTable({
      caption: "Times of the measured steps",
      columns: [
        { title: "time", align: "left", value: ({ name }) => name },
        column("mean", "mean"),
        column("min", "min"),
        column("median", "median"),
        column("p95", "p95"),
        column("max", "max"),
        {
          title: "trend",
          value: ({ trend }) => trend,
          show: ({ trend }) => trend === null ? null : percentText(trend),
          help: "Median of the last third of the steps / that of the first third - 1"
        }
      ],
      rows
    }).element;
  }
  function remarks3({ blocks, stepTimes }) {
    const indices = blocks.flatMap(({ steps: steps2 }) => steps2.map(({ index }) => index));
    const hiccups = stepTraceRows(blocks).map(({ name, series: { hiccups: hiccups2, values, spread: spread2 } }) => {
      const shown = hiccups2.slice(0, MOST_HICCUPS).map((i) => `${indices[i]} (${numberText(values[i] / spread2.median)} times the median)`);
      const rest = hiccups2.length > shown.length ? ` and ${hiccups2.length - shown.length} more` : "";
      return shown.length === 0 ? "" : `${name}: far longer than usual in step ${shown.join(", ")}${rest}`;
    });
    const { median, p95, p99, max, steps } = stepTimes ?? {};
    const all = stepTimes === null ? "" : `steps of all blocks: median ${numberText(median)}, p95 ${numberText(p95)}, p99 ${numberText(p99)}, max ${numberText(max)} ms of ${steps} steps`;
    return [all, ...hiccups];
  }

  // runtime/report/html/client/panel.ts
  var SECTIONS = {
    bottleneck: bottleneckSection,
    findings: findingsSection,
    steps: stepsSection,
    phases: phasesSection,
    timeline: timelineSection,
    types: typesSection,
    layers: layersSection,
    ops: opsSection,
    roofline: rooflineSection,
    memory: memorySection,
    queues: queuesSection,
    pipeline: pipelineSection,
    host: hostSection,
    cpu: cpuSection,
    ranges: rangesSection,
    autotune: autotuneSection,
    settings: settingsSection
  };
  function variantPanel(overview2, index, shared2) {
    const anchors = new Anchors();
    const { variant, words } = readVariant(overview2, index);
    const context = { overview: overview2, variant, words, index, anchors, shared: shared2 };
    const element = el("div", { role: "tabpanel", "aria-label": `Variant ${nameText(variant.name)}` });
    for (const anchor of Object.keys(SECTIONS)) anchors.set(anchor, element);
    const order2 = Object.keys(SECTIONS);
    const made = new Map([...order2.filter((anchor) => anchor !== "findings"), "findings"].map((anchor) => {
      return [anchor, SECTIONS[anchor](context)];
    }));
    const sections = order2.map((anchor) => made.get(anchor));
    for (const section of sections) {
      const own = sectionElement(section, citations(context, section.anchor));
      anchors.set(section.anchor, own);
      element.append(own);
    }
    return { element, anchors, sections };
  }
  function citations({ variant: { findings, name } }, anchor) {
    const citing = findings.filter(
      ({ evidence }) => evidence.some(({ where }) => where === anchor || anchor === "ops" && where.startsWith("op:"))
    );
    const kinds = [...new Set(citing.map(({ kind }) => kind))];
    return kinds.map(
      (kind) => el("a", { class: "cite", href: hrefOf({ variant: name, anchor: `finding:${kind}` }) }, `↖ ${nameText(kind, 40)}`)
    );
  }

  // runtime/report/html/client/variant_tabs.ts
  function variantTabs({ variants }, onSelect) {
    const tabs2 = variants.map(({ name, status }, i) => {
      const tab = button(
        "",
        { role: "tab", "aria-selected": "false", tabindex: -1, title: nameText(name, 200) },
        () => onSelect(i)
      );
      tab.append(
        swatch(variantColor(i), "dot"),
        nameText(name, 32),
        ...status === "ok" ? [] : [el("small", {}, ` ${status}`)]
      );
      return tab;
    });
    const element = el("div", { role: "tablist", class: "tabs", "aria-label": "Variants" }, ...tabs2);
    element.addEventListener("keydown", (event) => {
      const current = tabs2.findIndex((tab) => tab === document.activeElement);
      const steps = {
        ArrowRight: current + 1,
        ArrowLeft: current - 1,
        Home: 0,
        End: tabs2.length - 1
      };
      const next = steps[event.key];
      if (next === void 0 || current < 0) return;
      event.preventDefault();
      const i = (next + tabs2.length) % tabs2.length;
      onSelect(i);
      tabs2[i].focus();
    });
    return {
      element,
      select: (index) => {
        for (const [i, tab2] of tabs2.entries()) {
          tab2.setAttribute("aria-selected", String(i === index));
          tab2.tabIndex = i === index ? 0 : -1;
        }
        const tab = tabs2[index];
        element.scrollLeft = tab.offsetLeft - element.clientWidth / 2 + tab.clientWidth / 2;
      }
    };
  }

  // runtime/report/html/client/main.ts
  var overview = readOverview();
  var shared = new Anchors();
  var before = [matrixSection, blocksSection, lossesSection, effectsSection, ladderSection].map(
    (make) => make(overview)
  );
  var after = [procedureSection, environmentSection].map((make) => make(overview));
  var elements = [...before, ...after].map((section) => {
    const element = sectionElement(section);
    shared.set(section.anchor, element);
    return element;
  });
  var names = overview.variants.map(({ name }) => name);
  var nav = navigation([...before, ...after]);
  var host = el("div", { class: "panel" });
  var tabs = variantTabs(overview, (index) => show(index));
  var panel = null;
  function show(index) {
    if (panel?.index === index) return panel.made;
    const made = variantPanel(overview, index, shared);
    panel = { index, made };
    host.replaceChildren(made.element);
    tabs.select(index);
    nav.setVariant(names[index], made.sections);
    nav.follow();
    return made;
  }
  function follow() {
    const place3 = placeOf(location.hash);
    if (place3 === null) return;
    if (place3.variant === null) {
      const found2 = shared.find(place3.anchor);
      if (found2 !== null) visit(found2);
      return;
    }
    const index = names.indexOf(place3.variant);
    if (index < 0) return;
    const found = show(index).anchors.find(place3.anchor);
    if (found !== null) visit(found);
  }
  document.body.prepend(
    el("a", { class: "skip", href: "#/matrix" }, "Skip to the comparison"),
    el("a", { class: "skip", href: "#/environment" }, "Skip to the environment"),
    header(overview),
    el(
      "div",
      { class: "page" },
      nav.element,
      el(
        "main",
        { id: "main" },
        ...elements.slice(0, before.length),
        names.length === 0 ? null : el("div", { class: "variants" }, tabs.element, host),
        ...elements.slice(before.length)
      )
    )
  );
  nav.follow();
  if (names.length > 0) show(Math.max(0, names.indexOf(overview.baseline)));
  addEventListener("hashchange", follow);
  follow();
})();

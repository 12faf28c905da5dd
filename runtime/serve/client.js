// Generated from runtime/serve/client/main.ts by: deno task bundle
(() => {
  // runtime/serve/payloads.ts
  var PROBLEM_ID = "problem";
  var MOST_COMPARED = 12;

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
  function formatPercent(ratio) {
    const percent = ratio * 100;
    const text = percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0);
    return text === "-0.0" ? "0.0" : text;
  }
  function ratioEnds(low, high, text) {
    const isWide = high > FAR * low;
    return [isWide && low < 1 / FAR ? `<${1 / FAR}` : text(low), isWide && high > FAR ? `>${FAR}` : text(high)];
  }
  function formatLoss(value) {
    if (!Number.isFinite(value)) return String(value);
    const size = Math.abs(value);
    if (size >= 1e3 || size > 0 && size < 1e-3) return value.toExponential(1);
    return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
  }

  // runtime/report/spec.ts
  var USUAL_ROOM = 40;
  function cellOf(column, row, room = USUAL_ROOM) {
    const value = column.value(row);
    if (value === null) return { text: MISSING };
    const text = column.text?.(row, room) ?? (typeof value === "number" ? formatNumber(value) : value);
    const [mark, tone] = [column.mark?.(row) ?? null, column.tone?.(row) ?? null];
    return { text, ...mark === null ? {} : { mark }, ...tone === null ? {} : { tone } };
  }
  function columnsFor({ columns: columns2 }, medium) {
    return columns2.filter(({ only = medium }) => only === medium);
  }
  function titleOf({ heading: heading2, unit }) {
    const words2 = heading2.join(" ").replaceAll(/ \/(?=\S)/g, "/");
    return unit !== void 0 && words2.endsWith(` ${unit}`) ? words2.slice(0, -unit.length - 1) : words2;
  }
  function headingWithUnit(column) {
    return column.unit === void 0 ? titleOf(column) : `${titleOf(column)} (${column.unit})`;
  }
  function words(name2, value, options = {}) {
    return { name: name2, heading: [name2], align: "left", value, ...options };
  }
  function figures(name2, value, { format = formatNumber, ...options } = {}) {
    return { name: name2, heading: [name2], align: "right", value, text: (row) => format(value(row), row), ...options };
  }

  // runtime/core/printable.ts
  var UNPRINTABLE = new RegExp("[[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]--[\\ufe0e\\ufe0f]]", "gv");
  var UNPRINTABLE_IN_LINES = new RegExp(`[${UNPRINTABLE.source}--[\\n\\t]]`, "gv");
  var STYLE = new RegExp("\x1B\\[(?:1|2|22|3[1-6]|39)m", "g");
  var SHORT_ESCAPES = { "\n": "\\n", "\r": "\\r", "	": "\\t" };
  function printable(text) {
    return text.replace(
      UNPRINTABLE,
      (character) => SHORT_ESCAPES[character] ?? `\\u{${character.codePointAt(0).toString(16)}}`
    );
  }

  // runtime/report/html/client/text_width.ts
  var segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  function textWidth(text) {
    return [...text].length;
  }

  // runtime/report/plain_text.ts
  function shorten(text, width) {
    const characters = [
      ...text.length > 8 * width ? whole(text.slice(0, 4 * width)) + "…" + whole(text.slice(-4 * width)) : text
    ];
    if (characters.length <= 2 * width && textWidth(text) <= width) return text;
    const back = Math.ceil((width - 1) * 0.6);
    const take = (source, columns2) => {
      let taken = 0;
      let used = 0;
      for (const character of source) {
        used += textWidth(character);
        if (used > columns2 || taken >= 2 * columns2) break;
        taken++;
      }
      return taken;
    };
    const head = take(characters, width - 1 - back);
    const tail = take(characters.toReversed(), back);
    return characters.slice(0, head).join("") + "…" + characters.slice(characters.length - tail).join("");
  }
  function whole(text) {
    return text.replaceAll(/\p{Cs}/gu, "");
  }
  function nameText(name2, width) {
    return shorten(printable(name2), width);
  }
  var NAME_IN_PROSE = 60;
  function nameInProse(name2) {
    return name2.trim() === "" ? `"${printable(name2)}"` : nameText(name2, NAME_IN_PROSE);
  }
  var MOST_IN_PROSE = 12;
  function namesInProse(names, most = MOST_IN_PROSE) {
    return listInProse(names.map(nameInProse), most);
  }
  function listInProse(words2, most) {
    const shown = words2.slice(0, most).join(", ");
    return words2.length > most ? `${shown} and ${words2.length - most} more` : shown;
  }

  // runtime/report/quantities.ts
  var BYTES = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];
  function formatBytes(bytes) {
    const [unit, size] = BYTES.find(([, size2]) => bytes >= size2) ?? ["B", 1];
    const isWhole = unit === "B" && Number.isInteger(bytes);
    return `${isWhole ? bytes : formatNumber(bytes / size)} ${unit}`;
  }

  // runtime/library/kept/comparison_table.ts
  var COMPARISON_NOTE = "the runs were not interleaved: the ratios include changes of the machine between them, which the intervals (Welch, 95 %) do not cover";
  var MARK_NOTE = "*  the interval excludes ×1, no change";
  function differenceSentences(ids, environment, settings) {
    return [
      ...environment.map(
        ({ what, then, now }) => `${what}: ${then ?? MISSING} in ${ids[0]}, ${now ?? MISSING} in ${ids[1]}`
      ),
      ...settings.map((line) => line.replace(/ then, (.*) now$/s, ` in ${ids[0]}, $1 in ${ids[1]}`))
    ];
  }
  function comparisonTable(ids, variants) {
    const rows = variants.flatMap(
      ({ name: name2, metrics }) => metrics.map((pair, i) => ({ ...pair, of: name2, variant: i === 0 ? name2 : "" }))
    );
    return {
      title: `Then ${ids[0]}, now ${ids[1]}`,
      columns: [
        words("variant", ({ variant }) => variant, { breakAfter: "," }),
        words("metric", ({ metric }) => metric.name),
        words("unit", unitOf, { dropFirst: 2 }),
        { ...reading("then", ({ a }) => a), dropFirst: 1 },
        reading("now", ({ b }) => b),
        figures("change", ({ change }) => change?.value ?? null, { heading: ["now", "/ then"], format: changeText }),
        words("interval", interval, { heading: ["95 % interval"] })
      ],
      rows,
      notes: [
        ...rows.some(isMarked) ? [MARK_NOTE] : [],
        ...statusNotes(ids, variants),
        ...lossNotes(variants),
        COMPARISON_NOTE
      ]
    };
  }
  function reading(name2, of) {
    return {
      name: name2,
      heading: [name2],
      align: "right",
      value: (row) => readingValue(of(row)),
      text: (row) => readingText(of(row))
    };
  }
  function readingValue(reading2) {
    if (reading2 === null || reading2.kind === "missing") return null;
    return reading2.kind === "word" ? reading2.word : reading2.value;
  }
  function readingText(reading2) {
    return reading2.kind === "number" ? show(reading2.value, reading2.unit) : reading2.kind === "word" ? reading2.word : "";
  }
  function unitOf({ a, b }) {
    const unit = unitIn(a) ?? unitIn(b) ?? "";
    return unit === "bytes" ? "" : unit;
  }
  function unitIn(reading2) {
    return reading2?.kind === "number" ? reading2.unit : null;
  }
  function show(value, unit) {
    switch (unit) {
      case "bytes":
        return formatBytes(value);
      case "ratio":
        return value.toFixed(3);
      case "":
        return Number.isInteger(value) ? String(value) : formatLoss(value);
      default:
        return formatNumber(value);
    }
  }
  function changeText(value, { change, a, b }) {
    if (change?.by === "ratio") return `×${value.toFixed(3)}`;
    const unit = unitIn(a) ?? unitIn(b);
    return unit === "bytes" ? `${value < 0 ? "-" : "+"}${formatBytes(Math.abs(value))}` : signed(value);
  }
  function interval(pair) {
    if (pair.change === null || pair.change.interval === null) return null;
    const { by, interval: { low, high } } = pair.change;
    const ends = by === "ratio" ? ratioEnds(low, high, (ratio) => ratio.toFixed(3)) : [signed(low), signed(high)];
    return `${ends.join(" to ")}${isMarked(pair) ? " *" : ""}`;
  }
  function isMarked({ change }) {
    if (change === null || change.interval === null) return false;
    const none = change.by === "ratio" ? 1 : 0;
    return change.interval.low > none || change.interval.high < none;
  }
  function signed(value) {
    return `${value >= 0 ? "+" : ""}${formatNumber(value)}`;
  }
  function statusNotes(ids, variants) {
    const kinds = [[null, "not in"], ["failed", "failed in"], ["interrupted", "interrupted in"]];
    return kinds.flatMap(
      ([status, words2]) => ids.flatMap((id, side) => {
        const names = variants.filter(({ statuses }) => statuses[side] === status).map(({ name: name2 }) => name2);
        return names.length === 0 ? [] : [`${words2} ${id}: ${namesInProse(names)}`];
      })
    );
  }
  function lossNotes(variants) {
    return variants.flatMap(({ name: name2, losses }) => {
      if (losses === null || losses.steps === 0) return [];
      const { steps, first } = losses;
      if (first === null) return [`losses of ${name2}: identical in all ${steps} steps that both runs have`];
      return [`losses of ${name2}: differ from step ${first.step} on, ${first.then} then and ${first.now} now`];
    });
  }

  // runtime/library/kept/comparison_overview.ts
  function overviewTable(first, comparisons) {
    const rows = overviewRows(comparisons);
    const known = (row) => row.pairs.find((pair) => pair !== null);
    return {
      title: `Metrics of ${comparisons.length + 1} runs`,
      columns: [
        words("variant", ({ of }) => of, { breakAfter: "," }),
        words("metric", ({ metric }) => metric),
        words(
          "unit",
          (row) => row.pairs.map((pair) => pair === null ? "" : unitOf(pair)).find((unit) => unit !== "") ?? ""
        ),
        {
          ...{ name: first, heading: [first], align: "right" },
          value: (row) => readingValue(known(row).a),
          text: (row) => readingText(known(row).a)
        },
        ...comparisons.map(({ now }, i) => runColumn(now, i))
      ],
      rows,
      notes: [
        ...rows.some(({ pairs }) => pairs.some((pair) => pair !== null && isMarked(pair))) ? [MARK_NOTE] : [],
        `changes are from ${first}`,
        COMPARISON_NOTE
      ]
    };
  }
  function runColumn(id, i) {
    return {
      ...{ name: id, heading: [id], align: "right" },
      value: ({ pairs }) => readingValue(pairs[i]?.b ?? null),
      text: ({ pairs }) => {
        const pair = pairs[i];
        const value = readingText(pair.b);
        if (pair.change === null) return value;
        return `${value}  ${changeText(pair.change.value, pair)}${isMarked(pair) ? " *" : ""}`;
      }
    };
  }
  function overviewRows(comparisons) {
    const variants = /* @__PURE__ */ new Map();
    for (const [i, comparison] of comparisons.entries()) {
      for (const { name: name2, metrics } of comparison.variants) {
        const own = variants.get(name2) ?? /* @__PURE__ */ new Map();
        variants.set(name2, own);
        for (const pair of metrics) {
          const pairs = own.get(pair.metric.name) ?? comparisons.map(() => null);
          own.set(pair.metric.name, pairs);
          pairs[i] = pair;
        }
      }
    }
    return [...variants].flatMap(
      ([name2, metrics]) => [...metrics].map(([metric, pairs]) => ({ of: name2, metric, pairs }))
    );
  }

  // runtime/library/kept/date_text.ts
  function dateText(time) {
    const date = new Date(time);
    const two = (value) => String(value).padStart(2, "0");
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
  }

  // runtime/report/html/client/dom.ts
  function el(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }
  function fill(element, attributes, children) {
    for (const [name2, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) element.setAttribute(name2, value === true ? "" : String(value));
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
    const patch = el("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
    patch.style.setProperty("--color", `var(${color})`);
    return patch;
  }

  // runtime/report/html/client/names.ts
  var PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
  var LONGEST = 96;
  function nameText2(name2, longest = LONGEST) {
    return nameText(name2.replace(PILED_MARKS, "$1"), longest) || "(no name)";
  }

  // runtime/report/html/client/clipboard.ts
  function copyButton(what, text) {
    const made = button("Copy", { class: "tool", "aria-label": `Copy ${what}` }, async () => {
      const copied = await copyText(text());
      made.textContent = copied ? "Copied" : "Copy failed";
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
    const text = value.replaceAll(/[\t\r\n\v\f\u2028\u2029]+/g, " ");
    return /^[=+\-@]/.test(text) ? `'${text}` : text;
  }
  async function copyText(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copySelected(text);
    }
  }
  function copySelected(text) {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }

  // runtime/report/html/client/search_box.ts
  function createSearchBox({ label, text, found, initial = "", onWords }, onChange) {
    const input = el("input", { type: "search", placeholder: label, "aria-label": label, spellcheck: "false" });
    input.value = initial;
    input.addEventListener("input", () => {
      onWords?.(input.value);
      onChange();
    });
    const status = el("span", { class: "about", role: "status" });
    const filter = (rows) => {
      const words2 = wordsOf(input.value);
      const matching = words2.length === 0 ? rows : rows.filter((row) => containsAll(text(row), words2));
      status.textContent = words2.length === 0 ? "" : found(matching);
      return matching;
    };
    const clear = () => {
      input.value = "";
    };
    return { element: el("div", { class: "search" }, input, status), filter, clear };
  }
  function wordsOf(query) {
    return query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  }
  function containsAll(text, words2) {
    const lower = text.toLowerCase();
    return words2.every((word) => lower.includes(word));
  }

  // runtime/report/html/client/table.ts
  var LIMIT = 100;
  var MOST_TOGETHER = 1e3;
  var collator = new Intl.Collator("en", { numeric: true });
  var SHORT_TEXT = 12;
  var LONGEST_LINE = 120;
  var LONGEST_TEXT = 4e3;
  var MOST_DEPTH = 8;
  function createTable(spec, hooks = {}) {
    const { title: caption } = spec;
    let { rows } = spec;
    const { limit = LIMIT, key, omit = [], search } = hooks;
    const columns2 = columnsFor(spec, "data").filter(({ name: name2 }) => !omit.includes(name2));
    let sorted = [...rows];
    let found = sorted;
    let [from, size] = [0, limit];
    const elements = /* @__PURE__ */ new Map();
    const body = el("tbody");
    const more = button("", { class: "tool more" }, () => {
      size = Infinity;
      showFrom(0);
    });
    const place = el("span", { class: "about", role: "status" });
    const turn = (label, name2, by) => button(label, { class: "tool", "aria-label": name2, title: name2 }, () => {
      const next = from + by * size;
      if (next >= 0 && next < found.length) showFrom(next);
    });
    const pages = el("span", { class: "turn" }, turn("‹", "Previous rows", -1), place, turn("›", "Next rows", 1));
    const box = search === void 0 ? null : createSearchBox(search, () => showFrom(0));
    const isWhole = () => found.length <= size * 1.2;
    const showFrom = (first) => {
      from = first;
      fillBody();
    };
    const fillBody = () => {
      found = box?.filter(sorted) ?? sorted;
      if (isWhole() || from >= found.length) from = 0;
      const shown = isWhole() ? found : found.slice(from, from + size);
      body.replaceChildren(...shown.map((row) => {
        let element2 = elements.get(row);
        if (element2 === void 0) elements.set(row, element2 = rowElement(columns2, row, hooks));
        return element2;
      }));
      pages.hidden = isWhole();
      place.textContent = `${formatCount(from + 1)} to ${formatCount(from + shown.length)} of ${formatCount(found.length)}`;
      more.hidden = isWhole() || found.length > MOST_TOGETHER;
      more.textContent = `Show all ${found.length} rows`;
    };
    let sort = () => [...rows];
    const headings = columns2.map((column, i) => {
      return heading(column, hooks.headings?.[column.name], (direction) => {
        sort = () => direction === null ? [...rows] : sortRows(rows, column, direction);
        sorted = sort();
        for (const [j, other] of headings.entries()) if (j !== i) other.setAttribute("aria-sort", "none");
        showFrom(0);
      });
    });
    fillBody();
    const copied = () => [
      columns2.map(headingWithUnit),
      ...found.map((row) => columns2.map((column) => column.value(row)))
    ];
    const frame = el(
      "div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
      el("table", {}, el("caption", { class: "unseen" }, caption), el("thead", {}, el("tr", {}, ...headings)), body)
    );
    const element = el(
      "div",
      { class: "table brief" },
      box?.element ?? null,
      frame,
      el(
        "div",
        { class: "tools" },
        columns2.some(({ minor }) => minor) ? allColumns(() => element) : null,
        pages,
        more,
        copyButton(`${caption} as tab-separated text`, () => toTsv(copied()))
      )
    );
    const keysOf = () => new Map(key === void 0 ? [] : rows.map((row) => [key(row), row]));
    let byKey = keysOf();
    const find = (name2) => {
      const row = byKey.get(name2);
      if (row === void 0) return null;
      if (!found.includes(row)) {
        box?.clear();
        fillBody();
      }
      if (!isWhole()) showFrom(Math.floor(found.indexOf(row) / size) * size);
      return elements.get(row) ?? null;
    };
    const setRows = (next) => {
      rows = next;
      sorted = sort();
      byKey = keysOf();
      const kept = new Set(rows);
      for (const row of elements.keys()) if (!kept.has(row)) elements.delete(row);
      fillBody();
    };
    return { element, rows: { has: (name2) => byKey.has(name2), find }, setRows };
  }
  function allColumns(table) {
    const toggle = button("All columns", { class: "tool" }, () => {
      const brief = table().classList.toggle("brief");
      toggle.textContent = brief ? "All columns" : "Fewer columns";
    });
    return toggle;
  }
  function heading(column, under, onSort) {
    const { unit, help, align, minor } = column;
    const classes = minor ? `${align} minor` : align;
    const cell = el("th", { scope: "col", "aria-sort": "none", class: classes, title: help ?? null });
    const text = el(
      "span",
      {},
      nameText2(titleOf(column)),
      unit === void 0 ? null : el("span", { class: "unit" }, unit)
    );
    const sort = button("", { class: "sort" }, () => {
      const before = cell.getAttribute("aria-sort");
      const turns = align === "left" ? ["none", "ascending", "descending"] : ["none", "descending", "ascending"];
      const next = turns[(turns.indexOf(before ?? "none") + 1) % 3];
      cell.setAttribute("aria-sort", next);
      onSort(next === "ascending" || next === "descending" ? next : null);
    });
    sort.append(text, el("span", { class: "arrow", "aria-hidden": "true" }));
    cell.append(sort, ...under === void 0 ? [] : [under()]);
    return cell;
  }
  function rowElement(columns2, row, hooks) {
    const cells = columns2.map((column, i) => {
      const { align } = column;
      const isMissing = column.value(row) === null;
      const classes = [
        align,
        isMissing ? "missing" : "",
        align === "left" && i > 0 && cellOf(column, row).text.length > SHORT_TEXT ? "breakable" : "",
        column.minor ? "minor" : ""
      ];
      const tone = isMissing ? null : column.tone?.(row) ?? null;
      const attributes = { class: classes.filter((one) => one !== "").join(" "), "data-tone": tone };
      const shown = cellElement(column, row, hooks.cells?.[column.name]);
      return i === 0 ? el("th", { scope: "row", ...attributes }, shown) : el("td", attributes, shown);
    });
    return el("tr", { class: hooks.rowClass?.(row) ?? null, tabindex: -1 }, ...cells);
  }
  function cellElement(column, row, draw2) {
    const { text, mark = "" } = cellOf(column, row);
    const shown = text === "" ? "" : nameText2(text, LONGEST_LINE) + mark;
    const depth = column.depth?.(row) ?? 0;
    const drawn = draw2 !== void 0 && column.value(row) !== null && shown !== "" ? draw2(row, shown) : text.length <= LONGEST_LINE ? shown : el("span", { class: "prose" }, nameText2(text, LONGEST_TEXT) + mark);
    if (depth === 0) return drawn;
    const indented = el("span", {}, drawn);
    indented.style.paddingLeft = `${Math.min(depth, MOST_DEPTH)}em`;
    return indented;
  }
  function sortRows(rows, column, direction) {
    const sign = direction === "ascending" ? 1 : -1;
    const valueOf = (row) => column.sort === void 0 ? column.value(row) : column.sort(row);
    return rows.toSorted((a, b) => {
      const [first, second] = [valueOf(a), valueOf(b)];
      if (first === null || second === null) return Number(first === null) - Number(second === null);
      if (typeof first === "number" && typeof second === "number") return sign * (first - second);
      return sign * collator.compare(String(first), String(second));
    });
  }

  // runtime/report/html/client/section.ts
  var LONGEST_NOTE = 1e3;
  function notes(lines) {
    const some = lines.filter((line) => line !== "");
    return some.length === 0 ? null : el("ul", { class: "notes" }, ...some.map((line) => el("li", {}, nameText2(line, LONGEST_NOTE))));
  }
  function facts(pairs, kind = "short") {
    return el(
      "dl",
      { class: `facts ${kind}` },
      ...pairs.map(([name2, value]) => el("div", {}, el("dt", {}, name2), el("dd", {}, value)))
    );
  }
  function tableContent(spec, hooks = {}) {
    return [createTable(spec, hooks).element, notes(spec.notes ?? [])];
  }

  // runtime/serve/client/addresses.ts
  function runAddress(id) {
    return `/runs/${encodeURIComponent(id)}`;
  }
  function programAddress(id) {
    return `/programs/${encodeURIComponent(id)}`;
  }
  function compareAddress(ids) {
    return `/compare?runs=${ids.map(encodeURIComponent).join(",")}`;
  }
  function historyAddress(parameters, base = "/history") {
    const query = new URLSearchParams(
      Object.entries(parameters).flatMap(([key, value]) => value === null || value === void 0 ? [] : [[key, value]])
    ).toString();
    return query === "" ? base : `${base}?${query}`;
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

  // runtime/serve/client/frame.ts
  var PAGES = [["/", "Runs"], ["/history", "History"]];
  function createFrame(title) {
    const heading2 = el("h1");
    const status = el("p", { class: "about", role: "status" });
    const problem2 = el("p", { class: "problem", role: "alert" });
    const content3 = el("div");
    const setText = (element, text) => {
      if (element.textContent !== text) element.textContent = text;
    };
    const setTitle = (text) => {
      setText(heading2, nameText2(text, 120));
      document.title = `${nameText2(text, 120)} – Tacho`;
    };
    const links = PAGES.map(
      ([href, text]) => el("a", { href, "aria-current": location.pathname === href ? "page" : null }, text)
    );
    document.body.prepend(
      el(
        "div",
        { role: "navigation", "aria-label": "Skip" },
        el("a", { class: "skip", href: "#main" }, "Skip to content")
      ),
      el(
        "header",
        {},
        el(
          "div",
          { class: "top" },
          heading2,
          el("div", { class: "pages" }, el("nav", { "aria-label": "Pages" }, ...links), themeButton())
        ),
        status
      ),
      el("main", { id: "main", tabindex: -1 }, problem2, content3)
    );
    setTitle(title);
    problem2.hidden = true;
    return {
      setTitle,
      setStatus: (text) => setText(status, nameText2(text, 400)),
      setProblem: (text) => {
        problem2.hidden = text === null;
        setText(problem2, text === null ? "" : nameText2(text, 1e3));
      },
      setContent: (...children) => content3.replaceChildren(...children.filter((child) => child !== null))
    };
  }
  function part(title, ...content3) {
    const id = `part-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
    return el("section", { "aria-labelledby": id }, el("div", { class: "heading" }, el("h2", { id }, title)), ...content3);
  }

  // runtime/serve/client/requests.ts
  var PERIOD_MS = 2e3;
  var SERVER_ENDED = "the server does not answer; start tacho serve again";
  async function request(path) {
    let response;
    try {
      response = await fetch(path);
    } catch {
      throw new Error(SERVER_ENDED);
    }
    if (response.status === 204) return null;
    const payload = await response.json();
    if (!response.ok) throw new Error(payload.error);
    return payload;
  }
  function follow(path, { onPayload, onProblem }) {
    let timer = null;
    const ask = async () => {
      timer = null;
      try {
        const payload = document.hidden ? null : await request(path());
        onProblem(null);
        if (payload !== null) onPayload(payload);
      } catch (error) {
        onProblem(error.message);
      }
      timer = setTimeout(ask, PERIOD_MS);
    };
    const refresh = () => {
      if (document.hidden || timer === null) return;
      clearTimeout(timer);
      void ask();
    };
    document.addEventListener("visibilitychange", refresh);
    void ask();
    return refresh;
  }

  // runtime/serve/client/compare_page.ts
  async function comparePage() {
    const frame = createFrame("Comparison");
    const query = new URLSearchParams(location.search);
    try {
      const payload = await request(`/api/compare?${query}`);
      const [reference, ...others] = payload.runs.filter(({ problem: problem2 }) => problem2 === null);
      frame.setTitle(titleOf2(payload.runs));
      frame.setStatus(
        others.length === 0 ? "" : `${others.map(({ id }) => id).join(", ")} compared with ${reference.id}`
      );
      const unread = payload.runs.filter(({ problem: problem2 }) => problem2 !== null);
      frame.setProblem(unread.length === 0 ? null : unread.map(({ id, problem: problem2 }) => `Run ${id}: ${problem2}`).join(". "));
      frame.setContent(...content(payload));
    } catch (error) {
      frame.setProblem(error.message);
    }
  }
  function content({ runs, comparisons }) {
    const scenario = runs.find(({ run }) => run !== null)?.run?.scenario ?? null;
    const [first] = comparisons;
    return [
      part("Runs", runsTable(runs)),
      ...comparisons.length < 2 ? [] : [part("All runs", ...tableContent(overviewTable(first.then, comparisons), { cells: metricLinks(scenario) }))],
      ...comparisons.map((comparison) => comparisonPart(comparison, runs, scenario))
    ];
  }
  function titleOf2(runs) {
    let scenario = null;
    const names = runs.map(({ id, run }) => {
      if (run === null) return id;
      const date = dateText(run.started);
      if (run.scenario === scenario) return date;
      scenario = run.scenario;
      return `${nameText2(scenario, 60)}, ${date}`;
    });
    return names.join(", with ");
  }
  function comparisonPart({ then, now, environment, settings, variants }, runs, scenario) {
    const ids = [then, now];
    const differences2 = differenceSentences(ids, environment, settings);
    const spec = named(comparisonTable(ids, variants));
    return part(
      titleOf2(ids.toReversed().map((id) => runs.find((run) => run.id === id))),
      differences2.length === 0 ? el("p", { class: "about" }, "Environment and settings are the same") : el("div", {}, el("p", { class: "about" }, "Differences between the runs:"), notes(differences2)),
      ...spec.rows.length === 0 ? [el("p", { class: "missing" }, "No metric to compare was measured")] : tableContent(spec, { cells: metricLinks(scenario) })
    );
  }
  function named(spec) {
    const variant = words("variant", ({ of }) => of);
    return { ...spec, columns: spec.columns.map((column) => column.name === "variant" ? variant : column) };
  }
  function metricLinks(scenario) {
    return {
      metric: ({ of: variant }, metric) => scenario === null ? metric : el("a", { href: historyAddress({ scenario, variant, metric }) }, metric)
    };
  }
  function runsTable(runs) {
    const ids = runs.map(({ id }) => id);
    const spec = {
      title: "Compared runs",
      columns: [
        words("id", ({ id }) => id),
        words("started", ({ run }) => run === null ? null : dateText(run.started)),
        words("scenario", ({ run }) => run?.scenario ?? null),
        words("status", ({ run }) => run?.status ?? null),
        words("adapter", ({ run }) => run?.adapter ?? null),
        words("git commit", ({ run }) => run?.git ?? null, { heading: ["git"] }),
        words("reference", ({ id }) => id === ids[0] ? "reference" : "make reference"),
        ...ids.length > 2 ? [words("remove", () => "remove")] : []
      ],
      rows: runs
    };
    const table = createTable(spec, {
      cells: {
        id: ({ id }) => el("a", { href: runAddress(id) }, id),
        reference: ({ id }, text) => {
          if (id === ids[0]) return text;
          const others = ids.filter((other) => other !== id);
          return el("a", { href: compareAddress([id, ...others]), "aria-label": `Make ${id} the reference` }, text);
        },
        remove: ({ id }, text) => {
          const others = ids.filter((other) => other !== id);
          return el(
            "a",
            { href: compareAddress(others), "aria-label": `Remove ${id} from the comparison` },
            nameText2(text)
          );
        }
      }
    });
    return table.element;
  }

  // runtime/library/kept/history_table.ts
  function historyTable(subject, scenario, points) {
    const unit = points.find((point) => point.unit !== "")?.unit ?? "";
    const count = points.length === 1 ? "1 run" : `${points.length} runs`;
    return {
      title: `${subject} of ${scenario}${unit === "" || unit === "bytes" ? "" : `, ${unit}`}; ${count}`,
      columns: columns(points),
      rows: points,
      notes: notes2(points)
    };
  }
  function columns(points) {
    const first = points.find(({ value }) => typeof value === "number")?.value;
    const adapters = new Set(points.map(({ run }) => run.adapter));
    return [
      words("run", ({ run }) => run.id),
      words("started", ({ run }) => dateText(run.started)),
      {
        name: "value",
        heading: ["value"],
        align: "right",
        value: ({ value }) => value,
        text: ({ value, unit }) => showValue(value, unit)
      },
      words("unit", ({ unit }) => unit, { only: "data" }),
      ...typeof first !== "number" ? [] : numberColumns(first),
      words("status", ({ run }) => run.status, { dropFirst: 2 }),
      words("git commit", ({ run }) => run.git, { heading: ["git"], dropFirst: 1 }),
      ...adapters.size < 2 ? [] : [words("adapter", ({ run }) => run.adapter, { dropFirst: 3 })]
    ];
  }
  function numberColumns(first) {
    return [
      words("interval", ({ low, high, unit }) => {
        return low === null || high === null ? null : `${showValue(low, unit)} to ${showValue(high, unit)}`;
      }, { heading: ["95 % interval"], sort: ({ low }) => low }),
      figures(
        "to the first",
        ({ value }) => typeof value === "number" && first !== 0 ? (value / first - 1) * 100 : null,
        {
          heading: ["to first"],
          unit: "%",
          format: (percent) => `${percent >= 0 ? "+" : ""}${formatPercent(percent / 100)} %`
        }
      )
    ];
  }
  function notes2(points) {
    const missing = points.some(({ value }) => value === null) ? [`${MISSING}: not measured in that run`] : [];
    if (points.length < 2) return missing;
    return ["the runs were not interleaved: the values include changes of the machine between them", ...missing];
  }
  function showValue(value, unit) {
    if (typeof value === "string") return value;
    return unit === "bytes" ? formatBytes(value) : unit === "ratio" ? value.toFixed(3) : formatNumber(value);
  }

  // runtime/library/kept/history_changes.ts
  var SHORT_COMMIT = 10;
  function changesTable(subject, changes, points) {
    const numeric = changes.every(({ before, after }) => typeof before === "number" && typeof after === "number");
    const runs = points.length === 1 ? "1 run" : `${points.length} runs`;
    return {
      title: `Changes of ${subject} in ${runs}`,
      columns: [
        words("last run before", ({ lastBefore }) => lastBefore),
        words("first run after", ({ firstAfter }) => firstAfter),
        words("started", ({ started }) => dateText(started), { dropFirst: 1 }),
        words("before", ({ before, unit }) => showValue(before, unit), { align: "right" }),
        words("after", ({ after, unit }) => showValue(after, unit), { align: "right" }),
        ...!numeric ? [] : [
          figures("change", ({ before, after }) => {
            return Number(before) === 0 ? null : (Number(after) / Number(before) - 1) * 100;
          }, { unit: "%", format: (percent) => `${percent >= 0 ? "+" : ""}${formatPercent(percent / 100)} %` })
        ],
        figures("p", ({ p }) => p, { dropFirst: 2 }),
        words("commits", ({ commits }) => commitsText(commits), {
          below: (change) => ["commits " + commitsText(change.commits), ...differences(change)].join("; ")
        })
      ],
      rows: changes,
      notes: changes.some(({ p }) => p !== null) ? ["change points by E-Divisive (Matteson and James, 2014) at the level 0.01; before and after are medians"] : []
    };
  }
  function commitsText({ after, upTo }) {
    const short = (commit) => commit?.slice(0, SHORT_COMMIT) ?? MISSING;
    return after === upTo ? `${short(after)} on both sides` : `${short(after)}..${short(upTo)}`;
  }
  function differences({ environment }) {
    return environment.map(({ what, then, now }) => `${what} ${then ?? MISSING} -> ${now ?? MISSING}`);
  }

  // runtime/serve/client/focus.ts
  function keepFocus(work) {
    const name2 = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["focus"] : void 0;
    work();
    if (name2 === void 0 || document.activeElement?.dataset["focus"] === name2) return;
    const next = [...document.querySelectorAll("[data-focus]")].find(
      ({ dataset }) => dataset["focus"] === name2
    );
    next?.focus({ preventScroll: true });
  }

  // runtime/report/html/client/numbers.ts
  function numberText(value) {
    if (value === null || value === void 0) return MISSING;
    return value === 0 ? "0" : formatNumber(value);
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

  // runtime/report/html/client/chart/chart_keys.ts
  var KEY_STEP = 0.2;
  function listenToKeys(plot, chart, [first, last], open) {
    const all = chart.data[0];
    const move = (i) => {
      const place = Math.max(0, Math.min(all.length - 1, i));
      const [low, high] = [chart.scales["x"].min, chart.scales["x"].max];
      const value = all[place];
      if (value < low || value > high) zoom(value - (high - low) / 2, value + (high - low) / 2);
      chart.setCursor({ left: chart.valToPos(all[place], "x"), top: 0 });
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
      const part2 = (high - low) * KEY_STEP;
      const actions = {
        ArrowRight: () => event.shiftKey ? zoom(low + part2, high + part2) : move(at === null ? 0 : at + 1),
        ArrowLeft: () => event.shiftKey ? zoom(low - part2, high - part2) : move(at === null ? all.length - 1 : at - 1),
        Home: () => move(0),
        End: () => move(all.length - 1),
        "+": () => zoom(low + part2, high - part2),
        "=": () => zoom(low + part2, high - part2),
        "-": () => zoom(low - part2, high + part2),
        "0": () => zoom(first, last),
        ...open === null || at === null ? {} : { Enter: () => open(at) }
      };
      const action = actions[event.key];
      if (action === void 0) return;
      event.preventDefault();
      action();
    });
  }

  // runtime/report/html/client/chart/plot_options.ts
  var HEIGHT = 200;
  var NAME_HEIGHT = 16;
  var MOST_SPACED_BARS = 120;
  var WHOLE_NUMBERS = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((lead) => lead * 10 ** power)).flat();
  function plotOptions(options, width, read) {
    const { series, include = [0], marks = [], height = HEIGHT } = options;
    const ends = series.flatMap(({ intervals = [] }) => intervals.flatMap((interval2) => interval2 ?? []));
    const font = "11px system-ui, sans-serif";
    const axis = {
      font,
      stroke: () => colorOf("--quiet"),
      grid: { stroke: () => colorOf("--line"), width: 1 },
      ticks: { show: false }
    };
    return {
      width,
      height: height + NAME_HEIGHT,
      padding: [10, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false } },
      scales: {
        x: { time: false, range: () => extent(options) },
        y: { range: (_, low, high) => yRange([low, high, ...include, ...ends]) }
      },
      axes: [
        {
          ...axis,
          ...{ label: options.x.name, labelFont: font, labelSize: NAME_HEIGHT, labelGap: 0 },
          ...{ size: 28, gap: 4, incrs: WHOLE_NUMBERS, values: (_, ticks) => ticks.map(tickText) }
        },
        { ...axis, size: 52, gap: 6, values: (_, ticks) => ticks.map(tickText) }
      ],
      series: [{}, ...drawingOrder(options).map((i) => seriesOptions(series[i]))],
      hooks: {
        setCursor: [(chart) => read(chart.cursor.idx ?? null)],
        draw: [
          ...ends.length === 0 ? [] : [(chart) => drawWhiskers(chart, options)],
          ...marks.map((mark) => (chart) => drawMark(chart, mark))
        ]
      }
    };
  }
  function seriesOptions({ name: name2, color, kind, dash, values }) {
    const stroke = () => colorOf(color);
    if (kind === "points") {
      return { label: name2, stroke, paths: () => null, points: { show: true, size: 6, fill: stroke, width: 1 } };
    }
    const base = { label: name2, stroke, points: { show: false }, ...dash ? { dash: [4, 3] } : {} };
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
  function drawWhiskers(chart, { series, x }) {
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    for (const { color, intervals = [] } of series) {
      ctx.strokeStyle = colorOf(color);
      ctx.beginPath();
      for (const [i, interval2] of intervals.entries()) {
        const left = chart.valToPos(x.values[i], "x", true);
        if (interval2 === null || left < bbox.left || left > bbox.left + bbox.width) continue;
        ctx.moveTo(left, chart.valToPos(interval2[0], "y", true));
        ctx.lineTo(left, chart.valToPos(interval2[1], "y", true));
      }
      ctx.stroke();
    }
    ctx.restore();
  }
  function drawMark(chart, { x, text }) {
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
    ctx.strokeText(text, left + (behind ? -5 : 5) * ratio, bbox.top + 12 * ratio);
    ctx.fillText(text, left + (behind ? -5 : 5) * ratio, bbox.top + 12 * ratio);
    ctx.restore();
  }

  // runtime/report/html/client/chart/series_chart.ts
  var SMALLEST_DRAG = 4;
  function seriesChart(options) {
    const { label, x, unit, series, format = numberText, open } = options;
    const plot = el("div", {
      class: "plot",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": `${label}. Arrow keys read values, plus and minus zoom, 0 shows all.${open === void 0 ? "" : ` Enter opens the ${open.what}.`}`
    });
    const values = series.map(() => el("output", {}));
    const at = el("span", { class: "at" });
    const text = x.text ?? tickText;
    const read = (i) => {
      at.textContent = i === null ? "" : `${x.name} ${text(x.values[i])}`;
      for (const [j, { values: own }] of series.entries()) {
        const value = i === null ? void 0 : own[i];
        values[j].textContent = i === null ? "" : value === null || value === void 0 ? MISSING : format(value);
      }
    };
    const legend = el(
      "div",
      { class: "legend", "aria-live": "polite" },
      ...series.map(
        ({ name: name2, color, kind }, i) => el("span", {}, swatch(color, kind === "bars" ? "area" : kind === "points" ? "dot" : "line"), name2, values[i])
      ),
      el("span", { class: "unit" }, unit),
      at
    );
    draw(plot, options, read);
    const data = chartData({
      title: label,
      columns: [
        figures(x.name, (i) => x.values[i], { format: text }),
        ...series.map(({ name: name2, values: own }) => figures(name2, (i) => own[i] ?? null, { unit, format }))
      ],
      rows: x.values.map((_, i) => i)
    });
    return el("figure", { class: "chart", "data-points": x.values.length }, legend, plot, data);
  }
  function chartData(spec) {
    const details = el("details", { class: "data" }, el("summary", {}, "Data"));
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) details.append(createTable(spec, { limit: 50 }).element);
    });
    return details;
  }
  function draw(plot, options, read) {
    let chart = null;
    const observer = new ResizeObserver(() => {
      const width = Math.floor(plot.clientWidth);
      if (!plot.isConnected) return observer.disconnect();
      if (width === 0) return;
      if (chart === null) {
        chart = new uPlot(plotOptions(options, width, read), plotData(options), plot);
        listenToKeys(plot, chart, extent(options), options.open?.at ?? null);
        if (options.open !== void 0) listenToClicks(chart, options.open.at);
      } else if (chart.width !== width) chart.setSize({ width, height: chart.height });
    });
    observer.observe(plot);
    onColorsChange(plot, () => chart?.redraw(false, true));
  }
  function listenToClicks(chart, open) {
    const { over } = chart;
    let from = NaN;
    over.addEventListener("mousedown", ({ clientX }) => {
      from = clientX;
    });
    over.addEventListener("click", ({ clientX }) => {
      const at = chart.cursor.idx ?? null;
      if (at !== null && Math.abs(clientX - from) < SMALLEST_DRAG) open(at);
    });
    over.style.cursor = "pointer";
  }

  // runtime/report/html/client/palette.ts
  var VARIANTS = 8;
  function variantColor(index) {
    return `--series-${index % VARIANTS + 1}`;
  }

  // runtime/serve/client/history_chart.ts
  function historyChart(payload) {
    const { metric, variant, scenario, points, changes } = payload;
    if (!points.some(({ value }) => typeof value === "number")) return null;
    const own = points.find((point) => point.unit !== "")?.unit ?? "";
    const [scale, unit] = own === "bytes" ? [2 ** -20, "MiB"] : [1, own];
    const adapters = [...new Set(points.map(({ run }) => run.adapter))];
    const places = new Map(points.map(({ run }, i) => [run.id, i + 1]));
    return seriesChart({
      label: `${metric} of ${nameText2(variant, 40)} over the runs of ${nameText2(scenario, 40)}`,
      x: { name: "run", values: points.map((_, i) => i + 1), text: (x) => runText(points[x - 1], x) },
      unit,
      series: adapters.map((adapter, i) => {
        const chosen2 = points.map((point) => point.run.adapter === adapter ? point : null);
        return {
          name: adapter === null ? "no adapter" : nameText2(adapter, 60),
          values: chosen2.map((point) => typeof point?.value === "number" ? point.value * scale : null),
          intervals: chosen2.map((point) => {
            const { low = null, high = null } = point ?? {};
            return low === null || high === null ? null : [low * scale, high * scale];
          }),
          color: variantColor(i),
          kind: "points"
        };
      }),
      include: [],
      // A change is between two runs
      marks: changes.map((change) => ({ x: places.get(change.firstAfter) - 0.5, text: changeText2(change) })),
      format: (value) => showValue(value, unit),
      height: 260,
      open: { what: "run", at: (i) => location.assign(runAddress(points[i].run.id)) }
    });
  }
  function runText(point, x) {
    return point === void 0 ? String(x) : `${point.run.id}, ${dateText(point.run.started)}`;
  }
  function changeText2({ before, after }) {
    const [a, b] = [Number(before), Number(after)];
    if (a === 0) return "change";
    return `${b < a ? "" : "+"}${formatPercent(b / a - 1)} %`;
  }

  // runtime/serve/client/history_page.ts
  async function historyPage() {
    const frame = createFrame("History");
    addEventListener("popstate", () => void load(frame));
    await load(frame);
  }
  async function load(frame) {
    try {
      const payload = await request(`/api/history${location.search}`);
      const { metric, variant, scenario, points, isCut, problems } = payload;
      frame.setTitle(`${metric} of ${nameText2(variant, 60)}`);
      const shown = isCut ? `latest ${points.length}` : points.length;
      frame.setStatus(`${scenario} · ${shown} ${points.length === 1 ? "run" : "runs"}`);
      frame.setProblem(problems.length === 0 ? null : problems.join(". "));
      keepFocus(() => frame.setContent(choosers(frame, payload), ...content2(payload)));
    } catch (error) {
      frame.setProblem(error.message);
    }
  }
  function content2(payload) {
    const { metric, variant, scenario, points, changes } = payload;
    if (points.length === 0) return [el("p", { class: "missing" }, "No kept run matches")];
    const subject = `${metric}.${variant}`;
    const about = points.some(({ low }) => low !== null) ? ["whiskers are 95 % intervals"] : [];
    const hints = [...about, "click a point, or read it with the arrow keys and press Enter, to open its run"];
    const chart = historyChart(payload);
    const table = tableContent(historyTable(subject, scenario, points), { cells: { run: (_, id) => runLink(id) } });
    const cells = {
      "last run before": (_, id) => runLink(id),
      "first run after": (_, id) => runLink(id)
    };
    return [
      ...chart === null ? [] : [part("Chart", chart, notes(hints))],
      changes.length === 0 ? part("Changes", el("p", { class: "missing" }, "No change was found")) : part("Changes", ...tableContent(changesTable(subject, changes, points), { cells })),
      part("Runs", ...table)
    ];
  }
  function runLink(id) {
    return el("a", { href: runAddress(id) }, id);
  }
  function choosers(frame, payload) {
    const { scenario, variant, metric, adapter, subjects, metrics, adapters } = payload;
    const go = (change) => {
      history.pushState(null, "", historyAddress({ scenario, variant, metric, adapter, ...change }));
      void load(frame);
    };
    const variants = subjects.find((subject) => subject.scenario === scenario)?.variants ?? [];
    return el(
      "div",
      { class: "choices" },
      chooser("scenario", subjects.map((subject) => subject.scenario), scenario, (name2) => {
        const found = subjects.find((subject) => subject.scenario === name2);
        const kept = found.variants.includes(variant) ? variant : found.variants[0];
        go({ scenario: name2, variant: kept, adapter: null });
      }),
      chooser("variant", variants, variant, (name2) => go({ variant: name2 })),
      chooser("metric", metrics, metric, (name2) => go({ metric: name2 })),
      adapters.length < 2 && adapter === null ? null : chooser("adapter", ["all", ...adapters], adapter ?? "all", (name2, i) => go({ adapter: i === 0 ? null : name2 }))
    );
  }
  function chooser(name2, options, chosen2, onChoice) {
    const list = el(
      "select",
      { "data-focus": `choose ${name2}` },
      ...options.map((option) => el("option", {}, nameText2(option, 60)))
    );
    list.selectedIndex = Math.max(0, options.indexOf(chosen2));
    list.addEventListener("change", () => onChoice(options[list.selectedIndex], list.selectedIndex));
    return el("label", {}, `${name2} `, list);
  }

  // runtime/library/kept/run_table.ts
  var TONES = {
    running: "device",
    complete: null,
    interrupted: "warning",
    failed: "bad"
  };
  var LONGEST_NAME = 24;
  var COLUMNS = [
    words("id", ({ id }) => id),
    words("started", ({ started }) => dateText(started)),
    words("scenario", ({ scenario }) => scenario, { most: LONGEST_NAME }),
    words("status", ({ status }) => status, { tone: ({ status }) => TONES[status] }),
    words("variants", ({ variants, failed }) => failed === 0 ? String(variants) : `${failed} of ${variants} failed`, {
      align: "right",
      dropFirst: 3
    }),
    figures("speed of the baseline", ({ ips }) => ips, {
      heading: ["baseline"],
      dropFirst: 2,
      format: (ips, { unit }) => `${formatNumber(ips)} ${unit}`
    }),
    words("unit", ({ unit }) => unit, { only: "data" }),
    words("fastest of the faster variants", ({ best, bestSpeedup }) => {
      return best === null || bestSpeedup === null ? null : `${shorten(best, LONGEST_NAME)} ×${bestSpeedup.toFixed(2)}`;
    }, { heading: ["faster"], dropFirst: 1, sort: ({ bestSpeedup }) => bestSpeedup })
  ];
  function runsTable2(title, runs) {
    const without = runs.filter(({ ips }) => ips === null);
    const notes3 = [
      ...without.some(({ status }) => status !== "complete") ? [`${MISSING}: no result`] : [],
      ...without.some(({ status }) => status === "complete") ? [`${MISSING}: no single speed of the baseline; a run merged from shards has one for each node`] : []
    ];
    return { title, columns: COLUMNS, rows: runs, notes: notes3 };
  }

  // runtime/serve/client/runs_table.ts
  var VERDICTS = ["faster", "slower", "same", "unclear", "invalid"];
  function listTable(runs) {
    const common = runsTable2("", []).columns.filter(({ name: name2 }) => name2 !== "id").map(lifted);
    return {
      title: "Kept runs",
      columns: [
        words("id", ({ id }) => id),
        ...common.map((column) => column.name === "status" ? statusColumn(column) : column),
        words("verdicts", verdictsText),
        words("adapter", ({ run }) => run?.adapter ?? null),
        words("git commit", ({ run }) => run?.git ?? null, { heading: ["git"], minor: true }),
        words("command", ({ run }) => run === null ? null : [run.script ?? "", ...run.args].join(" ").trim(), {
          minor: true
        }),
        words("problem", problemOf, { minor: true })
      ],
      rows: runs
    };
  }
  function problemOf({ run, problem: problem2 }) {
    return problem2 ?? run?.message ?? null;
  }
  function searchedText(listed) {
    const { id, run, problem: problem2 } = listed;
    const own = run === null ? [] : [run.scenario, run.script, ...run.args, run.adapter, run.git, run.best, run.message];
    return [id, statusText(listed), verdictsText(listed), problem2, ...own].join(" ");
  }
  function statusText({ run, rounds }) {
    if (run === null) return "damaged";
    if (rounds === 0 || run.status === "complete") return run.status;
    return `${run.status}, ${rounds === 1 ? "1 round" : `${rounds} rounds`}`;
  }
  function verdictsText({ verdicts }) {
    return VERDICTS.flatMap((verdict) => verdicts[verdict] === void 0 ? [] : [`${verdicts[verdict]} ${verdict}`]).join(
      ", "
    );
  }
  function statusColumn(column) {
    return {
      ...column,
      value: statusText,
      text: statusText,
      tone: (listed) => listed.run === null ? "bad" : column.tone?.(listed) ?? null
    };
  }
  function lifted({ value, text, sort, mark, tone, depth: _depth, below: _below, ...column }) {
    return {
      ...column,
      value: ({ run }) => run === null ? null : value(run),
      ...text === void 0 ? {} : { text: ({ run }, room) => text(run, room) },
      ...sort === void 0 ? {} : { sort: ({ run }) => run === null ? null : sort(run) },
      ...mark === void 0 ? {} : { mark: ({ run }) => run === null ? null : mark(run) },
      ...tone === void 0 ? {} : { tone: ({ run }) => run === null ? null : tone(run) }
    };
  }

  // runtime/serve/client/run_page.ts
  function runPage(id) {
    const frame = createFrame(`Run ${id}`);
    follow(() => `/api/runs/${encodeURIComponent(id)}`, {
      onProblem: (problem2) => problem2 === null || frame.setProblem(problem2),
      onPayload: ({ listed, hasReport }) => {
        if (hasReport) return location.reload();
        frame.setProblem(listed.problem === null ? null : `Run ${id}: ${listed.problem}`);
        frame.setStatus(statusOf(listed));
        frame.setContent(runFacts(listed));
      }
    });
  }
  function statusOf(listed) {
    const status = statusText(listed);
    switch (listed.run?.status) {
      case "running":
        return `${status}; the report appears here when it ends`;
      case "interrupted":
      case "failed":
        return `${status}; "tacho resume ${listed.id}" continues it`;
      default:
        return status;
    }
  }
  function runFacts({ run }) {
    if (run === null) return el("p", { class: "missing" }, `${MISSING} nothing else of the run can be read`);
    const command = [run.script ?? "", ...run.args].join(" ").trim();
    return facts([
      ["scenario", nameText2(run.scenario)],
      ["started", dateText(run.started)],
      ["command", command === "" ? MISSING : nameText2(command, 400)],
      ["folder", nameText2(run.cwd, 200)],
      ["variants", String(run.variants)],
      ["adapter", run.adapter === null ? MISSING : nameText2(run.adapter)],
      ["git", run.git ?? MISSING],
      ["message", run.message === null ? MISSING : nameText2(run.message, 1e3)]
    ], "long");
  }

  // runtime/core/shell_word.ts
  function shellWord(word) {
    return /^[\w@%+=:,./-][\w@%+=:,./~-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  }

  // runtime/library/kept/attached_table.ts
  function attachedTable(runs) {
    return {
      title: runs.length === 1 ? "1 attached program" : `${runs.length} attached programs`,
      columns: [
        words("id", ({ id }) => id),
        words("started", ({ started }) => dateText(started)),
        figures("status", ({ status }) => status, { format: String }),
        words("adapter", ({ adapter }) => adapter, { dropFirst: 1 }),
        words("command", ({ command }) => commandText(command), { cut: true })
      ],
      rows: runs
    };
  }
  function commandText(command) {
    return command.map(shellWord).join(" ");
  }

  // runtime/serve/client/selection.ts
  var Selection = class {
    element;
    #ids;
    #count = el("span", { role: "status" });
    #compare = el("a", { class: "tool" }, "Compare");
    #clear;
    /** @param onClear called after the reader has cleared the selection */
    constructor(onClear) {
      const { selected } = history.state ?? {};
      this.#ids = new Set(selected ?? []);
      this.#clear = button("Clear", { class: "tool", "aria-label": "Clear the selection" }, () => {
        this.#ids.clear();
        this.#changed();
        onClear();
      });
      this.element = el("div", { class: "selection" }, this.#count, this.#compare, this.#clear);
      this.#changed();
    }
    has(id) {
      return this.#ids.has(id);
    }
    /** Returns the checkbox of a run. */
    checkbox({ id, run, hasResult, problem: problem2 }) {
      const isComparable = run !== null && hasResult && problem2 === null;
      const box = el("input", {
        type: "checkbox",
        "aria-label": `Select run ${id}`,
        "data-focus": `select ${id}`,
        title: isComparable ? null : "no result to compare",
        disabled: !isComparable
      });
      box.checked = this.has(id);
      box.addEventListener("change", () => {
        if (box.checked) this.#ids.add(id);
        else this.#ids.delete(id);
        this.#changed();
      });
      return box;
    }
    #changed() {
      const ids = [...this.#ids].sort();
      const count = ids.length === 1 ? "1 run" : `${ids.length} runs`;
      const isPossible = ids.length >= 2 && ids.length <= MOST_COMPARED;
      this.#count.textContent = ids.length === 0 ? "Select runs to compare them" : ids.length === 1 ? "1 run selected; select another to compare" : `${count} selected${isPossible ? "" : `; at most ${MOST_COMPARED} can be compared`}`;
      this.#compare.hidden = !isPossible;
      this.#compare.href = compareAddress(ids);
      this.#clear.hidden = ids.length === 0;
      history.replaceState({ ...history.state, selected: ids }, "");
    }
  };

  // runtime/serve/client/runs_page.ts
  function runsPage() {
    const frame = createFrame("Kept runs");
    const list = runsList();
    const programs = el("div");
    let [version, all, shownPrograms] = ["", false, ""];
    let problem2 = null;
    const more = button("", { class: "tool", "data-focus": "more" }, () => {
      [version, all] = ["", true];
      refresh();
    });
    more.hidden = true;
    frame.setContent(list.element, more, programs);
    const refresh = follow(
      () => `/api/runs?version=${encodeURIComponent(version)}${all ? "&limit=999999999" : ""}`,
      {
        onProblem: (text) => frame.setProblem(text ?? problem2),
        onPayload: (payload) => {
          version = payload.version;
          problem2 = payload.problem;
          frame.setProblem(problem2);
          frame.setStatus(statusOf2(payload));
          list.show(payload.runs);
          more.hidden = payload.total <= payload.runs.length;
          more.textContent = `Load all ${payload.total} runs`;
          const text = JSON.stringify(payload.programs);
          if (text !== shownPrograms) keepFocus(() => programs.replaceChildren(programsPart(payload)));
          shownPrograms = text;
        }
      }
    );
  }
  function runsList() {
    const known = /* @__PURE__ */ new Map();
    const table = createTable(listTable([]), {
      omit: ["unit"],
      cells: {
        id: (listed) => el("span", { class: "pick" }, selection.checkbox(listed), runLink2(listed.id)),
        status: (listed, text) => {
          const problem2 = problemOf(listed);
          const tone = listed.problem === null ? null : "bad";
          return problem2 === null ? text : el("span", {}, text, el("span", { class: "reason", "data-tone": tone }, nameText2(problem2, 400)));
        },
        scenario: ({ run }, text) => el("a", { href: historyAddress({ scenario: run.scenario }) }, text)
      },
      search: {
        label: "Search runs",
        text: searchedText,
        found: (found) => `${found.length} found`,
        initial: new URLSearchParams(location.search).get("q") ?? "",
        onWords: (words2) => history.replaceState(history.state, "", words2 === "" ? "/" : `/?q=${encodeURIComponent(words2)}`)
      }
    });
    const selection = new Selection(() => {
      for (const box of table.element.querySelectorAll("input[type=checkbox]")) box.checked = false;
    });
    table.element.classList.add("runs");
    table.element.querySelector(".search").after(selection.element);
    const show2 = (runs) => {
      const rows = runs.map((listed) => {
        const text = JSON.stringify(listed);
        const before = known.get(listed.id);
        if (before?.text === text) return before.listed;
        known.set(listed.id, { text, listed });
        return listed;
      });
      keepFocus(() => table.setRows(rows));
    };
    return { element: table.element, show: show2 };
  }
  function runLink2(id) {
    return el("a", { href: runAddress(id), "data-focus": `open ${id}` }, id);
  }
  function programsPart({ programs }) {
    if (programs.length === 0) return document.createTextNode("");
    const spec = attachedTable(programs);
    const table = createTable(spec, {
      cells: { id: ({ id }) => el("a", { href: programAddress(id), "data-focus": `open ${id}` }, id) }
    });
    return part("Attached programs", table.element);
  }
  function statusOf2({ folder: folder2, total, runs }) {
    if (total === 0) return `No runs are kept in ${folder2} yet`;
    const running = runs.filter(({ run }) => run?.status === "running").length;
    const count = total === 1 ? "1 run" : `${total} runs`;
    return `${count} in ${folder2}${running === 0 ? "" : ` · ${running} running`}`;
  }

  // runtime/serve/client/main.ts
  var problem = document.getElementById(PROBLEM_ID)?.textContent ?? null;
  var [, folder, name] = location.pathname.split("/");
  if (problem !== null) createFrame("Tacho").setProblem(JSON.parse(problem));
  else if (folder === "compare") void comparePage();
  else if (folder === "history") void historyPage();
  else if (folder === "runs") runPage(decodeURIComponent(name));
  else runsPage();
})();

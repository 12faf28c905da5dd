// Generated from runtime/report/html/client/main.ts by: deno task bundle
(() => {
  // runtime/report/counted.ts
  function countedNoun(variants) {
    const units = variants.map(({ metrics: { ips } }) => ips?.unit);
    return units.includes("tokens/s") ? "token" : units.includes("steps/s") ? "step" : "sample";
  }

  // runtime/report/own_loop.ts
  var OWN_LOOP = "loop";
  function isOwnLoop({ mode }) {
    return mode === OWN_LOOP;
  }
  var FUNCTION_MODE = "function";
  var PROGRAM_MODE = "program";
  function isProgram({ mode }) {
    return mode === PROGRAM_MODE;
  }
  function isHostTimed({ mode }) {
    return mode === FUNCTION_MODE || mode === PROGRAM_MODE;
  }
  function noModelReason(config) {
    if (isOwnLoop(config)) return "the loop has no trainer";
    if (isProgram(config)) return "a program has no model";
    return isHostTimed(config) ? "a function has no model" : "no model, only the loader was measured";
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
  function formatCounted(value, noun) {
    return `${formatCount(value)} ${value === 1 ? noun : `${noun}s`}`;
  }
  function formatMiB(bytes2) {
    return bytes2 === 0 ? "0" : formatNumber(bytes2 / MIB);
  }
  function formatPercent(ratio) {
    const percent2 = ratio * 100;
    const text2 = percent2.toFixed(Math.abs(percent2) < 9.95 ? 1 : 0);
    return text2 === "-0.0" ? "0.0" : text2;
  }
  function formatRatio(ratio) {
    return `×${ratioText(ratio, 2)}`;
  }
  function formatInterval(low, high) {
    const digits = high - low < 0.015 ? 3 : 2;
    const [from, to] = ratioEnds(low, high, (ratio) => ratioText(ratio, digits));
    return `${from}${from.startsWith("<") || to.startsWith(">") ? " to " : "-"}${to}`;
  }
  function ratioEnds(low, high, text2) {
    const isWide = high > FAR * low;
    return [isWide && low < 1 / FAR ? `<${1 / FAR}` : text2(low), isWide && high > FAR ? `>${FAR}` : text2(high)];
  }
  function ratioText(ratio, digits) {
    return Math.abs(ratio) < 10 ? ratio.toFixed(digits) : formatNumber(ratio);
  }
  function formatProbability(p) {
    if (p > 0 && p < 1e-3) return "<0.001";
    return p.toFixed(p < 0.0995 ? 3 : 2);
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

  // runtime/report/spec.ts
  var USUAL_ROOM = 40;
  function cellOf(column, row, room = USUAL_ROOM) {
    const value = column.value(row);
    if (value === null) return { text: MISSING };
    const text2 = column.text?.(row, room) ?? (typeof value === "number" ? formatNumber(value) : value);
    const [mark, tone] = [column.mark?.(row) ?? null, column.tone?.(row) ?? null];
    return { text: text2, ...mark === null ? {} : { mark }, ...tone === null ? {} : { tone } };
  }
  function columnsFor({ columns: columns3 }, medium) {
    return columns3.filter(({ only = medium }) => only === medium);
  }
  function titleOf({ heading: heading2, unit }) {
    const words2 = heading2.join(" ").replaceAll(/ \/(?=\S)/g, "/");
    return unit !== void 0 && words2.endsWith(` ${unit}`) ? words2.slice(0, -unit.length - 1) : words2;
  }
  function headingWithUnit(column) {
    return column.unit === void 0 ? titleOf(column) : `${titleOf(column)} (${column.unit})`;
  }
  function words(name, value, options = {}) {
    return { name, heading: [name], align: "left", value, ...options };
  }
  function figures(name, value, { format = formatNumber, ...options } = {}) {
    return { name, heading: [name], align: "right", value, text: (row) => format(value(row), row), ...options };
  }
  function counts(name, value, options = {}) {
    return figures(name, value, {
      format: (count) => Number.isInteger(count) ? String(count) : formatNumber(count),
      ...options
    });
  }
  function percentages(name, ratio, options = {}) {
    const percent2 = (row) => {
      const known = ratio(row);
      return known === null ? null : known * 100;
    };
    return figures(name, percent2, { unit: "%", format: (_, row) => formatPercent(ratio(row)), ...options });
  }
  function names(name, value, options = {}) {
    return words(name, value, { breakAfter: ",", cut: true, ...options });
  }

  // runtime/report/matrix/column.ts
  function isMerged({ nodes }) {
    return nodes !== void 0;
  }
  var AMORTISED = "*";
  var INTERRUPTED = "†";
  var ABLATED = "‡";
  function variantColumn(heading2) {
    return names("variant", ({ name }) => name, {
      heading: [heading2],
      mark: ({ status }) => status === "interrupted" ? INTERRUPTED : null
    });
  }
  var OF_BATCHES = ["bound", "reader cost"];
  var OF_LOSSES = ["final loss", "loss difference"];
  function possibleColumns(columns3, variants) {
    if (!variants.every(({ config }) => isHostTimed(config))) return columns3;
    const reported = variants.some(({ finalLoss }) => finalLoss !== null);
    return columns3.filter(
      ({ name, needs }) => OF_LOSSES.includes(name) ? reported : needs === void 0 && !OF_BATCHES.includes(name)
    );
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
  function button(label2, attributes, onClick) {
    const made = el("button", { type: "button", ...attributes }, label2);
    made.addEventListener("click", onClick);
    return made;
  }
  function swatch(color, kind = "area") {
    const patch2 = el("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
    patch2.style.setProperty("--color", `var(${color})`);
    return patch2;
  }

  // runtime/core/printable.ts
  var UNPRINTABLE = new RegExp("[[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]--[\\ufe0e\\ufe0f]]", "gv");
  var UNPRINTABLE_IN_LINES = new RegExp(`[${UNPRINTABLE.source}--[\\n\\t]]`, "gv");
  var STYLE = new RegExp("\x1B\\[(?:1|2|22|3[1-6]|39)m", "g");
  var SHORT_ESCAPES = { "\n": "\\n", "\r": "\\r", "	": "\\t" };
  function printable(text2) {
    return text2.replace(
      UNPRINTABLE,
      (character) => SHORT_ESCAPES[character] ?? `\\u{${character.codePointAt(0).toString(16)}}`
    );
  }

  // runtime/report/html/client/text_width.ts
  var segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
  function textWidth(text2) {
    return [...text2].length;
  }

  // runtime/report/plain_text.ts
  function shorten(text2, width) {
    const characters = [
      ...text2.length > 8 * width ? whole(text2.slice(0, 4 * width)) + "…" + whole(text2.slice(-4 * width)) : text2
    ];
    if (characters.length <= 2 * width && textWidth(text2) <= width) return text2;
    const back = Math.ceil((width - 1) * 0.6);
    const take = (source, columns3) => {
      let taken = 0;
      let used = 0;
      for (const character of source) {
        used += textWidth(character);
        if (used > columns3 || taken >= 2 * columns3) break;
        taken++;
      }
      return taken;
    };
    const head = take(characters, width - 1 - back);
    const tail = take(characters.toReversed(), back);
    return characters.slice(0, head).join("") + "…" + characters.slice(characters.length - tail).join("");
  }
  function whole(text2) {
    return text2.replaceAll(/\p{Cs}/gu, "");
  }
  function nameText(name, width) {
    return shorten(printable(name), width);
  }
  var NAME_IN_PROSE = 60;
  function nameInProse(name) {
    return name.trim() === "" ? `"${printable(name)}"` : nameText(name, NAME_IN_PROSE);
  }
  var MOST_IN_PROSE = 12;
  function namesInProse(names3, most2 = MOST_IN_PROSE) {
    return listInProse(names3.map(nameInProse), most2);
  }
  function listInProse(words2, most2) {
    const shown = words2.slice(0, most2).join(", ");
    return words2.length > most2 ? `${shown} and ${words2.length - most2} more` : shown;
  }

  // runtime/report/html/client/names.ts
  var PILED_MARKS = /(\p{M}{3})\p{M}+/gu;
  var LONGEST = 96;
  function nameText2(name, longest = LONGEST) {
    return nameText(name.replace(PILED_MARKS, "$1"), longest) || "(no name)";
  }

  // runtime/report/html/client/route.ts
  function hrefOf({ variant, anchor }) {
    const parts = variant === null ? [anchor] : ["of", variant, anchor];
    return `#/${parts.map((part2) => encodeURIComponent(part2.toWellFormed())).join("/")}`;
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

  // runtime/report/html/client/context.ts
  var IN_SHARDS = "in the shard files";
  var ON_NODES = "the variants ran on different nodes";
  function untimed({ environment: { adapter } }) {
    if (adapter === null) return "no device was used";
    return adapter.features.includes("timestamp-query") ? null : "the adapter has no timestamp queries";
  }
  function notRun({ overview: overview2, variant: { status, error } }, blocks) {
    if (blocks > 0) return null;
    if (isMerged(overview2) && status !== "failed") return IN_SHARDS;
    if (status === "failed") return `the variant failed: ${nameText2(error?.message ?? "", 400)}`;
    return status === "interrupted" ? "interrupted before any block was measured" : "no block was measured";
  }
  function notProfiled({ parameters, profile, status, config }) {
    if (profile !== null) return null;
    if (parameters === null) return noModelReason(config);
    return status === "ok" ? "no steps were profiled (--verbosity 2)" : "the variant ended before its profiled steps";
  }
  function notTuned({ autotune, config }) {
    if (autotune !== null) return null;
    const { model, compile } = config;
    if ((compile?.autotune ?? null) === null) return "off (compile.autotune)";
    return model === null ? "no model, so nothing to tune" : "the variant ended before its kernels were tuned";
  }
  function variantLink(variant, anchor, text2) {
    return el("a", { href: hrefOf({ variant, anchor }) }, text2);
  }

  // runtime/record/phases.ts
  var PHASES = [
    { name: "forward", label: "forward", help: "Device time of the forward pass" },
    { name: "backward", label: "backward", help: "Device time of the backward pass" },
    { name: "update", label: "update", help: "Device time of the update, with unscaling and the overflow test" }
  ];
  function phasesNamed(names3) {
    const unique = new Set(names3);
    const listed = PHASES.filter(({ name }) => unique.delete(name));
    return [...listed, ...Array.from(unique, (name) => ({ name, label: name, help: `Device time of ${name}` }))];
  }
  var FIELDS = ["forward", "backward", "update"];
  function ofPhase(record, phase) {
    return isField(phase) ? record[phase] : record.phases?.[phase] ?? null;
  }
  function shownPhases(names3 = []) {
    return phasesNamed([...FIELDS, ...names3]);
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

  // runtime/report/html/client/clipboard.ts
  function copyButton(what, text2) {
    const made = button("Copy", { class: "tool", "aria-label": `Copy ${what}` }, async () => {
      const copied = await copyText(text2());
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

  // runtime/report/html/client/search_box.ts
  function createSearchBox({ label: label2, text: text2, found, initial = "", onWords }, onChange) {
    const input = el("input", { type: "search", placeholder: label2, "aria-label": label2, spellcheck: "false" });
    input.value = initial;
    input.addEventListener("input", () => {
      onWords?.(input.value);
      onChange();
    });
    const status = el("span", { class: "about", role: "status" });
    const filter = (rows) => {
      const words2 = wordsOf(input.value);
      const matching = words2.length === 0 ? rows : rows.filter((row) => containsAll(text2(row), words2));
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
  function containsAll(text2, words2) {
    const lower = text2.toLowerCase();
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
    const columns3 = columnsFor(spec, "data").filter(({ name }) => !omit.includes(name));
    let sorted2 = [...rows];
    let found = sorted2;
    let [from, size] = [0, limit];
    const elements2 = /* @__PURE__ */ new Map();
    const body = el("tbody");
    const more2 = button("", { class: "tool more" }, () => {
      size = Infinity;
      showFrom(0);
    });
    const place3 = el("span", { class: "about", role: "status" });
    const turn = (label2, name, by) => button(label2, { class: "tool", "aria-label": name, title: name }, () => {
      const next = from + by * size;
      if (next >= 0 && next < found.length) showFrom(next);
    });
    const pages = el("span", { class: "turn" }, turn("‹", "Previous rows", -1), place3, turn("›", "Next rows", 1));
    const box = search === void 0 ? null : createSearchBox(search, () => showFrom(0));
    const isWhole = () => found.length <= size * 1.2;
    const showFrom = (first2) => {
      from = first2;
      fillBody();
    };
    const fillBody = () => {
      found = box?.filter(sorted2) ?? sorted2;
      if (isWhole() || from >= found.length) from = 0;
      const shown = isWhole() ? found : found.slice(from, from + size);
      body.replaceChildren(...shown.map((row) => {
        let element2 = elements2.get(row);
        if (element2 === void 0) elements2.set(row, element2 = rowElement(columns3, row, hooks));
        return element2;
      }));
      pages.hidden = isWhole();
      place3.textContent = `${formatCount(from + 1)} to ${formatCount(from + shown.length)} of ${formatCount(found.length)}`;
      more2.hidden = isWhole() || found.length > MOST_TOGETHER;
      more2.textContent = `Show all ${found.length} rows`;
    };
    let sort = () => [...rows];
    const headings = columns3.map((column, i) => {
      return heading(column, hooks.headings?.[column.name], (direction) => {
        sort = () => direction === null ? [...rows] : sortRows(rows, column, direction);
        sorted2 = sort();
        for (const [j, other] of headings.entries()) if (j !== i) other.setAttribute("aria-sort", "none");
        showFrom(0);
      });
    });
    fillBody();
    const copied = () => [
      columns3.map(headingWithUnit),
      ...found.map((row) => columns3.map((column) => column.value(row)))
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
        columns3.some(({ minor: minor2 }) => minor2) ? allColumns(() => element) : null,
        pages,
        more2,
        copyButton(`${caption} as tab-separated text`, () => toTsv(copied()))
      )
    );
    const keysOf = () => new Map(key === void 0 ? [] : rows.map((row) => [key(row), row]));
    let byKey = keysOf();
    const find = (name) => {
      const row = byKey.get(name);
      if (row === void 0) return null;
      if (!found.includes(row)) {
        box?.clear();
        fillBody();
      }
      if (!isWhole()) showFrom(Math.floor(found.indexOf(row) / size) * size);
      return elements2.get(row) ?? null;
    };
    const setRows = (next) => {
      rows = next;
      sorted2 = sort();
      byKey = keysOf();
      const kept2 = new Set(rows);
      for (const row of elements2.keys()) if (!kept2.has(row)) elements2.delete(row);
      fillBody();
    };
    return { element, rows: { has: (name) => byKey.has(name), find }, setRows };
  }
  function allColumns(table) {
    const toggle = button("All columns", { class: "tool" }, () => {
      const brief = table().classList.toggle("brief");
      toggle.textContent = brief ? "All columns" : "Fewer columns";
    });
    return toggle;
  }
  function heading(column, under, onSort) {
    const { unit, help, align, minor: minor2 } = column;
    const classes = minor2 ? `${align} minor` : align;
    const cell = el("th", { scope: "col", "aria-sort": "none", class: classes, title: help ?? null });
    const text2 = el(
      "span",
      {},
      nameText2(titleOf(column)),
      unit === void 0 ? null : el("span", { class: "unit" }, unit)
    );
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
  function rowElement(columns3, row, hooks) {
    const cells = columns3.map((column, i) => {
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
  function cellElement(column, row, draw3) {
    const { text: text2, mark = "" } = cellOf(column, row);
    const shown = text2 === "" ? "" : nameText2(text2, LONGEST_LINE) + mark;
    const depth = column.depth?.(row) ?? 0;
    const drawn2 = draw3 !== void 0 && column.value(row) !== null && shown !== "" ? draw3(row, shown) : text2.length <= LONGEST_LINE ? shown : el("span", { class: "prose" }, nameText2(text2, LONGEST_TEXT) + mark);
    if (depth === 0) return drawn2;
    const indented = el("span", {}, drawn2);
    indented.style.paddingLeft = `${Math.min(depth, MOST_DEPTH)}em`;
    return indented;
  }
  function sortRows(rows, column, direction) {
    const sign = direction === "ascending" ? 1 : -1;
    const valueOf = (row) => column.sort === void 0 ? column.value(row) : column.sort(row);
    return rows.toSorted((a, b) => {
      const [first2, second] = [valueOf(a), valueOf(b)];
      if (first2 === null || second === null) return Number(first2 === null) - Number(second === null);
      if (typeof first2 === "number" && typeof second === "number") return sign * (first2 - second);
      return sign * collator.compare(String(first2), String(second));
    });
  }

  // runtime/report/html/client/section.ts
  var LONGEST_NOTE = 1e3;
  function sectionElement({ anchor, title, content: content2, about }, cited = []) {
    const id = `section-${anchor}`;
    const heading2 = el("h3", { id }, title);
    const attributes = { "aria-labelledby": id, "data-anchor": anchor };
    if (typeof content2 === "string") {
      const reason2 = el("p", { class: "missing" }, `${MISSING} ${content2}`);
      return el("section", { ...attributes, class: "empty" }, el("div", { class: "heading" }, heading2, reason2, ...cited));
    }
    const line2 = about === void 0 ? null : el("p", { class: "about" }, about);
    return el("section", attributes, el("div", { class: "heading" }, heading2, ...cited), line2, ...content2);
  }
  function notes(lines) {
    const some = lines.filter((line2) => line2 !== "");
    return some.length === 0 ? null : el("ul", { class: "notes" }, ...some.map((line2) => el("li", {}, nameText2(line2, LONGEST_NOTE))));
  }
  function facts(pairs2, kind = "short") {
    return el(
      "dl",
      { class: `facts ${kind}` },
      ...pairs2.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))
    );
  }
  function tableContent(spec, hooks = {}) {
    return [createTable(spec, hooks).element, notes(spec.notes ?? [])];
  }

  // runtime/report/html/client/numbers.ts
  function numberText(value) {
    if (value === null || value === void 0) return MISSING;
    return value === 0 ? "0" : formatNumber(value);
  }
  function percentText(ratio) {
    if (ratio === null || ratio === void 0) return MISSING;
    const percent2 = ratio * 100;
    return `${percent2.toFixed(Math.abs(percent2) < 9.95 ? 1 : 0)} %`;
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

  // runtime/report/html/client/chart/chart_keys.ts
  var KEY_STEP = 0.2;
  function listenToKeys(plot, chart, [first2, last], open) {
    const all = chart.data[0];
    const move = (i) => {
      const place3 = Math.max(0, Math.min(all.length - 1, i));
      const [low, high] = [chart.scales["x"].min, chart.scales["x"].max];
      const value = all[place3];
      if (value < low || value > high) zoom(value - (high - low) / 2, value + (high - low) / 2);
      chart.setCursor({ left: chart.valToPos(all[place3], "x"), top: 0 });
    };
    const zoom = (low, high) => {
      const width = Math.min(high - low, last - first2);
      const start = Math.max(first2, Math.min(low, last - width));
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
        "0": () => zoom(first2, last),
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
    const ends = series.flatMap(({ intervals = [] }) => intervals.flatMap((interval) => interval ?? []));
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
    const [first2, last] = [values[0] ?? 0, values.at(-1) ?? 1];
    const wide = first2 === last || series.some(({ kind }) => kind === "bars" || kind === "points");
    return wide ? [first2 - 0.5, last + 0.5] : [first2, last];
  }
  function drawingOrder({ series, stacked }) {
    const places = series.map((_, i) => i);
    if (!stacked) return places;
    const bars2 = places.filter((i) => series[i].kind === "bars");
    return [...bars2.reverse(), ...places.filter((i) => series[i].kind !== "bars")];
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
      for (const [i, interval] of intervals.entries()) {
        const left = chart.valToPos(x.values[i], "x", true);
        if (interval === null || left < bbox.left || left > bbox.left + bbox.width) continue;
        ctx.moveTo(left, chart.valToPos(interval[0], "y", true));
        ctx.lineTo(left, chart.valToPos(interval[1], "y", true));
      }
      ctx.stroke();
    }
    ctx.restore();
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
  var SMALLEST_DRAG = 4;
  function seriesChart(options) {
    const { label: label2, x, unit, series, format = numberText, open } = options;
    const plot = el("div", {
      class: "plot",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "chart",
      "aria-label": `${label2}. Arrow keys read values, plus and minus zoom, 0 shows all.${open === void 0 ? "" : ` Enter opens the ${open.what}.`}`
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
    const data = chartData({
      title: label2,
      columns: [
        figures(x.name, (i) => x.values[i], { format: text2 }),
        ...series.map(({ name, values: own }) => figures(name, (i) => own[i] ?? null, { unit, format }))
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

  // runtime/report/html/client/comparison/blocks.ts
  function blocksSection(overview2) {
    const noun = countedNoun(overview2.variants);
    const about = `Time per ${noun} of each block, in the order they ran`;
    const base = { anchor: "blocks", title: "Blocks by round", about };
    const arms = armsOf(overview2).filter(({ blocks }) => blocks.some(({ samples }) => samples > 0));
    if (arms.length === 0) {
      return { ...base, content: isMerged(overview2) ? IN_SHARDS : "no block was measured" };
    }
    const positions = 1 + arms.flatMap(({ blocks }) => blocks).reduce((most2, { position }) => Math.max(most2, position), 0);
    const at = ({ round: round2, position }) => round2 + position / positions * 0.8;
    const places = [...new Set(arms.flatMap(({ blocks }) => blocks.map(at)))].sort((a, b) => a - b);
    const index = new Map(places.map((place3, i) => [place3, i]));
    const series = arms.map(({ name, color, blocks }) => {
      const values = places.map(() => null);
      for (const block of blocks) if (block.samples > 0) values[index.get(at(block))] = block.wall / block.samples;
      return { name: nameText2(name, 40), values, color, kind: "points" };
    });
    const chart = seriesChart({
      label: `Time per ${noun} of each block by round`,
      x: { name: "round", values: places, text: (x) => String(Math.floor(x)) },
      unit: `ms per ${noun}`,
      series,
      include: [],
      height: 240
    });
    return { ...base, content: [chart, notes(remarks(overview2))] };
  }
  function armsOf({ variants, procedure }) {
    const arms = variants.map(({ name, blocks }, i) => ({ name, blocks, color: variantColor(i) }));
    const second = procedure?.secondArm ?? null;
    return second === null ? arms : [...arms, { name: `${second.name} (control arm)`, blocks: second.blocks, color: "--quiet" }];
  }
  function remarks({ variants }) {
    const some = variants.filter(({ outliers }) => outliers !== null && outliers.mild + outliers.severe > 0);
    return some.map(
      ({ name, outliers }) => `${nameText2(name)}: ${outliers.mild} mild and ${outliers.severe} severe outliers in ${outliers.blocks} blocks, none removed`
    );
  }

  // runtime/report/outcome/effects.ts
  var SIGNIFICANCE = 0.05;
  var MOST_ROWS = 20;
  function effectsTable({ effects }) {
    const rows = effects.length <= MOST_ROWS ? effects : effects.filter((effect) => !isInteraction(effect) || isSignificant(effect));
    const hidden = effects.length - rows.length;
    return {
      title: "Effects of settings, over all combinations",
      columns: COLUMNS,
      rows,
      notes: [
        "ratio: change of speed when the setting goes from the first value to the second",
        ...rows.some(isInteraction) ? ["a + b: interaction, the gain of both settings beyond their separate gains; ×1.00: none"] : [],
        ...correction(effects),
        ...hidden > 0 ? [`not shown: ${hidden} more interactions that are not significant`] : []
      ]
    };
  }
  function correction(effects) {
    if (effects.length < 2) return [];
    const families = [...Map.groupBy(effects, ({ factors }) => factors.length)].map(
      ([settings, { length }]) => `${length} of ${formatCounted(settings, "setting")}`
    );
    return [`p: corrected for the number of effects, ${families.join(", ")}`];
  }
  function isInteraction({ factors }) {
    return factors.length > 1;
  }
  function isSignificant({ p, adjustedP }) {
    return (adjustedP ?? p ?? 1) < SIGNIFICANCE;
  }
  var COLUMNS = [
    words("setting", ({ factors }) => {
      return factors.map(({ setting, from, to }) => `${setting} ${from} -> ${to}`).join(" + ");
    }, { cut: true }),
    figures("ratio", ({ ratio }) => ratio.value, {
      format: formatRatio,
      tone: (effect) => isSignificant(effect) ? effect.ratio.value > 1 ? "good" : "bad" : null
    }),
    words("interval", ({ ratio: { low, high } }) => low === null || high === null ? null : formatInterval(low, high), {
      align: "right",
      sort: ({ ratio }) => ratio.low
    }),
    figures("p", ({ p, adjustedP }) => adjustedP ?? p, { format: formatProbability, dropFirst: 1 })
  ];

  // runtime/report/scale.ts
  function linearScale([from, to], [start, end]) {
    const span = to - from || 1;
    return (value) => start + (value - from) / span * (end - start);
  }
  function logScale([from, to], range2) {
    const linear = linearScale([Math.log(from), Math.log(to)], range2);
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
    const [first2, last] = [Math.ceil(Math.log10(from) - 1e-9), Math.floor(Math.log10(to) + 1e-9)];
    return Array.from({ length: Math.max(0, last - first2 + 1) }, (_, i) => 10 ** (first2 + i));
  }
  function niceStep(rough) {
    const power = 10 ** Math.floor(Math.log10(rough));
    const lead = rough / power;
    return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
  }

  // runtime/report/interval_plot.ts
  function intervalOf({ comparison, metrics, verdict }) {
    if (comparison !== null) return { ...comparison.speedup, band: comparison.band, tone: verdict };
    return metrics.speedup && { value: metrics.speedup.value, low: null, high: null, band: null, tone: verdict };
  }
  var LEAST = 1e-4;
  var WIDTH = 176;
  var HEIGHT2 = 22;
  var AXIS_HEIGHT = 16;
  var EDGE = 10;
  var IntervalPlot = class {
    #svg;
    #scale;
    #domain;
    /** @param svg creates the elements: nodes of a page, or text */
    constructor(intervals, svg2) {
      this.#svg = svg2;
      const ends = intervals.flatMap(({ value, low, high, band }) => {
        return [value, low ?? value, high ?? value, 1 + (band ?? 0), 1 / (1 + (band ?? 0))];
      }).filter((end) => end >= LEAST && end <= 1 / LEAST);
      const [least2, most2] = [Math.min(1, ...ends), Math.max(1, ...ends)];
      const room = Math.max(1.02, (most2 / least2) ** 0.06);
      this.#domain = [least2 / room, most2 * room];
      this.#scale = logScale(this.#domain, [EDGE, WIDTH - EDGE]);
    }
    axis() {
      const svg2 = this.#svg;
      const [from, to] = this.#domain;
      const ticks = this.#ticks();
      return svg2(
        "svg",
        { class: "interval", width: WIDTH, height: AXIS_HEIGHT, "aria-hidden": "true" },
        ...ticks.filter((tick) => tick >= from && tick <= to).map(
          (tick) => svg2("text", { x: this.#scale(tick), y: 12, "text-anchor": "middle" }, `×${Number(tick.toPrecision(3))}`)
        )
      );
    }
    row({ value, low, high, band, tone }, label2) {
      const svg2 = this.#svg;
      const middle = HEIGHT2 / 2;
      const at = this.#scale;
      const one = at(1);
      return svg2(
        "svg",
        { class: `interval ${tone ?? ""}`, width: WIDTH, height: HEIGHT2, role: "img", "aria-label": label2 },
        band === null || band === 0 ? null : svg2("rect", {
          class: "band",
          x: at(1 / (1 + band)),
          y: 0,
          width: at(1 + band) - at(1 / (1 + band)),
          height: HEIGHT2
        }),
        svg2("line", { class: "one", x1: one, x2: one, y1: 0, y2: HEIGHT2 }),
        ...low === null || high === null ? [] : [
          svg2("line", { class: "whisker", x1: at(low), x2: at(high), y1: middle, y2: middle }),
          svg2("line", { class: "whisker", x1: at(low), x2: at(low), y1: middle - 4, y2: middle + 4 }),
          svg2("line", { class: "whisker", x1: at(high), x2: at(high), y1: middle - 4, y2: middle + 4 })
        ],
        svg2("circle", { cx: at(value), cy: middle, r: 4 })
      );
    }
    /** Returns 1 and a few round ratios with room between them. */
    #ticks() {
      const [from, to] = this.#domain;
      const round2 = to / from > 6 ? [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 2, 5, 10, 20, 50, 100, 1e3] : linearTicks(from, to, 3);
      const kept2 = [1];
      for (const tick of round2) {
        if (tick > 0 && kept2.every((other) => Math.abs(this.#scale(other) - this.#scale(tick)) > 34)) kept2.push(tick);
      }
      return kept2;
    }
  };

  // runtime/report/plots/plot.ts
  var WIDTH2 = 860;
  var [LEFT, RIGHT] = [52, 12];
  var COLORS = 8;
  function colorClass(index) {
    return `c${index % COLORS + 1}`;
  }
  function line(x1, y1, x2, y2, attributes = {}) {
    return { tag: "line", attributes: { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), ...attributes } };
  }
  function rect(x, y, width, height, attributes, text2) {
    const place3 = { x: round(x), y: round(y), width: round(Math.max(0, width)), height: round(height) };
    return { tag: "rect", attributes: { ...place3, ...attributes }, ...text2 === void 0 ? {} : { text: text2 } };
  }
  function dot(cx, cy, r, attributes, text2) {
    return {
      tag: "circle",
      attributes: { cx: round(cx), cy: round(cy), r, ...attributes },
      ...text2 === void 0 ? {} : { text: text2 }
    };
  }
  function label(x, y, text2, attributes = {}) {
    return { tag: "text", attributes: { x: round(x), y: round(y), ...attributes }, text: text2 };
  }
  function polyline(points, attributes) {
    return {
      tag: "polyline",
      attributes: { points: points.map((point) => point.map(round).join(",")).join(" "), ...attributes }
    };
  }
  function round(value) {
    return Math.round(value * 100) / 100;
  }

  // runtime/report/plots/rows.ts
  var LABEL = 60;
  var TOP = 4;
  var AXIS = 34;
  var [NAME, LETTER] = [17, 6.5];
  var TICK = 100;
  function rowsPlot(options) {
    const { rows, rowHeight, domain, unit, logarithmic = false, tickText: tickText2 = shortNumber, width, ...named2 } = options;
    const ends = [LEFT, width - LABEL];
    const x = logarithmic ? logScale(domain, ends) : linearScale(domain, ends);
    const bottom = TOP + rows.length * (NAME + rowHeight);
    const ticks = linearTicks(domain[0], domain[1], Math.min(6, width / TICK)).filter(
      (tick) => tick >= domain[0] && tick <= domain[1]
    );
    return {
      ...named2,
      width,
      height: bottom + AXIS,
      shapes: [
        ...ticks.map((tick) => line(x(tick), TOP, x(tick), bottom, { class: "grid" })),
        ...ticks.map((tick) => label(x(tick), bottom + 14, tickText2(tick), { "text-anchor": "middle" })),
        label((ends[0] + ends[1]) / 2, bottom + 29, unit, { "text-anchor": "middle" }),
        ...rows.flatMap((row, i) => {
          const top = TOP + i * (NAME + rowHeight);
          const name = nameText(row.name, Math.floor((width - LEFT) / LETTER));
          return [label(LEFT, top + 13, name, { class: "name" }), ...row.draw(x, top + NAME, rowHeight)];
        })
      ]
    };
  }
  function shortNumber(value) {
    return String(Number(value.toPrecision(4)));
  }

  // runtime/report/plots/intervals.ts
  var [LEAST2, MOST] = [0.01, 100];
  var MOST_ROWS2 = 40;
  function effectsPlot({ effects }, width = WIDTH2) {
    if (effects.length === 0) return null;
    const rows = effects.map((effect) => ({
      name: effectName(effect),
      interval: { ...effect.ratio, band: null, tone: toneOf(effect) }
    }));
    return ratios("effects", "Effects of settings", "Change of speed by each setting, over all others", rows, width);
  }
  function effectName({ factors }) {
    return factors.map(({ setting, from, to }) => `${setting} ${from} -> ${to}`).join(" + ");
  }
  function toneOf({ p, adjustedP, ratio }) {
    return (adjustedP ?? p ?? 1) >= 0.05 ? "unclear" : ratio.value > 1 ? "faster" : "slower";
  }
  function ratios(name, title, about, all, width) {
    const rows = all.slice(0, MOST_ROWS2);
    const ends = rows.flatMap(({ interval: { value, low: low2, high: high2, band } }) => {
      return [value, low2 ?? value, high2 ?? value, 1 + (band ?? 0), 1 / (1 + (band ?? 0))].map(within);
    });
    const [low, high] = [Math.min(1, ...ends), Math.max(1, ...ends)];
    const room = Math.max(1.02, (high / low) ** 0.06);
    const hidden = all.length - rows.length;
    return rowsPlot({
      width,
      ...{ name, title, about: hidden > 0 ? `${about}; the first ${MOST_ROWS2} of ${all.length}` : about },
      unit: "×",
      rowHeight: 24,
      domain: [low / room, high * room],
      logarithmic: true,
      rows: rows.map(({ name: name2, interval }) => ({
        name: name2,
        draw: (x, top, height) => intervalShapes(interval, x, top, height)
      }))
    });
  }
  function intervalShapes({ value, low, high, band, tone }, x, top, height) {
    const y = top + height / 2;
    const end = within(high ?? value);
    const color = `interval ${tone ?? ""}`.trim();
    const [from, to] = [within(low ?? value), end];
    return [
      ...band === null ? [] : [rect(x(1 / (1 + band)), top, x(1 + band) - x(1 / (1 + band)), height, { class: "band" })],
      line(x(1), top, x(1), top + height, { class: "one" }),
      line(x(from), y, x(to), y, { class: color }),
      ...[from, to].map((at) => line(x(at), y - 4, x(at), y + 4, { class: color })),
      dot(x(within(value)), y, 4, { class: color }, formatRatio(value)),
      label(x(end) + 8, y + 4, formatRatio(value))
    ];
  }
  function within(ratio) {
    return Math.min(MOST, Math.max(LEAST2, ratio));
  }

  // runtime/report/html/client/sized_figure.ts
  function sizedFigure(attributes, draw3) {
    let drawn2 = WIDTH2;
    const figure2 = el("figure", { class: "chart", ...attributes }, ...draw3(drawn2));
    const observer = new ResizeObserver(() => {
      if (!figure2.isConnected) return observer.disconnect();
      const width = Math.floor(figure2.clientWidth);
      if (width === 0 || width === drawn2) return;
      drawn2 = width;
      figure2.replaceChildren(...draw3(width).filter((child) => child !== null));
    });
    observer.observe(figure2);
    return figure2;
  }

  // runtime/report/html/client/picture.ts
  function picture(plot) {
    if (plot(WIDTH2) === null) return null;
    return sizedFigure({}, (width) => {
      const made = plot(width);
      return made === null ? [] : [drawn(made)];
    });
  }
  function drawn({ title, about, width, height, shapes }) {
    return svg(
      "svg",
      {
        class: "picture",
        viewBox: `0 0 ${width} ${height}`,
        role: "img",
        "aria-label": nameText2(`${title}. ${about}`, 400)
      },
      ...shapes.map(
        ({ tag, attributes, text: text2 }) => svg(tag, attributes, text2 === void 0 ? null : tag === "text" ? text2 : svg("title", {}, text2))
      )
    );
  }

  // runtime/report/html/client/comparison/effects.ts
  function effectsSection(overview2) {
    const base = { anchor: "effects", title: "Effects of settings" };
    if (overview2.effects.length === 0) {
      if (isMerged(overview2)) return { ...base, content: ON_NODES };
      const isAlone = overview2.variants.length < 2;
      return { ...base, content: isAlone ? "only one variant" : "the variants are not a full grid of settings" };
    }
    const spec = effectsTable(overview2);
    const plot = new IntervalPlot(spec.rows.map(({ ratio }) => ({ ...ratio, band: null, tone: null })), svg);
    const content2 = tableContent(spec, {
      cells: {
        ratio: ({ ratio }, text2) => el("span", { class: "plotted" }, plot.row({ ...ratio, band: null, tone: null }, text2), text2)
      },
      headings: { ratio: () => plot.axis() }
    });
    return { ...base, content: [picture((width) => effectsPlot(overview2, width)), ...content2] };
  }

  // runtime/report/quantities.ts
  var SCALES = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]];
  var BYTES = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];
  function formatFlops(flops) {
    const [prefix, size] = SCALES.find(([, size2]) => flops >= size2) ?? ["", 1];
    return prefix === "" ? `${flops} FLOP` : `${formatNumber(flops / size)} ${prefix}FLOP`;
  }
  function formatBytes(bytes2) {
    const [unit, size] = BYTES.find(([, size2]) => bytes2 >= size2) ?? ["B", 1];
    const isWhole = unit === "B" && Number.isInteger(bytes2);
    return `${isWhole ? bytes2 : formatNumber(bytes2 / size)} ${unit}`;
  }
  function formatTime(ms) {
    const size = Math.abs(ms);
    if (size >= 1e4) return `${formatNumber(ms / 1e3)} s`;
    return size < 0.9995 ? `${ms === 0 ? 0 : formatNumber(ms * 1e3)} us` : `${formatNumber(ms)} ms`;
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
      ([name, limit]) => `${nameText2(name)} ${formatCount(limit)}`
    );
    return {
      anchor: "environment",
      title: "Environment and reproduction",
      content: [
        facts([
          [
            "Command",
            command === null ? `${MISSING} the scenario has no file` : el("code", {}, nameText2(command, 400))
          ],
          ["Script, SHA-256", scenario.sha256 === null ? MISSING : el("code", {}, scenario.sha256)],
          ["Seed", String(scenario.seed)],
          ["Parameters", pairs(scenario.params)],
          ["Tacho", environment.tacho],
          ["Commit", `${text(environment.git)}${environment.gitDirty === true ? ", with uncommitted changes" : ""}`],
          ["Deno", `${environment.deno}, V8 ${environment.v8}`],
          ["Packages", environment.lockHash === null ? MISSING : el("code", {}, environment.lockHash.slice(0, 12))],
          ["System", text(environment.os)],
          ["CPU", `${text(environment.cpu)}, ${environment.cores ?? MISSING} cores`],
          ["Memory", environment.memory === null ? MISSING : formatBytes(environment.memory)],
          ["Variables", pairs(environment.variables)],
          ["Adapter", adapter === null ? `${MISSING} no device was used` : text(adapter.name)],
          [
            "Kind",
            adapter === null || adapter.fallback === null ? MISSING : adapter.fallback ? "software: kernels run on the CPU" : "hardware"
          ],
          ["Vendor", text(adapter?.vendor)],
          ["Back end", text(adapter?.backend)],
          ["Driver", text(adapter?.driver)],
          [
            "Features",
            adapter === null || adapter.features.length === 0 ? MISSING : adapter.features.map((name) => nameText2(name)).join(", ")
          ],
          ["Limits", limits.length === 0 ? MISSING : more(limits.join(" · "))]
        ]),
        command === null ? null : copyButton("the command", () => command)
      ]
    };
  }
  function pairs(values) {
    const words2 = Object.entries(values).map(([name, value]) => {
      return `${nameText2(name)}=${nameText2(typeof value === "string" ? value : JSON.stringify(value), 80)}`;
    });
    return words2.length === 0 ? MISSING : words2.join(" ");
  }
  function text(value) {
    return value === null || value === void 0 ? MISSING : nameText2(value, 200);
  }
  function more(text2) {
    return el("details", {}, el("summary", {}, "show"), text2);
  }

  // runtime/report/matrix/axes.ts
  function variantColumns(variants, unit = null) {
    const paths = sweptPaths(variants);
    if (paths.length === 0) return [variantColumn(unit ?? "variant")];
    const distinct = new Set(variants.map(({ axes }) => JSON.stringify(paths.map((path) => axes[path]))));
    const named2 = distinct.size < variants.length;
    const column = (path, i) => ({
      ...axisColumn(path, paths, variants),
      ...i === paths.length - 1 && !named2 ? { mark: interruptedMark } : {},
      ...named2 ? {} : { minor: true }
    });
    const columns3 = paths.map(column);
    const names3 = variantColumn(unit ?? "variant");
    if (named2) return [names3, ...columns3];
    const [first2, ...rest] = columns3;
    const above = unit === null ? [first2] : [{ ...first2, heading: [unit, ...first2.heading], only: "lines" }, { ...first2, only: "data" }];
    return [{ ...names3, only: "data" }, ...above, ...rest];
  }
  function sweptPaths(variants) {
    const paths = [...new Set(variants.flatMap(({ axes }) => Object.keys(axes)))];
    if (variants.some(({ axes }) => paths.some((path) => !Object.hasOwn(axes, path)))) return [];
    return paths.filter((path) => new Set(variants.map(({ axes }) => axes[path])).size > 1);
  }
  function axisColumn(path, paths, variants) {
    const numeric = variants.every(({ axes }) => typeof axes[path] === "number");
    return {
      name: path,
      heading: [labelOf(path, paths)],
      align: numeric ? "right" : "left",
      help: path,
      cut: true,
      value: ({ axes }) => axes[path],
      text: ({ axes }) => String(axes[path])
    };
  }
  function labelOf(path, paths) {
    const last = (of) => of.split(".").at(-1);
    return paths.filter((other) => last(other) === last(path)).length > 1 ? path : last(path);
  }
  function interruptedMark({ status }) {
    return status === "interrupted" ? INTERRUPTED : null;
  }

  // runtime/report/bound.ts
  var TONES = {
    input: "input",
    host: "host",
    device: "device",
    transfer: "warning"
  };
  function boundTone(bound) {
    return bound === null || bound === void 0 ? null : TONES[bound] ?? null;
  }

  // runtime/record/all_reduce.ts
  var ALL_REDUCE_PARTS = ["copyOut", "wait", "network", "copyIn"];
  var ALL_REDUCE_LABELS = {
    copyOut: "copy out",
    wait: "wait for ranks",
    network: "network",
    copyIn: "copy in"
  };
  function allReduceTime(times) {
    return ALL_REDUCE_PARTS.reduce((sum4, part2) => sum4 + times[part2], 0);
  }

  // runtime/analysis/step_statistics.ts
  var TREND_STEPS = 9;
  var HICCUP_RATIO = 1.5;
  var HICCUP_DEVIATIONS = 8;
  function stepSeries(blocks, time3) {
    return derivedSeries(blocks, (step) => step[time3]);
  }
  function phaseSeries(blocks, phase) {
    return derivedSeries(blocks, (step) => ofPhase(step, phase));
  }
  function stepPhases(blocks) {
    return phasesOf(blocks.flatMap(({ steps: steps2 }) => steps2));
  }
  function stepTraceRows(blocks) {
    return [
      { name: "batch cost", series: stepSeries(blocks, "batchCost") },
      { name: "reader cost", series: stepSeries(blocks, "readerCost") },
      { name: "iteration gap", series: stepSeries(blocks, "iterationGap") },
      ...stepPhases(blocks).map(({ name, label: label2 }) => ({ name: label2, series: phaseSeries(blocks, name) })),
      ...blocks.some(({ steps: steps2 }) => steps2.some(({ allReduce }) => allReduce !== void 0)) ? allReduceRows(blocks) : []
    ];
  }
  function allReduceRows(blocks) {
    const of = (name) => derivedSeries(blocks, ({ allReduce }) => allReduce?.[name] ?? null);
    const whole2 = ({ allReduce }) => allReduce === void 0 ? null : allReduceTime(allReduce);
    return [
      { name: "all-reduce", series: derivedSeries(blocks, whole2) },
      ...ALL_REDUCE_PARTS.map((part2) => ({ name: `all-reduce: ${ALL_REDUCE_LABELS[part2]}`, series: of(part2) })),
      { name: "all-reduce: hidden network", series: of("hidden") }
    ];
  }
  function derivedSeries(blocks, valueOf) {
    return seriesOf(blocks.flatMap((block) => block.steps.map(valueOf)));
  }
  function spreadOf(values) {
    if (values.length === 0) return null;
    const sorted2 = values.toSorted((a, b) => a - b);
    const total = values.reduce((sum4, value) => sum4 + value, 0);
    return {
      count: values.length,
      total,
      mean: total / values.length,
      min: sorted2[0],
      median: quantile(sorted2, 0.5),
      p95: quantile(sorted2, 0.95),
      max: sorted2.at(-1)
    };
  }
  function quantile(sorted2, part2) {
    const place3 = (sorted2.length - 1) * part2;
    const below2 = Math.floor(place3);
    const [a, b] = [sorted2[below2], sorted2[Math.min(below2 + 1, sorted2.length - 1)]];
    return a + (b - a) * (place3 - below2);
  }
  function sampleSteps(values, count) {
    if (values.length <= count) return [...values];
    return Array.from({ length: count }, (_, i) => {
      const part2 = values.slice(Math.floor(i * values.length / count), Math.floor((i + 1) * values.length / count));
      const known = part2.filter((value) => value !== null);
      return known.length === 0 ? null : known.reduce((a, b) => Math.max(a, b));
    });
  }
  function seriesOf(values) {
    const known = values.filter((value) => value !== null);
    return { values, spread: spreadOf(known), trend: trendOf(known), hiccups: hiccupsOf(values, known) };
  }
  function trendOf(known) {
    if (known.length < TREND_STEPS) return null;
    const third = Math.floor(known.length / 3);
    const [first2, last] = [spreadOf(known.slice(0, third)).median, spreadOf(known.slice(-third)).median];
    return first2 > 0 ? last / first2 - 1 : null;
  }
  function hiccupsOf(values, known) {
    const spread4 = spreadOf(known);
    if (spread4 === null) return [];
    const { median: median2 } = spread4;
    const deviation = spreadOf(known.map((value) => Math.abs(value - median2))).median;
    const limit = Math.max(median2 * HICCUP_RATIO, median2 + HICCUP_DEVIATIONS * deviation);
    return values.flatMap((value, i) => value !== null && median2 > 0 && value > limit ? [i] : []);
  }

  // runtime/report/matrix/noise.ts
  function spreadOf2(blocks) {
    if (blocks.length < 2) return null;
    const speeds = blocks.map(({ samples, wall }) => samples / wall).sort((a, b) => a - b);
    return (quantile(speeds, 0.75) - quantile(speeds, 0.25)) / quantile(speeds, 0.5);
  }

  // runtime/report/matrix/speed.ts
  function speedTable(result) {
    const { variants } = result;
    const unit = speedUnit(variants);
    const judged = variants.some(({ comparison, verdict }) => comparison !== null || verdict !== null);
    const columns3 = [
      ...variantColumns(variants),
      ...isMerged(result) ? [] : [
        figures(unit, ({ metrics }) => metrics.ips?.value ?? null, {
          format: speedText,
          help: "Samples in a block / its wall time; ± half the interquartile range over the blocks"
        })
      ],
      figures("ratio", ({ metrics }) => metrics.speedup?.value ?? null, {
        format: formatRatio,
        tone: verdictTone,
        help: "Baseline's time per sample / the variant's"
      }),
      ...judged ? verdictColumns(result) : [],
      ...variants.some(({ ranks }) => ranks !== void 0) ? RANK_COLUMNS : [],
      {
        ...figures("peak memory", ({ memory }) => memory && memory.peak / 2 ** 20, {
          heading: ["peak", "MiB"],
          unit: "MiB",
          help: "Planned device memory",
          dropFirst: 1,
          format: (_, { memory }) => formatMiB(memory.peak)
        }),
        needs: ["model"]
      },
      {
        ...figures("final loss", ({ finalLoss }) => finalLoss && Number(finalLoss.value), {
          heading: lossHeading(variants),
          help: "At the same step in every variant and run; the settings under measure determine it",
          dropFirst: 8,
          format: formatLoss
        }),
        needs: ["model"]
      },
      ...variants.length > 1 ? [lossDifference(result)] : [],
      ...variants.some(({ metrics }) => metrics.accuracy !== null) ? [ACCURACY] : [],
      words("bound", ({ bound }) => bound, {
        help: "What limits the speed: input (batches), transfer (their upload), host (everything else on the CPU) or device. By ablations where they were run, otherwise by the step trace and the queues",
        mark: ({ bottleneck }) => bottleneck?.byArms == null ? null : ABLATED,
        dropFirst: 7,
        tone: ({ bound }) => boundTone(bound)
      }),
      counts("findings", ({ findings }) => findings.length, { only: "data" })
    ];
    return { title: "Speed", columns: possibleColumns(columns3, variants), rows: variants };
  }
  function lossHeading(variants) {
    const [step, ...others] = new Set(variants.flatMap(({ finalLoss }) => finalLoss === null ? [] : [finalLoss.step]));
    return step === void 0 || others.length > 0 ? ["final", "loss"] : ["loss at", `step ${step + 1}`];
  }
  var ACCURACY = percentages("accuracy", ({ metrics }) => metrics.accuracy?.value ?? null, {
    help: "On the test split, in the last evaluation",
    only: "data"
  });
  var RANK_COLUMNS = [
    {
      ...percentages("efficiency", ({ ranks }) => ranks?.efficiency ?? null, {
        heading: ["effi-", "ciency %"],
        help: "Speed relative to one rank / number of ranks",
        dropFirst: 8
      }),
      needs: ["model", "ranks"]
    },
    {
      ...percentages("network not hidden", ({ ranks }) => ranks?.notHidden ?? null, {
        heading: ["not", "hidden %"],
        help: "Part of the all-reduces' transfers that the device does not hide",
        dropFirst: 7
      }),
      needs: ["model", "ranks"]
    }
  ];
  var VERDICT_TONES = {
    faster: "good",
    slower: "bad",
    same: null,
    unclear: "warning",
    invalid: "bad"
  };
  function verdictTone({ verdict }) {
    return verdict === null ? null : VERDICT_TONES[verdict];
  }
  function verdictColumns({ variants, baseline }) {
    const level = variants.flatMap(({ comparison }) => comparison ?? [])[0]?.level ?? 0.95;
    const isBaseline = ({ name }) => name === baseline;
    return [
      words("interval", (variant) => isBaseline(variant) ? "" : intervalText(variant), {
        heading: [`${formatPercent(level)} %`, "interval"],
        align: "right",
        dropFirst: 9,
        sort: (variant) => isBaseline(variant) ? null : variant.comparison?.speedup.low ?? null
      }),
      words("verdict", (variant) => isBaseline(variant) ? "" : variant.verdict, {
        tone: (variant) => isBaseline(variant) ? null : verdictTone(variant)
      }),
      {
        ...figures("p", () => null, { dropFirst: 0 }),
        value: (variant) => isBaseline(variant) ? "" : probability(variant),
        text: (variant) => isBaseline(variant) ? "" : formatProbability(probability(variant))
      }
    ];
  }
  function intervalText({ comparison }) {
    const { low = null, high = null } = comparison?.speedup ?? {};
    return low === null || high === null ? null : formatInterval(low, high);
  }
  function probability({ comparison }) {
    return comparison?.adjustedP ?? comparison?.p ?? null;
  }
  function speedUnit(variants) {
    const measured = variants.find(({ metrics }) => metrics.ips !== null)?.metrics.ips?.unit;
    const called = variants.map(({ config }) => config.data?.unit).find((unit) => unit !== void 0);
    return measured ?? `${called ?? "samples"}/s`;
  }
  function speedText(value, { metrics, blocks }) {
    const spread4 = metrics.ips.min === null ? null : spreadOf2(blocks);
    return formatNumber(value) + (spread4 === null ? "" : ` ±${formatPercent(spread4 / 2)}%`);
  }
  function lossDifference({ variants, baseline }) {
    const reference = variants.find(({ name }) => name === baseline)?.finalLoss ?? null;
    const column = figures("loss difference", ({ finalLoss }) => {
      if (!finalLoss || !reference || finalLoss.step !== reference.step) return null;
      return Number(finalLoss.value) - Number(reference.value);
    }, {
      heading: ["loss", "diff."],
      help: "Final loss minus the baseline's",
      dropFirst: 6,
      format: formatDifference
    });
    return { ...column, needs: ["model"] };
  }

  // runtime/report/outcome/seeds.ts
  var INTERVALS = ["accuracy", "loss", "accuracyDifference", "lossDifference"];
  function seedsTable({ variants, baseline }) {
    const rows = variants.filter(({ seeds }) => seeds !== null && seeds.runs.length > 0);
    const several = variants.length > 1;
    const accuracies = rows.some(({ seeds }) => seeds.accuracy !== null);
    const [first2] = rows;
    return {
      title: `Losses${accuracies ? " and accuracies" : ""} over several seeds`,
      columns: [
        ...variantColumns(variants),
        ...estimate("loss", ["loss"], "loss", formatLoss),
        ...several ? estimate("loss difference", ["loss", "diff."], "lossDifference", formatDifference, baseline) : [],
        ...accuracies ? estimate("accuracy", ["acc.", "%"], "accuracy", formatPercent) : [],
        ...accuracies && several ? estimate("accuracy difference", ["acc.", "diff. %"], "accuracyDifference", signedPercent, baseline) : []
      ],
      rows,
      notes: first2 === void 0 ? [] : notesOf(first2.seeds, several)
    };
  }
  function notesOf({ runs, steps: steps2, window }, several) {
    const seeds = runs.map(({ seed }) => seed);
    return [
      `mean over ${formatCounted(seeds.length, "training")} of ${formatCounted(steps2, "step")}, seeds ${seeds[0]} to ${seeds.at(-1)}; loss: mean of the last ${formatCounted(window, "step")}`,
      "intervals: 95 %, Student's t over seeds",
      ...several ? ["diff.: from the baseline's training with the same seed, paired by seed"] : []
    ];
  }
  function estimate(name, heading2, field, format, baseline = null) {
    const percent2 = field.startsWith("accuracy");
    const valueOf = (estimate2) => estimate2 && (percent2 ? 100 : 1) * estimate2.value;
    const of = ({ name: name2, seeds }) => name2 === baseline ? null : seeds?.[field] ?? null;
    return [
      {
        ...figures(name, () => null, { heading: heading2 }),
        ...percent2 ? { unit: "%" } : {},
        value: (variant) => variant.name === baseline ? "" : valueOf(of(variant)),
        text: (variant) => variant.name === baseline ? "" : format(of(variant).value)
      },
      words(`${name} interval`, (variant) => variant.name === baseline ? "" : intervalText2(of(variant), format), {
        heading: ["interval"],
        align: "right",
        dropFirst: INTERVALS.indexOf(field),
        sort: (variant) => of(variant)?.low ?? null
      })
    ];
  }
  function intervalText2(estimate2, format) {
    if (estimate2 === null || estimate2.low === null || estimate2.high === null) return null;
    return `${format(estimate2.low)} to ${format(estimate2.high)}`;
  }
  function signedPercent(value) {
    return value > 0 ? `+${formatPercent(value)}` : formatPercent(value);
  }

  // runtime/report/outcome/front.ts
  var SHARED = ["ratio", "interval", "peak memory", "final loss", "accuracy"];
  var OF_SEEDS = ["loss", "loss interval"];
  var BEST = { speed: "fastest", memory: "least memory", loss: "lowest loss" };
  function frontTable(result) {
    const { front, variants } = result;
    const places = new Map((front?.variants ?? []).map((place3) => [place3.name, place3]));
    const placeOf2 = ({ name }) => places.get(name);
    const rows = variants.filter((variant) => (placeOf2(variant)?.status ?? "dominated") !== "dominated").toSorted((a, b) => (b.metrics.speedup?.value ?? 0) - (a.metrics.speedup?.value ?? 0));
    return {
      title: `Best variants, the Pareto front of ${(front?.objectives ?? []).join(", ")}`,
      columns: [...sharedColumns(result), ...ownColumns(front, placeOf2)],
      rows,
      notes: front === null ? [] : notesOf2(front)
    };
  }
  function sharedColumns(result) {
    const repeated = result.front?.objectives.includes("loss") ?? false;
    const shared2 = speedTable(result).columns.filter(({ name }) => SHARED.includes(name) && !(repeated && name === "final loss"));
    const losses = repeated ? seedsTable(result).columns.filter(({ name }) => OF_SEEDS.includes(name)) : [];
    return [...variantColumns(result.variants), ...shared2.map(({ only: _, ...column }) => column), ...losses];
  }
  function ownColumns(front, placeOf2) {
    return [
      words("best", (variant) => (placeOf2(variant)?.best ?? []).map((objective) => BEST[objective]).join(", "), {
        help: "Objectives on which no variant is better, as far as the intervals tell"
      }),
      ...front?.variants.some(({ status }) => status === "open") ? [words("front", (variant) => placeOf2(variant)?.status === "open" ? "open" : "yes", {
        help: "open: the intervals do not decide whether another variant dominates it"
      })] : []
    ];
  }
  function notesOf2({ objectives, variants }) {
    const dominated = variants.flatMap(({ name, dominatedBy: by }) => by === null ? [] : [{ name, by }]);
    return [
      "listed: no other variant is better on one of these and at least as good on the others, by the 95 % interval of each pair",
      ...variants.some(({ status }) => status === "open") ? ["open: the intervals do not decide whether another variant is; more rounds or seeds would"] : [],
      ...objectives.includes("loss") ? [] : ["loss: not an objective, since a single training has no interval; seeds=5 would give one"],
      ...[...Map.groupBy(dominated, ({ by }) => by)].map(
        ([by, group]) => `dominated by ${nameInProse(by)}: ${namesInProse(group.map(({ name }) => name))}`
      )
    ];
  }

  // runtime/report/html/client/comparison/front.ts
  function frontSection(overview2) {
    const base = { anchor: "front", title: "Best variants" };
    const spec = frontTable(overview2);
    if (spec.rows.length === 0) {
      if (isMerged(overview2)) return { ...base, content: ON_NODES };
      const isSwept = overview2.variants.some(({ axes }) => Object.keys(axes).length > 0);
      return { ...base, content: isSwept ? "fewer than two variants could be compared" : "the variants are not a sweep" };
    }
    return { ...base, content: tableContent(spec) };
  }

  // runtime/report/changes.ts
  function changesText(changes) {
    return changes.map(({ path, from, to }) => `${printable(path)} ${valueText(from)} -> ${valueText(to)}`).join(", ");
  }
  function valueText(value) {
    if (Array.isArray(value) && value.some((item) => typeof item === "object")) return `[${value.length} items]`;
    return printable(typeof value === "string" ? value : JSON.stringify(value));
  }

  // runtime/report/outcome/ladder.ts
  var STOPPED = {
    "no advice": "no advice left that predicts a gain",
    time: "time limit reached",
    interrupted: "interrupted"
  };
  function ladderTable(ladder) {
    const { start, rungs: rungs2, total, predictionError, stoppedBy } = ladder;
    const kept2 = rungs2.filter((rung) => rung.kept).length;
    const interval = total === null ? null : intervalText3(total);
    const gain = total === null ? `total ${MISSING}` : `${formatRatio(total.value)} in total${interval === null ? "" : ` (${interval})`}`;
    return {
      title: `Ladder of ${nameInProse(ladder.variant)}: ${gain}, ${kept2} of ${rungs2.length} rungs kept`,
      columns: columns(countedNoun([{ metrics: start }])),
      rows: [{ rung: null, start }, ...rungs2.map((rung) => ({ rung, start }))],
      notes: [
        "before -> after; gap: iteration gap in ms; empty: share of steps that found the host queue empty",
        predictionError === null ? `predictions: ${MISSING}, no rung was measured` : `median error of predictions: ${formatPercent(predictionError)} %`,
        `ended: ${STOPPED[stoppedBy]}`
      ]
    };
  }
  var columns = (noun) => [
    words("setting", ({ rung }) => rung === null ? "as it was" : changesText(rung.changes) || rung.name, { cut: true }),
    figures("speed", ({ rung, start }) => (rung === null ? start : rung.after)?.ips?.value ?? null, {
      heading: [`${noun}s`, "/s"]
    }),
    ofRung("predicted gain", ["gain", "pred."], ({ predicted }) => predicted.gain),
    {
      ...ofRung("measured gain", ["gain", "meas."], ({ measured }) => measured?.speedup.value ?? null),
      tone: ({ rung }) => rung === null ? null : rung.kept ? "good" : "bad"
    },
    words("interval", ({ rung }) => rung === null ? "" : intervalText3(rung.measured?.speedup), {
      align: "right",
      sort: ({ rung }) => rung?.measured?.speedup.low ?? null
    }),
    change("gap", 3, ({ iterationGap }) => iterationGap === null ? MISSING : formatNumber(iterationGap)),
    change("empty %", 2, ({ emptyQueue }) => emptyQueue === null ? MISSING : formatPercent(emptyQueue)),
    change("bound", 4, ({ bound }) => bound ?? MISSING),
    words("because of", ({ rung }) => rung === null ? "" : rung.finding, { only: "data" }),
    words("remark", remark, { below: ({ rung }) => rung === null ? null : remark({ rung }) })
  ];
  function remark({ rung }) {
    return rung === null ? "" : `${rung.kept ? "kept" : "dropped"}: ${rung.reason}`;
  }
  function ofRung(name, heading2, value) {
    return {
      name,
      heading: heading2,
      align: "right",
      value: ({ rung }) => rung === null ? "" : value(rung),
      text: ({ rung }) => rung === null ? "" : formatRatio(value(rung))
    };
  }
  function intervalText3(of) {
    const { low = null, high = null } = of ?? {};
    return low === null || high === null ? null : formatInterval(low, high);
  }
  function change(name, dropFirst, of) {
    return words(name, ({ rung, start }) => {
      if (rung === null) return of(start);
      const [before2, after2] = [of(rung.before), rung.after === null ? MISSING : of(rung.after)];
      return before2 === after2 ? after2 : `${before2} -> ${after2}`;
    }, { dropFirst });
  }

  // runtime/report/plots/ladder.ts
  function ladderPlot({ ladder }, width = WIDTH2) {
    const first2 = ladder?.start.ips?.value;
    if (ladder == null || first2 === void 0) return null;
    const states = [{ name: "as it was", before: null, speed: first2, kept: true, gain: null }];
    for (const { changes, name, before: before2, after: after2, kept: kept2, measured } of ladder.rungs) {
      const speed = after2?.ips?.value;
      if (speed === void 0) continue;
      const gain = measured?.speedup.value ?? null;
      states.push({ name: changesText(changes) || name, before: before2.ips?.value ?? null, speed, kept: kept2, gain });
    }
    const most2 = Math.max(...states.flatMap(({ speed, before: before2 }) => [speed, before2 ?? 0]));
    return rowsPlot({
      width,
      name: "ladder",
      title: "Tuning ladder",
      about: "Speed after each setting that was tried, top to bottom; line: speed before it; pale: dropped again",
      unit: `${countedNoun([{ metrics: ladder.start }])}s/s`,
      rowHeight: 28,
      domain: [0, most2 * 1.02],
      rows: states.map(({ name, before: before2, speed, kept: kept2, gain }) => ({
        name,
        draw: (x, top, height) => [
          rect(x(0), top + 5, x(speed) - x(0), height - 10, { class: kept2 ? "kept" : "dropped" }, formatNumber(speed)),
          ...before2 === null ? [] : [line(x(before2), top + 2, x(before2), top + height - 2, { class: "median" })],
          label(x(Math.max(speed, before2 ?? 0)) + 5, top + height / 2 + 4, gain === null ? "" : formatRatio(gain))
        ]
      }))
    });
  }

  // runtime/report/html/client/comparison/ladder.ts
  function ladderSection(overview2) {
    const { ladder, variants } = overview2;
    const base = { anchor: "ladder", title: "Tuning ladder" };
    if (ladder === null) return { ...base, content: "tuning was off (--tune)" };
    const cites = new Set(variants.find(({ name }) => name === ladder.variant)?.findings.map(({ kind }) => kind));
    return {
      ...base,
      about: ladderTable(ladder).title,
      content: [picture((width) => ladderPlot(overview2, width)), ...rungs(ladder, cites), patch(ladder)]
    };
  }
  function rungs(ladder, cites) {
    const spec = ladderTable(ladder);
    const plot = new IntervalPlot(
      ladder.rungs.flatMap(({ measured }) => measured === null ? [] : [intervalOf2(measured)]),
      svg
    );
    return tableContent(spec, {
      cells: {
        "because of": ({ rung }, text2) => {
          if (rung === null || !cites.has(rung.finding)) return text2;
          return el("a", { href: hrefOf({ variant: ladder.variant, anchor: `finding:${rung.finding}` }) }, text2);
        },
        "measured gain": ({ rung }, text2) => {
          return rung?.measured == null ? text2 : el("span", { class: "plotted" }, plot.row(intervalOf2(rung.measured), text2), text2);
        },
        remark: (_, text2) => el("span", { class: "prose" }, text2)
      },
      headings: { "measured gain": () => plot.axis() }
    });
  }
  function intervalOf2({ speedup: speedup2, band }) {
    return { ...speedup2, band, tone: null };
  }
  function patch({ patch: patch2, rungs: rungs2 }) {
    if (patch2 === null || !rungs2.some(({ kept: kept2 }) => kept2)) {
      const why = rungs2.some(({ kept: kept2 }) => kept2) ? "the kept settings cannot be written as a patch to the script" : "no rung was kept, so the script needs no change";
      return el("p", { class: "missing" }, `${MISSING} ${why}`);
    }
    return el(
      "details",
      { class: "data" },
      el("summary", {}, "Patch for the script"),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Patch" }, el("pre", {}, patch2)),
      copyButton("the patch", () => patch2)
    );
  }

  // runtime/report/html/client/comparison/losses.ts
  function lossesSection(overview2) {
    const base = { anchor: "losses", title: "Losses", about: "Loss of every step, including warm-up steps" };
    const known = overview2.variants.flatMap(
      (variant, i) => variant.losses.some((loss) => loss !== null) ? [{ variant, i }] : []
    );
    if (known.length === 0) {
      const [first2] = overview2.variants;
      const model = overview2.variants.some(({ parameters }) => parameters !== null);
      return { ...base, content: model || first2 === void 0 ? "no loss was read" : noModelReason(first2.config) };
    }
    const steps2 = Math.max(...known.map(({ variant }) => variant.losses.length));
    const chart = seriesChart({
      label: "Losses over steps",
      x: { name: "step", values: Array.from({ length: steps2 }, (_, i) => i) },
      unit: "loss",
      series: known.map(({ variant: { name, losses }, i }) => ({
        name: nameText2(name, 40),
        values: Array.from({ length: steps2 }, (_, step) => finite(losses[step] ?? null)),
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
      const first2 = losses.findIndex((loss) => typeof loss === "string");
      return first2 < 0 ? [] : [`${nameText2(name)}: the loss is ${losses[first2]} from step ${first2}`];
    });
  }
  function kept({ variants }) {
    return variants.flatMap(({ name, quality }) => {
      if (quality === null || !Number.isFinite(Number(quality.difference))) return [];
      const limit = quality.tolerance === null ? "no tolerance, since its settings change the training" : `tolerance ${formatPercent(quality.tolerance)} %: ${quality.kept ? "met" : "exceeded"}`;
      return [
        `${nameText2(name)}: smoothed losses differ from the baseline's by ${formatPercent(Number(quality.difference))} % up to step ${quality.step}; ${limit}${first(quality)}`
      ];
    });
  }
  function first({ first: first2 }) {
    if (first2 === null || !Number.isFinite(Number(first2.difference))) return "";
    const [difference, tolerance] = [Number(first2.difference), first2.tolerance].map(formatPercent);
    return `; the first losses differ by ${difference} %, tolerance ${tolerance} %`;
  }
  function evaluations({ variants }) {
    return variants.flatMap(({ name, evaluations: evaluations2 }) => {
      const last = evaluations2.at(-1);
      if (last === void 0) return [];
      const accuracy = last.accuracy === null ? "" : `accuracy ${(last.accuracy * 100).toFixed(1)} %`;
      const loss = last.loss === null ? "" : `loss ${formatLoss(Number(last.loss))}`;
      const score = [accuracy, loss].filter((word) => word !== "").join(", ");
      return [`${nameText2(name)}: ${score} on ${nameText2(last.split)} data after step ${last.step}`];
    });
  }

  // runtime/report/matrix/times.ts
  function timesTable(result) {
    const title = "Time of a step";
    const { variants } = result;
    if (isMerged(result)) return { title, columns: variantColumns(variants), rows: [] };
    const device2 = ["model", "timestamps"];
    const training = ["model", "optimizer", "timestamps"];
    const stepped = variants.some(({ stepTimes }) => stepTimes !== null);
    const phases = phasesOf(variants.map(({ metrics }) => metrics));
    const some = (of) => variants.some(({ metrics }) => of(metrics) !== null);
    const columns3 = [
      ...variantColumns(variants, "ms per step"),
      time("batch cost", ["batch", "cost"], ({ batchCost }) => batchCost, [], {
        dropFirst: 9,
        help: "From one step's start to the next, on the host's clock"
      }),
      ...stepped ? [quantile2("median", 6), quantile2("p95", 5), quantile2("p99", 1)] : [],
      time("reader cost", ["reader", "cost"], ({ readerCost }) => readerCost, [], {
        dropFirst: 8,
        help: "Part of the batch cost that the training loop spends waiting for a batch"
      }),
      ...some(({ stepTime }) => stepTime) ? [
        time("step time", ["step", "time"], ({ stepTime }) => stepTime, ["model"], {
          dropFirst: 9,
          help: "A step, timed as the variant's timing setting says"
        })
      ] : [],
      time("iteration gap", ["iter.", "gap"], ({ iterationGap }) => iterationGap, device2, {
        dropFirst: 2,
        help: "Device idle time between two steps"
      }),
      ...phases.map(
        ({ name, label: label2, help }, i) => time(label2, [label2], (metrics) => ofPhase(metrics, name), name === "forward" ? device2 : training, {
          dropFirst: Math.max(3, 5 - i),
          help
        })
      ),
      ...some(({ allReduce }) => allReduce ?? null) ? [
        time("all-reduce", ["all-", "reduce"], ({ allReduce }) => allReduce ?? null, ["model", "ranks"], {
          dropFirst: 9,
          help: "Wait for the average of the gradients over ranks: copies, network and the slowest rank"
        })
      ] : [],
      ...some(({ runtimeWait }) => runtimeWait) ? [
        time("runtime wait", ["runtime wait"], ({ runtimeWait }) => runtimeWait, [], {
          only: "data",
          help: "Time that Deno sleeps after each wait for the device"
        })
      ] : [],
      {
        ...percentages("device busy", ({ metrics }) => metrics.deviceBusy?.value ?? null, {
          heading: ["device", "busy %"],
          dropFirst: 7,
          help: "Share of the phases in the time from the start of the first step to the end of the last"
        }),
        needs: device2
      }
    ];
    return { title, columns: possibleColumns(columns3, variants), rows: variants };
  }
  function quantile2(name, dropFirst) {
    return figures(`step ${name}`, ({ stepTimes }) => stepTimes && stepTimes[name], {
      heading: ["step", name],
      unit: "ms",
      help: "Batch cost of each step, over all blocks",
      dropFirst
    });
  }
  function time(name, heading2, metric, needs, options) {
    const column = figures(name, ({ metrics }) => metric(metrics)?.value ?? null, {
      heading: heading2,
      unit: "ms",
      mark: ({ metrics }) => metric(metrics)?.amortised ? AMORTISED : null,
      ...options
    });
    return { ...column, needs };
  }

  // runtime/report/html/client/comparison/matrix.ts
  var SIGNS = { faster: "▲", slower: "▼", same: "=", unclear: "?", invalid: "✕" };
  function matrixSection(overview2) {
    const base = { anchor: "matrix", title: "Comparison" };
    const { variants, baseline, foot } = overview2;
    if (variants.length === 0) return { ...base, content: "the result has no variants" };
    const places = new Map(variants.map((variant2, i) => [variant2, i]));
    const plot = new IntervalPlot(variants.map(intervalOf).filter((interval) => interval !== null), svg);
    const variant = (row, text2) => variantCell(row, text2, places.get(row), baseline);
    const rowClass = ({ name, status }) => status === "ok" ? name === baseline ? "baseline" : null : "broken";
    const speed = createTable(pageSpeedTable(overview2), {
      limit: 200,
      rowClass,
      cells: {
        variant,
        ratio: (row, text2) => {
          const interval = intervalOf(row);
          return interval === null || variants.length < 2 ? text2 : el("span", { class: "plotted" }, plot.row(interval, text2), text2);
        },
        verdict: verdictCell,
        findings: ({ name }, text2) => el("a", { href: hrefOf({ variant: name, anchor: "findings" }) }, text2)
      },
      headings: variants.length < 2 ? {} : { ratio: () => plot.axis() }
    });
    const timed = timesTable(overview2);
    const times = timed.rows.length === 0 ? null : createTable(timed, { limit: 200, rowClass, cells: { variant } });
    return { ...base, content: [speed.element, times?.element ?? null, notes(foot.open), method(foot.folded)] };
  }
  function pageSpeedTable(result) {
    const spec = speedTable(result);
    const names3 = variantColumns(result.variants).length;
    const rank = (column) => spec.columns.indexOf(column) < names3 ? 0 : column.name === "verdict" ? 1 : 2;
    return { ...spec, columns: spec.columns.toSorted((a, b) => rank(a) - rank(b)) };
  }
  function method(lines) {
    const list = notes(lines);
    return list && el("details", { class: "more" }, el("summary", {}, "How this was measured, and the columns"), list);
  }
  function variantCell({ name, status }, text2, place3, baseline) {
    const words2 = [name === baseline && name !== "baseline" ? "baseline" : "", status === "ok" ? "" : status];
    return el(
      "span",
      { class: "name", "data-status": words2.filter((word) => word !== "").join(", ") || null },
      swatch(variantColor(place3), "dot"),
      el("a", { href: hrefOf({ variant: name, anchor: "steps" }), title: nameText2(name, 400) }, text2)
    );
  }
  function verdictCell({ verdict, comparison }, text2) {
    if (verdict === null) return text2;
    const reason2 = comparison === null ? null : nameText2(comparison.reason, 400);
    const sign = el("span", { "aria-hidden": "true" }, SIGNS[verdict]);
    return el("span", { class: `verdict ${verdict}`, title: reason2 }, sign, text2);
  }

  // runtime/report/outcome/node_speeds.ts
  function nodeSpeedsTable({ nodes = [], variants }, most2 = null) {
    const rows = nodes.flatMap(({ shard, of, host: host2, speeds }) => speeds.map((speed) => ({ ...speed, shard, of, host: host2 })));
    const left = most2 === null ? 0 : rows.length - most2;
    return {
      title: "Speeds by node",
      columns: [
        words("shard", ({ shard, of }) => `${shard}/${of}`, { align: "right", sort: ({ shard }) => shard }),
        words("host", ({ host: host2 }) => host2, { dropFirst: 0 }),
        names("variant", ({ variant }) => variant),
        figures("speed", ({ ips }) => ips, { heading: [speedUnit(variants)] })
      ],
      rows: left > 0 ? rows.slice(0, most2) : rows,
      notes: [
        "speeds of different nodes are not compared; a speed-up is relative to the baseline of the same node",
        ...left > 0 ? [`${left} more rows are in reports`] : []
      ]
    };
  }

  // runtime/report/outcome/nodes.ts
  function nodesTable({ nodes = [] }) {
    return {
      title: "Nodes",
      columns: [
        words("shard", ({ shard, of }) => `${shard}/${of}`, { align: "right", sort: ({ shard }) => shard }),
        words("host", ({ host: host2 }) => host2),
        words("adapter", ({ adapter }) => adapter, { cut: true }),
        words("driver", ({ driver }) => driver, { cut: true, dropFirst: 0 }),
        counts("rounds", ({ rounds }) => rounds),
        percentages("baseline spread", ({ baselineSpread }) => baselineSpread, { heading: ["baseline", "spread %"] }),
        percentages("noise floor", ({ noiseFloor }) => noiseFloor, { heading: ["noise", "floor %"] })
      ],
      rows: nodes,
      notes: [
        "baseline spread: standard deviation of the log of the baseline's block times; noise floor: the baseline against its A/A copy"
      ]
    };
  }

  // runtime/report/html/client/comparison/nodes.ts
  function nodesSection(overview2) {
    const base = { anchor: "nodes", title: "Nodes" };
    return {
      ...base,
      content: [
        ...tableContent(nodesTable(overview2), { limit: 200 }),
        ...tableContent(nodeSpeedsTable(overview2), { limit: 200 })
      ]
    };
  }

  // runtime/analysis/student_t.ts
  var NORMAL_FREEDOM = 1e6;
  function tProbability(t, df) {
    return incompleteBeta(df / (df + t * t), df / 2, 0.5);
  }
  function tQuantile(level, df) {
    const tail = 1 - level;
    let high = 1;
    while (tProbability(high, df) > tail && high < Number.MAX_VALUE / 4) high *= 2;
    let low = 0;
    while (high - low > 1e-12 * high) {
      const middle = (low + high) / 2;
      if (middle === low || middle === high) break;
      if (tProbability(middle, df) > tail) low = middle;
      else high = middle;
    }
    return high;
  }
  function incompleteBeta(x, a, b) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
    const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
    const apart = (value) => Math.abs(value) < Number.MIN_VALUE ? Number.EPSILON : value;
    let c = 1;
    let d = 1 / apart(1 - (a + b) * x / (a + 1));
    let sum4 = d;
    for (let m = 1; m <= 500; m++) {
      const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / apart(1 + even * d);
      c = apart(1 + even / c);
      sum4 *= c * d;
      const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / apart(1 + odd * d);
      c = apart(1 + odd / c);
      const step = c * d;
      sum4 *= step;
      if (Math.abs(step - 1) < 1e-15) break;
    }
    return front * sum4;
  }
  function logGamma(x) {
    let shift = 0;
    for (; x < 10; x++) shift -= Math.log(x);
    const y = 1 / (x * x);
    const series = (1 / 12 + y * (-1 / 360 + y * (1 / 1260 + y * (-1 / 1680 + y * (1 / 1188 - y * 691 / 360360))))) / x;
    return shift + (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series;
  }

  // runtime/analysis/comparison/benjamini_hochberg.ts
  function benjaminiHochberg(ps) {
    const adjusted = new Array(ps.length);
    let least2 = 1;
    const order2 = ps.map((p, i) => ({ p, i })).sort((a, b) => b.p - a.p);
    for (const [place3, { p, i }] of order2.entries()) {
      least2 = Math.min(least2, p * ps.length / (ps.length - place3));
      adjusted[i] = least2;
    }
    return adjusted;
  }

  // runtime/analysis/median.ts
  function median(values) {
    const sorted2 = values.toSorted((a, b) => a - b);
    const middle = sorted2.length >> 1;
    return sorted2.length % 2 === 1 ? sorted2[middle] : (sorted2[middle - 1] + sorted2[middle]) / 2;
  }

  // runtime/analysis/op_diff/machine_shift.ts
  var LEAST_ITEMS = 6;
  var NORMAL_MAD = 0.6745;
  function machineShift(equal, floor = 0) {
    if (equal.length < LEAST_ITEMS) return null;
    const log = median(equal.map((one) => one.log));
    const deviation = median(equal.map((one) => Math.abs(one.log - log))) / NORMAL_MAD;
    const noise = median(equal.map(({ error }) => error));
    const spread4 = Math.max(floor, Math.sqrt(Math.max(0, deviation ** 2 - noise ** 2)));
    const scores = equal.map((one) => {
      const error = Math.hypot(one.error, spread4);
      return error === 0 ? 0 : Math.abs(one.log - log) / error;
    });
    return { log, spread: spread4, inflation: Math.max(1, median(scores) / NORMAL_MAD), items: equal.length };
  }

  // runtime/analysis/op_diff/correlation_factor.ts
  var MOST2 = 0.8;
  function correlationFactor(values) {
    const center = median(values);
    const signs = values.map((value) => Math.sign(value - center));
    const products = signs.slice(1).map((sign, i) => sign * signs[i]);
    const pairs2 = products.filter((product) => product !== 0);
    if (pairs2.length === 0) return 1;
    const correlation = Math.min(MOST2, Math.max(0, pairs2.reduce((sum4, product) => sum4 + product, 0) / pairs2.length));
    return Math.sqrt((1 + correlation) / (1 - correlation));
  }

  // runtime/analysis/op_diff/hodges_lehmann.ts
  var LEVEL = 0.95;
  function hodgesLehmann(values) {
    const n = values.length;
    const means = values.flatMap((one, i) => values.slice(i).map((other) => (one + other) / 2)).sort((a, b) => a - b);
    const deviation = Math.sqrt(n * (n + 1) * (2 * n + 1) / 24);
    const rank = Math.floor(means.length / 2 - 0.5 - tQuantile(LEVEL, NORMAL_FREEDOM) * deviation);
    const quantile4 = rank > 0 ? (means.length / 2 - 0.5 - rank) / deviation : tQuantile(1 - 2 ** (1 - n), NORMAL_FREEDOM);
    const distance = means.at(-1 - Math.max(0, rank)) - means[Math.max(0, rank)];
    return { value: median(means), error: distance / (2 * quantile4) };
  }

  // runtime/analysis/op_diff/median_variance.ts
  var LEAST_SAMPLES = 3;
  function medianVariance(values) {
    const n = values.length;
    if (n < LEAST_SAMPLES) return null;
    const sorted2 = values.toSorted((a, b) => a - b);
    const rank = Math.max(1, Math.round((n + 1) / 2 - Math.sqrt(n)));
    let [term, tails] = [0.5 ** (n - 1), 0];
    for (let i = 0; i < rank; i++) {
      tails += term;
      term *= (n - i) / (i + 1);
    }
    const distance = sorted2[n - rank] - sorted2[rank - 1];
    return (distance / (2 * tQuantile(1 - tails, NORMAL_FREEDOM))) ** 2;
  }

  // runtime/analysis/op_diff/log_difference.ts
  var BETWEEN_PROCESSES = 0.3;
  var NORMAL_RANGE = 3.29;
  function pairedDifferences(pairs2) {
    const differences2 = withoutCommon(pairs2.map(({ a, b }) => {
      const [left, right] = [logsOf(a), logsOf(b)];
      return Array.from({ length: Math.min(left.length, right.length) }, (_, round2) => right[round2] - left[round2]);
    }));
    return differences2.map((values) => {
      if (values.length < LEAST_SAMPLES) return null;
      const { value, error } = hodgesLehmann(values);
      return { log: value, error: error * correlationFactor(values), rounds: values.length };
    });
  }
  function separateDifferences(pairs2) {
    const [left, right] = [
      withoutCommon(pairs2.map(({ a }) => logsOf(a))),
      withoutCommon(pairs2.map(({ b }) => logsOf(b)))
    ];
    return pairs2.map((_, i) => {
      const [a, b] = [left[i], right[i]];
      const variances = [a, b].flatMap((values) => {
        const variance = medianVariance(values);
        if (variance === null) return [];
        return [variance * correlationFactor(values) ** 2 + (BETWEEN_PROCESSES * deviationOf(values)) ** 2];
      });
      if (variances.length < 2) return null;
      return {
        log: median(b) - median(a),
        error: Math.sqrt(variances[0] + variances[1]),
        rounds: Math.min(a.length, b.length)
      };
    });
  }
  function deviationOf(values) {
    const sorted2 = values.toSorted((a, b) => a - b);
    return (quantile(sorted2, 0.95) - quantile(sorted2, 0.05)) / NORMAL_RANGE;
  }
  function logsOf({ samples }) {
    return samples.map((ms) => ms !== null && ms > 0 ? Math.log(ms) : NaN);
  }
  function withoutCommon(items) {
    const usable = (values) => values.filter((value) => !Number.isNaN(value));
    const centers = items.map((values) => usable(values).length === 0 ? NaN : median(usable(values)));
    const rounds = Math.max(0, ...items.map(({ length }) => length));
    const common = Array.from({ length: rounds }, (_, round2) => {
      const deviations = usable(items.map((values, i) => (values[round2] ?? NaN) - centers[i]));
      return deviations.length < LEAST_SAMPLES ? 0 : median(deviations);
    });
    return items.map((values) => usable(values.map((value, round2) => value - common[round2])));
  }

  // runtime/analysis/op_diff/op_diff.ts
  var DIFF_LEVEL = 0.95;
  var MIN_EFFECT = 0.01;
  var FREEDOM = { turns: 10, processes: 4 };
  var PROCESS_SPREAD = 0.2;
  var PROCESS_FLOOR = 0.05;
  function opDiff(a, b, minEffect = MIN_EFFECT) {
    const inTurns = a.rounds !== null && a.rounds === b.rounds;
    const pairs2 = pairsOf(a, b, inTurns ? pairedDifferences : separateDifferences);
    const equal = pairs2.filter((pair) => pair.a?.work === pair.b?.work).flatMap(({ log }) => log ?? []);
    const machine = machineShift(equal, inTurns ? 0 : PROCESS_FLOOR);
    const assumed = { log: 0, spread: inTurns ? 0 : PROCESS_SPREAD, inflation: 1 };
    const freedom = inTurns ? FREEDOM.turns : FREEDOM.processes;
    const tests = pairs2.map(({ log }) => log === null ? null : test(log, machine ?? assumed, freedom));
    const tested = tests.filter((one) => one !== null);
    const adjusted = benjaminiHochberg(tested.map(({ p }) => p));
    const rows = pairs2.map((pair, i) => {
      const own = tests[i];
      return rowOf(pair, own, own === null ? null : adjusted[tested.indexOf(own)], minEffect);
    });
    return { labels: [a.label, b.label], rows: inOrder(rows), sums: sumsOf(a, b, rows), inTurns, machine };
  }
  function isChanged({ verdict }) {
    return verdict !== "same" && verdict !== "unknown";
  }
  function pairsOf(a, b, differences2) {
    const others = new Map(b.items.map((item) => [item.key, item]));
    const both = [];
    const gone = [];
    for (const item of a.items) {
      const other = others.get(item.key);
      others.delete(item.key);
      if (other === void 0) gone.push({ a: item, b: null, log: null });
      else both.push({ a: item, b: other });
    }
    const logs = differences2(both);
    return [
      ...both.map((pair, i) => ({ ...pair, log: logs[i] })),
      ...gone,
      ...[...others.values()].map((item) => ({ a: null, b: item, log: null }))
    ];
  }
  function test({ log, error, rounds }, { log: shift, spread: spread4, inflation }, freedom) {
    const df = Math.min(freedom, rounds - 1);
    const whole2 = inflation * Math.hypot(error, spread4);
    const own = log - shift;
    const p = whole2 === 0 ? own === 0 ? 1 : 0 : tProbability(own / whole2, df);
    return { log, half: whole2 * tQuantile(DIFF_LEVEL, df), p, own };
  }
  function rowOf({ a, b }, test2, adjustedP, minEffect) {
    const both = a !== null && b !== null;
    const [before2, after2] = shownTimes(a?.median ?? null, b?.median ?? null, test2);
    const isKnown = (a === null || before2 !== null) && (b === null || after2 !== null);
    const ratio = both && before2 !== null && after2 !== null && before2 > 0 ? after2 / before2 : null;
    const at = (log) => before2 * Math.expm1(log);
    const interval = test2 === null ? null : { low: at(test2.log - test2.half), high: at(test2.log + test2.half) };
    return {
      name: (b ?? a).name,
      phase: (b ?? a).phase,
      kernels: [a?.kernel ?? null, b?.kernel ?? null],
      a: before2,
      b: after2,
      change: isKnown ? (after2 ?? 0) - (before2 ?? 0) : null,
      interval,
      ratio,
      adjustedP,
      verdict: !both ? a === null ? "new" : "gone" : verdictOf(test2, adjustedP, minEffect)
    };
  }
  function shownTimes(a, b, test2) {
    if (a === null || b === null || test2 === null) return [a, b];
    const center = Math.sqrt(a * b);
    return [center * Math.exp(-test2.log / 2), center * Math.exp(test2.log / 2)];
  }
  function verdictOf(test2, adjustedP, minEffect) {
    if (test2 === null || adjustedP === null) return "unknown";
    if (adjustedP >= 1 - DIFF_LEVEL || Math.abs(test2.own) < Math.log1p(minEffect)) return "same";
    return test2.own > 0 ? "slower" : "faster";
  }
  function inOrder(rows) {
    const size = ({ change: change2 }) => change2 === null ? -1 : Math.abs(change2);
    return rows.toSorted((x, y) => Number(isChanged(y)) - Number(isChanged(x)) || size(y) - size(x));
  }
  function sumsOf(a, b, rows) {
    const total = (side) => rows.reduce((sum4, row) => sum4 + (row[side] ?? 0), 0);
    const items = { a: total("a"), b: total("b") };
    const whole2 = sum("device time, summed", items.a, items.b);
    if (a.step === null || b.step === null) return [whole2];
    return [
      whole2,
      sum("rest of the step: gaps, host, waiting, idle device", a.step - items.a, b.step - items.b),
      sum("step", a.step, b.step)
    ];
  }
  function sum(name, a, b) {
    return { name, a, b, change: b - a };
  }

  // runtime/analysis/op_diff/side.ts
  var DIFF_UNITS = ["op", "kernel"];
  function variantSide(label2, { ops, metrics, attached }, by, rounds) {
    if (attached !== void 0) return programSide(label2, attached);
    const items = by === "op" ? opItems(ops) : kernelItems(ops);
    return { label: label2, items, step: metrics.batchCost?.value ?? null, rounds };
  }
  function roundsOf({ nodes }, variant) {
    if (nodes === void 0) return "run";
    const own = nodes.filter(({ speeds }) => speeds.some((speed) => speed.variant === variant));
    return own.length === 1 ? `shard ${own[0].shard}` : null;
  }
  function opItems(ops) {
    return withKeys(ops.map((op) => {
      const samples = sumsOf2(op.kernels);
      return {
        key: `${op.phase} ${op.id}`,
        name: op.name,
        phase: op.phase,
        kernel: op.kernel,
        work: JSON.stringify([op.kernels.map(({ name }) => name), shapesOf(op)]),
        median: medianOf(samples) ?? op.median,
        samples
      };
    }));
  }
  function kernelItems(ops) {
    const dispatches = ops.flatMap((op) => op.kernels.map((kernel) => ({ kernel, op })));
    return [...Map.groupBy(dispatches, ({ kernel }) => kernel.name)].map(([name, own]) => {
      const medians = own.map(({ kernel }) => kernel.median);
      const all = medians.some((ms) => ms === null) ? null : medians.reduce((sum4, ms) => sum4 + ms, 0);
      const samples = sumsOf2(own.map(({ kernel }) => kernel));
      return {
        key: name,
        name,
        phase: null,
        kernel: name,
        work: JSON.stringify(own.map(({ op }) => shapesOf(op))),
        median: medianOf(samples) ?? all,
        samples
      };
    });
  }
  function shapesOf({ inputs, outputs, dtype }) {
    return [[...inputs, ...outputs].map(({ shape, dtype: dtype2 }) => [shape, dtype2]), dtype];
  }
  function sumsOf2(kernels) {
    const [first2 = [], ...others] = kernels.map(({ samples = [] }) => samples);
    return first2.map(
      (time3, round2) => others.reduce((sum4, samples) => {
        const own = samples[round2] ?? null;
        return sum4 === null || own === null ? null : sum4 + own;
      }, time3)
    );
  }
  function medianOf(samples) {
    const known = samples.filter((ms) => ms !== null);
    return known.length === 0 ? null : median(known);
  }
  function programSide(label2, { devices }) {
    const device2 = devices.find(({ perStep }) => perStep !== null) ?? devices[0];
    const whole2 = (device2?.steadySteps ?? 0) === 0;
    const inSteps = (device2?.kernels ?? []).filter(({ untimed: untimed2 }) => untimed2 !== "outside");
    return {
      label: label2,
      items: withKeys(inSteps.map((kernel) => programItem(kernel, whole2))),
      step: device2?.untimedWall ?? device2?.timedWall ?? null,
      rounds: null
    };
  }
  function programItem(kernel, whole2) {
    const { name, label: label2, entryPoint, does, hash, line: line2, total, calls, perStep, grids, samples = [] } = kernel;
    const title = label2 || `${entryPoint || "?"}: ${does || name}`;
    const perCall = total === null || calls === 0 ? null : total / calls;
    const mean = whole2 ? total : perCall === null || perStep === null ? null : perCall * perStep;
    return {
      key: title,
      name: line2 === null ? title : `${title} (${line2})`,
      phase: null,
      kernel: hash === "" ? name : `#${hash}`,
      work: JSON.stringify([hash, shares(grids), perStep?.toFixed(1)]),
      median: whole2 ? mean : medianOf(samples) ?? mean,
      samples: whole2 ? [] : samples
    };
  }
  function shares(grids) {
    const all = grids.reduce((sum4, { calls }) => sum4 + calls, 0);
    return grids.map(({ grid, calls }) => [grid, (calls / all).toFixed(1)]);
  }
  function withKeys(items) {
    const seen = /* @__PURE__ */ new Map();
    return items.map((item) => {
      const count = seen.get(item.key) ?? 0;
      seen.set(item.key, count + 1);
      return count === 0 ? item : { ...item, key: `${item.key} ${count + 1}` };
    });
  }

  // runtime/report/time_unit.ts
  function timeUnit(times) {
    const longest = times.reduce((most2, time3) => Math.max(most2, Math.abs(time3 ?? 0)), 0);
    return longest > 0 && longest < 1 ? ["us", 1e3] : ["ms", 1];
  }

  // runtime/report/op_diff/tables.ts
  var TONES2 = {
    slower: "bad",
    faster: "good",
    new: "warning",
    gone: "warning",
    same: null,
    unknown: null
  };
  var OTHER_COLUMNS = 66;
  function diffTable(diff, { by, top }) {
    const changed = diff.rows.filter(isChanged).length;
    const rows = top === null ? diff.rows : diff.rows.slice(0, Math.max(top, changed));
    const [a, b] = diff.labels.map((label2) => nameInProse(label2));
    const hidden = diff.rows.length - rows.length;
    return {
      title: `Difference by ${by}: ${b} (B) against ${a} (A), ${changed === 0 ? `no ${by} changed` : `${changed} of ${formatCounted(diff.rows.length, by)} changed`}`,
      columns: columns2(by, diff.rows),
      rows,
      notes: [
        ...hidden > 0 ? [`not shown: ${formatCounted(hidden, by)} without a change`] : [],
        ...diffNotes(diff, by)
      ]
    };
  }
  function diffSumsTable({ sums }) {
    const [unit, scale] = timeUnit(sums.flatMap(({ a, b }) => [a, b]));
    const scaled = (ms) => ms * scale;
    return {
      title: "Change of the step",
      columns: [
        words("part", ({ name }) => name),
        figures("A", ({ a }) => scaled(a), { heading: ["A", unit], unit }),
        figures("B", ({ b }) => scaled(b), { heading: ["B", unit], unit }),
        figures("change", ({ change: change2 }) => scaled(change2), { heading: ["change", unit], unit, format: signed })
      ],
      rows: sums,
      notes: sums.length > 1 && Math.min(sums[1].a, sums[1].b) < 0 ? [`the rest is negative: with a pass for each dispatch, they take longer than in the measured steps`] : []
    };
  }
  function columns2(by, rows) {
    const [unit, scale] = timeUnit(rows.flatMap(({ a, b }) => [a, b]));
    const scaled = (ms) => ms === null ? null : ms * scale;
    return [
      names(by, ({ name }) => name, { beside: OTHER_COLUMNS }),
      ...by === "op" ? [words("phase", ({ phase }) => phase, { dropFirst: 2 })] : [],
      figures("A", ({ a }) => scaled(a), { heading: ["A", unit], unit }),
      figures("B", ({ b }) => scaled(b), { heading: ["B", unit], unit }),
      figures("change", ({ change: change2 }) => scaled(change2), {
        heading: ["change", unit],
        unit,
        format: signed,
        tone: ({ verdict }) => TONES2[verdict]
      }),
      words("interval", ({ interval }) => {
        return interval === null ? null : `${signed(interval.low * scale)} to ${signed(interval.high * scale)}`;
      }, { heading: ["95 % interval"], align: "right", sort: ({ interval }) => interval?.low ?? null }),
      figures("ratio", ({ ratio }) => ratio, { heading: ["B / A"], format: formatRatio }),
      figures("p", ({ adjustedP }) => adjustedP, { format: formatProbability, dropFirst: 1 }),
      words("verdict", ({ verdict }) => verdict === "unknown" ? null : verdict, {
        tone: ({ verdict }) => TONES2[verdict]
      }),
      ...rows.some((row) => kernelText(row) !== row.name) ? [
        words(by === "op" ? "kernel" : "code", kernelText, {
          below: (row) => isChanged(row) ? kernelText(row) : null
        })
      ] : []
    ];
  }
  function kernelText({ kernels: [a, b] }) {
    return a === null || b === null || a === b ? a ?? b : `${a} -> ${b}`;
  }
  function diffNotes({ rows, machine, inTurns }, by) {
    const untested = rows.filter(({ verdict }) => verdict === "unknown").length;
    return [
      `times: medians over the timed steps, per step, with the ratio of ${inTurns ? "the two steps of each round" : "two processes"}; change: B - A`,
      "p: no change beyond that of the machine; corrected for the number of tests (Benjamini-Hochberg)",
      machine === null ? `change of the machine: ${MISSING}, too few ${by}s run the same code on the same shapes` + (inTurns ? "" : "; taken as ±22 % between the two processes") : `change of the machine: ${formatRatio(Math.exp(machine.log))}, ±${formatPercent(Math.expm1(machine.spread))} % between ${by}s, from ${machine.items} that run the same code on the same shapes`,
      ...untested > 0 ? [`without a verdict: ${formatCounted(untested, by)} with fewer than 3 timed steps`] : []
    ];
  }
  function signed(value) {
    return `${value > 0 ? "+" : ""}${formatNumber(value)}`;
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
  function unpackRows({ count, columns: columns3 }) {
    const entries = Object.entries(columns3);
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
    const { blocks, ops, profile, ...detail } = readJson(detailId(index));
    return {
      ...overview2.variants[index],
      ...detail,
      blocks: blocks.map((block) => ({ ...block, steps: unpackRows(block.steps) })),
      ops: unpackRows(ops),
      profile: profile && { ...profile, memory: unpackRows(profile.memory) }
    };
  }
  function readTimeline(index) {
    return readJson(timelineId(index));
  }
  function readJson(id) {
    const text2 = document.getElementById(id)?.textContent;
    return text2 === void 0 || text2 === null ? null : JSON.parse(text2);
  }

  // runtime/report/html/client/comparison/diff.ts
  function diffSection(overview2) {
    const base = { anchor: "diff", title: "Difference by op or kernel" };
    const programs2 = overview2.variants.flatMap(({ name, attached }, i) => attached === void 0 ? [] : [{ name, i }]);
    const variants = overview2.variants.flatMap(
      ({ name, memoryOverStep }, i) => memoryOverStep.length === 0 ? [] : [{ name, i }]
    );
    const units = variants.length >= 2 ? DIFF_UNITS : ["kernel"];
    const profiled = variants.length >= 2 ? variants : programs2;
    if (profiled.length < 2) return { ...base, content: "fewer than two variants were profiled (--verbosity 2)" };
    const first2 = Math.max(0, profiled.findIndex(({ name }) => name === overview2.baseline));
    const options = profiled.map(({ name }) => name);
    const a = select("A", options, first2);
    const b = select("B", options, first2 === 0 ? 1 : 0);
    const by = select("by", units, 0);
    const shown = el("div", { class: "diff" });
    const fill2 = () => shown.replaceChildren(
      ...content(
        overview2,
        profiled[a.list.selectedIndex].i,
        profiled[b.list.selectedIndex].i,
        units[by.list.selectedIndex]
      )
    );
    for (const { list } of [a, b, by]) list.addEventListener("change", fill2);
    fill2();
    return { ...base, content: [el("div", { class: "choices" }, a.element, b.element, by.element), shown] };
  }
  function content(overview2, first2, second, by) {
    const [a, b] = [first2, second].map((index) => {
      const variant = readVariant(overview2, index);
      return variantSide(variant.name, variant, by, roundsOf(overview2, variant.name));
    });
    const diff = opDiff(a, b, overview2.procedure?.minEffect);
    const spec = diffTable(diff, { by, top: null });
    const rows = createTable(spec, {
      limit: 20,
      search: {
        label: by === "op" ? "Search differences by op" : "Search differences by kernel",
        text: ({ name, phase, kernels }) => [name, phase ?? "", ...kernels.map((kernel) => kernel ?? "")].join(" "),
        found: (found) => `${found.length} of ${diff.rows.length}`
      }
    });
    const sums = diffSumsTable(diff);
    const some = [
      el("p", {}, spec.title),
      rows.element,
      notes(spec.notes ?? []),
      createTable(sums).element,
      notes(sums.notes ?? [])
    ];
    return some.filter((child) => child instanceof HTMLElement);
  }
  function select(name, options, chosen2) {
    const list = el("select", {}, ...options.map((option) => el("option", {}, nameText2(option, 60))));
    list.selectedIndex = chosen2;
    return { element: el("label", {}, `${name} `, list), list };
  }

  // runtime/report/plots/blocks.ts
  function blocksPlot({ variants }, width = WIDTH2) {
    const noun = countedNoun(variants);
    const rows = variants.flatMap((variant, i) => {
      const times = variant.blocks.filter(({ samples, wall }) => samples > 0 && wall > 0).map(
        ({ wall, samples }) => wall / samples
      );
      return times.length === 0 ? [] : [{ name: variant.name, color: colorClass(i), times }];
    });
    const all = rows.flatMap(({ times }) => times);
    if (all.length < 2) return null;
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const room = (high - low || high) * 0.05;
    return rowsPlot({
      width,
      name: "blocks",
      title: "Distribution of the blocks",
      about: `Time per ${noun} of every block; box: middle half of the blocks, line: median`,
      unit: `ms per ${noun}`,
      rowHeight: 30,
      domain: [Math.max(0, low - room), high + room],
      rows: rows.map(({ name, color, times }) => ({
        name,
        draw(x, top, height) {
          const middle = top + height / 2;
          const [q1, q2, q3] = [0.25, 0.5, 0.75].map((part2) => quantile3(times, part2));
          return [
            rect(x(q1), middle - 8, x(q3) - x(q1), 16, { class: `box ${color}` }),
            ...times.map(
              (time3, i) => dot(x(time3), middle + spread(i), 2.5, { class: color }, `${formatNumber(time3)} ms`)
            ),
            line(x(q2), middle - 10, x(q2), middle + 10, { class: "median" })
          ];
        }
      }))
    });
  }
  function quantile3(values, part2) {
    if (part2 === 0.5) return median(values);
    const sorted2 = values.toSorted((a, b) => a - b);
    const place3 = part2 * (sorted2.length - 1);
    const [below2, above] = [sorted2[Math.floor(place3)], sorted2[Math.ceil(place3)]];
    return below2 + (above - below2) * (place3 - Math.floor(place3));
  }
  function spread(i) {
    return (i * 7 % 11 - 5) * 1.2;
  }

  // runtime/report/plots/phases.ts
  function phasesPlot({ variants }, width = WIDTH2) {
    const rows = variants.map((variant) => ({ name: variant.name, parts: partsOf(variant) })).filter(({ parts }) => parts.some(([, , ms]) => ms > 0));
    if (rows.length === 0) return null;
    const totals = rows.map(({ parts }) => parts.reduce((sum4, [, , ms]) => sum4 + ms, 0));
    const legend = [...new Map(rows.flatMap(({ parts }) => parts).map(([color, name]) => [name, color]))];
    const plot = rowsPlot({
      width,
      name: "phases",
      title: "Parts of a step",
      about: "Mean time of each phase on the device, and the gap before the next step; the rest is the host's",
      unit: "ms per step",
      rowHeight: 28,
      domain: [0, Math.max(...totals) * 1.02],
      rows: rows.map(({ name, parts }, i) => ({
        name,
        draw: (x, top, height) => [
          ...bars(parts, x, top + 5, height - 10),
          label(x(totals[i]) + 5, top + height / 2 + 4, formatNumber(totals[i]))
        ]
      }))
    });
    return withLegend(plot, legend);
  }
  function partsOf({ metrics }) {
    const { forward, backward, update, phases = {}, batchCost, iterationGap } = metrics;
    const named2 = { forward, backward, update, ...phases };
    const known = Object.entries(named2).flatMap(
      ([name, metric]) => metric === null ? [] : [[name, metric.value]]
    );
    const order2 = phasesNamed(known.map(([name]) => name)).map(({ name }) => name);
    const timed = known.toSorted(([a], [b]) => order2.indexOf(a) - order2.indexOf(b)).map(([name, ms]) => [name in CLASSES ? name : "other", name, ms]);
    if (timed.length === 0) return [];
    const gap = iterationGap === null ? [] : [["gap", "gap", iterationGap.value]];
    const sum4 = [...timed, ...gap].reduce((all, [, , ms]) => all + ms, 0);
    const rest = (batchCost?.value ?? 0) - sum4;
    return [...timed, ...gap, ...rest > 0 ? [["rest", "rest", rest]] : []];
  }
  var CLASSES = { forward: true, backward: true, update: true };
  function bars(parts, x, top, height) {
    let from = 0;
    return parts.map(([color, name, ms]) => {
      const shape = rect(
        x(from),
        top,
        x(from + ms) - x(from),
        height,
        { class: color },
        `${name}: ${formatNumber(ms)} ms`
      );
      from += ms;
      return shape;
    });
  }
  function withLegend(plot, names3) {
    const room = 8;
    let x = LEFT;
    let row = 0;
    const shapes = names3.flatMap(([name, color]) => {
      const width = 28 + 7 * name.length;
      if (x + width > plot.width) [x, row] = [LEFT, row + 1];
      const y = plot.height + room + 16 * row;
      const made = [rect(x, y, 10, 10, { class: color }), label(x + 15, y + 9, name)];
      x += width;
      return made;
    });
    return { ...plot, height: plot.height + room + 16 * (row + 1) + 4, shapes: [...plot.shapes, ...shapes] };
  }

  // runtime/report/plots/memory.ts
  var [TOP2, HEIGHT3] = [24, 220];
  var MOST3 = 8;
  var MIB2 = 2 ** 20;
  function memoryPlot({ variants }, width = WIDTH2) {
    const known = variants.map((variant, i) => ({ ...variant, color: colorClass(i) })).filter(({ memoryOverStep }) => memoryOverStep.length > 1);
    const shown = known.slice(0, MOST3);
    if (shown.length === 0) return null;
    const most2 = Math.max(...shown.flatMap(({ memoryOverStep }) => memoryOverStep)) / MIB2;
    const x = linearScale([0, 1], [LEFT, width - RIGHT]);
    const y = linearScale([0, most2 * 1.06 || 1], [TOP2 + HEIGHT3, TOP2]);
    const left = known.length - shown.length;
    const plot = {
      name: "memory",
      title: "Memory over a step",
      about: `Device memory in use while the ops of a step run, first to last; beside the names: peaks in MiB${left === 0 ? "" : `; the first ${MOST3} of ${known.length} variants`}`,
      width,
      height: TOP2 + HEIGHT3 + 34,
      shapes: [
        ...linearTicks(0, most2 * 1.06, 5).flatMap((tick) => [
          line(LEFT, y(tick), width - RIGHT, y(tick), { class: "grid" }),
          label(LEFT - 6, y(tick) + 4, shortNumber(tick), { "text-anchor": "end" })
        ]),
        label(LEFT - 6, 12, "MiB", { "text-anchor": "end" }),
        label(x(0), TOP2 + HEIGHT3 + 16, "first op"),
        label(x(1), TOP2 + HEIGHT3 + 16, "last op of the step", { "text-anchor": "end" }),
        ...shown.map(({ memoryOverStep, color }) => polyline(steps(memoryOverStep, x, y), { class: `line ${color}` }))
      ]
    };
    return withLegend(
      plot,
      shown.map(({ name, memoryOverStep, color }) => [`${nameText(name, 28)} ${peak(memoryOverStep)}`, color])
    );
  }
  function peak(bytes2) {
    return formatMiB(Math.max(...bytes2));
  }
  function steps(bytes2, x, y) {
    return bytes2.flatMap((value, i) => {
      const height = y(value / MIB2);
      return [[x(i / bytes2.length), height], [x((i + 1) / bytes2.length), height]];
    });
  }

  // runtime/report/html/client/comparison/pictures.ts
  function distributionSection(overview2) {
    return section(
      "distribution",
      "Distribution of the blocks",
      (width) => blocksPlot(overview2, width),
      isMerged(overview2) ? IN_SHARDS : "fewer than two blocks were measured"
    );
  }
  function partsSection(overview2) {
    return section(
      "parts",
      "Parts of a step",
      (width) => phasesPlot(overview2, width),
      isMerged(overview2) ? IN_SHARDS : "no phase was timed"
    );
  }
  function memoriesSection(overview2) {
    return section(
      "memories",
      "Memory of all variants",
      (width) => memoryPlot(overview2, width),
      "no steps were profiled (--verbosity 2)"
    );
  }
  function section(anchor, title, plot, missing) {
    const about = plot()?.about;
    return about === void 0 ? { anchor, title, content: missing } : { anchor, title, about, content: [picture(plot)] };
  }

  // runtime/report/setups.ts
  function setupsText({ setups }, comparisons) {
    if (comparisons.length === 0) return null;
    const { count, share, processes = false } = setups;
    if (count === 1) {
      const what2 = processes ? "one process of each variant" : "one of each variant";
      return `${what2}: a lasting difference between two set-ups would count as an effect`;
    }
    const time3 = share === null ? "" : `, ${percent(share)} of the time`;
    const what = processes ? `${count} fresh processes of each variant` : `${count} of each variant`;
    return [`${what}${time3}`, spreadText(comparisons)].filter((part2) => part2 !== null).join("; ");
  }
  function comparisonsOf(variants, { secondArm: secondArm2 }) {
    return [...variants, secondArm2].flatMap((arm) => arm?.comparison ?? []);
  }
  function spreadText(comparisons) {
    const largest = (level) => {
      const known = comparisons.flatMap(({ spread: spread4 }) => spread4[level] ?? []);
      return known.length === 0 ? null : `±${percent(Math.expm1(Math.max(...known)))}`;
    };
    const [setups, rounds] = [largest("setups"), largest("rounds")];
    if (setups === null) return null;
    return `speed-ups spread by up to ${setups} between set-ups` + (rounds === null ? " of one round each" : `, ${rounds} between the rounds of one`);
  }
  function percent(part2) {
    return part2 > 0 && part2 < 5e-4 ? "<0.1 %" : `${formatPercent(part2)} %`;
  }

  // runtime/report/html/client/comparison/procedure.ts
  function procedureSection({ procedure, noiseFloor, variants, nodes }) {
    const base = { anchor: "procedure", title: "How it was measured" };
    if (procedure === null) return { ...base, content: "not recorded in this result" };
    const floor = noiseFloor === null ? MISSING : `${formatPercent(noiseFloor)} %, the difference between two runs of the baseline beyond the noise of their blocks`;
    return {
      ...base,
      content: [
        facts([
          ["Rounds", `${procedure.rounds} of ${procedure.planned}, stopped by ${procedure.stoppedBy}`],
          ["Set-ups", setupsText(procedure, comparisonsOf(variants, procedure)) ?? MISSING],
          ["Noise floor", floor],
          ["Baseline against itself", nodes === void 0 ? secondArm(procedure) : "on each node, in the table of nodes"],
          ["Smallest effect that counts", `${formatPercent(procedure.minEffect)} %`],
          [
            "Requested precision",
            procedure.precision === null ? `${MISSING} a fixed number of rounds` : `±${formatPercent(procedure.precision)} %`
          ],
          ["Time limit", procedure.maxTime === null ? `${MISSING} none` : `${formatCount(procedure.maxTime)} s`],
          ["Warm-up", warmUp(procedure)],
          [
            "Resumed",
            procedure.resumed === 0 ? "never" : procedure.resumed === 1 ? "once" : `${procedure.resumed} times`
          ],
          [
            "Trend of the probe",
            procedure.probeTrend === null ? `${MISSING} too few measurements` : percentText(procedure.probeTrend)
          ]
        ]),
        warnings(procedure),
        probe2(procedure),
        order(procedure)
      ]
    };
  }
  function secondArm({ secondArm: secondArm2 }) {
    if (secondArm2 === null) return `${MISSING} not run`;
    const speedup2 = secondArm2.comparison?.speedup;
    if (speedup2 === void 0) return MISSING;
    const { value, low, high } = speedup2;
    return formatRatio(value) + (low === null || high === null ? "" : ` (${formatInterval(low, high)})`);
  }
  function warmUp({ warmUp: warmUp2 }) {
    if (warmUp2.length === 0) return MISSING;
    const unsteady = warmUp2.filter(({ steady }) => !steady).map(({ arm }) => nameText2(arm, 40));
    const [least2, most2] = [Math.min(...warmUp2.map(({ steps: steps2 }) => steps2)), Math.max(...warmUp2.map(({ steps: steps2 }) => steps2))];
    const range2 = least2 === most2 ? `${least2}` : `${least2}–${most2}`;
    return `${range2} steps${unsteady.length === 0 ? ", all settled" : `; not settled: ${unsteady.join(", ")}`}`;
  }
  function warnings({ warnings: warnings2 }) {
    if (warnings2.length === 0) return null;
    return el("ul", { class: "warnings" }, ...warnings2.map(({ message }) => el("li", {}, nameText2(message, 600))));
  }
  function probe2({ probe: probe3 }) {
    if (probe3.length === 0) return el("p", { class: "missing" }, `${MISSING} no probe kernel ran between rounds`);
    return seriesChart({
      label: "Time of the probe kernel by round",
      x: { name: "round", values: probe3.map(({ round: round2 }) => round2), text: String },
      unit: "ms, a fixed kernel between rounds",
      series: [{ name: "probe", values: probe3.map(({ time: time3 }) => time3), color: "--accent", kind: "points" }],
      format: numberText,
      height: 140
    });
  }
  function order({ order: order2 }) {
    if (order2.length === 0) return null;
    const lines = order2.slice(0, 60).map((arms, i) => `${i}: ${arms.map((arm) => nameText2(arm, 30)).join(" · ")}`);
    return el("details", { class: "data" }, el("summary", {}, "Order of the rounds"), notes(lines));
  }

  // runtime/report/outcome/energy.ts
  function energyTable({ variants, procedure }) {
    const { sources = [], idle = null, reason: reason2 = null } = procedure?.energy ?? {};
    return {
      title: "Energy",
      columns: [
        words("variant", ({ name }) => name, { cut: true }),
        figures("per step", ({ joules, steps: steps2 }) => joules / steps2, { heading: ["J per", "step"], unit: "J" }),
        figures("per sample", ({ joules, samples }) => joules / samples, { heading: ["J per", "sample"], unit: "J" }),
        figures("power", ({ joules, wall }) => joules / wall * 1e3, { heading: ["power", "W"], unit: "W" })
      ],
      rows: variants.flatMap(rowOf2),
      notes: [
        `counted by ${sources.join(", ")}: all work of the machine, not that of the variant alone` + (idle === null ? "" : `; ${formatNumber(idle)} W while idle, before the run`),
        ...reason2 === null ? [] : [`not counted: ${reason2}`]
      ]
    };
  }
  function rowOf2({ name, blocks }) {
    const counted2 = blocks.filter(({ energy }) => energy !== void 0);
    const sum4 = (value) => counted2.reduce((all, one) => all + value(one), 0);
    if (counted2.length === 0) return [];
    return [{
      name,
      joules: sum4(({ energy }) => energy),
      steps: sum4(({ steps: steps2 }) => typeof steps2 === "number" ? steps2 : steps2.length),
      samples: sum4(({ samples }) => samples),
      wall: sum4(({ wall }) => wall)
    }];
  }

  // runtime/report/html/client/comparison/energy.ts
  function energySection(overview2) {
    return { anchor: "energy", title: "Energy", content: tableContent(energyTable(overview2)) };
  }

  // runtime/analysis/ranks.ts
  function workOf({ batchCost, allReduce: { wait, network } }) {
    return Math.max(0, batchCost - wait - network);
  }

  // runtime/report/outcome/ranks.ts
  function ranksTable({ variants }) {
    const distributed = variants.filter(({ ranks }) => ranks !== void 0);
    const rows = distributed.flatMap(
      ({ name, ranks }) => ranks.ranks.map((rank) => ({ ...rank, variant: name }))
    );
    const several = new Set(rows.map(({ host: host2 }) => host2)).size > 1;
    return {
      title: "Ranks: ms per step",
      columns: [
        names("variant", ({ variant }) => variant),
        counts("rank", ({ rank }) => rank),
        words("host", ({ host: host2 }) => host2, { cut: true, ...several ? {} : { only: "data" } }),
        words("device", ({ adapter, device: device2 }) => device2 ?? adapter, { cut: true, only: "data" }),
        ...COLUMNS2
      ],
      rows,
      notes: rows.length === 0 ? [] : [
        ...distributed.flatMap(
          ({ name, ranks }) => ranks === void 0 ? [] : sentences(ranks).map((text2) => `${nameInProse(name)}: ${text2}`)
        ),
        "work: step without waits for other ranks and for the network; overlap: transfers while the device works"
      ]
    };
  }
  var COLUMNS2 = [
    time2("step", ({ batchCost }) => batchCost, "Batch cost"),
    time2("work", (rank) => workOf(rank), "Step without waits for other ranks and for the network"),
    time2("reader cost", ({ readerCost }) => readerCost, "Wait for batches", ["reader", "cost"], 4),
    time2("forward", ({ forward }) => forward, "Device time of the forward pass", ["forward"], 1),
    time2("backward", ({ backward }) => backward, "Device time of the backward pass", ["backward"], 1),
    time2("update", ({ update }) => update, "Device time of the update", ["update"], 1),
    part("copy out", "copyOut", "Copy of the gradients to the host"),
    part("wait", "wait", "Wait for the slowest rank"),
    part("network", "network", "Transfers that the step waits for"),
    part("copy in", "copyIn", "Copy of the averages to the device"),
    part("overlap", "hidden", "Transfers while the device works")
  ];
  function time2(name, value, help, heading2 = [name], dropFirst = 5) {
    return figures(name, value, { unit: "ms", help, heading: heading2, dropFirst });
  }
  function part(name, key, help) {
    return time2(name, ({ allReduce }) => allReduce[key], help, name.split(" "));
  }
  var CAUSES = {
    data: "loading data",
    device: "its device",
    copies: "copies between device and host",
    host: "other work of the host"
  };
  function sentences({ straggler, imbalance, network, buckets, ranks }) {
    const bytes2 = buckets.reduce((sum4, bucket) => sum4 + bucket.bytes, 0);
    const parts = buckets.length === 1 ? "one all-reduce" : `${buckets.length} all-reduces`;
    const speed = network === null ? "" : `; the network takes ${formatNumber(network.latency)} ms and ${formatNumber(network.bandwidth / 1e3)} MB/s`;
    const slow = straggler === null ? `the longest work of a rank is ${formatPercent(imbalance)} % above the mean` : `rank ${straggler.rank} (${ranks[straggler.rank]?.host ?? MISSING}) is slow: ${formatNumber(straggler.excess)} ms longer than the others, most of it in ${CAUSES[straggler.cause]}`;
    return [`${formatMiB(bytes2)} MiB of gradients in ${parts}${speed}`, slow];
  }

  // runtime/report/html/client/comparison/ranks.ts
  function ranksSection(overview2) {
    return { anchor: "ranks", title: "Ranks", content: tableContent(ranksTable(overview2)) };
  }

  // runtime/report/programs/starts.ts
  var PARTS = [
    ["loading", ["loading"]],
    ["compilation", ["compi-", "lation"]],
    ["upload", ["upload"]],
    ["firstRun", ["first", "run"]]
  ];
  function startsTable({ variants }) {
    const rows = variants.flatMap(({ name, blocks }) => {
      const starts = blocks.flatMap(({ wall, start }) => start === void 0 ? [] : [{ ...start, all: wall }]);
      return starts.length === 0 ? [] : [{ name, starts }];
    });
    const part2 = (of) => ({ starts }) => median(starts.map((one) => one[of]));
    return {
      title: "Time to the first result, in ms",
      columns: [
        names("variant", ({ name }) => name),
        counts("starts", ({ starts }) => starts.length),
        figures("all", part2("all"), { unit: "ms" }),
        ...PARTS.map(([name, heading2]) => figures(name, part2(name), { heading: heading2, unit: "ms" }))
      ],
      rows,
      notes: [
        "medians of fresh processes with empty shader caches; loading: until the program has a device; first run: everything else, also shaders that the driver compiles at their first use"
      ]
    };
  }

  // runtime/record/idle_causes.ts
  var CAUSES2 = [
    "gaps",
    "copies",
    "encode",
    "submit",
    "upload",
    "read",
    "compile",
    "wait",
    "sleep",
    "host",
    "unexplained"
  ];

  // runtime/report/programs/attached.ts
  function attachedOf({ attached }) {
    return attached ?? null;
  }
  function profiledPrograms({ variants }) {
    return variants.flatMap((variant) => {
      const devices = attachedOf(variant)?.devices ?? [];
      const device2 = devices.find(({ perStep }) => perStep !== null) ?? devices[0];
      return device2 === void 0 ? [] : [{ name: variant.name, device: device2 }];
    });
  }

  // runtime/report/programs/step_account.ts
  var HEADINGS = {
    gaps: ["kernel", "gaps"],
    copies: ["copies"],
    encode: ["encode"],
    submit: ["submit"],
    upload: ["upload"],
    read: ["mapped", "reads"],
    compile: ["compile"],
    wait: ["wait"],
    sleep: ["runtime", "sleep"],
    host: ["own", "code"],
    unexplained: ["unexplained"]
  };
  function stepAccountTable(result) {
    const rows = profiledPrograms(result).filter(({ device: device2 }) => device2.account !== null);
    const causes = CAUSES2.filter((cause) => rows.some(({ device: device2 }) => device2.account.idle[cause] > 0));
    return {
      title: "A step of each program, in ms",
      columns: [
        names("variant", ({ name }) => name),
        figures("wall time", ({ device: device2 }) => device2.account.wall, { heading: ["wall", "time"], unit: "ms" }),
        figures("kernels", ({ device: device2 }) => device2.account.kernels, { unit: "ms" }),
        ...causes.map(
          (cause, i) => figures(cause, ({ device: device2 }) => device2.account.idle[cause], {
            heading: HEADINGS[cause],
            unit: "ms",
            dropFirst: i
          })
        )
      ],
      rows,
      notes: [
        "means of timed steps, from a further run with each dispatch in a separate pass; beside the kernels, the device is idle, by cause"
      ]
    };
  }

  // runtime/report/programs/step_counts.ts
  var COUNTS = [
    ["dispatches", ["dispatches"]],
    ["encoders", ["encoders"]],
    ["submits", ["submits"]],
    ["waits", ["waits"]],
    ["reads", ["mapped", "reads"]],
    ["uploads", ["uploads"]],
    ["copies", ["copies"]],
    ["buffers", ["new", "buffers"]],
    ["bindGroups", ["bind", "groups"]],
    ["pipelines", ["new", "pipelines"]]
  ];
  function stepCountsTable(result) {
    const rows = profiledPrograms(result).filter(({ device: device2 }) => device2.perStep !== null);
    const shown = COUNTS.filter(([name]) => rows.some(({ device: device2 }) => device2.perStep[name] > 0));
    return {
      title: "Calls in a step of each program",
      columns: [
        names("variant", ({ name }) => name),
        ...shown.map(
          ([name, heading2], i) => counts(name, ({ device: device2 }) => device2.perStep[name], { heading: heading2, dropFirst: i })
        ),
        figures("uploaded", ({ device: device2 }) => device2.perStep.uploadBytes + device2.perStep.mappedUploadBytes, {
          format: formatBytes,
          dropFirst: shown.length
        }),
        figures("peak memory", ({ device: device2 }) => device2.memory?.peak ?? null, {
          heading: ["peak", "memory"],
          format: formatBytes,
          dropFirst: shown.length + 1
        })
      ],
      rows,
      notes: ["medians of the steps after the warm-up, or means where most steps have none"]
    };
  }

  // runtime/report/html/client/comparison/programs.ts
  function programsSection(overview2) {
    return {
      anchor: "programs",
      title: "Programs",
      content: [startsTable(overview2), stepAccountTable(overview2), stepCountsTable(overview2)].flatMap((spec) => spec.rows.length === 0 ? [] : tableContent(spec))
    };
  }

  // runtime/report/html/client/comparison/seeds.ts
  function seedsSection(overview2) {
    const base = { anchor: "seeds", title: "Several seeds" };
    const spec = seedsTable(overview2);
    const content2 = spec.rows.length === 0 ? "each variant was trained once" : tableContent(spec);
    return { ...base, content: content2 };
  }

  // runtime/report/headline.ts
  var FACTOR = 2;
  var MOST_NAMES = 3;
  function headlineOf({ variants, baseline }) {
    const others = variants.filter(({ name }) => name !== baseline);
    if (others.length === 0) return null;
    const of = (wanted) => others.filter(({ verdict }) => verdict === wanted).toSorted((a, b) => speedup(b) - speedup(a));
    const [faster, slower] = [of("faster"), of("slower")];
    const [best, worst] = [faster[0], slower.at(-1)];
    if (best !== void 0) return named(best, baseline, moreText(faster.length - 1, "faster"));
    if (worst !== void 0) {
      const more2 = moreText(slower.length - 1, "slower");
      return named(worst, baseline, more2 === "" ? "; no variant is faster" : more2);
    }
    return { variant: null, text: undecided(others, baseline) };
  }
  function named(variant, baseline, more2) {
    const text2 = ` is ${amountText(speedup(variant))} ${nameInProse(baseline)}${certaintyText(variant)}${more2}.`;
    return { variant: variant.name, text: text2 };
  }
  function amountText(ratio) {
    if (isFactor(ratio)) return `${formatNumber(ratio)} times as fast as`;
    return `${formatPercent(Math.abs(ratio - 1))} % ${ratio < 1 ? "slower" : "faster"} than`;
  }
  function certaintyText(variant) {
    const { comparison } = variant;
    if (comparison === null) return "";
    const { speedup: { low, high }, level, adjustedP, p } = comparison;
    const probability2 = adjustedP ?? p;
    const parts = [
      low === null || high === null ? null : `${formatPercent(level)} % interval ${intervalText4(speedup(variant), low, high)}`,
      probability2 === null ? null : probabilityText(probability2)
    ].filter((part2) => part2 !== null);
    return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  }
  function intervalText4(ratio, low, high) {
    if (isFactor(ratio)) return `${formatNumber(low)} to ${formatNumber(high)}`;
    const [from, to] = ratio < 1 ? [1 - high, 1 - low] : [low - 1, high - 1];
    return `${formatPercent(from)} to ${formatPercent(to)} %`;
  }
  function probabilityText(p) {
    const text2 = formatProbability(p);
    return text2.startsWith("<") ? `p < ${text2.slice(1)}` : `p = ${text2}`;
  }
  function isFactor(ratio) {
    return ratio >= FACTOR || ratio <= 1 / FACTOR;
  }
  function moreText(count, verdict) {
    return count === 0 ? "" : `; ${formatCounted(count, "more variant")} ${count === 1 ? "is" : "are"} ${verdict}`;
  }
  function undecided(others, baseline) {
    const unclear = others.filter(({ verdict }) => verdict === "unclear");
    const same = others.filter(({ verdict }) => verdict === "same");
    const against = nameInProse(baseline);
    if (unclear.length > 0) {
      const rounds = Math.max(0, ...unclear.map(({ comparison }) => comparison?.pairs ?? 0));
      const variants = namesInProse(unclear.map(({ name }) => name), MOST_NAMES);
      const after2 = rounds === 0 ? "" : ` after ${formatCounted(rounds, "round")}`;
      return `No verdict${after2}: ${variants} may be faster or slower than ${against}.`;
    }
    if (same.length > 0) {
      const band = Math.max(...same.map(({ comparison }) => comparison?.band ?? 0));
      const variants = namesInProse(same.map(({ name }) => name), MOST_NAMES);
      return `${variants} ${same.length === 1 ? "is" : "are"} as fast as ${against}, within ${formatPercent(band)} %.`;
    }
    return others.some(({ verdict }) => verdict === "invalid") ? `No variant can be compared with ${against}: what they compute differs.` : `${MISSING} no verdict: this run did not compare its blocks.`;
  }
  function speedup({ comparison, metrics }) {
    return comparison?.speedup.value ?? metrics.speedup?.value ?? 0;
  }

  // runtime/report/html/client/header.ts
  function header(overview2) {
    const { scenario, variants, procedure } = overview2;
    const [first2] = variants;
    const parameters = first2?.parameters ?? null;
    const rounds = procedure?.rounds ?? new Set(variants.flatMap(({ blocks }) => blocks.map(({ round: round2 }) => round2))).size;
    const facts2 = [
      first2?.config.model ? nameText2(first2.config.model, 40) : "",
      parameters === null ? "" : `${formatCount(parameters)} parameters`,
      formatCounted(variants.length, "variant"),
      rounds === 0 ? "" : formatCounted(rounds, "round"),
      `seed ${scenario.seed}`
    ];
    return el(
      "header",
      {},
      el("div", { class: "top" }, el("h1", {}, nameText2(scenario.name, 80)), themeButton()),
      el("p", { class: "about" }, facts2.filter((fact) => fact !== "").join(" · ")),
      el("p", { class: "about" }, deviceText(overview2)),
      summary(overview2)
    );
  }
  function deviceText({ environment: { adapter }, nodes = [] }) {
    const names3 = new Set(nodes.map(({ adapter: adapter2 }) => adapter2 ?? "unnamed adapter"));
    if (names3.size > 1) return [...names3].map((name) => nameText2(name, 80)).join(", ");
    const device2 = adapter === null ? "no device" : nameText2(adapter.name ?? "unnamed adapter", 80);
    return adapter?.fallback === true ? `${device2} · software adapter: kernels run on the CPU` : device2;
  }
  function summary(overview2) {
    const headline = headlineOf(overview2);
    if (headline === null) return null;
    const { variant, text: text2 } = headline;
    const link = variant === null ? null : el("a", { href: hrefOf({ variant, anchor: "steps" }) }, nameText2(variant, 60));
    return el("p", { class: "summary" }, link, text2);
  }

  // runtime/report/html/client/navigation.ts
  function navigation(shared2) {
    const title = el("h2");
    const list = el("ul");
    const links = (sections, variant) => sections.filter(({ content: content2 }) => typeof content2 !== "string").map(
      ({ anchor, title: title2 }) => el("li", {}, el("a", { href: hrefOf({ variant, anchor }), "data-section": anchor }, title2))
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
        for (const section2 of document.querySelectorAll("section")) followed.observe(section2);
      },
      setVariant: (name, sections) => {
        title.textContent = nameText2(name, 40);
        list.replaceChildren(...links(sections, name));
      }
    };
  }

  // runtime/report/trace/sampling.ts
  function samplingText({ interval, share }) {
    return `cores and threads sampled every ${formatNumber(interval)} ms, for ${formatPercent(share)} % of a core`;
  }

  // runtime/report/html/client/timeline/decode.ts
  function decodeTimeline(columns3) {
    const tracks = columns3.lanes.map((lane, i) => decodeTrack(lane, i, columns3));
    const spans = tracks.flatMap((track) => track.spans);
    const steps2 = /* @__PURE__ */ new Map();
    for (const { step, start, end } of spans) {
      if (step === null) continue;
      const known = steps2.get(step);
      if (known === void 0) steps2.set(step, { step, start, end });
      else {
        known.start = Math.min(known.start, start);
        known.end = Math.max(known.end, end);
      }
    }
    return {
      tracks,
      events: spans.toSorted((a, b) => a.start - b.start),
      counters: columns3.counters.filter(({ name, value }) => value.length > 1 || name.startsWith("core")).map(
        decodeCounter
      ),
      arrows: columns3.arrows,
      end: spans.reduce((last, { end }) => Math.max(last, end), 0),
      steps: [...steps2.values()].sort((a, b) => a.start - b.start)
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
  function decodeCounter({ name, time: time3, value }) {
    let at = 0;
    return {
      name,
      times: time3.map((delta) => at += delta),
      values: value,
      highest: value.reduce((most2, one) => Math.max(most2, one), 0)
    };
  }

  // runtime/report/html/client/timeline/events.ts
  function eventsTable({ events, tracks }, numberOf, href) {
    const lane = ({ track }) => tracks[track].name;
    const spec = {
      title: "Events",
      columns: [
        counts("#", numberOf),
        words("name", ({ name }) => name),
        figures("start", ({ start }) => start / 1e3, {
          format: formatTime,
          help: "Since the first event; copied in ms"
        }),
        figures("duration", lengthOf, { format: formatTime, help: "Copied in ms" }),
        words("lane", lane)
      ],
      rows: events
    };
    return createTable(spec, {
      key: (span) => String(numberOf(span)),
      cells: { name: (span, text2) => el("a", { class: "name", href: href(span), title: "Show in the timeline" }, text2) },
      search: {
        label: "Search events by name or lane",
        text: (span) => `${span.name} ${lane(span)}`,
        found: (found) => {
          const sum4 = found.reduce((sum5, span) => sum5 + lengthOf(span), 0);
          return `${formatCount(found.length)} of ${formatCount(events.length)} events, ${formatTime(sum4)} in sum`;
        }
      }
    });
  }
  function lengthOf({ start, end }) {
    return (end - start) / 1e3;
  }

  // runtime/report/html/client/timeline/labels.ts
  function trackLabels({ tracks, counters }, layout) {
    const label2 = (name, top, remark2) => {
      const element = el("div", { title: nameText2(name) }, nameText2(name, 40), remark2 && el("small", {}, remark2));
      element.style.top = `${top}px`;
      return element;
    };
    const labels = el(
      "div",
      { class: "labels" },
      ...tracks.map(({ name }, i) => label2(name, layout.tracks[i], null)),
      ...counters.map(({ name, highest }, i) => label2(name, layout.counters[i], `to ${counterText(name, highest)}`))
    );
    labels.style.height = `${layout.height}px`;
    return labels;
  }
  function counterText(name, value) {
    if (name.startsWith("core")) return `${value} %`;
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
  function spanAt(timeline, layout, time3, y, slack) {
    for (const [i, { rows }] of timeline.tracks.entries()) {
      const row = Math.floor((y - layout.tracks[i]) / ROW_HEIGHT);
      const spans = rows[row];
      if (y < layout.tracks[i] || spans === void 0) continue;
      const found = spans[firstEndingAfter(spans, time3 - slack)];
      return found !== void 0 && found.start <= time3 + slack ? found : null;
    }
    return null;
  }
  function firstEndingAfter(spans, time3) {
    let [low, high] = [0, spans.length];
    while (low < high) {
      const middle = low + high >> 1;
      if (spans[middle].end <= time3) low = middle + 1;
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
    #x(time3) {
      const { from, to } = this.#scene.view;
      return (time3 - from) / (to - from) * this.#width;
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
      context.fillText(nameText2(name, 80), Math.max(left, 0) + 4, top + ROW_HEIGHT / 2);
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
      const first2 = Math.max(0, times.findLastIndex((time3) => time3 <= from));
      for (let i = first2; i < times.length && times[i] < to; i++) {
        const [x, next] = [Math.max(0, this.#x(times[i])), Math.min(this.#width, this.#x(times[i + 1] ?? to))];
        const y = bottom - height(values[i]);
        context.lineTo(x, i === first2 ? bottom : bottom - height(values[i - 1]));
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
  var CPU_COLORS = {
    running: "--series-1",
    "waiting for a core": "--gap",
    "waiting for a disk": "--series-5"
  };
  function colorOfSpan(category, name) {
    if (category === "device") return phaseColor(name);
    if (category === "worker") return "--reader";
    if (category === "copy") return name.includes("profiler") ? "--gap" : "--series-6";
    if (category === "cpu") return CPU_COLORS[name] ?? "--series-1";
    return HOST_COLORS[name] ?? (name.startsWith("step") ? "--scope" : "--series-2");
  }
  function describeSpan(span, { tracks }, hrefs) {
    const { name, start, end, step, facts: facts2, track } = span;
    const trackName = tracks[track].name;
    const isOp = trackName.startsWith("device ops");
    const head = isOp ? el("a", { href: hrefs.op(span) }, nameText2(name)) : nameText2(name);
    const words2 = [
      formatTime((end - start) / 1e3),
      `at ${formatTime(start / 1e3)}`,
      nameText2(trackName, 40),
      step === null ? "" : `step ${step}`,
      ...Object.entries(facts2).map(([key, value]) => `${nameText2(key, 40)} ${nameText2(String(value), 120)}`)
    ];
    const event = el("a", { href: hrefs.event(span) }, "show in the table");
    return [el("strong", {}, head), ` ${words2.filter((word) => word !== "").join(" · ")} · `, event];
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
    /** Shows a range of at least 0.1 µs, moved into the timeline. */
    show(from, to) {
      const width = Math.min(this.#end, Math.max(0.1, to - from));
      this.from = Math.max(0, Math.min(from, this.#end - width));
      this.to = this.from + width;
    }
    /** @param part fraction of the visible width */
    pan(part2) {
      const by = (this.to - this.from) * part2;
      this.show(this.from + by, this.to + by);
    }
    /** Scales the visible range by `factor`, around a fixed time. */
    zoom(factor, around = (this.from + this.to) / 2) {
      const from = around - (around - this.from) * factor;
      this.show(from, from + (this.to - this.from) * factor);
    }
    all() {
      this.show(0, this.#end);
    }
    /** Scrolls a span into view, unless it is visible. */
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
  var HELP = "Drag to pan, Ctrl and wheel to zoom, double-click to zoom to a span. Arrow keys move between spans and tracks, with Shift they pan; plus and minus zoom, 0 shows all, Enter goes to the event in the table.";
  var TimelineView = class {
    element;
    stage;
    #timeline;
    #view;
    #layout;
    #canvas = el("canvas", { "aria-hidden": "true" });
    #readout = el("div", { class: "readout", "aria-live": "polite" });
    #colorOfSpan;
    #hrefs;
    #tracks;
    #selected = null;
    #width = 0;
    #pending = false;
    constructor(timeline, ops, hrefs) {
      this.#timeline = timeline;
      this.#hrefs = hrefs;
      this.#layout = layOutTimeline(timeline);
      const phases = new Map(ops.map(({ id, phase }) => [id, phase]));
      this.#colorOfSpan = ({ track, name }) => colorOfSpan(timeline.tracks[track].category, phases.get(name) ?? name);
      const last = timeline.steps[Math.min(FIRST_STEPS, timeline.steps.length) - 1];
      this.#view = new View(timeline.steps[0]?.start ?? 0, last?.end ?? timeline.end, timeline.end);
      this.stage = el("div", {
        class: "stage",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "timeline",
        "aria-label": `Timeline. ${HELP}`
      }, this.#canvas);
      this.#tracks = el("div", { class: "tracks" }, trackLabels(timeline, this.#layout), this.stage);
      this.element = el(
        "figure",
        { class: "chart timeline" },
        this.#toolbar(),
        this.#tracks,
        this.#readout
      );
      this.#readout.textContent = HELP;
      this.#listen();
      const observer = new ResizeObserver(() => {
        if (!this.stage.isConnected) return observer.disconnect();
        this.#width = Math.floor(this.stage.clientWidth);
        this.#repaint();
      });
      observer.observe(this.stage);
      onColorsChange(this.stage, () => this.#repaint());
    }
    #toolbar() {
      const act = (label2, name, action) => button(label2, { class: "tool", "aria-label": name, title: name }, () => {
        action();
        this.#repaint();
      });
      const toStep = (by) => {
        const { steps: steps2 } = this.#timeline;
        const middle = (this.#view.from + this.#view.to) / 2;
        const now = Math.max(0, steps2.findLastIndex(({ start }) => start <= middle));
        const next = steps2[Math.max(0, Math.min(steps2.length - 1, now + by))];
        if (next !== void 0) this.#view.show(next.start, next.end);
      };
      return el(
        "div",
        { class: "tools", role: "toolbar", "aria-label": "Timeline" },
        act("+", "Zoom in", () => this.#view.zoom(0.6)),
        act("−", "Zoom out", () => this.#view.zoom(1 / 0.6)),
        act("All", "Show all", () => this.#view.all()),
        act("‹ Step", "Previous step", () => toStep(-1)),
        act("Step ›", "Next step", () => toStep(1))
      );
    }
    #repaint() {
      if (this.#pending) return;
      this.#pending = true;
      requestAnimationFrame(() => {
        this.#pending = false;
        if (this.#width <= 0) return;
        this.stage.style.height = `${this.#layout.height}px`;
        this.stage.dataset["from"] = String(this.#view.from);
        this.stage.dataset["to"] = String(this.#view.to);
        paintTimeline(this.#canvas, this.#width, {
          timeline: this.#timeline,
          layout: this.#layout,
          view: this.#view,
          selected: this.#selected,
          colorOfSpan: this.#colorOfSpan
        });
      });
    }
    /** Selects a span and scrolls it into view. */
    show(span) {
      this.#select(span, true);
    }
    #select(span, reveal) {
      this.#selected = span;
      if (span !== null) {
        if (reveal) this.#reveal(span);
        this.#readout.replaceChildren(...describeSpan(span, this.#timeline, this.#hrefs));
      }
      this.#repaint();
    }
    #reveal({ start, end, track, row }) {
      this.#view.reveal(start, end);
      const top = this.#layout.tracks[track] + row * ROW_HEIGHT;
      requestAnimationFrame(() => {
        const { scrollTop, clientHeight } = this.#tracks;
        if (top < scrollTop || top + ROW_HEIGHT > scrollTop + clientHeight) {
          this.#tracks.scrollTop = top - clientHeight / 2;
        }
      });
    }
    #timeAt(clientX) {
      const { left } = this.stage.getBoundingClientRect();
      return this.#view.from + (clientX - left) / this.#width * (this.#view.to - this.#view.from);
    }
    #listen() {
      listenToPointer(this.stage, {
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
      this.stage.addEventListener("keydown", (event) => this.#onKey(event));
    }
    #under(event) {
      const { top } = this.stage.getBoundingClientRect();
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
        "0": () => view.all(),
        Enter: () => {
          if (this.#selected !== null) location.hash = this.#hrefs.event(this.#selected);
        }
      };
      const action = actions[event.key];
      if (action === void 0) return;
      event.preventDefault();
      action();
      this.#repaint();
    }
    /** Selects the next span of the track. */
    #step(by) {
      const selected = this.#selected;
      if (selected === null) return this.#select(this.#nearest(0), true);
      const { spans } = this.#timeline.tracks[selected.track];
      this.#select(spans[spans.indexOf(selected) + by] ?? selected, true);
    }
    /** Selects the nearest span of the next track. */
    #change(by) {
      const track = this.#selected === null ? 0 : this.#selected.track + by;
      this.#select(this.#nearest(track) ?? this.#selected, true);
    }
    #nearest(track) {
      const spans = this.#timeline.tracks[track]?.spans ?? [];
      const time3 = this.#selected?.start ?? this.#view.from;
      return spans.reduce(
        (best, span) => best === null || Math.abs(span.start - time3) < Math.abs(best.start - time3) ? span : best,
        null
      );
    }
  };

  // runtime/report/html/client/timeline/section.ts
  function timelineSection({ overview: overview2, variant, index, anchors }) {
    const base = { anchor: "timeline", title: "Timeline" };
    const columns3 = readTimeline(index);
    if (columns3 === null || columns3.lanes.length === 0) {
      const reason2 = notProfiled(variant) ?? (columns3 === null ? "its spans were not recorded" : null);
      return { ...base, content: reason2 ?? untimed(overview2) ?? "nothing was recorded" };
    }
    const { steps: steps2, recorded, leftOut, sampling } = columns3;
    const cut = steps2 < recorded ? `first ${steps2} of ${recorded} profiled steps; the others are left out to limit the size of the page` : "";
    const timeline = decodeTimeline(columns3);
    const { events } = timeline;
    const numbers = new Map(events.map((span, i) => [span, i + 1]));
    const href = (anchor) => hrefOf({ variant: variant.name, anchor });
    const view = new TimelineView(timeline, variant.ops, {
      op: ({ name }) => href(`op:${name}`),
      event: (span) => href(`event:${numbers.get(span)}`)
    });
    const table = eventsTable(timeline, (span) => numbers.get(span), (span) => href(`span:${numbers.get(span)}`));
    anchors.setFamily("event", table.rows);
    anchors.setFamily("span", {
      has: (number) => events[Number(number) - 1] !== void 0,
      find: (number) => {
        const span = events[Number(number) - 1];
        if (span === void 0) return null;
        view.show(span);
        return view.stage;
      }
    });
    return {
      ...base,
      about: `${formatCounted(steps2, "profiled step")}, on the host's clock`,
      content: [
        view.element,
        notes([
          sampling === null ? "" : samplingText(sampling),
          cut,
          leftOut === 0 ? "" : `${formatCounted(leftOut, "span")} lost because the recorder was full`
        ]),
        table.element
      ]
    };
  }

  // runtime/report/tuning_table.ts
  var COLUMNS3 = [
    words("op", ({ op }) => op, { cut: true }),
    counts("times in a step", ({ nodes }) => nodes.length, { heading: ["calls"], dropFirst: 2 }),
    words("shapes", ({ inputs, outputs }) => `${inputs.slice(0, 2).join(" ")} > ${outputs[0] ?? MISSING}`, {
      cut: true,
      dropFirst: 1
    }),
    figures("default", defaultOf, { heading: ["default", "ms"], unit: "ms" }),
    figures("chosen", chosenOf, { heading: ["chosen", "ms"], unit: "ms" }),
    figures("gain", gainOf, { format: (gain) => `×${formatNumber(gain)}`, help: "default / chosen" }),
    words("kernel", ({ chosen: chosen2 }) => chosen2, { dropFirst: 3 }),
    counts("candidates", ({ candidates }) => candidates.length, { only: "data" }),
    words("source", ({ source }) => source, { heading: ["from"], dropFirst: 0 })
  ];
  function tuningTable({ name, autotune }) {
    return {
      title: `${nameInProse(name)}: kernels timed on the ${autotune?.clock}'s clock, by gain`,
      columns: COLUMNS3,
      rows: autotune?.ops.toSorted((a, b) => saved(b) - saved(a)) ?? [],
      notes: autotune === null ? [] : ["gain: default / chosen", `times are cached in ${autotune.cache}`]
    };
  }
  function defaultOf({ candidates }) {
    return candidates[0]?.time ?? null;
  }
  function chosenOf({ candidates }) {
    return candidates.find(({ chosen: chosen2 }) => chosen2)?.time ?? null;
  }
  function gainOf(op) {
    const [first2, used] = [defaultOf(op), chosenOf(op)];
    return first2 === null || used === null || used === 0 ? null : first2 / used;
  }
  function saved(op) {
    const used = chosenOf(op);
    return used === null ? 0 : (defaultOf(op) ?? used) * op.nodes.length - used * op.nodes.length;
  }

  // runtime/report/html/client/variant/autotune.ts
  function autotuneSection({ variant }) {
    const base = { anchor: "autotune", title: "Autotuning" };
    const { autotune } = variant;
    if (autotune === null) return { ...base, content: notTuned(variant) };
    const spec = tuningTable(variant);
    const table = createTable(spec, { limit: 40 });
    return { ...base, about: spec.title, content: [table.element, notes([...spec.notes ?? [], ...autotune.warnings])] };
  }

  // runtime/record/peak_choice.ts
  var QUIET = { load: 0.1, spread: 0.1 };
  function isQuiet({ load, spread: spread4 }) {
    return spread4 !== null && spread4 <= QUIET.spread && (load === null || load <= QUIET.load);
  }
  function peaksByName({ f32, f16, copy }) {
    return [["f32", f32], ...f16 === null ? [] : [["f16", f16]], ["copy", copy]];
  }

  // runtime/report/peaks.ts
  function peakRate({ value, unit }) {
    return `${formatNumber(value / 1e9)} G${unit === "FLOP/s" ? "FLOP/s" : "B/s"}`;
  }
  function peaksLine(peaks) {
    const all = peaksByName(peaks).map(([, peak2]) => peak2);
    const dates = all.map(({ date }) => date.slice(0, 10)).sort();
    const measured = dates[0] === dates.at(-1) ? dates[0] : `${dates[0]} to ${dates.at(-1)}`;
    const rates = peaksByName(peaks).map(([name, peak2]) => `${name} ${peakRate(peak2)}`);
    const disturbed = all.every(isQuiet) ? "" : "; not quiet, so the peaks may be higher: tacho peaks --measure";
    return `peaks of this adapter: ${rates.join(", ")}; measured ${measured} on the ${peaks.clock}'s clock, other load ${range(all.map(({ load }) => load))}, spread ${range(all.map(({ spread: spread4 }) => spread4))}${disturbed}`;
  }
  function range(fractions) {
    const known = fractions.filter((fraction) => fraction !== null);
    if (known.length < fractions.length) return MISSING;
    const [low, high] = [Math.min(...known), Math.max(...known)].map(formatPercent);
    return low === high ? `${low} %` : `${low} to ${high} %`;
  }

  // runtime/report/outcome/bottleneck.ts
  var LONGEST_REASON = 54;
  function ablationsTable({ variants }) {
    const rows = variants.flatMap(
      ({ name, bottleneck }) => (bottleneck?.arms ?? []).map((ablation) => ({ variant: name, ablation }))
    );
    return {
      title: "Ablations: the step with one part removed",
      columns: ABLATION_COLUMNS,
      rows,
      notes: [
        "measured; ratio: time of the full step / time without that part; ×1.00: the part costs nothing",
        ...new Set(rows.map(({ ablation }) => `${ablation.name}: without ${ablation.what}`)),
        ...conclusions({ variants })
      ]
    };
  }
  var DEVICE = words("bound on the device", ({ bottleneck: { device: device2 } }) => {
    return device2 && `${device2.bound} ${formatPercent(device2.bound === "mixed" ? device2.compute : device2[device2.bound])} %`;
  }, { heading: ["on the", "device"], dropFirst: 2 });
  var WHY = words("why", whyOf, {
    most: LONGEST_REASON,
    cut: true
  });
  function whyOf({ bottleneck: { byRules, byArms } }) {
    return (byArms ?? byRules)?.reason ?? null;
  }
  var ABLATION_COLUMNS = [
    names("variant", ({ variant }) => variant),
    words("ablation", ({ ablation }) => ablation.name),
    figures("batch cost", ({ ablation }) => ablation.batchCost, { heading: ["ms per", "step"] }),
    figures("ratio", ({ ablation }) => ablation.ratio.value, { format: formatRatio }),
    words("interval", ({ ablation: { ratio: { low, high } } }) => {
      return low === null || high === null ? null : formatInterval(low, high);
    }, { align: "right", sort: ({ ablation }) => ablation.ratio.low }),
    counts("rounds", ({ ablation }) => ablation.rounds, { dropFirst: 2 })
  ];
  function conclusions({ variants }) {
    return variants.flatMap(({ name, bottleneck }) => {
      const { byRules = null, byArms = null } = bottleneck ?? {};
      if (byArms === null) return [];
      const differs = byRules === null || byRules.bound === byArms.bound ? "" : `. By the trace alone it would be ${byRules.bound} (${byRules.reason})`;
      const bound = byArms.bound === "none" ? "" : `bound by ${byArms.bound}: `;
      return [`${nameInProse(name)}: ${bound}${byArms.reason}${differs}.`];
    });
  }

  // runtime/report/html/client/variant/findings.ts
  function bottleneckSection({ variant }) {
    const base = { anchor: "bottleneck", title: "Bottleneck" };
    const { bottleneck } = variant;
    if (bottleneck === null) {
      const alone = variant.parameters === null && variant.status === "ok";
      const missing = alone ? "no model, so the loader takes the whole step" : "not analysed";
      return { ...base, content: notProfiled(variant) ?? missing };
    }
    return {
      ...base,
      content: [
        facts([
          ["By rules", reading(bottleneck.byRules, "device times are missing")],
          ["By ablations", reading(bottleneck.byArms, "no ablations ran (--bottleneck)")],
          ["Device", device(bottleneck)]
        ], "long"),
        ...bottleneck.arms.length === 0 ? [] : tableContent(ablationsTable({ variants: [variant] }), { omit: ["variant"] })
      ]
    };
  }
  function reading(read, missing) {
    return read === null ? `${MISSING} ${missing}` : el("span", {}, el("strong", {}, read.bound), ` – ${nameText2(read.reason, 600)}`);
  }
  function device({ device: device2 }) {
    if (device2 === null) return `${MISSING} its ops were not classified`;
    return el("span", {}, el("strong", {}, device2.bound), ` – ${nameText2(device2.reason, 400)}`);
  }
  function findingsSection({ variant, anchors, shared: shared2 }) {
    const base = { anchor: "findings", title: "Findings" };
    const { findings, name } = variant;
    if (findings.length === 0) {
      const nothing = variant.status === "ok" ? "the analysis found nothing to improve" : "the variant did not complete, and findings need a complete run";
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
    const { kind, severity, message, evidence: evidence2, changes, predicted } = finding;
    const proofs = evidence2.map(({ label: label2, value, where }) => {
      const text2 = `${nameText2(label2, 80)} ${nameText2(value, 80)}`;
      const href = hrefTo(where);
      return el("li", {}, href === null ? text2 : el("a", { href }, text2));
    });
    return el(
      "li",
      { class: severity },
      el("p", {}, el("span", { class: "kind" }, `${severity} · ${nameText2(kind, 60)}`), " ", nameText2(message, 1e3)),
      proofs.length === 0 ? null : el("ul", { class: "evidence", "aria-label": "Evidence" }, ...proofs),
      changes.length === 0 ? null : el("p", { class: "change" }, "Change ", el("code", {}, changesText(changes))),
      predicted === null ? null : notes([`Predicted ${formatRatio(predicted.gain)}: ${nameText2(predicted.reasoning, 600)}`])
    );
  }

  // runtime/analysis/op_stalls.ts
  var FAR2 = 5;
  var MATTERS = 0.05;
  var FEWEST_CALLS = 3;
  function stalledOps(ops) {
    const step = ops.reduce((sum4, { median: median2 }) => sum4 + (median2 ?? 0), 0);
    return ops.flatMap((op) => {
      const { calls, median: median2, max: worst } = op;
      if (median2 === null || worst === null || calls < FEWEST_CALLS) return [];
      return worst >= FAR2 * median2 && worst - median2 >= MATTERS * step ? [{ op, worst, median: median2 }] : [];
    }).toSorted((a, b) => b.worst - b.median - (a.worst - a.median));
  }
  function stalledGaps(phases) {
    const step = phases.reduce((sum4, { interval }) => sum4 + interval, 0);
    return phases.flatMap(({ gaps }) => {
      if (gaps === null || gaps.usual === null || gaps.longest === null) return [];
      const { longest: { ms: worst, before: before2 }, usual } = gaps;
      return worst >= FAR2 * usual && worst - usual >= MATTERS * step ? [{ before: before2, worst, usual }] : [];
    }).toSorted((a, b) => b.worst - b.usual - (a.worst - a.usual));
  }

  // runtime/analysis/residual_cause.ts
  var SIGNIFICANT_RESIDUAL = 0.05;

  // runtime/report/timestamps.ts
  function doubtful(counts2) {
    const some = Object.entries(counts2).filter(([, count]) => count > 0);
    return some.length === 0 ? null : some.map(([name, count]) => `${formatCount(count)} ${name}`).join(", ");
  }

  // runtime/report/profile/trust.ts
  function trustLines({ config, profile, ops }, source) {
    if (profile === null) return [`cost of profiling: ${MISSING}, no steps were profiled`];
    const timed = profile.phases.length > 0 || profile.trust.resolution !== null;
    const parts = [
      source === "ops" ? residualShares(profile) : null,
      source === "ops" ? defects(profile.trust.defects) : null,
      source === "host" || !timed ? null : clock(profile)
    ];
    return [
      ...source === "ops" ? stallLines(profile, ops) : [],
      parts.filter((part2) => part2 !== null).join(" · "),
      ...source === "ops" ? residualCauses(profile) : [],
      cost(profile, isOwnLoop(config))
    ].filter((line2) => line2 !== "");
  }
  var NAMED_STALLS = 3;
  function stallLines({ phases }, ops) {
    const all = [
      ...stalledOps(ops).map(
        ({ op, worst, median: median2 }) => `${op.name} ${formatNumber(worst)} ms once, median ${formatNumber(median2)} ms`
      ),
      ...stalledGaps(phases).map(
        ({ before: before2, worst, usual }) => `gap of ${formatNumber(worst)} ms before ${nameText(before2, 40)} once, usually at most ${formatNumber(usual)} ms`
      )
    ];
    if (all.length === 0) return [];
    const more2 = all.length > NAMED_STALLS ? `; and ${all.length - NAMED_STALLS} more` : "";
    const named2 = all.slice(0, NAMED_STALLS).join("; ");
    return [`stalled: ${named2}${more2} (total, mean and max include it, median and share do not)`];
  }
  function residuals({ profile }) {
    if (profile === null || profile.phases.length === 0) return null;
    const parts = profile.phases.map(
      ({ phase, interval, ops, residual }) => `${phase} ${signed2(ops)} + ${signed2(residual)} = ${signed2(interval)}`
    );
    return `ops + residual = phase, medians in ms per profiled step: ${parts.join("; ")}`;
  }
  function residualShares({ phases }) {
    if (phases.length === 0) return null;
    const share = (residual, interval) => interval > 0 ? formatPercent(residual / interval) : MISSING;
    const parts = phases.map(({ phase, interval, residual }) => `${phase} ${share(residual, interval)} %`);
    return `residual: ${parts.join(", ")}`;
  }
  function residualCauses({ phases }) {
    return phases.filter(({ residual, interval }) => residual > SIGNIFICANT_RESIDUAL * interval).map((split) => {
      const { phase, residual, interval } = split;
      return `residual of ${phase}, ${formatPercent(residual / interval)} %: ${causeText(split)}`;
    });
  }
  function causeText({ cause, gaps, measured }) {
    const between = `${formatCounted(gaps?.count ?? 0, "gap")} between kernels`;
    const also = measured === null ? "" : ` (${formatNumber(measured)} ms)`;
    switch (cause) {
      case "stall": {
        const { ms = NaN, before: before2 = "" } = gaps?.longest ?? {};
        return `one gap of ${formatNumber(ms)} ms before ${nameText(before2, 40)}, far longer than the others`;
      }
      case "submits":
        return "gaps between submits, since a step has more dispatches than a query set holds";
      case "launches":
        return `${between}, which the measured steps have too${also}`;
      case "timestamps":
        return `${between}, which are timed one by one; the measured steps do not have them${also}`;
      case null:
        return `${between}; ${measured === null ? "the measured steps' phases were not timed" : "cause not recorded"}`;
    }
  }
  function defects(counts2) {
    const some = doubtful(counts2);
    return some === null ? null : `doubtful timestamps: ${some}`;
  }
  function clock({ trust: { nsPerTick, offsetUncertainty, resolution } }) {
    const parts = [
      nsPerTick === null ? "not calibrated" : `${nsPerTick.value.toFixed(6)} ns per tick ±${nsPerTick.uncertainty.toExponential(0)}`,
      offsetUncertainty === null ? null : `aligned with the host's within ${formatNumber(offsetUncertainty)} ms`,
      resolution === null ? null : `resolution ${formatNumber(resolution)} ns`
    ];
    return `device clock: ${parts.filter((part2) => part2 !== null).join(", ")}`;
  }
  function cost({ cost: { phases, ops, uncertainty } }, ownLoop) {
    const percent2 = (ratio, within3) => {
      if (ratio === null) return MISSING;
      return `${formatPercent(ratio)}${within3 === void 0 ? "" : ` ±${formatPercent(within3)}`} %`;
    };
    if (ownLoop) return `cost of profiling, of the batch cost: ${percent2(ops, uncertainty?.ops)}`;
    return `cost of profiling, of the batch cost: ${percent2(phases, uncertainty?.phases)} for phases, ${percent2(ops, uncertainty?.ops)} for every dispatch`;
  }
  function signed2(value) {
    return value < 0 ? `-${formatNumber(-value)}` : formatNumber(value);
  }

  // runtime/report/profile/host.ts
  function hostTable(variant) {
    const { blocks, profile } = variant;
    const host2 = profile?.host ?? [];
    const steps2 = blocks.reduce((sum4, block) => sum4 + block.steps.length, 0);
    const ofHost = (value) => (row) => "ofStep" in row ? null : value(row);
    const time3 = (name, dropFirst) => figures(name, ofHost((work) => work[name]), { unit: "ms", dropFirst });
    return {
      title: `Host: ms over ${steps2} measured steps, on the host's clock`,
      columns: [
        words("work", ({ name }) => name, { beside: 62 }),
        counts("calls", ofHost(({ calls }) => calls), { dropFirst: 3 }),
        time3("total", 4),
        time3("mean", 5),
        time3("min", 1),
        time3("max", 2),
        figures("time of a step", (row) => "ofStep" in row ? row.ofStep : steps2 === 0 ? null : row.total / steps2, {
          heading: ["per step"],
          unit: "ms"
        }),
        percentages("share", ofHost((work) => hostShare(work, variant)), {
          heading: ["share %"],
          help: "Share of the blocks' wall time; workers run in parallel"
        })
      ],
      rows: profile === null ? [] : [...host2, ...generatedRow(variant)],
      notes: [
        "share: of the blocks' wall time; workers run in parallel" + (host2.some((work) => work.name === "monitor loss" && hostShare(work, variant) === null) ? "; losses read asynchronously are not included" : ""),
        generated(variant),
        ...trustLines(variant, "host")
      ]
    };
  }
  function generatedRow({ ops }) {
    const random = randomOps(ops);
    if (random.length === 0) return [];
    const ofStep = random.reduce((sum4, op) => sum4 === null || op.mean === null ? null : sum4 + op.mean, 0);
    return [{ name: "generate data (device)", ofStep }];
  }
  function generated({ ops }) {
    const random = randomOps(ops);
    if (random.length === 0) return `generate data: ${MISSING}, no layer draws random numbers`;
    const names3 = random.slice(0, 3).map((op) => nameText(op.name, 40)).join(", ");
    const more2 = random.length > 3 ? ` and ${random.length - 3} more` : "";
    return `generate data: device time of ${names3}${more2} in the profiled steps`;
  }
  var COPY_COLUMNS = [
    words("copies", ({ direction }) => direction),
    counts("count", ({ count }) => count),
    figures("size", ({ bytes: bytes2 }) => bytes2 / 2 ** 20, {
      heading: ["MiB"],
      format: (_, { bytes: bytes2 }) => formatMiB(bytes2)
    }),
    percentages("share of bytes", ({ ofBytes }) => ofBytes, { only: "data" }),
    figures("host time", ({ by }) => by?.total ?? null, { heading: ["host ms"], unit: "ms" }),
    percentages("share of time", ({ ofTime }) => ofTime, { only: "data" }),
    figures("rate", ({ by, bytes: bytes2 }) => by === void 0 || by.total <= 0 || bytes2 === 0 ? null : bytes2 / by.total / 1e6, {
      heading: ["GB/s"]
    }),
    words("measured as", ({ by }) => by?.name ?? null)
  ];
  function copiesTable(variant) {
    const { profile } = variant;
    const by = (name) => profile?.host.find((work) => work.name === name);
    const directions = profile === null || isOwnLoop(variant.config) ? [] : [
      { direction: "host to device", ...profile.transfers.hostToDevice, by: by("let data") },
      { direction: "device to host", ...profile.transfers.deviceToHost, by: by("monitor loss") }
    ];
    const bytes2 = directions.reduce((sum4, { bytes: bytes3 }) => sum4 + bytes3, 0);
    const time3 = directions.reduce((sum4, { by: by2 }) => sum4 + (by2?.total ?? 0), 0);
    return {
      title: "Copies in the measured steps",
      columns: COPY_COLUMNS,
      rows: directions.map((row) => ({
        ...row,
        ofBytes: bytes2 > 0 ? row.bytes / bytes2 : null,
        ofTime: time3 > 0 && row.by !== void 0 ? row.by.total / time3 : null
      })),
      notes: [
        "times on the host: writeBuffer has no device time; a readback includes waiting for the device",
        ...trustLines(variant, "host")
      ]
    };
  }
  function noCpu({ steps: steps2, cpu }) {
    if (steps2 === 0) return "measured during profiled steps, and there were none";
    return cpu.length === 0 ? "not available on this operating system" : null;
  }
  function cpuTable(variant) {
    const { steps: steps2 = 0, cpu = [] } = variant.profile ?? {};
    const cores = cpu.some(({ kind }) => kind === "core");
    return {
      title: `CPU: per cent of the time during ${formatCounted(steps2, "profiled step")}`,
      columns: [
        words("core or thread", ({ name }) => name, { heading: ["core, thread"], beside: 40 }),
        words("kind", ({ kind }) => kind, { only: "data" }),
        percentages("running", ({ running }) => running),
        percentages("waiting", ({ waiting }) => waiting, { help: "Ready to run, but no core was free" })
      ],
      rows: cpu,
      notes: [
        "waiting: ready to run, but no core was free",
        ...cores ? [] : [`cores: ${MISSING}, the steps were shorter than the system's clock tick`],
        ...trustLines(variant, "host")
      ]
    };
  }
  function rangesTable(variant) {
    return {
      title: "Ranges: ms",
      columns: [
        words("range", ({ path }) => path, {
          beside: 48,
          text: ({ path }) => path.split("/").at(-1),
          depth: ({ path }) => Math.min(path.split("/").length - 1, 8)
        }),
        words("on", ({ track }) => track),
        words("phase", ({ phase }) => phase),
        counts("entries", ({ entries }) => entries, { help: "Times that the range was entered" }),
        counts("calls", ({ calls, track, phase }) => track === "device" && phase !== null ? calls : null, {
          help: "Calls of the ops in it"
        }),
        figures("total", ({ total }) => total, { unit: "ms" }),
        figures("mean", ({ mean }) => mean, { unit: "ms", help: "Time of an entry" })
      ],
      rows: variant.profile?.ranges ?? [],
      notes: [
        isOwnLoop(variant.config) ? "on the device: from the moment it reaches the range to the end of what was submitted in it; mean: of an entry" : "on the device: time of the ops created within the range, in the profiled steps; calls: of these ops; mean: of an entry",
        ...trustLines(variant, "ops")
      ]
    };
  }
  function randomOps(ops) {
    return ops.filter(({ phase, roles }) => phase === "forward" && roles.includes("random"));
  }
  function hostShare(work, { blocks, config }) {
    const wall = blocks.reduce((sum4, block) => sum4 + block.wall, 0);
    if (wall <= 0 || readAfterwards(work, config)) return null;
    return work.total / wall;
  }
  function readAfterwards({ name }, config) {
    return name === "monitor loss" && (config.monitor !== "step" || config.sink !== 0);
  }

  // runtime/report/html/client/variant/share_bar.ts
  function shareBar(share, text2) {
    const bar2 = el("span", { class: "share" }, text2);
    bar2.style.setProperty("--share", String(Math.max(0, Math.min(1, share ?? 0))));
    return bar2;
  }

  // runtime/report/html/client/variant/host.ts
  function hostSection({ variant }) {
    const base = { anchor: "host", title: "Host work" };
    const { profile, counts: counts2 } = variant;
    if (profile === null) return { ...base, content: notProfiled(variant) ?? "" };
    if (profile.host.length === 0) return { ...base, content: "the host's work was not recorded" };
    const host2 = hostTable(variant);
    return {
      ...base,
      about: host2.title,
      content: [
        createTable(host2).element,
        facts([[
          "Submits, waits, readbacks",
          counts2 === null ? MISSING : `${counts2.submits}, ${counts2.waits}, ${counts2.readbacks}`
        ]]),
        notes(host2.notes ?? [])
      ]
    };
  }
  function cpuSection({ variant }) {
    const base = { anchor: "cpu", title: "CPU use" };
    const { profile } = variant;
    const missing = profile === null ? notProfiled(variant) : noCpu(profile);
    if (missing !== null) return { ...base, content: missing };
    const spec = cpuTable(variant);
    const cells = { running: ({ running }, text2) => shareBar(running, text2) };
    return { ...base, about: spec.title, content: tableContent(spec, { cells }) };
  }
  function rangesSection({ variant }) {
    const base = { anchor: "ranges", title: "Ranges" };
    const spec = rangesTable(variant);
    if (spec.rows.length === 0) return { ...base, content: notProfiled(variant) ?? "the script marks no ranges" };
    const cells = { range: ({ path }, text2) => el("span", { title: nameText2(path, 400) }, text2) };
    return { ...base, content: tableContent(spec, { cells }) };
  }

  // runtime/report/html/client/variant/loss_scale.ts
  var MOST_LISTED = 20;
  function lossScaleSection({ variant: { lossScale, losses } }) {
    const base = { anchor: "loss-scale", title: "Loss scale" };
    const first2 = lossScale?.changes[0]?.step;
    if (lossScale === null) return { ...base, content: "no loss scaling" };
    if (first2 === void 0) return { ...base, content: "no loss was read" };
    const steps2 = Array.from({ length: losses.length - first2 }, (_, i) => first2 + i);
    let next = 0;
    const values = steps2.map((step) => {
      while (next < lossScale.changes.length && lossScale.changes[next].step <= step) next++;
      return Number(lossScale.changes[next - 1].scale);
    });
    const chart = seriesChart({
      label: "Loss scale over steps",
      x: { name: "step", values: steps2 },
      unit: "factor",
      series: [{ name: "loss scale", values, color: "--series-1", kind: "steps" }],
      include: [0],
      height: 160
    });
    const { skipped } = lossScale;
    const listed = skipped.slice(0, MOST_LISTED).join(", ");
    const more2 = skipped.length > MOST_LISTED ? `, and ${formatCounted(skipped.length - MOST_LISTED, "more step")}` : "";
    const note = skipped.length === 0 ? "no update was skipped" : `updates skipped at steps ${listed}${more2}`;
    return {
      ...base,
      about: "Factor on the loss at every step, including warm-up steps",
      content: [chart, notes([note])]
    };
  }

  // runtime/analysis/memory_peak.ts
  var MEMORY_CLASSES = ["parameters", "gradients", "optimizer", "activations", "workspace", "feed"];
  function usedBytes(point) {
    return MEMORY_CLASSES.reduce((sum4, name) => sum4 + point[name], 0);
  }
  function memoryPeak(points) {
    return points.reduce(
      (peak2, point) => peak2 === null || usedBytes(point) > usedBytes(peak2) ? point : peak2,
      null
    );
  }

  // runtime/report/sparkline.ts
  var BARS = "▁▂▃▄▅▆▇█";
  var GAP2 = "·";
  var LEAST_RANGE = 0.1;
  var SPARKLINE_NOTE = "bars: from the smallest to the largest value, or to 10 % above the smallest; a bar for several steps shows the longest";
  function sparkline(values, width, from) {
    const points = sampleSteps(values, width);
    const known = points.filter((value) => value !== null);
    const least2 = from ?? known.reduce((a, b) => Math.min(a, b), Infinity);
    const most2 = known.reduce((a, b) => Math.max(a, b), least2 + Math.abs(least2) * LEAST_RANGE);
    const bar2 = (value) => {
      const height = most2 > least2 ? (value - least2) / (most2 - least2) : 0;
      return BARS[Math.min(BARS.length - 1, Math.floor(height * BARS.length))];
    };
    return points.map((value) => value === null ? GAP2 : bar2(value)).join("");
  }

  // runtime/report/profile/memory.ts
  function memoryTable(variant) {
    const points = variant.profile?.memory ?? [];
    const peak2 = memoryPeak(points);
    const all = peak2 === null ? 0 : usedBytes(peak2);
    const row = (name, value, planned) => ({
      name,
      atPeak: peak2 && value(peak2),
      planned,
      overStep: points.map(value)
    });
    return {
      title: peak2 === null ? "Planned memory" : `Memory over a step: peak while ${nameInProse(peak2.op)} runs`,
      columns: [
        words("class", ({ name }) => name),
        bytes("at the peak", ["at peak", "MiB"], ({ atPeak }) => atPeak),
        percentages("share", ({ atPeak }) => atPeak === null || all === 0 ? null : atPeak / all, {
          heading: ["share", "%"]
        }),
        bytes("planned", ["planned", "MiB"], ({ planned }) => planned),
        words("over the ops", ({ overStep }) => sparkline(overStep, 40, 0), {
          heading: ["over the ops of a step"],
          dropFirst: 1,
          beside: 48,
          only: "lines",
          text: ({ overStep }, room) => sparkline(overStep, room, 0)
        })
      ],
      rows: [
        ...MEMORY_CLASSES.map((name) => row(name, (point) => point[name], variant.memory?.[name] ?? null)),
        row("all", usedBytes, variant.memory?.peak ?? null)
      ],
      notes: [
        "planned: allocated memory; buffers that activations and workspace share count as activations",
        "at peak: shared buffers count as what they hold at that moment",
        ...trustLines(variant, "host")
      ]
    };
  }
  function bytes(name, heading2, value) {
    const mebibytes = (row) => {
      const known = value(row);
      return known === null ? null : known / 2 ** 20;
    };
    return figures(name, mebibytes, { heading: heading2, unit: "MiB", format: (_, row) => formatMiB(value(row)) });
  }

  // runtime/report/html/client/variant/memory.ts
  function memorySection({ variant }) {
    const base = { anchor: "memory", title: "Memory" };
    const points = variant.profile?.memory ?? [];
    const peak2 = memoryPeak(points);
    if (variant.memory === null && peak2 === null) {
      return {
        ...base,
        content: variant.parameters === null ? noModelReason(variant.config) : "no memory was planned"
      };
    }
    const at = peak2 === null ? -1 : points.indexOf(peak2);
    const chart = peak2 === null ? el("p", { class: "missing" }, `${MISSING} over a step: ${notProfiled(variant) ?? "not recorded"}`) : seriesChart({
      label: "Device memory over the ops of a step",
      x: {
        name: "op",
        values: points.map((_, i) => i),
        text: (i) => points[i] === void 0 ? "" : nameText2(points[i].op, 24)
      },
      unit: "MiB",
      series: MEMORY_CLASSES.map((name) => ({
        name,
        color: MEMORY_COLORS[name],
        kind: "bars",
        values: points.map((point) => point[name] / 2 ** 20)
      })),
      stacked: true,
      include: [0, usedBytes(peak2) / 2 ** 20 * 1.12],
      // room for the label of the peak
      marks: [{ x: at, text: `peak ${formatMiB(usedBytes(peak2))} MiB: ${nameText2(peak2.op, 40)}` }],
      height: 220
    });
    const where = peak2 === null ? null : el("p", {}, "Peak while ", variantLink(variant.name, `op:${peak2.op}`, nameText2(peak2.op, 60)), " runs.");
    return {
      ...base,
      about: "Device memory by class",
      content: [chart, where, ...tableContent(memoryTable(variant), { cells: { class: classCell } })]
    };
  }
  function classCell({ name }, text2) {
    const color = MEMORY_COLORS[name];
    return color === void 0 ? el("strong", {}, text2) : el("span", { class: "name" }, swatch(color), text2);
  }

  // runtime/analysis/op_groups.ts
  var DEEPEST = 8;
  function groupOps(ops, by) {
    const whole2 = sum2(ops.map((op) => op.median));
    if (by === "layer") return layerGroups(ops, whole2);
    if (by === "kernel") return kernelGroups(ops, whole2).toSorted(byTime);
    const groups2 = [...Map.groupBy(ops, (op) => op[by])].map(([name, members]) => summarizeOps(name, 0, members, whole2));
    if (by !== "phase") return groups2.toSorted(byTime);
    const phases = phasesNamed(ops.map((op) => op.phase)).map(({ name }) => name);
    return groups2.toSorted((a, b) => phases.indexOf(a.name) - phases.indexOf(b.name)).flatMap((group) => {
      const again = ops.filter(({ phase, recomputed }) => phase === group.name && recomputed === true);
      return again.length === 0 ? [group] : [group, summarizeOps(`${group.name}: recomputed`, 1, again, whole2)];
    });
  }
  function byTime(a, b) {
    return (b.perStep ?? -1) - (a.perStep ?? -1);
  }
  function kernelGroups(ops, whole2) {
    const dispatches = ops.flatMap((op) => op.kernels.map((kernel) => ({ ...kernel, op })));
    return [...Map.groupBy(dispatches, ({ name }) => name)].map(([name, members]) => {
      const owners = [...new Set(members.map(({ op }) => op))];
      const alone = owners.every(({ kernels }) => kernels.every((kernel) => kernel.name === name));
      const work = (key) => alone ? sum2(owners.map((op) => op[key])) : null;
      return summarize(name, 0, {
        owners: owners.length,
        timed: members,
        flops: work("flops"),
        bytes: work("bytes")
      }, whole2);
    });
  }
  function rate(work, ms) {
    return work === null || ms === null || ms <= 0 ? null : work / ms / 1e6;
  }
  function setupOf({ setup: { pipeline, firstDispatch } }) {
    return pipeline === null && firstDispatch === null ? null : (pipeline ?? 0) + (firstDispatch ?? 0);
  }
  function layerGroups(ops, whole2) {
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
      return [
        summarizeOps(scope.path, depth, within2(scope), whole2),
        ...children.flatMap((child) => walk(child, depth + 1))
      ];
    };
    return [...root.children.values()].flatMap((scope) => walk(scope, 0));
  }
  function prefixes(layer) {
    const parts = layer.split(".");
    const levels = Math.min(parts.length, DEEPEST);
    return Array.from({ length: levels }, (_, i) => i === levels - 1 ? layer : parts.slice(0, i + 1).join("."));
  }
  function within2(scope) {
    return [...scope.own, ...[...scope.children.values()].flatMap(within2)];
  }
  function summarizeOps(name, depth, ops, whole2) {
    const [flops, bytes2] = [sum2(ops.map((op) => op.flops)), sum2(ops.map((op) => op.bytes))];
    return summarize(name, depth, { owners: ops.length, timed: ops, flops, bytes: bytes2 }, whole2);
  }
  function summarize(name, depth, members, whole2) {
    const { owners, timed, flops, bytes: bytes2 } = members;
    const perStep = sum2(timed.map(({ median: median2 }) => median2));
    const known = (key) => timed.map((one) => one[key]).filter((time3) => time3 !== null);
    return {
      name,
      depth,
      ops: owners,
      calls: timed.reduce((sum4, { calls }) => sum4 + calls, 0),
      total: sum2(timed.map(({ total }) => total)),
      perStep,
      mean: sum2(timed.map(({ mean }) => mean)),
      min: least(known("min")),
      max: most(known("max")),
      share: perStep === null || whole2 === null || whole2 <= 0 ? null : perStep / whole2,
      flops,
      bytes: bytes2,
      gflops: rate(flops, perStep),
      gbps: rate(bytes2, perStep)
    };
  }
  function sum2(values) {
    return values.reduce((sum4, value) => sum4 === null || value === null ? null : sum4 + value, 0);
  }
  function least(values) {
    return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
  }
  function most(values) {
    return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
  }

  // runtime/analysis/op_order.ts
  var COLUMNS4 = {
    order: () => null,
    name: (op) => op.name,
    type: (op) => op.type,
    layer: (op) => op.layer,
    phase: (op) => op.phase,
    kernel: (op) => op.kernel,
    calls: (op) => op.calls,
    total: (op) => op.total,
    median: (op) => op.median,
    mean: (op) => op.mean,
    min: (op) => op.min,
    max: (op) => op.max,
    share: (op) => op.share,
    flops: (op) => op.flops,
    bytes: (op) => op.bytes,
    gflops: (op) => rate(op.flops, op.median),
    gbps: (op) => rate(op.bytes, op.median),
    setup: setupOf
  };
  var SORT_COLUMNS = Object.keys(COLUMNS4);
  var GROUP_COLUMNS = {
    name: (group) => group.name,
    calls: (group) => group.calls,
    total: (group) => group.total,
    median: (group) => group.perStep,
    mean: (group) => group.mean,
    min: (group) => group.min,
    max: (group) => group.max,
    share: (group) => group.share,
    flops: (group) => group.flops,
    bytes: (group) => group.bytes,
    gflops: (group) => group.gflops,
    gbps: (group) => group.gbps
  };
  function sortOps(ops, by) {
    return sorted(ops, COLUMNS4[by]);
  }
  function sortGroups(groups2, by) {
    const value = GROUP_COLUMNS[by];
    return value === void 0 ? [...groups2] : sorted(groups2, value);
  }
  function sorted(rows, valueOf) {
    return rows.toSorted((a, b) => {
      const [x, y] = [valueOf(a), valueOf(b)];
      if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0);
      if (typeof x === "number" && typeof y === "number") return y - x;
      return String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0;
    });
  }

  // runtime/analysis/roofline.ts
  function place(work, peaks) {
    return placeAll([work], work.time, peaks);
  }
  function placeAll(works, time3, peaks) {
    const flops = sum3(works, (work) => work.flops);
    const bytes2 = sum3(works, (work) => work.bytes);
    if (flops === 0 && bytes2 === 0) return null;
    const computeTime = sum3(works, (work) => work.flops / computePeak(work.dtype, peaks) * 1e3);
    const memoryTime = bytes2 / peaks.copy.value * 1e3;
    const attainableTime = Math.max(computeTime, memoryTime);
    return {
      intensity: bytes2 === 0 ? null : flops / bytes2,
      bound: computeTime >= memoryTime ? "compute" : "memory",
      attainable: flops === 0 ? null : flops / (attainableTime / 1e3),
      attainableTime,
      share: time3 === null || time3 <= 0 ? null : attainableTime / time3
    };
  }
  function placeOp(op, peaks) {
    const work = workOf2(op);
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
  function workOf2(op) {
    if (op.flops === null || op.bytes === null) return null;
    return { flops: op.flops, bytes: op.bytes, time: op.median, dtype: op.dtype };
  }
  function computePeak(dtype, { f32, f16 }) {
    return dtype === "f16" ? Math.max(f32.value, f16?.value ?? 0) : f32.value;
  }
  function sum3(items, value) {
    return items.reduce((total, item) => total + value(item), 0);
  }

  // runtime/report/profile/ops.ts
  var OTHER_COLUMNS2 = 86;
  function opsTable(variant, { sort, top, peaks }) {
    const sorted2 = sortOps(variant.ops, sort);
    const rows = top === null ? sorted2 : sorted2.slice(0, top);
    const shown = rows.length < sorted2.length ? `${rows.length} of ${sorted2.length}` : `${sorted2.length}`;
    const order2 = sort === "order" ? "in step order" : `by ${sort}`;
    const sums = residuals(variant);
    return {
      title: `Ops: ${shown} ${order2}, over ${profiledSteps(variant)}`,
      columns: opColumns(rows, peaks === null ? null : roofsOf(variant.ops, peaks)),
      rows,
      notes: [
        "make: time to create the pipelines of the op; first: time of its first run, alone",
        ...sums === null ? [] : [sums],
        ...decayNotes(variant),
        ...recomputedNotes(variant),
        ...peaks === null || rows.length === 0 ? [] : [peaksLine(peaks)],
        ...trustLines(variant, "ops")
      ]
    };
  }
  function decayNotes({ profile }) {
    const median2 = profile?.weightDecay?.median ?? null;
    return median2 === null ? [] : [
      `weight decay alone: ${formatNumber(median2)} ms, in a separate dispatch after each profiled step; the update includes it`
    ];
  }
  function recomputedNotes({ ops }) {
    const again = ops.filter(({ recomputed }) => recomputed === true);
    if (again.length === 0) return [];
    const timed = again.every(({ median: median2 }) => median2 !== null);
    const [time3, share] = [
      again.reduce((sum4, { median: median2 }) => sum4 + (median2 ?? 0), 0),
      again.reduce((sum4, op) => sum4 + (op.share ?? 0), 0)
    ];
    const cost2 = timed ? `${formatNumber(time3)} ms, ${formatNumber(100 * share)} % of the ops of a step, ` : "";
    return [`recomputed in the backward pass: ${cost2}in ${formatCounted(again.length, "op")}`];
  }
  function opColumns(rows, roofs) {
    const [unit, scale] = timeUnit(rows.map((op) => op.median));
    const time3 = (name, dropFirst) => figure(name, [name, unit], (op) => op[name] === null ? null : op[name] * scale, dropFirst, unit);
    return [
      words("op", ({ name }) => name, { beside: OTHER_COLUMNS2 }),
      minor(callsColumn(5)),
      time3("median"),
      minor(time3("mean", 8)),
      time3("max", 10),
      minor(time3("min", 3)),
      minor(time3("total", 4)),
      percentages("share", (op) => op.share, { heading: ["share", "%"] }),
      figure("GFLOP/s", ["GFLOP", "/s"], (op) => rate(op.flops, op.median), 7),
      figure("GB/s", ["GB", "/s"], (op) => rate(op.bytes, op.median), 6),
      ...roofs === null ? [] : [
        percentages("share of the roofline", ({ id }) => roofs.get(id)?.share ?? null, {
          heading: ["roof", "%"],
          help: "Share of the performance that the adapter's peaks allow",
          dropFirst: 9
        })
      ],
      minor(figure("pipeline set-up", ["make", "ms"], (op) => op.setup.pipeline, 1, "ms")),
      minor(figure("first dispatch", ["first", "ms"], (op) => op.setup.firstDispatch, 2, "ms")),
      below("phase", ({ phase }) => phase),
      minor(below("type", ({ type }) => type)),
      minor(below("dtype", ({ dtype }) => dtype)),
      below("shapes", ({ inputs, outputs, dtype }) => {
        if (inputs.length + outputs.length === 0) return null;
        return `${formatTensors(inputs, dtype)} -> ${formatTensors(outputs, dtype)}`;
      }),
      below("kernel", ({ kernel }) => kernel),
      minor(below("in place", ({ inPlace }) => inPlace ? "yes" : "no", ({ inPlace }) => inPlace ? "in place" : null)),
      minor(below("recomputed", ({ recomputed }) => recomputed === true ? "yes" : null, ({ recomputed }) => {
        return recomputed === true ? "recomputed in the backward pass" : null;
      })),
      below("members", ({ members }) => members.join(", "), ({ members }) => {
        return members.length === 0 ? null : `fuses ${members.join(", ")}`;
      }),
      minor(amount("work", ({ flops }) => flops, formatFlops)),
      minor(amount("bytes", ({ bytes: bytes2 }) => bytes2, formatBytes)),
      minor(counts("dispatches", ({ dispatches }) => dispatches, { below: dispatchTimes })),
      ...roofs === null ? [] : [
        below("bound", ({ id }) => roofs.get(id)?.bound ?? null, ({ id }) => {
          const roof = roofs.get(id);
          return roof === void 0 ? null : `${roof.bound}-bound`;
        })
      ]
    ];
  }
  function minor(column) {
    return { ...column, minor: true };
  }
  function groupTable(variant, by, { sort, top }) {
    const groups2 = sortGroups(groupOps(variant.ops, by), sort);
    const rows = top === null ? groups2 : groups2.slice(0, top);
    const shown = rows.length < groups2.length ? `, ${rows.length} of ${groups2.length}` : "";
    const [unit, scale] = timeUnit(rows.map((group) => group.perStep));
    const scaled = (value) => value === null ? null : value * scale;
    return {
      title: `Ops by ${by}${shown}, over ${profiledSteps(variant)}`,
      columns: [
        words(by, ({ name }) => name || `(no ${by})`, {
          beside: OTHER_COLUMNS2 - 20,
          depth: ({ depth }) => sort === "order" ? depth : 0
        }),
        counts("ops", ({ ops }) => ops, { dropFirst: 2 }),
        callsColumn(1),
        figure("time of a step", ["per step", unit], ({ perStep }) => scaled(perStep), void 0, unit),
        figure("mean", ["mean", unit], ({ mean }) => scaled(mean), 6, unit),
        figure("longest call", ["max call", unit], ({ max }) => scaled(max), 7, unit),
        figure("total", ["total", unit], ({ total }) => scaled(total), 3, unit),
        percentages("share", (group) => group.share, { heading: ["share", "%"] }),
        figure("GFLOP/s", ["GFLOP", "/s"], ({ gflops }) => gflops, 5),
        figure("GB/s", ["GB", "/s"], ({ gbps }) => gbps, 4)
      ],
      rows,
      notes: [
        "a step: sum of the ops' medians",
        ...by === "layer" ? ["figures of a layer include those of the layers within it"] : [],
        ...trustLines(variant, "ops")
      ]
    };
  }
  function dispatchTimes({ dispatches, kernels }) {
    if (dispatches === 1) return null;
    const known = kernels.filter(({ median: median2 }) => median2 !== null);
    if (known.length === 0) return `${dispatches} dispatches`;
    const texts = [...Map.groupBy(known, ({ name }) => name)].map(([name, own]) => {
      const mean = own.reduce((sum4, { median: median2 }) => sum4 + median2, 0) / own.length;
      return `${name} ${own.length === 1 ? "" : `${own.length} × `}${formatNumber(mean)} ms`;
    });
    return `${dispatches} dispatches: ${texts.join(", ")}`;
  }
  function figure(name, heading2, value, dropFirst, unit) {
    return figures(name, value, {
      heading: heading2,
      ...dropFirst === void 0 ? {} : { dropFirst },
      ...unit === void 0 ? {} : { unit },
      format: (known) => known === 0 ? "0" : formatNumber(known)
    });
  }
  function callsColumn(dropFirst) {
    return counts("calls", ({ calls }) => calls === 0 ? null : calls, { dropFirst });
  }
  function below(name, value, line2 = value) {
    return words(name, value, { below: line2 });
  }
  function amount(name, value, format) {
    const text2 = (op) => {
      const known = value(op);
      return known === null ? null : format(known);
    };
    return figures(name, value, { format, below: text2 });
  }
  function profiledSteps({ profile }) {
    return profile === null ? "profiled steps" : formatCounted(profile.steps, "profiled step");
  }

  // runtime/report/html/client/variant/scope_tree.ts
  var DEEPEST2 = 8;
  function scopeTree(ops) {
    const root = { name: "step", path: "", time: 0, children: [], op: null };
    const scopes = /* @__PURE__ */ new Map();
    for (const op of ops) {
      if (op.median === null) continue;
      let scope = root;
      scope.time += op.median;
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
        child.time += op.median;
        scope = child;
      }
      scope.children.push({ name: leafName(op), path: op.id, time: op.median, children: [], op });
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
    const graph = el("div", { class: "flame", role: "tree", "aria-label": "Flame graph of scopes by device time" });
    graph.style.height = `${rows * ROW_HEIGHT2}px`;
    const readout = el("p", { class: "readout", "aria-live": "polite" });
    const elements2 = new Map(frames.map((frame) => [frame, frameElement(frame, root)]));
    let zoomed = root;
    let current = root;
    const zoom = (frame) => {
      zoomed = frame;
      for (const [other, element] of elements2) place2(element, other, zoomed);
    };
    const describe2 = (frame) => readout.replaceChildren(...description(frame, root, variant));
    const focus = (frame) => {
      if (frame === void 0) return;
      elements2.get(current).tabIndex = -1;
      current = frame;
      const element = elements2.get(frame);
      if (element.hidden) zoom(frame.parent ?? root);
      element.tabIndex = 0;
      element.focus();
      describe2(frame);
    };
    for (const [frame, element] of elements2) {
      element.addEventListener("pointerenter", () => describe2(frame));
      element.addEventListener("focus", () => describe2(frame));
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
    describe2(root);
    const legend = el(
      "div",
      { class: "legend" },
      ...shownPhases(ops.map((op) => op.phase)).map(({ name, label: label2 }) => el("span", {}, swatch(phaseColor(name)), label2)),
      el("span", { class: "unit" }, "width: ms per step · click or Enter zooms in, Escape zooms out")
    );
    return el("figure", { class: "chart", "data-points": frames.length }, legend, graph, readout);
  }
  function layOut(node, parent, depth, start, width) {
    const frame = { node, depth, start, width, parent, children: [] };
    let at = start;
    for (const child of node.children) {
      const part2 = node.time > 0 ? width * child.time / node.time : 0;
      frame.children.push(layOut(child, frame, depth + 1, at, part2));
      at += part2;
    }
    return frame;
  }
  function flatten(frame) {
    return [frame, ...frame.children.flatMap(flatten)];
  }
  function frameElement({ node, depth }, root) {
    const words2 = `${nameText2(node.path === "" ? node.name : node.path)}: ${numberText(node.time)} ms, ` + percentText(root.node.time > 0 ? node.time / root.node.time : 0);
    const element = el("div", {
      role: "treeitem",
      "aria-level": depth + 1,
      "aria-label": words2,
      title: words2,
      tabindex: -1,
      class: node.op === null ? "scope" : "op"
    }, nameText2(node.name, 48));
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
    const name = nameText2(node.path === "" ? node.name : node.path);
    const figures2 = ` ${numberText(node.time)} ms per step, ${percentText(root.node.time > 0 ? node.time / root.node.time : 0)}`;
    if (node.op === null) return [el("strong", {}, name), figures2];
    const link = el("a", { href: hrefOf({ variant, anchor: `op:${node.op.id}` }), tabindex: -1 }, name);
    return [el("strong", {}, link), `${figures2} · ${node.op.phase} · ${nameText2(node.op.type, 60)}`];
  }

  // runtime/report/html/client/variant/ops.ts
  var WHOLE = { sort: "order", top: null };
  function noOps({ overview: overview2, variant }) {
    if (variant.ops.some(({ median: median2 }) => median2 !== null)) return null;
    return notProfiled(variant) ?? untimed(overview2) ?? "no op was timed";
  }
  function typesSection(context) {
    const base = { anchor: "types", title: "Ops by type" };
    const { variant } = context;
    if (variant.ops.length === 0) return { ...base, content: noOps(context) ?? "" };
    const spec = groupTable(variant, "type", WHOLE);
    return { ...base, about: spec.title, content: groups(spec) };
  }
  function layersSection(context) {
    const base = { anchor: "layers", title: "Ops by layer" };
    const { variant } = context;
    const missing = noOps(context);
    if (missing !== null) return { ...base, content: missing };
    const spec = groupTable(variant, "layer", WHOLE);
    return {
      ...base,
      about: spec.title,
      content: [flameGraph(variant.ops, variant.name), ...groups(spec)]
    };
  }
  function kernelsSection(context) {
    const base = { anchor: "kernels", title: "Kernels and copies" };
    const { variant } = context;
    const [missing, copies] = [noOps(context), copiesTable(variant)];
    if (missing !== null && copies.rows.length === 0) return { ...base, content: missing };
    const kernels = missing === null ? groups(groupTable(variant, "kernel", { sort: "total", top: null })) : [el("p", { class: "missing" }, `${MISSING} kernels: ${missing}`)];
    const cells = {
      "share of bytes": ({ ofBytes }, text2) => shareBar(ofBytes, text2),
      "share of time": ({ ofTime }, text2) => shareBar(ofTime, text2)
    };
    return {
      ...base,
      about: "Shares of the device's time by kernel, and of bytes and the host's time by direction of copies",
      content: [...kernels, ...tableContent(copies, { cells })]
    };
  }
  function groups(spec) {
    return tableContent(spec, { limit: 40, cells: { share: ({ share }, text2) => shareBar(share, text2) } });
  }
  function opsSection(context) {
    const base = { anchor: "ops", title: "Ops" };
    const { overview: { roofline }, variant, anchors } = context;
    if (variant.ops.length === 0) return { ...base, content: noOps(context) ?? "" };
    const spec = opsTable(variant, { ...WHOLE, peaks: roofline?.peaks ?? null });
    const table = createTable(spec, {
      key: ({ id }) => id,
      search: { label: "Search ops", text: searchedText, found: (found) => foundText(found, variant.ops.length) },
      cells: {
        op: ({ id, phase }, text2) => el("span", { class: "name", title: nameText2(id, 400) }, swatch(phaseColor(phase)), text2),
        share: ({ share }, text2) => shareBar(share, text2)
      }
    });
    anchors.setFamily("op", table.rows);
    return {
      ...base,
      about: spec.title,
      content: [table.element, notes([noOps(context) ?? "", ...spec.notes ?? []])]
    };
  }
  function searchedText({ id, name, type, layer, phase, dtype, members, kernels }) {
    return [id, name, type, layer, phase, dtype, ...members, ...kernels.map(({ name: name2 }) => name2)].join(" ");
  }
  function foundText(found, count) {
    const share = found.reduce((sum4, op) => sum4 + (op.share ?? 0), 0);
    const isTimed = found.some((op) => op.share !== null);
    return `${found.length} of ${count} ops${isTimed ? `, ${percentText(share)} of the time of all ops` : ""}`;
  }

  // runtime/report/profile/phases.ts
  function phasesTable({ profile, ops }) {
    const phases = profile?.phases ?? [];
    const whole2 = phases.reduce((sum4, { interval }) => sum4 + Math.max(0, interval), 0);
    return {
      title: `Phases: medians over ${profile?.steps ?? 0} profiled steps`,
      columns: [
        words("phase", ({ phase }) => phase),
        figures("interval", ({ interval }) => interval, { unit: "ms" }),
        figures("ops", ({ ops: ops2 }) => ops2, { unit: "ms" }),
        figures("residual", ({ residual }) => residual, { unit: "ms", help: "Time between the ops" }),
        percentages("share of the step", ({ interval }) => whole2 > 0 ? interval / whole2 : null),
        figures("mean", ({ mean }) => mean, { unit: "ms", help: "Mean interval, which stalls lengthen" }),
        figures("max", ({ max }) => max, { unit: "ms", help: "Longest interval" })
      ],
      rows: phases,
      notes: profile === null ? [] : [...recomputedNotes({ ops }), ...stallLines(profile, ops), ...residualCauses(profile)]
    };
  }

  // runtime/report/html/client/variant/phases.ts
  function phasesSection({ overview: overview2, variant }) {
    const base = { anchor: "phases", title: "Phases" };
    const phases = variant.profile?.phases ?? [];
    if (phases.length === 0) {
      return { ...base, content: notProfiled(variant) ?? untimed(overview2) ?? "no phase was timed" };
    }
    const whole2 = phases.reduce((sum4, { interval }) => sum4 + Math.max(0, interval), 0);
    const spec = phasesTable(variant);
    const cells = {
      phase: ({ phase }, text2) => el("span", { class: "name" }, swatch(phaseColor(phase)), text2)
    };
    return {
      ...base,
      about: spec.title,
      content: [bar(phases, whole2), ...tableContent(spec, { cells })]
    };
  }
  function bar(phases, whole2) {
    if (whole2 <= 0) return null;
    const text2 = phases.map(({ phase, interval }) => `${phase} ${percentText(interval / whole2)}`).join(", ");
    return el(
      "div",
      { class: "bar", role: "img", "aria-label": text2 },
      ...phases.map(({ phase, interval }) => {
        const part2 = el("span", {}, interval / whole2 > 0.08 ? `${phase} ${numberText(interval)} ms` : "");
        part2.style.setProperty("--color", `var(${phaseColor(phase)})`);
        part2.style.flexGrow = String(Math.max(0, interval / whole2));
        return part2;
      })
    );
  }

  // runtime/core/memory.ts
  function formatMemory(bytes2) {
    const mebibytes = bytes2 / 1048576;
    return mebibytes < 1 ? `${(bytes2 / 1024).toFixed(1)} KiB` : `${mebibytes.toFixed(0)} MiB`;
  }

  // runtime/report/pipeline_samples.ts
  function cacheSentence({ cache }) {
    if (cache === void 0) return null;
    const { samples, bytes: bytes2, limit, full, hits, misses, fillMs } = cache;
    const place3 = cache.in === "memory" ? "memory" : "a file";
    const used = full ? `full at ${formatMemory(limit)}` : formatMemory(bytes2);
    const filled = fillMs === null ? "" : `, filled in ${formatNumber(fillMs / 1e3)} s before the first batch`;
    const found = hits + misses === 0 ? "" : `; ${formatPercent(hits / (hits + misses))} % of the samples came from it`;
    return `cache in ${place3}: ${formatCount(samples)} samples, ${used}${filled}${found}`;
  }
  function warningSentence({ warnings: warnings2 }) {
    if (warnings2 === void 0) return null;
    return `${formatCounted(warnings2.samples, "sample")} decoded with warnings; first warning: ${warnings2.first}`;
  }

  // runtime/report/pipeline_bound.ts
  function boundSentence(pipeline) {
    const { bound, queues, numWorkers } = pipeline;
    const waits = bound.readerShare === null ? "" : `the loop spends ${formatPercent(bound.readerShare)} % of the batch cost waiting for data` + (queues.device === null || bound.boundsTraining ? "" : ", while the device runs the previous sink");
    const stage = slowest(pipeline);
    if (bound.boundsTraining === null) return `loader only: ${stage}`;
    if (!bound.boundsTraining) {
      const lesser = numWorkers === 0 && (bound.readerShare ?? 0) > 0.05 ? "; workers would prepare batches in parallel" : "";
      return `the pipeline does not limit training: ${waits}${evidence(pipeline)}${lesser}`;
    }
    if (bound.where === "copy") {
      return `the copy to the device limits training: its input, the host queue, is empty at only ${formatPercent(queues.host?.empty ?? 0)} % of the steps, and its output, the device queue, at ${formatPercent(queues.device?.empty ?? 0)} %`;
    }
    return `the pipeline limits training: ${waits}${evidence(pipeline)}; ${stage}`;
  }
  function evidence({ queues, threads }) {
    const words2 = [];
    if (queues.host !== null) words2.push(`the host queue is empty at ${formatPercent(queues.host.empty)} % of the steps`);
    if (queues.device !== null) {
      const empty = `${formatPercent(queues.device.empty)} %`;
      words2.push(
        queues.host === null ? `the device queue is empty at ${empty} of the steps` : `the device queue at ${empty}`
      );
    }
    const waiting = threads.flatMap(({ waiting: waiting2 }) => waiting2 ?? []);
    if (waiting.length > 0) {
      const mean = waiting.reduce((sum4, share) => sum4 + share, 0) / waiting.length;
      words2.push(`workers wait ${formatPercent(mean)} % of the time for a free slot`);
    }
    return words2.length === 0 ? "" : `; ${words2.join(", ")}`;
  }
  function slowest({ bound, stages }) {
    const stage = stages.find(({ name, share }) => name === bound.stage && share !== null);
    if (stage === void 0) return "no stage was timed";
    const time3 = stage.perBatch === null ? "" : ` (${formatNumber(stage.perBatch)} ms per batch)`;
    return `${nameInProse(stage.name)} takes the largest share of the preparation, ${formatPercent(stage.share)} %${time3}`;
  }

  // runtime/report/pipeline_tables.ts
  var MOST_WORKERS = 8;
  function withPipeline({ name, pipeline, queues, metrics }) {
    return pipeline === null ? [] : [{ name, pipeline, queues, metrics }];
  }
  function pipelinesTable({ variants }) {
    const rows = variants.flatMap(withPipeline);
    const unit = rows[0]?.metrics.ips?.unit ?? "samples/s";
    return {
      title: "Input pipeline",
      columns: [
        names("variant", ({ name }) => name),
        words("workers", ({ pipeline: { choice: choice2, numWorkers } }) => `${choice2 === null ? "" : "auto "}${numWorkers}`, {
          align: "right"
        }),
        spread2("reader cost", ["reader cost ms", "avg (min-max)"], ({ readerCost }) => readerCost),
        spread2("batch cost", ["batch cost ms", "avg (min-max)"], ({ batchCost }) => batchCost),
        percentages("reader share", ({ pipeline }) => pipeline.bound.readerShare, { heading: ["reader /", "batch %"] }),
        spread2(unit, [unit, "avg (min-max)"], ({ ips }) => ips),
        percentages("host queue empty", ({ pipeline }) => pipeline.queues.host?.empty ?? null, {
          heading: ["host queue", "empty %"]
        }),
        percentages("device queue empty", ({ pipeline }) => pipeline.queues.device?.empty ?? null, {
          heading: ["device queue", "empty %"],
          dropFirst: 1
        })
      ],
      rows
    };
  }
  function spread2(name, heading2, of) {
    return words(name, ({ pipeline }) => spreadText2(of(pipeline)), {
      heading: heading2,
      align: "right",
      sort: ({ pipeline }) => of(pipeline).avg
    });
  }
  function stagesTable({ stages, threads }) {
    const shown = threads.length > 1 && threads.length <= MOST_WORKERS ? threads : [];
    return {
      title: "Stages of the input pipeline",
      columns: [
        words("stage", ({ name }) => name, { breakAfter: "+", cut: true }),
        words("kind", ({ kind }) => kind === "handOver" ? "hand-over" : kind, { only: "data" }),
        figures("ms per sample", ({ perSample: perSample2 }) => perSample2, { heading: ["ms per", "sample"], format: small }),
        figures("ms per batch", ({ perBatch }) => perBatch, { heading: ["ms per", "batch"], format: small }),
        percentages("share", ({ share }) => share, { heading: ["share", "%"] }),
        ...shown.map(
          ({ worker }) => figures(`worker ${worker}`, (stage) => perSample(stage, worker), {
            heading: [`worker ${worker}`, "ms per sample"],
            dropFirst: MOST_WORKERS - (worker ?? 0),
            format: small
          })
        )
      ],
      rows: stages
    };
  }
  function threadsTable({ threads }) {
    return {
      title: "Threads that prepare batches",
      columns: [
        words("thread", ({ worker }) => worker === null ? "main" : `worker ${worker}`),
        counts("batches", ({ batches }) => batches),
        words("making", ({ make }) => spreadText2(make), {
          heading: ["ms per batch", "avg (min-max)"],
          align: "right",
          sort: ({ make }) => make.avg
        }),
        percentages("waiting", ({ waiting }) => waiting, { help: "Share of time spent waiting for a free slot" })
      ],
      rows: threads
    };
  }
  function perSample(stage, worker) {
    return stage.threads.find((thread) => thread.worker === worker)?.perSample ?? null;
  }
  function spreadText2({ avg, min, max }) {
    return `${formatNumber(avg)} (${formatNumber(min)}-${formatNumber(max)})`;
  }
  function small(ms) {
    return ms >= 0.1 || ms === 0 ? formatNumber(ms) : ms.toFixed(ms < 995e-5 ? 5 : 4);
  }

  // runtime/report/html/client/variant/pipeline.ts
  function pipelineSection({ overview: overview2, variant }) {
    const base = { anchor: "pipeline", title: "Input pipeline" };
    const { pipeline } = variant;
    if (pipeline === null) {
      return {
        ...base,
        content: notRun({ overview: overview2, variant }, variant.blocks.length) ?? "the input pipeline was not recorded"
      };
    }
    const { numWorkers, sharedMemory, batches, samples, skipped, skipReasons, threads } = pipeline;
    const by = numWorkers === 0 ? "the main thread" : `${formatCounted(numWorkers, "worker")}, passed ${sharedMemory ? "in shared memory" : "by structured clone"}`;
    return {
      ...base,
      about: `${formatCount(samples)} samples in ${formatCount(batches)} batches, prepared by ${by}`,
      content: [
        el("p", {}, capital(boundSentence(pipeline))),
        createTable(stagesTable(pipeline), { cells: { share: ({ share }, text2) => shareBar(share, text2) } }).element,
        createTable(pipelinesTable({ variants: [variant] }), { omit: ["variant"] }).element,
        threads.length === 0 ? null : createTable(threadsTable(pipeline)).element,
        notes([
          skipped === 0 ? "" : `${formatCounted(skipped, "sample")} skipped: ${skipReasons.map((reason2) => nameText2(reason2, 200)).join("; ")}`,
          warningSentence(pipeline) ?? "",
          choice(pipeline),
          cacheSentence(pipeline) ?? ""
        ])
      ]
    };
  }
  function capital(sentence2) {
    return `${sentence2.charAt(0).toUpperCase()}${nameText2(sentence2, 1e3).slice(1)}.`;
  }
  function choice({ choice: choice2 }) {
    if (choice2 === null) return "";
    const tried = choice2.measured.map(
      ({ numWorkers, samplesPerSecond }) => `${numWorkers}: ${numberText(samplesPerSecond)}`
    );
    return `${formatCounted(choice2.chosen, "worker")} chosen; samples/s by number of workers: ${tried.join(", ")}`;
  }

  // runtime/report/attach/clock_sentence.ts
  var PASSES = {
    coarse: "no longer than that",
    merged: "within one tick",
    overlapping: "overlapping the one before, so times add up to more than the union",
    reset: "across a reset",
    still: "while it stood still",
    negative: "ending before their begin",
    disagrees: "outside the host's times of their submit",
    missing: "without timestamps"
  };
  function clockSentence({ issues, usable, resets, resolution }) {
    if (issues.length === 0) return null;
    const refused = issues.filter((issue) => issue.refused && issue.passes > 0);
    const parts = [
      ...issues.some(({ kind }) => kind === "coarse") && resolution !== null ? [`ticks every ${formatNumber(resolution / 1e3)} us`] : [],
      ...resets > 0 ? [`wrapped around or was reset ${resets === 1 ? "once" : `${resets} times`}`] : [],
      ...issues.filter((issue) => !issue.refused && issue.passes > 0).map(described),
      ...refused.length > 0 ? [`not counted: ${refused.map(described).join(", ")}`] : [],
      ...usable ? [] : ["no times, since most passes do not count"]
    ];
    return `the device's clock: ${parts.join("; ")}`;
  }
  function described({ kind, passes }) {
    return `${formatCount(passes)} ${passes === 1 ? "pass" : "passes"} ${PASSES[kind]}`;
  }

  // runtime/report/attach/sentences.ts
  function deviceSentences(device2) {
    const { steps: steps2, steadySteps, timedSteps, clock: clock2, timestamps, lost } = device2;
    if (device2.totals.submits === 0) return ["nothing was submitted"];
    const warmUp2 = steps2.steps.length - steadySteps;
    const found = steps2.by === "none" ? `no steps: ${steps2.how}` : `${formatCounted(steps2.steps.length, "step")}: ${steps2.how}`;
    return [
      steps2.by === "none" ? found : `${found}; ${warmUp2 === 0 ? "no warm-up steps" : formatCounted(warmUp2, "warm-up step")}; ${timedSteps} of the ${warmUp2 === 0 ? "" : "other "}${steadySteps} timed`,
      ...timestamps === "none" ? ["no times of kernels: the device has no timestamp queries"] : [],
      ...lost === null || lost.reason === "destroyed" ? [] : [`the device was lost (${lost.reason}): ${lost.message || "no message"}`],
      ...clockSentences(clock2)
    ];
  }
  function clockSentences(clock2) {
    const { unslotted, selfTimed } = clock2;
    const difficult = clockSentence(clock2);
    return [
      ...difficult === null ? [] : [difficult],
      ...unslotted > 0 ? [`${formatCount(unslotted)} dispatches were not timed: all query sets were in use`] : [],
      ...selfTimed > 0 ? [
        `${formatCount(selfTimed)} render ${selfTimed === 1 ? "pass" : "passes"} with the program's own timestamps, not timed here`
      ] : []
    ];
  }
  function resultSentences({ devices, complete, notes: notes2 }) {
    return [
      ...devices.length === 0 ? ["the program requested no WebGPU device"] : [],
      ...complete || devices.length === 0 ? [] : ["the program ended without notice: what it did last may be missing"],
      ...notes2
    ];
  }

  // runtime/report/attach/tables.ts
  var CAUSE_WORDS = {
    gaps: "gaps between kernels of submitted work",
    copies: "copies and untimed passes between kernels",
    encode: "encoding commands",
    submit: "submitting",
    upload: "uploading",
    read: "reading mapped memory",
    compile: "compiling shaders and pipelines",
    wait: "waiting after the last kernel",
    sleep: "the runtime's sleep after a wait",
    host: "the program's own code",
    unexplained: "unexplained"
  };
  var BESIDE_ADVICE = 20;
  var BESIDE_KERNEL = 70;
  function attachTables(device2, top) {
    const tables = [
      accountTable(device2),
      adviceTable(device2),
      kernelsTable(device2, top),
      countsTable(device2),
      memoryTable2(device2),
      leaksTable(device2),
      pipelinesTable2(device2),
      errorsTable(device2)
    ];
    return tables.filter((spec) => spec !== null && spec.rows.length > 0);
  }
  function accountTable({ account, accountedSteps, steps: steps2, cost: cost2, timedWall, untimedWall }) {
    if (account === null) return null;
    const rows = accountRows(account);
    const of = steps2.by === "none" ? "The whole run" : `A step, mean of ${formatCounted(accountedSteps, "timed step")}`;
    return {
      title: `${of}: ${formatNumber(account.wall)} ms`,
      columns: [
        words("part of the wall time", ({ part: part2 }) => part2),
        figures("ms", ({ ms }) => ms, { unit: "ms" }),
        percentages("share", ({ ms }) => ms / account.wall, { heading: ["share", "%"] })
      ],
      rows,
      notes: [
        `kernels: union ${formatNumber(account.kernels)} ms, sum ${formatNumber(account.sum)} ms, span ${formatNumber(account.span)} ms; each dispatch has its own pass, which removes overlap`,
        ...untimedWall === null || timedWall === null ? [] : [
          `median wall time: ${formatNumber(untimedWall)} ms untimed, ${formatNumber(timedWall)} ms timed`
        ],
        ...cost2 === null ? [`cost of timing: unknown: ${steps2.by === "none" ? "no steps" : "no untimed step beside a timed one"}`] : [
          `cost of timing: ${signedPercent2(cost2.ratio)} (${cost2.interval === null ? `${formatCounted(cost2.pairs, "pair")} of steps, too few for an interval` : `95 % interval ${formatInterval(cost2.interval.low, cost2.interval.high)} of the untimed time, ${formatCounted(cost2.pairs, "pair")}`})`
        ]
      ]
    };
  }
  function accountRows({ kernels, idle }) {
    const causes = CAUSES2.filter((cause) => cause === "unexplained" || idle[cause] > 0).toSorted((a, b) => Number(a === "unexplained") - Number(b === "unexplained") || idle[b] - idle[a]);
    return [
      { part: "kernels", ms: kernels },
      ...causes.map((cause) => ({ part: `idle: ${CAUSE_WORDS[cause]}`, ms: idle[cause] }))
    ];
  }
  function adviceTable({ advice }) {
    const evidenceText = ({ evidence: evidence2 }) => evidence2.map(({ label: label2, value }) => `${label2}: ${value}`).join("; ");
    return {
      title: "Advice: the most that each change can save per step",
      columns: [
        figures("at most", ({ mostMs }) => mostMs, { heading: ["at most", "ms"], unit: "ms" }),
        percentages("share", ({ share }) => share, { heading: ["share", "%"] }),
        words("what steps do", ({ message }) => message, { beside: BESIDE_ADVICE, cut: true }),
        words("change", ({ fix }) => fix, { below: ({ fix }) => fix }),
        words("evidence", evidenceText, { below: evidenceText }),
        words("limit", ({ reasoning }) => reasoning, { below: ({ reasoning }) => `limit: ${reasoning}` })
      ],
      rows: advice,
      notes: [
        "counts and times are means over the steps after the warm-up; savings overlap and do not add up"
      ]
    };
  }
  function kernelsTable(device2, top) {
    const { kernels, steps: steps2 } = device2;
    const rows = kernels.slice(0, top);
    const isPerStep = steps2.by !== "none";
    return {
      title: `Kernels: ${rows.length < kernels.length ? `${rows.length} of ` : ""}${kernels.length}, by time` + (isPerStep ? " of a step" : ""),
      columns: [
        words("kernel", ({ name }) => name, { beside: BESIDE_KERNEL, cut: true }),
        figures(isPerStep ? "calls per step" : "calls", ({ perStep, calls }) => calls === 0 ? null : perStep ?? calls, {
          heading: isPerStep ? ["calls", "/step"] : ["calls"],
          format: (value) => Number.isInteger(value) ? String(value) : formatNumber(value)
        }),
        figures("median", ({ median: median2 }) => median2, { format: formatTime }),
        figures(isPerStep ? "per step" : "total", perStepTime, {
          heading: [isPerStep ? "per step" : "total", "ms"],
          unit: "ms"
        }),
        percentages("share", ({ share }) => share, { heading: ["share", "%"] }),
        figures("GB/s of bound buffers", ({ boundGBs }) => boundGBs, { heading: ["bound", "GB/s"], dropFirst: 3 }),
        ...kernels.some(({ timedBy }) => timedBy === "batch") ? [words("timed by", ({ timedBy }) => timedBy, { heading: ["timed", "by"], dropFirst: 4 })] : [],
        ...rows.some(({ dispatches }) => dispatches !== null) ? [counts("calls of the run", ({ dispatches }) => dispatches, {
          heading: ["of the", "run"],
          dropFirst: 2
        })] : [],
        counts("grids", ({ grids }) => grids.length || null, { dropFirst: 1 }),
        words("grid", ({ grids }) => gridText(grids), { dropFirst: 0, heading: ["most frequent", "grid"] }),
        ...rows.some(({ line: line2 }) => line2 !== null) ? [words("line", ({ line: line2 }) => line2, { below: ({ line: line2 }) => line2 })] : []
      ],
      rows,
      notes: [
        "bound GB/s: sizes of the bound buffers over the time, an upper limit of the bandwidth used",
        ...rows.some(({ timedBy }) => timedBy === "batch") ? ["batch: shorter than the clock's step; time of runs of equal dispatches over their number, gaps included"] : [],
        ...untimedNotes(device2, rows)
      ]
    };
  }
  function untimedNotes({ totals, steps: steps2 }, kernels) {
    const words2 = {
      none: "the device has no timestamp queries",
      clock: "the device's clock does not show the time of these kernels",
      own: "the program's own timestamps are in these render passes",
      unread: "the program ended before the timestamps of these kernels were read",
      outside: totals.timedDispatches === 0 ? "no dispatch was timed" : steps2.by === "none" ? "dispatched only while all query sets were in use" : "dispatched only outside of the timed steps"
    };
    const reasons = Map.groupBy(kernels.filter(({ untimed: untimed2 }) => untimed2 !== null), ({ untimed: untimed2 }) => untimed2);
    return [...reasons].map(
      ([reason2, { length }]) => `${MISSING}: ${reasons.size === 1 ? "" : `${formatCounted(length, "kernel")}: `}${words2[reason2]}`
    );
  }
  function perStepTime({ total, calls, perStep }) {
    return total === null ? null : total / calls * (perStep ?? calls);
  }
  function gridText(grids) {
    const first2 = grids[0];
    return first2 === void 0 ? null : first2.grid === null ? "indirect" : first2.grid.join("x");
  }
  var COUNTS2 = [
    { name: "submits", count: "submits", bytes: null },
    { name: "encoders", count: "encoders", bytes: null },
    { name: "compute passes", count: "computePasses", bytes: null },
    { name: "render passes", count: "renderPasses", bytes: null },
    { name: "dispatches", count: "dispatches", bytes: null },
    { name: "waits", count: "waits", bytes: null },
    { name: "mapped reads", count: "reads", bytes: "readBytes" },
    { name: "uploads", count: "uploads", bytes: "uploadBytes" },
    { name: "uploads by mapping", count: "mappedUploads", bytes: "mappedUploadBytes" },
    { name: "copies", count: "copies", bytes: "copyBytes" },
    { name: "buffers created", count: "buffers", bytes: "bufferBytes" },
    { name: "buffers destroyed", count: "buffersDestroyed", bytes: null },
    { name: "textures", count: "textures", bytes: null },
    { name: "bind groups", count: "bindGroups", bytes: null },
    { name: "pipelines", count: "pipelines", bytes: null },
    { name: "shader modules", count: "modules", bytes: null }
  ];
  function countsTable({ totals, perStep }) {
    const bytesOf = (from, { bytes: bytes2 }) => from === null || bytes2 === null ? null : from[bytes2];
    return {
      title: perStep === null ? "Calls" : "Calls of a step (median, or mean where most steps have none) and of the whole run",
      columns: [
        words("call", ({ name }) => name),
        ...perStep === null ? [] : [
          counts("of a step", ({ count }) => perStep[count], { heading: ["of a", "step"] }),
          figures("bytes of a step", (row) => bytesOf(perStep, row), {
            heading: ["bytes"],
            format: formatBytes
          })
        ],
        counts("of the run", ({ count }) => totals[count], { heading: ["of the", "run"] }),
        figures("bytes of the run", (row) => bytesOf(totals, row), { heading: ["bytes"], format: formatBytes })
      ],
      rows: COUNTS2.filter(({ count }) => totals[count] > 0)
    };
  }
  function memoryTable2({ memory }) {
    if (memory === null) return null;
    const { now, peak: peak2, collected, keptWarmUp } = memory;
    return {
      title: `Memory: ${formatBytes(now)} at the end, peak ${formatBytes(peak2)}; the largest buffers at the peak`,
      columns: [
        words("label", ({ label: label2 }) => label2 || "(no label)", { cut: true }),
        figures("size", ({ size }) => size, { format: formatBytes }),
        figures("age", ({ age }) => age, { heading: ["age", "ms"], unit: "ms" }),
        ...createdAt(memory.largest)
      ],
      rows: memory.largest,
      notes: [
        ...keptWarmUp.count === 0 ? [] : [
          `created by warm-up steps, never destroyed, and not among the leaks: ${formatCounted(keptWarmUp.count, "buffer")} (${formatBytes(keptWarmUp.bytes)})`
        ],
        ...collected.count === 0 ? [] : [
          `${formatCounted(collected.count, "buffer")} (${formatBytes(collected.bytes)}) never destroyed, but freed by the garbage collector`
        ]
      ]
    };
  }
  function createdAt(rows) {
    return rows.some(({ line: line2 }) => line2 !== null) ? [words("created at", ({ line: line2 }) => line2)] : [];
  }
  function leaksTable({ memory }) {
    if (memory === null) return null;
    const bytes2 = memory.leaks.reduce((sum4, leak) => sum4 + leak.bytes, 0);
    return {
      title: `Leaks: ${formatBytes(bytes2)} in buffers that steps after the warm-up created and nothing destroyed`,
      columns: [
        words("label", ({ label: label2 }) => label2 || "(no label)", { cut: true }),
        counts("buffers", ({ count }) => count),
        figures("size", ({ size }) => size, { format: formatBytes }),
        figures("total", (leak) => leak.bytes, { format: formatBytes }),
        ...createdAt(memory.leaks)
      ],
      rows: memory.leaks
    };
  }
  function pipelinesTable2({ pipelines, modules, steps: steps2 }) {
    const inSteps = pipelines.filter(({ inSteadyStep }) => inSteadyStep);
    return {
      title: steps2.by === "none" ? `Pipelines: ${pipelines.length}, from ${formatCounted(modules, "shader module")}; the slowest calls` : `Pipelines made in steps after the warm-up: ${inSteps.length} of ${pipelines.length}`,
      columns: [
        words("pipeline", ({ name }) => name, { cut: true }),
        counts("step", ({ step }) => step),
        figures("call", ({ callMs }) => callMs, { heading: ["call", "ms"], unit: "ms" }),
        figures("ready after", ({ readyMs }) => readyMs, { heading: ["ready", "ms"], unit: "ms" }),
        ...pipelines.some(({ line: line2 }) => line2 !== null) ? [words("line", ({ line: line2 }) => line2)] : []
      ],
      rows: steps2.by === "none" ? pipelines.toSorted((a, b) => b.callMs - a.callMs).slice(0, 10) : inSteps
    };
  }
  function errorsTable({ errors }) {
    return {
      title: formatCounted(errors.length, "validation error"),
      columns: [
        words("type", ({ type }) => type.replace(/^GPU/, "")),
        words("caught", ({ scoped }) => scoped ? "in a scope" : "no"),
        words("message", ({ message }) => message.trimStart().split("\n")[0] ?? "", { cut: true })
      ],
      rows: errors
    };
  }
  function signedPercent2(ratio) {
    return `${ratio < 1 ? "-" : "+"}${formatPercent(Math.abs(ratio - 1))} %`;
  }

  // runtime/report/html/client/variant/program.ts
  var LIMIT2 = 200;
  function programSection({ variant }) {
    const base = { anchor: "program", title: "Program" };
    const [program] = profiledPrograms({ variants: [variant] });
    if (program === void 0) {
      const attached = attachedOf(variant);
      return { ...base, content: attached === null ? "not profiled" : resultSentences(attached).join("; ") };
    }
    const { device: device2 } = program;
    return {
      ...base,
      content: [
        notes(deviceSentences(device2)),
        ...attachTables(device2, device2.kernels.length).flatMap((spec) => [el("h4", {}, spec.title), ...tableContent(spec, { limit: LIMIT2 })])
      ]
    };
  }

  // runtime/report/html/client/variant/queues.ts
  var QUEUES = [["host", "ready in the loader", "--series-1"], [
    "device",
    "staged on the device",
    "--series-4"
  ]];
  var MOST_WORKERS2 = 4;
  function queuesSection({ overview: overview2, variant }) {
    const base = { anchor: "queues", title: "Queues", about: "Batches at each measured step" };
    const { queues, pipeline, blocks } = variant;
    const series = [
      ...QUEUES.flatMap(([name, , color]) => depths(`${name} queue`, color, queues[name])),
      ...workers(pipeline)
    ];
    if (series.length === 0) return { ...base, content: notRun({ overview: overview2, variant }, blocks.length) ?? reason(variant) };
    const steps2 = Math.max(...series.map(({ values }) => values.length));
    const indices = blocks.flatMap((block) => block.steps.map(({ index }) => index));
    const chart = seriesChart({
      label: "Batches in the queues over the measured steps",
      x: { name: "step", values: indices.length === steps2 ? indices : Array.from({ length: steps2 }, (_, i) => i) },
      unit: "batches",
      series: series.map((one) => ({ ...one, values: Array.from({ length: steps2 }, (_, i) => one.values[i] ?? null) })),
      format: String,
      height: 150
    });
    const lines = QUEUES.map(([name, where]) => {
      const depths2 = queues[name] ?? [];
      if (depths2.length === 0) return `${name} queue: –, not used by this variant`;
      return sentence(`${name} queue, ${where}`, depths2, pipeline?.queues[name] ?? null);
    });
    return { ...base, content: [chart, notes(lines)] };
  }
  function depths(name, color, values) {
    return values === void 0 || values.length === 0 ? [] : [{ name, color, kind: "steps", values }];
  }
  function workers(pipeline) {
    const made = pipeline?.threads.filter(({ worker }) => worker !== null) ?? [];
    if (made.length < 2 || made.length > MOST_WORKERS2) return [];
    return made.flatMap(({ worker, ready }, i) => {
      return depths(`worker ${worker}`, `--series-${[2, 3, 5, 6][i]}`, ready).map((one) => ({ ...one, dash: true }));
    });
  }
  function sentence(name, depths2, known) {
    const mean = depths2.reduce((sum4, depth) => sum4 + depth, 0) / depths2.length;
    const empty = known?.empty ?? depths2.filter((depth) => depth === 0).length / depths2.length;
    const capacity = known?.capacity ?? null;
    const full = known?.full ?? null;
    return `${name}: ${numberText(mean)}${capacity === null ? "" : ` of ${capacity}`} on average; empty at ${percentText(empty)} of the steps${full === null ? "" : `, full at ${percentText(full)}`}`;
  }
  function reason({ pipeline }) {
    return pipeline?.numWorkers === 0 ? "no queue: the main thread prepares each batch on demand" : "no queue was sampled";
  }

  // runtime/report/profile/roofline.ts
  var OTHER_COLUMNS3 = 56;
  function rooflineTable(roofline, variant, top) {
    const rows = variant.ops.flatMap((op) => {
      const placement = placeOp(op, roofline.peaks);
      if (placement === null) return [];
      return [{ op, placement, lost: op.median === null ? null : Math.max(0, op.median - placement.attainableTime) }];
    }).sort((a, b) => (b.lost ?? -1) - (a.lost ?? -1));
    const shown = top === null ? rows : rows.slice(0, top);
    const step = roofline.steps.find(({ variant: name }) => name === variant.name);
    return {
      title: `Roofline: ${shown.length < rows.length ? `${shown.length} of ` : ""}${rows.length} ops, by time lost`,
      columns: [
        words("op", ({ op }) => op.name, { beside: OTHER_COLUMNS3 }),
        words("phase", ({ op }) => op.phase, { dropFirst: 1 }),
        figures("FLOP a byte", ({ placement }) => placement.intensity, { heading: ["FLOP", "/byte"], dropFirst: 2 }),
        words("bound", ({ placement }) => placement.bound),
        figures("GFLOP/s", ({ op }) => rate(op.flops, op.median), {
          heading: ["GFLOP", "/s"],
          dropFirst: 3
        }),
        figures("attainable GFLOP/s", ({ placement: { attainable } }) => attainable && attainable / 1e9, {
          heading: ["roof", "GFLOP/s"],
          unit: "GFLOP/s",
          dropFirst: 4
        }),
        percentages("share of the roof", ({ placement }) => placement.share, { heading: ["roof", "%"] }),
        figures("time lost", ({ lost }) => lost, {
          heading: ["lost", "ms"],
          unit: "ms",
          help: "Time of a call beyond what the roof allows"
        })
      ],
      rows: shown,
      notes: [
        "roof %: share of the performance that the peaks allow; above 100 % where a cache saved memory traffic",
        ...step === void 0 ? [] : [describeStep(step)],
        peaksLine(roofline.peaks),
        ...trustLines(variant, "ops")
      ]
    };
  }
  function describeStep(step) {
    const share = (value) => value === null ? "–" : `${formatPercent(value)} %`;
    const intensity = step.intensity === null ? "" : `${formatNumber(step.intensity)} FLOP/byte, `;
    return `Whole step: ${intensity}${step.bound}-bound, ${share(step.share)} of the roof (${formatNumber(step.attainableTime)} of ${formatNumber(step.time)} ms); ${share(step.opShare)} with each op under its own roof`;
  }

  // runtime/report/html/client/variant/roofline_chart.ts
  var HEIGHT4 = 340;
  var FRAME = { left: LEFT, right: RIGHT, top: 14, bottom: 38 };
  function rooflineChart(placed, peaks, href) {
    const points = placed.flatMap((one) => {
      const { op: { flops, median: median2 }, placement: { intensity } } = one;
      const speed = rate(flops, median2);
      return intensity === null || intensity <= 0 || !speed ? [] : [{ ...one, intensity, speed: speed * 1e9 }];
    }).sort((a, b) => (b.op.median ?? 0) - (a.op.median ?? 0));
    return sizedFigure(
      { "data-points": points.length },
      (width) => draw2(points, axesFor(points, peaks, width), peaks, href)
    );
  }
  function draw2(points, axes, peaks, href) {
    const longest = points[0]?.op.median ?? 1;
    const readout = el("p", { class: "readout", "aria-live": "polite" }, "Point at an op, or use the arrow keys");
    const circles = points.map((point) => circle(point, axes, longest));
    const chart = svg(
      "svg",
      {
        viewBox: `0 0 ${axes.right + FRAME.right} ${HEIGHT4}`,
        class: "roofline",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "chart",
        "aria-label": `Roofline of ${points.length} ops. Arrow keys move between ops, the longest first.`
      },
      ...gridLines(axes),
      ...ceilings(axes, peaks),
      ...circles.toReversed(),
      ...ceilingLabels(axes, peaks)
    );
    let current = -1;
    const select2 = (i) => {
      if (points.length === 0) return;
      circles[current]?.classList.remove("current");
      current = (i + points.length) % points.length;
      circles[current].classList.add("current");
      chart.insertBefore(circles[current], chart.querySelector("text.ceiling"));
      readout.replaceChildren(...describe(points[current], href));
    };
    circles.forEach((circle2, i) => {
      circle2.addEventListener("pointerenter", () => select2(i));
      circle2.addEventListener("click", () => location.hash = href(points[i].op));
    });
    chart.addEventListener("keydown", (event) => {
      const steps2 = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      const step = steps2[event.key];
      if (step !== void 0) select2(current < 0 && step < 0 ? points.length - 1 : current + step);
      else if (event.key === "Enter" && current >= 0) location.hash = href(points[current].op);
      else return;
      event.preventDefault();
    });
    const legend = el(
      "div",
      { class: "legend" },
      ...shownPhases(points.map(({ op }) => op.phase)).map(
        ({ name, label: label2 }) => el("span", {}, swatch(phaseColor(name), "dot"), label2)
      )
    );
    return [legend, el("div", {}, chart), readout];
  }
  function axesFor(points, { f32, f16, copy }, width) {
    const top = Math.max(f32.value, f16?.value ?? 0);
    const xs = [...points.map(({ intensity }) => intensity), f32.value / copy.value, top / copy.value];
    const ys = [...points.map(({ speed }) => speed), f32.value, top];
    const [[x0, x1], [y0, y1]] = [rangeOf(xs), rangeOf(ys)];
    const right = width - FRAME.right;
    return {
      right,
      x: logScale([x0, x1], [FRAME.left, right]),
      y: logScale([y0, y1], [HEIGHT4 - FRAME.bottom, FRAME.top]),
      from: [x0, y0],
      to: [x1, y1]
    };
  }
  function rangeOf(values) {
    const likely = values.filter((value) => value > 1e-12 && value < 1e18);
    return likely.length === 0 ? [1, 10] : [Math.min(...likely) / 1.8, Math.max(...likely) * 1.8];
  }
  function gridLines({ x, y, right, from, to }) {
    const bottom = HEIGHT4 - FRAME.bottom;
    return [
      ...decades(from[0], to[0]).flatMap((tick) => [
        svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: FRAME.top, y2: bottom }),
        svg("text", { x: x(tick), y: bottom + 15, "text-anchor": "middle" }, tickText(tick))
      ]),
      ...decades(from[1], to[1]).flatMap((tick) => [
        svg("line", { class: "grid", x1: FRAME.left, x2: right, y1: y(tick), y2: y(tick) }),
        svg("text", { x: FRAME.left - 6, y: y(tick) + 4, "text-anchor": "end" }, tickText(tick / 1e9))
      ]),
      svg("text", { class: "title", x: right, y: HEIGHT4 - 6, "text-anchor": "end" }, "FLOP per byte"),
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
          x: axes.right,
          y: y(value) + (i === 0 ? -5 : 13),
          "text-anchor": "end"
        }, `${name} ${formatNumber(value / 1e9)} GFLOP/s`)
      )
    ];
  }
  function circle({ op, intensity, speed }, { x, y }, longest) {
    const radius = 2.5 + 9 * Math.sqrt((op.median ?? 0) / (longest || 1));
    const made = svg("circle", { cx: x(intensity), cy: y(speed), r: radius }, svg("title", {}, nameText2(op.name)));
    made.style.setProperty("--color", `var(${phaseColor(op.phase)})`);
    return made;
  }
  function describe({ op, intensity, speed, placement }, href) {
    return [
      el("strong", {}, el("a", { href: href(op), tabindex: -1 }, nameText2(op.name))),
      ` ${numberText(op.median)} ms · ${numberText(intensity)} FLOP/byte · ${numberText(speed / 1e9)} GFLOP/s · ${placement.bound}-bound, ${percentText(placement.share)} of the roof`
    ];
  }

  // runtime/report/html/client/variant/roofline.ts
  function rooflineSection(context) {
    const base = { anchor: "roofline", title: "Roofline" };
    const { overview: { roofline }, variant } = context;
    const missing = noOps(context) ?? (roofline === null ? "the adapter's peaks were not measured" : null);
    if (missing !== null || roofline === null) return { ...base, content: missing ?? "" };
    const spec = rooflineTable(roofline, variant, null);
    if (spec.rows.length === 0) return { ...base, content: "no op's work is known" };
    const href = (op) => hrefOf({ variant: variant.name, anchor: `op:${op.id}` });
    return {
      ...base,
      about: `${formatCounted(spec.rows.length, "op")}; the area of a point is the op's time per step`,
      content: [
        rooflineChart(spec.rows, roofline.peaks, href),
        ...tableContent(spec, {
          limit: 15,
          cells: {
            op: ({ op }, text2) => el("span", { class: "name" }, swatch(phaseColor(op.phase)), el("a", { href: href(op) }, text2))
          }
        })
      ]
    };
  }

  // runtime/report/differences.ts
  function differences(config, reference) {
    const commands = [config, reference].map(commandOf);
    if (commands.includes(null) && commands[0] !== commands[1]) {
      return [{ path: "program", from: commands[1], to: commands[0] }];
    }
    const [to, from] = [config, reference].map((own, i) => flatten2(own, [reference, config][i]));
    const paths = /* @__PURE__ */ new Set([...to.keys(), ...from.keys()]);
    return [...paths].map((path) => ({ path, from: from.get(path) ?? null, to: to.get(path) ?? null })).filter((difference) => difference.from !== difference.to);
  }
  function commandOf({ program }) {
    const command = typeof program === "object" && program !== null && "command" in program ? program.command : null;
    return command === null ? null : JSON.stringify(command);
  }
  function settingText(value) {
    if (value === null) return "unset";
    if (!value.startsWith("{")) return value.replace(/^"(.*)"$/, "$1");
    const entries = Object.entries(JSON.parse(value));
    return entries.map(([key, item]) => `${key}: ${settingText(JSON.stringify(item))}`).join(", ") || value;
  }
  function differencesTable(config, reference, baseline) {
    return {
      title: `Differences from ${nameInProse(baseline)}`,
      columns: [
        words("setting", ({ path }) => path),
        words("baseline", ({ from }) => settingText(from)),
        words("here", ({ to }) => settingText(to))
      ],
      rows: differences(config, reference)
    };
  }
  function flatten2(value, other, prefix = "", into = /* @__PURE__ */ new Map()) {
    for (const [key, item] of Object.entries(value)) {
      const path = prefix === "" ? key : `${prefix}.${key}`;
      const counterpart = other[key];
      if (isRecord(item) && Object.keys(item).length > 0 && counterpart !== null) {
        flatten2(item, isRecord(counterpart) ? counterpart : {}, path, into);
      } else into.set(path, JSON.stringify(item));
    }
    return into;
  }
  function isRecord(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  }

  // runtime/report/html/client/variant/settings.ts
  function settingsSection({ overview: { variants, baseline }, variant }) {
    const { config, metrics, parameters, planFingerprint, overflows, target } = variant;
    const reference = variants.find(({ name }) => name === baseline)?.config ?? config;
    const apart = differencesTable(config, reference, baseline);
    return {
      anchor: "settings",
      title: "Settings",
      content: [
        apart.rows.length === 0 ? null : createTable(apart).element,
        facts([
          ["Parameters", parameters === null ? `${MISSING} no model` : formatCount(parameters)],
          ["Plan", planFingerprint === null ? MISSING : el("code", {}, planFingerprint)],
          ["Set-up", `${numberText(metrics.setup?.value)} ms`],
          ["First step", `${numberText(metrics.firstStep?.value)} ms`],
          [
            "Skipped by loss scaling",
            overflows === null ? `${MISSING} no loss scaling` : formatCounted(overflows, "step")
          ],
          ["Time to target", target === null ? `${MISSING} the scenario sets no target` : targetText(target)]
        ]),
        el(
          "details",
          { class: "data" },
          el("summary", {}, "Full configuration"),
          el(
            "div",
            { class: "scroll", tabindex: 0, role: "region", "aria-label": "Configuration" },
            el("pre", {}, JSON.stringify(config, null, 2))
          )
        )
      ]
    };
  }
  function targetText({ metric, threshold, seeds, time: time3 }) {
    const reached = seeds.filter(({ steps: steps2 }) => steps2 !== null).length;
    const mean = time3 === null ? "" : `, ${numberText(time3.value / 1e3)} s`;
    return `${metric} ${threshold}: reached with ${reached} of ${seeds.length} seeds${mean}`;
  }

  // runtime/report/profile/step_trace.ts
  var LEAST_TREND = 0.05;
  var MOST_HICCUPS = 4;
  function stepTraceTable(variant) {
    const { blocks, metrics } = variant;
    const steps2 = blocks.flatMap((block) => block.steps);
    const timed = steps2.some(({ stepTime }) => stepTime !== null);
    const rows = steps2.length === 0 ? [] : [
      ...stepTraceRows(blocks),
      ...timed ? [{ name: "step time", series: derivedSeries(blocks, ({ stepTime }) => stepTime) }] : []
    ];
    return {
      title: `Step trace: ms, over ${steps2.length} measured steps`,
      columns: [
        words("time", ({ name }) => name),
        ...["mean", "min", "median", "p95", "max"].map(spread3),
        words("over steps", ({ series }) => series.spread && sparkline(series.values, 40), {
          dropFirst: 1,
          beside: 62,
          only: "lines",
          text: ({ series }, room) => sparkline(series.values, room)
        })
      ],
      rows,
      notes: [
        ...rows.flatMap(({ name, series }) => remarks2(name, series, (i) => steps2[i].index)),
        SPARKLINE_NOTE,
        ...metrics.batchCost?.amortised ? ["host times are amortised: time of a sink / its steps"] : [],
        ...waitsOnce(variant) ? ["batch cost: the only wait of a block counts for all of its steps in equal parts"] : [],
        ...trustLines(variant, "phases")
      ]
    };
  }
  function waitsOnce({ config: { timing, sink }, blocks }) {
    return (timing === "host" || timing === "event") && sink === 0 && blocks.length > 0;
  }
  function spread3(name) {
    return figures(name, ({ series }) => series.spread && series.spread[name], { unit: "ms" });
  }
  function remarks2(name, { trend, hiccups, values, spread: spread4 }, indexOf) {
    const lines = [];
    if (trend !== null && Math.abs(trend) >= LEAST_TREND) {
      const size = formatPercent(Math.abs(trend));
      lines.push(
        `${name}: ${size} % ${trend > 0 ? "longer" : "shorter"} in the last third of the steps than in the first`
      );
    }
    if (hiccups.length > 0) {
      const shown = hiccups.slice(0, MOST_HICCUPS).map((i) => `${indexOf(i)} (${formatNumber(values[i] / spread4.median)} times the median)`);
      const more2 = hiccups.length > shown.length ? ` and ${hiccups.length - shown.length} more` : "";
      lines.push(`${name}: unusually long in step ${shown.join(", ")}${more2}`);
    }
    return lines;
  }

  // runtime/report/html/client/variant/steps.ts
  function stepsSection({ overview: overview2, variant }) {
    const base = { anchor: "steps", title: "Step trace" };
    const { blocks } = variant;
    const steps2 = blocks.flatMap((block) => block.steps);
    const missing = notRun({ overview: overview2, variant }, blocks.length) ?? (steps2.length === 0 ? "no steps were timed" : null);
    if (missing !== null) return { ...base, content: missing };
    const stacked = [
      { name: "iteration gap", color: "--gap", ...stepSeries(blocks, "iterationGap") },
      ...stepPhases(blocks).map(({ name, label: label2 }) => ({
        name: label2,
        color: phaseColor(name),
        ...phaseSeries(blocks, name)
      }))
    ].map(({ name, color, values }) => ({ name, color, kind: "bars", values })).filter(({ values }) => values.some((value) => value !== null));
    const host2 = [["batch cost", "batchCost", "--ink"], ["reader cost", "readerCost", "--reader"]].map(([name, time3, color]) => ({ name, color, kind: "line", values: stepSeries(blocks, time3).values })).filter(({ values }) => values.some((value) => value !== null));
    const chart = seriesChart({
      label: "Times of a step over the measured steps",
      x: { name: "step", values: steps2.map(({ index }) => index) },
      unit: "ms",
      series: [...stacked, ...host2],
      stacked: true,
      height: 240
    });
    const reason2 = isProgram(variant.config) ? "the program is timed on the host" : untimed(overview2);
    const device2 = stacked.length > 0 ? "" : `device times: –, ${reason2 ?? "not measured in this run"}`;
    const spec = stepTraceTable(variant);
    return {
      ...base,
      about: `${steps2.length} measured steps in ${blocks.length} blocks; bars: device times, lines: host times`,
      content: [
        chart,
        createTable(spec).element,
        notes([device2, ...(spec.notes ?? []).filter((note) => note !== SPARKLINE_NOTE)])
      ]
    };
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
    kernels: kernelsSection,
    ops: opsSection,
    roofline: rooflineSection,
    memory: memorySection,
    queues: queuesSection,
    pipeline: pipelineSection,
    host: hostSection,
    cpu: cpuSection,
    ranges: rangesSection,
    autotune: autotuneSection,
    "loss-scale": lossScaleSection,
    settings: settingsSection
  };
  var PROGRAM_SECTIONS = {
    findings: findingsSection,
    steps: stepsSection,
    program: programSection,
    timeline: timelineSection,
    settings: settingsSection
  };
  function variantPanel(overview2, index, shared2) {
    const anchors = new Anchors();
    const variant = readVariant(overview2, index);
    const context = { overview: overview2, variant, index, anchors, shared: shared2 };
    const element = el("div", { role: "tabpanel", "aria-label": `Variant ${nameText2(variant.name)}` });
    const own = isProgram(variant.config) ? PROGRAM_SECTIONS : SECTIONS;
    const order2 = Object.keys(own);
    for (const anchor of order2) anchors.set(anchor, element);
    const made = new Map([...order2.filter((anchor) => anchor !== "findings"), "findings"].map((anchor) => {
      return [anchor, own[anchor](context)];
    }));
    const sections = order2.map((anchor) => made.get(anchor));
    for (const section2 of sections) {
      const made2 = sectionElement(section2, citations(context, section2.anchor));
      anchors.set(section2.anchor, made2);
      element.append(made2);
    }
    return { element, anchors, sections };
  }
  function citations({ variant: { findings, name } }, anchor) {
    const citing = findings.filter(
      ({ evidence: evidence2 }) => evidence2.some(({ where }) => where === anchor || anchor === "ops" && where.startsWith("op:"))
    );
    const kinds = [...new Set(citing.map(({ kind }) => kind))];
    return kinds.map(
      (kind) => el("a", { class: "cite", href: hrefOf({ variant: name, anchor: `finding:${kind}` }) }, `↖ ${nameText2(kind, 40)}`)
    );
  }

  // runtime/report/html/client/variant_tabs.ts
  function variantTabs({ variants }, onSelect) {
    const tabs2 = variants.map(({ name, status }, i) => {
      const tab = button(
        "",
        { role: "tab", "aria-selected": "false", tabindex: -1, title: nameText2(name, 200) },
        () => onSelect(i)
      );
      tab.append(
        swatch(variantColor(i), "dot"),
        nameText2(name, 32),
        ...status === "ok" ? [] : [el("small", {}, ` ${status}`)]
      );
      return tab;
    });
    const element = el("div", { role: "tablist", class: "tabs", "aria-label": "Variants" }, ...tabs2);
    element.addEventListener("keydown", (event) => {
      const current = tabs2.findIndex((tab) => tab === document.activeElement);
      const steps2 = {
        ArrowRight: current + 1,
        ArrowLeft: current - 1,
        Home: 0,
        End: tabs2.length - 1
      };
      const next = steps2[event.key];
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
  var merged = overview.nodes === void 0 ? [] : [nodesSection];
  var ranked = overview.variants.some(({ ranks }) => ranks !== void 0) ? [ranksSection] : [];
  var programs = overview.variants.some(({ config }) => isProgram(config)) ? [programsSection] : [];
  var counted = (overview.procedure?.energy?.sources.length ?? 0) > 0 ? [energySection] : [];
  var before = [
    matrixSection,
    ...merged,
    ...ranked,
    ...programs,
    ...counted,
    distributionSection,
    blocksSection,
    partsSection,
    memoriesSection,
    diffSection,
    lossesSection,
    seedsSection,
    frontSection,
    effectsSection,
    ladderSection
  ].map((make) => make(overview));
  var after = [procedureSection, environmentSection].map((make) => make(overview));
  var elements = [...before, ...after].map((section2) => {
    const element = sectionElement(section2);
    shared.set(section2.anchor, element);
    return element;
  });
  var names2 = overview.variants.map(({ name }) => name);
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
    nav.setVariant(names2[index], made.sections);
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
    const index = names2.indexOf(place3.variant);
    if (index < 0) return;
    const found = show(index).anchors.find(place3.anchor);
    if (found !== null) visit(found);
  }
  document.body.prepend(
    el(
      "div",
      { role: "navigation", "aria-label": "Skip" },
      el("a", { class: "skip", href: "#/matrix" }, "Skip to the comparison"),
      el("a", { class: "skip", href: "#/environment" }, "Skip to the environment")
    ),
    header(overview),
    el(
      "div",
      { class: "page" },
      nav.element,
      el(
        "main",
        { id: "main" },
        ...elements.slice(0, before.length),
        names2.length === 0 ? null : el("div", { class: "variants" }, tabs.element, host),
        ...elements.slice(before.length)
      )
    )
  );
  nav.follow();
  if (names2.length > 0) show(Math.max(0, names2.indexOf(overview.baseline)));
  addEventListener("hashchange", follow);
  addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("a")?.getAttribute("href") === location.hash) follow();
  });
  follow();
})();

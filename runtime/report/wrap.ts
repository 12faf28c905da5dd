import stringWidth from "string-width";

/** Breaks `text` at spaces into lines of at most `width` columns; all but the first are indented. */
export function wrap(text: string, width: number, indent = 2): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = lines.length === 0 ? "" : " ".repeat(indent);
    let fresh = true;
    for (const word of paragraph.split(" ")) {
      const longer = fresh ? line + word : `${line} ${word}`;
      if (!fresh && stringWidth(longer) > width) {
        lines.push(line);
        line = " ".repeat(indent) + word;
      } else {
        line = longer;
      }
      fresh = false;
    }
    lines.push(line);
  }
  return lines;
}

/** One line of a text, without what ends it. */
export interface SourceLine {
  /** In UTF-16 units. */
  readonly start: number;
  readonly text: string;
}

/** The lines of a text as the Markdown parser counts them, with the one character that it replaces. Pure. */
export function linesOf(source: string): readonly SourceLine[] {
  const lines: SourceLine[] = [];
  let start = 0;
  for (const { 0: ending, index } of source.matchAll(/\r\n?|\n|$/g)) {
    lines.push({ start, text: source.slice(start, index).replaceAll('\0', '\ufffd') });
    start = index + ending.length;
  }
  return lines;
}

/** A fenced block of a Markdown text. */
export interface Fence {
  /** The first word behind the opening marks, in lower case; empty when there is none. */
  readonly language: string;
  /** Without the indentation of its opening line; one that is never closed goes to the end of the text. */
  readonly content: string;
}

/** The fenced blocks of a text in their order, as models write them: at any indentation. Linear in its length. */
export function* fencesIn(text: string): Generator<Fence> {
  let open: FenceOpening | undefined;
  let content = '';
  for (const line of text.split(/\r?\n/)) {
    if (open === undefined) open = openingFence(line);
    else if (closesFence(line, open.marks)) {
      yield { language: open.language, content };
      [open, content] = [undefined, ''];
    } else content += `${withoutIndent(line, open.indent)}\n`;
  }
  if (open !== undefined) yield { language: open.language, content };
}

/** What the first line of a block says. */
export interface FenceOpening {
  readonly indent: number;
  /** Three or more backticks or tildes. */
  readonly marks: string;
  readonly language: string;
}

/** The block that a line opens when it stands outside of one. */
export function openingFence(line: string): FenceOpening | undefined {
  const [start, indent = '', marks] = /^([ \t]*)(`{3,}|~{3,})/.exec(line) ?? [];
  if (start === undefined || marks === undefined) return undefined;
  const words = line.slice(start.length);
  if (marks.startsWith('`') && words.includes('`')) return undefined; // code within the line
  const [language = ''] = words.trim().split(/\s/, 1);
  return { indent: indent.length, marks, language: language.toLowerCase() };
}

/** Whether a line closes the block that these marks opened. */
export function closesFence(line: string, marks: string): boolean {
  const closing = line.trim();
  return closing.startsWith(marks) && closing === marks.charAt(0).repeat(closing.length);
}

/** A line of a block without the indentation that its first line has. */
export function withoutIndent(line: string, most: number): string {
  const indent = line.length - line.trimStart().length;
  return line.slice(Math.min(indent, most));
}

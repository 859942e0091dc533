/** A container that adds a prefix to each of its lines, such as a quotation or a list item. */
interface Container {
  readonly first: string;
  readonly rest: string;
  /** The list that this item belongs to. Absent for other containers. */
  readonly list?: object;
}

/** Builds Markdown from blocks and inline text as they arrive. */
interface MarkdownWriter {
  /** Adds inline text. Runs of whitespace become one space. */
  text(text: string): void;
  breakLine(): void;
  /** Ends the current block. */
  block(): void;
  /** Starts a heading with the prefix `lead`. The returned function ends the heading. */
  heading(lead: string): () => void;
  /** Adds a block with its exact line breaks and spaces. Has no effect while text is being captured. */
  verbatim(text: string): void;
  /**
   * Applies `wrap` to the text that is added until the returned function is called. Nested marks of the same
   * kind are ignored.
   */
  mark(kind: string, wrap: (text: string) => string): () => void;
  /** Puts the blocks that are added until the returned function is called into a container. */
  contain(container: Container): () => void;
  /**
   * Captures the text that is added until the returned function is called. That function returns the text on
   * one line instead of writing it.
   */
  capture(): () => string;
  isFull(): boolean;
  /** Returns the entire text, or its beginning if the text is too long. */
  finish(): { readonly text: string; readonly isCut: boolean };
}

const deepest = 20; // The maximum nesting depth of containers. Deeper containers are ignored.

/** Creates a writer that produces at most `most` characters. */
export function createMarkdownWriter(most: number): MarkdownWriter {
  const blocks: string[] = [];
  let length = 0;
  let parts: string[] = []; // The text segments of the current block.
  let lead = '';
  let marks: { readonly kind: string; readonly wrap: (text: string) => string; start: number }[] = [];
  let containers: { readonly is: Container; isBegun: boolean }[] = [];
  let previous: readonly Container[] = []; // The containers of the previous block.
  let isCapturing = false;

  const write = (text: string): void => {
    const inside = containers.map(({ is }) => is);
    const rest = inside.map((container) => container.rest).join('');
    const first = containers.map(({ is, isBegun }) => (isBegun ? is.rest : is.first)).join('');
    const whole = `${blocks.length === 0 ? '' : gap(inside)}${first}${text.replaceAll('\n', `\n${rest}`)}`;
    for (const container of containers) container.isBegun = true;
    previous = inside;
    length += whole.length;
    blocks.push(whole);
  };

  /**
   * Returns the separator before a block: a line break between items of the same list, otherwise an empty
   * line with the prefixes of the containers that the block shares with the previous block.
   */
  const gap = (inside: readonly Container[]): string => {
    const list = inside.find((container) => container.list !== undefined)?.list;
    const beginsItem = containers.some(({ is, isBegun }) => !isBegun && is.list !== undefined);
    if (beginsItem && previous.some((container) => container.list === list)) return '\n';
    const other = inside.findIndex((container, index) => container !== previous[index]);
    const shared = other === -1 ? inside : inside.slice(0, other);
    return `\n${shared
      .map((container) => container.rest)
      .join('')
      .trimEnd()}\n`;
  };

  const close = ({ start, wrap }: (typeof marks)[number]): void => {
    const inner = parts.splice(start).join('');
    const bare = inner.trim();
    if (inner !== '') parts.push(bare === '' ? ' ' : inner.replace(bare, () => wrap(bare)));
  };

  /** Returns the text of the current block and starts a new block. Open marks continue in the new block. */
  const take = (): string => {
    for (const mark of marks.toReversed()) close(mark);
    const text = parts
      .join('')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
    parts = [];
    for (const mark of marks) mark.start = 0;
    return text;
  };

  const flush = (): void => {
    const text = take();
    if (text === '') return;
    write(lead === '' ? text : lead + text.replaceAll('\n', ' '));
    lead = '';
  };

  const separate = (): void => {
    const last = parts.at(-1);
    if (last !== undefined && !last.endsWith(' ') && !last.endsWith('\n')) parts.push(' ');
  };

  return {
    text(text) {
      const collapsed = text.replace(/[ \t\n\f\r]+/g, ' ');
      if (collapsed.startsWith(' ')) separate();
      const rest = collapsed.replace(/^ /, '');
      if (rest !== '') parts.push(rest);
    },
    breakLine() {
      if (isCapturing) separate();
      else parts.push('\n');
    },
    block() {
      if (isCapturing) separate();
      else flush();
    },
    heading(sign) {
      flush();
      lead = sign;
      return () => {
        flush();
        lead = '';
      };
    },
    verbatim(text) {
      if (isCapturing) return;
      flush();
      write(text);
    },
    mark(kind, wrap) {
      if (marks.some((other) => other.kind === kind)) return () => undefined;
      const mark = { kind, wrap, start: parts.length };
      marks.push(mark);
      return () => {
        close(mark);
        marks = marks.filter((other) => other !== mark);
      };
    },
    contain(is) {
      if (containers.length >= deepest || isCapturing) return () => undefined;
      flush();
      const container = { is, isBegun: false };
      containers.push(container);
      return () => {
        flush();
        containers = containers.filter((other) => other !== container);
      };
    },
    capture() {
      flush();
      isCapturing = true;
      return () => {
        isCapturing = false;
        return take().replaceAll('\n', ' ');
      };
    },
    isFull: () => length > most,
    finish() {
      flush();
      const text = blocks.join('');
      return { text: text.slice(0, most).toWellFormed(), isCut: text.length > most };
    },
  };
}

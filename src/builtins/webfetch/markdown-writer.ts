/** Something that stands in front of the lines of what is in it: a quotation, an item of a list. */
interface Container {
  readonly first: string;
  readonly rest: string;
  /** The list that an item belongs to. */
  readonly list?: object;
}

/** Writes Markdown from blocks and pieces of text as they come. */
interface MarkdownWriter {
  /** Text in a line; runs of white space are one space. */
  text(text: string): void;
  breakLine(): void;
  /** Ends the block under way. */
  block(): void;
  /** The next block begins with this and has one line, unless the function it gives is called before. */
  heading(lead: string): () => void;
  /** A block whose lines are kept as they are; nothing where text is captured. */
  verbatim(text: string): void;
  /** Text until the function it gives is called is put into this; a mark inside one of its kind is none. */
  mark(kind: string, wrap: (text: string) => string): () => void;
  /** Blocks until the function it gives is called are in it. */
  contain(container: Container): () => void;
  /** Text until the function it gives is called is that function's value, on one line, and is not written. */
  capture(): () => string;
  isFull(): boolean;
  /** All of it, or as much as was wanted. */
  finish(): { readonly text: string; readonly isCut: boolean };
}

const deepest = 20; // containers in each other; more of them change nothing

/** Writes at most so many characters. */
export function createMarkdownWriter(most: number): MarkdownWriter {
  const blocks: string[] = [];
  let length = 0;
  let parts: string[] = []; // of the block under way
  let lead = '';
  let marks: { readonly kind: string; readonly wrap: (text: string) => string; start: number }[] = [];
  let containers: { readonly is: Container; isBegun: boolean }[] = [];
  let previous: readonly Container[] = []; // of the last block
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

  /** Items of a list follow each other without an empty line; between other blocks there is one, in the same quotation. */
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

  /** Everything of the block under way; marks that are still open go on in the next one. */
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
      const words = text.replace(/[ \t\n\f\r]+/g, ' ');
      if (words.startsWith(' ')) separate();
      const rest = words.replace(/^ /, '');
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

/** The visible content of a terminal. */
export interface Screen {
  /** Processes a program's output. */
  write(text: string): void;
  /** Returns all rows, including those that have scrolled off the top. */
  rows(): readonly string[];
  /** Returns the rows that continue a line that was too long for the previous row. */
  brokenRows(): readonly string[];
}

const escape = '\u001b';
const parts = new RegExp(`${escape}\\[([\\d;?]*)([@-~])|[^]`, 'gu');
const unfinished = new RegExp(`${escape}(?:\\[[\\d;?]*)?$`);

/**
 * Creates a screen that supports control sequences for cursor movement and clearing. Every character is one
 * column wide.
 */
export function createScreen(columns: number, height: number): Screen {
  const rows: string[][] = [[]];
  const broken = new Set<string[]>();
  let row = 0;
  let column = 0;
  let rest = ''; // the start of an incomplete control sequence
  const rowNow = (): string[] => rows[row] ?? [];
  const down = (): string[] => {
    row += 1;
    return (rows[row] ??= []);
  };
  const put = (char: string): void => {
    if (column === columns) {
      broken.add(down());
      column = 0;
    }
    const cells = rowNow();
    while (cells.length < column) cells.push(' ');
    cells[column] = char;
    column += 1;
  };
  const steer = (numbers: string, letter: string): void => {
    const by = Number(numbers) || 1;
    if (letter === 'A') row = Math.max(0, rows.length - height, row - by);
    if (letter === 'B') row = Math.min(rows.length - 1, row + by);
    if (letter === 'C') column = Math.min(columns - 1, column + by);
    if (letter === 'D') column = Math.max(0, column - by);
    if (letter === 'G') column = by - 1;
    if (letter === 'K' || letter === 'J') rowNow().splice(numbers === '2' ? 0 : column);
    if (letter === 'J') for (const gone of rows.splice(row + 1)) broken.delete(gone);
    if (letter === 'K' && numbers === '2') broken.delete(rowNow());
  };
  return {
    write(text) {
      const all = `${rest}${text}`;
      const whole = all.replace(unfinished, '');
      rest = all.slice(whole.length);
      for (const [part, numbers = '', letter] of whole.matchAll(parts)) {
        if (letter !== undefined) steer(numbers, letter);
        else if (part === '\r') column = 0;
        else if (part === '\n') down();
        else if (part === '\b') column = Math.max(0, column - 1);
        else if (part >= ' ') put(part);
      }
    },
    rows: () => rows.map((cells) => cells.join('').trimEnd()),
    brokenRows: () => [...broken].map((cells) => cells.join('').trimEnd()),
  };
}

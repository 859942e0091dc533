/** A line of a difference: kept, added or removed, or a gap where lines that are the same are left out. */
export interface DiffLine {
  readonly sign: ' ' | '+' | '-' | '…';
  readonly text: string;
}

const context = 2; // The number of unchanged lines to show around a change.
const maxCells = 1_000_000; // The maximum size of the table. Larger changes show as removed, then added.

/** Compares two texts line by line, and returns the changes with a few lines around them. Pure. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end))
    end += 1;
  const changed = compare(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const unchanged = (lines: readonly string[]): readonly DiffLine[] =>
    lines.map((text) => ({ sign: ' ', text }));
  return withoutFarLines([
    ...unchanged(old.slice(0, start)),
    ...changed,
    ...unchanged(old.slice(old.length - end)),
  ]);
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** Finds the longest common lines of two lists. */
function compare(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const removed = old.map((text): DiffLine => ({ sign: '-', text }));
  const added = now.map((text): DiffLine => ({ sign: '+', text }));
  if (old.length * now.length > maxCells || old.length * now.length === 0) return [...removed, ...added];
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = now.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        old[row] === now[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const isUnchanged = row < old.length && column < now.length && old[row] === now[column];
    const below = lengths[(row + 1) * width + column] ?? 0;
    const isRemoved =
      column === now.length || (row < old.length && below >= (lengths[row * width + column + 1] ?? 0));
    if (isUnchanged) lines.push({ sign: ' ', text: old[row] ?? '' });
    else lines.push(isRemoved ? { sign: '-', text: old[row] ?? '' } : { sign: '+', text: now[column] ?? '' });
    if (isUnchanged || isRemoved) row += 1;
    if (isUnchanged || !isRemoved) column += 1;
  }
  return lines;
}

/** Replaces unchanged lines that are far from any change with one gap. */
function withoutFarLines(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ sign }) => sign !== ' '),
  );
  return lines.flatMap((line, index): readonly DiffLine[] => {
    if (isNear[index] === true) return [line];
    return index === 0 || isNear[index - 1] === true ? [{ sign: '…', text: '' }] : [];
  });
}

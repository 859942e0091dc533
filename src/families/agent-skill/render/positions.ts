import { markdownParser } from '../../../core/index.ts';

/**
 * The meaning of `$0`, `$1` and so on in a skill's file. `declared` is for files that declare arguments.
 * `command` is for command files, which need no declaration and may count from `$1`.
 */
export type PositionalStyle = 'declared' | 'command';

/** Determines which occurrences of `$0`, `$1` and so on in a body are arguments. */
export interface PositionRule {
  /** The number of the first argument: 1 in a command that uses `$1` but not `$0`, otherwise 0. */
  readonly first: 0 | 1;
  /**
   * Whether an occurrence may be ordinary text, such as an amount of money or shell code, because the file
   * declares no arguments. If so, the rendered text also contains all arguments.
   */
  readonly isGuess: boolean;
  /** Whether an occurrence is an argument. The offsets refer to the body and include the `$`. */
  isArgument(start: number, end: number, isInCommand: boolean): boolean;
}

/** Returns the rule for a body. `isPrompt` means that the input is a request rather than arguments. Pure. */
export function positionRule(
  body: string,
  style: PositionalStyle | undefined,
  isPrompt: boolean,
): PositionRule {
  if (style === 'declared') return { first: 0, isGuess: false, isArgument: () => true };
  if (style === 'command') {
    const first = /\$1(?!\d)/.test(body) && !/\$(?:0|ARGUMENTS\[0\])(?!\d)/.test(body) ? 1 : 0;
    return { first, isGuess: false, isArgument: () => true };
  }
  if (isPrompt) return { first: 0, isGuess: true, isArgument: () => false };
  let code: readonly Range[] | undefined;
  return {
    first: 0,
    isGuess: true,
    isArgument(start, end, isInCommand) {
      if (isMoney(body.slice(end, end + 10))) return false;
      if (isInCommand) return true;
      code ??= codeIn(body).toSorted((a, b) => a.start - b.start);
      return !isInRange(code, start);
    },
  };
}

/**
 * Whether the text after a number makes it an amount of money, as in `$0.01`, `$1,500`, `$5M` and `$3
 * million`.
 */
function isMoney(after: string): boolean {
  return /^(?:[.,]\d|[km]\b|bn?\b| (?:[mb]illion|thousand|cents?|dollars?|USD)\b)/i.test(after);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Whether an offset is in one of the ranges, which are sorted and do not overlap. */
function isInRange(ranges: readonly Range[], at: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.end ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.start ?? Infinity) <= at;
}

/** Returns the ranges of a Markdown text that are code: blocks with or without a fence, and code spans. */
function codeIn(body: string): readonly Range[] {
  const starts = [0, ...Array.from(body.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)];
  const ranges: Range[] = [];
  for (const { type, map, level } of markdownParser().parse(body, {})) {
    if (map === null) continue;
    const range = { start: starts[map[0]] ?? body.length, end: starts[map[1]] ?? body.length };
    if (type === 'fence' || (type === 'code_block' && level === 0)) ranges.push(range);
    else if (type === 'inline') ranges.push(...spansIn(body, range));
  }
  return ranges;
}

const backticks = /(?<!\\)`+/g;

/** Returns the code spans in a block. A code span is enclosed in two runs of backticks of equal length. */
function spansIn(body: string, { start, end }: Range): readonly Range[] {
  const runs = Array.from(body.slice(start, end).matchAll(backticks), ({ 0: run, index }) => ({
    length: run.length,
    at: start + index,
  }));
  // For each run, the index of the next run of the same length.
  const closes: (number | undefined)[] = [];
  const nextOf = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]?.length ?? 0;
    closes[index] = nextOf.get(length);
    nextOf.set(length, index);
  }
  const spans: Range[] = [];
  let next = 0;
  for (const [index, run] of runs.entries()) {
    const close = index < next ? undefined : closes[index];
    if (close === undefined) continue;
    spans.push({ start: run.at, end: (runs[close]?.at ?? end) + run.length });
    next = close + 1;
  }
  return spans;
}

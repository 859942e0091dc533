import type { FieldPattern } from '../descriptor/definition.ts';

/**
 * Estimates the maximum number of steps for matching a regular expression against text of a given length. A
 * repetition costs one pass through the text, and a choice multiplies the cost. Nested repetitions and
 * repeated choices have no bound. Pure.
 */
export function costOf({ source, flags }: FieldPattern): (length: number) => number {
  const { loops, choices } = flags.includes('v') ? endless : readAlternatives({ source, at: 0 });
  return (length) => (length + 1) ** (loops + 1) * choices;
}

interface Cost {
  readonly loops: number;
  readonly choices: number;
}

interface PatternCursor {
  readonly source: string;
  at: number;
}

const plain: Cost = { loops: 0, choices: 1 };
const loop: Cost = { loops: 1, choices: 1 };
const endless: Cost = { loops: Infinity, choices: 1 };

function readAlternatives(cursor: PatternCursor): Cost {
  let all: Cost = readSequence(cursor);
  while (cursor.source[cursor.at] === '|') {
    cursor.at++;
    const other = readSequence(cursor);
    all = { loops: all.loops + other.loops, choices: all.choices + other.choices };
  }
  return all;
}

function readSequence(cursor: PatternCursor): Cost {
  let all = plain;
  while (cursor.at < cursor.source.length && !/[|)]/.test(cursor.source[cursor.at] ?? '')) {
    const one = repeated(readAtom(cursor), readQuantifier(cursor));
    all = { loops: all.loops + one.loops, choices: all.choices * one.choices };
  }
  return all;
}

function readAtom(cursor: PatternCursor): Cost {
  const { source } = cursor;
  const sign = source[cursor.at++];
  if (sign === '\\') return /[1-9k]/.test(source[cursor.at++] ?? '') ? loop : plain;
  if (sign === '[') {
    while (cursor.at < source.length && source[cursor.at] !== ']')
      cursor.at += source[cursor.at] === '\\' ? 2 : 1;
    cursor.at++;
  }
  if (sign !== '(') return plain;
  const head = /\?(?:[:=!]|<[=!]|<[^>]*>|[-a-z]+:)/y;
  head.lastIndex = cursor.at;
  cursor.at += head.exec(source)?.[0].length ?? 0;
  const inner = readAlternatives(cursor);
  cursor.at++;
  return inner;
}

/** Reads the minimum and maximum of a quantifier. */
function readQuantifier(cursor: PatternCursor): readonly [number, number] {
  const form = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
  form.lastIndex = cursor.at;
  const found = form.exec(cursor.source);
  if (found === null) return [1, 1];
  cursor.at = form.lastIndex;
  const [, sign, least = '', comma, most] = found;
  if (sign !== undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity];
  return [Number(least), comma === '' ? Number(least) : most === '' ? Infinity : Number(most)];
}

function repeated(cost: Cost, [least, most]: readonly [number, number]): Cost {
  const { loops, choices } = cost;
  const isPlain = loops === 0 && choices === 1;
  if (most <= 1) return { loops, choices: least === most ? choices : choices + 1 };
  if (least === most) return isPlain ? plain : { loops: loops * least, choices: choices ** least };
  return isPlain ? loop : endless;
}

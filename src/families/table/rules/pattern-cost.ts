import type { FieldPattern } from '../descriptor/definition.ts';

/**
 * How many steps a regular expression may take at most on a text of some length, roughly and rather too many: what
 * repeats goes once through the text, a choice multiplies, and to repeat what repeats or chooses has no end. Pure.
 */
export function costOf({ source, flags }: FieldPattern): (length: number) => number {
  const { loops, choices } = flags.includes('v') ? endless : readAlternatives({ source, at: 0 });
  return (length) => (length + 1) ** (loops + 1) * choices;
}

interface Cost {
  readonly loops: number;
  readonly choices: number;
}

interface Place {
  readonly source: string;
  at: number;
}

const plain: Cost = { loops: 0, choices: 1 };
const loop: Cost = { loops: 1, choices: 1 };
const endless: Cost = { loops: Infinity, choices: 1 };

function readAlternatives(place: Place): Cost {
  let all: Cost = readSequence(place);
  while (place.source[place.at] === '|') {
    place.at++;
    const other = readSequence(place);
    all = { loops: all.loops + other.loops, choices: all.choices + other.choices };
  }
  return all;
}

function readSequence(place: Place): Cost {
  let all = plain;
  while (place.at < place.source.length && !/[|)]/.test(place.source[place.at] ?? '')) {
    const one = repeated(readAtom(place), readQuantifier(place));
    all = { loops: all.loops + one.loops, choices: all.choices * one.choices };
  }
  return all;
}

function readAtom(place: Place): Cost {
  const { source } = place;
  const sign = source[place.at++];
  if (sign === '\\') return /[1-9k]/.test(source[place.at++] ?? '') ? loop : plain;
  if (sign === '[') {
    while (place.at < source.length && source[place.at] !== ']')
      place.at += source[place.at] === '\\' ? 2 : 1;
    place.at++;
  }
  if (sign !== '(') return plain;
  const head = /\?(?:[:=!]|<[=!]|<[^>]*>|[-a-z]+:)/y;
  head.lastIndex = place.at;
  place.at += head.exec(source)?.[0].length ?? 0;
  const inner = readAlternatives(place);
  place.at++; // the closing bracket
  return inner;
}

/** The least and the most that something repeats. */
function readQuantifier(place: Place): readonly [number, number] {
  const form = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
  form.lastIndex = place.at;
  const found = form.exec(place.source);
  if (found === null) return [1, 1];
  place.at = form.lastIndex;
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

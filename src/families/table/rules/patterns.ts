import { createContext, Script, type Context } from 'node:vm';
import type { FieldPattern } from '../descriptor/definition.ts';

/** The outcome of a pattern test: the text matches, does not match, or takes too long to test. */
export type PatternOutcome = 'fits' | 'other' | 'slow';

/** Tests text against a pattern. */
export type TestPattern = (pattern: FieldPattern, text: string) => PatternOutcome;

const longest = 10_000; // The maximum length of tested text, in characters.
const cheap = 10_000_000; // The maximum estimated number of steps for a test without a time limit.

/**
 * Creates a function that tests text against patterns from descriptors. Some patterns could take years even
 * on short text, so costly tests have a time limit and run on all strings in `textsFor` together.
 */
export function createPatternTest(
  textsFor: (pattern: FieldPattern) => readonly string[] = () => [],
): TestPattern {
  const known = new Map<FieldPattern, PreparedPattern>();
  return (pattern, text) => {
    if (text.length > longest) return 'slow';
    const prepared = known.get(pattern) ?? {
      regExp: new RegExp(pattern.source, pattern.flags),
      cost: costOf(pattern),
      outcomes: new Map<string, PatternOutcome>(),
    };
    known.set(pattern, prepared);
    const { regExp, cost, outcomes } = prepared;
    const isCostly = ({ length }: string): boolean => cost(length) > cheap;
    if (!isCostly(text)) return regExp.test(text) ? 'fits' : 'other';
    if (!outcomes.has(text)) {
      const others = outcomes.size > 0 ? [] : textsFor(pattern).filter((one) => one.length <= longest);
      for (const [one, outcome] of testLimited(regExp, new Set([text, ...others.filter(isCostly)])))
        outcomes.set(one, outcome);
    }
    return outcomes.get(text) ?? 'slow';
  };
}

interface PreparedPattern {
  readonly regExp: RegExp;
  readonly cost: (length: number) => number;
  /** The outcomes of costly tests. */
  readonly outcomes: Map<string, PatternOutcome>;
}

const patience = 300; // The time limit for one string, in milliseconds.
const maxSlow = 3; // After this many timeouts, the remaining strings are skipped.

let context: Context | undefined;
let program: Script | undefined;

function testLimited(regExp: RegExp, given: ReadonlySet<string>): ReadonlyMap<string, PatternOutcome> {
  const texts = [...given];
  const state = { regExp, texts, at: 0, fits: [] as boolean[] };
  context ??= createContext(Object.create(null) as Context);
  program ??= new Script(
    'for (; s.at < s.texts.length; s.at++) s.fits[s.at] = s.regExp.test(s.texts[s.at]);',
  );
  context['s'] = state;
  for (let slow = 0; state.at < texts.length && slow < maxSlow;) {
    const from = state.at;
    try {
      program.runInContext(context, { timeout: patience });
    } catch {
      // Earlier strings used part of the time limit, so the current string is retried with the full limit.
      if (state.at > from) continue;
      slow++;
      state.at++;
    }
  }
  context['s'] = undefined;
  const outcomeAt = (at: number): PatternOutcome => {
    const fits = state.fits[at];
    return fits === undefined ? 'slow' : fits ? 'fits' : 'other';
  };
  return new Map(texts.map((text, at) => [text, outcomeAt(at)]));
}

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

import { createContext, Script, type Context } from 'node:vm';
import type { FieldPattern } from '../descriptor/definition.ts';
import { costOf } from './pattern-cost.ts';

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
  const known = new Map<
    FieldPattern,
    { readonly regExp: RegExp; readonly cost: (length: number) => number }
  >();
  const found = new Map<FieldPattern, ReadonlyMap<string, PatternOutcome>>();
  return (pattern, text) => {
    if (text.length > longest) return 'slow';
    const ready = known.get(pattern) ?? {
      regExp: new RegExp(pattern.source, pattern.flags),
      cost: costOf(pattern),
    };
    known.set(pattern, ready);
    const isCostly = ({ length }: string): boolean => ready.cost(length) > cheap;
    if (!isCostly(text)) return ready.regExp.test(text) ? 'fits' : 'other';
    const before = found.get(pattern);
    const outcome = before?.get(text);
    if (outcome !== undefined) return outcome;
    const others = before === undefined ? textsFor(pattern).filter((one) => one.length <= longest) : [];
    const outcomes = testLimited(ready.regExp, new Set([text, ...others.filter(isCostly)]));
    found.set(pattern, new Map([...(before ?? []), ...outcomes]));
    return outcomes.get(text) ?? 'slow';
  };
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

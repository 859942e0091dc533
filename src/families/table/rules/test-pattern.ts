import { createContext, Script, type Context } from 'node:vm';
import type { FieldPattern } from '../descriptor/definition.ts';
import { costOf } from './pattern-cost.ts';

/** Whether a text fits a pattern, or that it takes too long to tell. */
export type PatternOutcome = 'fits' | 'other' | 'slow';

/** Tests a text against a pattern. */
export type TestPattern = (pattern: FieldPattern, text: string) => PatternOutcome;

const longest = 10_000; // characters
const cheap = 10_000_000; // steps

/**
 * Tests texts against patterns of descriptors, of which some would work for years on a few letters: those that could
 * are run with a limit, all of the texts that `textsFor` says will be asked about together.
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

const patience = 300; // milliseconds for one text
const mostSlow = 3; // texts that may use it up; then those that are left are not tried

let place: Context | undefined;
let program: Script | undefined;

function testLimited(regExp: RegExp, given: ReadonlySet<string>): ReadonlyMap<string, PatternOutcome> {
  const texts = [...given];
  const state = { regExp, texts, at: 0, fits: [] as boolean[] };
  place ??= createContext(Object.create(null) as Context);
  program ??= new Script(
    'for (; s.at < s.texts.length; s.at++) s.fits[s.at] = s.regExp.test(s.texts[s.at]);',
  );
  place['s'] = state;
  for (let slow = 0; state.at < texts.length && slow < mostSlow;) {
    const from = state.at;
    try {
      program.runInContext(place, { timeout: patience });
    } catch {
      if (state.at > from) continue; // stopped on the way: the one that it was at gets its whole time
      slow++;
      state.at++;
    }
  }
  place['s'] = undefined;
  const outcomeAt = (at: number): PatternOutcome => {
    const fits = state.fits[at];
    return fits === undefined ? 'slow' : fits ? 'fits' : 'other';
  };
  return new Map(texts.map((text, at) => [text, outcomeAt(at)]));
}

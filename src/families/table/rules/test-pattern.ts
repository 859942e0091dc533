import { createContext, Script, type Context } from 'node:vm';
import type { Pattern } from '../descriptor/definition.ts';
import { costOf } from './pattern-cost.ts';

/** Whether texts fit patterns, or that one takes too long to tell. */
export type TestPattern = (pattern: Pattern, text: string) => 'fits' | 'other' | 'slow';

const longest = 10_000; // characters
const cheap = 10_000_000; // steps
const patience = 100; // milliseconds for one text
const allPatience = 1000; // milliseconds for texts that came to nothing

/**
 * Tests texts against patterns of descriptors, of which some would work for years on a few letters: those that could
 * are run with a limit, and not at all any more once they have used it up several times.
 */
export function createPatternTest(): TestPattern {
  const known = new Map<Pattern, { readonly regExp: RegExp; readonly cost: (length: number) => number }>();
  let left = allPatience;
  return (pattern, text) => {
    let ready = known.get(pattern);
    if (ready === undefined) {
      ready = { regExp: new RegExp(pattern.source, pattern.flags), cost: costOf(pattern) };
      known.set(pattern, ready);
    }
    if (text.length > longest) return 'slow';
    if (ready.cost(text.length) <= cheap) return ready.regExp.test(text) ? 'fits' : 'other';
    if (left <= 0) return 'slow';
    const outcome = testLimited(ready.regExp, text);
    if (outcome === 'slow') left -= patience;
    return outcome;
  };
}

let place: Context | undefined;
let program: Script | undefined;

function testLimited(regExp: RegExp, text: string): 'fits' | 'other' | 'slow' {
  place ??= createContext(Object.create(null) as Context);
  program ??= new Script('regExp.test(text)');
  Object.assign(place, { regExp, text });
  try {
    return program.runInContext(place, { timeout: patience }) === true ? 'fits' : 'other';
  } catch {
    return 'slow'; // it was stopped: nothing else can go wrong in a test
  }
}

import { stopLate } from '../../core/index.ts';

/** A regular expression that is known to compile. */
export interface FieldPattern {
  readonly source: string;
  readonly flags: string;
}

/** The outcome of a pattern test: the text matches, does not match, or takes too long to test. */
type PatternOutcome = 'fits' | 'other' | 'slow';

/** Tests text against a pattern. */
export type TestPattern = (pattern: FieldPattern, text: string) => PatternOutcome;

const longest = 10_000; // The maximum length of tested text, in characters.
const patience = 300; // The time limit for one string, in milliseconds.
const maxSlow = 3; // After this many timeouts, the remaining strings are skipped.

/**
 * Creates a function that tests text against patterns from descriptors. Some patterns could take years even
 * on short text, so tests have a time limit. All strings in `textsFor` are tested together.
 */
export function createPatternTest(
  textsFor: (pattern: FieldPattern) => readonly string[] = () => [],
): TestPattern {
  const known = new Map<FieldPattern, Map<string, PatternOutcome>>();
  return (pattern, text) => {
    if (text.length > longest) return 'slow';
    const outcomes = known.get(pattern) ?? new Map<string, PatternOutcome>();
    known.set(pattern, outcomes);
    if (!outcomes.has(text)) {
      const others = outcomes.size > 0 ? [] : textsFor(pattern).filter((one) => one.length <= longest);
      testAll(new RegExp(pattern.source, pattern.flags), [...new Set([text, ...others])], outcomes);
    }
    return outcomes.get(text) ?? 'slow';
  };
}

function testAll(regExp: RegExp, texts: readonly string[], outcomes: Map<string, PatternOutcome>): void {
  let at = 0;
  const work = (): void => {
    for (; at < texts.length; at++)
      outcomes.set(texts[at] ?? '', regExp.test(texts[at] ?? '') ? 'fits' : 'other');
  };
  for (let slow = 0; at < texts.length && slow < maxSlow;) {
    const from = at;
    try {
      stopLate(patience, work);
    } catch {
      // Earlier strings used part of the time limit, so the current string is retried with the full limit.
      if (at > from) continue;
      slow++;
      at++;
    }
  }
  for (const text of texts) if (!outcomes.has(text)) outcomes.set(text, 'slow');
}

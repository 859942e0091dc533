import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { count } from '../../../../test/stress/count.ts';
import { checkParsed } from '../../../../test/support/check-parsed.ts';
import { readGrammarCorpus } from '../../../../test/support/grammar-corpus.ts';
import { randomPlan } from '../../../../test/support/random-plan.ts';
import { createRandom } from '../../../../test/support/random.ts';
import { createScripts } from '../../../../test/support/random-scripts.ts';
import { exampleCommands } from '../../../../test/support/sop-commands.ts';
import { checkSop } from '../check/check-sop.ts';
import { parseSop } from './parse-sop.ts';
import { printSop } from './print-sop.ts';
import type { SopIssue } from '../sop-issue.ts';

const seed = count({ small: 7, full: Date.now() % 2 ** 31 });
const scripts = count({ small: 4_000, full: 1_000_000 });

const names = ['to', 'subject', 'urgency', 'first', 'text', '__proto__'];
const declares = (_command: string, key: string): boolean => names.includes(key);

test(`${scripts} random and broken scripts are read and checked, each in time`, (t) => {
  const plans = fc.sample(randomPlan, { numRuns: 200, seed });
  const corpus = readGrammarCorpus().map(({ script }) => script);
  const next = createScripts(createRandom(seed), [...corpus, ...plans.map(printSop)]);

  const seen = { read: 0, checked: 0, slowest: 0 };
  for (let number = 1; number <= scripts; number++) {
    const script = next();
    try {
      const took = slowestOf(script, 50);
      assert.ok(took < 50, `${took.toFixed(0)} ms`);
      seen.slowest = Math.max(seen.slowest, took);

      const { issues } = checkParsed(script, declares);
      if (!issues.some(isError)) seen.read++;

      const checked = checkSop(script, exampleCommands, { hasInput: true });
      assert.equal(checked.plan === undefined, checked.issues.some(isError));
      if (checked.plan !== undefined) seen.checked++;
    } catch (thrown) {
      throw new Error(`Script ${number} of seed ${seed}: ${JSON.stringify(script)}`, { cause: thrown });
    }
  }
  t.diagnostic(
    `seed ${seed}: ${seen.read} could be read, ${seen.checked} could run, the slowest took ${seen.slowest.toFixed(1)} ms`,
  );
  assert.ok(seen.read > scripts / 10 && seen.checked > scripts / 1_000);
});

describe('the time grows with the length and no faster', () => {
  const length = count({ small: 10_000, full: 1_000_000 });
  const starts = ['', '@a mail ', '@a mail "', '@a mail\n', '@a mail --begin-a--\n', '@a each $b mail '];
  const units = [
    ...['"', "'", '"" ', '\\', '"\\', '@', '@\n', '@ \n', '@a b\n', '@a upper\n', '@a mail when $a\n'],
    ...['#', '#\n', '\n#\n\n', '\n', '\r', ' ', '\u200b', '\ufeff', 'x', '-', '$', '$a ', '$a.'],
    ...['a=', 'to=', 'to="x"', '= ', ' when $x', ' when not', '--begin-a--\n', '--end-a--\n', '--begin-a-- '],
    ...['@a b --begin-a--\n', '@a b\n--begin-a--\n--end-a--\n', '--begin-a--\n--begin-b--\n--end-a--\n'],
    ...['@a b\n# c\n', '@a b\nc\n#\n', '@a each $a ', '@a upper $a\n'],
  ];
  for (const unit of units) {
    test(`${length} characters of ${JSON.stringify(unit)}`, () => {
      for (const start of starts) {
        const script = (start + unit.repeat(length / unit.length)).slice(0, length);
        const took = slowestOf(script, 2_000);
        assert.ok(took < 2_000, `${took.toFixed(0)} ms behind ${JSON.stringify(start)}`);
      }
    });
  }
});

/** The milliseconds that the slower of both takes: to read a script and print it, or to check it. */
function slowestOf(script: string, limit: number): number {
  const read = measure(limit, () => printSop(parseSop(script, declares).plan));
  const checked = measure(limit, () => checkSop(script, exampleCommands));
  return Math.max(read, checked);
}

function isError({ level }: SopIssue): boolean {
  return level === 'error';
}

/**
 * The milliseconds of a processor that something takes, so that others at work on the machine do not count. What seems
 * slow may have met a garbage collection, and is done again.
 */
function measure(limit: number, run: () => unknown): number {
  for (let left = 4; ; left--) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    const took = (user + system) / 1_000;
    if (took < limit || left === 0) return took;
  }
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { count } from '../../../test/stress/count.ts';
import { checkParsed } from '../../../test/support/check-parsed.ts';
import { readGrammarCorpus } from '../../../test/support/grammar-corpus.ts';
import { randomPlan } from '../../../test/support/random-plan.ts';
import { createRandom } from '../../../test/support/random.ts';
import { createScripts } from '../../../test/support/random-scripts.ts';
import { exampleCommands } from '../../../test/support/sop-commands.ts';
import { checkSop } from './check-sop.ts';
import { parseSop } from './parse-sop.ts';
import { printSop } from './print-sop.ts';

const seed = count({ small: 7, full: Date.now() % 2 ** 31 });
const scripts = count({ small: 4_000, full: 1_000_000 });

const names = ['to', 'subject', 'urgency', 'first', 'text', '__proto__'];
const declares = (_command: string, key: string): boolean => names.includes(key);

test(`${scripts} random and broken scripts are read and checked, each in time`, (t) => {
  const plans = fc.sample(randomPlan, { numRuns: 200, seed });
  const corpus = readGrammarCorpus().map(({ script }) => script);
  const next = createScripts(createRandom(seed), [...corpus, ...plans.map(printSop)]);

  let right = 0;
  let slowest = 0;
  for (let number = 1; number <= scripts; number++) {
    const script = next();
    const where = `script ${number} of seed ${seed}: ${JSON.stringify(script)}`;
    const { result, took } = measure(50, () => look(script, where));
    assert.ok(took < 50, `${took.toFixed(0)} ms for ${where}`);
    slowest = Math.max(slowest, took);
    if (result) right++;
  }
  t.diagnostic(`seed ${seed}; ${right} had no error; the slowest took ${slowest.toFixed(1)} ms`);
  assert.ok(right > scripts / 10, `only ${right} had no error`);
});

/** Whether a script can be read without an error. */
function look(script: string, where: string): boolean {
  try {
    const { issues } = checkParsed(script, declares);
    const checked = checkSop(script, exampleCommands, { hasInput: true });
    const isWrong = checked.issues.some(({ level }) => level === 'error');
    assert.equal(checked.plan === undefined, isWrong);
    return !issues.some(({ level }) => level === 'error');
  } catch (thrown) {
    throw new Error(where, { cause: thrown });
  }
}

describe('the time grows with the length and no faster', () => {
  const length = count({ small: 10_000, full: 1_000_000 });
  const starts = ['', '@a mail ', '@a mail "', '@a mail\n', '@a mail --begin-a--\n', '@a each $b mail '];
  const units = [
    ...[
      '"',
      "'",
      '"" ',
      '\\',
      '"\\',
      '@',
      '@\n',
      '@ \n',
      '@a b\n',
      '@a upper\n',
      '@a mail when $a\n',
      '#',
      '#\n',
      '\n#\n\n',
    ],
    ...[
      '\n',
      '\r',
      ' ',
      '\u200b',
      '\ufeff',
      'x',
      '$',
      '$a ',
      '$a.',
      'a=',
      'to=',
      'to="x"',
      '= ',
      ' when $x',
      ' when not',
    ],
    ...[
      '--begin-a--\n',
      '--end-a--\n',
      '--begin-a-- ',
      '@a b --begin-a--\n',
      '@a b\n--begin-a--\n--end-a--\n',
      '-',
    ],
    ...[
      '--begin-a--\n--begin-b--\n--end-a--\n',
      '@a b\n# c\n',
      '@a b\nc\n#\n',
      '@a each $a ',
      '@a upper $a\n',
    ],
  ];
  for (const unit of units) {
    test(`${length} characters of ${JSON.stringify(unit)}`, () => {
      for (const start of starts) {
        const script = (start + unit.repeat(length / unit.length)).slice(0, length);
        const read = measure(2_000, () => printSop(parseSop(script, declares).plan));
        const checked = measure(2_000, () => checkSop(script, exampleCommands));
        const slower = Math.max(read.took, checked.took);
        assert.ok(slower < 2_000, `${slower.toFixed(0)} ms behind ${JSON.stringify(start)}`);
      }
    });
  }
});

/**
 * What something comes to, and the milliseconds of a processor that it takes, so that others at work on the machine do
 * not count. What seems slow may have met a garbage collection, and is done again.
 */
function measure<Result>(limit: number, run: () => Result): { result: Result; took: number } {
  for (let left = 4; ; left--) {
    const start = process.cpuUsage();
    const result = run();
    const { user, system } = process.cpuUsage(start);
    const took = (user + system) / 1000;
    if (took < limit || left === 0) return { result, took };
  }
}

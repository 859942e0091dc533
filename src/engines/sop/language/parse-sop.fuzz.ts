import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../../test/stress/stress.ts';
import { finished } from '../../../../test/support/deadline.ts';
import { checkParsed } from '../../../../test/support/check-parsed.ts';
import { readGrammarCorpus } from '../../../../test/support/grammar-corpus.ts';
import { randomPlan } from '../../../../test/support/random-plan.ts';
import { createScripts } from '../../../../test/support/random-scripts.ts';
import { exampleCommands } from '../../../../test/support/sop-commands.ts';
import { checkSop } from '../check/check-sop.ts';
import { parseSop } from './parse-sop.ts';
import { printSop } from './print-sop.ts';
import type { SopIssue } from '../issue.ts';

const { createLoop } = openLoops(import.meta);
const batches = createLoop({ small: 4, full: 1_000, weight: 40 });
const batch = 1_000; // scripts

const names = ['to', 'subject', 'urgency', 'first', 'text', '__proto__'];
const declares = (_command: string, key: string): boolean => names.includes(key);

test('random and broken scripts are read and checked', async (t) => {
  const plans = fc.sample(randomPlan, { numRuns: 200, seed: batches.seed });
  const corpus = readGrammarCorpus().map(({ script }) => script);
  const good = [...corpus, ...plans.map(printSop)];

  const counts = { read: 0, checked: 0 };
  const check = (script: string): void => {
    try {
      const { issues } = checkParsed(script, declares);
      if (!issues.some(isError)) counts.read++;

      const checked = checkSop(script, exampleCommands, { hasInput: true });
      assert.equal(checked.plan === undefined, checked.issues.some(isError));
      if (checked.plan !== undefined) counts.checked++;
    } catch (thrown) {
      throw new Error(JSON.stringify(script), { cause: thrown });
    }
  };
  const done = await batches.rounds(({ random }) => {
    const next = createScripts(random, good);
    finished('a batch of scripts', () => {
      for (let left = batch; left > 0; left -= 1) check(next());
    });
  });
  const scripts = done * batch;
  t.diagnostic(`of ${scripts} scripts, ${counts.read} could be read, ${counts.checked} could run`);
  assert.ok(counts.read > scripts / 10 && counts.checked > scripts / 1_000);
});

describe('the time grows with the length and no faster', () => {
  const starts = ['', '@a mail ', '@a mail "', '@a mail\n', '@a mail --begin-a--\n', '@a each $b mail '];
  const units = [
    ...['"', "'", '"" ', '\\', '"\\', '@', '@\n', '@ \n', '@a b\n', '@a upper\n', '@a mail when $a\n'],
    ...['#', '#\n', '\n#\n\n', '\n', '\r', ' ', '\u200b', '\ufeff', 'x', '-', '$', '$a ', '$a.'],
    ...['a=', 'to=', 'to="x"', '= ', ' when $x', ' when not', '--begin-a--\n', '--end-a--\n', '--begin-a-- '],
    ...['@a b --begin-a--\n', '@a b\n--begin-a--\n--end-a--\n', '--begin-a--\n--begin-b--\n--end-a--\n'],
    ...['@a b\n# c\n', '@a b\nc\n#\n', '@a each $a ', '@a upper $a\n'],
  ];
  for (const unit of units) {
    const lengths = createLoop({ small: 10_000, full: 1_000_000 });
    test(`many characters of ${JSON.stringify(unit)}`, async () => {
      await lengths.sizes((length) => {
        for (const start of starts) {
          const script = (start + unit.repeat(length / unit.length)).slice(0, length);
          finished(JSON.stringify(start), () => {
            printSop(parseSop(script, declares).plan);
            checkSop(script, exampleCommands);
          });
        }
      });
    });
  }
});

function isError({ level }: SopIssue): boolean {
  return level === 'error';
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkParsed } from '../support/check-parsed.ts';
import { readGrammarCorpus } from '../support/grammar-corpus.ts';
import { declaring, shapeOf } from '../support/plan-shape.ts';

const corpus = readGrammarCorpus();
const declares = declaring({ send: ['to', 'subject', 'urgent'] });

describe('the grammar, script by script', () => {
  for (const { name, script, expected } of corpus) {
    test(name, () => {
      const { plan, issues } = checkParsed(script, declares);
      const found = issues.map(({ code, line, column }) => ({ code, line, column }));
      assert.deepEqual({ steps: shapeOf(plan), issues: found }, expected);
    });
  }

  test('there are enough of them, and some without and with errors', () => {
    assert.ok(corpus.length >= 40);
    const wrong = corpus.filter(({ expected }) => expected.issues.length > 0);
    assert.ok(wrong.length >= 10 && corpus.length - wrong.length >= 25);
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { sourceFile } from '../../../test/support/source-file.ts';
import { isAgentError } from '../../core/error.ts';
import { budgetOf, countTokens, type CatalogLimits } from './budget.ts';

test('the defaults are 150 skills and 30,000 characters; tokens are free', () => {
  assert.deepEqual(budgetOf({}), { maxSkills: 150, maxChars: 30_000, maxTokens: Infinity });
});

test('a share of the context window is a limit of tokens, and the lower limit counts', () => {
  assert.equal(budgetOf({ contextWindow: 200_000 }).maxTokens, 4000);
  assert.equal(budgetOf({ contextWindow: 10_000, windowShare: 0.5 }).maxTokens, 5000);
  assert.equal(budgetOf({ contextWindow: 200_000, maxTokens: 99 }).maxTokens, 99);
  assert.equal(budgetOf({ contextWindow: 0 }).maxTokens, 0);
});

test('what is not a size is refused by name', () => {
  const bad: readonly CatalogLimits[] = [
    { maxSkills: NaN },
    { maxChars: -1 },
    { maxTokens: '9' as unknown as number },
    { contextWindow: -Infinity },
    { windowShare: 1.5 },
  ];
  for (const limits of bad) {
    assert.throws(
      () => budgetOf(limits),
      (thrown) =>
        isAgentError(thrown) &&
        thrown.code === 'usage.bad-input' &&
        thrown.message.includes(Object.keys(limits)[0]!) &&
        thrown.hint !== undefined,
    );
  }
});

test('tokens are counted by o200k', () => {
  assert.equal(countTokens(''), 0);
  assert.equal(countTokens('tiktoken is great!'), 6);
  assert.equal(countTokens('2 + 2 = 4'), 7);
  assert.equal(countTokens('お誕生日おめでとう'), 8);
});

test('special tokens are ordinary text', () => {
  for (const text of ['<|endoftext|>', 'a <|im_start|> b', '<|endofprompt|><|endoftext|>']) {
    assert.ok(countTokens(text) > 4, text);
  }
});

/** Whether a script in a fresh process loads the tokenizer. */
function loadsTokenizer(script: string): boolean {
  const catalog = JSON.stringify(sourceFile('src/skills/catalog/catalog.ts'));
  const code = `
    import { createRequire } from 'node:module';
    const { applySkillsPromptLimits: apply } = await import(${catalog});
    const entries = Array.from({ length: 400 }, (_, n) => ({ name: 's' + n, description: 'd'.repeat(n), location: '/' + n }));
    ${script}
    console.log(Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('gpt-tokenizer')));
  `;
  return (
    execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }).trim() ===
    'true'
  );
}

test('the tokenizer is loaded only by who asks for tokens', () => {
  assert.equal(loadsTokenizer('apply(entries).chars; apply([]).tokens;'), false);
  assert.equal(loadsTokenizer('apply(entries).tokens;'), true);
});

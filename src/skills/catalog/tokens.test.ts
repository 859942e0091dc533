import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { countTokens } from './tokens.ts';
import { sourceFile } from '../../../test/support/source-file.ts';

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
  const catalog = JSON.stringify(sourceFile('src/skills/catalog.ts'));
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

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { digestFolder } from '../files/digest.ts';
import { settleGeneration } from './settle.ts';
import { withGeneration } from './with-generation.ts';

const journal = '.generation/sum/swap.json';

test('nothing happens where nothing is left half done', async () => {
  using base = tree({ 'sum/src/index.ts': '' });
  await settleGeneration(base.at('sum'));
  await settleGeneration(base.at('nowhere'));
  await settleGeneration(base.at('sum/src/index.ts'));
  assert.deepEqual(readdirSync(base.path), ['sum']);
});

test('a swap under way is waited for', async () => {
  using base = tree({ 'sum/src/index.ts': '' });
  const { signal } = new AbortController();
  let isOver = false;
  const reader = Promise.withResolvers<undefined>();
  await withGeneration(base.at('sum'), { signal }, async () => {
    base.write(journal, '{}');
    const settled = settleGeneration(base.at('sum')).then(() => assert.ok(isOver));
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
    isOver = true;
    rmSync(base.at(journal));
    settled.then(() => reader.resolve(undefined), reader.reject);
  });
  await reader.promise;
});

test('what nobody is at any more is cleared away', async () => {
  using base = tree({ 'sum/src/index.ts': '', [journal]: 'rubbish' });
  await settleGeneration(base.at('sum'));
  assert.equal(existsSync(base.at(journal)), false);
});

test('code that is written by hand stays, whatever somebody put beside it', async () => {
  const staging = `staging-${'ab'.repeat(18)}`;
  const forged = { [`.generation/sum/${staging}/copy/src/index.ts`]: 'forged' };
  using base = tree({ 'sum/src/index.ts': 'own', ...forged });
  base.write(journal, JSON.stringify({ version: 1, staging, origin: digestFolder(base.at('sum')) }));
  await settleGeneration(base.at('sum'));
  assert.equal(readFileSync(base.at('sum/src/index.ts'), 'utf8'), 'own');
  assert.equal(existsSync(base.at(journal)), false);
});

test('what cannot be finished keeps nobody waiting', async () => {
  using base = tree({ 'sum/src/index.ts': '', [`${journal}/x/y`]: '', '.generation/sum/lock/x': '' });
  await settleGeneration(base.at('sum'));
  assert.equal(existsSync(base.at('sum/src/index.ts')), true);
});

test('code of specs that lie in no file is put in place as that of others', async () => {
  const staging = `staging-${'ab'.repeat(18)}`;
  const copy = `.generation/sum/${staging}/copy/src/rules.ts`;
  using base = tree({ 'sum/src/rules.ts': 'old', [copy]: 'new' });
  base.write(journal, JSON.stringify({ version: 1, staging, origin: digestFolder(base.at('sum')) }));
  await settleGeneration(base.at('sum'), { 'rules.ts.md': 'Does it.' });
  assert.equal(readFileSync(base.at('sum/src/rules.ts'), 'utf8'), 'new');
});

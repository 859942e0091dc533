import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { compileCache } from '../../test/support/compile-cache.ts';
import { dropEmptyAddresses } from './drop-empty-addresses.ts';

test('only addresses that are empty are unset', () => {
  const environment = { ANTHROPIC_BASE_URL: ' ', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', EMPTY: '' };
  dropEmptyAddresses(environment);
  assert.deepEqual(environment, { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', EMPTY: '' });
});

test('an empty address in the environment keeps no package from loading once a model is opened', () => {
  const script = `
    const { createModelOpener } = await import('./model-opener.ts');
    const { machineFor } = await import('./machine.ts');
    createModelOpener({}, machineFor(undefined))('anthropic/x');
    await import('@ai-sdk/anthropic');
    await import('@ai-sdk/openai');
    process.stdout.write('loaded');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    env: { ...compileCache(), ANTHROPIC_BASE_URL: '', OPENAI_BASE_URL: '' },
    encoding: 'utf8',
  });
  assert.equal(stdout, 'loaded', stderr);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programName } from './program.ts';

const cases: readonly (readonly [environment: Readonly<Record<string, string>>, program: string])[] = [
  [{}, 'skilled'],
  [{ npm_command: 'exec', npm_lifecycle_event: 'npx', npm_lifecycle_script: "'skilled'" }, 'npx skilled'],
  [{ npm_command: 'run', npm_lifecycle_script: 'tsc && skilled run /report' }, 'npx skilled'],
  [{ npm_command: 'exec', npm_lifecycle_event: 'npx', npm_lifecycle_script: "'other'" }, 'skilled'],
  [{ npm_command: 'test', npm_lifecycle_script: 'node scripts/test.js' }, 'skilled'],
  [{ npm_lifecycle_script: 'node skilled-tests.js' }, 'skilled'],
  [{ SKILLED_PROGRAM: 'npm start --', npm_lifecycle_script: "'skilled'" }, 'npm start --'],
  [{ SKILLED_PROGRAM: '' }, 'skilled'],
];

for (const [environment, program] of cases)
  test(`${JSON.stringify(environment)} is called as ${program}`, () => {
    assert.equal(programName(environment), program);
  });

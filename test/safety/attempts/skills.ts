import type { Attempt } from './attempt.ts';

/**
 * Skills that are not on the list, by every name that could reach one, and everything that models are not
 * offered.
 */
export const skillAttempts: readonly Attempt[] = [
  'vault',
  'Vault',
  'VAULT',
  'explicit:vault',
  'vault-function',
  'ｖault',
  'vault\u200b',
  'secretive',
  'attack',
  'Bash',
  'BASH',
  'Write',
  'bundled:bash',
  'ask-user',
  'mirror-code-generator',
  '',
  '__proto__',
  'project:witness',
]
  .map((name): Attempt => ({ name, input: { input: 'x' } }))
  .concat(
    { name: 'find-skills', input: { query: 'vault' } },
    { name: 'narrow', input: { input: 'touch PWNED' } },
    { name: 'bash', input: { command: 'echo granted' } },
    { name: 'write', input: { file_path: 'notes/granted.txt', content: 'granted' } },
  );

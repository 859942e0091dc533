import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isAgentError } from '../../../core/error.ts';
import { renderBody } from './render-skill.ts';

const file = path.join(import.meta.dirname, '../../../../test/fixtures/skill-commands/honest.txt');

const args: Readonly<Record<string, string>> = {
  file: 'src/app.ts',
  other: 'src/main.ts',
  path: 'src/pages',
  pattern: '*.test.ts',
  name: 'login',
  base: 'main',
  branch: 'feature/login',
  commit: 'a1b2c3d',
  version: '1.4.0',
  since: '2 weeks ago',
  query: "the user's name (again)",
  title: 'Fix: the login',
  message: 'The login "hangs" for $5 & more',
  number: '42',
  issue: '#17',
  repo: 'octo/app',
  package: '@scope/pkg',
  image: 'app:1.4',
  count: '20',
  container: 'web-1',
  service: 'web',
  pod: 'web-7d9f',
  namespace: 'staging',
  host: 'example.com',
  url: 'https://example.com/a?b=c&d=1',
  id: '1234',
  from: '10',
  to: '20',
};

test('most commands of honest skills can be rendered', () => {
  const commands = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(commands.length, 200);
  const refused = commands.filter((command) => !isRendered(command));
  assert.ok(refused.length <= 30, `refused: ${refused.length}\n${refused.join('\n')}`);
});

function isRendered(command: string): boolean {
  const context = { session: 's-1', skillDir: '/skills/my skill', projectDir: '/work' };
  const body = `\`\`\`!\n${command}\n\`\`\``;
  try {
    renderBody(body, { args, argumentNames: Object.keys(args), context, allowDash: false });
    return true;
  } catch (thrown) {
    if (isAgentError(thrown)) return false;
    throw thrown;
  }
}

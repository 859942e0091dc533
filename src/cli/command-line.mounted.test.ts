import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, leaveHome, workspace } from '../../test/support/command.ts';
import { serveSkills, skillText, type SkillServer } from '../../test/support/skill-server.ts';

leaveHome();

let server: SkillServer;
before(async () => {
  server = await serveSkills(() => ({
    'alpha/SKILL.md': skillText('alpha'),
    'frobnicate/SKILL.md': skillText('frobnicate'),
  }));
  const folder = join(process.env['HOME'] ?? '', '.skilled');
  mkdirSync(folder, { recursive: true });
  const mcpServers = { acme: { url: server.url, skills: true } };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ mcpServers }));
});
after(() => server[Symbol.asyncDispose]());

test('commands say which server a skill is from, and that it needs trust', async () => {
  using files = workspace();
  const output = async (...args: readonly string[]): Promise<string> =>
    (await call([...args, '--cwd', files.path])).out;
  const list = await output('list');
  assert.match(list, /^frobnicate +agent-skill +mcp \(acme\) +needs trust +Does frobnicate things\.$/m);
  assert.match(list, /^alpha +agent-skill +mcp \(acme\) +shadowed/m);
  const shown = await output('show', 'acme/alpha');
  assert.match(shown, /^source +mcp \(acme\)$/m);
  assert.match(shown, /^trust +needed before it is used: skilled trust grant acme\/alpha --cwd \S+$/m);
  assert.match(await output('find', 'frobnicate'), /^frobnicate .*mcp \(acme\) Does frobnicate things\.$/m);
  for (const command of [['list'], ['show', 'frobnicate'], ['find', 'frobnicate']]) {
    assert.match(await output(...command, '--json'), /"source": "mcp",\s+"server": "acme"/, command[0]);
  }
  assert.match(await output('list', '--json'), /"hint": ".*\\"acme\/alpha\\"/);
});

test('a mounted skill whose name another one has is trusted by the name that leads to it', async () => {
  using files = workspace();
  const granted = await call(['trust', 'grant', 'acme/alpha', '--cwd', files.path]);
  assert.match(granted.out, /^alpha is now trusted in its current version\.\n\npath +.*\/acme\/alpha$/m);
  assert.match((await call(['show', 'acme/alpha', '--cwd', files.path])).out, /^trust +granted$/m);
});

test('with --safe, and with --only, no server is asked', async () => {
  using files = workspace();
  for (const flags of [['--safe'], ['--only', '--skills', files.path]]) {
    const { out } = await call(['list', '--cwd', files.path, ...flags]);
    assert.doesNotMatch(out, /frobnicate/);
  }
});

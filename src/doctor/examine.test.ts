import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { packageFolder } from '../../test/support/tool-server-stage.ts';
import { skillText, tree, type Tree } from '../../test/support/tree.ts';
import type { AgentOptions } from '../agent/options.ts';
import { BareAgent } from '../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../config/defaults.ts';
import { reportKeys } from '../config/models/report.ts';
import { readSettings, settingsSources } from '../config/read/settings.ts';
import type { SandboxSupport } from '../config/sandbox-report.ts';
import { reportServers } from '../config/servers/report.ts';
import { reportDatabase } from '../config/storage/open-database.ts';
import { reportStore } from '../config/storage/run-store.ts';
import { openTrustBook } from '../policy/trust-book.ts';
import type { CheckResult } from './report.ts';
import { describeIssue } from './report.ts';
import { examine } from './examine.ts';

const supported: SandboxSupport = {
  kind: 'bubblewrap',
  version: '0.8.0',
  path: '/usr/bin/bwrap',
  limits: 'watchdog',
};

async function report(
  files: Tree,
  options: AgentOptions = {},
  environment: Readonly<Record<string, string>> = {},
  sandboxSupport: SandboxSupport = supported,
): Promise<Readonly<Record<string, CheckResult>>> {
  const variables = { HOME: files.at('home'), ANTHROPIC_API_KEY: 'k', ...environment };
  const ports = defaultPorts(variables);
  await using agent = await new BareAgent(
    { startDir: files.path, settings: true, ...options },
    ports,
  ).ready();
  const sources = settingsSources(files.path, { environment: variables });
  const models = reportKeys(sources, { environment: variables, folder: files.path });
  const book = openTrustBook(files.at('home/.skilled/trust.json'));
  const { settings } = readSettings(sources);
  const database = await reportDatabase(files.path, { environment: variables });
  const store = reportStore(files.path, { environment: variables });
  const servers = await reportServers(agent.skills, files.path, { environment: variables });
  const ran = { code: { isSandboxed: true }, snippets: {} };
  const checks = examine({ agent, models, store, database, servers, sandboxSupport, ...ran, book, settings });
  return Object.fromEntries(checks.map((check) => [check.id, check]));
}

test('all is well', async () => {
  using files = tree({ '.git/HEAD': '', 'skills/a/SKILL.md': skillText('a') });
  const checks = await report(files);
  assert.deepEqual(Object.keys(checks), [
    'runtime',
    'roots',
    'skills',
    'eligibility',
    'code',
    'models',
    'runs',
    'records',
    'servers',
    'trust',
    'rules',
    'containment',
    'code-worker',
    'snippets',
    'files',
    'diagnostics',
  ]);
  for (const check of Object.values(checks)) assert.equal(check.status, 'ok', check.id);
  assert.ok(checks['roots']?.details.includes(`${files.at('skills')} (project): 1 found`));
  assert.match(
    checks['skills']?.summary ?? '',
    /^\d+ ready \(\d+ of them bundled\), 0 unavailable, 0 shadowed, 0 invalid$/,
  );
  assert.match(checks['runtime']?.summary ?? '', /^Node \d+/);
});

test('servers of tools are asked; one that cannot be used is said, and none of an untrusted project starts', async () => {
  const everything = {
    command: `${packageFolder}/node_modules/.bin/mcp-server-everything`,
    args: ['stdio', 'word-of-mine'],
  };
  using files = tree({
    '.git/HEAD': '',
    'home/.skilled/settings.json': JSON.stringify({
      mcpServers: { all: everything, gone: { command: 'no-such-program' } },
    }),
    '.mcp.json': '{"mcpServers": {"other": {"command": "touch", "args": ["started"]}}}',
  });
  const { servers } = await report(files, {}, { PATH: '/usr/bin:/bin' });
  assert.equal(servers?.status, 'warn');
  assert.equal(servers.summary, '1 of 2 tool servers cannot be used');
  const [first, second, third] = servers.details;
  assert.match(
    first ?? '',
    /^all \(.*mcp-server-everything, from .*settings\.json\): \d+ tools: (?:[\w-]+, )*echo/,
  );
  assert.match(second ?? '', /^gone \(no-such-program, .*\): Program "no-such-program"/);
  assert.match(third ?? '', /\.mcp\.json: info: A server is ignored: .* `skilled trust grant \.`$/);
  assert.match(servers.hint ?? '', /^Install /);
  assert.doesNotMatch(JSON.stringify(servers), /word-of-mine/);
});

test('records that cannot be kept are a failure, with the reason', async () => {
  using files = tree({ '.git/HEAD': '', 'records.db': 'no database at all\n'.repeat(50) });
  const { records: before } = await report(files);
  assert.equal(before?.summary, `none yet; the first one creates ${files.at('.skilled/tables.db')}`);
  const { records } = await report(files, {}, { SKILLED_DATABASE: 'records.db' });
  assert.equal(records?.status, 'fail');
  assert.match(records.details[0] ?? '', /records\.db cannot be used/);
  assert.ok(records.hint !== undefined);
});

test('a rule that denies or asks for a tool that cannot exist is a failure, for one that is not there yet a warning', async () => {
  const rules = {
    deny: ['Bsh(rm *)', 'bash(rm *)', 'Web*', 'Skill(elsewhere)'],
    ask: ['Wirte', 'ask-user'],
    allow: ['Raed'],
  };
  using files = tree({
    '.git/HEAD': '',
    'home/.skilled/settings.json': JSON.stringify({ permissions: rules }),
  });
  const { rules: check } = await report(files);
  assert.equal(check?.status, 'fail');
  assert.deepEqual(
    check.details.map((line) => /"permissions\.\S+"/.exec(line)?.[0]),
    ['"permissions.deny.0"', '"permissions.ask.0"'],
  );
  const right = { deny: ['bash(rm *)', 'Web*', 'Skill(elsewhere)'], ask: ['ask-user', 'mcp__a__b'] };
  files.write('home/.skilled/settings.json', JSON.stringify({ permissions: right }));
  const { rules: next } = await report(files);
  assert.equal(next?.status, 'warn');
  assert.deepEqual(
    next.details.map((line) => /The rule "(.*?)"/.exec(line)?.[1]),
    ['Skill(elsewhere)', 'mcp__a__b'],
  );
});

test('no skills folder is worth a warning that says what to do', async () => {
  using files = tree({ '.git/HEAD': '' });
  const { roots } = await report(files);
  assert.equal(roots?.status, 'warn');
  assert.match(roots.hint ?? '', /\.agents\/skills/);
});

test('an unusable descriptor fails, and is named with its fault', async () => {
  using files = tree({ '.git/HEAD': '', 'skills/bad/SKILL.md': '' });
  const { skills, diagnostics } = await report(files);
  assert.equal(skills?.status, 'fail');
  assert.ok(skills.details.some((line) => line.startsWith(files.at('skills/bad/SKILL.md'))));
  assert.equal(diagnostics?.status, 'fail');
  assert.equal(diagnostics.summary, '1 error, 0 warnings');
});

test('shadowed skills are named with both paths, and cause no failure', async () => {
  using files = tree({
    '.git/HEAD': '',
    'skills/a/SKILL.md': skillText('a'),
    '.claude/skills/a/SKILL.md': skillText('a'),
  });
  const { skills, diagnostics } = await report(files);
  assert.equal(skills?.status, 'ok');
  const line = `a: ${files.at('.claude/skills/a/SKILL.md')} is shadowed by ${files.at('skills/a/SKILL.md')}`;
  assert.deepEqual(skills.details, [line]);
  assert.equal(diagnostics?.status, 'warn');
});

test('what a skill misses is said with the way to get it', async () => {
  using files = tree({
    '.git/HEAD': '',
    'skills/a/SKILL.md': skillText(
      'a',
      'x',
      'metadata: {skilled: {requires: {bins: [no-such-tool], env: [NO_SUCH]}}}\n',
    ),
  });
  const { eligibility } = await report(files);
  assert.equal(eligibility?.status, 'warn');
  assert.equal(eligibility.summary, '1 skill cannot be used on this machine');
  assert.match(
    eligibility.details[0] ?? '',
    /^a: Install "no-such-tool".* Set the environment variable NO_SUCH/,
  );
});

test('broken settings fail', async () => {
  using files = tree({ '.git/HEAD': '', '.skilled/settings.json': '{', 'skills/a/SKILL.md': skillText('a') });
  const { diagnostics } = await report(files);
  assert.equal(diagnostics?.status, 'fail');
  assert.ok(diagnostics.details[0]?.startsWith(`${files.at('.skilled/settings.json')}:1: error: `));
});

describe('models', () => {
  test('what was found is named without its key, and what it is used for', async () => {
    using files = tree({ '.git/HEAD': '' });
    const { models } = await report(files, {}, { ANTHROPIC_API_KEY: 'open-sesame' });
    assert.equal(models?.status, 'ok');
    assert.equal(models.summary, 'found: Anthropic (ANTHROPIC_API_KEY)');
    assert.match(models.details[0] ?? '', /^plan: anthropic\/\S+$/);
    assert.doesNotMatch(JSON.stringify(models), /open-sesame/);
  });

  test('an empty text is worth a warning that says what to do', async () => {
    using files = tree({ '.git/HEAD': '' });
    const { models } = await report(files, {}, { ANTHROPIC_API_KEY: '' });
    assert.equal(models?.status, 'warn');
    assert.match(models.hint ?? '', /Set ANTHROPIC_API_KEY, OPENAI_API_KEY/);
  });

  test('a chosen model whose key is missing is a warning', async () => {
    using files = tree({
      '.git/HEAD': '',
      'home/.skilled/settings.json': '{"models": ["openai/x", "nobody/y"]}',
    });
    const { models } = await report(files);
    assert.equal(models?.status, 'warn');
    assert.ok(models.details.includes('openai/x: OPENAI_API_KEY is not set.'));
    assert.ok(models.details.some((line) => line.startsWith('nobody/y: Unknown provider "nobody"')));
  });

  test('what an untrusted project says about models is ignored and named with the way out', async () => {
    using files = tree({
      '.git/HEAD': '',
      '.skilled/settings.json': '{"models": "openai/x"}',
      '.env': 'OPENAI_API_KEY=theirs-and-only-theirs\n',
    });
    const { models, diagnostics } = await report(files);
    assert.equal(models?.status, 'ok');
    assert.match(models.summary, /Anthropic/);
    const said = diagnostics?.details.join('\n') ?? '';
    assert.match(said, /"models" is ignored .*skilled trust grant \./);
    assert.match(said, /OPENAI_API_KEY .*\.env is ignored\. .*skilled trust grant \./);
    assert.doesNotMatch(said, /theirs-and-only/);
  });

  test('offline is well', async () => {
    using files = tree({ '.git/HEAD': '' });
    const { models } = await report(files, {}, { ANTHROPIC_API_KEY: '', SKILLED_OFFLINE: '1' });
    assert.deepEqual([models?.status, models?.summary], ['ok', 'offline, no model is called']);
  });
});

test('a finding reads as where, what, and what to do', () => {
  const issue = {
    level: 'warning',
    code: 'a.b',
    message: 'It is so.',
    file: '/x/y.md',
    line: 3,
    hint: 'Do that.',
  } as const;
  assert.equal(describeIssue(issue), '/x/y.md:3: warning: It is so. Do that.');
  assert.equal(describeIssue({ level: 'error', code: 'a.b', message: 'It is so.' }), 'error: It is so.');
});

test('a sandbox that is required and not there is a failure', async () => {
  using files = tree({ '.git/HEAD': '', '.skilled/settings.json': '{"sandbox": "required"}' });
  const none = { kind: 'none', reason: 'It is not installed.', hint: 'Install it.' } as const;
  assert.equal((await report(files, {}, {}, none))['containment']?.status, 'fail');
  assert.equal((await report(files))['containment']?.status, 'ok');
  using easy = tree({ '.git/HEAD': '' });
  assert.equal((await report(easy, {}, {}, none))['containment']?.status, 'warn');
});

test('a store that came with the project is named, and so is the command that adopts it', async () => {
  using files = tree({ '.git/HEAD': '', '.skilled/skilled.db': 'not ours' });
  const { runs } = await report(files);
  assert.equal(runs?.status, 'warn');
  assert.match(runs.details.join(), /skilled\.db: You did not create .*here/);
  assert.match(runs.hint ?? '', /`skilled runs adopt`/);
});

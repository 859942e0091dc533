import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { describe, test } from 'node:test';
import { call, documentOf, leaveHome, type Ended } from '../../../../test/support/command.ts';
import { runCommand } from '../../../../test/support/command-process.ts';
import { serveFolder } from '../../../../test/support/skill-sources.ts';
import { skillText, tree, type Tree } from '../../../../test/support/tree.ts';
import { installTarget } from '../../../install/target.ts';

leaveHome();

function stage(more: Readonly<Record<string, string>> = {}): Tree {
  const files = tree({
    'project/.git/HEAD': '',
    'home/x': '',
    'source/skills/greet/SKILL.md': skillText('greet'),
    'source/skills/deploy/SKILL.md': skillText('deploy'),
    'source/skills/deploy/scripts/go.sh': 'echo hi\n',
    ...more,
  });
  process.env['HOME'] = files.at('home');
  return files;
}

function run(files: Tree, ...args: readonly string[]): Promise<Ended> {
  return call([...args, '--cwd', files.at('project')]);
}

describe('a registry', () => {
  test('what publish writes is added by the installed package with a clean home', async () => {
    using files = stage();
    assert.equal((await run(files, 'publish', '../source', '--to', '../public')).code, 0);
    const first = readFileSync(files.at('public/.well-known/agent-skills/deploy.zip'));
    renameSync(files.at('public'), files.at('before'));
    assert.equal((await run(files, 'publish', '../source', '--to', '../public')).code, 0);
    assert.deepEqual(readFileSync(files.at('public/.well-known/agent-skills/deploy.zip')), first);
    await using server = await serveFolder(files.at('public'));
    const env = { HOME: files.at('home'), PATH: process.env['PATH'] ?? '' };
    const args = ['add', server.origin, '--all', '--yes', '--json', '--cwd', files.at('project')];
    const ended = await runCommand(args, { env });
    assert.equal(ended.code, 0, ended.err);
    const skills = documentOf(ended)['skills'] as readonly { readonly name: string }[];
    assert.deepEqual(skills.map(({ name }) => name).sort(), ['deploy', 'greet']);
    assert.equal((await run(files, 'verify')).code, 0);
  });

  test('an archive of pack can be added, and a skill with errors cannot be packed', async () => {
    using files = stage({ 'source/broken/SKILL.md': '---\nname: broken\n---\n' });
    assert.equal((await run(files, 'pack', '../source/skills/deploy', '--out', '../deploy.zip')).code, 0);
    assert.equal((await run(files, 'add', '../deploy.zip', '--yes')).code, 0);
    assert.ok(existsSync(files.at('project/.agents/skills/deploy/scripts/go.sh')));
    assert.equal((await run(files, 'pack', '../source/broken')).code, 3);
    assert.equal((await run(files, 'publish', '../source', '--to', '../public')).code, 3);
    assert.ok(!existsSync(files.at('public')));
  });
});

test('a marketplace groups skills by plugin', async () => {
  const marketplace = {
    name: 'acme',
    plugins: [
      { name: 'office', source: './', skills: ['./skills/greet'] },
      { name: 'ops', source: './skills/deploy' },
      { name: 'elsewhere', source: { source: 'github', repo: 'acme/other' } },
    ],
  };
  using files = stage({ 'source/.claude-plugin/marketplace.json': JSON.stringify(marketplace) });
  const ended = await run(files, 'add', '../source', '--plugin', 'ops', '--yes', '--json');
  assert.equal(ended.code, 0);
  const skills = documentOf(ended)['skills'] as readonly { readonly name: string }[];
  assert.deepEqual(
    skills.map(({ name }) => name),
    ['deploy'],
  );
  assert.equal((await run(files, 'add', '../source', '--plugin', 'nope', '--yes')).code, 3);
});

test('skills of the same source that a skill calls are installed with it; missing ones are reported', async () => {
  using files = stage({
    'source/skills/lead/oskill.md':
      '# Lead\n\n## Description\n\nLeads the others through the day.\n\n## Instructions\n\nLead.\n\n## Allowed Skills\n\n- greet\n- nowhere\n',
  });
  const ended = await run(files, 'add', '../source', '--skill', 'lead', '--yes', '--json');
  assert.equal(ended.code, 0, ended.out);
  const document = documentOf(ended);
  const skills = document['skills'] as readonly { readonly name: string }[];
  assert.deepEqual(skills.map(({ name }) => name).sort(), ['greet', 'lead']);
  const diagnostics = document['diagnostics'] as readonly { readonly code: string }[];
  assert.deepEqual(
    diagnostics.map(({ code }) => code),
    ['install.missing-skill'],
  );
});

test('a list that the team signed trusts what it names, and nothing else', async () => {
  using files = stage();
  await run(files, 'add', '../source', '--all', '--yes');
  const lock = JSON.parse(readFileSync(installTarget(files.at('project')).lockFile, 'utf8')) as {
    readonly skills: Readonly<Record<string, { readonly digest: string }>>;
  };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const write = (
    list: object,
    how: (bytes: Buffer) => Buffer = (bytes) => sign(null, bytes, privateKey),
  ): void => {
    const bytes = Buffer.from(JSON.stringify(list));
    files.write('list.json', bytes);
    files.write('list.json.sig', how(bytes).toString('base64'));
  };
  const trust = async (): Promise<number | null> =>
    (await run(files, 'trust', 'import', '../list.json')).code;
  const states = async (): Promise<unknown> => {
    const skills = documentOf(await run(files, 'list', '--json'))['skills'] as readonly Record<
      string,
      unknown
    >[];
    return skills.find(({ name }) => name === 'deploy')?.['trust'];
  };
  write({ version: 1, bundles: [{ name: 'deploy', digest: lock.skills['deploy']?.digest ?? '' }] });
  assert.equal(await trust(), 4, 'the key is not known yet');
  files.write('home/.skilled/settings.json', JSON.stringify({ install: { trustKeys: [key] } }));
  write({ version: 1, bundles: [] }, () => Buffer.alloc(64));
  assert.equal(await trust(), 4, 'the signature is wrong');
  write({
    version: 1,
    bundles: [{ name: 'deploy', digest: `sha256:${'0'.repeat(64)}` }],
    sources: ['other'],
  });
  assert.equal(await trust(), 0);
  assert.equal(await states(), 'needed');
  write({ version: 1, sources: ['../source'] });
  assert.equal(await trust(), 0);
  assert.equal(await states(), 'granted');
  write({ version: 1, everything: true });
  assert.equal(await trust(), 2);
});

test('the version that a run used is shown, also after an update', async () => {
  using files = stage();
  await run(files, 'add', '../source', '--skill', 'greet', '--yes');
  assert.equal((await run(files, 'show', 'greet', '--at', 'last')).code, 2, 'there is no run yet');
  await run(files, 'run', '/greet', 'hello', '--offline'); // Without a model, the run fails after the call began.
  const versions = async (): Promise<readonly { readonly isCurrent: boolean; readonly origin?: object }[]> =>
    documentOf(await run(files, 'show', 'greet', '--at', 'last', '--json'))['versions'] as never;
  const [before] = await versions();
  assert.equal(before?.isCurrent, true);
  assert.ok(before.origin !== undefined);
  files.write('source/skills/greet/SKILL.md', skillText('greet', 'Newer.'));
  assert.equal((await run(files, 'update', '--yes')).code, 0);
  const [after] = await versions();
  assert.equal(after?.isCurrent, false);
  assert.equal((await run(files, 'show', 'deploy', '--at', 'last')).code, 2);
});

test('a change that a killed process left unfinished is completed when skills are read', async () => {
  using files = stage();
  await run(files, 'add', '../source', '--skill', 'greet', '--yes');
  const target = installTarget(files.at('project'));
  const lock = JSON.parse(readFileSync(target.lockFile, 'utf8')) as {
    skills: Record<string, { digest: string }>;
  };
  const name = 'staging-00000000-0000-0000-0000-000000000000';
  const entry = lock.skills['greet'];
  // The folder was put away, and the new one was not moved yet.
  files.write(`project/.agents/.skilled-install/${name}/new/x`, '');
  renameSync(
    files.at('project/.agents/skills/greet'),
    files.at(`project/.agents/.skilled-install/${name}/new/greet`),
  );
  const journal = { version: 1, staging: name, changes: [{ name: 'greet', entry }] };
  files.write('project/.agents/.skilled-install/changes.json', JSON.stringify(journal));
  const skills = documentOf(await run(files, 'list', '--json'))['skills'] as readonly {
    readonly name: string;
  }[];
  assert.ok(skills.some((skill) => skill.name === 'greet'));
  assert.ok(!existsSync(files.at('project/.agents/.skilled-install/changes.json')));
  assert.ok(!existsSync(files.at(`project/.agents/.skilled-install/${name}`)));
  assert.equal((await run(files, 'verify')).code, 0);
});

test('changes that come with a cloned project leave it through no path and no link', async () => {
  const name = 'staging-00000000-0000-0000-0000-000000000000';
  const changesOf = (changes: object): string => JSON.stringify({ version: 1, staging: name, changes });
  const digest = `sha256:${'0'.repeat(64)}`;
  using files = stage({
    'outside/state/changes.json': changesOf([{ name: 'greet', entry: { digest } }]),
    [`outside/state/${name}/new/greet/SKILL.md`]: skillText('greet'),
    'project/.agents/skills/own/SKILL.md': skillText('own'),
  });
  const state = files.at('project/.agents/.skilled-install');
  symlinkSync(files.at('outside/state'), state);
  await run(files, 'list');
  assert.ok(existsSync(files.at(`outside/state/${name}/new/greet/SKILL.md`)), 'a link is not followed');
  unlinkSync(state);
  for (const changes of [
    [{ name: '../../../outside/state', before: 'x' }],
    [{ name: 'own', before: digest }],
    [{ name: 'greet', entry: { digest } }],
  ]) {
    files.write('project/.agents/.skilled-install/changes.json', changesOf(changes));
    files.write(`project/.agents/.skilled-install/${name}/new/greet/SKILL.md`, skillText('greet'));
    await run(files, 'list');
    assert.ok(existsSync(files.at('outside/state/changes.json')));
    assert.ok(existsSync(files.at('project/.agents/skills/own/SKILL.md')));
    assert.ok(!existsSync(files.at('project/.agents/skills/greet')));
  }
});

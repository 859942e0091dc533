import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { AgentError } from '../../core/error.ts';
import type { MountedSkills, MountRequest } from '../../core/servers/tool-server.ts';
import { digestFolder } from '../../files/digest.ts';
import { serveSkills, skillText, type SkillServer } from '../../../test/support/skill-server.ts';
import { mountServerSkills } from './mount.ts';

const base = mkdtempSync(join(tmpdir(), 'mounts-'));
after(() => rmSync(base, { recursive: true }));

function mount(
  { url }: Pick<SkillServer, 'url'>,
  more: Partial<MountRequest> & { readonly name?: string } = {},
): Promise<MountedSkills> {
  const { name = 'acme', ...request } = more;
  return mountServerSkills({
    server: name,
    resolveEndpoint: async () => ({ kind: 'http', name, url, headers: {}, timeoutMs: 60_000 }),
    folder: base,
    isDescriptor: (file) => /^[a-z]*skill\.md$/i.test(file),
    isAgain: false,
    signal: new AbortController().signal,
    ...request,
  });
}

const greet = { 'greet/SKILL.md': skillText('greet'), 'greet/references/a b.md': 'Hello.\n' };

test('the skills of a server lie in a private folder, with where they come from', async () => {
  await using server = await serveSkills(() => greet);
  const { root = '', issues } = await mount(server);
  assert.deepEqual(issues, []);
  const bundle = join(root, 'acme', 'greet');
  assert.equal(readFileSync(join(bundle, 'SKILL.md'), 'utf8'), greet['greet/SKILL.md']);
  assert.equal(readFileSync(join(bundle, 'references/a b.md'), 'utf8'), 'Hello.\n');
  const origin = JSON.parse(readFileSync(join(bundle, '.server-origin.json'), 'utf8')) as Record<
    string,
    string
  >;
  assert.partialDeepStrictEqual(origin, { server: 'acme', place: server.url, uri: 'skill://greet/SKILL.md' });
  assert.match(origin['manifest'] ?? '', /^sha256:[0-9a-f]{64}$/);
  const modeOf = (path: string): number => lstatSync(path).mode & 0o777;
  assert.deepEqual([root, bundle, join(bundle, 'references')].map(modeOf), [0o700, 0o700, 0o700]);
  assert.equal(modeOf(join(bundle, 'SKILL.md')), 0o600);
});

test('what did not change is not fetched again; what did is, alone, and old copies go', async () => {
  const files: Record<string, string> = { ...greet, 'part/SKILL.md': skillText('part') };
  await using server = await serveSkills(() => files);
  const first = await mount(server);
  assert.equal(server.reads.splice(0).length, 3);
  assert.deepEqual(await mount(server), first);
  assert.deepEqual(server.reads, []);
  files['part/SKILL.md'] = skillText('part', 'Say goodbye.');
  const second = await mount(server);
  assert.deepEqual(server.reads.splice(0), ['skill://part/SKILL.md']);
  assert.match(readFileSync(join(second.root ?? '', 'acme/part/SKILL.md'), 'utf8'), /goodbye/);
  assert.ok(existsSync(first.root ?? ''), 'another process may work with it');
  utimesSync(first.root ?? '', 0, 0);
  await mount(server);
  assert.ok(!existsSync(first.root ?? ''));
  assert.deepEqual(
    readdirSync(join(second.root ?? '', '..')).sort(),
    [basename(second.root ?? ''), 'last.json'].sort(),
  );
});

test('a copy that somebody damaged is fetched again', async () => {
  await using server = await serveSkills(() => greet);
  const { root = '' } = await mount(server);
  rmSync(join(root, 'acme/greet/references'), { recursive: true });
  assert.equal((await mount(server)).root, root);
  assert.ok(existsSync(join(root, 'acme/greet/references/a b.md')));
});

test('a server says for how long its answer counts; anyone who asks again asks it', async () => {
  const files: Record<string, string> = { ...greet };
  await using server = await serveSkills(() => files, { ttlMs: 60_000, cacheScope: 'private' });
  const first = await mount(server);
  files['greet/SKILL.md'] = skillText('greet', 'Say goodbye.');
  server.refuses = 500;
  assert.deepEqual(await mount(server), first);
  server.refuses = undefined;
  assert.notEqual((await mount(server, { isAgain: true })).root, first.root);
});

test('of a server that is gone there is the last copy, and since when; of one that never was, why', async () => {
  await using server = await serveSkills(() => greet);
  const first = await mount(server);
  server.refuses = 404;
  const { root, issues } = await mount(server);
  assert.equal(root, first.root);
  assert.equal(issues[0]?.code, 'mount.kept');
  assert.match(issues[0].message, /server "acme" are from \d{4}-\d\d-\d\dT/);
  const other = await mount(server, { name: 'other' });
  assert.equal(other.root, undefined);
  assert.equal(other.issues[0]?.code, 'mount.unreachable');
  assert.ok(other.issues[0].hint);
  const unset = await mount(server, {
    resolveEndpoint: () => Promise.reject(new AgentError('usage.bad-settings', 'X is not set.')),
  });
  assert.match(unset.issues[0]?.message ?? '', /X is not set/);
});

test('servers have a folder each, and bundles that differ although their files do not', async () => {
  await using server = await serveSkills(() => greet);
  const [one, other] = await Promise.all([mount(server), mount(server, { name: 'other' })]);
  const digests = [join(one.root ?? '', 'acme/greet'), join(other.root ?? '', 'other/greet')].map(
    digestFolder,
  );
  assert.notEqual(digests[0], digests[1]);
});

test('many at once make one copy', async () => {
  await using server = await serveSkills(() => greet);
  const mounted = await Promise.all(Array.from({ length: 5 }, () => mount(server)));
  assert.equal(new Set(mounted.map(({ root }) => root)).size, 1);
  assert.ok(existsSync(join(mounted[0]?.root ?? '', 'acme/greet/SKILL.md')));
});

test('a folder that cannot be used is a finding with the next step', async () => {
  await using server = await serveSkills(() => greet);
  const file = join(base, 'no-folder');
  writeFileSync(file, '');
  const { root, issues } = await mount(server, { folder: join(file, 'servers') });
  assert.equal(root, undefined);
  assert.match(issues[0]?.hint ?? '', /cache folder/);
});

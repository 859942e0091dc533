import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { MountedSkills } from '../../core/servers/tool-server.ts';
import {
  entryFor,
  serveForged,
  skillText,
  type ForgedAnswers,
  type SkillServer,
} from '../../../test/support/skill-server.ts';
import { mountServerSkills } from './mount.ts';

const base = mkdtempSync(join(tmpdir(), 'mounts-'));
after(() => rmSync(base, { recursive: true }));

interface File {
  uri: string;
  digest: string;
  size: number;
}

interface Entry {
  uri: string;
  frontmatter: Record<string, unknown> & { name: string };
  resources: File[] | 'dynamic';
}

type Listed = Omit<Entry, 'resources'> & { resources: File[] };

const text = skillText('greet');
const files = { 'SKILL.md': text, 'notes.md': 'Notes.' };

/** An honest skill that is offered with each malicious one, and must always be mounted. */
const good = (await entryFor('good', { 'SKILL.md': skillText('good') })) as Listed;

async function greet(change: (entry: Listed) => void): Promise<Entry> {
  const entry = structuredClone(await entryFor('greet', files)) as Listed;
  change(entry);
  return entry;
}

function readHonest(uri: string): string {
  if (uri.startsWith('skill://good/')) return skillText('good');
  return uri.endsWith('/SKILL.md') ? text : 'Notes.';
}

async function mountForged(
  forged: Partial<ForgedAnswers> & Pick<ForgedAnswers, 'list'>,
): Promise<MountedSkills> {
  await using server = await serveForged({ read: readHonest, ...forged });
  return await mount(server);
}

function mount(
  { url }: Pick<SkillServer, 'url'>,
  signal = new AbortController().signal,
): Promise<MountedSkills> {
  return mountServerSkills({
    server: 'liar',
    resolveEndpoint: async () => ({ kind: 'http', name: 'liar', url, headers: {}, timeoutMs: 60_000 }),
    folder: base,
    isDescriptor: (file) => /^[a-z]*skill\.md$/i.test(file),
    isAgain: true,
    signal,
  });
}

function mustRefuse({ root = '', issues }: MountedSkills, why: RegExp): void {
  assert.deepEqual(readdirSync(join(root, 'liar')), ['good']);
  assert.equal(issues[0]?.code, 'mount.refused');
  assert.match(issues[0].message, why);
}

const addFile = (end: string) => (entry: Listed) => {
  const { digest = '', size = 0 } = entry.resources[1] ?? {};
  entry.resources.push({ digest, size, uri: `skill://greet/${end}` });
};

const forgeries: Readonly<Record<string, readonly [(entry: Listed) => void, RegExp]>> = {
  'a wrong digest': [
    ({ resources: [, file] }) => file && (file.digest = `sha256:${'0'.repeat(64)}`),
    /digest/,
  ],
  'a wrong size': [({ resources: [, file] }) => file && (file.size += 1), /size differs from the listing/],
  'another frontmatter': [(entry) => (entry.frontmatter['license'] = 'MIT'), /frontmatter/],
  'a traversal': [addFile('%2e%2e%2f%2e%2e%2fx'), /outside|folder/],
  'an absolute path': [addFile('%2Fetc%2Fpasswd'), /outside|folder/],
  'a backslash': [addFile('..%5c..%5cx'), /a character that some file systems do not allow/],
  'a NUL': [addFile('a%00b'), /outside|cannot be seen/],
  'case twins': [addFile('NOTES.md'), /twice/],
  'a reserved name': [addFile('aux.txt'), /reserved/],
  'an origin of its own': [addFile('.server-origin.json'), /reserved/],
  'another descriptor': [addFile('cskill.md'), /cskill\.md would be a separate skill/],
  'another place': [
    (entry) =>
      (entry.resources[1] = { uri: 'file:///etc/passwd', size: 1, digest: good.resources[0]?.digest ?? '' }),
    /outside/,
  ],
  'a name that is none': [(entry) => (entry.frontmatter.name = '../x'), /name/],
  'a name of another folder': [(entry) => (entry.frontmatter.name = 'other'), /name/],
  '600 files': [(entry) => Array.from({ length: 600 }, (_, i) => addFile(`f${i}`)(entry)), /602 files/],
  'too many bytes': [({ resources: [, file] }) => file && (file.size = 17_000_000), /17000\d+ bytes/],
  'no size': [({ resources: [, file] }) => file && (file.size = -1), /size/],
};
for (const [what, [change, why]] of Object.entries(forgeries)) {
  test(`${what}: the skill is refused whole, and nothing else`, async () => {
    const entry = await greet(change);
    mustRefuse(await mountForged({ list: () => [entry, good] }), why);
  });
}

test('files that are other ones when they are read: refused', async () => {
  const entry = await greet(() => undefined);
  const read = (uri: string): string => (uri.endsWith('notes.md') ? 'Others' : readHonest(uri));
  mustRefuse(await mountForged({ list: () => [entry, good], read }), /digest/);
});

test('several of one name, and one address twice: all refused', async () => {
  const entry = await greet(() => undefined);
  const moved = JSON.parse(JSON.stringify(entry).replaceAll('skill://greet', 'skill://b/greet')) as Entry;
  mustRefuse(await mountForged({ list: () => [entry, moved, good] }), /several skills with this name/);
  mustRefuse(await mountForged({ list: () => [entry, entry, good] }), /more than once/);
});

test('entries that are not entries: refused', async () => {
  mustRefuse(
    await mountForged({ list: () => [null, 7, { uri: 'x' }, good] }),
    /skill number 1 from the server "liar" was rejected/,
  );
});

test('a skill whose files are not listed: its text alone, and that is said', async () => {
  const entry = { ...(await greet(() => undefined)), resources: 'dynamic' };
  const { root = '', issues } = await mountForged({ list: () => [entry] });
  assert.deepEqual(readdirSync(join(root, 'liar/greet')).sort(), ['.server-origin.json', 'SKILL.md']);
  assert.equal(issues[0]?.code, 'mount.unverified');
  const other = await mountForged({ list: () => [entry], read: () => skillText('greet', 'Other.') });
  assert.notEqual(other.root, root);
});

test('a skill whose files are not listed and that is too large: refused', async () => {
  const entry = { ...(await greet(() => undefined)), resources: 'dynamic' };
  const read = (uri: string): string =>
    uri.startsWith('skill://good') ? readHonest(uri) : skillText('greet', 'x'.repeat(17_000_000));
  mustRefuse(await mountForged({ list: () => [entry, good], read }), /17000\d+ bytes/);
});

test('20,000 entries that are not entries: a hundred of them are said', async () => {
  const { root = '', issues } = await mountForged({ list: () => [...Array<null>(20_000).fill(null), good] });
  assert.deepEqual(readdirSync(join(root, 'liar')), ['good']);
  assert.equal(issues.length, 101);
  assert.match(issues.at(-1)?.message ?? '', /19900 more/);
});

test('a list of more than 16 MB: given up, and that is said', async () => {
  const long = 'x'.repeat(17_000_000);
  const entry = await greet(({ frontmatter }) => (frontmatter['license'] = long));
  const { root, issues } = await mountForged({ list: () => [entry, good] });
  assert.equal(root, undefined);
  assert.deepEqual(
    issues.map(({ code, message }) => [code, message]),
    [
      [
        'mount.unreachable',
        'The skills of the server "liar" are not available: The list of skills is larger than 16 MB.',
      ],
    ],
  );
});

test('1,001 skills: 1,000 are looked at, and that is said before all else', async () => {
  const entries = Array.from({ length: 1001 }, (_, i): Entry => {
    const entry = JSON.parse(JSON.stringify(good).replaceAll('good', `s${i}`)) as Listed;
    if (i >= 995) return { ...entry, resources: 'dynamic' };
    const file = { uri: `skill://s${i}/aux.txt`, digest: `sha256:${'0'.repeat(64)}`, size: 1 };
    return { ...entry, resources: [...entry.resources, file] }; // refused without a download
  });
  const read = (uri: string): string =>
    skillText('good').replaceAll('good', /s\d+/.exec(uri.slice(8))?.[0] ?? '');
  const { root = '', issues } = await mountForged({ list: () => entries, read });
  assert.deepEqual(readdirSync(join(root, 'liar')), ['s995', 's996', 's997', 's998', 's999']);
  assert.equal(issues[0]?.code, 'mount.limit');
  assert.match(issues[0].message, /offers 1001 skills; only 1000 are used/);
});

test('more than 64 MiB: the rest is left out', async () => {
  const entries = await Promise.all(
    Array.from({ length: 6 }, async (_, i) => {
      const entry = JSON.parse(JSON.stringify(good).replaceAll('good', `b${i}`)) as Entry;
      const [file] = entry.resources as File[];
      if (file !== undefined) file.size = 16_000_000;
      return entry;
    }),
  );
  const { issues } = await mountForged({ list: () => entries });
  assert.ok(issues.some(({ code, message }) => code === 'mount.limit' && message.includes('64 MiB')));
});

test('a server that goes away in the middle leaves nothing half', async () => {
  const entry = await greet(() => undefined);
  const before = readdirSync(base).flatMap((folder) => readdirSync(join(base, folder)));
  const gone = new AbortController();
  await using other = await serveForged({
    list: () => [entry],
    read: () => {
      other.refuses = 503;
      gone.abort(new Error('it went away'));
      return new Promise<string>(() => undefined);
    },
  });
  const { root, issues } = await mount(other, gone.signal);
  assert.equal(root, undefined);
  assert.equal(issues[0]?.code, 'mount.unreachable');
  const left = readdirSync(base).flatMap((folder) => readdirSync(join(base, folder)));
  assert.deepEqual(
    left.filter((name) => name.startsWith('new-')),
    [],
  );
  assert.ok(before.every((name) => left.includes(name)));
  assert.ok(existsSync(base));
});

import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { agentsAt, scanOptions, skillsAt } from '../../../test/support/look.ts';
import { skillText, tree, type Tree } from '../../../test/support/tree.ts';
import { discover } from './discover.ts';
import type { Root } from './listing.ts';

/** An entry of a random folder: a file with its text, a link with its target, or a folder. */
type Entry =
  { readonly text: string } | { readonly link: string } | { readonly dir: Readonly<Record<string, Entry>> };

const fileName = fc.constantFrom(
  ...['SKILL.md', 'SKILL.md', 'skill.md', 'Skill.MD', 'tskill.md', 'CSKILL.md', 'oskill.MD'],
  ...['x.md', 'y.MD', 'README.md', 'claude.md', '.x.md', 'x.txt'],
);
const dirName = fc.constantFrom('a', 'b', 'c', 'a-b', 'B', 'agents', '.a', 'node_modules', 'SKILL.md');
const target = fc.constantFrom(
  ...[
    '.',
    '..',
    '../..',
    'a',
    'b/c',
    '../a',
    '../b',
    '../../two',
    '../../one/a',
    '../../agents',
    '../../outside/a',
  ],
  ...['SKILL.md', '../SKILL.md', '../a/SKILL.md', '../../outside/SKILL.md', 'x.md', '../x.md', 'a/x.md'],
  ...['.a', 'node_modules/a', 'nowhere', 'x', 'self'],
);
const line = fc.constantFrom('a', 'b/', 'SKILL.md', 'x.md', '!a', '!b', '!x.md', '# a', '');
const text = fc.constantFrom(skillText('named'), '---\ndescription: Unnamed.\n---\n', 'Only text.\n', '');
const file = fc.tuple(fileName, fc.record({ text }));
const ignoreFile = fc.tuple(
  fc.constantFrom('.gitignore', '.ignore'),
  fc.array(line, { maxLength: 3 }).map((lines) => ({ text: lines.join('\n') })),
);
const link = fc.tuple(fc.oneof(dirName, fileName, fc.constant('self')), fc.record({ link: target }));

function entriesOf(depth: number): fc.Arbitrary<Readonly<Record<string, Entry>>> {
  const dir = fc.tuple(
    dirName,
    depth === 0 ? fc.constant({ dir: {} }) : fc.record({ dir: entriesOf(depth - 1) }),
  );
  const entry = fc.oneof<fc.MaybeWeightedArbitrary<readonly [string, Entry]>[]>(
    { weight: 6, arbitrary: dir },
    { weight: depth === 0 ? 12 : 1, arbitrary: file },
    { weight: 4, arbitrary: link },
    { weight: 1, arbitrary: ignoreFile },
  );
  return fc
    .array(entry, { minLength: 2, maxLength: depth === 0 ? 3 : 6, size: 'max' })
    .map((entries) => Object.fromEntries(entries));
}

function write(files: Tree, path: string, entries: Readonly<Record<string, Entry>>): void {
  mkdirSync(files.at(path), { recursive: true });
  for (const [name, entry] of Object.entries(entries)) {
    if ('text' in entry) files.write(join(path, name), entry.text);
    else if ('link' in entry) symlinkSync(entry.link, files.at(path, name));
    else write(files, join(path, name), entry.dir);
  }
}

/** The specification as plainly as possible: every file is looked at again and again, nothing is remembered but what was seen. */
function expected(
  roots: readonly Root[],
  most: number,
): { skills: readonly string[]; refused: readonly string[] } {
  const descriptors = ['SKILL.md', 'dcgskill.md', 'cskill.md', 'mskill.md', 'oskill.md', 'tskill.md'];
  const allowed = roots.map((root) => realpathSync(root.path));
  const seenFiles = new Set<string>();
  const skills: string[] = [];
  const refused: string[] = [];

  for (const root of roots) walk(root);
  return { skills, refused: refused.sort() };

  function walk(root: Root): void {
    const seenFolders = new Set<string>();
    const found: string[] = [];
    const links: string[] = [];
    const linkedFiles: string[] = [];

    visit([root.path]);
    for (const path of links) {
      if (kindOf(path) === 'folder' && !isIgnored(path, root.path, true) && mayFollow(path)) visit([path]);
    }
    for (const path of linkedFiles) take(path);
    skills.push(...found.filter((path) => isSkill(path)).sort());

    /** Visits all folders of one depth, then those below them. */
    function visit(folders: readonly string[]): void {
      const below = folders.flatMap((path) => open(path));
      if (below.length > 0) visit(below);
    }

    /** Takes what a folder holds and tells the folders in it. */
    function open(path: string): readonly string[] {
      const real = realpathSync(path);
      if (seenFolders.has(real) || relative(root.path, path).split('/').length > most) return [];
      seenFolders.add(real);
      const shown = readdirSync(path)
        .sort()
        .filter((name) => !name.startsWith('.') && name !== 'node_modules');
      const files = shown
        .map((name) => join(path, name))
        .filter((child) => kindOf(child) === 'file' && !isIgnored(child, root.path, false));
      const own = descriptors.flatMap(
        (name) => files.find((child) => basename(child) === name) ?? spelled(name, files),
      );
      if (own.length > 0 && (root.kind === 'skills' || path !== root.path)) {
        if (root.kind === 'skills') own.forEach((child) => offer(child));
        return [];
      }
      if (root.kind === 'agents' || path === root.path)
        files.filter((child) => isLoose(child) && !isDescriptor(child)).forEach((child) => offer(child));
      const children = shown.map((name) => join(path, name));
      links.push(...children.filter((child) => isLink(child)));
      return children.filter(
        (child) => !isLink(child) && kindOf(child) === 'folder' && !isIgnored(child, root.path, true),
      );
    }

    function offer(path: string): void {
      if (!isLink(path)) take(path);
      else if (mayFollow(path)) linkedFiles.push(path);
    }

    function take(path: string): void {
      const real = realpathSync(path);
      if (!seenFiles.has(real)) found.push(path);
      seenFiles.add(real);
    }
  }

  function isDescriptor(path: string): boolean {
    return descriptors.some((name) => name.toLowerCase() === basename(path).toLowerCase());
  }

  function mayFollow(path: string): boolean {
    const real = realpathSync(path);
    const may = allowed.some((folder) => `${real}/`.startsWith(`${folder}/`));
    if (!may) refused.push(path);
    return may;
  }
}

/** The first other spelling of a descriptor. */
function spelled(name: string, files: readonly string[]): readonly string[] {
  return files.filter((path) => basename(path).toLowerCase() === name.toLowerCase()).slice(0, 1);
}

function isLoose(path: string): boolean {
  return /\.md$/i.test(path) && !/^(readme|agents|claude)\.md$/i.test(basename(path));
}

/** Whether a file found becomes an entry: a loose one needs frontmatter. */
function isSkill(path: string): boolean {
  return /^[a-z]*skill\.md$/i.test(basename(path)) || readFileSync(path, 'utf8').startsWith('---\n');
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

function kindOf(path: string): 'file' | 'folder' | 'nothing' {
  if (!existsSync(path)) return 'nothing';
  return statSync(path).isDirectory() ? 'folder' : 'file';
}

/** Plain names only: the nearest folder whose last fitting line says anything decides. */
function isIgnored(path: string, root: string, isFolder: boolean): boolean {
  const name = basename(path);
  for (let dir = join(path, '..'); dir.length >= root.length; dir = join(dir, '..')) {
    const files = ['.gitignore', '.ignore'].map((file) => join(dir, file));
    const lines = files
      .filter((file) => existsSync(file) && lstatSync(file).isFile())
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    const last = lines.findLast(
      (one) => [name, `!${name}`].includes(one) || (isFolder && one === `${name}/`),
    );
    if (last !== undefined) return !last.startsWith('!');
  }
  return false;
}

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 80, full: 1_500 });

test('random trees give what the specification says', () => {
  const world = fc.record({
    one: entriesOf(3),
    two: entriesOf(2),
    agents: entriesOf(2),
    outside: entriesOf(1),
  });
  fc.assert(
    fc.property(world, fc.constantFrom(16, 16, 2), (folders, maxDepth) => {
      using files = tree();
      for (const [name, entries] of Object.entries(folders)) write(files, name, entries);
      const roots = [skillsAt(files.at('one')), skillsAt(files.at('two')), agentsAt(files.at('agents'))];
      const { discovered, issues } = discover(roots, scanOptions({ limits: { maxDepth } }));
      const refused = issues.filter(({ code }) => code === 'scan.link-outside').map((issue) => issue.file);
      const actual = { skills: discovered.map(({ found }) => found.file), refused: refused.sort() };
      assert.deepEqual(actual, expected(roots, maxDepth));
    }),
    loop.runs(),
  );
});

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../test/stress/stress.ts';
import { ignoredByGit } from '../../test/support/git.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import { isIgnored, rulesIn, type IgnoreRules } from './ignore-rules.ts';

/** A folder with files, folders and optional texts of its two ignore files. */
interface Dir {
  readonly files: readonly string[];
  readonly dirs: Readonly<Record<string, Dir>>;
  readonly ignore: readonly [string, string] | undefined;
}

// Omits `**` next to other characters: there, git's shortcut for literal prefixes contradicts its manual.
const segment = fc.constantFrom(
  ...['a', 'b', 'ab', 'a.md', 'b.md', 'a', 'b', 'a b', '[x]', '#a', '!a', 'A'],
  ...['*', '?', '**', '*.md', 'a*', '*b', '?b', '[ab]', '[!a]', '[^b]', '[a-b]*', '{a,b}'],
  ...['\\a', '\\!a', '\\#a', 'a\\*', 'a\\ b', '[]x[]', '*.*'],
);
const pattern = fc
  .record({
    not: fc.constantFrom('', '', '!'),
    anchor: fc.constantFrom('', '', '/'),
    path: fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    end: fc.constantFrom('', '', '/', ' ', '\\ ', '\r', '/**', '/*'),
  })
  .map(({ not, anchor, path, end }) => not + anchor + path + end);
const line = fc.oneof(
  { weight: 12, arbitrary: pattern },
  { weight: 1, arbitrary: fc.constantFrom('', '# a', '!', '/', '**', '*', '!*/', '!/*') },
);
const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'));
const fileName = fc.constantFrom('a.md', 'b.md', 'ab.md', 'x', '#a', '!a', 'a*', 'a ');
const dirName = fc.constantFrom('a', 'b', 'ab', 'A', 'a b', '[x]', 'c.md');

function dirOf(depth: number): fc.Arbitrary<Dir> {
  const dirs = depth === 0 ? fc.constant({}) : fc.dictionary(dirName, dirOf(depth - 1), { maxKeys: 3 });
  return fc.record({
    files: fc.uniqueArray(fileName, { maxLength: 3 }),
    dirs,
    ignore: fc.option(fc.tuple(text, text), { freq: 2, nil: undefined }),
  });
}

/** Creates a folder with its ignore file, which has the rules of `.gitignore` and then `.ignore`. Returns all paths. */
function make(files: Tree, path: string, { files: names, dirs, ignore }: Dir): readonly string[] {
  mkdirSync(files.at(path));
  if (ignore !== undefined) writeFileSync(files.at(path, '.gitignore'), ignore.join('\n'));
  const below = Object.entries(dirs).flatMap(([name, inner]) => {
    const at = `${path}/${name}`;
    return [at, ...make(files, at, inner)];
  });
  return [...names.map((name) => `${path}/${name}`), ...below]; // the files need not exist for git
}

/** Returns the paths that our rules ignore, including everything below an ignored folder. */
function ignoredBy(
  path: string,
  folder: Dir,
  outer: IgnoreRules | undefined,
  isGone = false,
): readonly string[] {
  const rules = folder.ignore === undefined ? outer : rulesIn(path, folder.ignore, outer);
  const files = folder.files.map((name) => `${path}/${name}`);
  return [
    ...files.filter((file) => isGone || isIgnored(rules, file, false)),
    ...Object.entries(folder.dirs).flatMap(([name, inner]) => {
      const at = `${path}/${name}`;
      const isIn = isGone || isIgnored(rules, at, true);
      return [...(isIn ? [at] : []), ...ignoredBy(at, inner, rules, isIn)];
    }),
  ];
}

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 1, full: 25 });

test('random ignore files hide what git hides', async () => {
  await loop.rounds(({ seed }) => {
    using files = tree();
    const folders = fc.sample(dirOf(3), { numRuns: 200, seed });
    const cases = folders.map((folder, index) => ({ folder, paths: make(files, `${index}`, folder) }));
    const all = cases.flatMap(({ paths }) => paths);
    const git = ignoredByGit(files.path, all);
    for (const [index, { folder, paths }] of cases.entries()) {
      const ours = ignoredBy(`${index}`, folder, undefined);
      assert.deepEqual(ours.toSorted(), paths.filter((path) => git.has(path)).sort(), JSON.stringify(folder));
    }
    const share = all.filter((path) => git.has(path)).length / all.length;
    assert.ok(share > 0.2 && share < 0.8, `The patterns hide ${share} of all paths and so say little.`);
  });
});

import fc from 'fast-check';
import {
  appendFileSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { skillText } from './tree.ts';

/** One thing that happens to the files of a workspace. */
export type FileChange =
  | { readonly do: 'write' | 'append' | 'save' | 'half'; readonly at: string; readonly text: string }
  | { readonly do: 'remove' | 'folder' | 'touch' | 'age'; readonly at: string }
  | { readonly do: 'move' | 'copy' | 'link' | 'hard-link' | 'swap'; readonly at: string; readonly to: string }
  | { readonly do: 'pause' | 'block'; readonly ms: number };

const names = ['alpha', 'beta', 'gamma'];
const roots = ['skills', '.agents/skills', 'agents', 'elsewhere'];
const name = fc.constantFrom(...names);
const root = fc.constantFrom(...roots);

const folder = fc.oneof(
  { weight: 1, arbitrary: root },
  { weight: 4, arbitrary: fc.tuple(root, name).map((parts) => parts.join('/')) },
  { weight: 2, arbitrary: fc.tuple(root, name, name).map((parts) => parts.join('/')) },
);

const file = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(folder, fc.constantFrom('SKILL.md', 'SKILL.md', 'skill.md', 'cskill.md')),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(
        root,
        name.map((stem) => `${stem}.md`),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(folder, fc.constantFrom('.gitignore', '.ignore')) },
    {
      weight: 1,
      arbitrary: fc.tuple(folder, fc.constantFrom('run.py', 'notes/more.txt', '.hidden/x', 'README.md')),
    },
  )
  .map(([dir, base]) => `${dir}/${base}`);

const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(name, fc.nat(99)).map(([skill, mark]) => skillText(skill, `Text ${mark}.`)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '---\n', '---\nname: alpha\n', 'No head at all.\n', '## Input\n\nx\n'),
  },
  { weight: 1, arbitrary: fc.constantFrom('alpha\n', 'beta/\n', '*.md\n', '/gamma\n!gamma/SKILL.md\n', '') },
);

const path = fc.oneof({ weight: 2, arbitrary: folder }, { weight: 3, arbitrary: file });

/** Sequences of changes below a few names, so that they hit each other often. */
export function fileChanges(maxLength: number): fc.Arbitrary<readonly FileChange[]> {
  const change: fc.Arbitrary<FileChange> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constantFrom('write', 'append', 'save', 'half'), at: file, text }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constantFrom('remove', 'folder', 'touch', 'age'), at: path }),
    },
    {
      weight: 4,
      arbitrary: fc.oneof(
        fc.record({ do: fc.constantFrom('move', 'copy', 'link', 'swap'), at: folder, to: folder }),
        fc.record({ do: fc.constantFrom('move', 'copy', 'link', 'hard-link', 'swap'), at: file, to: file }),
      ),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pause'), ms: fc.constantFrom(0, 5, 35, 60, 120) }) },
  );
  return fc.array(change, { minLength: 1, maxLength });
}

/** Makes the change happen below a folder; one that is impossible there does nothing. */
export async function apply(change: FileChange, base: string): Promise<void> {
  if (change.do === 'pause') return pause(change.ms);
  if (change.do === 'block') return block(change.ms);
  try {
    await changeFiles(change, base);
  } catch (thrown) {
    if (typeof (thrown as NodeJS.ErrnoException).code !== 'string') throw thrown; // not the file system's refusal
  }
}

async function changeFiles(change: Exclude<FileChange, { ms: number }>, base: string): Promise<void> {
  const at = join(base, change.at);
  const to = 'to' in change ? join(base, change.to) : at;
  if (change.do !== 'remove') mkdirSync(dirname(to), { recursive: true });
  switch (change.do) {
    case 'write':
      return writeFileSync(at, change.text);
    case 'append':
      return appendFileSync(at, `\nMore.\n${change.text}`);
    case 'save':
      writeFileSync(`${at}~`, change.text);
      return renameSync(`${at}~`, at);
    case 'half':
      writeFileSync(at, change.text.slice(0, change.text.length / 2));
      await pause(3);
      return appendFileSync(at, change.text.slice(change.text.length / 2));
    case 'remove':
      return rmSync(at, { recursive: true, force: true });
    case 'folder':
      rmSync(at, { recursive: true, force: true });
      return void mkdirSync(at);
    case 'touch':
      return utimesSync(at, new Date(), new Date());
    case 'age':
      return utimesSync(at, 1_000_000_000, 1_000_000_000);
    case 'move':
      return renameSync(at, to);
    case 'copy':
      return cpSync(at, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    case 'link':
      rmSync(to, { recursive: true, force: true });
      return symlinkSync(at, to);
    case 'hard-link':
      return linkSync(at, to);
    case 'swap':
      lstatSync(to);
      renameSync(at, `${at}~`);
      renameSync(to, at);
      return renameSync(`${at}~`, to);
  }
}

function block(ms: number): void {
  for (const end = Date.now() + ms; Date.now() < end;);
}

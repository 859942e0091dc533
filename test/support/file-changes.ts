import fc from 'fast-check';
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { skillText } from './tree.ts';

/** A change to the files of a workspace. */
export interface FileChange {
  readonly do: keyof typeof deeds;
  readonly at: string;
  /** The second path of changes that involve two. */
  readonly to: string;
  readonly text: string;
  /** Milliseconds, for changes that let time pass. */
  readonly ms: number;
}

const deeds = {
  write: ({ at, text }: FileChange): void => writeFileSync(at, text),
  append: ({ at, text }: FileChange): void => appendFileSync(at, `\nMore.\n${text}`),
  save({ at, text }: FileChange): void {
    writeFileSync(`${at}~`, text);
    renameSync(`${at}~`, at);
  },
  async half({ at, text }: FileChange): Promise<void> {
    writeFileSync(at, text.slice(0, text.length / 2));
    await pause(3);
    appendFileSync(at, text.slice(text.length / 2));
  },
  remove: ({ at }: FileChange): void => rmSync(at, { recursive: true, force: true }),
  folder({ at }: FileChange): void {
    rmSync(at, { recursive: true, force: true });
    mkdirSync(at);
  },
  touch: ({ at }: FileChange): void => utimesSync(at, new Date(), new Date()),
  age: ({ at }: FileChange): void => utimesSync(at, 1_000_000_000, 1_000_000_000),
  move: ({ at, to }: FileChange): void => renameSync(at, to),
  copy: ({ at, to }: FileChange): void => copy(at, to, 4),
  link({ at, to }: FileChange): void {
    rmSync(to, { recursive: true, force: true });
    symlinkSync(at, to);
  },
  hardLink: ({ at, to }: FileChange): void => linkSync(at, to),
  swap({ at, to }: FileChange): void {
    lstatSync(to);
    renameSync(at, `${at}~`);
    renameSync(to, at);
    renameSync(`${at}~`, to);
  },
  pause: async ({ ms }: FileChange): Promise<void> => pause(ms),
};

/** `cpSync` would crash the process if links form a loop. */
function copy(at: string, to: string, depth: number): void {
  const stats = lstatSync(at);
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(at), to);
  else if (stats.isFile()) copyFileSync(at, to);
  else if (depth > 0) {
    const inside = readdirSync(at);
    mkdirSync(to, { recursive: true });
    for (const name of inside) copy(join(at, name), join(to, name), depth - 1);
  }
}

const names = fc.constantFrom('alpha', 'beta', 'gamma');
const roots = fc.constantFrom('skills', '.agents/skills', 'agents', 'elsewhere');

const folders = fc.oneof(
  { weight: 1, arbitrary: roots },
  { weight: 4, arbitrary: fc.tuple(roots, names).map((parts) => parts.join('/')) },
  { weight: 2, arbitrary: fc.tuple(roots, names, names).map((parts) => parts.join('/')) },
);

const descriptors = fc.constantFrom('SKILL.md', 'SKILL.md', 'skill.md', 'cskill.md');
const others = fc.constantFrom('run.py', 'notes/more.txt', '.hidden/x', 'README.md');
const files = fc
  .oneof(
    { weight: 6, arbitrary: fc.tuple(folders, descriptors) },
    { weight: 2, arbitrary: fc.tuple(roots, fc.constantFrom('alpha.md', 'beta.md')) },
    { weight: 1, arbitrary: fc.tuple(folders, fc.constantFrom('.gitignore', '.ignore')) },
    { weight: 1, arbitrary: fc.tuple(folders, others) },
  )
  .map((parts) => parts.join('/'));

const texts = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(names, fc.nat(99)).map(([name, mark]) => skillText(name, `Text ${mark}.`)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', '---\n', '---\nname: alpha\n', 'No head.\n', '## Input\n\nx\n'),
  },
  { weight: 1, arbitrary: fc.constantFrom('alpha\n', 'beta/\n', '*.md\n', '/gamma\n!gamma/SKILL.md\n') },
);

const nothing = { at: fc.constant(''), to: fc.constant(''), text: fc.constant(''), ms: fc.constant(0) };

const change: fc.Arbitrary<FileChange> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...nothing,
      do: fc.constantFrom('write', 'append', 'save', 'half'),
      at: files,
      text: texts,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...nothing,
      do: fc.constantFrom('remove', 'folder', 'touch', 'age'),
      at: fc.oneof(folders, files),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...nothing,
      do: fc.constantFrom('move', 'copy', 'link', 'swap'),
      at: folders,
      to: folders,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...nothing,
      do: fc.constantFrom('move', 'copy', 'link', 'hardLink', 'swap'),
      at: files,
      to: files,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...nothing,
      do: fc.constant('pause'),
      ms: fc.constantFrom(0, 5, 35, 60, 120),
    }),
  },
);

/** Generates sequences of changes to a few names, so that changes often affect the same path. */
export function fileChanges(maxLength: number): fc.Arbitrary<readonly FileChange[]> {
  return fc.array(change, { minLength: 1, maxLength });
}

/** Applies the change in a folder. Does nothing if the file system rejects it. */
export async function apply(given: FileChange, base: string): Promise<void> {
  const at = join(base, given.at);
  const to = given.to === '' ? at : join(base, given.to);
  try {
    if (given.do !== 'remove' && given.do !== 'pause') mkdirSync(dirname(to), { recursive: true });
    await deeds[given.do]({ ...given, at, to });
  } catch (thrown) {
    if (typeof (thrown as NodeJS.ErrnoException).code !== 'string') throw thrown;
  }
}

/** Blocks the event loop for this many milliseconds. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of skills for measurements. */
export interface Workload {
  readonly name: string;
  readonly root: string;
}

/** Returns the relative paths of all SKILL.md files of a workload. */
export function skillFilesOf({ root }: Workload): readonly string[] {
  return globSync('**/*', { cwd: root }).filter((file) => /(?:^|\/)skill\.md$/i.test(file));
}

/**
 * Returns the real descriptors in the data folder, unpacking them if they are in an archive. Returns
 * undefined if no data folder is given.
 */
export function corpus(data: string | undefined, scratch: string): Workload | undefined {
  if (data === undefined) return undefined;
  const archive = join(data, 'corpus.tar.gz');
  if (!existsSync(archive)) return existsSync(data) ? { name: 'corpus', root: data } : undefined;
  const root = join(scratch, 'corpus');
  mkdirSync(root);
  execFileSync('tar', ['xzf', archive, '-C', root]);
  return { name: 'corpus', root };
}

const words = (
  'report invoice deploy cluster document sheet commit review search index parse build release test table chart ' +
  'image audio video network secret cache queue mail calendar note task weather music price order ship track plan'
).split(' ');

/**
 * Generates skills in a hundred groups, with simple frontmatter and bodies of about eight kilobytes. The
 * generated skills are always the same.
 */
export function synthetic(count: number, scratch: string): Workload {
  const root = join(scratch, `synthetic-${count}`);
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const some = (many: number): string =>
    Array.from({ length: many }, () => words[next(words.length)]).join(' ');
  for (let index = 0; index < count; index++) {
    const name = `${some(2).replace(' ', '-')}-${index}`;
    const dir = join(root, `group-${index % 100}`, name);
    mkdirSync(dir, { recursive: true });
    const body = Array.from({ length: 12 }, () => `## ${some(3)}\n\n${some(90)}\n`).join('\n');
    const head = `name: ${name}\ndescription: ${some(30)}.\nmetadata:\n  author: ${some(1)}\n`;
    writeFileSync(join(dir, 'SKILL.md'), `---\n${head}---\n\n# ${name}\n\n${body}`);
  }
  return { name: `${count.toLocaleString('en')} synthetic`, root };
}

/** Copies a workload many times into one folder. Each copy is a folder of its own. */
export function copiesOf({ name, root }: Workload, copies: number, scratch: string): Workload {
  const folder = join(scratch, 'copies');
  for (let index = 0; index < copies; index++)
    cpSync(root, join(folder, `copy-${index}`), { recursive: true });
  return { name: `${copies} copies of ${name}`, root: folder };
}

/** Creates a temporary folder for one run of the benchmarks. The folder is deleted on disposal. */
export function scratchFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'skilled-bench-'));
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { join } from 'node:path';
import { agentOn } from './agent.ts';
import { copiesOf, synthetic, type Workload } from './data.ts';
import type { Row } from './measure.ts';
import { settledMemory } from './settled-memory.ts';

const sizes = [1_000, 10_000, 100_000];

const names = {
  read: 'CPU ms to read all skills',
  first: 'CPU ms of the first ranking',
  one: 'CPU ms of one more ranking',
  catalog: 'CPU ms of a catalog',
  edit: 'ms until an edit is visible',
  editing: 'CPU ms of an edit',
  blocked: 'longest pause of the event loop while ranking, ms',
  memory: 'heap KB per skill, ranking included',
  count: 'skills found',
} as const;

type Figures = Readonly<Record<keyof typeof names, number>>;

/**
 * D6: measures how the figures grow with the number of skills, without a cache and in a second process. A
 * figure that grows with the number of skills to the power of 1 is linear.
 */
export function growth(scratch: string): readonly Row[] {
  const all = sizes.map((size) => {
    const workload = synthetic(size, scratch);
    const cache = join(scratch, `growth-${size}`);
    return [figuresOf(workload, cache), figuresOf(workload, cache)] as const;
  });
  return (Object.keys(names) as (keyof Figures)[]).flatMap((name) =>
    ['without a cache', 'in a second process'].map((when, index): Row => {
      const values = all.map((both) => both[index as 0 | 1][name]);
      const [, middle = NaN, last = NaN] = values;
      return {
        id: 'D6',
        what: `${names[name]}, ${when}, ${sizes.map((size) => size.toLocaleString('en')).join(', ')} skills`,
        figure: `${values.map((value) => value.toFixed(name === 'memory' ? 2 : 0)).join(', ')}; exponent ${Math.log10(last / middle).toFixed(2)}`,
      };
    }),
  );
}

/** D6 for many copies of real descriptors. Every skill must be found, in a process without and with a cache. */
export function growthOfCopies(workload: Workload, copies: number, scratch: string): readonly Row[] {
  const large = copiesOf(workload, copies, scratch);
  const cache = join(scratch, 'growth-copies');
  const both = [figuresOf(large, cache), figuresOf(large, cache)];
  return (Object.keys(names) as (keyof Figures)[]).map((name) => ({
    id: 'D6',
    what: `${names[name]}, ${copies} copies of the corpus, without a cache and in a second process`,
    figure: both.map((figures) => figures[name].toFixed(name === 'memory' ? 2 : 0)).join(', '),
  }));
}

/** Measures in a process of its own. The first one finds no cache and leaves one. */
function figuresOf({ root }: Workload, cache: string): Figures {
  const script = `import { measureGrowth } from ${JSON.stringify(import.meta.filename)};
process.stdout.write(JSON.stringify(await measureGrowth(${JSON.stringify(root)}, ${JSON.stringify(cache)})));`;
  const flags = ['--expose-gc', '--input-type=module', '-e', script];
  return JSON.parse(execFileSync(process.execPath, flags, { encoding: 'utf8' })) as Figures;
}

/** Performs the measurement. */
export async function measureGrowth(root: string, cache: string): Promise<Figures> {
  const before = (await settledMemory()).heapUsed;
  const agent = agentOn(root, { cache, embeddings: false });
  const read = await cpuOf(() => agent.skills.list());
  const count = agent.skills.list().length;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const first = await cpuOf(() => agent.skills.rank('search the invoice report and track the calendar'));
  delay.disable();
  const one = await cpuOf(() => agent.skills.rank('deploy the release to the cluster and review'));
  const catalog = await cpuOf(() => agent.skills.catalog());
  const memory = ((await settledMemory()).heapUsed - before) / count / 1024;
  await agent.shutdown();
  return { read, first, one, catalog, ...(await editIn(root)), blocked: delay.max / 1e6, memory, count };
}

async function cpuOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e3;
}

/**
 * Edits a skill in a watched folder. Returns the milliseconds until a subscriber receives it, and the CPU time that
 * this takes.
 */
async function editIn(root: string): Promise<Pick<Figures, 'edit' | 'editing'>> {
  const alive = setInterval(() => undefined, 1000); // file watchers alone do not keep a process alive
  const agent = agentOn(root, { watch: true });
  await agent.ready();
  const [name = ''] = globSync('{group-0,copy-0}/**/SKILL.md', { cwd: root }).sort();
  const file = join(root, name);
  const text = readFileSync(file, 'utf8');
  const changed = new Promise<void>((resolve) => agent.skills.subscribe(() => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // until the watch is idle
  let taken = 0;
  const editing = await cpuOf(async () => {
    writeFileSync(file, text.replace(/^description: .*$/m, `description: Edited at ${Date.now()}.`));
    const start = performance.now();
    await changed;
    taken = performance.now() - start;
  });
  await agent.shutdown();
  clearInterval(alive);
  return { edit: taken, editing };
}

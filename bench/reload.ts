import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentOn } from './agent.ts';
import type { Workload } from './data.ts';
import { timingOf, type Row } from './measure.ts';

/**
 * D3: edits one file among many and measures the milliseconds until a subscriber receives the new snapshot.
 */
export async function reload(workload: Workload): Promise<Row> {
  const alive = setInterval(() => undefined, 1000); // file watchers alone do not keep a process alive
  const agent = agentOn(workload.root, { watch: true });
  await agent.ready();
  const files = globSync('*/*/SKILL.md', { cwd: workload.root }).sort();
  const times: number[] = [];
  for (let round = 0; round < 15; round++) {
    const file = join(workload.root, files[(round * 97) % files.length] ?? '');
    const changed = new Promise<void>((resolve) => {
      const stop = agent.skills.subscribe(() => {
        stop();
        resolve();
      });
    });
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace(/^description: .*$/m, `description: Edited in round ${round}.`),
    );
    const start = performance.now();
    await changed;
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await agent.shutdown();
  clearInterval(alive);
  const { median, min } = timingOf(times);
  const figure = `${median.toFixed(0)} ms (min ${min.toFixed(0)}, max ${Math.max(...times).toFixed(0)})`;
  return {
    id: 'D3',
    what: `one edit among ${workload.name}, until visible`,
    figure,
    target: '≤ 100 ms',
    met: median <= 100,
  };
}

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { agentOn, showCatalog } from './agent.ts';
import { statAll } from './baseline.ts';
import type { Workload } from './data.ts';
import { alternate, ratioRow, type Row, type Timing } from './measure.ts';

/** D2: compares a start in a second process, with unchanged files, with just calling `stat` on the files. */
export function warm(workload: Workload, scratch: string): Row {
  const cache = join(scratch, `cache-${workload.name.replace(/\W/g, '')}`);
  agentOn(workload.root, { cache }).skills.list();
  const script = `import { measureWarm } from ${JSON.stringify(import.meta.filename)};
process.stdout.write(JSON.stringify(await measureWarm(${JSON.stringify(workload.root)}, ${JSON.stringify(cache)})));`;
  const printed = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const times = JSON.parse(printed) as Record<'stat' | 'ours', Timing>;
  return ratioRow('D2', `warm, ${workload.name}, against a stat walk`, times.ours, times.stat, 1.3);
}

/** Performs the measurement in the second process. */
export function measureWarm(root: string, cache: string): Promise<Record<'stat' | 'ours', Timing>> {
  return alternate(15, { stat: () => statAll(root), ours: () => showCatalog(root, { cache }) });
}

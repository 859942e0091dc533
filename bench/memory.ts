import { execFileSync } from 'node:child_process';
import { agentOn } from './agent.ts';
import type { Workload } from './data.ts';
import type { Row } from './measure.ts';

/** D4: heap held per registered skill, in a process of its own. */
export function memory(workload: Workload): Row {
  const script = `import { measureMemory } from ${JSON.stringify(import.meta.filename)};
process.stdout.write(String(measureMemory(${JSON.stringify(workload.root)})));`;
  const printed = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], { encoding: 'utf8' });
  const bytes = Number(printed);
  return {
    id: 'D4',
    what: `memory per registered skill, ${workload.name}`,
    figure: `${(bytes / 1024).toFixed(2)} KB`,
    target: '≤ 2 KB',
    met: bytes <= 2048,
  };
}

/** The measurement itself: heap after, less heap before, for each skill. */
export function measureMemory(root: string): number {
  agentOn(`${root}/nothing-here`).skills.list(); // loads all code first
  globalThis.gc?.();
  const before = process.memoryUsage();
  const agent = agentOn(root);
  const count = agent.skills.list().length;
  agent.skills.get('some-name');
  globalThis.gc?.();
  globalThis.gc?.();
  const after = process.memoryUsage();
  agent.skills.list();
  return (after.heapUsed + after.external - before.heapUsed - before.external) / count;
}

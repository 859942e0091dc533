import { execFileSync } from 'node:child_process';
import { agentOn } from './agent.ts';
import type { Workload } from './data.ts';
import type { Row } from './measure.ts';
import { settledMemory } from './settled-memory.ts';

/**
 * D4: measures the heap memory per registered skill in a separate process. The alias index is reported
 * separately.
 */
export function memory(workload: Workload): Row {
  const script = `import { measureMemory } from ${JSON.stringify(import.meta.filename)};
process.stdout.write(JSON.stringify(await measureMemory(${JSON.stringify(workload.root)})));`;
  const flags = ['--expose-gc', '--input-type=module', '-e', script];
  const { plain, indexed } = JSON.parse(
    execFileSync(process.execPath, flags, { encoding: 'utf8' }),
  ) as Memory;
  return {
    id: 'D4',
    what: `memory per registered skill, ${workload.name}`,
    figure: `${(plain / 1024).toFixed(2)} KB (${(indexed / 1024).toFixed(2)} KB once an alias was looked up)`,
    target: '≤ 2 KB',
    met: plain <= 2048,
  };
}

interface Memory {
  readonly plain: number;
  readonly indexed: number;
}

/** Performs the measurement. Returns the bytes per skill before and after the first lookup by alias. */
export async function measureMemory(root: string): Promise<Memory> {
  for (let round = 0; round < 3; round++) lookOnce(root); // loads and compiles all code first
  const before = await held();
  const agent = agentOn(root);
  const count = agent.skills.list().length;
  const plain = (await held()) - before;
  agent.skills.get('some-name');
  const indexed = (await held()) - before;
  agent.skills.list();
  return { plain: plain / count, indexed: indexed / count };
}

function lookOnce(root: string): void {
  agentOn(root).skills.get('some-name');
}

async function held(): Promise<number> {
  const { heapUsed, external } = await settledMemory();
  return heapUsed + external;
}

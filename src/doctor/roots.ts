import { existsSync } from 'node:fs';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { CheckResult } from './check.ts';

/** Where skills are looked for, and how many each folder gave. */
export function checkRoots(agent: RecursiveSkilledAgent): CheckResult {
  const counts = Map.groupBy(agent.skills.list(), (skill) => skill.root);
  const roots = agent.roots().filter((root) => existsSync(root.path));
  return {
    id: 'roots',
    status: roots.length === 0 ? 'warn' : 'ok',
    summary: `${roots.length} of ${agent.roots().length} folders exist`,
    details: roots.map((root) => `${root.path} (${root.source}): ${counts.get(root.path)?.length ?? 0} found`),
    ...(roots.length === 0 ? { hint: 'Make a folder .agents/skills, or name one with --skills.' } : {}),
  };
}

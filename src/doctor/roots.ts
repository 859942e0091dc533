import { existsSync } from 'node:fs';
import type { Root } from '../skills/discover/listing.ts';
import type { CheckResult, Examined } from './check.ts';

/** Where skills are looked for, and how many each folder gave. */
export function checkRoots({ agent }: Examined): CheckResult {
  const all = agent.roots();
  const roots = all.filter((root) => existsSync(root.path));
  const isEmpty = roots.every((root) => root.source === 'bundled');
  const found = Map.groupBy(agent.skills.list(), (skill) => skill.root);
  return {
    id: 'roots',
    status: isEmpty ? 'warn' : 'ok',
    summary: `${roots.length} of ${all.length} folders exist`,
    details: roots.map(
      (root) => `${root.path} (${originOf(root)}): ${found.get(root.path)?.length ?? 0} found`,
    ),
    ...(isEmpty ? { hint: 'Make a folder .agents/skills, or name one with --skills.' } : {}),
  };
}

function originOf({ source, server }: Root): string {
  return server === undefined ? source : `${source}, the server ${server}`;
}

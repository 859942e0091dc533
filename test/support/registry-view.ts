import { setTimeout as pause } from 'node:timers/promises';
import type { RecursiveSkilledAgent } from '../../src/agent/recursive-skilled-agent.ts';

/** Everything that a reader can see of an agent's skills, for comparing whole registries. */
export function viewOf(agent: RecursiveSkilledAgent): object {
  const skills = agent.skills.list().map((skill) => ({
    name: skill.name,
    aliases: skill.aliases,
    family: skill.family,
    source: skill.source,
    root: skill.root,
    dir: skill.dir,
    file: skill.file,
    status: skill.status,
    missing: skill.missing,
    shadowedBy: skill.shadowedBy,
    card: skill.card,
    issues: skill.issues,
  }));
  return { skills, issues: agent.skills.diagnostics() };
}

/** Repeats a check until it passes; throws what it throws at last when that takes too long. */
export async function eventually(check: () => void | Promise<void>, withinMs = 20_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (true) {
    try {
      await check();
      return;
    } catch (thrown) {
      if (Date.now() > end) throw thrown;
    }
    await pause(10);
  }
}

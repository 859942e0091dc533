import type { BareAgent } from '../../src/agent/recursive-skilled-agent.ts';

/** Returns everything that a reader can see of an agent's skills, for comparing complete registries. */
export function viewOf(agent: BareAgent): object {
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

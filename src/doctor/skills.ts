import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { SkillStatus } from '../core/skill.ts';
import type { CheckResult } from './check.ts';

/** How many skills there are in each status; unusable descriptors are named. */
export function checkSkills(agent: RecursiveSkilledAgent): CheckResult {
  const skills = agent.skills.list();
  const count = (status: SkillStatus): number => skills.filter((skill) => skill.status === status).length;
  const invalid = skills.filter((skill) => skill.status === 'invalid');
  const shadowed = skills.filter((skill) => skill.status === 'shadowed');
  return {
    id: 'skills',
    status: invalid.length > 0 ? 'fail' : 'ok',
    summary: `${count('ready')} ready, ${count('unavailable')} unavailable, ${shadowed.length} shadowed, ${invalid.length} invalid`,
    details: [
      ...invalid.map((skill) => `${skill.file}: ${skill.issues.find((issue) => issue.level === 'error')?.message ?? 'unusable'}`),
      ...shadowed.map((skill) => `${skill.name}: ${skill.file || skill.source} is shadowed by ${skill.shadowedBy ?? 'another'}`),
    ],
    ...(invalid.length > 0 ? { hint: 'Run "skilled validate" for every finding.' } : {}),
  };
}

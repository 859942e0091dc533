import type { CheckResult, Examined } from './check.ts';

/** How many skills there are in each status; unusable and shadowed ones are named. */
export function checkSkills({ agent }: Examined): CheckResult {
  const skills = agent.skills.list();
  const ready = skills.filter((skill) => skill.status === 'ready');
  const unavailable = skills.filter((skill) => skill.status === 'unavailable');
  const shadowed = skills.filter((skill) => skill.status === 'shadowed');
  const invalid = skills.filter((skill) => skill.status === 'invalid');
  const bundled = ready.filter((skill) => skill.source === 'bundled');
  return {
    id: 'skills',
    status: invalid.length > 0 ? 'fail' : 'ok',
    summary: `${ready.length} ready (${bundled.length} of them bundled), ${unavailable.length} unavailable, ${shadowed.length} shadowed, ${invalid.length} invalid`,
    details: [
      ...invalid.map(
        ({ file, issues }) =>
          `${file}: ${issues.find((issue) => issue.level === 'error')?.message ?? 'unusable'}`,
      ),
      ...shadowed.map(
        ({ name, file, source, shadowedBy }) =>
          `${name}: ${file || `${source}:${name}`} is shadowed by ${shadowedBy ?? 'another'}`,
      ),
    ],
    ...(invalid.length > 0 ? { hint: 'Run `skilled validate` for every finding.' } : {}),
  };
}

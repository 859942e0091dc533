import { existsSync } from 'node:fs';
import { counted, type GeneratedCode } from '../core/index.ts';
import type { Root } from '../skills/discover/listing.ts';
import { describeIssue, type CheckResult, type Examined } from './report.ts';

/** Reports the number of skills with each status, and the names of those that are invalid or shadowed. */
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
    ...(invalid.length > 0 ? { hint: 'Run `skilled validate` to see every issue.' } : {}),
  };
}

/** Reports which folders are searched for skills and how many skills each one contains. */
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
    ...(isEmpty
      ? { hint: 'Create the folder .agents/skills, or specify another folder with --skills.' }
      : {}),
  };
}

function originOf({ source, server }: Root): string {
  return server === undefined ? source : `${source}, the server ${server}`;
}

/** Reports the requirements of unavailable skills that this machine does not meet, and how to meet them. */
export function checkEligibility({ agent }: Examined): CheckResult {
  const waiting = agent.skills.list().filter((skill) => skill.status === 'unavailable');
  return {
    id: 'eligibility',
    status: waiting.length === 0 ? 'ok' : 'warn',
    summary:
      waiting.length === 0
        ? 'every skill has what it needs'
        : `${counted(waiting.length, 'skill')} cannot be used on this machine`,
    details: waiting.map(
      (skill) => `${skill.name}: ${(skill.missing ?? []).map((missing) => missing.hint).join(' ')}`,
    ),
  };
}

const statusLabels: readonly (readonly [GeneratedCode['status'], string])[] = [
  ['failed', 'failed'],
  ['missing', 'missing'],
  ['drifted', 'edited by hand'],
  ['due', 'to generate'],
  ['current', 'up to date'],
  ['own', 'written by hand'],
];

/**
 * Reports the state of handwritten and generated skill code. Fails if code is missing or could not be
 * generated.
 */
export function checkGeneratedCode({ agent }: Examined): CheckResult {
  const found = agent.skills.list().flatMap((skill) => {
    const generated = skill.status === 'shadowed' ? undefined : agent.inspect(skill);
    return generated === undefined ? [] : [{ name: skill.name, ...generated }];
  });
  const counted = statusLabels.flatMap(([status, label]) => {
    const number = found.filter((generated) => generated.status === status).length;
    return number === 0 ? [] : [`${number} ${label}`];
  });
  const has = (...statuses: readonly GeneratedCode['status'][]): boolean =>
    found.some(({ status }) => statuses.includes(status));
  const isBuilt = has('failed', 'due');
  return {
    id: 'code',
    status: has('failed', 'missing') ? 'fail' : has('drifted') ? 'warn' : 'ok',
    summary: counted.length === 0 ? 'no skill has code' : counted.join(', '),
    details: found.flatMap(({ name, issues }) => issues.map((issue) => `${name}: ${describeIssue(issue)}`)),
    ...(isBuilt ? { hint: 'Run `skilled build` to update the code.' } : {}),
  };
}

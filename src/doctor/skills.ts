import { existsSync } from 'node:fs';
import type { Made } from '../core/index.ts';
import type { Root } from '../skills/discover/listing.ts';
import { count, describeIssue, type CheckResult, type Examined } from './report.ts';

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

/** What unavailable skills miss on this machine, and how to get it. */
export function checkEligibility({ agent }: Examined): CheckResult {
  const waiting = agent.skills.list().filter((skill) => skill.status === 'unavailable');
  return {
    id: 'eligibility',
    status: waiting.length === 0 ? 'ok' : 'warn',
    summary:
      waiting.length === 0
        ? 'every skill has what it needs'
        : `${count(waiting.length, 'skill')} cannot be used here`,
    details: waiting.map(
      (skill) => `${skill.name}: ${(skill.missing ?? []).map((missing) => missing.hint).join(' ')}`,
    ),
  };
}

const inWords: readonly (readonly [Made['status'], string])[] = [
  ['failed', 'failed'],
  ['missing', 'missing'],
  ['drifted', 'edited by hand'],
  ['due', 'to be generated'],
  ['current', 'up to date'],
  ['own', 'written by hand'],
];

/** How the code of skills stands that are code, or are made of something; what could not be made, or is missing, fails. */
export function checkMade({ agent }: Examined): CheckResult {
  const found = agent.skills.list().flatMap((skill) => {
    const made = skill.status === 'shadowed' ? undefined : agent.inspect(skill);
    return made === undefined ? [] : [{ name: skill.name, ...made }];
  });
  const counted = inWords.flatMap(([status, words]) => {
    const number = found.filter((made) => made.status === status).length;
    return number === 0 ? [] : [`${number} ${words}`];
  });
  const has = (...wanted: readonly Made['status'][]): boolean =>
    found.some(({ status }) => wanted.includes(status));
  const isBuilt = has('failed', 'due');
  return {
    id: 'code',
    status: has('failed', 'missing') ? 'fail' : has('drifted') ? 'warn' : 'ok',
    summary: counted.length === 0 ? 'no skill is code' : counted.join(', '),
    details: found.flatMap(({ name, issues }) => issues.map((issue) => `${name}: ${describeIssue(issue)}`)),
    ...(isBuilt ? { hint: 'Bring it up to date with `skilled build`.' } : {}),
  };
}

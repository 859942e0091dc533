import { AgentError } from '../core/error.ts';
import { defineFamily, type Family } from '../core/family.ts';
import type { ProvidedSkill } from '../core/scope.ts';
import type { Skill } from '../core/skill.ts';
import type { Frame } from './frame.ts';
import type { Target } from './target.ts';

/** Puts skills into a frame that are there for it alone; throws `skill.duplicate` for two of one name. */
export function provideSkills(frame: Frame, skills: readonly ProvidedSkill[]): readonly Skill[] {
  const provider = frame.skill;
  if (provider === undefined) return [];
  const targets = skills.map((provided) => targetOf(provided, provider));
  const taken = new Set(frame.provided.keys());
  for (const { skill } of targets) {
    if (taken.has(skill.name)) throw twice(provider, skill);
    taken.add(skill.name);
  }
  for (const target of targets) frame.provided.set(target.skill.name, target);
  return targets.map(({ skill }) => skill);
}

function twice(provider: Skill, { name }: Skill): AgentError {
  return new AgentError('skill.duplicate', `"${provider.name}" has two tools of the name "${name}".`, {
    hint: 'Give its servers different names.',
  });
}

function targetOf(provided: ProvidedSkill, { family: id }: Skill): Target {
  const { name, card, digest, source } = provided;
  const skill: Skill = {
    ...{
      name,
      aliases: [],
      family: id,
      source,
      root: '',
      dir: '',
      file: '',
      status: 'ready',
      issues: [],
    },
    card: { ...card, allowedSkills: [] },
    made: provided,
  };
  return { skill, family: familyOf(id), definition: provided, digest, isLeaf: true, isProvided: true };
}

const made = new Map<string, Family>();

/** Stands in for the family of the provider, under its id: a provided skill has no file, and brings its own work. */
function familyOf(id: string): Family {
  const known =
    made.get(id) ??
    defineFamily<ProvidedSkill>({
      id,
      label: id,
      parse: () => ({ name: '', card: { description: '' }, definition: undefined, issues: [] }),
      permission: ({ permission }) => permission,
      execute: (provided, input, scope) => provided.run(input, scope),
    });
  made.set(id, known);
  return known;
}

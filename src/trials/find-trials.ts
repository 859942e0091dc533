import { readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Skill } from '../core/skill.ts';
import { SkillRecord } from '../skills/registry/record.ts';
import type { CaseFault } from './case-fault.ts';
import { readTrials, type ReadTrials } from './read-trials.ts';
import type { Trial } from './trial.ts';

/** The cases that lie beside a skill, in `tests/*.yaml`; beside one that is a single file, in `tests/<its name>.yaml`. */
export function findTrials(skill: Skill): ReadTrials {
  const trials: Trial[] = [];
  const faults: CaseFault[] = [];
  for (const file of caseFiles(skill)) {
    const found = readTrials(file, { skill: skill.name, dir: skill.dir });
    trials.push(...found.trials);
    faults.push(...found.faults);
  }
  return { trials, faults };
}

/** Where the first case of a skill is to be written. */
export function placeOfTrials(skill: Skill): string {
  return join(skill.dir, 'tests', `${isLoose(skill) ? stemOf(skill) : 'cases'}.yaml`);
}

function caseFiles(skill: Skill): readonly string[] {
  if (skill.dir === '') return []; // made in code
  const folder = join(skill.dir, 'tests');
  const stem = stemOf(skill);
  const isMeant = (name: string): boolean =>
    /\.ya?ml$/i.test(name) && (!isLoose(skill) || name.startsWith(`${stem}.`));
  return namesIn(folder)
    .filter(isMeant)
    .map((name) => join(folder, name));
}

function isLoose(skill: Skill): boolean {
  return skill instanceof SkillRecord && skill.loose;
}

function stemOf({ file }: Skill): string {
  return basename(file, extname(file));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return []; // most skills have no cases
  }
}

import { readFileSync } from 'node:fs';
import type { Searchable } from '../../src/skills/rank/fields.ts';

/** A skill and a prompt that it fits. The prompt does not use the words of the skill's description. */
export interface Probed extends Searchable {
  readonly probe: string;
}

const file = new URL('ranked-skills.json', import.meta.url);

/** About sixty skills from many domains. */
export const probedSkills = JSON.parse(readFileSync(file, 'utf8')) as readonly Probed[];

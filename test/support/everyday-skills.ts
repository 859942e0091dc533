import { readFileSync } from 'node:fs';

interface PublicSkill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

const file = new URL('everyday-skills.json', import.meta.url);

const read = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly skills: readonly PublicSkill[];
  readonly prompts: readonly (readonly [prompt: string, skill: string])[];
};

/** Forty everyday prompts, each with the skill that fits, or an empty string if none does. */
export const everydayPrompts = read.prompts;

/** Twenty skills in the manner of well-known public ones, as files of a tree. */
export const publicSkills: Readonly<Record<string, string>> = Object.fromEntries(
  read.skills.map(({ name, description, body }) => [
    `skills/${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n`,
  ]),
);

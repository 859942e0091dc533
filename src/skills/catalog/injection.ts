import { withinElement, withoutHidden } from '../../core/index.ts';
import { escapeXml, listingOf, partOf, shownName, textOf } from './listing.ts';

/** A skill that is put into a prompt because someone named it. */
export interface InjectedSkill {
  readonly name: string;
  readonly description?: string | undefined;
  readonly whenToUse?: string | undefined;
  /** Absolute path of its descriptor. */
  readonly location: string;
  /** Its rendered text without the head; only full injection looks at it. */
  readonly body: string;
}

const lightInstruction = `These skills are yours, listed by what they are for. As soon as one suits the task, load its file with the \`read\` tool.

`;

/** Every body in full, in the order given; pure. */
export function buildSkillInjection(skills: readonly Pick<InjectedSkill, 'name' | 'body'>[]): string {
  return skills
    .map(({ name, body }) => `<skill name="${escapeXml(shownName(name))}">\n${textWithin(body)}</skill>`)
    .join('\n\n');
}

/** Names, descriptions and absolute locations, to be read on demand, in the order given; pure. */
export function buildLightSkillInjection(skills: readonly Omit<InjectedSkill, 'body'>[]): string {
  if (skills.length === 0) return '';
  const elements = skills.map(({ name, description = '', whenToUse, location }) =>
    textOf(partOf({ name, description, whenToUse, location })),
  );
  return lightInstruction + listingOf(elements);
}

/** A body without blank lines around it and hidden characters, in which nothing can end the element or start another. */
function textWithin(body: string): string {
  const text = withoutHidden(body)
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
  return text === '' ? '' : `${withinElement(text, 'skill')}\n`;
}

import { withinElement, withoutHidden } from '../../core/index.ts';
import { escapeXml, listingOf, partOf, shownName, textOf } from './listing.ts';

/** A skill to insert into a prompt because the user named it. */
export interface InjectedSkill {
  readonly name: string;
  readonly description?: string | undefined;
  readonly whenToUse?: string | undefined;
  /** The absolute path of the skill's descriptor. */
  readonly location: string;
  /** The skill's rendered text without frontmatter. Used only for full injection. */
  readonly body: string;
}

const lightInstruction = `You have these skills. As soon as one fits the task, load its file with the \`read\` tool.

`;

/** Builds the prompt text with the full bodies of skills, in the given order. Pure. */
export function buildSkillInjection(skills: readonly Pick<InjectedSkill, 'name' | 'body'>[]): string {
  return skills
    .map(({ name, body }) => `<skill name="${escapeXml(shownName(name))}">\n${textWithin(body)}</skill>`)
    .join('\n\n');
}

/**
 * Builds the prompt text with the names, descriptions and absolute locations of skills, in the given order.
 * The model can then read them on demand. Pure.
 */
export function buildLightSkillInjection(skills: readonly Omit<InjectedSkill, 'body'>[]): string {
  if (skills.length === 0) return '';
  const elements = skills.map(({ name, description = '', whenToUse, location }) =>
    textOf(partOf({ name, description, whenToUse, location })),
  );
  return lightInstruction + listingOf(elements);
}

/**
 * Cleans a skill's body: trims blank lines, removes hidden characters, and escapes text that could close the
 * element or open another.
 */
function textWithin(body: string): string {
  const text = withoutHidden(body)
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
  return text === '' ? '' : `${withinElement(text, 'skill')}\n`;
}

import { relative, sep } from 'node:path';
import { ownTrustBook } from '../config/trust.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Family } from '../core/family.ts';
import type { Skill } from '../core/skill.ts';
import { wordArgument } from '../core/json/coerce.ts';
import { trustOf } from '../doctor/trust.ts';
import type { CommonFlags } from './command.ts';
import { oneLine } from './output/text.ts';
import { shellWord } from './shell-word.ts';

/** A skill whose files were just written. */
export interface NewSkill {
  readonly family: Family;
  readonly name: string;
  /** The folder in which skills of its kind are looked for. */
  readonly root: string;
  readonly files: readonly string[];
}

/** What to do with a new skill, in lines: fill it, check it, run it; and what keeps it from being reached, if anything does. */
export async function nextSteps(
  agent: RecursiveSkilledAgent,
  { family, name, root, files }: NewSkill,
  flags: CommonFlags,
): Promise<readonly string[]> {
  await agent.reload();
  const { skills } = agent;
  const found = skills.list().find(({ file }) => files.includes(file));
  const descriptor = found?.file ?? files[0] ?? root;
  const isReached = (called: string): boolean => skills.get(called)?.file === descriptor;
  const called = [name, ...(found?.aliases ?? [])].find(isReached) ?? name;
  const isSearched = agent.roots().some(({ path }) => path === root);
  const more = isSearched ? [] : [...flags.skills, root].flatMap((dir) => ['--skills', shellWord(dir)]);
  const run = [`skilled run /${called}`, ...wordsFor(found, family), ...more].join(' ');
  const isBelow = descriptor.startsWith(flags.cwd + sep);
  const lines = [
    'Write what it is for and what to do, then:',
    `  \`skilled validate ${shellWord(isBelow ? relative(flags.cwd, descriptor) : descriptor)}\``,
    `  \`${run}\``,
  ];
  if (found !== undefined && trustOf(agent, ownTrustBook(), found)?.trust === 'needed')
    lines.push('      asks first whether its code may run; with --yes it may, once');
  if (isSearched && found === undefined)
    lines.push('It is not found there: the name of its file, or an ignore file, keeps it out.');
  if (found?.shadowedBy !== undefined)
    lines.push(`The name leads to another skill, which goes first: ${oneLine(found.shadowedBy)}`);
  return lines;
}

/** What the family suggests; else what must be said to it, as a word to be replaced; nothing where it runs without. */
function wordsFor(skill: Skill | undefined, { firstWords, defaultArgument }: Family): readonly string[] {
  if (firstWords !== undefined) return [shellWord(firstWords)];
  const schema = skill?.card.input;
  const key = wordArgument(schema, defaultArgument);
  const required = schema?.['required'];
  return key !== undefined && Array.isArray(required) && required.includes(key) ? [`"<${key}>"`] : [];
}

import { join, resolve } from 'node:path';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { isSkillName } from '../../core/define-skill.ts';
import { AgentError } from '../../core/error.ts';
import type { Family } from '../../core/family.ts';
import { normaliseName } from '../../core/names.ts';
import type { Command, Invocation } from '../command.ts';
import { findFamily, templateWords } from '../find-family.ts';
import { nextSteps } from '../next-steps.ts';
import { openAgent } from '../open-agent.ts';
import { printJson } from '../output/json.ts';
import { oneLine } from '../output/text.ts';
import { shellWord } from '../shell-word.ts';
import { textFlag } from '../text-flag.ts';
import { writeNew } from '../write-new.ts';

/** `skilled new`: writes the files of a new skill and prints their paths; nothing is ever overwritten. */
export const newSkill: Command = {
  summary: 'Write the files of a new skill.',
  usage: `Usage: skilled new <family> <name> [--dir <dir>]

  skilled new skill triage
  skilled new subagent reviewer

A family is named by its id or by the name of its file; alone, the command lists them.

  --dir <dir>       the folder that holds the skills; .agents unless given`,
  options: { dir: { type: 'string' } },
  mostWords: 2,
  async run({ flags, own, words, terminal }) {
    await using agent = await openAgent(flags);
    const { family, name } = chosen(agent, words);
    mustBeName(name);
    mustBeFree(agent, name);
    const root = rootFor(family, resolve(flags.cwd, textFlag(own, 'dir') ?? '.agents'));
    const files = writeNew(root, filesOf(family, name));
    if (flags.json) printJson(terminal, { ok: true, files });
    else terminal.out(files.map((file) => `${oneLine(file)}\n`).join(''));
    if (flags.json || flags.quiet) return 0;
    for (const line of await nextSteps(agent, { name, root, files }, flags)) terminal.err(`${line}\n`);
    return 0;
  },
};

function chosen(
  { families }: RecursiveSkilledAgent,
  [word, name]: Invocation['words'],
): { readonly family: Family; readonly name: string } {
  if (word === undefined) {
    throw new AgentError('usage.bad-input', 'Name a family and the new skill.', {
      hint: `skilled new <family> <name>; the families are ${templateWords(families)}.`,
    });
  }
  const family = findFamily(word, families);
  if (name !== undefined) return { family, name };
  throw new AgentError('usage.bad-input', 'The new skill has no name.', {
    hint: `skilled new ${shellWord(word)} <name>`,
  });
}

function mustBeName(name: string): void {
  if (isSkillName(name) && normaliseName(name) === name) return;
  const near = normaliseName(name).replace(/[_-]+/g, '-');
  const rule = 'Use 1 to 64 lower-case letters, digits and single hyphens inside.';
  throw new AgentError('usage.bad-input', `"${name}" cannot be the name of a skill.`, {
    hint: isSkillName(near) ? `Did you mean "${near}"? ${rule}` : rule,
  });
}

/** The names of bundled skills are reserved: a file would never be reached by one. */
function mustBeFree(agent: RecursiveSkilledAgent, name: string): void {
  if (agent.skills.get(name)?.source !== 'bundled') return;
  throw new AgentError('usage.bad-input', `"${name}" is the name of a skill that comes with skilled.`, {
    hint: 'Choose another name.',
  });
}

/** The folder below `base` in which the files of a family are looked for. */
function rootFor({ descriptor }: Family, base: string): string {
  return join(base, descriptor !== undefined && 'folder' in descriptor ? descriptor.folder : 'skills');
}

/** A family with a folder of its own has loose files in it; every other skill is a folder. */
function filesOf({ descriptor, template }: Family, name: string): Readonly<Record<string, string>> {
  const files = template?.(name) ?? {};
  if (descriptor !== undefined && 'folder' in descriptor) return files;
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]));
}

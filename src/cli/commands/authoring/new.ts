import { join, relative, resolve, sep } from 'node:path';
import { ownTrustBook } from '../../../config/trust.ts';
import {
  AgentError,
  isSkillName,
  normaliseName,
  optional,
  textArgument,
  type Family,
  type Skill,
} from '../../../core/index.ts';
import { trustOf } from '../../../doctor/trust.ts';
import {
  oneLine,
  openAgent,
  pasteable,
  printJson,
  shellWord,
  spelled,
  table,
  textFlag,
  type CliCommand,
  type Column,
  type CommonFlags,
  type Invocation,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { findFamily, shortName, templateNames } from '../../skill-templates.ts';
import { filesFrom, neededSetting, type NeededSetting, type TableOrigin } from './new-from-database.ts';
import { writeNew } from './write-files.ts';

/** `skilled new`: writes a new skill's files and prints their paths. Never overwrites a file. */
export const newSkill: CliCommand = {
  summary: 'Create the files of a new skill.',
  usage: `Usage: skilled new <family> <name> [--dir <dir>]
       skilled new <family> [name] --from <database> <table> [--dir <dir>]

  skilled new skill triage
  skilled new subagent reviewer
  skilled new table --from shop.db orders

Use the id of a family or the name of its file. Without arguments, lists the families
and what their skills do.

  --from <database> describe an existing database table: a SQLite file, a postgres://
                    address, or env:NAME; the last argument is the table
  --name <name>     with --from: the name of the skill; default: the name of the table
  --dir <dir>       the folder that holds the skills; default .agents`,
  options: { dir: { type: 'string' }, from: { type: 'string' }, name: { type: 'string' } },
  maxArgs: 3,
  async run({ flags, own, args, terminal }) {
    await using agent = await openAgent(flags);
    if (args.length === 0 && own['from'] === undefined && own['name'] === undefined)
      return listKinds(agent.families, flags, terminal);
    const { family, name, origin } = chosen(agent, args, own);
    mustBeName(name);
    mustBeFree(agent, name);
    const root = rootFor(family, resolve(flags.cwd, textFlag(own, 'dir') ?? '.agents'));
    const contents =
      origin === undefined
        ? (family.authoring?.template?.(name) ?? {})
        : await filesFrom(family, name, origin, flags);
    const files = writeNew(root, placed(family, name, contents));
    const needed = origin === undefined ? undefined : neededSetting(name, origin.location, flags);
    const setting = needed && { ...needed, command: spelled(needed.command, terminal) };
    if (flags.json) printJson(terminal, { ok: true, files, ...optional('setting', setting) });
    else terminal.out(files.map((file) => `${oneLine(file)}\n`).join(''));
    if (flags.json || flags.quiet) return 0;
    for (const line of settingLines(setting)) terminal.err(`${line}\n`);
    for (const line of await nextSteps(agent, { family, name, root, files }, flags))
      terminal.err(`${pasteable(line, terminal)}\n`);
    return 0;
  },
};

interface Chosen {
  readonly family: Family;
  readonly name: string;
  readonly origin?: TableOrigin;
}

function chosen(
  { families }: RecursiveSkilledAgent,
  args: Invocation['args'],
  own: Invocation['own'],
): Chosen {
  const location = textFlag(own, 'from');
  const [familyName, name, more] = args;
  if (familyName === undefined) {
    throw new AgentError('usage.bad-input', 'Missing family and name for the new skill.', {
      hint: `Run \`skilled new <family> <name>\`; the families are ${templateNames(families)}.`,
    });
  }
  const family = findFamily(familyName, families);
  if (location !== undefined) return { family, ...fromDatabase(args, location, textFlag(own, 'name')) };
  if (more !== undefined || own['name'] !== undefined) {
    throw new AgentError(
      'usage.bad-input',
      `${own['name'] === undefined ? `"${more}"` : '--name'} has no effect without --from.`,
      {
        hint: 'Run `skilled new <family> <name>`.',
      },
    );
  }
  if (name !== undefined) return { family, name };
  throw new AgentError('usage.bad-input', 'The new skill has no name.', {
    hint: `Run \`skilled new ${shellWord(familyName)} <name>\`.`,
  });
}

/**
 * Reads the arguments for a skill that describes a database table. The last argument is the table. The
 * argument before the table, or the value of `--name`, is the skill's name.
 */
function fromDatabase(
  [familyName = '', first, second]: Invocation['args'],
  location: string,
  flag: string | undefined,
): Required<Omit<Chosen, 'family'>> {
  const what = second ?? first;
  const said = second === undefined ? flag : first;
  if (what === undefined || (second !== undefined && flag !== undefined)) {
    const message = what === undefined ? 'Missing table name.' : 'The skill name is given twice.';
    throw new AgentError('usage.bad-input', message, {
      hint: `Run \`skilled new ${shellWord(familyName)} [name] --from <database> <table>\`.`,
    });
  }
  if (said !== undefined) return { name: said, origin: { location, what } };
  const name = normaliseName(what).replace(/[_-]+/g, '-').replace(/^-|-$/g, '');
  if (isSkillName(name)) return { name, origin: { location, what } };
  throw new AgentError('usage.bad-input', `"${what}" cannot be turned into a skill name.`, {
    hint: 'Add --name <name>.',
  });
}

function settingLines(setting: NeededSetting | undefined): readonly string[] {
  if (setting === undefined) return [];
  return [
    ...(setting.first === undefined ? [] : [setting.first]),
    'To connect the skill to its database:',
    `  ${setting.command}`,
  ];
}

function mustBeName(name: string): void {
  if (isSkillName(name) && normaliseName(name) === name) return;
  const near = normaliseName(name).replace(/[_-]+/g, '-');
  const rule = 'Use 1 to 64 lowercase letters, digits and single hyphens. Do not start or end with a hyphen.';
  throw new AgentError('usage.bad-input', `"${name}" is not a valid skill name.`, {
    hint: isSkillName(near) ? `Did you mean "${near}"? ${rule}` : rule,
  });
}

/** Throws if the name belongs to a bundled skill, because a file with such a name would never be found. */
function mustBeFree(agent: RecursiveSkilledAgent, name: string): void {
  if (agent.skills.get(name)?.source !== 'bundled') return;
  throw new AgentError('usage.bad-input', `"${name}" is the name of a built-in skill.`, {
    hint: 'Choose another name.',
  });
}

/** Returns the folder below `base` that contains a family's skills. */
function rootFor({ descriptor }: Family, base: string): string {
  return join(base, descriptor !== undefined && 'folder' in descriptor ? descriptor.folder : 'skills');
}

/** Puts a skill's files into a folder with the skill's name, unless the family's skills are single files. */
function placed(
  { descriptor }: Family,
  name: string,
  files: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (descriptor !== undefined && 'folder' in descriptor) return files;
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]));
}

const columns: readonly Column[] = [
  { title: 'FAMILY', isWhole: true },
  { title: 'SHORT', dropOrder: 1 },
  { title: 'FILE', dropOrder: 2 },
  { title: 'A SKILL THAT …' },
];

/** Lists the families that have a template and describes their skills. Returns the exit code. */
function listKinds(families: readonly Family[], flags: CommonFlags, terminal: Terminal): number {
  const kinds = families.filter(({ authoring }) => authoring?.template !== undefined).map(kindOf);
  if (flags.json) {
    printJson(terminal, { ok: true, families: kinds });
    return 0;
  }
  const rows = kinds.map(({ id, word, file, purpose }) => [id, word, file, purpose]);
  terminal.out(
    table(
      columns,
      rows.map((row) => row.map((text) => ({ text: oneLine(text) }))),
      terminal,
    ),
  );
  if (!flags.quiet) terminal.err(pasteable('Create one: `skilled new <family> <name>`\n', terminal));
  return 0;
}

function kindOf(family: Family): Readonly<Record<'id' | 'word' | 'file' | 'purpose', string>> {
  const { id, label, descriptor, authoring } = family;
  const purpose = authoring?.purpose ?? `belongs to the family ${label}`;
  const file =
    descriptor === undefined || 'file' in descriptor ? descriptor?.file : `${descriptor.folder}/*.md`;
  return { id, word: shortName(family), file: file ?? '', purpose };
}

/** A newly written skill. */
interface NewSkill {
  readonly family: Family;
  readonly name: string;
  /** The folder where skills of this family belong. */
  readonly root: string;
  readonly files: readonly string[];
}

/** Returns the next steps for a new skill (edit, check, run) and, if it cannot be found, the reason. */
async function nextSteps(
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
  const run = [`skilled run /${called}`, ...exampleArgs(found, family), ...more].join(' ');
  const isBelow = descriptor.startsWith(flags.cwd + sep);
  const lines = [
    'Describe the purpose and instructions of the skill, then run:',
    `  \`skilled validate ${shellWord(isBelow ? relative(flags.cwd, descriptor) : descriptor)}\``,
    `  \`${run}\``,
  ];
  if (found !== undefined && trustOf(agent, ownTrustBook(), found)?.trust === 'needed')
    lines.push('      asks for approval before its code runs; --yes allows it once');
  if (isSearched && found === undefined)
    lines.push('The new skill is not found: its file name or an ignore file excludes it.');
  if (found?.shadowedBy !== undefined)
    lines.push(`Another skill with this name takes precedence: ${oneLine(found.shadowedBy)}`);
  return lines;
}

/** Returns the family's example prompt, a placeholder if the skill requires a text argument, or nothing. */
function exampleArgs(skill: Skill | undefined, { authoring, input }: Family): readonly string[] {
  if (authoring?.examplePrompt !== undefined) return [shellWord(authoring.examplePrompt)];
  const schema = skill?.card.input;
  const key = textArgument(schema, input?.defaultArgument);
  const required = schema?.['required'];
  return key !== undefined && Array.isArray(required) && required.includes(key) ? [`"<${key}>"`] : [];
}

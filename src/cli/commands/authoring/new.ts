import { join, relative, resolve, sep } from 'node:path';
import { ownTrustBook } from '../../../config/trust.ts';
import {
  AgentError,
  isSkillName,
  normaliseName,
  optional,
  wordArgument,
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
import { findFamily, shortWord, templateWords } from '../../skill-templates.ts';
import { filesFrom, neededSetting, type NeededSetting, type TableOrigin } from './new-from-database.ts';
import { writeNew } from './write-files.ts';

/** `skilled new`: writes the files of a new skill and prints their paths; nothing is ever overwritten. */
export const newSkill: CliCommand = {
  summary: 'Write the files of a new skill.',
  usage: `Usage: skilled new <family> <name> [--dir <dir>]
       skilled new <family> [name] --from <database> <table> [--dir <dir>]

  skilled new skill triage
  skilled new subagent reviewer
  skilled new table --from shop.db orders

A family is named by its id or by the name of its file; alone, the command lists them
and says what a skill of each does.

  --from <database> describe a table that a database has already: a SQLite file, a
                    postgres:// address, or env:NAME; the last word is the table
  --name <name>     with --from: the name of the skill; that of the table unless given
  --dir <dir>       the folder that holds the skills; .agents unless given`,
  options: { dir: { type: 'string' }, from: { type: 'string' }, name: { type: 'string' } },
  mostWords: 3,
  async run({ flags, own, words, terminal }) {
    await using agent = await openAgent(flags);
    if (words.length === 0 && own['from'] === undefined && own['name'] === undefined)
      return listKinds(agent.families, flags, terminal);
    const { family, name, origin } = chosen(agent, words, own);
    mustBeName(name);
    mustBeFree(agent, name);
    const root = rootFor(family, resolve(flags.cwd, textFlag(own, 'dir') ?? '.agents'));
    const made =
      origin === undefined
        ? (family.authoring?.template?.(name) ?? {})
        : await filesFrom(family, name, origin, flags);
    const files = writeNew(root, placed(family, name, made));
    const needed = origin === undefined ? undefined : neededSetting(name, origin.place, flags);
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
  words: Invocation['words'],
  own: Invocation['own'],
): Chosen {
  const place = textFlag(own, 'from');
  const [word, name, more] = words;
  if (word === undefined) {
    throw new AgentError('usage.bad-input', 'Name a family and the new skill.', {
      hint: `Write \`skilled new <family> <name>\`; the families are ${templateWords(families)}.`,
    });
  }
  const family = findFamily(word, families);
  if (place !== undefined) return { family, ...fromDatabase(words, place, textFlag(own, 'name')) };
  if (more !== undefined || own['name'] !== undefined) {
    throw new AgentError(
      'usage.bad-input',
      `${own['name'] === undefined ? `"${more}"` : '--name'} says nothing without --from.`,
      {
        hint: 'Write `skilled new <family> <name>`.',
      },
    );
  }
  if (name !== undefined) return { family, name };
  throw new AgentError('usage.bad-input', 'The new skill has no name.', {
    hint: `Write \`skilled new ${shellWord(word)} <name>\`.`,
  });
}

/** The last word is the table; a word before it, or --name, is the skill. */
function fromDatabase(
  [word = '', first, second]: Invocation['words'],
  place: string,
  flag: string | undefined,
): Required<Omit<Chosen, 'family'>> {
  const what = second ?? first;
  const said = second === undefined ? flag : first;
  if (what === undefined || (second !== undefined && flag !== undefined)) {
    const message =
      what === undefined ? 'The table in the database is not named.' : 'The skill is named twice.';
    throw new AgentError('usage.bad-input', message, {
      hint: `Write \`skilled new ${shellWord(word)} [name] --from <database> <table>\`.`,
    });
  }
  if (said !== undefined) return { name: said, origin: { place, what } };
  const name = normaliseName(what).replace(/[_-]+/g, '-').replace(/^-|-$/g, '');
  if (isSkillName(name)) return { name, origin: { place, what } };
  throw new AgentError('usage.bad-input', `"${what}" gives no name for a skill.`, {
    hint: 'Add --name <name>.',
  });
}

function settingLines(setting: NeededSetting | undefined): readonly string[] {
  if (setting === undefined) return [];
  return [
    ...(setting.first === undefined ? [] : [setting.first]),
    'So that it finds its database:',
    `  ${setting.command}`,
  ];
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
  { title: 'SHORT', leaves: 1 },
  { title: 'FILE', leaves: 2 },
  { title: 'A SKILL THAT …' },
];

/** Lists the families that have a template, with what their skills do; the exit code. */
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
  if (!flags.quiet) terminal.err(pasteable('Make one: `skilled new <family> <name>`\n', terminal));
  return 0;
}

function kindOf(family: Family): Readonly<Record<'id' | 'word' | 'file' | 'purpose', string>> {
  const { id, label, descriptor, authoring } = family;
  const purpose = authoring?.purpose ?? `is of the kind ${label}`;
  const file =
    descriptor === undefined || 'file' in descriptor ? descriptor?.file : `${descriptor.folder}/*.md`;
  return { id, word: shortWord(family), file: file ?? '', purpose };
}

/** A skill whose files were just written. */
interface NewSkill {
  readonly family: Family;
  readonly name: string;
  /** The folder in which skills of its kind are looked for. */
  readonly root: string;
  readonly files: readonly string[];
}

/** What to do with a new skill, in lines: fill it, check it, run it; and what keeps it from being reached, if anything does. */
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
function wordsFor(skill: Skill | undefined, { authoring, input }: Family): readonly string[] {
  if (authoring?.firstWords !== undefined) return [shellWord(authoring.firstWords)];
  const schema = skill?.card.input;
  const key = wordArgument(schema, input?.defaultArgument);
  const required = schema?.['required'];
  return key !== undefined && Array.isArray(required) && required.includes(key) ? [`"<${key}>"`] : [];
}

import type { CommandEntry } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { commonHelp } from '../../src/cli/input/flags.ts';
import { codeOf, fenceOf, markedUp, pageHead, tableOf } from './markdown.ts';
import { readHelp, type HelpFlag, type HelpPart } from './read-help.ts';

interface Help {
  readonly entry: CommandEntry;
  readonly parts: readonly HelpPart[];
}

/** The number of commands that must share a flag for the flag to be described only once. */
const several = 3;

/** Builds the CLI reference from the help of every command. */
export async function buildCliPage(): Promise<string> {
  const helps = await Promise.all(
    commands.map(async (entry): Promise<Help> => ({ entry, parts: readHelp((await entry.load()).usage) })),
  );
  for (const { entry, parts } of helps)
    for (const kind of ['usage', 'example'] as const)
      if (parts.every((part) => part.kind !== kind))
        throw new Error(`The help of "skilled ${entry.name}" has no ${kind}.`);
  const shared = sharedFlags(helps);
  return [
    pageHead('Commands and flags', 'the help of the commands in src/cli/commands'),
    'The help of every command, on one page. [Command line](../command-line.md) describes input, output, the shapes of `--json` and the [exit codes](../command-line.md#exit-codes). [Errors](errors.md) lists the error codes.\n',
    tableOf(
      ['command', 'does'],
      commands.map(({ name, summary }) => [`[\`skilled ${name}\`](#skilled-${name})`, markedUp(summary)]),
    ),
    '## Flags for every command\n',
    flagTable(readHelp(commonHelp.replace(/^.*\n/, '')).flatMap(flagsOf)),
    '## Flags of several commands\n',
    tableOf(
      ['flag', 'meaning', 'commands'],
      [...shared.values()].map(({ flag, users }) => [
        codeOf(flag.flag),
        markedUp(flag.meaning),
        users.map((name) => codeOf(name)).join(', '),
      ]),
    ),
    ...helps.map((help) => sectionOf(help, shared)),
  ].join('\n');
}

function sectionOf({ entry: { name, aliases = [], summary }, parts }: Help, shared: Shared): string {
  const also = aliases.length === 0 ? '' : ` Also ${aliases.map((alias) => codeOf(alias)).join(', ')}.`;
  const own = parts.map((part) => partText(part, shared)).filter((text) => text !== '');
  const others = parts.flatMap(flagsOf).filter((flag) => shared.has(keyOf(flag)));
  const named = others.map(({ flag }) => codeOf(/--[\w-]+/.exec(flag)?.[0] ?? flag)).join(', ');
  const line = named === '' ? [] : [`[Flags of several commands](#flags-of-several-commands): ${named}.\n`];
  return [`## skilled ${name}\n`, `${markedUp(summary)}.${also}\n`, ...own, ...line].join('\n');
}

function partText(part: HelpPart, shared: Shared): string {
  switch (part.kind) {
    case 'usage':
      return fenceOf('text', part.text);
    case 'example':
      return fenceOf('sh', part.text);
    case 'json':
      return fenceOf('json', part.text);
    case 'prose':
      return `${markedUp(part.text)}\n`;
    case 'flags': {
      const own = part.flags.filter((flag) => !shared.has(keyOf(flag)));
      return own.length === 0 ? '' : flagTable(own);
    }
  }
}

function flagTable(flags: readonly HelpFlag[]): string {
  return tableOf(
    ['flag', 'meaning'],
    flags.map(({ flag, meaning }) => [codeOf(flag), markedUp(meaning)]),
  );
}

type Shared = ReadonlyMap<string, { readonly flag: HelpFlag; readonly users: readonly string[] }>;

/** Returns the flags that several commands have with the same meaning, keyed by flag and meaning. */
function sharedFlags(helps: readonly Help[]): Shared {
  const found = new Map<string, { flag: HelpFlag; users: string[] }>();
  for (const { entry, parts } of helps)
    for (const flag of parts.flatMap(flagsOf)) {
      const known = found.get(keyOf(flag)) ?? { flag, users: [] };
      known.users.push(entry.name);
      found.set(keyOf(flag), known);
    }
  return new Map([...found].filter(([, { users }]) => users.length >= several));
}

function flagsOf(part: HelpPart): readonly HelpFlag[] {
  return part.kind === 'flags' ? part.flags : [];
}

function keyOf({ flag, meaning }: HelpFlag): string {
  return `${flag} ${meaning}`;
}

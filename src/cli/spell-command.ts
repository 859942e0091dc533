import { isAbsolute, relative } from 'node:path';
import { programName } from '../config/program.ts';
import type { Invocation, Repeated } from './command.ts';
import { commands } from './commands.ts';
import { findCommand } from './command.ts';
import { shellWord } from './output/command-text.ts';

/** The parts of a command line that suggested commands must repeat. */
export type CommandContext = Pick<Invocation, 'flags' | 'own' | 'lists'>;

/**
 * Formats a suggested command, such as `skilled trace r_1`, as this user must type it: with the same program
 * name, and with the current flags that determine which runs, skills or models the command finds. Flags that
 * the command already has or does not use are not added. Set `fromAnywhere` if the command may be typed in
 * another folder.
 */
export function spellCommand(
  command: string,
  context: CommandContext | undefined,
  fromAnywhere = false,
): string {
  const [, variables = '', args = ''] = /^((?:\w+=\S* )*)skilled(?: (.*))?$/s.exec(command) ?? [];
  const [name = '', verb = ''] = args.split(' ', 2);
  const { repeats: all = [], editing = [] } = findCommand(commands, name) ?? {};
  const repeats = editing.includes(verb) ? all.filter((one) => one === 'cwd' || one === 'safe') : all;
  const flags = context === undefined ? [] : repeats.flatMap((one) => flagsFor[one](context, fromAnywhere));
  const missing = flags.filter(({ unless }) => !unless.some((flag) => has(args, flag)));
  const parts = [args, ...missing.flatMap(({ text }) => text.map(shellWord))];
  return `${variables}${[programName(), ...parts.filter((part) => part !== '')].join(' ')}`;
}

/** A flag to add to a command that has none of the flags in `unless`. */
interface AddedFlag {
  readonly text: readonly string[];
  readonly unless: readonly string[];
}

const flagsFor: Readonly<
  Record<Repeated, (context: CommandContext, fromAnywhere: boolean) => readonly AddedFlag[]>
> = {
  cwd: ({ flags: { cwd } }, fromAnywhere) => {
    if (!fromAnywhere && cwd === currentFolder()) return [];
    // Commands with --user do not need --cwd, because user settings are the same in every folder.
    const path = fromAnywhere ? cwd : shortPath(currentFolder(), cwd);
    return [{ text: ['--cwd', path], unless: ['--cwd', '--user'] }];
  },
  skills: ({ flags: { cwd, skills, only } }) => [
    // The paths are relative to `--cwd`, which is also added to the command.
    ...skills.map((dir) => ({ text: ['--skills', shortPath(cwd, dir)], unless: ['--skills'] })),
    ...(only ? [{ text: ['--only'], unless: ['--only'] }] : []),
  ],
  safe: ({ flags: { safe } }) => (safe ? [{ text: ['--safe'], unless: ['--safe'] }] : []),
  models: ({ flags: { offline }, own, lists }) => {
    const server = ['base-url', 'api-key-env'].flatMap((name) => {
      const value = own[name];
      return typeof value === 'string' ? [['--' + name, value]] : [];
    });
    const models = (lists['model'] ?? []).map((model) => ['--model', model]);
    const unless = ['--offline', '--no-offline'];
    return [
      ...[...models, ...server].map((text) => ({ text, unless: ['--model'] })),
      ...(offline === undefined ? [] : [{ text: [offline ? '--offline' : '--no-offline'], unless }]),
    ];
  },
  roles: ({ lists }) => (lists['role'] ?? []).map((role) => ({ text: ['--role', role], unless: ['--role'] })),
};

function has(args: string, flag: string): boolean {
  return args.split(/[\s=]/).includes(flag);
}

/**
 * Returns `dir` as a relative path if it is below `from`. Otherwise, returns it unchanged, because users
 * change folders.
 */
function shortPath(from: string | undefined, dir: string): string {
  const down = from === undefined ? '' : relative(from, dir);
  return down === '' || isAbsolute(down) || /^(?:\.\.|-)/.test(down) ? dir : down;
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // The current folder no longer exists.
  }
}

import { isAbsolute, relative } from 'node:path';
import { programName } from '../config/program.ts';
import type { Invocation, Repeated } from './command.ts';
import { commands } from './commands.ts';
import { findCommand } from './command.ts';
import { shellWord } from './output/command-text.ts';

/** What a command line said about where things are and who is asked. */
export type CommandContext = Pick<Invocation, 'flags' | 'own' | 'lists'>;

/**
 * Spells a command that a text names, such as `skilled trace r_1`, as this user has to type it: with the program as it was
 * called, and with the flags of this command line without which it would find other runs, skills or models. A flag that the
 * command has, or has no use for, is not added. `fromAnywhere` where it may be typed in another folder.
 */
export function spellCommand(
  command: string,
  told: CommandContext | undefined,
  fromAnywhere = false,
): string {
  const [, variables = '', words = ''] = /^((?:\w+=\S* )*)skilled(?: (.*))?$/s.exec(command) ?? [];
  const repeats = findCommand(commands, words.split(' ', 1)[0] ?? '')?.repeats ?? [];
  const flags = told === undefined ? [] : repeats.flatMap((one) => flagsFor[one](told, fromAnywhere));
  const missing = flags.filter(({ unless }) => !unless.some((flag) => has(words, flag)));
  const all = [words, ...missing.flatMap(({ text }) => text.map(shellWord))];
  return `${variables}${[programName(), ...all.filter((word) => word !== '')].join(' ')}`;
}

/** Words to add to a command, unless it has one of these flags. */
interface AddedFlag {
  readonly text: readonly string[];
  readonly unless: readonly string[];
}

const flagsFor: Readonly<
  Record<Repeated, (told: CommandContext, fromAnywhere: boolean) => readonly AddedFlag[]>
> = {
  cwd: ({ flags: { cwd } }, fromAnywhere) => {
    if (!fromAnywhere && cwd === currentFolder()) return [];
    // Settings of the user are the same everywhere.
    const path = fromAnywhere ? cwd : shortPath(currentFolder(), cwd);
    return [{ text: ['--cwd', path], unless: ['--cwd', '--user'] }];
  },
  skills: ({ flags: { cwd, skills, only } }) => [
    // They start from the folder of --cwd, which is added as well.
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

function has(words: string, flag: string): boolean {
  return words.split(/[\s=]/).includes(flag);
}

/** Short where it leads down from a folder, whole elsewhere: people change folders. */
function shortPath(from: string | undefined, dir: string): string {
  const down = from === undefined ? '' : relative(from, dir);
  return down === '' || isAbsolute(down) || /^(?:\.\.|-)/.test(down) ? dir : down;
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined; // it is gone
  }
}

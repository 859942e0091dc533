import { oneLine } from '../../output/text.ts';
import type { Complete } from '../../lines/lines.ts';
import type { Chat, ChatCommand } from './chat.ts';
import { slashSkills } from './slash-skills.ts';

/** Completes what begins with a slash, or with an at sign for skills; a name that is complete tells what it takes. */
export function completer(chat: Pick<Chat, 'agent'>, commands: readonly ChatCommand[]): Complete {
  return (typed) => {
    const [, sign, beginning = ''] = /^([/@])(\S*) ?$/.exec(typed) ?? [];
    if (sign === undefined) return { lines: [] };
    const own = sign === '/' ? commands : [];
    const skills = slashSkills(chat).filter(({ name }) => !own.some((command) => command.name === name));
    const takes = new Map<string, string | undefined>([
      ...own.map((command) => [command.name, command.takes] as const),
      ...skills.map(({ name, card }) => [name, card.argumentHint] as const),
    ]);
    const isWhole = typed.endsWith(' ');
    const fitting = [...takes.keys()].filter((name) => !isWhole && name.startsWith(beginning));
    const [only, other] = fitting;
    const lines = fitting.map((name) => `${sign}${oneLine(name)}${other === undefined ? ' ' : ''}`);
    const complete = isWhole || (other === undefined && only === beginning) ? beginning : undefined;
    const hint = complete === undefined ? undefined : takes.get(complete);
    return hint === undefined ? { lines } : { lines, hint: `  ${sign}${beginning} ${oneLine(hint)}` };
  };
}

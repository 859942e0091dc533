/** A skill that is named with a slash or an at sign, and what is left for it. */
export interface SlashCommand {
  readonly name: string;
  readonly words: readonly string[];
}

/** Reads `/name`, or with another mark that, at the start of the first word; its name ends at the first white space, and what follows is a word as typed. Undefined when there is no such mark. Pure. */
export function slashCommand(
  [first = '', ...others]: readonly string[],
  mark: '/' | '@' = '/',
): SlashCommand | undefined {
  const [, name, typed = ''] = /^.(\S+)([^]*)$/.exec(first) ?? [];
  if (!first.startsWith(mark) || name === undefined) return undefined;
  const rest = typed.trim();
  return { name, words: rest === '' ? others : [rest, ...others] };
}

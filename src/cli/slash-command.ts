/** A skill that is named with a slash, and what is left for it. */
export interface SlashCommand {
  readonly name: string;
  readonly words: readonly string[];
}

/** Reads `/name` at the start of the first word; its name ends at the first white space, and what follows is a word as typed. Undefined when there is no slash. Pure. */
export function slashCommand([first = '', ...others]: readonly string[]): SlashCommand | undefined {
  const [, name, typed = ''] = /^\/(\S+)([^]*)$/.exec(first) ?? [];
  if (name === undefined) return undefined;
  const rest = typed.trim();
  return { name, words: rest === '' ? others : [rest, ...others] };
}

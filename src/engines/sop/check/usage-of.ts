import type { Intake } from './read-intake.ts';

const mostPlaces = 12;

/** How a command is written with its arguments, such as `add <a> <b> [<note>] [tags=<tags>]`. Pure. */
export function usageOf(command: string, intake: Intake): string {
  if (intake.kind !== 'places') return `${command} ${intake.kind === 'list' ? '<item>…' : '<text>'}`;
  const { places, inOrder, required } = intake;
  const byNameOnly = [...places.keys()].filter((name) => !inOrder.includes(name));
  const words = [
    ...inOrder.map((name) => [name, `<${name}>`] as const),
    ...byNameOnly.map((name) => [name, `${name}=<${name}>`] as const),
  ].map(([name, word]) => (required.includes(name) ? word : `[${word}]`));
  const shown = words.length > mostPlaces ? [...words.slice(0, mostPlaces), '…'] : words;
  return [command, ...shown].join(' ');
}

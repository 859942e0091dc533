import type { OpenQuestion } from './run.ts';

/** The answer that a text stands for: the option with this number, unless the text is an option itself. Pure. */
export function chosenOption({ options = [] }: Pick<OpenQuestion, 'options'>, text: string): string {
  if (options.includes(text) || !/^\d+$/.test(text)) return text;
  return options[Number(text) - 1] ?? text;
}

import type { Json } from '../../core/json.ts';
import type { SopCommand } from './command.ts';
import { giveUp } from './verdict.ts';

/** The commands that every plan has, unless the host lists its own of that name; all of them without an effect. */
export const basicCommands: readonly SopCommand[] = [
  {
    name: 'assign',
    description: 'Binds what it is given: one argument as it is, several as one text.',
    run: ({ input }) => input,
  },
  {
    name: 'final_answer',
    description: 'Gives the answer of the plan: one argument as it is, several as one text.',
    isAnswer: true,
    run: ({ input }) => input,
  },
  {
    name: 'cannot_complete',
    description: 'Ends the plan at once, because what it is for cannot be done; takes the reason.',
    endsPlan: true,
    run: ({ input }) => giveUp(reasonIn(input)),
  },
];

function reasonIn(input: Json): string {
  const text = typeof input === 'string' ? input.trim() : JSON.stringify(input);
  return text === '' ? 'no reason is given' : text;
}

/** Whether a name is that of a command that every plan has. */
export function isBasicCommand(name: string): boolean {
  return basicCommands.some((command) => command.name === name);
}

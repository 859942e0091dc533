import type { KnownCommands } from './known-commands.ts';
import type { PlanStep } from '../plan.ts';
import { errorAt, type SopIssue } from '../sop-issue.ts';

const mostNamed = 10;

/** That there is no such command, with what was probably meant. */
export function unknownCommand(step: PlanStep, commands: KnownCommands): SopIssue {
  const { command, commandPlace } = step;
  const hint = meantOtherwise(step) ?? commands.suggest(command);
  const message = `There is no command "${command}".`;
  if (hint !== undefined) return errorAt(commandPlace, 'sop.unknown-command', message, hint);
  const issue = errorAt(commandPlace, 'sop.unknown-command', message, whatThereIs(commands));
  return { ...issue, details: { known: commands.names().slice(0, mostNamed) } };
}

/** Ways of other languages to bind and to repeat. */
function meantOtherwise({ name, command }: PlanStep): string | undefined {
  if (command === 'each') return `"each" takes a reference to a list, as in "@${name} each $list command".`;
  if (/^:?=$/.test(command)) return `Leave the "${command}" out, as in "@${name} command".`;
  const [, before, behind] = /^([^=]+)=(.+)$/.exec(name) ?? [];
  if (before === undefined || behind === undefined) return undefined;
  return `The name of this step is "${name}". Write a blank for the "=", as in "@${before} ${behind}".`;
}

function whatThereIs(commands: KnownCommands): string {
  const names = commands.names();
  const shown = names.slice(0, mostNamed).join(', ');
  return `There ${names.length === 1 ? 'is' : 'are'} ${shown}${names.length > mostNamed ? ' and others' : ''}.`;
}

import { isBare } from './is-bare.ts';
import type { KnownCommand } from './known-commands.ts';
import type { PlanStep } from '../plan.ts';
import { warningAt, type SopIssue } from '../sop-issue.ts';

/** Words such as the `5` of `bash sleep 5`, which another argument takes and not the shell; `lines` are those of the script. */
export function findLooseWords(
  { arguments: given, command: name }: PlanStep,
  { command, intake }: KnownCommand,
  lines: () => readonly string[],
): readonly SopIssue[] {
  if (command.isLiteral !== true || intake.kind !== 'places' || intake.inOrder.length < 2) return [];
  const [first, second] = given.filter(({ key }) => key === undefined);
  if (first?.kind !== 'text' || second?.kind !== 'text') return [];
  if (!isBare(first, lines()) || !isBare(second, lines())) return [];
  const message = `"${second.text}" is another argument of "${name}", and no part of "${first.text}".`;
  return [
    warningAt(
      second.place,
      'sop.unlikely-text',
      message,
      'Put both in one pair of quotes if they are one text.',
    ),
  ];
}

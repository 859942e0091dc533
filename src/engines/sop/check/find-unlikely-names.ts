import { isBare } from './is-bare.ts';
import type { KnownCommand } from './known-commands.ts';
import type { PlanStep } from '../plan.ts';
import { warningAt, type SopIssue } from '../sop-issue.ts';

/** Bare words such as `contry=France` that were probably meant as a named argument; `lines` are those of the script. */
export function findUnlikelyNames(
  { command, arguments: given }: PlanStep,
  { intake, suggestPlace }: KnownCommand,
  lines: () => readonly string[],
): readonly SopIssue[] {
  if (intake.kind !== 'places') return [];
  return given.flatMap((argument) => {
    if (argument.kind !== 'text' || argument.key !== undefined) return [];
    const [, key] = /^([\p{L}_][\p{L}\p{N}_-]{0,63})=/u.exec(argument.text) ?? [];
    if (key === undefined) return [];
    const suggestion = suggestPlace(key);
    if (suggestion === undefined || !isBare(argument, lines())) return [];
    const message = `"${command}" takes no "${key}", so this word is text.`;
    const hint = `${suggestion} Put it in quotes if it is text.`;
    return [warningAt(argument.place, 'sop.unlikely-name', message, hint)];
  });
}

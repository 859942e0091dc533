import { isJsonObject, parseJson, type Json } from '../../core/json.ts';
import type { HookMoment } from '../../core/family.ts';
import type { Ended } from './ended.ts';

/** What a hook has against a moment, and what only people need to know of it. */
export interface Heard {
  readonly objection?: string;
  readonly note?: string;
}

/** Reads the verdict of a hook: exit code 2 objects with what stderr says, JSON on stdout with its reason; any other failure is a note. */
export function objectionIn(moment: HookMoment, { exitCode, stdout, stderr }: Ended): Heard {
  if (exitCode === 2) return { objection: stderr.trim() || 'A hook of the skill objects.' };
  if (exitCode !== 0) {
    const end = exitCode === null ? 'was ended by a signal' : `ended with exit code ${exitCode}`;
    return { note: `${end}: ${stderr.trim().slice(-500).toWellFormed()}` };
  }
  const said = stdout.trimStart().startsWith('{') ? parseJson(stdout) : undefined;
  const objection = isJsonObject(said) ? reasonIn(moment, said) : undefined;
  return objection === undefined ? {} : { objection };
}

function reasonIn(moment: HookMoment, said: { readonly [key: string]: Json }): string | undefined {
  const specific = isJsonObject(said['hookSpecificOutput']) ? said['hookSpecificOutput'] : {};
  const { permissionDecision, permissionDecisionReason, additionalContext } = specific;
  if (said['decision'] === 'block') return textOf(said['reason']) ?? 'A hook of the skill objects.';
  if (permissionDecision === 'deny' || permissionDecision === 'ask')
    return textOf(permissionDecisionReason) ?? 'A hook of the skill objects.';
  if (said['continue'] === false)
    return textOf(said['stopReason']) ?? 'A hook of the skill wants this to end.';
  return moment === 'after' ? textOf(additionalContext) : undefined;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

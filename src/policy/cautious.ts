import { isJsonObject, type Json } from '../core/json.ts';
import type { Decision, PermissionRequest, Policy } from '../core/policy.ts';

/**
 * The policy of whoever chose none: what changes nothing and what the host itself made may be called; a person is asked
 * about everything else that has an effect, and about each process that would run without a sandbox.
 */
export const cautiousPolicy: Policy = { decide };

function decide({ skill, source, made, permission, runsCode, input }: PermissionRequest): Decision {
  if (permission.runsProcesses === true) {
    const command = commandOf(input);
    const reason = `It runs a command on this machine without a sandbox: ${shown(command)}`;
    return { decision: 'ask', reason, rule: `${permission.label ?? skill}(${command})`, each: true };
  }
  if (permission.readOnly === true) return { decision: 'allow' };
  if (made && source === 'explicit') return { decision: 'allow' };
  const reason = permission.effect ?? (runsCode ? 'It can run code of its own.' : 'It can change things.');
  return { decision: 'ask', reason, rule: permission.label ?? `Skill(${skill})` };
}

function commandOf(input: Json): string {
  const command = isJsonObject(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : JSON.stringify(input);
}

const mostShown = 200; // characters

/** The command on one line: what cannot be seen is spelled out, and what is left out is said. */
function shown(command: string): string {
  const visible = command.replace(unseen, (letter) => {
    if (letter === '\n') return '\\n';
    return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
  });
  if (visible.length <= mostShown) return visible;
  const rest = visible.length - mostShown;
  return `${visible.slice(0, mostShown)}… (${rest.toLocaleString('en')} more characters)`.toWellFormed();
}

// Controls, line ends, zero-width and bidirectional characters, halves of pairs.
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

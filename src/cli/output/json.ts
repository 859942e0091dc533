import type { Issue } from '../../core/issue.ts';
import type { Json } from '../../core/json.ts';
import type { Skill } from '../../core/skill.ts';
import type { Terminal } from '../terminal.ts';

/** Prints the one JSON document of a command. */
export function printJson(terminal: Terminal, document: object): void {
  terminal.out(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** A skill as `list --json` shows it. */
export function skillJson(skill: Skill, digest: string | undefined): Record<string, unknown> {
  return {
    name: skill.name,
    aliases: skill.aliases,
    family: skill.family,
    source: skill.source,
    status: skill.status,
    description: skill.card.description,
    dir: skill.dir,
    file: skill.file,
    ...(digest === undefined ? {} : { digest }),
    ...(skill.missing === undefined ? {} : { missing: skill.missing }),
    ...(skill.shadowedBy === undefined ? {} : { shadowedBy: skill.shadowedBy }),
  };
}

/** A finding as every command shows it. */
export function issueJson(issue: Issue): Record<string, Json> {
  const { level, code, message, file = '', line, hint } = issue;
  return { level, code, message, file, ...(line === undefined ? {} : { line }), ...(hint === undefined ? {} : { hint }) };
}

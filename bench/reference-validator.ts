import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { FAILSAFE_SCHEMA, load } from 'js-yaml';

/**
 * Validates a file with an independent implementation of the open standard's rules. It lacks the defects of
 * the standard's own validator: it does not split the file at arbitrary dashes, accepts the flow style of
 * YAML and does not fail on invalid bytes. It requires metadata values to be strings.
 */
export function referenceFaults(file: string): readonly string[] {
  const name = basename(file);
  if (name !== 'SKILL.md' && name !== 'skill.md') return ['no SKILL.md'];
  const lines = readFileSync(file, 'utf8').split(/\r\n|\r|\n/);
  if (lines[0]?.trimEnd() !== '---') return ['does not start with a fence'];
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) return ['is not closed'];
  const head = lines.slice(1, end).join('\n');
  if (
    /(?:^|[\s[{,:-])[&*!][A-Za-z!]/m.test(head.replace(/"[^"\n]*"|'[^'\n]*'/g, '""')) &&
    usesAnchorsOrTags(head)
  )
    return ['anchors or tags'];
  const fields = parse(head);
  return typeof fields === 'string' ? [fields] : fieldFaults(fields, basename(dirname(file)));
}

function parse(head: string): Record<string, unknown> | string {
  try {
    const value: unknown = load(head, { schema: FAILSAFE_SCHEMA });
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : 'not a mapping';
  } catch {
    return 'invalid YAML';
  }
}

function usesAnchorsOrTags(head: string): boolean {
  return head.split('\n').some((line) => /^[\w-]+:\s+[&*!][A-Za-z!]/.test(line));
}

function fieldFaults(fields: Record<string, unknown>, folder: string): readonly string[] {
  const faults: string[] = [];
  const allowed = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];
  if (Object.keys(fields).some((key) => !allowed.includes(key))) faults.push('unknown field');
  faults.push(...nameFaults(fields['name'], folder));
  const { description, compatibility, metadata } = fields;
  if (typeof description !== 'string' || description.trim() === '') faults.push('description missing');
  else if (Array.from(description).length > 1024) faults.push('description too long');
  if (
    compatibility !== undefined &&
    (typeof compatibility !== 'string' || Array.from(compatibility).length > 500)
  )
    faults.push('compatibility');
  if (metadata !== undefined) {
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) faults.push('metadata');
    else if (Object.values(metadata).some((value) => typeof value !== 'string'))
      faults.push('metadata value');
  }
  return faults;
}

function nameFaults(value: unknown, folder: string): readonly string[] {
  if (typeof value !== 'string' || value.trim() === '') return ['name missing'];
  const name = value.trim().normalize('NFKC');
  const faults: string[] = [];
  if (Array.from(name).length > 64) faults.push('name too long');
  if (name !== name.toLowerCase()) faults.push('name not lower case');
  if (/^-|-$|--/.test(name)) faults.push('name hyphens');
  if (Array.from(name).some((char) => char !== '-' && !/[\p{L}\p{N}]/u.test(char)))
    faults.push('name characters');
  if (name !== folder.normalize('NFKC')) faults.push('name is not the folder');
  return faults;
}

import type { Issue, Section } from '../../../core/index.ts';
import type { RolePolicy } from './definition.ts';
import { finding } from './finding.ts';
import { plainLines } from './plain-lines.ts';
import { listIn } from './values.ts';

/** Who may read and write; a policy that names nobody for a side closes that side. */
export function readRoles(section: Section | undefined, issues: Issue[]): RolePolicy | undefined {
  if (section === undefined) return undefined;
  const roles = { read: [] as string[], write: [] as string[] };
  const notes: string[] = [];
  let listed: string[] | undefined;
  for (const line of plainLines(section)) {
    const found = /^(read|write)\b[^:]*(?::\s*(.*))?$/i.exec(line.text);
    const isSide = found !== null && (line.isHeading || found[2] !== undefined);
    if (isSide) {
      const side = roles[found[1]?.toLowerCase() === 'read' ? 'read' : 'write'];
      for (const role of listIn(found[2] ?? '')) side.push(role);
      listed = (found[2] ?? '') === '' ? side : undefined;
    } else if (line.isBullet && listed !== undefined) {
      for (const role of listIn(line.text)) listed.push(role);
    } else notes.push(line.text);
  }
  const open = Object.entries(roles).filter(([, names]) => names.length === 0);
  if (open.length > 0) {
    const message = `The role policy names nobody who may ${open.map(([side]) => side).join(' or ')}.`;
    const hint = 'Write a "Read: …" and a "Write: …" line, or remove the section to let everyone in.';
    issues.push(finding('table.roles', message, section.line, hint));
  }
  return { read: [...new Set(roles.read)], write: [...new Set(roles.write)], notes };
}

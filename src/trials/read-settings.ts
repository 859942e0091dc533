import { shapeAt } from '../config/schema/definition.ts';
import { isJsonObject } from '../core/json.ts';
import type { SkillEntry } from '../skills/eligibility/skill-settings.ts';
import { memberOf, membersIn, objectIn, textIn, type Part } from './part.ts';

/** What stands under `settings`: only what gives a skill nothing of the user's, since the file may come from a stranger. */
export function readSettingsOf(part: Part): SkillEntry | undefined {
  const entry = objectIn(part, ['config', 'env', 'override', 'workspace']);
  if (!isJsonObject(entry)) return undefined;
  memberOf(part, 'env', (variables) => membersIn(variables).map(textIn));
  const shape = shapeAt(['skills', 'entries', 'any']);
  const fitted = shape?.fit(entry, '', (path, expected) => {
    part.at(path.split('.')[1] ?? '').wrong(`must be ${expected}.`);
  });
  return fitted as SkillEntry | undefined;
}

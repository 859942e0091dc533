import type { JsonObject } from '../core/json.ts';
import { nearestNames } from '../core/names.ts';
import { settingsDefinition } from './settings-definition.ts';

const known = [...new Set(settingsDefinition.map(({ key }) => key.split('.')[0] ?? key))];

/** A key that is no setting and looks like one. */
export interface MisspeltKey {
  readonly key: string;
  readonly meant: string;
}

/** The keys at the top of a settings file that look like a slip of the keyboard; others that are not known may be meant for a skill. Pure. */
export function misspeltKeys(values: JsonObject): readonly MisspeltKey[] {
  return Object.keys(values).flatMap((key) => {
    if (known.includes(key)) return [];
    const [meant] = nearestNames(key, known).filter((name) => Math.abs(name.length - key.length) < 3);
    return meant === undefined || Object.hasOwn(values, meant) ? [] : [{ key, meant }];
  });
}

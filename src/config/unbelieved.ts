import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { settingsDefinition } from './settings-definition.ts';
import { valueAt } from './settings-key.ts';

/** A value that does not count in the settings of a project. */
export interface Unbelieved {
  readonly path: readonly string[];
  /** One sentence. */
  readonly reason: string;
}

/** What a project may not say among these values; `own` is what the user's own file says. Pure. */
export function unbelieved(values: JsonObject, own: JsonObject): readonly Unbelieved[] {
  const whole = settingsDefinition.flatMap(({ key, default: usual, inProject }): readonly Unbelieved[] => {
    const path = key.split('.');
    const value = valueAt(values, path);
    if (value === undefined || inProject === undefined) return [];
    return inProject.mayBe(value, valueAt(own, path) ?? usual) ? [] : [{ path, reason: inProject.reason }];
  });
  return [...whole, ...gainsOfSkills(values, own)];
}

const entries = ['skills', 'entries'];

/** What skills would get of the user's, and they may come from the same stranger. */
function gainsOfSkills(values: JsonObject, own: JsonObject): readonly Unbelieved[] {
  return membersOf(valueAt(values, entries)).flatMap(([skill, entry]) => {
    const path = [...entries, skill];
    const { apiKey, env, override, enabled, ...more } = isJsonObject(entry) ? entry : {};
    const usual = valueAt(own, path);
    const users = isJsonObject(usual) ? usual : {};
    const variables = membersOf(env).map(([name, value]) => ({
      path: [...path, 'env', name],
      reason: isJsonObject(value) ? reasons.secrets : reasons.leads,
    }));
    const isLetIn = enabled === true && users['enabled'] === false;
    return [
      ...(apiKey === undefined ? [] : [{ path: [...path, 'apiKey'], reason: reasons.secrets }]),
      ...variables,
      ...grants
        .filter((key) => more[key] !== undefined)
        .map((key) => ({ path: [...path, key], reason: reasons.reaches })),
      ...(override === undefined ? [] : [{ path: [...path, 'override'], reason: reasons.changes }]),
      ...(isLetIn ? [{ path: [...path, 'enabled'], reason: reasons.letsIn }] : []),
    ];
  });
}

const grants = ['hosts', 'read', 'workspace', 'processes'];

const reasons = {
  secrets: 'A project could hand your secrets to its own skills and commands.',
  leads: 'A project could steer the programs of your skills, or lead them to a server of its own.',
  reaches: 'A project could let its own skills reach what you did not grant.',
  changes: 'A project could give your own skills other tools, models and texts.',
  letsIn: 'A project may switch off a skill, but not switch on one that you switched off.',
};

function membersOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

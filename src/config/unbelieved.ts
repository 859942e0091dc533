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
  return [...whole, ...gainsOfSkills(values)];
}

const entries = ['skills', 'entries'];

/** What skills would get of the user's, and they may come from the same stranger. */
function gainsOfSkills(values: JsonObject): readonly Unbelieved[] {
  const reason = 'A project could hand your secrets to its own skills and commands.';
  const reaches = 'A project could let its own skills reach what you did not grant.';
  return membersOf(valueAt(values, entries)).flatMap(([skill, entry]) => {
    const path = [...entries, skill];
    const { apiKey, env, hosts, read } = isJsonObject(entry) ? entry : {};
    const named = membersOf(env).filter(([, value]) => isJsonObject(value));
    return [
      ...(apiKey === undefined ? [] : [{ path: [...path, 'apiKey'], reason }]),
      ...named.map(([name]) => ({ path: [...path, 'env', name], reason })),
      ...(hosts === undefined ? [] : [{ path: [...path, 'hosts'], reason: reaches }]),
      ...(read === undefined ? [] : [{ path: [...path, 'read'], reason: reaches }]),
    ];
  });
}

function membersOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

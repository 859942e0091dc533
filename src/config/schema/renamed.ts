import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { valueAt, withKey, withoutKey } from './key.ts';

/**
 * The current keys of the settings that were renamed since the previous release, by old key. The
 * names of renamed variables are derived from these keys.
 */
const renamedKeys: Readonly<Record<string, string>> = { 'limits.money': 'limits.cost' };

/** Returns the current path of a renamed setting, given its old path. Undefined for any other path. */
export function currentPath(path: readonly string[]): readonly string[] | undefined {
  return renamedKeys[path.join('.')]?.split('.');
}

/** Returns the old path of a renamed setting, given its current path. Undefined for any other path. */
export function earlierPath(path: readonly string[]): readonly string[] | undefined {
  const found = Object.entries(renamedKeys).find(([, current]) => current === path.join('.'));
  return found?.[0].split('.');
}

/**
 * Returns the current name of a renamed environment variable, given its old name. Undefined for any other
 * variable.
 */
export function currentVariable(variable: string): string | undefined {
  const found = Object.entries(renamedKeys).find(([old]) => variableOf(old) === variable);
  return found === undefined ? undefined : variableOf(found[1]);
}

function variableOf(key: string): string {
  return `SKILLED_${key.replace('.', '_').toUpperCase()}`;
}

/**
 * Returns the settings under their current keys. A current key takes precedence over an old one. Calls
 * `report` for each old key, with its current key.
 */
export function withCurrentKeys(
  values: JsonObject,
  report: (old: string, current: string) => void,
): JsonObject {
  return Object.entries(renamedKeys).reduce((renamed, [old, current]) => {
    const value = valueAt(renamed, old.split('.'));
    if (value === undefined) return renamed;
    report(old, current);
    const rest = withoutKey(renamed, old.split('.'));
    const isSet = valueAt(rest, current.split('.')) !== undefined;
    return isSet ? rest : withKey(rest, current.split('.'), value);
  }, values);
}

/** Adds the old keys of renamed settings to the schemas of the settings, and marks them as deprecated. */
export function withEarlierSchemas(properties: JsonObject): JsonObject {
  return Object.entries(renamedKeys).reduce((all, [old, current]) => {
    const schema = valueAt(all, schemaPath(current));
    if (!isJsonObject(schema)) return all;
    return withKey(all, schemaPath(old), {
      ...schema,
      deprecated: true,
      description: `Renamed to ${current}.`,
    });
  }, properties);
}

/** Returns the path of a key's schema: `limits.properties.cost` for `limits.cost`. */
function schemaPath(key: string): readonly string[] {
  return key.split('.').flatMap((part, index) => (index === 0 ? [part] : ['properties', part]));
}

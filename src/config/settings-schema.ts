import type { JsonObject } from '../core/json.ts';
import { settingsRoot } from './settings-root.ts';

/** The JSON Schema of a settings file, for editors; keys that it does not know are allowed, as skills may ask for them. */
export function settingsSchema(): JsonObject {
  const { properties, ...rest } = settingsRoot.schema;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of skilled',
    ...rest,
    properties: { $schema: { type: 'string' }, ...(properties as JsonObject) },
  };
}

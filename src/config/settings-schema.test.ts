import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { settingsTable, tableMarks } from '../../test/support/settings-table.ts';
import type { JsonObject } from '../core/json.ts';
import { settingsDefinition } from './settings-definition.ts';
import { settingsSchema } from './settings-schema.ts';

const root = join(import.meta.dirname, '..', '..');

describe('what comes from the definition of the settings', () => {
  test('schemas/settings.json is up to date; else run node scripts/make-settings-reference.js', () => {
    const written: unknown = JSON.parse(readFileSync(join(root, 'schemas/settings.json'), 'utf8'));
    assert.deepEqual(written, settingsSchema());
  });

  test('the table in docs/settings.md is up to date; else run node scripts/make-settings-reference.js', () => {
    const page = readFileSync(join(root, 'docs/settings.md'), 'utf8');
    assert.ok(page.includes(tableMarks.join(settingsTable())));
  });

  test('every variable that sets something is explained', () => {
    const page = readFileSync(join(root, 'docs/settings.md'), 'utf8');
    const special = ['SKILLED_MODEL_', 'SKILLED_API_KEY_ENV', 'SKILLED_LIMITS_'];
    const variables = settingsDefinition.flatMap(({ variable }) => variable ?? []);
    assert.deepEqual(
      [...variables, ...special].filter((name) => !page.includes(`\`${name}`)),
      [],
    );
  });

  test('editors get a description of every setting', () => {
    const { properties } = settingsSchema() as { properties: Record<string, JsonObject> };
    for (const { key, description } of settingsDefinition) {
      const [name = '', ...rest] = key.split('.');
      const found = rest.reduce<unknown>(
        (schema, part) => (schema as { properties: JsonObject }).properties[part],
        properties[name],
      );
      assert.ok(String((found as JsonObject)['description']).startsWith(description), key);
    }
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { projectRoot } from '../../../test/support/source-file.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { parseJsonWithComments } from '../../core/json/jsonc.ts';
import { fitSettings } from '../read/settings-file.ts';
import { settingsDefinition, settingsSchema } from './definition.ts';

const root = projectRoot;

describe('what comes from the definition of the settings', () => {
  test('every variable that sets something is explained', () => {
    const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
    const limits = 'SKILLED_LIMITS_'; // a single row for all of them
    const variables = settingsDefinition.flatMap(({ variable }) => variable ?? []);
    const single = variables.filter((name) => !name.startsWith(limits));
    assert.ok(single.length > 4 && single.length < variables.length);
    assert.deepEqual(
      [...single, limits, 'SKILLED_MODEL_', 'SKILLED_API_KEY_ENV'].filter(
        (name) => !page.includes(`\`${name}`),
      ),
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
      assert.ok((found as { description: string }).description.startsWith(description), key);
    }
  });

  test('editors know keys of release 0.1 as deprecated', () => {
    const { limits } = settingsSchema()['properties'] as {
      limits: { properties: Record<string, JsonObject> };
    };
    const { cost, money } = limits.properties;
    assert.deepEqual([cost?.['deprecated'], money?.['deprecated']], [undefined, true]);
    assert.equal(money?.['type'], cost?.['type']);
    assert.equal(z.fromJSONSchema(settingsSchema()).safeParse({ limits: { money: 'two' } }).success, false);
  });

  test('the examples of the documentation fit, for us and for editors', () => {
    const schema = z.fromJSONSchema(settingsSchema());
    for (const page of ['configuration', 'models']) {
      const text = readFileSync(join(root, `docs/${page}.md`), 'utf8');
      const examples = [...text.matchAll(/^```jsonc?\n([^]*?)^```$/gm)].map(([, example = '']) => example);
      assert.ok(examples.length > 0);
      for (const example of examples) {
        const read = parseJsonWithComments(example);
        assert.ok(read.ok && isJsonObject(read.value));
        const faults: string[] = [];
        fitSettings(read.value, (path) => void faults.push(path));
        assert.deepEqual(faults, []);
        assert.deepEqual(schema.safeParse(read.value).error, undefined);
      }
    }
  });

  test('editors refuse what we refuse', () => {
    const schema = z.fromJSONSchema(settingsSchema());
    for (const wrong of [
      { models: [] },
      { models: { plan: 1 } },
      { limits: { dpeth: 3 } },
      { limits: { depth: -1 } },
      { tierConfig: { plna: 'x' } },
      { providers: { a: {} } },
      { providers: { a: { baseUrl: 'ftp://x' } } },
      { providers: { a: { baseUrl: 'http://x', apiKeyEnv: 'sk-1' } } },
      { prices: { a: { input: 1 } } },
      { offline: 'yes' },
      { skills: { entries: { a: { apiKey: 'x' } } } },
      { skills: { entries: { a: { hosts: ['http://x'] } } } },
      { skills: { entries: { a: { read: ['notes'] } } } },
      { permissions: { deny: ['Bash('] } },
      { permissions: { denny: [] } },
      { permissions: { approvalHours: 0 } },
      { sandbox: 'never' },
    ]) {
      const faults: string[] = [];
      fitSettings(wrong, (path) => void faults.push(path));
      assert.equal(faults.length, 1, JSON.stringify(wrong));
      assert.equal(schema.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
  });
});

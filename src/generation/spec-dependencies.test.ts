import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { readSpecs, type Specs } from './read-specs.ts';

function read(files: Readonly<Record<string, string>>): Specs {
  using base = tree(Object.fromEntries(Object.entries(files).map(([name, text]) => [`specs/${name}`, text])));
  const specs = readSpecs(base.path);
  assert.ok(specs);
  return specs;
}

/** Returns the dependencies of a spec with these lines below its heading. */
function dependenciesOf(lines: string, heading = '## Dependencies', spec = 'lib/main.md'): readonly string[] {
  const { specs, issues } = read({
    [spec]: `# Main\n\n${heading}\n\n${lines}\n\n## More\n\n- other.ts\n`,
    'parse.ts.md': '',
    'lib/format.md': '',
    'lib/deep/data.json.md': '',
    'other.md': '',
  });
  assert.deepEqual(issues, []);
  return specs.find(({ path }) => path === `specs/${spec}`)?.dependencies ?? [];
}

describe('what authors write for a spec', () => {
  const forms: Readonly<Record<string, readonly string[]>> = {
    '- parse.ts - parse : splits the text': ['parse.ts'],
    '- parse : splits the text': ['parse.ts'],
    '* `parse.ts` splits the text': ['parse.ts'],
    '1. [the parser](../parse.ts.md#usage) splits it': ['parse.ts'],
    '**parse.ts**: splits it': ['parse.ts'],
    'Uses `parse.ts` to split it.': ['parse.ts'],
    'Uses [parse](parse.ts.md).': ['parse.ts'],
    'src/parse.ts': ['parse.ts'],
    'specs/parse.ts.md': ['parse.ts'],
    '- lib/format': ['lib/format.ts'],
    '- lib/format.md': ['lib/format.ts'],
    '- ./format.ts, and more': ['lib/format.ts'],
    '- ../parse': ['parse.ts'],
    '- format.md': ['lib/format.ts'],
    '- deep/data': ['lib/deep/data.json'],
    '- parse.ts\n- lib/format.ts\n- parse.ts.md': ['parse.ts', 'lib/format.ts'],
    '- node:fs\n- zod\n- @scope/package\n- https://example.org/x.ts\n- plain words': [],
    '- lib/main.ts calls itself': [],
    'None.': [],
  };
  for (const [lines, targets] of Object.entries(forms)) {
    test(JSON.stringify(lines), () => assert.deepEqual(dependenciesOf(lines), targets));
  }

  test('the section may have another name and any position', () => {
    for (const heading of ['# Dependencies', '#### **depends on:**', 'DEPENDENCIES\n---', '### Depends-On']) {
      assert.deepEqual(dependenciesOf('- parse.ts', heading), ['parse.ts'], heading);
    }
    assert.deepEqual(dependenciesOf('- parse.ts', '## Dependents'), []);
    assert.deepEqual(dependenciesOf('- parse.ts', '```\n## Dependencies\n```'), []);
  });

  test('a path that leads to no spec is reported with its line', () => {
    const { issues } = read({
      'a.md': '# A\n\n## Dependencies\n\n- node:fs\n- lib/gone.ts - fn : x\n- gone.md\n',
    });
    assert.deepEqual(
      issues.map(({ level, code, line }) => [level, code, line]),
      [
        ['warning', 'spec.dependency', 6],
        ['warning', 'spec.dependency', 7],
      ],
    );
    assert.match(issues[0]?.message ?? '', /lib\/gone\.ts/);
  });

  test('a line without end is read in no time', () => {
    const { specs } = read({ 'a.md': `## Dependencies\n- ${'[](a'.repeat(200_000)}\n- b\n`, 'b.md': '' });
    assert.deepEqual(specs.at(-1)?.dependencies, ['b.ts']);
  });
});

describe('the order', () => {
  test('each comes after all that it depends on, otherwise by path', () => {
    const needs = (...names: string[]): string => `## Dependencies\n${names.join('\n')}\n`;
    const { specs } = read({
      'a.md': needs('d', 'c'),
      'b.md': '',
      'c.md': needs('e'),
      'd.md': '',
      'e.md': '',
    });
    assert.deepEqual(
      specs.map(({ target }) => target),
      ['b.ts', 'd.ts', 'e.ts', 'c.ts', 'a.ts'],
    );
  });

  test('a circle is named as it runs', () => {
    const { issues } = read({
      'a.md': '## Dependencies\nb\n',
      'b.md': '## Dependencies\nc\n',
      'c.md': '## Depends on\nb\n',
    });
    assert.deepEqual(
      issues.map(({ level, code }) => `${level} ${code}`),
      ['error spec.circle'],
    );
    assert.match(issues[0]?.message ?? '', /specs\/b\.md → specs\/c\.md → specs\/b\.md/);
  });
});

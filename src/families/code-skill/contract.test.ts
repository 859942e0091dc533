import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import { buildContract } from './contract.ts';
import { parse } from './parse.ts';

function contractOf(text: string): string {
  const { definition } = parse(bundleOfText(text, nowhere));
  assert.ok(definition !== undefined);
  return buildContract(definition);
}

describe('the contract of a code skill', () => {
  test('has the sections that its code must keep to, whole and in their order', () => {
    const text = [
      '# Slugs\n\n## Examples\n\n`A b` gives `a-b`.\n',
      '## Description\n\nMakes slugs.\n\nOnly of titles.\n\n## Help\n\nAsk.\n',
      '## Constraints\n\n- No dots.\n\n## Output Format\n\nThe slug.\n',
      '## Input Format\n\nA title.\n\n```json\n{ "type": "string" }\n```\n',
    ].join('\n');
    assert.equal(
      contractOf(text),
      [
        '## Description\n\nMakes slugs.\n\nOnly of titles.\n',
        '## Input Format\n\nA title.\n\n```json\n{ "type": "string" }\n```\n',
        '## Output Format\n\nThe slug.\n',
        '## Constraints\n\n- No dots.\n',
        '## Examples\n\n`A b` gives `a-b`.\n',
      ].join('\n'),
    );
  });

  test('states the schemas of the frontmatter', () => {
    const text =
      '---\nname: a\ndescription: Does a.\ninput: {type: string}\noutput: {type: number}\n---\n\n## Output Format\n\nA count.\n';
    assert.equal(
      contractOf(text),
      [
        '## Description\n\nDoes a.\n',
        '## Input Format\n\n```json\n{"type":"string"}\n```\n',
        '## Output Format\n\nA count.\n\n```json\n{"type":"number"}\n```\n',
      ].join('\n'),
    );
  });

  test('does not change with what is no part of it', () => {
    const [one, other] = ['timeout: 5', 'tags: [x]\nwhen_to_use: often'].map((head) =>
      contractOf(`---\ndescription: d\n${head}\ninput: {type: string}\n---\n\n## Help\n\n${head}\n`),
    );
    assert.equal(one, other);
  });
});
